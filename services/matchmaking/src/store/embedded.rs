//! Tickets in SQLite, with notifications inside the process. Time is this process' clock.
//!
//! Every write runs in a transaction that takes SQLite's one write lock at its start, so each
//! method is atomic. Reads that find nothing to do take no lock: an idle matcher does not write.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chassis::{db::Db, now_ms};
use sqlx::{Any, Row as _, Transaction, any::AnyRow};
use uuid::Uuid;

use super::{
    Claim, Created, KEEP_SETTLED, Lease, NewTicket, Proposal, RECENT_MAX, StoreError, Ticket,
    TicketState, TicketStore, Waiting, Watcher, hub::Hub, millis, parse_id, split_ids,
};

/// The embedded adapter.
#[derive(Clone, Debug)]
pub struct EmbeddedTickets {
    db: Db,
    keep_ms: i64,
    hub: Arc<Hub>,
}

type Tx = Transaction<'static, Any>;

const COLUMNS: &str = "id, queue_id, player_id, player_name, rating, recent, state, table_id, \
                       created_ms";

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
        }
    }

    async fn recent(&self, tx: &mut Tx, player: &str, now: i64) -> Result<String, StoreError> {
        let rows: Vec<(String,)> = sqlx::query_as(
            "SELECT other.player_id FROM tickets mine \
             JOIN tickets other ON other.table_id = mine.table_id AND other.id <> mine.id \
             WHERE mine.player_id = $1 AND mine.state = 'matched' AND mine.settled_ms > $2 \
             GROUP BY other.player_id ORDER BY MAX(mine.settled_ms) DESC LIMIT $3",
        )
        .bind(player)
        .bind(now.saturating_sub(self.keep_ms))
        .bind(i64::try_from(RECENT_MAX).unwrap_or(i64::MAX))
        .fetch_all(&mut **tx)
        .await?;
        let ids: Vec<String> = rows.into_iter().map(|(id,)| id).collect();
        Ok(ids.join(","))
    }

    async fn fetch(&self, condition: &str, id: Uuid) -> Result<Option<Ticket>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tickets WHERE {condition} \
             AND (settled_ms IS NULL OR settled_ms > $2)"
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(id.to_string())
            .bind(now_ms().saturating_sub(self.keep_ms))
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

fn ticket(row: &AnyRow) -> Result<Ticket, StoreError> {
    let table: Option<String> = row.try_get("table_id")?;
    let rating: i64 = row.try_get("rating")?;
    Ok(Ticket {
        id: parse_id(row.try_get("id")?)?,
        queue: row.try_get("queue_id")?,
        player: parse_id(row.try_get("player_id")?)?,
        player_name: row.try_get("player_name")?,
        rating: i32::try_from(rating)
            .map_err(|_| StoreError::Corrupt(format!("a rating of {rating}")))?,
        recent: split_ids(row.try_get("recent")?)?,
        state: TicketState::from_name(row.try_get("state")?)?,
        table: table.as_deref().map(parse_id).transpose()?,
        created_ms: row.try_get("created_ms")?,
    })
}

