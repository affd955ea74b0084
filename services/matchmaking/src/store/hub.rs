//! Wakes those who wait for a ticket to change, or for one to arrive, inside this process.
//!
//! A watcher is woken once; whoever wants to know more takes a new one before reading again.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{Notify, watch};
use uuid::Uuid;

/// Who waits for what.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    /// By ticket. Dropping a sender wakes all its watchers.
    watched: Mutex<HashMap<Uuid, watch::Sender<()>>>,
    arrivals: Notify,
}

impl Hub {
    fn watched(&self) -> MutexGuard<'_, HashMap<Uuid, watch::Sender<()>>> {
        // The map is whole after every statement, so a panic elsewhere does not spoil it.
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches a ticket from now on.
    pub(crate) fn watch(self: &Arc<Self>, ticket: Uuid) -> Watcher {
        let mut watched = self.watched();
        let sender = watched
            .entry(ticket)
            .or_insert_with(|| watch::Sender::new(()));
        Watcher {
            hub: Arc::clone(self),
            ticket,
            receiver: Some(sender.subscribe()),
        }
    }

    /// Wakes the watchers of a ticket.
    pub(crate) fn changed(&self, ticket: Uuid) {
        self.watched().remove(&ticket);
    }

    /// Wakes everybody: notifications may have been lost.
    pub(crate) fn all_changed(&self) {
        self.watched().clear();
        self.arrived();
    }

    /// A ticket was made.
    pub(crate) fn arrived(&self) {
        self.arrivals.notify_one();
    }

    /// Waits until a ticket was made since the last call.
    pub(crate) async fn arrival(&self) {
        self.arrivals.notified().await;
    }
}

/// Waits for one ticket to change. See [`super::TicketStore::watch`].
pub struct Watcher {
    hub: Arc<Hub>,
    ticket: Uuid,
    /// Taken when dropped.
    receiver: Option<watch::Receiver<()>>,
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher")
            .field("ticket", &self.ticket)
            .finish_non_exhaustive()
    }
}

impl Watcher {
    /// Waits until the ticket may have changed since this watcher was taken; at once when it
    /// did already.
    pub async fn changed(&mut self) {
        if let Some(receiver) = &mut self.receiver {
            // Nothing is ever sent; an error says that the sender was dropped, which is the
            // signal.
            let _ = receiver.changed().await;
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.receiver = None;
        let mut watched = self.hub.watched();
        let unwatched = |sender: &watch::Sender<()>| sender.receiver_count() == 0;
        if watched.get(&self.ticket).is_some_and(unwatched) {
            watched.remove(&self.ticket);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_watchers_of_a_ticket_are_woken_and_no_others() {
        let hub = Arc::new(Hub::default());
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let (mut first, mut second) = (hub.watch(one), hub.watch(one));
        let _kept = hub.watch(other);
        hub.changed(one);
        first.changed().await;
        second.changed().await;
        assert!(!hub.watched().contains_key(&one) && hub.watched().contains_key(&other));
    }

    #[test]
    fn a_dropped_watcher_leaves_nothing() {
        let hub = Arc::new(Hub::default());
        let id = Uuid::from_u128(1);
        let (first, second) = (hub.watch(id), hub.watch(id));
        drop(first);
        assert_eq!(hub.watched().len(), 1);
        drop(second);
        assert_eq!(hub.watched().len(), 0);
    }

    #[tokio::test]
    async fn an_arrival_before_the_wait_is_not_missed() {
        let hub = Hub::default();
        hub.arrived();
        hub.arrival().await;
    }
}
