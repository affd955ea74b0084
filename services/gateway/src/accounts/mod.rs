//! Accounts: players, the devices they sign in from, their sessions.
//!
//! A device id works like a password that the client made: whoever knows it is the guest. So it
//! must be hard to guess, and only its hash is kept. The same device gets its account back.

mod blocks;
pub mod names;
mod sessions;
mod traces;

use std::collections::HashMap;

use chassis::{ErrorCode, Failure, db::Db, now_ms};
use sha2::{Digest as _, Sha256};
use sqlx::{Any, Row as _, Transaction, any::AnyRow};
use uuid::Uuid;

pub use blocks::{BLOCKS_MAX, Block};
pub use sessions::{DeviceSession, RefreshToken, SessionRules};
pub use traces::SharedTrace;

/// Shortest and longest device id, in characters.
const DEVICE_ID_CHARS: std::ops::RangeInclusive<usize> = 16..=64;
/// Some phones give every app the same id of zeros; a real one has more variety.
const DEVICE_ID_DISTINCT_MIN: usize = 6;

/// A player's account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Stays the same for ever.
    pub id: Uuid,
    /// Display name, normalised.
    pub name: String,
    /// Known by a device only.
    pub guest: bool,
    /// When the account was made.
    pub created_ms: i64,
}

/// The hash of a device id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceHash([u8; 32]);

impl DeviceHash {
    /// The hash of a device id that is long and varied enough to be a secret.
    ///
    /// # Errors
    /// What is expected of a device id.
    pub fn of(device_id: &str) -> Result<Self, &'static str> {
        let mut distinct: Vec<char> = device_id.chars().collect();
        let fits = DEVICE_ID_CHARS.contains(&distinct.len())
            && device_id.bytes().all(|byte| byte.is_ascii_graphic());
        distinct.sort_unstable();
        distinct.dedup();
        if !fits || distinct.len() < DEVICE_ID_DISTINCT_MIN {
            return Err(
                "device_id: expected 16 to 64 random letters, digits and signs, such as a UUID",
            );
        }
        Ok(Self(Sha256::digest(device_id).into()))
    }
}

/// A device of a player.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// When it signed in first.
    pub created_ms: i64,
    /// When it signed in last.
    pub seen_ms: i64,
}

/// The store of accounts.
#[derive(Clone, Debug)]
pub struct Accounts {
    db: Db,
}

fn player_of(row: &AnyRow) -> Result<Player, Failure> {
    let id: String = row.try_get("id")?;
    Ok(Player {
        id: id.parse().map_err(Failure::internal)?,
        name: row.try_get("name")?,
        guest: row.try_get::<i64, _>("guest")? != 0,
        created_ms: row.try_get("created_ms")?,
    })
}

fn unauthorized() -> Failure {
    Failure::new(
        ErrorCode::Unauthorized,
        "this account does not exist any more",
    )
}

impl Accounts {
    /// The accounts in a database.
    #[must_use]
    pub const fn new(db: Db) -> Self {
        Self { db }
    }

