//! Ladders: the seasons of a rule set.
//!
//! Closing a season waits for the matches that are being rated on it and holds off those that
//! come after: both take the ladder's row first. A season whose time has come is closed, and the
//! next one opened, by whoever notices first: the upkeep, or the report of a match.

use sqlx::{Any, AssertSqlSafe, Row as _, Transaction, any::AnyRow};

use super::{Store, number};
use crate::service::DAY_MS;

/// Most ladders that are listed: a season a month of ten rule sets for eight years.
const MAX_LADDERS: i64 = 1000;

const COLUMNS: &str = "id, ruleset, season, opened_ms, closed_ms, closes_ms, listed_matches, \
                       listed_since_ms, board, building";

/// One season of a rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// Such as `brixental-s1`.
    pub id: String,
    /// Id of the rule set.
    pub ruleset: String,
    /// Counted from 1.
    pub season: u32,
    /// Instants are milliseconds since 1970 UTC.
    pub opened_ms: i64,
    /// None: open.
    pub closed_ms: Option<i64>,
    /// When it closes by itself.
    pub closes_ms: Option<i64>,
    /// Who is on the final standings of a closed ladder: fewest matches, earliest latest match.
    pub(crate) frozen: Option<(i64, i64)>,
    /// Number of the copy that answers.
    pub(crate) board: Option<i64>,
    /// Number of the copy that is being made.
    pub(crate) building: Option<i64>,
}

impl Ladder {
    /// Whether a copy of it in Redis answers.
    #[must_use]
    pub const fn has_copy(&self) -> bool {
        self.board.is_some()
    }

    fn read(row: &AnyRow) -> Result<Self, sqlx::Error> {
        let listed_matches: Option<i64> = row.try_get("listed_matches")?;
        let listed_since_ms: Option<i64> = row.try_get("listed_since_ms")?;
        Ok(Self {
            id: row.try_get("id")?,
            ruleset: row.try_get("ruleset")?,
            season: number(row, "season")?,
            opened_ms: row.try_get("opened_ms")?,
            closed_ms: row.try_get("closed_ms")?,
            closes_ms: row.try_get("closes_ms")?,
            frozen: listed_matches.zip(listed_since_ms),
            board: row.try_get("board")?,
            building: row.try_get("building")?,
        })
    }
}

/// What became of an operator's change to the seasons of a rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SeasonChange {
    /// It was made; the ladder as it is now.
    Done(Ladder),
    /// A season is open, and none may be.
    IsOpen,
    /// No season is open, and one has to be.
    NoneOpen,
}

/// `brixental-s1`.
fn ladder_id(ruleset: &str, season: u32) -> String {
    format!("{ruleset}-s{season}")
}

type Tx = Transaction<'static, Any>;

/// The open ladder of a rule set, locked against everybody.
async fn lock_open(
    store: &Store,
    tx: &mut Tx,
    ruleset: &str,
) -> Result<Option<Ladder>, sqlx::Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM ladders WHERE ruleset = $1 AND closed_ms IS NULL{}",
        store.db.dialect.for_update()
    );
    let row = sqlx::query(AssertSqlSafe(sql))
        .bind(ruleset.to_owned())
        .fetch_optional(&mut **tx)
        .await?;
    row.as_ref().map(Ladder::read).transpose()
}

