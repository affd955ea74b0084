//! Lines that changed and may not be in the copy of their ladder yet.
//!
//! A line is noted by the transaction that changes it, so a change that was committed is never
//! forgotten, wherever a process is killed. Whoever brings lines to the copy takes their notes
//! away only after that; a line that is brought twice changes nothing the second time.

use std::collections::BTreeMap;

use chassis::db::Dialect;
use rating::line::Line;
use sqlx::{Any, AssertSqlSafe, Row as _, Transaction};
use uuid::Uuid;

use super::{
    Store, placeholders,
    record::{RATING, Rating},
    uuid,
};

/// Notes that are taken at once.
const BATCH: usize = 256;

/// A line as the copies of its ladder should have it.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    pub(crate) player: Uuid,
    pub(crate) line: Line,
}

/// The changed lines of one ladder, and the numbers of its copies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    pub(crate) boards: Vec<i64>,
    pub(crate) lines: Vec<Changed>,
}

/// Notes that lines of a ladder change, if there is a copy of it or one is being made. The
/// ladder's row is locked against a change of that.
pub(super) async fn note(
    tx: &mut Transaction<'static, Any>,
    ladder: &str,
    players: &[Uuid],
) -> Result<(), sqlx::Error> {
    // Selected, not given as values: one statement asks and notes.
    let rows = (0..players.len()).map(|i| format!("SELECT ${} AS player_id", i + 2));
    let rows: Vec<String> = rows.collect();
    let sql = format!(
        "INSERT INTO leaderboard_outbox (ladder_id, player_id)
         SELECT l.id, p.player_id FROM ladders l, ({}) p
         WHERE l.id = $1 AND (l.board IS NOT NULL OR l.building IS NOT NULL)",
        rows.join(" UNION ALL "),
    );
    let mut query = sqlx::query(AssertSqlSafe(sql)).bind(ladder.to_owned());
    for player in players {
        query = query.bind(player.to_string());
    }
    query.execute(&mut **tx).await?;
    Ok(())
}

/// Notes that were taken and come back unless they are [`Taken::done`].
#[derive(Debug)]
pub(crate) struct Taken {
    tx: Transaction<'static, Any>,
    /// By ladder.
    pub(crate) batches: BTreeMap<String, Batch>,
    /// There may be more.
    pub(crate) full: bool,
}

impl Taken {
    /// The copies have the lines.
    pub(crate) async fn done(self) -> Result<(), sqlx::Error> {
        self.tx.commit().await
    }
}

impl Store {
    /// Takes the oldest notes, with their lines as they are now; none when there are none, or
    /// others have them.
    pub(crate) async fn take_notes(&self) -> Result<Option<Taken>, sqlx::Error> {
        let skip_locked = match self.db.dialect {
            Dialect::Sqlite => "",
            Dialect::Postgres => " FOR UPDATE SKIP LOCKED",
        };
        let mut tx = self.db.begin().await?;
        let sql = format!(
            "DELETE FROM leaderboard_outbox WHERE id IN
             (SELECT id FROM leaderboard_outbox ORDER BY id LIMIT {BATCH}{skip_locked})
             RETURNING ladder_id, player_id"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut *tx).await?;
        if rows.is_empty() {
            tx.rollback().await?;
            return Ok(None);
        }
        let full = rows.len() == BATCH;
        let mut by_ladder: BTreeMap<String, Vec<Uuid>> = BTreeMap::new();
        for row in &rows {
            let ladder: String = row.try_get("ladder_id")?;
            by_ladder
                .entry(ladder)
                .or_default()
                .push(uuid(row, "player_id")?);
        }
        let mut batches = BTreeMap::new();
        for (ladder, mut players) in by_ladder {
            players.sort_unstable();
            players.dedup();
            let batch = read_batch(&mut tx, &ladder, &players).await?;
            batches.insert(ladder, batch);
        }
        Ok(Some(Taken { tx, batches, full }))
    }

    /// How many notes wait.
    pub(crate) async fn notes(&self) -> Result<i64, sqlx::Error> {
        sqlx::query_scalar("SELECT COUNT(*) FROM leaderboard_outbox")
            .fetch_one(&self.db.pool)
            .await
    }
}

/// The numbers of a ladder's copies and some of its lines, of one moment.
async fn read_batch(
    tx: &mut Transaction<'static, Any>,
    ladder: &str,
    players: &[Uuid],
) -> Result<Batch, sqlx::Error> {
    let sql = format!(
        "SELECT {RATING}, l.board, l.building FROM ladders l
         JOIN ratings r ON r.ladder_id = l.id
         WHERE l.id = $1 AND r.player_id IN ({})",
        placeholders(2, players.len()),
    );
    let mut query = sqlx::query(AssertSqlSafe(sql)).bind(ladder.to_owned());
    for player in players {
        query = query.bind(player.to_string());
    }
    let mut batch = Batch::default();
    for row in &query.fetch_all(&mut **tx).await? {
        let board: Option<i64> = row.try_get("board")?;
        let building: Option<i64> = row.try_get("building")?;
        batch.boards = board.into_iter().chain(building).collect();
        let Rating { player, line } = Rating::read(row)?;
        batch.lines.push(Changed { player, line });
    }
    Ok(batch)
}
