//! Who wants to know what is appended to a table, in this process.
//!
//! What is appended is told with the notice, so that who follows a table need not read the log.
//! Notices may be lost and may come twice or late: they say which entry they follow. Tables
//! without subscriptions take no memory.

use std::{
    collections::{HashMap, hash_map},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::broadcast::{self, error::RecvError};
use uuid::Uuid;

use super::Entry;

/// Notices that wait for the slowest subscription of a table; who falls behind reads the log.
const KEPT: usize = 16;

/// What happened to a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Entries were appended.
    Appended {
        /// Version and time of the entry before them.
        after: (u64, i64),
        /// At least one.
        entries: Arc<[Entry]>,
    },
    /// The log may have changed in any way.
    Unknown,
}

/// The subscriptions of one process.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    tables: Mutex<HashMap<Uuid, Topic>>,
}

#[derive(Debug)]
struct Topic {
    notices: broadcast::Sender<Notice>,
    subscriptions: usize,
}

impl Hub {
    fn tables(&self) -> MutexGuard<'_, HashMap<Uuid, Topic>> {
        // No code that could panic half-way runs under the lock.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn subscribe(self: &Arc<Self>, table: Uuid) -> Subscription {
        let mut tables = self.tables();
        let topic = tables.entry(table).or_insert_with(|| Topic {
            notices: broadcast::Sender::new(KEPT),
            subscriptions: 0,
        });
        topic.subscriptions += 1;
        Subscription {
            notices: topic.notices.subscribe(),
            table,
            hub: Arc::clone(self),
        }
    }

    /// Tells of one table. `notice` is made only when somebody listens.
    pub(crate) fn tell(&self, table: Uuid, notice: impl FnOnce() -> Notice) {
        if let Some(topic) = self.tables().get(&table) {
            // An error would mean that nobody listens any more.
            let _ = topic.notices.send(notice());
        }
    }

    /// Any table may have changed unseen.
    pub(crate) fn lost_track(&self) {
        for topic in self.tables().values() {
            let _ = topic.notices.send(Notice::Unknown);
        }
    }

    fn unsubscribe(&self, table: Uuid) {
        if let hash_map::Entry::Occupied(mut topic) = self.tables().entry(table) {
            topic.get_mut().subscriptions -= 1;
            if topic.get().subscriptions == 0 {
                topic.remove();
            }
        }
    }
}

/// Tells what is appended to a table. Dropping it ends it.
#[derive(Debug)]
pub struct Subscription {
    notices: broadcast::Receiver<Notice>,
    table: Uuid,
    hub: Arc<Hub>,
}

impl Subscription {
    /// Waits for the next notice. It is safe to drop the future and call again.
    pub async fn next(&mut self) -> Notice {
        match self.notices.recv().await {
            Ok(notice) => notice,
            // The hub keeps the sender while a subscription lives, so it fell behind.
            Err(RecvError::Lagged(_) | RecvError::Closed) => Notice::Unknown,
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.unsubscribe(self.table);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn appended(version: u64) -> Notice {
        let entry = Entry {
            version,
            at_ms: 7,
            event: Vec::new(),
        };
        Notice::Appended {
            after: (version - 1, 7),
            entries: [entry].into(),
        }
    }

    #[tokio::test]
    async fn notices_of_a_table_come_in_order() {
        let hub = Arc::new(Hub::default());
        let table = Uuid::now_v7();
        let mut subscription = hub.subscribe(table);
        hub.tell(table, || appended(1));
        hub.tell(Uuid::now_v7(), || appended(9));
        hub.tell(table, || appended(2));
        assert_eq!(subscription.next().await, appended(1));
        assert_eq!(subscription.next().await, appended(2));
        hub.lost_track();
        assert_eq!(subscription.next().await, Notice::Unknown);
    }

    #[tokio::test]
    async fn who_falls_behind_is_told_to_read() {
        let hub = Arc::new(Hub::default());
        let table = Uuid::now_v7();
        let mut subscription = hub.subscribe(table);
        for version in 1..=KEPT as u64 + 1 {
            hub.tell(table, || appended(version));
        }
        assert_eq!(subscription.next().await, Notice::Unknown);
        assert_eq!(subscription.next().await, appended(2));
    }

    #[tokio::test]
    async fn a_table_is_forgotten_with_its_last_subscription() {
        let hub = Arc::new(Hub::default());
        let table = Uuid::now_v7();
        let first = hub.subscribe(table);
        let mut second = hub.subscribe(table);
        drop(first);
        hub.tell(table, || appended(1));
        assert_eq!(second.next().await, appended(1));
        drop(second);
        assert!(hub.tables().is_empty());
    }
}
