//! Whom a player does not want to meet.

use chassis::{ErrorCode, Failure, now_ms};
use sqlx::Row as _;
use uuid::Uuid;

use super::Accounts;

/// Players whom one player can block.
pub const BLOCKS_MAX: usize = 100;

/// A player who is blocked by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Who is blocked.
    pub player: Uuid,
    /// Since when.
    pub created_ms: i64,
}

impl Accounts {
    /// Whom a player blocks, the latest first; at most [`BLOCKS_MAX`].
    ///
    /// # Errors
    /// When the database fails.
    pub async fn blocks(&self, player: Uuid) -> Result<Vec<Block>, Failure> {
        let select = "SELECT blocked_id, created_ms FROM blocks WHERE player_id = $1 \
             ORDER BY created_ms DESC, blocked_id LIMIT $2";
        let rows = self
            .db
            .observed(
                "list_blocks",
                sqlx::query(select)
                    .bind(player.to_string())
                    .bind(i64::try_from(BLOCKS_MAX).unwrap_or(i64::MAX))
                    .fetch_all(&self.db.pool),
            )
            .await?;
        let block = |row: &sqlx::any::AnyRow| {
            let id: String = row.try_get("blocked_id")?;
            Ok(Block {
                player: id.parse().map_err(Failure::internal)?,
                created_ms: row.try_get("created_ms")?,
            })
        };
        rows.iter().map(block).collect()
    }

    /// Blocks a player for another one. Again does nothing.
    ///
    /// # Errors
    /// [`ErrorCode::NotFound`] when there is no such player, [`ErrorCode::ListFull`], or when the
    /// database fails.
    pub async fn block(&self, player: Uuid, blocked: Uuid) -> Result<(), Failure> {
        self.caller(player).await?;
        if self.player(blocked).await?.is_none() {
            return Err(Failure::new(ErrorCode::NotFound, "there is no such player"));
        }
        let mut tx = self.db.begin().await?;
        // The player's row stands for the list: two devices at once do not exceed the limit.
        let select = format!(
            "SELECT id FROM players WHERE id = $1{}",
            self.db.dialect.for_update()
        );
        self.db
            .observed(
                "block_player",
                sqlx::query(sqlx::AssertSqlSafe(select))
                    .bind(player.to_string())
                    .fetch_optional(&mut *tx),
            )
            .await?;
        let insert = "INSERT INTO blocks (player_id, blocked_id, created_ms) \
             VALUES ($1, $2, $3) ON CONFLICT (player_id, blocked_id) DO NOTHING";
        self.db
            .observed(
                "block_player",
                sqlx::query(insert)
                    .bind(player.to_string())
                    .bind(blocked.to_string())
                    .bind(now_ms())
                    .execute(&mut *tx),
            )
            .await?;
        let counted = sqlx::query_as("SELECT COUNT(*) FROM blocks WHERE player_id = $1")
            .bind(player.to_string())
            .fetch_one(&mut *tx);
        let (count,): (i64,) = self.db.observed("count_blocks", counted).await?;
        if usize::try_from(count).is_ok_and(|count| count > BLOCKS_MAX) {
            let detail = format!("expected at most {BLOCKS_MAX} blocked players");
            return Err(Failure::new(ErrorCode::ListFull, detail));
        }
        tx.commit().await?;
        Ok(())
    }

    /// Ends a block. Again does nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn unblock(&self, player: Uuid, blocked: Uuid) -> Result<(), Failure> {
        self.db
            .observed(
                "unblock_player",
                sqlx::query("DELETE FROM blocks WHERE player_id = $1 AND blocked_id = $2")
                    .bind(player.to_string())
                    .bind(blocked.to_string())
                    .execute(&self.db.pool),
            )
            .await?;
        Ok(())
    }
}
