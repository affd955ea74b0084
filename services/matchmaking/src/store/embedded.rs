//! Tickets in SQLite, with notifications inside the process. Time is this process' clock, or the
//! one that a test brings.
//!
//! Every write runs in a transaction that takes SQLite's one write lock at its start, so each
//! method is atomic. Reads that find nothing to do take no lock: an idle matcher does not write.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use chassis::{db::Db, now_ms};
use sqlx::{Any, Transaction};
use uuid::Uuid;

use super::{
    Claim, Created, KEEP_SETTLED, Lease, NewTicket, Proposal, Standing, StoreError, Ticket,
    TicketStore, WAITS_MAX, Waiting, Watcher, hub::Hub, join_ids, millis, parse_id,
};

mod leases;
mod making;
mod proposals;
mod rows;

use rows::{COLUMNS, ids, ticket};

/// The embedded adapter.
#[derive(Clone)]
pub struct EmbeddedTickets {
    db: Db,
    keep_ms: i64,
    hub: Arc<Hub>,
    clock: Arc<dyn Fn() -> i64 + Send + Sync>,
}

impl fmt::Debug for EmbeddedTickets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedTickets")
            .field("db", &self.db)
            .field("keep_ms", &self.keep_ms)
            .finish_non_exhaustive()
    }
}

type Tx = Transaction<'static, Any>;

impl EmbeddedTickets {
    /// Keeps tickets in this database, whose schema is up to date.
    #[must_use]
    pub fn new(db: Db) -> Self {
        Self::with_keep(db, KEEP_SETTLED)
    }

    /// As [`Self::new`], with another time for [`KEEP_SETTLED`].
    #[must_use]
    pub fn with_keep(db: Db, keep: Duration) -> Self {
        Self {
            db,
            keep_ms: millis(keep),
            hub: Arc::default(),
            clock: Arc::new(now_ms),
        }
    }

    /// The same tickets in a time of one's own: milliseconds since 1970 UTC, never going back.
    #[must_use]
    pub fn at(mut self, clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    fn now(&self) -> i64 {
        (self.clock)()
    }

    /// Tells those who watch the other members of a ticket's party.
    async fn announce_party(&self, of: Uuid) -> Result<(), StoreError> {
        let others: Vec<(String,)> = sqlx::query_as(
            "SELECT other.id FROM tickets mine JOIN tickets other ON other.party = mine.party \
             WHERE mine.id = $1 AND other.state IN ('waiting', 'proposed')",
        )
        .bind(of.to_string())
        .fetch_all(&self.db.pool)
        .await?;
        self.announce(&ids(&others)?);
        Ok(())
    }

    async fn fetch(&self, condition: &str, id: Uuid) -> Result<Option<Ticket>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tickets WHERE {condition} \
             AND (settled_ms IS NULL OR settled_ms > $2)"
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(id.to_string())
            .bind(self.now().saturating_sub(self.keep_ms))
            .fetch_optional(&self.db.pool)
            .await?;
        row.as_ref().map(ticket).transpose()
    }

    fn announce(&self, tickets: &[Uuid]) {
        for &ticket in tickets {
            self.hub.changed(ticket);
        }
    }
}

#[async_trait]
impl TicketStore for EmbeddedTickets {
    async fn create(&self, new: NewTicket) -> Result<Created, StoreError> {
        self.make(new).await
    }

    async fn get(&self, ticket: Uuid) -> Result<Option<Ticket>, StoreError> {
        self.fetch("id = $1", ticket).await
    }

    async fn live(&self, player: Uuid) -> Result<Option<Ticket>, StoreError> {
        let condition = "player_id = $1 AND state IN ('waiting', 'proposed')";
        self.fetch(condition, player).await
    }

