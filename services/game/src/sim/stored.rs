//! A live table in the store of a simulated world.

use std::ops::Range;

use super::world::World;
use crate::log::{Entry, Wake};

/// An append, with the versions of its events.
#[derive(Clone, Debug)]
pub(super) struct Applied {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) wake_at: Option<i64>,
}

/// A live table as it is stored.
#[derive(Debug, Default)]
pub(super) struct Stored {
    pub(super) entries: Vec<Entry>,
    /// One for each append.
    pub(super) applied: Vec<Applied>,
    pub(super) wake_at: Option<i64>,
    /// When it may be dropped; nothing is appended any more.
    pub(super) delete_at: Option<i64>,
    /// Appends that the store lost.
    pub(super) lost: usize,
}

impl Stored {
    pub(super) fn head(&self) -> u64 {
        self.entries.last().map_or(0, |entry| entry.version)
    }

    pub(super) fn last_ms(&self) -> i64 {
        self.entries.last().map_or(0, |entry| entry.at_ms)
    }

    pub(super) fn time(&self, world: &World) -> i64 {
        world.now_ms().max(self.last_ms())
    }

    /// Where the entries of these versions are.
    pub(super) fn range(&self, first: u64, last: u64) -> Range<usize> {
        let before = |version| {
            self.entries
                .partition_point(|entry| entry.version < version)
        };
        before(first)..before(last + 1)
    }

    pub(super) fn wake_at(&self, wake: Wake, now_ms: i64) -> Option<i64> {
        match wake {
            Wake::In(ms) if self.delete_at.is_none() => Some(now_ms + ms.max(0)),
            Wake::In(_) | Wake::Never => None,
        }
    }

    /// Notes an append that was made.
    pub(super) fn append(&mut self, first: u64, wake_at: Option<i64>) -> u64 {
        self.wake_at = wake_at;
        let last = self.head();
        self.applied.push(Applied {
            first,
            last,
            wake_at,
        });
        last
    }
}
