//! Answers kept by `Idempotency-Key`: a request that creates something can be repeated by a
//! client that lost the answer.
//!
//! A key is claimed before the work and the answer stored after it. Only successes are kept: a
//! request that failed created nothing, and may be tried again with the same key. A claim whose
//! process died is free again after a minute.

use std::time::Duration;

use chassis::{ErrorCode, Failure, db::Db, now_ms};
use sqlx::{Row as _, any::AnyRow};
use uuid::Uuid;

/// Longer than any request runs.
const CLAIM_MS: i64 = 60_000;
/// Rows that one sweep removes at most.
const SWEEP_MAX: i64 = 1000;

/// The store of keys.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    db: Db,
    lifetime_ms: i64,
}

/// One use of a key.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) player: Uuid,
    pub(crate) key: String,
    /// SHA-256 of what is asked for.
    pub(crate) fingerprint: [u8; 32],
}

/// What to do with a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Do it, then finish or release the claim.
    Work { claimed_ms: i64 },
    /// It was done: this was the answer.
    Done { status: u16, body: Vec<u8> },
}

struct Stored {
    fingerprint: Vec<u8>,
    claimed_ms: i64,
    answer: Option<(u16, Vec<u8>)>,
}

fn stored_of(row: &AnyRow) -> Result<Stored, Failure> {
    let status: Option<i64> = row.try_get("status")?;
    let body: Option<Vec<u8>> = row.try_get("body")?;
    let answer = match (status, body) {
        (Some(status), Some(body)) => {
            Some((u16::try_from(status).map_err(Failure::internal)?, body))
        }
        _ => None,
    };
    Ok(Stored {
        fingerprint: row.try_get("fingerprint")?,
        claimed_ms: row.try_get("claimed_ms")?,
        answer,
    })
}

fn in_flight() -> Failure {
    let detail = "a request with this Idempotency-Key is running; try again in a moment";
    Failure::new(ErrorCode::Conflict, detail)
}

impl Keys {
    pub(crate) fn new(db: Db, lifetime: Duration) -> Self {
        let lifetime_ms = i64::try_from(lifetime.as_millis()).unwrap_or(i64::MAX);
        Self { db, lifetime_ms }
    }

    /// Claims a key for a request, or finds its answer.
    ///
    /// # Errors
    /// [`ErrorCode::CommandIdReused`] when the key came with another request before,
    /// [`ErrorCode::Conflict`] when the same request is running.
    pub(crate) async fn claim(&self, used: &Use) -> Result<Claim, Failure> {
        let now = now_ms();
        let insert = "INSERT INTO idempotency_keys (player_id, idempotency_key, fingerprint, \
             claimed_ms) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (player_id, idempotency_key) DO NOTHING";
        let inserted = self
            .db
            .observed(
                "claim_key",
                sqlx::query(insert)
                    .bind(used.player.to_string())
                    .bind(&used.key)
                    .bind(used.fingerprint.to_vec())
                    .bind(now)
                    .execute(&self.db.pool),
            )
            .await?;
        if inserted.rows_affected() == 1 {
            return Ok(Claim::Work { claimed_ms: now });
        }
        let select = "SELECT fingerprint, claimed_ms, status, body FROM idempotency_keys \
             WHERE player_id = $1 AND idempotency_key = $2";
        let row = self
            .db
            .observed(
                "claim_key",
                sqlx::query(select)
                    .bind(used.player.to_string())
                    .bind(&used.key)
                    .fetch_optional(&self.db.pool),
            )
            .await?;
        // Released between the two: whoever held it is just done.
        let stored = row
            .as_ref()
            .map(stored_of)
            .transpose()?
            .ok_or_else(in_flight)?;
        let age_ms = now.saturating_sub(stored.claimed_ms);
        if age_ms > self.lifetime_ms {
            return self.take_over(used, stored.claimed_ms, now).await;
        }
        if stored.fingerprint != used.fingerprint {
            let detail = "this Idempotency-Key came with another request before";
            return Err(Failure::new(ErrorCode::CommandIdReused, detail));
        }
        match stored.answer {
            Some((status, body)) => Ok(Claim::Done { status, body }),
            None if age_ms > CLAIM_MS => self.take_over(used, stored.claimed_ms, now).await,
            None => Err(in_flight()),
        }
    }

    async fn take_over(&self, used: &Use, held_ms: i64, now: i64) -> Result<Claim, Failure> {
        let update = "UPDATE idempotency_keys SET fingerprint = $1, claimed_ms = $2, \
             status = NULL, body = NULL \
             WHERE player_id = $3 AND idempotency_key = $4 AND claimed_ms = $5";
        let taken = self
            .db
            .observed(
                "take_over_key",
                sqlx::query(update)
                    .bind(used.fingerprint.to_vec())
                    .bind(now)
                    .bind(used.player.to_string())
                    .bind(&used.key)
                    .bind(held_ms)
                    .execute(&self.db.pool),
            )
            .await?;
        if taken.rows_affected() == 1 {
            Ok(Claim::Work { claimed_ms: now })
        } else {
            Err(in_flight())
        }
    }