    async fn cancel(&self, ticket: Uuid, player: Uuid) -> Result<Option<Ticket>, StoreError> {
        let cancelled = sqlx::query(
            "UPDATE tickets SET state = 'cancelled', reason = 'cancelled', settled_ms = $3 \
             WHERE id = $1 AND player_id = $2 AND state = 'waiting'",
        )
        .bind(ticket.to_string())
        .bind(player.to_string())
        .bind(self.now())
        .execute(&self.db.pool)
        .await?;
        if cancelled.rows_affected() > 0 {
            self.hub.changed(ticket);
            self.announce_party(ticket).await?;
        }
        let found = self.get(ticket).await?;
        Ok(found.filter(|found| found.player == player))
    }

    async fn standing(&self, ticket: &Ticket) -> Result<Standing, StoreError> {
        let (waits, older): (i64, i64) = sqlx::query_as(
            "SELECT (SELECT COUNT(*) FROM tickets WHERE id = $3 AND state = 'waiting'), \
             (SELECT COUNT(*) FROM tickets WHERE queue_id = $1 AND state = 'waiting' \
              AND (created_ms < $2 OR (created_ms = $2 AND id < $3)))",
        )
        .bind(&ticket.queue)
        .bind(ticket.created_ms)
        .bind(ticket.id.to_string())
        .fetch_one(&self.db.pool)
        .await?;
        let joined = match &ticket.party {
            None => 0,
            Some(party) => {
                let (joined,): (i64,) = sqlx::query_as(
                    "SELECT COUNT(*) FROM tickets \
                     WHERE party = $1 AND state IN ('waiting', 'proposed')",
                )
                .bind(&party.code)
                .fetch_one(&self.db.pool)
                .await?;
                rows::small(joined)?
            }
        };
        Ok(Standing {
            position: (waits > 0).then(|| rows::small(older + 1)).transpose()?,
            joined,
        })
    }

    async fn waits(&self, queue: &str) -> Result<Vec<i64>, StoreError> {
        let rows: Vec<(i64,)> = sqlx::query_as(
            "SELECT settled_ms - created_ms FROM tickets WHERE queue_id = $1 \
             AND state = 'matched' AND settled_ms > $2 ORDER BY settled_ms DESC LIMIT $3",
        )
        .bind(queue)
        .bind(self.now().saturating_sub(self.keep_ms))
        .bind(i64::try_from(WAITS_MAX).unwrap_or(i64::MAX))
        .fetch_all(&self.db.pool)
        .await?;
        Ok(rows.into_iter().map(|(waited_ms,)| waited_ms).collect())
    }

    async fn set_blocked(&self, player: Uuid, blocked: &[Uuid]) -> Result<(), StoreError> {
        sqlx::query("UPDATE tickets SET blocked = $2 WHERE player_id = $1 AND state = 'waiting'")
            .bind(player.to_string())
            .bind(join_ids(blocked))
            .execute(&self.db.pool)
            .await?;
        Ok(())
    }

    async fn due_pairings(&self, limit: u32) -> Result<Vec<(Uuid, Vec<u8>)>, StoreError> {
        let rows: Vec<(String, Vec<u8>)> =
            sqlx::query_as("SELECT match_id, pairing FROM pairings_due LIMIT $1")
                .bind(i64::from(limit))
                .fetch_all(&self.db.pool)
                .await?;
        rows.into_iter()
            .map(|(table, pairing)| Ok((parse_id(&table)?, pairing)))
            .collect()
    }

    async fn due_pairing(&self, table: Uuid) -> Result<Option<Vec<u8>>, StoreError> {
        let row: Option<(Vec<u8>,)> =
            sqlx::query_as("SELECT pairing FROM pairings_due WHERE match_id = $1")
                .bind(table.to_string())
                .fetch_optional(&self.db.pool)
                .await?;
        Ok(row.map(|(pairing,)| pairing))
    }

