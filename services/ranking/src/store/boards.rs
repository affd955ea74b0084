//! Which copies of ladders there are, and the lines that go into a new one.

use chassis::db::Dialect;
use sqlx::{Any, AssertSqlSafe, Transaction, any::AnyRow};
use uuid::Uuid;

use super::{
    Changed, Listing, Store,
    record::{RATING, Rating},
};

/// Names the lock of whoever makes a copy, apart from other users of such locks.
const LOCK: &str = "spatz leaderboard ";

/// Held by the one who makes a copy of a ladder, as long as this lives.
#[derive(Debug)]
pub(crate) struct Making {
    tx: Transaction<'static, Any>,
}

impl Making {
    /// Gives it back now. Dropped, it goes back when its connection comes around to that, and
    /// whoever asks in between is refused.
    pub(crate) async fn end(self) -> Result<(), sqlx::Error> {
        self.tx.rollback().await
    }
}

impl Store {
    /// The right to make a copy of a ladder; none while another has it. It ends with this
    /// process, however that ends.
    pub(crate) async fn make_board(&self, ladder: &str) -> Result<Option<Making>, sqlx::Error> {
        let mut tx = self.db.pool.begin().await?;
        if self.db.dialect == Dialect::Postgres {
            let free: i64 = sqlx::query_scalar(
                "SELECT CASE WHEN pg_try_advisory_xact_lock(hashtextextended($1, 0))
                        THEN 1 ELSE 0 END::BIGINT",
            )
            .bind(format!("{LOCK}{ladder}"))
            .fetch_one(&mut *tx)
            .await?;
            if free == 0 {
                return Ok(None);
            }
        }
        Ok(Some(Making { tx }))
    }

    /// Begins a copy: from when this returns, every change of a line is noted. Its number.
    pub(crate) async fn begin_board(&self, ladder: &str) -> Result<i64, sqlx::Error> {
        sqlx::query_scalar(
            "UPDATE ladders SET boards = boards + 1, building = boards + 1 WHERE id = $1
             RETURNING building",
        )
        .bind(ladder.to_owned())
        .fetch_one(&self.db.pool)
        .await
    }

    /// Lets a copy that is complete answer. False when it was given up meanwhile.
    pub(crate) async fn promote_board(
        &self,
        ladder: &str,
        number: i64,
    ) -> Result<bool, sqlx::Error> {
        let promoted = sqlx::query(
            "UPDATE ladders SET board = building, building = NULL
             WHERE id = $1 AND building = $2",
        )
        .bind(ladder.to_owned())
        .bind(number)
        .execute(&self.db.pool)
        .await?;
        Ok(promoted.rows_affected() > 0)
    }

    /// Lets the database answer for a ladder.
    pub(crate) async fn retire_board(&self, ladder: &str) -> Result<(), sqlx::Error> {
        sqlx::query("UPDATE ladders SET board = NULL, building = NULL WHERE id = $1")
            .bind(ladder.to_owned())
            .execute(&self.db.pool)
            .await?;
        Ok(())
    }

    /// Listed lines in the order of the players' ids, those after a player.
    pub(crate) async fn listed_lines(
        &self,
        listing: &Listing,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<Changed>, sqlx::Error> {
        let sql = format!(
            "SELECT {RATING} FROM ratings
             WHERE ladder_id = $1 AND matches >= $2 AND last_ms >= $3 AND excluded = 0
               AND player_id > $4
             ORDER BY player_id LIMIT {limit}"
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(listing.ladder.clone())
            .bind(listing.min_matches)
            .bind(listing.active_since_ms)
            .bind(after.map(|player| player.to_string()).unwrap_or_default())
            .fetch_all(&self.db.pool)
            .await?;
        rows.iter().map(changed).collect()
    }

    /// The line of a player who is listed.
    pub(crate) async fn listed_line(
        &self,
        listing: &Listing,
        player: Uuid,
    ) -> Result<Option<Changed>, sqlx::Error> {
        let sql = format!(
            "SELECT {RATING} FROM ratings
             WHERE ladder_id = $1 AND matches >= $2 AND last_ms >= $3 AND excluded = 0
               AND player_id = $4"
        );
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(listing.ladder.clone())
            .bind(listing.min_matches)
            .bind(listing.active_since_ms)
            .bind(player.to_string())
            .fetch_optional(&self.db.pool)
            .await?;
        row.as_ref().map(changed).transpose()
    }
}

fn changed(row: &AnyRow) -> Result<Changed, sqlx::Error> {
    let Rating { player, line } = Rating::read(row)?;
    Ok(Changed { player, line })
}
