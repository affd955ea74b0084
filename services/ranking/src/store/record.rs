//! Rating a match, once.
//!
//! Everything happens in one transaction whose first write is the match's own row: whoever
//! comes second with the same id waits for the first, finds the row and is given the stored
//! changes. That write also holds the season open until the transaction ends.
//!
//! The rows of the players are made where they are missing and locked, in one pass in the order
//! of the players' ids: everybody takes them in the same order, so there is no circle of
//! waiting, and no deadlock.

use chassis::db::Dialect;
use rating::{
    elo,
    line::{self, End, Line},
};
use sqlx::{Any, AssertSqlSafe, Row as _, Transaction, any::AnyRow};
use uuid::Uuid;

use super::{
    MAX_ATTEMPTS, Store, back_off, entering, is_transient, number, outbox, uuid, value_rows,
};
use crate::finished::{Finish, FinishedMatch};

/// What one match did to one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) player: Uuid,
    pub(crate) before: i32,
    pub(crate) after: i32,
}

/// What became of a reported match. Changes are in the order of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Recorded {
    /// It was rated now.
    Rated(Vec<Change>),
    /// It was rated before, with the same result.
    Known(Vec<Change>),
    /// It was rated before, with another result.
    Conflict,
    /// All seasons of the rule set are closed.
    NoOpenSeason,
}

/// A row of `ratings`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rating {
    pub(super) player: Uuid,
    pub(super) line: Line,
}

/// The columns that [`Rating::read`] needs.
pub(super) const RATING: &str = "player_id, rating, peak, matches, reached_ms, last_ms, excluded";

impl Rating {
    pub(super) fn read(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            player: uuid(row, "player_id")?,
            line: Line {
                rating: number(row, "rating")?,
                peak: number(row, "peak")?,
                matches: row.try_get("matches")?,
                reached_ms: row.try_get("reached_ms")?,
                last_ms: row.try_get("last_ms")?,
                excluded: row.try_get::<i64, _>("excluded")? != 0,
            },
        })
    }
}

/// One player's finish, and the row before and after it.
#[derive(Clone, Copy, Debug)]
struct Rated {
    finish: Finish,
    before: Line,
    after: Line,
}

impl Rated {
    fn change(&self) -> Change {
        Change {
            player: self.finish.player,
            before: self.before.rating,
            after: self.after.rating,
        }
    }
}

impl Store {
    /// Rates a match, or finds that it was rated.
    pub(crate) async fn record(
        &self,
        finished: &FinishedMatch,
        now_ms: i64,
    ) -> Result<Recorded, sqlx::Error> {
        let mut attempt = 1;
        loop {
            let record = self.try_record(finished, now_ms);
            match self.db.observed("record_match", record).await {
                Err(error) if is_transient(&error) && attempt < MAX_ATTEMPTS => {
                    tracing::debug!(%error, attempt, "rating a match again");
                    back_off(attempt).await;
                    attempt += 1;
                }
                settled => return settled,
            }
        }
    }

    async fn try_record(
        &self,
        finished: &FinishedMatch,
        now_ms: i64,
    ) -> Result<Recorded, sqlx::Error> {
        let mut transaction = self.db.begin().await?;
        // A clock that runs ahead must not keep a player listed for years.
        let at_ms = finished.ended_ms.min(now_ms);
        let mut claimed = self
            .claim(&mut transaction, finished, at_ms, now_ms)
            .await?;
        if claimed.is_none() {
            if let Some(known) = known(&mut transaction, finished).await? {
                transaction.rollback().await?;
                return Ok(known);
            }
            let ruleset = &finished.ruleset;
            if !self.roll_due(&mut transaction, ruleset, now_ms).await? {
                self.open_first(&mut transaction, ruleset, now_ms).await?;
            }
            claimed = self
                .claim(&mut transaction, finished, at_ms, now_ms)
                .await?;
        }
        let Some(ladder) = claimed else {
            // The match may have been rated while this one waited for the season.
            let known = known(&mut transaction, finished).await?;
            transaction.rollback().await?;
            return Ok(known.unwrap_or(Recorded::NoOpenSeason));
        };
        let mut players: Vec<Uuid> = finished.finishes.iter().map(|f| f.player).collect();
        players.sort_unstable();
        let mut before = lock_rows(&mut transaction, &ladder, &players, at_ms).await?;
        enter_season(&mut transaction, finished, &ladder, &mut before, at_ms).await?;
        let rated = rate(finished, &before, at_ms)?;
        write_ratings(&mut transaction, &ladder, &rated).await?;
        write_history(&mut transaction, &ladder, finished.id, at_ms, &rated).await?;
        outbox::note(&mut transaction, &ladder, &players).await?;
        transaction.commit().await?;
        Ok(Recorded::Rated(rated.iter().map(Rated::change).collect()))
    }

