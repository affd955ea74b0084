//! The log of a live table: the storage port of this service.
//!
//! A table *is* its log. Events have consecutive versions from 1, and [`TableLog::append`] adds
//! some only when the writer knew the head: of two writers one wins, the other reads what it
//! missed and decides again. So any replica may serve any table, and a stale cache does no harm.
//!
//! What holds for every adapter, checked by `tests/contract.rs`:
//! - An append is there as a whole or not at all, with its wake-up.
//! - Times are the store's. A table's time never runs backwards: it is the store's clock, but
//!   not before the table's last entry.
//! - Whoever subscribes first and then reads misses nothing.
//! - When nobody asked for the due tables of a part for longer than [`OUTAGE_MS`], nothing is
//!   appended there that was decided without knowing of it.
//!
//! A store may lose entries all the same, the last few when a primary of Redis fails or all of
//! them. An entry's version and time together tell one history from another, and
//! [`TableLog::restore`] goes on where a log ends now, see `recover`.

use std::fmt::Debug;

use async_trait::async_trait;
use uuid::Uuid;

mod cluster;
mod embedded;
mod error;
pub(crate) mod hub;
pub(crate) mod outage;
mod share;

pub use cluster::{ClusterLog, DEFAULT_SHARDS};
pub use embedded::EmbeddedLog;
pub use error::LogError;
pub use hub::{Notice, Subscription};
pub use share::{LEASE, RENEW};

/// When nobody asked for a part's due tables for longer than this, there was an outage.
pub const OUTAGE_MS: i64 = 1_500;
/// How much later than the last such question a store may take it to have been, in favour of
/// those who wait.
pub const SEEN_MS: i64 = 500;
/// Events in one append, at most.
pub const MAX_EVENTS: usize = 64;
/// Bytes of one event, at most.
pub const MAX_EVENT_BYTES: usize = 16 * 1024;
/// Tables in one claim, at most.
pub const MAX_CLAIM: u16 = 1024;

/// One event of a table as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Position in the log, counted from 1.
    pub version: u64,
    /// When it was appended: milliseconds since 1970 UTC by the store's clock.
    pub at_ms: i64,
    /// An encoded `proto::v1::LogEvent`; the store does not look into it.
    pub event: Vec<u8>,
}

/// When [`TableLog::claim_due`] is to return a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Not before a later append says so.
    Never,
    /// This many milliseconds after the table's time, now for zero or less.
    In(i64),
}

impl Wake {
    /// Milliseconds to add to the table's time.
    fn delay_ms(self) -> Option<i64> {
        match self {
            Self::Never => None,
            Self::In(ms) => Some(delay(ms)),
        }
    }
}

/// A delay in milliseconds within bounds that no store's arithmetic leaves: up to 35,000 years.
fn delay(ms: i64) -> i64 {
    ms.clamp(0, 1 << 50)
}

/// How many tables to claim at once, within bounds.
fn check_limit(limit: usize) -> Result<u16, LogError> {
    if limit == 0 {
        return Err(LogError::Invalid("expected a limit of at least 1"));
    }
    Ok(u16::try_from(limit).unwrap_or(u16::MAX).min(MAX_CLAIM))
}

/// Events to add to a table's log.
#[derive(Clone, Debug)]
pub struct Append {
    /// The table. One that is not there is created when `expected` is 0.
    pub table: Uuid,
    /// The head that the events were decided on.
    pub expected: u64,
    /// When its entry was appended, if there is to be one: another time is another history.
    pub expected_at: Option<i64>,
    /// 1 to [`MAX_EVENTS`] encoded events of up to [`MAX_EVENT_BYTES`] bytes.
    pub events: Vec<Vec<u8>>,
    /// Replaces the table's wake-up.
    pub wake: Wake,
    /// When the latest outage of the table's part ended that the events were decided with; `None`
    /// when that does not matter to them.
    pub outage_ms: Option<i64>,
}

impl Restore {
    fn check(&self) -> Result<(), LogError> {
        let versions = self.entries.iter().map(|entry| entry.version);
        let rising = versions.chain([self.version]);
        let mut last = self.expected;
        for version in rising {
            if version <= last {
                return Err(LogError::Invalid("expected rising versions"));
            }
            last = version;
        }
        Ok(())
    }
}

impl Append {
    /// What is in the log after it, stamped with its time.
    pub(crate) fn entries(&self, at_ms: i64) -> Vec<Entry> {
        let versions = self.expected + 1..;
        versions
            .zip(&self.events)
            .map(|(version, event)| Entry {
                version,
                at_ms,
                event: event.clone(),
            })
            .collect()
    }

    fn check(&self) -> Result<(), LogError> {
        if self.events.is_empty() {
            return Err(LogError::Invalid("expected at least one event"));
        }
        if self.events.len() > MAX_EVENTS {
            return Err(LogError::TooLarge("too many events in one append"));
        }
        if self
            .events
            .iter()
            .any(|event| event.len() > MAX_EVENT_BYTES)
        {
            return Err(LogError::TooLarge("an event of too many bytes"));
        }
        Ok(())
    }
}

