//! Ladders: the seasons of a rule set.

use sqlx::{Any, Row as _, Transaction, any::AnyRow};

use super::{Store, number};

/// Most ladders that are listed: a season a month of ten rule sets for eight years.
const MAX_LADDERS: i64 = 1000;

/// One season of a rule set.
#[derive(Clone, Debug)]
pub(crate) struct Ladder {
    pub(crate) id: String,
    pub(crate) ruleset: String,
    pub(crate) season: u32,
    pub(crate) opened_ms: i64,
    pub(crate) closed_ms: Option<i64>,
}

impl Ladder {
    fn read(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get("id")?,
            ruleset: row.try_get("ruleset")?,
            season: number(row, "season")?,
            opened_ms: row.try_get("opened_ms")?,
            closed_ms: row.try_get("closed_ms")?,
        })
    }
}

/// `brixental-s1`.
fn ladder_id(ruleset: &str, season: u32) -> String {
    format!("{ruleset}-s{season}")
}

/// Opens the first season of a rule set that never had one; does nothing otherwise. Of several
/// at once one opens it and the others wait for that.
pub(super) async fn open_first_season(
    transaction: &mut Transaction<'static, Any>,
    ruleset: &str,
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    let opened = sqlx::query(
        "INSERT INTO ladders (id, ruleset, season, opened_ms) VALUES ($1, $2, 1, $3)
         ON CONFLICT DO NOTHING",
    )
    .bind(ladder_id(ruleset, 1))
    .bind(ruleset.to_owned())
    .bind(now_ms)
    .execute(&mut **transaction)
    .await?;
    if opened.rows_affected() > 0 {
        tracing::info!(ruleset, "first season opened");
    }
    Ok(())
}

impl Store {
    /// The ladder with this id.
    pub(crate) async fn ladder(&self, id: &str) -> Result<Option<Ladder>, sqlx::Error> {
        let row = sqlx::query(
            "SELECT id, ruleset, season, opened_ms, closed_ms FROM ladders WHERE id = $1",
        )
        .bind(id.to_owned())
        .fetch_optional(&self.db.pool)
        .await?;
        row.as_ref().map(Ladder::read).transpose()
    }

    /// All ladders, by rule set, the newest season first.
    pub(crate) async fn ladders(&self) -> Result<Vec<Ladder>, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT id, ruleset, season, opened_ms, closed_ms FROM ladders
             ORDER BY ruleset, season DESC LIMIT $1",
        )
        .bind(MAX_LADDERS)
        .fetch_all(&self.db.pool)
        .await?;
        rows.iter().map(Ladder::read).collect()
    }
}