    /// The guest of a device, who takes on `name` if there is one. None: the device is new.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn returning_guest(
        &self,
        device: DeviceHash,
        name: Option<&str>,
    ) -> Result<Option<Player>, Failure> {
        let seen = "UPDATE devices SET seen_ms = $1 WHERE device_hash = $2 RETURNING player_id";
        let row = self
            .db
            .observed(
                "find_guest",
                sqlx::query(seen)
                    .bind(now_ms())
                    .bind(device.0.to_vec())
                    .fetch_optional(&self.db.pool),
            )
            .await?;
        let Some(row) = row else { return Ok(None) };
        let id: String = row.try_get("player_id")?;
        let id = id.parse().map_err(Failure::internal)?;
        match name {
            Some(name) => self.rename(id, name).await.map(Some),
            None => self.player(id).await,
        }
    }

    /// A new guest. When the device got one in the meantime, that one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn new_guest(&self, device: DeviceHash, name: &str) -> Result<Player, Failure> {
        let player = Player {
            id: Uuid::now_v7(),
            name: name.to_owned(),
            guest: true,
            created_ms: now_ms(),
        };
        let mut tx = self.db.begin().await?;
        self.db
            .observed(
                "create_player",
                sqlx::query(
                    "INSERT INTO players (id, name, guest, created_ms) VALUES ($1, $2, $3, $4)",
                )
                .bind(player.id.to_string())
                .bind(&player.name)
                .bind(i64::from(player.guest))
                .bind(player.created_ms)
                .execute(&mut *tx),
            )
            .await?;
        let device_row = "INSERT INTO devices (device_hash, player_id, created_ms, seen_ms) \
             VALUES ($1, $2, $3, $3) ON CONFLICT (device_hash) DO NOTHING";
        let inserted = self
            .db
            .observed(
                "create_player",
                sqlx::query(device_row)
                    .bind(device.0.to_vec())
                    .bind(player.id.to_string())
                    .bind(player.created_ms)
                    .execute(&mut *tx),
            )
            .await?;
        if inserted.rows_affected() == 0 {
            tx.rollback().await?;
            let other = self.returning_guest(device, None).await?;
            return other.ok_or_else(|| Failure::internal("a device came and went at once"));
        }
        tx.commit().await?;
        Ok(player)
    }

    /// A player who has not been erased.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn player(&self, id: Uuid) -> Result<Option<Player>, Failure> {
        let select = "SELECT id, name, guest, created_ms FROM players \
             WHERE id = $1 AND erased_ms IS NULL";
        let row = self
            .db
            .observed(
                "find_player",
                sqlx::query(select)
                    .bind(id.to_string())
                    .fetch_optional(&self.db.pool),
            )
            .await?;
        row.as_ref().map(player_of).transpose()
    }

    /// The player who calls.
    ///
    /// # Errors
    /// [`ErrorCode::Unauthorized`] when the account was erased after the token was given.
    pub async fn caller(&self, id: Uuid) -> Result<Player, Failure> {
        self.player(id).await?.ok_or_else(unauthorized)
    }

    /// Gives a player another name, which must be normalised.
    ///
    /// # Errors
    /// As [`Accounts::caller`].
    pub async fn rename(&self, id: Uuid, name: &str) -> Result<Player, Failure> {
        let update = "UPDATE players SET name = $1 WHERE id = $2 AND erased_ms IS NULL \
             RETURNING id, name, guest, created_ms";
        let row = self
            .db
            .observed(
                "rename_player",
                sqlx::query(update)
                    .bind(name)
                    .bind(id.to_string())
                    .fetch_optional(&self.db.pool),
            )
            .await?;
        row.as_ref()
            .map(player_of)
            .transpose()?
            .ok_or_else(unauthorized)
    }

    /// Names to show, by id: those of erased players are [`names::DELETED`]. Ids that never
    /// existed are left out.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn names(&self, ids: &[Uuid]) -> Result<HashMap<Uuid, String>, Failure> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let places: Vec<String> = (1..=ids.len()).map(|n| format!("${n}")).collect();
        let places = places.join(", ");
        let select = format!("SELECT id, name FROM players WHERE id IN ({places})");
        // Nothing but place holders was put into the text.
        let mut query = sqlx::query(sqlx::AssertSqlSafe(select));
        for id in ids {
            query = query.bind(id.to_string());
        }
        let mut names = HashMap::new();
        let found = query.fetch_all(&self.db.pool);
        for row in self.db.observed("list_names", found).await? {
            let id: String = row.try_get("id")?;
            names.insert(id.parse().map_err(Failure::internal)?, row.try_get("name")?);
        }
        Ok(names)
    }

    /// A player's devices, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn devices(&self, player: Uuid) -> Result<Vec<Device>, Failure> {
        let select = "SELECT created_ms, seen_ms FROM devices WHERE player_id = $1 \
             ORDER BY created_ms LIMIT 100";
        self.seen(select, player).await
    }

    /// What a statement finds of a player: when it was made, and seen last.
    async fn seen(&self, select: &'static str, player: Uuid) -> Result<Vec<Device>, Failure> {
        let rows = self
            .db
            .observed(
                "list_devices",
                sqlx::query(select)
                    .bind(player.to_string())
                    .fetch_all(&self.db.pool),
            )
            .await?;
        let device = |row: &AnyRow| {
            Ok(Device {
                created_ms: row.try_get("created_ms")?,
                seen_ms: row.try_get("seen_ms")?,
            })
        };
        rows.iter().map(device).collect()
    }

    /// Erases a player: the row becomes anonymous, everything else goes. Again does nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn erase(&self, id: Uuid) -> Result<(), Failure> {
        let mut tx = self.db.begin().await?;
        let update = "UPDATE players SET name = $1, erased_ms = $2 \
             WHERE id = $3 AND erased_ms IS NULL";
        self.db
            .observed(
                "erase_player",
                sqlx::query(update)
                    .bind(names::DELETED)
                    .bind(now_ms())
                    .bind(id.to_string())
                    .execute(&mut *tx),
            )
            .await?;
        for delete in [
            "DELETE FROM devices WHERE player_id = $1",
            "DELETE FROM sessions WHERE player_id = $1",
            "DELETE FROM idempotency_keys WHERE player_id = $1",
            "DELETE FROM sign_in_traces WHERE player_id = $1",
            "DELETE FROM blocks WHERE player_id = $1 OR blocked_id = $1",
        ] {
            let delete = delete_of(&mut tx, delete, id);
            self.db.observed("erase_player", delete).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}

async fn delete_of(
    tx: &mut Transaction<'static, Any>,
    delete: &'static str,
    player: Uuid,
) -> Result<(), Failure> {
    sqlx::query(delete)
        .bind(player.to_string())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_ids_are_long_and_varied() {
        assert!(DeviceHash::of("6f1c0f0a-6c1b-4d0e-9d53-0a4f3c1f2b7e").is_ok());
        assert!(DeviceHash::of("abcdefghijklmnop").is_ok());
        for bad in [
            "",
            "abcdefghijklmno",
            "00000000-0000-0000-0000-000000000000",
            &"abcdefgh".repeat(9),
            "abcdefgh ijklmnop",
            "abcdefghijklmnoü",
        ] {
            assert!(DeviceHash::of(bad).is_err(), "{bad}");
        }
    }
}
