//! The storage port: tickets, proposals, leases and invite codes.
//!
//! A ticket goes from *waiting* to *proposed* (claimed for a table whose id was chosen before)
//! to *matched*; a waiting one may be *cancelled* or *expire* instead, and a proposed one whose
//! table was refused waits again. Every step is atomic and conditional on the state before it,
//! so of two that race exactly one wins, whoever makes them.
//!
//! Two adapters keep the same promises and pass the same contract tests: [`EmbeddedTickets`] and
//! [`ClusterTickets`]. Time is the store's: replicas' clocks do not matter in a cluster.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use chassis::Failure;
use uuid::Uuid;

mod cluster;
mod embedded;
mod hub;
mod ticket;

pub use cluster::ClusterTickets;
pub use embedded::EmbeddedTickets;
pub use hub::Watcher;
pub use ticket::{Created, EndReason, NewTicket, Party, PartyRequest, Ticket, TicketState};

/// How long a settled ticket stays readable, and how long two players count as recent
/// opponents.
pub const KEEP_SETTLED: Duration = Duration::from_secs(3_600);
/// The most recent opponents that a ticket remembers.
pub const RECENT_MAX: usize = 32;
/// The most players whom a ticket's player does not want to meet.
pub const BLOCKED_MAX: usize = 100;
/// Waits of a queue that are remembered.
pub const WAITS_MAX: usize = 64;

/// The tickets that wait in a queue.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The store's time of the reading.
    pub now_ms: i64,
    /// Oldest first.
    pub tickets: Vec<Ticket>,
}

/// The right to match a queue. A new holder gets a higher token, and with that the old holder's
/// claims are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Id of the queue.
    pub queue: String,
    /// Who holds it.
    pub holder: Uuid,
    /// Grows with every change of the holder.
    pub token: i64,
}

/// Tickets that were claimed for a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Id of the table, chosen before the claim.
    pub table: Uuid,
    /// Id of the queue.
    pub queue: String,
    /// The tickets.
    pub tickets: Vec<Uuid>,
    /// The encoded `OpenTableRequest`: every attempt to open the table is the same request.
    pub request: Vec<u8>,
    /// The encoded `Pairing`: why these tickets, for the players to read.
    pub pairing: Vec<u8>,
}

/// Where a waiting ticket stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// 1 for the oldest ticket of the queue; absent when it does not wait.
    pub position: Option<u32>,
    /// Live tickets of its party.
    pub joined: u32,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// All tickets are proposed.
    Claimed,
    /// Nothing changed: somebody else matches the queue now.
    Stale,
    /// Nothing changed: a ticket does not wait any more.
    Taken,
}

/// Why a store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The embedded database failed.
    #[error("tickets: {0}")]
    Sql(#[from] sqlx::Error),
    /// Redis failed.
    #[error("tickets: {0}")]
    Redis(#[from] redis::RedisError),
    /// What is stored makes no sense.
    #[error("tickets: {0}")]
    Corrupt(String),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Sql(error) => error.into(),
            StoreError::Redis(error) => error.into(),
            corrupt @ StoreError::Corrupt(_) => Self::internal(corrupt),
        }
    }
}

/// Where tickets are kept. Every call is atomic and may be repeated.
#[async_trait]
pub trait TicketStore: fmt::Debug + Send + Sync {
    /// Makes a waiting ticket, unless the player has a live one or may sit at the table of an
    /// earlier one. What party may be opened or joined is decided here, too.
    async fn create(&self, new: NewTicket) -> Result<Created, StoreError>;

    /// A ticket; settled ones are forgotten after a while.
    async fn get(&self, ticket: Uuid) -> Result<Option<Ticket>, StoreError>;

    /// The player's waiting or proposed ticket.
    async fn live(&self, player: Uuid) -> Result<Option<Ticket>, StoreError>;

    /// Cancels a ticket of the player's if it waits. The answer is the ticket as it is then:
    /// whether it is cancelled says who won. `None` when the player has no such ticket.
    async fn cancel(&self, ticket: Uuid, player: Uuid) -> Result<Option<Ticket>, StoreError>;

    /// Where a ticket stands in its queue, and its party.
    async fn standing(&self, ticket: &Ticket) -> Result<Standing, StoreError>;

