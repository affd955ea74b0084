//! From where players signed in, so that two accounts of one device show up.
//!
//! A trace is a keyed hash of the client's network and of what its program says it is. It names
//! nobody and can be compared with nothing but other traces; it goes after a month, and with its
//! account. A household may share one: it is a hint, never a proof.

use std::net::IpAddr;

use chassis::{Failure, now_ms};
use sha2::{Digest as _, Sha256};
use sqlx::Row as _;
use uuid::Uuid;

use super::{Accounts, Device};

/// How long a trace is kept that was not seen again.
const KEEP_MS: i64 = 30 * 24 * 60 * 60 * 1_000;
/// Bytes of a trace.
const TRACE_BYTES: usize = 16;
/// Bytes of a client's description that count.
const AGENT_BYTES_MAX: usize = 256;
/// A trace of more accounts than this is that of a school or a network, and tells nothing.
const ACCOUNTS_MAX: i64 = 8;

/// Two accounts that signed in from the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedTrace {
    /// The accounts, the smaller id first.
    pub players: (Uuid, Uuid),
    /// How many traces they share.
    pub traces: u32,
    /// When one of them was there last.
    pub last_ms: i64,
}

impl Accounts {
    /// Notes from where a player signs in: the network of the address, and the `User-Agent`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn trace(&self, player: Uuid, network: IpAddr, agent: &str) -> Result<(), Failure> {
        let agent = &agent.as_bytes()[..agent.len().min(AGENT_BYTES_MAX)];
        let hash = Sha256::new()
            .chain_update(self.trace_key().await?)
            .chain_update(network.to_string())
            .chain_update([0])
            .chain_update(agent)
            .finalize();
        let insert = "INSERT INTO sign_in_traces (player_id, trace, first_ms, last_ms) \
             VALUES ($1, $2, $3, $3) ON CONFLICT (player_id, trace) \
             DO UPDATE SET last_ms = excluded.last_ms";
        self.db
            .observed(
                "note_sign_in",
                sqlx::query(insert)
                    .bind(player.to_string())
                    .bind(hash[..TRACE_BYTES].to_vec())
                    .bind(now_ms())
                    .execute(&self.db.pool),
            )
            .await?;
        Ok(())
    }

    /// The key of all traces, made by whoever needs it first.
    async fn trace_key(&self) -> Result<Vec<u8>, Failure> {
        let select = "SELECT secret FROM trace_key WHERE id = 1";
        let known = self
            .db
            .observed(
                "find_trace_key",
                sqlx::query(select).fetch_optional(&self.db.pool),
            )
            .await?;
        if let Some(row) = known {
            return Ok(row.try_get("secret")?);
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(Failure::internal)?;
        self.db
            .observed(
                "find_trace_key",
                sqlx::query(
                    "INSERT INTO trace_key (id, secret) VALUES (1, $1) ON CONFLICT (id) DO NOTHING",
                )
                .bind(secret.to_vec())
                .execute(&self.db.pool),
            )
            .await?;
        let made = self
            .db
            .observed(
                "find_trace_key",
                sqlx::query(select).fetch_one(&self.db.pool),
            )
            .await?;
        Ok(made.try_get("secret")?)
    }

    /// A player's traces, oldest first: when they were seen first and last.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn traces(&self, player: Uuid) -> Result<Vec<Device>, Failure> {
        let select = "SELECT first_ms AS created_ms, last_ms AS seen_ms FROM sign_in_traces \
             WHERE player_id = $1 ORDER BY first_ms LIMIT 100";
        self.seen(select, player).await
    }

    /// Pairs of accounts that share a trace, those that share most first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn shared_traces(&self, limit: u32) -> Result<Vec<SharedTrace>, Failure> {
        let select = "SELECT a.player_id AS one, b.player_id AS other, COUNT(*) AS traces, \
             MAX(CASE WHEN a.last_ms > b.last_ms THEN a.last_ms ELSE b.last_ms END) AS last_ms \
             FROM sign_in_traces a \
             JOIN sign_in_traces b ON b.trace = a.trace AND b.player_id > a.player_id \
             WHERE (SELECT COUNT(*) FROM sign_in_traces c WHERE c.trace = a.trace) <= $1 \
             GROUP BY a.player_id, b.player_id \
             ORDER BY traces DESC, last_ms DESC, one, other LIMIT $2";
        let rows = self
            .db
            .observed(
                "list_shared_traces",
                sqlx::query(select)
                    .bind(ACCOUNTS_MAX)
                    .bind(i64::from(limit))
                    .fetch_all(&self.db.pool),
            )
            .await?;
        let shared = |row: &sqlx::any::AnyRow| {
            let id = |name: &str| -> Result<Uuid, Failure> {
                let text: String = row.try_get(name)?;
                text.parse().map_err(Failure::internal)
            };
            let traces: i64 = row.try_get("traces")?;
            Ok(SharedTrace {
                players: (id("one")?, id("other")?),
                traces: u32::try_from(traces).unwrap_or(u32::MAX),
                last_ms: row.try_get("last_ms")?,
            })
        };
        rows.iter().map(shared).collect()
    }

    /// Removes traces that were not seen for a month.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_traces(&self) -> Result<(), Failure> {
        self.db
            .observed(
                "sweep_sign_ins",
                sqlx::query("DELETE FROM sign_in_traces WHERE last_ms < $1")
                    .bind(now_ms().saturating_sub(KEEP_MS))
                    .execute(&self.db.pool),
            )
            .await?;
        Ok(())
    }
}