    /// Writes the match's own row for the open season. Nothing when the match has one, or when
    /// no season is open or the open one should be closed by now; otherwise the ladder that it
    /// counts for, whose row is locked against closing.
    async fn claim(
        &self,
        transaction: &mut Transaction<'static, Any>,
        finished: &FinishedMatch,
        at_ms: i64,
        now_ms: i64,
    ) -> Result<Option<String>, sqlx::Error> {
        let for_share = match self.db.dialect {
            Dialect::Sqlite => "",
            Dialect::Postgres => "FOR SHARE",
        };
        let sql = format!(
            "INSERT INTO rated_matches (id, ladder_id, ended_ms, recorded_ms)
             SELECT $1, id, $2, $3 FROM ladders WHERE ruleset = $4 AND closed_ms IS NULL
                 AND (closes_ms IS NULL OR closes_ms > $3)
             {for_share} ON CONFLICT (id) DO NOTHING RETURNING ladder_id"
        );
        sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(finished.id.to_string())
            .bind(at_ms)
            .bind(now_ms)
            .bind(finished.ruleset.clone())
            .fetch_optional(&mut **transaction)
            .await
    }
}

/// What is stored of a match that was rated before, compared with what is reported now. The
/// result is the rule set and everybody's finish; the instant is not part of it, so that a
/// report that was made anew counts as the same.
async fn known(
    transaction: &mut Transaction<'static, Any>,
    finished: &FinishedMatch,
) -> Result<Option<Recorded>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT l.ruleset, h.player_id, h.rating_before, h.rating_after,
                h.place, h.score, h.abandoned
         FROM rated_matches m
         JOIN ladders l ON l.id = m.ladder_id
         JOIN rating_history h ON h.match_id = m.id
         WHERE m.id = $1",
    )
    .bind(finished.id.to_string())
    .fetch_all(&mut **transaction)
    .await?;
    if rows.is_empty() {
        return Ok(None);
    }
    let mut stored = Vec::with_capacity(rows.len());
    let mut same_ruleset = true;
    for row in &rows {
        let ruleset: &str = row.try_get("ruleset")?;
        same_ruleset &= ruleset == finished.ruleset;
        let player = uuid(row, "player_id")?;
        let finish = Finish {
            player,
            place: number(row, "place")?,
            score: number(row, "score")?,
            abandoned: row.try_get::<i64, _>("abandoned")? != 0,
        };
        let change = Change {
            player,
            before: number(row, "rating_before")?,
            after: number(row, "rating_after")?,
        };
        stored.push((finish, change));
    }
    let change_of = |finish: &Finish| {
        let found = stored.iter().find(|(stored, _)| stored == finish);
        found.map(|&(_, change)| change)
    };
    let changes: Option<Vec<Change>> = finished.finishes.iter().map(change_of).collect();
    Ok(Some(match changes {
        Some(changes) if same_ruleset && changes.len() == stored.len() => Recorded::Known(changes),
        _ => Recorded::Conflict,
    }))
}

/// Gives those who are new to the ladder the rating with which they enter its season.
async fn enter_season(
    transaction: &mut Transaction<'static, Any>,
    finished: &FinishedMatch,
    ladder: &str,
    rows: &mut [Rating],
    at_ms: i64,
) -> Result<(), sqlx::Error> {
    let new = rows.iter().filter(|row| row.line.matches == 0);
    let new: Vec<Uuid> = new.map(|row| row.player).collect();
    if new.is_empty() {
        return Ok(());
    }
    let season: i64 = sqlx::query_scalar("SELECT season FROM ladders WHERE id = $1")
        .bind(ladder.to_owned())
        .fetch_one(&mut **transaction)
        .await?;
    let entering = entering::entering(transaction, &finished.ruleset, season, &new).await?;
    for row in rows.iter_mut().filter(|row| row.line.matches == 0) {
        row.line = Line::new(entering::start(&entering, row.player), at_ms);
    }
    Ok(())
}