    async fn forget_pairings(&self, tables: &[Uuid]) -> Result<(), StoreError> {
        let mut tx = self.db.begin().await?;
        for table in tables {
            sqlx::query("DELETE FROM pairings_due WHERE match_id = $1")
                .bind(table.to_string())
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    async fn count_waiting(&self, queues: &[String]) -> Result<Vec<u32>, StoreError> {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT queue_id, COUNT(*) FROM tickets WHERE state = 'waiting' GROUP BY queue_id",
        )
        .fetch_all(&self.db.pool)
        .await?;
        let count = |queue: &String| {
            let row = rows.iter().find(|(id, _)| id == queue);
            row.map_or(0, |&(_, count)| u32::try_from(count).unwrap_or(u32::MAX))
        };
        Ok(queues.iter().map(count).collect())
    }

    async fn list_waiting(&self, queue: &str, limit: u32) -> Result<Waiting, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tickets WHERE queue_id = $1 AND state = 'waiting' \
             ORDER BY created_ms, id LIMIT $2"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(queue)
            .bind(i64::from(limit))
            .fetch_all(&self.db.pool)
            .await?;
        let tickets: Result<Vec<Ticket>, _> = rows.iter().map(ticket).collect();
        Ok(Waiting {
            now_ms: self.now(),
            tickets: tickets?,
        })
    }

    async fn lease(
        &self,
        queue: &str,
        holder: Uuid,
        duration: Duration,
    ) -> Result<Option<Lease>, StoreError> {
        self.take_lease(queue, holder, duration).await
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE queue_leases SET until_ms = 0 \
             WHERE queue_id = $1 AND holder = $2 AND token = $3",
        )
        .bind(&lease.queue)
        .bind(lease.holder.to_string())
        .bind(lease.token)
        .execute(&self.db.pool)
        .await?;
        Ok(())
    }

    async fn claim(&self, lease: &Lease, proposal: &Proposal) -> Result<Claim, StoreError> {
        self.claim_all(lease, proposal).await
    }

    async fn settle(&self, table: Uuid) -> Result<bool, StoreError> {
        self.settle_all(table).await
    }

    async fn reopen(&self, lease: &Lease, table: Uuid) -> Result<bool, StoreError> {
        self.reopen_all(lease, table).await
    }

    async fn list_proposals(
        &self,
        min_age: Duration,
        limit: u32,
    ) -> Result<Vec<Proposal>, StoreError> {
        self.proposals(min_age, limit).await
    }

    async fn sweep(&self, max_wait: Duration, limit: u32) -> Result<u32, StoreError> {
        self.expire(max_wait, limit).await
    }

    async fn add_invite(
        &self,
        code: &str,
        table: Uuid,
        duration: Duration,
    ) -> Result<bool, StoreError> {
        let now = self.now();
        let mut tx = self.db.begin().await?;
        sqlx::query("DELETE FROM invites WHERE code = $1 AND until_ms <= $2")
            .bind(code)
            .bind(now)
            .execute(&mut *tx)
            .await?;
        let added = sqlx::query(
            "INSERT INTO invites (code, table_id, until_ms) VALUES ($1, $2, $3) \
             ON CONFLICT (code) DO NOTHING",
        )
        .bind(code)
        .bind(table.to_string())
        .bind(now.saturating_add(millis(duration)))
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(added.rows_affected() > 0)
    }

    async fn invite(&self, code: &str) -> Result<Option<Uuid>, StoreError> {
        let found: Option<(String,)> =
            sqlx::query_as("SELECT table_id FROM invites WHERE code = $1 AND until_ms > $2")
                .bind(code)
                .bind(self.now())
                .fetch_optional(&self.db.pool)
                .await?;
        found.map(|(table,)| parse_id(&table)).transpose()
    }

    async fn remove_invite(&self, code: &str) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM invites WHERE code = $1")
            .bind(code)
            .execute(&self.db.pool)
            .await?;
        Ok(())
    }

    fn watch(&self, ticket: Uuid) -> Watcher {
        self.hub.watch(ticket)
    }

    async fn arrival(&self) {
        self.hub.arrival().await;
    }
}