/// What came of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// The events are in the log.
    Done {
        /// The new head: the version of the last event.
        version: u64,
        /// Time of all its entries.
        at_ms: i64,
    },
    /// The head was not the expected one. Nothing was added.
    Conflict {
        /// The head; 0 for an absent table.
        head: u64,
    },
    /// The events were decided without knowing of an outage. Nothing was added.
    Outage {
        /// When it ended, by the store's clock.
        ended_ms: i64,
    },
}

/// Where a log ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Version of the last entry; 0 for an absent table.
    pub version: u64,
    /// When it was appended; 0 for an absent table.
    pub at_ms: i64,
    /// The table's time, in milliseconds since 1970 UTC.
    pub now_ms: i64,
}

/// Tables whose wake-up has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The store's clock, in milliseconds since 1970 UTC. A table's own time may be ahead of it.
    pub now_ms: i64,
    /// The claimed tables.
    pub tables: Vec<Uuid>,
    /// Parts of the store without a mark: they are new, or lost all that they had.
    pub unmarked: Vec<u16>,
    /// Parts that had an outage, with the time when the latest one ended.
    pub outages: Vec<(u16, i64)>,
}

/// A log to go on with after the store lost the end of it, or all.
#[derive(Clone, Debug)]
pub struct Restore {
    /// The table.
    pub table: Uuid,
    /// Where the log ends now; 0 when nothing is left.
    pub expected: u64,
    /// What to put back, with versions and times as they were.
    pub entries: Vec<Entry>,
    /// The version of the event that says so, greater than all before.
    pub version: u64,
    /// That event, stamped with the table's time.
    pub event: Vec<u8>,
    /// Replaces the table's wake-up.
    pub wake: Wake,
}

/// Where live tables are kept. After an error a change may have been made or not: everything may
/// be asked again. An append that was then done already is a conflict, and what it added is in the
/// log.
#[async_trait]
pub trait TableLog: Debug + Send + Sync {
    /// Adds events, if the head is the expected one.
    ///
    /// # Errors
    /// When the input is out of bounds (nothing was added) or the store fails.
    async fn append(&self, append: Append) -> Result<Appended, LogError>;

    /// All entries after a version, in order. Empty when there are none or no table.
    ///
    /// # Errors
    /// When the store fails.
    async fn read(&self, table: Uuid, after: u64) -> Result<Vec<Entry>, LogError>;

    /// The last version, and the table's time.
    ///
    /// # Errors
    /// When the store fails.
    async fn head(&self, table: Uuid) -> Result<Head, LogError>;

    /// Whether the log has an entry of this version and time, once that is as safe as what an
    /// append acknowledges.
    ///
    /// # Errors
    /// When the store fails.
    async fn holds(&self, table: Uuid, version: u64, at_ms: i64) -> Result<bool, LogError>;

    /// Tells of everything that is appended to a table from now on, be there a table or not.
    ///
    /// # Errors
    /// When the store fails.
    async fn subscribe(&self, table: Uuid) -> Result<Subscription, LogError>;

    /// Says that a replica lives, and which parts it is to look after, until it asks again: it
    /// should every [`RENEW`]. After [`LEASE`] without that, others look after its parts.
    ///
    /// # Errors
    /// When the store fails.
    async fn lease(&self, replica: Uuid) -> Result<Vec<u16>, LogError>;

    /// Gives a replica's parts to others at once.
    ///
    /// # Errors
    /// When the store fails.
    async fn end_lease(&self, replica: Uuid) -> Result<(), LogError>;

    /// How many parts the store has, counted from 0.
    fn parts(&self) -> u16;

    /// Takes up to `limit` (1 to [`MAX_CLAIM`]) tables of these parts whose wake-up has come.
    /// Each comes up again after `hold_ms` unless an append or [`TableLog::set_wake`] replaced
    /// its wake-up: replicas share the work, and one that dies only delays it. Fewer than
    /// `limit` means that there were no more. A table that the store lost may come up as well;
    /// [`TableLog::set_wake`] ends that.
    ///
    /// # Errors
    /// When the store fails.
    async fn claim_due(&self, parts: &[u16], limit: usize, hold_ms: i64) -> Result<Due, LogError>;

    /// Replaces a table's wake-up if `version` is still the head, and says whether it did. An
    /// absent table has no wake-up.
    ///
    /// # Errors
    /// When the store fails.
    async fn set_wake(&self, table: Uuid, version: u64, wake: Wake) -> Result<bool, LogError>;

    /// Puts entries back and adds an event after them, with a version of its own, if the log ends
    /// where it is expected to end, and says whether it did.
    ///
    /// # Errors
    /// When the input is out of bounds (nothing was added) or the store fails.
    async fn restore(&self, restore: Restore) -> Result<bool, LogError>;

    /// The part of the store that a table belongs to. What is lost is lost for a whole part.
    fn part_of(&self, table: Uuid) -> u16;

    /// Marks parts: whatever they lost before is restored.
    ///
    /// # Errors
    /// When the store fails.
    async fn mark(&self, parts: &[u16]) -> Result<(), LogError>;

    /// Lets the store drop a table after `after_ms` milliseconds. It is never due again,
    /// whatever is still appended.
    ///
    /// # Errors
    /// When the store fails.
    async fn expire(&self, table: Uuid, after_ms: i64) -> Result<(), LogError>;
}