/// The rows of the players, locked until the transaction ends; new ones for those who are new
/// to the ladder. `players` are in the order of their ids, and so are the locks.
async fn lock_rows(
    transaction: &mut Transaction<'static, Any>,
    ladder: &str,
    players: &[Uuid],
    at_ms: i64,
) -> Result<Vec<Rating>, sqlx::Error> {
    // An update that changes nothing locks a row and returns it. It touches no indexed column,
    // which keeps it cheap.
    let sql = format!(
        "INSERT INTO ratings
             (player_id, ladder_id, rating, peak, matches, reached_ms, last_ms)
         VALUES {} ON CONFLICT (player_id, ladder_id) DO UPDATE SET peak = ratings.peak
         RETURNING {RATING}",
        value_rows(players.len(), 7),
    );
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for player in players {
        query = query
            .bind(player.to_string())
            .bind(ladder.to_owned())
            .bind(i64::from(elo::START))
            .bind(i64::from(elo::START))
            .bind(0_i64)
            .bind(at_ms)
            .bind(at_ms);
    }
    let rows = query.fetch_all(&mut **transaction).await?;
    rows.iter().map(Rating::read).collect()
}

/// Rates everybody, in the order of the report.
fn rate(finished: &FinishedMatch, rows: &[Rating], at_ms: i64) -> Result<Vec<Rated>, sqlx::Error> {
    let line_of = |finish: &Finish| {
        let row = rows.iter().find(|row| row.player == finish.player);
        row.map(|row| row.line).ok_or(sqlx::Error::RowNotFound)
    };
    let before = finished.finishes.iter().map(line_of);
    let before: Vec<Line> = before.collect::<Result<_, _>>()?;
    let ends: Vec<End> = finished.finishes.iter().map(Finish::end).collect();
    let after = line::after(finished.id.as_u128(), &ends, &before, at_ms);
    let finishes = finished.finishes.iter().copied();
    let rated = finishes.zip(before).zip(after);
    Ok(rated
        .map(|((finish, before), after)| Rated {
            finish,
            before,
            after,
        })
        .collect())
}

/// Stores new ratings over rows that are there and locked.
async fn write_ratings(
    transaction: &mut Transaction<'static, Any>,
    ladder: &str,
    rated: &[Rated],
) -> Result<(), sqlx::Error> {
    let sql = format!(
        "INSERT INTO ratings
             (player_id, ladder_id, rating, peak, matches, reached_ms, last_ms)
         VALUES {} ON CONFLICT (player_id, ladder_id) DO UPDATE SET
             rating = excluded.rating, peak = excluded.peak, matches = excluded.matches,
             reached_ms = excluded.reached_ms, last_ms = excluded.last_ms",
        value_rows(rated.len(), 7),
    );
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for Rated { finish, after, .. } in rated {
        query = query
            .bind(finish.player.to_string())
            .bind(ladder.to_owned())
            .bind(i64::from(after.rating))
            .bind(i64::from(after.peak))
            .bind(after.matches)
            .bind(after.reached_ms)
            .bind(after.last_ms);
    }
    query.execute(&mut **transaction).await?;
    Ok(())
}

async fn write_history(
    transaction: &mut Transaction<'static, Any>,
    ladder: &str,
    match_id: Uuid,
    at_ms: i64,
    rated: &[Rated],
) -> Result<(), sqlx::Error> {
    let sql = format!(
        "INSERT INTO rating_history
             (player_id, ladder_id, number, match_id, at_ms, rating_before, rating_after,
              place, score, abandoned, excluded)
         VALUES {}",
        value_rows(rated.len(), 11),
    );
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for Rated {
        finish,
        before,
        after,
    } in rated
    {
        query = query
            .bind(finish.player.to_string())
            .bind(ladder.to_owned())
            .bind(after.matches)
            .bind(match_id.to_string())
            .bind(at_ms)
            .bind(i64::from(before.rating))
            .bind(i64::from(after.rating))
            .bind(i64::from(finish.place))
            .bind(i64::from(finish.score))
            .bind(i64::from(finish.abandoned))
            .bind(i64::from(before.excluded));
    }
    query.execute(&mut **transaction).await?;
    Ok(())
}