/// Opens the next season of a rule set; nothing when one is open. Of several at once one opens
/// it and the others wait for that.
async fn open_next(
    tx: &mut Tx,
    ruleset: &str,
    opened_ms: i64,
    closes_ms: Option<i64>,
) -> Result<Option<String>, sqlx::Error> {
    let latest: i64 =
        sqlx::query_scalar("SELECT COALESCE(MAX(season), 0) FROM ladders WHERE ruleset = $1")
            .bind(ruleset.to_owned())
            .fetch_one(&mut **tx)
            .await?;
    let season = u32::try_from(latest + 1).unwrap_or(u32::MAX);
    let id = ladder_id(ruleset, season);
    let opened = sqlx::query(
        "INSERT INTO ladders (id, ruleset, season, opened_ms, closes_ms)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    )
    .bind(id.clone())
    .bind(ruleset.to_owned())
    .bind(i64::from(season))
    .bind(opened_ms)
    .bind(closes_ms)
    .execute(&mut **tx)
    .await?;
    if opened.rows_affected() == 0 {
        return Ok(None);
    }
    tracing::info!(ladder = id, "season opened");
    Ok(Some(id))
}

/// Whether a rule set never had a season.
pub(super) async fn is_new(tx: &mut Tx, ruleset: &str) -> Result<bool, sqlx::Error> {
    let seasons: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM ladders WHERE ruleset = $1")
        .bind(ruleset.to_owned())
        .fetch_one(&mut **tx)
        .await?;
    Ok(seasons == 0)
}

impl Store {
    /// Closes a ladder whose row is locked, and fixes who is on its final standings.
    async fn close_locked(
        &self,
        tx: &mut Tx,
        ladder: &Ladder,
        at_ms: i64,
    ) -> Result<(), sqlx::Error> {
        let closed_ms = at_ms.max(ladder.opened_ms);
        let inactive_ms = i64::from(self.config.inactive_after_days) * DAY_MS;
        sqlx::query(
            "UPDATE ladders SET closed_ms = $1, listed_matches = $2, listed_since_ms = $3
             WHERE id = $4",
        )
        .bind(closed_ms)
        .bind(i64::from(self.config.listed_after_matches))
        .bind(closed_ms - inactive_ms)
        .bind(ladder.id.clone())
        .execute(&mut **tx)
        .await?;
        tracing::info!(ladder = ladder.id, "season closed");
        Ok(())
    }

    /// When a season that is opened now closes by the schedule.
    fn scheduled(&self, now_ms: i64) -> Option<i64> {
        let schedule = self.config.schedule.as_ref();
        schedule.and_then(|schedule| schedule.next_after(now_ms))
    }

    /// Closes the season of a rule set if its time has come, and opens the next one.
    pub(super) async fn roll_due(
        &self,
        tx: &mut Tx,
        ruleset: &str,
        now_ms: i64,
    ) -> Result<bool, sqlx::Error> {
        let Some(ladder) = lock_open(self, tx, ruleset).await? else {
            return Ok(false);
        };
        let Some(closes_ms) = ladder.closes_ms.filter(|&closes_ms| closes_ms <= now_ms) else {
            return Ok(false);
        };
        self.close_locked(tx, &ladder, closes_ms).await?;
        open_next(tx, ruleset, closes_ms, self.scheduled(now_ms)).await?;
        Ok(true)
    }

    /// Opens the first season of a rule set that never had one; does nothing otherwise.
    pub(super) async fn open_first(
        &self,
        tx: &mut Tx,
        ruleset: &str,
        now_ms: i64,
    ) -> Result<(), sqlx::Error> {
        if is_new(tx, ruleset).await? {
            open_next(tx, ruleset, now_ms, self.scheduled(now_ms)).await?;
        }
        Ok(())
    }

    /// Closes every season whose time has come and opens the next; gives open seasons without
    /// an end the schedule's.
    pub(crate) async fn follow_schedule(&self, now_ms: i64) -> Result<(), sqlx::Error> {
        let due: Vec<String> = sqlx::query_scalar(
            "SELECT ruleset FROM ladders WHERE closed_ms IS NULL AND closes_ms <= $1",
        )
        .bind(now_ms)
        .fetch_all(&self.db.pool)
        .await?;
        for ruleset in due {
            let mut tx = self.db.begin().await?;
            self.roll_due(&mut tx, &ruleset, now_ms).await?;
            tx.commit().await?;
        }
        if let Some(closes_ms) = self.scheduled(now_ms) {
            sqlx::query(
                "UPDATE ladders SET closes_ms = $1 WHERE closed_ms IS NULL AND closes_ms IS NULL",
            )
            .bind(closes_ms)
            .execute(&self.db.pool)
            .await?;
        }
        Ok(())
    }

    /// Opens the next season of a rule set that has none open.
    pub(crate) async fn open_season(
        &self,
        ruleset: &str,
        now_ms: i64,
        closes_ms: Option<i64>,
    ) -> Result<SeasonChange, sqlx::Error> {
        let mut tx = self.db.begin().await?;
        let closes_ms = closes_ms.or_else(|| self.scheduled(now_ms));
        let Some(id) = open_next(&mut tx, ruleset, now_ms, closes_ms).await? else {
            tx.rollback().await?;
            return Ok(SeasonChange::IsOpen);
        };
        tx.commit().await?;
        self.changed(&id).await
    }

    /// Closes the open season of a rule set and, if `next`, opens the one after it.
    pub(crate) async fn close_season(
        &self,
        ruleset: &str,
        now_ms: i64,
        next: bool,
    ) -> Result<SeasonChange, sqlx::Error> {
        let mut tx = self.db.begin().await?;
        let Some(ladder) = lock_open(self, &mut tx, ruleset).await? else {
            tx.rollback().await?;
            return Ok(SeasonChange::NoneOpen);
        };
        self.close_locked(&mut tx, &ladder, now_ms).await?;
        let mut changed = ladder.id;
        if next {
            let opened = open_next(&mut tx, ruleset, now_ms, self.scheduled(now_ms)).await?;
            changed = opened.unwrap_or(changed);
        }
        tx.commit().await?;
        self.changed(&changed).await
    }

    /// Says when the open season of a rule set closes by itself; none: never.
    pub(crate) async fn schedule_season(
        &self,
        ruleset: &str,
        closes_ms: Option<i64>,
    ) -> Result<SeasonChange, sqlx::Error> {
        let id: Option<String> = sqlx::query_scalar(
            "UPDATE ladders SET closes_ms = $1 WHERE ruleset = $2 AND closed_ms IS NULL
             RETURNING id",
        )
        .bind(closes_ms)
        .bind(ruleset.to_owned())
        .fetch_optional(&self.db.pool)
        .await?;
        match id {
            None => Ok(SeasonChange::NoneOpen),
            Some(id) => self.changed(&id).await,
        }
    }

    async fn changed(&self, id: &str) -> Result<SeasonChange, sqlx::Error> {
        let ladder = self.ladder(id).await?;
        ladder
            .map(SeasonChange::Done)
            .ok_or(sqlx::Error::RowNotFound)
    }

    /// The ladder with this id.
    pub(crate) async fn ladder(&self, id: &str) -> Result<Option<Ladder>, sqlx::Error> {
        let row = sqlx::query(AssertSqlSafe(format!(
            "SELECT {COLUMNS} FROM ladders WHERE id = $1"
        )))
        .bind(id.to_owned())
        .fetch_optional(&self.db.pool)
        .await?;
        row.as_ref().map(Ladder::read).transpose()
    }

    /// All ladders, by rule set, the newest season first.
    pub(crate) async fn ladders(&self) -> Result<Vec<Ladder>, sqlx::Error> {
        let sql = format!("SELECT {COLUMNS} FROM ladders ORDER BY ruleset, season DESC LIMIT $1");
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(MAX_LADDERS)
            .fetch_all(&self.db.pool)
            .await?;
        rows.iter().map(Ladder::read).collect()
    }
}
