//! A store whose caller can be stopped before or after any call.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::store::{
    Claim, Created, Lease, NewTicket, Proposal, Standing, StoreError, Ticket, TicketStore, Waiting,
    Watcher,
};

/// Where whoever passes is stopped.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stop {
    /// After so many passes.
    After(u32),
    /// Before the next call of this name.
    Before(&'static str),
}

/// Lets calls through, or some and then none.
#[derive(Debug, Default)]
pub(super) struct Gate {
    stop: Mutex<Option<Stop>>,
    holds: AtomicBool,
    stopped: Notify,
    opened: Notify,
}

impl Gate {
    pub(super) fn close(&self, stop: Stop) {
        *self.stop.lock().unwrap() = Some(stop);
    }

    /// Waits until somebody was stopped.
    pub(super) async fn stopped(&self) {
        self.stopped.notified().await;
    }

    /// Lets whoever was stopped go on, and everybody after.
    pub(super) fn open(&self) {
        *self.stop.lock().unwrap() = None;
        if self.holds.swap(false, Ordering::SeqCst) {
            self.opened.notify_one();
        }
    }

    /// Before a call, of which the name is given, or after one.
    async fn pass(&self, before: Option<&str>) {
        let stops = match &mut *self.stop.lock().unwrap() {
            None => false,
            Some(Stop::Before(name)) => before == Some(*name),
            Some(Stop::After(0)) => true,
            Some(Stop::After(passes)) => {
                *passes -= 1;
                false
            }
        };
        if stops {
            self.holds.store(true, Ordering::SeqCst);
            self.stopped.notify_one();
            self.opened.notified().await;
        }
    }
}

/// A store behind a gate.
#[derive(Debug)]
pub(super) struct Gated {
    store: Arc<dyn TicketStore>,
    gate: Arc<Gate>,
}

impl Gated {
    pub(super) fn new(store: &Arc<dyn TicketStore>, gate: &Arc<Gate>) -> Self {
        Self {
            store: Arc::clone(store),
            gate: Arc::clone(gate),
        }
    }
}

macro_rules! gated {
    ($($name:ident($($arg:ident: $of:ty),*) -> $answer:ty;)+) => {
        #[async_trait]
        impl TicketStore for Gated {
            $(async fn $name(&self, $($arg: $of),*) -> Result<$answer, StoreError> {
                self.gate.pass(Some(stringify!($name))).await;
                let answer = self.store.$name($($arg),*).await;
                self.gate.pass(None).await;
                answer
            })+

            fn watch(&self, ticket: Uuid) -> Watcher {
                self.store.watch(ticket)
            }

            async fn arrival(&self) {
                self.store.arrival().await;
            }
        }
    };
}

gated! {
    create(new: NewTicket) -> Created;
    get(ticket: Uuid) -> Option<Ticket>;
    live(player: Uuid) -> Option<Ticket>;
    cancel(ticket: Uuid, player: Uuid) -> Option<Ticket>;
    standing(ticket: &Ticket) -> Standing;
    waits(queue: &str) -> Vec<i64>;
    set_blocked(player: Uuid, blocked: &[Uuid]) -> ();
    count_waiting(queues: &[String]) -> Vec<u32>;
    list_waiting(queue: &str, limit: u32) -> Waiting;
    lease(queue: &str, holder: Uuid, duration: Duration) -> Option<Lease>;
    release(lease: &Lease) -> ();
    claim(lease: &Lease, proposal: &Proposal) -> Claim;
    settle(table: Uuid) -> bool;
    reopen(lease: &Lease, table: Uuid) -> bool;
    list_proposals(min_age: Duration, limit: u32) -> Vec<Proposal>;
    due_pairings(limit: u32) -> Vec<(Uuid, Vec<u8>)>;
    due_pairing(table: Uuid) -> Option<Vec<u8>>;
    forget_pairings(tables: &[Uuid]) -> ();
    sweep(max_wait: Duration, limit: u32) -> u32;
    add_invite(code: &str, table: Uuid, duration: Duration) -> bool;
    invite(code: &str) -> Option<Uuid>;
    remove_invite(code: &str) -> ();
}
