//! Who wants to know when a table's head moves, in this process.
//!
//! A subscription sees the latest notice only. It holds no events: it wakes its owner, who reads
//! the log. Tables without subscriptions take no memory.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;
use uuid::Uuid;

/// The subscriptions of one process.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    tables: Mutex<HashMap<Uuid, Topic>>,
}

#[derive(Debug)]
struct Topic {
    /// The head, or `None` when it may have moved unseen.
    head: watch::Sender<Option<u64>>,
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
            head: watch::Sender::new(None),
            subscriptions: 0,
        });
        topic.subscriptions += 1;
        Subscription {
            head: topic.head.subscribe(),
            table,
            hub: Arc::clone(self),
        }
    }

    /// A table has a new head.
    pub(crate) fn moved(&self, table: Uuid, version: u64) {
        if let Some(topic) = self.tables().get(&table) {
            topic.head.send_replace(Some(version));
        }
    }

    /// Any head may have moved unseen.
    pub(crate) fn lost_track(&self) {
        for topic in self.tables().values() {
            topic.head.send_replace(None);
        }
    }

    fn unsubscribe(&self, table: Uuid) {
        if let Entry::Occupied(mut topic) = self.tables().entry(table) {
            topic.get_mut().subscriptions -= 1;
            if topic.get().subscriptions == 0 {
                topic.remove();
            }
        }
    }
}

/// Tells when a table's head moves. Dropping it ends it.
#[derive(Debug)]
pub struct Subscription {
    head: watch::Receiver<Option<u64>>,
    table: Uuid,
    hub: Arc<Hub>,
}

impl Subscription {
    /// Waits until the head may have moved since the last call, or since the subscription began.
    /// Returns the latest head, or `None` when changes may have passed unseen: read the log.
    /// Several changes are one. It is safe to drop the future and call again.
    pub async fn changed(&mut self) -> Option<u64> {
        self.head
            .changed()
            .await
            .expect("the hub keeps the sender while a subscription lives");
        *self.head.borrow_and_update()
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

    #[tokio::test]
    async fn the_latest_head_wins() {
        let hub = Arc::new(Hub::default());
        let table = Uuid::now_v7();
        let mut subscription = hub.subscribe(table);
        hub.moved(table, 1);
        hub.moved(table, 2);
        hub.moved(Uuid::now_v7(), 9);
        assert_eq!(subscription.changed().await, Some(2));
        hub.lost_track();
        assert_eq!(subscription.changed().await, None);
    }

    #[tokio::test]
    async fn a_table_is_forgotten_with_its_last_subscription() {
        let hub = Arc::new(Hub::default());
        let table = Uuid::now_v7();
        let first = hub.subscribe(table);
        let mut second = hub.subscribe(table);
        drop(first);
        hub.moved(table, 1);
        assert_eq!(second.changed().await, Some(1));
        drop(second);
        assert!(hub.tables().is_empty());
    }
}