async fn is_held(tx: &mut Tx, lease: &Lease) -> Result<bool, StoreError> {
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

/// Removes the proposal of a table. Whether there was one.
async fn remove_proposal(tx: &mut Tx, table: &str) -> Result<bool, StoreError> {
    let removed = sqlx::query("DELETE FROM proposals WHERE table_id = $1")
        .bind(table)
        .execute(&mut **tx)
        .await?;
    Ok(removed.rows_affected() > 0)
}

fn ids(rows: &[(String,)]) -> Result<Vec<Uuid>, StoreError> {
    rows.iter().map(|(id,)| parse_id(id)).collect()
}

#[async_trait]
impl TicketStore for EmbeddedTickets {
    async fn create(&self, new: NewTicket) -> Result<Created, StoreError> {
        let mut tx = self.db.begin().await?;
        let player = new.player.to_string();
        let live: Option<(String,)> = sqlx::query_as(
            "SELECT id FROM tickets WHERE player_id = $1 AND state IN ('waiting', 'proposed')",
        )
        .bind(&player)
        .fetch_optional(&mut *tx)
        .await?;
        if let Some((id,)) = live {
            return Ok(Created::Exists(parse_id(&id)?));
        }
        let now = now_ms();
        let recent = self.recent(&mut tx, &player, now).await?;
        let sql = format!(
            "INSERT INTO tickets ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, 'waiting', NULL, $7)"
        );
        sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(new.id.to_string())
            .bind(&new.queue)
            .bind(&player)
            .bind(&new.player_name)
            .bind(i64::from(new.rating))
            .bind(&recent)
            .bind(now)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        self.hub.arrived();
        Ok(Created::Ticket(Ticket {
            id: new.id,
            queue: new.queue,
            player: new.player,
            player_name: new.player_name,
            rating: new.rating,
            recent: split_ids(&recent)?,
            state: TicketState::Waiting,
            table: None,
            created_ms: now,
        }))
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
            "UPDATE tickets SET state = 'cancelled', settled_ms = $3 \
             WHERE id = $1 AND player_id = $2 AND state = 'waiting'",
        )
        .bind(ticket.to_string())
        .bind(player.to_string())
        .bind(now_ms())
        .execute(&self.db.pool)
        .await?;
        if cancelled.rows_affected() > 0 {
            self.hub.changed(ticket);
        }
        let found = self.get(ticket).await?;
        Ok(found.filter(|found| found.player == player))
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
            now_ms: now_ms(),
            tickets: tickets?,
        })
    }

    async fn lease(
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
        let fresh_until = now_ms().saturating_add(millis(duration) / 2);
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
        let now = now_ms();
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
            "INSERT INTO proposals (table_id, queue_id, request, proposed_ms) \
             VALUES ($1, $2, $3, $4)",
        )
        .bind(&table)
        .bind(&lease.queue)
        .bind(proposal.request.as_slice())
        .bind(now_ms())
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        self.announce(&proposal.tickets);
        Ok(Claim::Claimed)
    }

    async fn settle(&self, table: Uuid) -> Result<bool, StoreError> {
        let table = table.to_string();
        let mut tx = self.db.begin().await?;
        if !remove_proposal(&mut tx, &table).await? {
            return Ok(false);
        }
        let matched = sqlx::query_as(
            "UPDATE tickets SET state = 'matched', settled_ms = $2 \
             WHERE table_id = $1 AND state = 'proposed' RETURNING id",
        )
        .bind(&table)
        .bind(now_ms())
        .fetch_all(&mut *tx)
        .await?;
        tx.commit().await?;
        self.announce(&ids(&matched)?);
        Ok(true)
    }

    async fn reopen(&self, lease: &Lease, table: Uuid) -> Result<bool, StoreError> {
        let table = table.to_string();
        let mut tx = self.db.begin().await?;
        if !is_held(&mut tx, lease).await? || !remove_proposal(&mut tx, &table).await? {
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

    async fn list_proposals(
        &self,
        min_age: Duration,
        limit: u32,
    ) -> Result<Vec<Proposal>, StoreError> {
        let rows: Vec<(String, String, Vec<u8>)> = sqlx::query_as(
            "SELECT table_id, queue_id, request FROM proposals WHERE proposed_ms <= $1 \
             ORDER BY proposed_ms, table_id LIMIT $2",
        )
        .bind(now_ms().saturating_sub(millis(min_age)))
        .bind(i64::from(limit))
        .fetch_all(&self.db.pool)
        .await?;
        let mut proposals = Vec::with_capacity(rows.len());
        for (table, queue, request) in rows {
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
            });
        }
        Ok(proposals)
    }

    async fn sweep(&self, max_wait: Duration, limit: u32) -> Result<u32, StoreError> {
        let now = now_ms();
        let made_before = now.saturating_sub(millis(max_wait));
        let settled_before = now.saturating_sub(self.keep_ms);
        let (due,): (i64,) = sqlx::query_as(
            "SELECT (SELECT COUNT(*) FROM tickets WHERE state = 'waiting' AND created_ms <= $1) \
             + (SELECT COUNT(*) FROM tickets WHERE settled_ms <= $2) \
             + (SELECT COUNT(*) FROM invites WHERE until_ms <= $3)",
        )
        .bind(made_before)
        .bind(settled_before)
        .bind(now)
        .fetch_one(&self.db.pool)
        .await?;
        if due == 0 {
            return Ok(0);
        }
        let mut tx = self.db.begin().await?;
        let expired = sqlx::query_as(
            "UPDATE tickets SET state = 'expired', settled_ms = $2 WHERE id IN \
             (SELECT id FROM tickets WHERE state = 'waiting' AND created_ms <= $1 \
              ORDER BY created_ms LIMIT $3) RETURNING id",
        )
        .bind(made_before)
        .bind(now)
        .bind(i64::from(limit))
        .fetch_all(&mut *tx)
        .await?;
        sqlx::query("DELETE FROM tickets WHERE settled_ms <= $1")
            .bind(settled_before)
            .execute(&mut *tx)
            .await?;
        sqlx::query("DELETE FROM invites WHERE until_ms <= $1")
            .bind(now)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        let expired = ids(&expired)?;
        self.announce(&expired);
        Ok(u32::try_from(expired.len()).unwrap_or(u32::MAX))
    }

    async fn add_invite(
        &self,
        code: &str,
        table: Uuid,
        duration: Duration,
    ) -> Result<bool, StoreError> {
        let now = now_ms();
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
                .bind(now_ms())
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