    /// How long the tickets waited that were matched in a queue lately, in milliseconds, at most
    /// [`WAITS_MAX`].
    async fn waits(&self, queue: &str) -> Result<Vec<i64>, StoreError>;

    /// Whom the player of a waiting ticket does not want to meet, from now on. Nothing happens
    /// when there is no such ticket.
    async fn set_blocked(&self, player: Uuid, blocked: &[Uuid]) -> Result<(), StoreError>;

    /// How many tickets wait in each of the queues, in their order.
    async fn count_waiting(&self, queues: &[String]) -> Result<Vec<u32>, StoreError>;

    /// The oldest tickets that wait in a queue, at most `limit`.
    async fn list_waiting(&self, queue: &str, limit: u32) -> Result<Waiting, StoreError>;

    /// Takes or renews the lease of a queue for a while; `None` while somebody else holds it.
    async fn lease(
        &self,
        queue: &str,
        holder: Uuid,
        duration: Duration,
    ) -> Result<Option<Lease>, StoreError>;

    /// Gives a lease back early. Nothing happens when it is stale.
    async fn release(&self, lease: &Lease) -> Result<(), StoreError>;

    /// Moves all tickets of a proposal from waiting to proposed, or none.
    async fn claim(&self, lease: &Lease, proposal: &Proposal) -> Result<Claim, StoreError>;

    /// The table is open: moves the tickets of its proposal to matched, frees the players to
    /// queue again once the table is over, remembers them as opponents, and makes the pairing due.
    /// Any replica may say so, with no lease: it is a fact. False when there is no such proposal
    /// (any more).
    async fn settle(&self, table: Uuid) -> Result<bool, StoreError>;

    /// The table was refused and will never be open: its tickets wait again, with their age.
    /// False when the lease is stale or there is no such proposal (any more).
    async fn reopen(&self, lease: &Lease, table: Uuid) -> Result<bool, StoreError>;

    /// Proposals of at least this age, oldest first, at most `limit`.
    async fn list_proposals(
        &self,
        min_age: Duration,
        limit: u32,
    ) -> Result<Vec<Proposal>, StoreError>;

    /// Pairings that are not known to be in the database yet, by table, at most `limit`.
    async fn due_pairings(&self, limit: u32) -> Result<Vec<(Uuid, Vec<u8>)>, StoreError>;

    /// The pairing of a table, as long as it is due.
    async fn due_pairing(&self, table: Uuid) -> Result<Option<Vec<u8>>, StoreError>;

    /// These pairings are in the database.
    async fn forget_pairings(&self, tables: &[Uuid]) -> Result<(), StoreError>;

    /// Expires the tickets that have waited this long, at most `limit`, whatever their queue;
    /// says how many. Also forgets what was kept long enough.
    async fn sweep(&self, max_wait: Duration, limit: u32) -> Result<u32, StoreError>;

    /// Keeps an invite code for a while. False when the code is taken.
    async fn add_invite(
        &self,
        code: &str,
        table: Uuid,
        duration: Duration,
    ) -> Result<bool, StoreError>;

    /// The table of an invite code.
    async fn invite(&self, code: &str) -> Result<Option<Uuid>, StoreError>;

    /// Forgets an invite code.
    async fn remove_invite(&self, code: &str) -> Result<(), StoreError>;

    /// Watches a ticket from now on. Take a watcher first, then read the ticket, then wait: so
    /// no change is missed, except that a cluster may lose a notification: read again every few
    /// seconds.
    fn watch(&self, ticket: Uuid) -> Watcher;

    /// Waits until a ticket was made since the last call. It may be woken for nothing, and in a
    /// cluster it may miss one: it only saves waiting for the next turn. For one waiter.
    async fn arrival(&self);
}

/// A store's duration in milliseconds.
fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Ids in one text, separated by commas.
fn join_ids(ids: &[Uuid]) -> String {
    let texts: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    texts.join(",")
}

fn split_ids(text: &str) -> Result<Vec<Uuid>, StoreError> {
    let parts = text.split(',').filter(|part| !part.is_empty());
    parts.map(parse_id).collect()
}

fn parse_id(text: &str) -> Result<Uuid, StoreError> {
    text.parse()
        .map_err(|_| StoreError::Corrupt(format!("expected an id, got {text:?}")))
}
