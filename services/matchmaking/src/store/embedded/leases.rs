//! Who matches a queue.

use std::time::Duration;

use uuid::Uuid;

use super::{
    super::{Lease, StoreError, millis},
    EmbeddedTickets, Tx,
};

impl EmbeddedTickets {
    pub(super) async fn take_lease(
        &self,
        queue: &str,
        holder: Uuid,
        duration: Duration,
    ) -> Result<Option<Lease>, StoreError> {
        let select = "SELECT holder, token, until_ms FROM queue_leases WHERE queue_id = $1";
        let lease = |token| {
            Some(Lease {
                queue: queue.to_owned(),
                holder,
                token,
            })
        };
        let holder_text = holder.to_string();
        let found: Option<(String, i64, i64)> = sqlx::query_as(select)
            .bind(queue)
            .fetch_optional(&self.db.pool)
            .await?;
        // A write for every pass would wear out a disk: renew when half of the time is gone.
        let fresh_until = self.now().saturating_add(millis(duration) / 2);
        if let Some((other, token, until)) = found
            && other == holder_text
            && until > fresh_until
        {
            return Ok(lease(token));
        }
        let mut tx = self.db.begin().await?;
        let found: Option<(String, i64, i64)> = sqlx::query_as(select)
            .bind(queue)
            .fetch_optional(&mut *tx)
            .await?;
        let now = self.now();
        let token = match found {
            Some((other, _, until)) if other != holder_text && until > now => return Ok(None),
            Some((other, token, _)) if other == holder_text => token,
            Some((_, token, _)) => token + 1,
            None => 1,
        };
        sqlx::query(
            "INSERT INTO queue_leases (queue_id, holder, token, until_ms) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (queue_id) DO UPDATE SET holder = excluded.holder, \
             token = excluded.token, until_ms = excluded.until_ms",
        )
        .bind(queue)
        .bind(&holder_text)
        .bind(token)
        .bind(now.saturating_add(millis(duration)))
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(lease(token))
    }
}

pub(super) async fn is_held(tx: &mut Tx, lease: &Lease) -> Result<bool, StoreError> {
    let held: Option<(i64,)> = sqlx::query_as(
        "SELECT token FROM queue_leases WHERE queue_id = $1 AND holder = $2 AND token = $3",
    )
    .bind(&lease.queue)
    .bind(lease.holder.to_string())
    .bind(lease.token)
    .fetch_optional(&mut **tx)
    .await?;
    Ok(held.is_some())
}
