//! What an operator does by command: seasons, copies of ladders, rating history again.
//!
//! The commands work on the stores themselves, beside running replicas.

use std::collections::HashSet;

use chassis::{ErrorCode, Failure};
use uuid::Uuid;

use crate::{
    board::Boards,
    copy::{self, Comparison},
    finished::check_ruleset,
    service::Ranking,
    store::{self, Ladder, Participation, RecomputeError, Recomputed, SeasonChange},
};

fn conflict(detail: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::Conflict, detail)
}

fn changed(change: SeasonChange, ruleset: &str) -> Result<Ladder, Failure> {
    match change {
        SeasonChange::Done(ladder) => Ok(ladder),
        SeasonChange::IsOpen => Err(conflict(format!("a season of {ruleset} is open"))),
        SeasonChange::NoneOpen => Err(conflict(format!("no season of {ruleset} is open"))),
    }
}

impl Ranking {
    /// All ladders, by rule set, the newest season first.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn ladders(&self) -> Result<Vec<Ladder>, Failure> {
        Ok(self.store.ladders().await?)
    }

    /// Opens the next season of a rule set, which closes by itself at an instant (milliseconds
    /// since 1970 UTC), else by the schedule, else never.
    ///
    /// # Errors
    /// When one is open, the instant is not to come, or the database does not answer.
    pub async fn open_season(
        &self,
        ruleset: &str,
        closes_ms: Option<i64>,
    ) -> Result<Ladder, Failure> {
        check_ruleset(ruleset)?;
        self.check_to_come(closes_ms)?;
        let opened = self.store.open_season(ruleset, self.now_ms(), closes_ms);
        changed(opened.await.map_err(store::failure)?, ruleset)
    }

    /// Closes the open season of a rule set: its final standings stand still. Matches that are
    /// reported afterwards count for the next season: the one that opens now if `next`, else
    /// they wait for it.
    ///
    /// # Errors
    /// When none is open, or the database does not answer.
    pub async fn close_season(&self, ruleset: &str, next: bool) -> Result<Ladder, Failure> {
        check_ruleset(ruleset)?;
        let closed = self.store.close_season(ruleset, self.now_ms(), next);
        changed(closed.await.map_err(store::failure)?, ruleset)
    }

    /// Says when the open season of a rule set closes by itself and the next one opens; never
    /// when none, until a schedule says otherwise.
    ///
    /// # Errors
    /// When none is open, the instant is not to come, or the database does not answer.
    pub async fn schedule_season(
        &self,
        ruleset: &str,
        closes_ms: Option<i64>,
    ) -> Result<Ladder, Failure> {
        check_ruleset(ruleset)?;
        self.check_to_come(closes_ms)?;
        let scheduled = self.store.schedule_season(ruleset, closes_ms);
        changed(scheduled.await.map_err(store::failure)?, ruleset)
    }

    /// Closes seasons whose time has come and opens the next ones, as [`crate::serve`] does
    /// all the time.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn follow_schedule(&self) -> Result<(), Failure> {
        Ok(self.store.follow_schedule(self.now_ms()).await?)
    }

    fn check_to_come(&self, closes_ms: Option<i64>) -> Result<(), Failure> {
        if closes_ms.is_some_and(|closes_ms| closes_ms <= self.now_ms()) {
            let detail = "expected an instant that is still to come";
            return Err(Failure::new(ErrorCode::BadRequest, detail));
        }
        Ok(())
    }

    fn copies(&self) -> Result<&Boards, Failure> {
        let boards = self.boards.as_ref();
        boards.ok_or_else(|| conflict("there are no copies of ladders without Redis"))
    }

    /// Brings what changed to the copies of all ladders, as [`crate::serve`] does all the time.
    ///
    /// # Errors
    /// When there is no Redis, or a store does not answer.
    pub async fn update_copies(&self) -> Result<(), Failure> {
        copy::bring(&self.store, self.copies()?).await
    }

    /// How many changed lines wait to be brought to the copies.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn waiting_lines(&self) -> Result<i64, Failure> {
        Ok(self.store.notes().await?)
    }

    /// Makes a new copy of a ladder, which answers from then on. False when another process is
    /// making one, or the copy was lost or given up meanwhile.
    ///
    /// # Errors
    /// When there is no Redis or no such ladder, or a store does not answer.
    pub async fn rebuild_copy(&self, ladder: &str) -> Result<bool, Failure> {
        let ladder = self.ladder(ladder).await?;
        self.make_copy(self.copies()?, &ladder).await
    }

    /// Compares the copy of a ladder with the database. None: the ladder has no copy.
    ///
    /// # Errors
    /// When there is no Redis or no such ladder, or a store does not answer.
    pub async fn compare(&self, ladder: &str) -> Result<Option<Comparison>, Failure> {
        let boards = self.copies()?;
        copy::bring(&self.store, boards).await?;
        let ladder = self.ladder(ladder).await?;
        match ladder.board {
            None => Ok(None),
            Some(number) => {
                let compared = self.compare_copy(boards, &ladder, number).await?;
                Ok(Some(compared))
            }
        }
    }

    /// Rates the history of the rule sets in which some players took part again, without the
    /// ones and with the others, who had been taken out; of all rule sets when there are none.
    /// What changes is stored if `apply`, and only told otherwise.
    ///
    /// # Errors
    /// When somebody's matches are not numbered through, or the database does not answer.
    pub async fn recompute(
        &self,
        without: &[Uuid],
        with: &[Uuid],
        apply: bool,
    ) -> Result<Recomputed, Failure> {
        let participation = Participation {
            without: without.iter().copied().collect::<HashSet<_>>(),
            with: with.iter().copied().collect(),
        };
        match self.store.recompute(&participation, apply).await {
            Ok(recomputed) => Ok(recomputed),
            Err(RecomputeError::Sql(error)) => Err(store::failure(error)),
            Err(RecomputeError::Gap(ladder)) => {
                let detail = format!("{ladder}: a player's matches are not numbered through");
                Err(Failure::internal(detail))
            }
        }
    }
}
