//! Why the players of each match were brought together: written once, kept with the match.
//!
//! The store of tickets hands a pairing over when its table is open, and keeps it until it is
//! here. So no match is without one for ever, and matching never waits for the database.

use chassis::{Failure, db::Db};
use prost::Message as _;
use proto::v1;
use sqlx::Row as _;
use uuid::Uuid;

/// The pairings in a database.
#[derive(Clone, Debug)]
pub struct Pairings {
    db: Db,
}

impl Pairings {
    /// The pairings in this database, whose schema is up to date.
    #[must_use]
    pub const fn new(db: Db) -> Self {
        Self { db }
    }

    /// Keeps pairings, by match. One that is there already stays as it is.
    ///
    /// # Errors
    /// When the database fails; none is kept then.
    pub async fn save(&self, pairings: &[(Uuid, Vec<u8>)]) -> Result<(), sqlx::Error> {
        let mut tx = self.db.begin().await?;
        for (table, pairing) in pairings {
            // What cannot be read is kept as it is: nobody could do better later.
            let made_ms = v1::Pairing::decode(pairing.as_slice()).map_or(0, |read| read.made_ms);
            sqlx::query(
                "INSERT INTO pairings (match_id, made_ms, pairing) VALUES ($1, $2, $3) \
                 ON CONFLICT (match_id) DO NOTHING",
            )
            .bind(table.to_string())
            .bind(made_ms)
            .bind(pairing.as_slice())
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await
    }

    /// The pairing of a match.
    ///
    /// # Errors
    /// When the database fails, or what it has makes no sense.
    pub async fn get(&self, table: Uuid) -> Result<Option<v1::Pairing>, Failure> {
        let row = sqlx::query("SELECT pairing FROM pairings WHERE match_id = $1")
            .bind(table.to_string())
            .fetch_optional(&self.db.pool)
            .await?;
        row.map(|row| decode(&row.try_get::<Vec<u8>, _>("pairing")?))
            .transpose()
    }

    /// Pairings made after an instant, newest first, at most `limit`.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn since(&self, after_ms: i64, limit: u32) -> Result<Vec<v1::Pairing>, Failure> {
        let rows = sqlx::query(
            "SELECT pairing FROM pairings WHERE made_ms > $1 \
             ORDER BY made_ms DESC, match_id LIMIT $2",
        )
        .bind(after_ms)
        .bind(i64::from(limit))
        .fetch_all(&self.db.pool)
        .await?;
        rows.iter()
            .map(|row| decode(&row.try_get::<Vec<u8>, _>("pairing")?))
            .collect()
    }
}

/// A pairing as it is stored.
///
/// # Errors
/// When it is not one.
pub(crate) fn decode(pairing: &[u8]) -> Result<v1::Pairing, Failure> {
    v1::Pairing::decode(pairing).map_err(Failure::internal)
}