    /// Stores the answer of a claim.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn finish(
        &self,
        used: &Use,
        claimed_ms: i64,
        status: u16,
        body: &[u8],
    ) -> Result<(), Failure> {
        let update = "UPDATE idempotency_keys SET status = $1, body = $2 \
             WHERE player_id = $3 AND idempotency_key = $4 AND claimed_ms = $5";
        self.db
            .observed(
                "finish_key",
                sqlx::query(update)
                    .bind(i64::from(status))
                    .bind(body.to_vec())
                    .bind(used.player.to_string())
                    .bind(&used.key)
                    .bind(claimed_ms)
                    .execute(&self.db.pool),
            )
            .await?;
        Ok(())
    }

    /// Gives a claim up, so that the request can be tried again.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn release(&self, used: &Use, claimed_ms: i64) -> Result<(), Failure> {
        let delete = "DELETE FROM idempotency_keys \
             WHERE player_id = $1 AND idempotency_key = $2 AND claimed_ms = $3";
        self.db
            .observed(
                "release_key",
                sqlx::query(delete)
                    .bind(used.player.to_string())
                    .bind(&used.key)
                    .bind(claimed_ms)
                    .execute(&self.db.pool),
            )
            .await?;
        Ok(())
    }

    /// Removes keys that are older than they are kept, a bounded number at a time.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn sweep(&self) -> Result<u64, Failure> {
        let delete = "DELETE FROM idempotency_keys WHERE (player_id, idempotency_key) IN \
             (SELECT player_id, idempotency_key FROM idempotency_keys \
             WHERE claimed_ms < $1 ORDER BY claimed_ms LIMIT $2)";
        let swept = self
            .db
            .observed(
                "sweep_keys",
                sqlx::query(delete)
                    .bind(now_ms().saturating_sub(self.lifetime_ms))
                    .bind(SWEEP_MAX)
                    .execute(&self.db.pool),
            )
            .await?;
        Ok(swept.rows_affected())
    }
}

#[cfg(test)]
mod tests {
    use chassis::testing;

    use super::*;

    fn used(fingerprint: u8) -> Use {
        Use {
            player: Uuid::nil(),
            key: "key".to_owned(),
            fingerprint: [fingerprint; 32],
        }
    }

    async fn a_key_answers_once(db: Db) {
        let keys = Keys::new(db, Duration::from_secs(60));
        let Claim::Work { claimed_ms } = keys.claim(&used(1)).await.unwrap() else {
            panic!("a new key is to be worked on");
        };
        let running = keys.claim(&used(1)).await.unwrap_err();
        assert_eq!(running.code, ErrorCode::Conflict);
        keys.finish(&used(1), claimed_ms, 201, b"{}").await.unwrap();
        let done = Claim::Done {
            status: 201,
            body: b"{}".to_vec(),
        };
        assert_eq!(keys.claim(&used(1)).await.unwrap(), done);
        let other = keys.claim(&used(2)).await.unwrap_err();
        assert_eq!(other.code, ErrorCode::CommandIdReused);
        assert_eq!(keys.sweep().await.unwrap(), 0);
    }

    async fn a_released_or_expired_key_is_free(db: Db) {
        let keys = Keys::new(db.clone(), Duration::from_secs(60));
        let Claim::Work { claimed_ms } = keys.claim(&used(1)).await.unwrap() else {
            panic!("a new key is to be worked on");
        };
        keys.release(&used(1), claimed_ms).await.unwrap();
        assert!(matches!(
            keys.claim(&used(2)).await.unwrap(),
            Claim::Work { .. }
        ));

        age(&db, CLAIM_MS + 1_000).await;
        // The process that claimed it is gone, and it is old enough for another request.
        assert!(matches!(
            keys.claim(&used(3)).await.unwrap(),
            Claim::Work { .. }
        ));
        age(&db, CLAIM_MS + 1_000).await;
        assert_eq!(keys.sweep().await.unwrap(), 1);
    }

    async fn a_dead_claim_is_free_after_a_minute(db: Db) {
        let keys = Keys::new(db.clone(), Duration::from_secs(600));
        assert!(matches!(
            keys.claim(&used(1)).await.unwrap(),
            Claim::Work { .. }
        ));
        age(&db, CLAIM_MS + 1_000).await;
        assert!(matches!(
            keys.claim(&used(1)).await.unwrap(),
            Claim::Work { .. }
        ));
    }

    async fn age(db: &Db, ms: i64) {
        sqlx::query("UPDATE idempotency_keys SET claimed_ms = claimed_ms - $1")
            .bind(ms)
            .execute(&db.pool)
            .await
            .unwrap();
    }

    async fn suite(fresh: impl AsyncFn() -> Db) {
        a_key_answers_once(fresh().await).await;
        a_released_or_expired_key_is_free(fresh().await).await;
        a_dead_claim_is_free_after_a_minute(fresh().await).await;
    }

    #[tokio::test]
    async fn keys_in_sqlite() {
        let stores = std::cell::RefCell::new(Vec::new());
        suite(async || {
            let store = testing::sqlite().await;
            let db = store.db.clone();
            stores.borrow_mut().push(store);
            db
        })
        .await;
    }

    #[tokio::test]
    async fn keys_in_postgres() {
        suite(testing::postgres).await;
    }
}
