//! From a claim to an open table, or back into the queue.

use std::time::Duration;

use uuid::Uuid;

use super::{
    super::{Claim, Lease, Proposal, StoreError, millis, parse_id},
    EmbeddedTickets, Tx,
    leases::is_held,
    rows::ids,
};

/// Removes the proposal of a table, if there is one: its pairing.
async fn remove_proposal(tx: &mut Tx, table: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let sql = "DELETE FROM proposals WHERE table_id = $1 RETURNING pairing";
    let removed: Option<(Vec<u8>,)> = sqlx::query_as(sql)
        .bind(table)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(removed.map(|(pairing,)| pairing))
}

impl EmbeddedTickets {
    pub(super) async fn claim_all(
        &self,
        lease: &Lease,
        proposal: &Proposal,
    ) -> Result<Claim, StoreError> {
        let mut tx = self.db.begin().await?;
        if !is_held(&mut tx, lease).await? {
            return Ok(Claim::Stale);
        }
        let table = proposal.table.to_string();
        for ticket in &proposal.tickets {
            let claimed = sqlx::query(
                "UPDATE tickets SET state = 'proposed', table_id = $1 \
                 WHERE id = $2 AND queue_id = $3 AND state = 'waiting'",
            )
            .bind(&table)
            .bind(ticket.to_string())
            .bind(&lease.queue)
            .execute(&mut *tx)
            .await?;
            if claimed.rows_affected() == 0 {
                tx.rollback().await?;
                return Ok(Claim::Taken);
            }
        }
        sqlx::query(
            "INSERT INTO proposals (table_id, queue_id, request, pairing, proposed_ms) \
             VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(&table)
        .bind(&lease.queue)
        .bind(proposal.request.as_slice())
        .bind(proposal.pairing.as_slice())
        .bind(self.now())
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        self.announce(&proposal.tickets);
        Ok(Claim::Claimed)
    }

    pub(super) async fn settle_all(&self, table: Uuid) -> Result<bool, StoreError> {
        let table = table.to_string();
        let mut tx = self.db.begin().await?;
        let Some(pairing) = remove_proposal(&mut tx, &table).await? else {
            return Ok(false);
        };
        if !pairing.is_empty() {
            sqlx::query("INSERT INTO pairings_due (match_id, pairing) VALUES ($1, $2)")
                .bind(&table)
                .bind(pairing)
                .execute(&mut *tx)
                .await?;
        }
        let matched = sqlx::query_as(
            "UPDATE tickets SET state = 'matched', settled_ms = $2 \
             WHERE table_id = $1 AND state = 'proposed' RETURNING id",
        )
        .bind(&table)
        .bind(self.now())
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        self.announce(&ids(&matched)?);
        Ok(true)
    }

    pub(super) async fn reopen_all(&self, lease: &Lease, table: Uuid) -> Result<bool, StoreError> {
        let table = table.to_string();
        let mut tx = self.db.begin().await?;
        if !is_held(&mut tx, lease).await? || remove_proposal(&mut tx, &table).await?.is_none() {
            return Ok(false);
        }
        let waiting = sqlx::query_as(
            "UPDATE tickets SET state = 'waiting', table_id = NULL \
             WHERE table_id = $1 AND state = 'proposed' RETURNING id",
        )
        .bind(&table)
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        self.announce(&ids(&waiting)?);
        Ok(true)
    }

    pub(super) async fn proposals(
        &self,
        min_age: Duration,
        limit: u32,
    ) -> Result<Vec<Proposal>, StoreError> {
        let rows: Vec<(String, String, Vec<u8>, Vec<u8>)> = sqlx::query_as(
            "SELECT table_id, queue_id, request, pairing FROM proposals WHERE proposed_ms <= $1 \
             ORDER BY proposed_ms, table_id LIMIT $2",
        )
        .bind(self.now().saturating_sub(millis(min_age)))
        .bind(i64::from(limit))
        .fetch_all(&self.db.pool)
        .await?;
        let mut proposals = Vec::with_capacity(rows.len());
        for (table, queue, request, pairing) in rows {
            let tickets: Vec<(String,)> =
                sqlx::query_as("SELECT id FROM tickets WHERE table_id = $1 ORDER BY id")
                    .bind(&table)
                    .fetch_all(&self.db.pool)
                    .await?;
            proposals.push(Proposal {
                table: parse_id(&table)?,
                queue,
                tickets: ids(&tickets)?,
                request,
                pairing,
            });
        }
        Ok(proposals)
    }
}
