//! The loop that makes tables of tickets.
//!
//! In every round, and for each queue that this replica holds the lease of: a matching pass, and
//! for each group claim the tickets for a table id chosen beforehand, open the table, settle.
//! The request for the table is stored with the claim. A crash between claim and settle leaves a
//! proposal, which the next round of any replica finds and finishes with the same request;
//! opening is idempotent on the table's id.
//!
//! A proposal whose opening failed in a way that leaves the outcome open is never given up: the
//! table may exist, and its players must not be sent to another. Only a refusal puts tickets
//! back.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use chassis::rpc::Replicas;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    config::Config,
    entropy::NoEntropy,
    metrics,
    outage::Outage,
    pairings::Pairings,
    pass::{self, Candidate},
    queue::Queue,
    store::{Claim, Lease, Proposal, StoreError, TicketStore},
};

#[cfg(test)]
mod fuzz;
mod opening;
mod propose;

use opening::Opening;

/// Tables that are opened at once.
const TABLES_AT_ONCE: usize = 32;
/// Tickets that expire, and proposals that are repaired, in one round.
const CHORES_MAX: u32 = 1_000;
/// Pairings that are put into the database in one round.
const PAIRINGS_MAX: u32 = 200;
/// The least time between two rounds, however many tickets arrive.
const ROUND_GAP: Duration = Duration::from_millis(20);

/// Matches all queues until `shutdown` is cancelled and the round it is in is done. One runs in
/// each process; those of several replicas share the queues by leases.
pub(crate) async fn run_matcher(
    store: Arc<dyn TicketStore>,
    pairings: Pairings,
    game: Replicas,
    config: Arc<Config>,
    shutdown: CancellationToken,
) {
    let mut matcher = Matcher::new(store, pairings, game, config, shutdown);
    while !matcher.shutdown.is_cancelled() {
        match matcher.round().await {
            Ok(()) => matcher.store_outage.worked("matching"),
            Err(error) => {
                let now = matcher.now();
                matcher.store_outage.failed(now, "matching", &error);
            }
        }
        matcher.rest().await;
    }
    matcher.release().await;
}

/// Tells the time between failures and attempts.
type Clock = Box<dyn Fn() -> Instant + Send + Sync>;

struct Matcher {
    store: Arc<dyn TicketStore>,
    pairings: Pairings,
    game: Replicas,
    config: Arc<Config>,
    holder: Uuid,
    shutdown: CancellationToken,
    /// As last taken, by queue; to be given back at the end.
    leases: HashMap<String, Lease>,
    clock: Clock,
    store_outage: Outage,
    game_outage: Outage,
    pairings_outage: Outage,
    /// Queues of which new tables are not opened.
    queue_outages: HashMap<String, Outage>,
    /// Proposals, by table, that were left behind and cannot be finished.
    stuck: HashMap<Uuid, Outage>,
}

/// Why a group did not become a proposal.
#[derive(Debug, thiserror::Error)]
enum ProposeError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Entropy(#[from] NoEntropy),
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matcher")
            .field("holder", &self.holder)
            .field("leases", &self.leases)
            .finish_non_exhaustive()
    }
}

impl Matcher {
    fn new(
        store: Arc<dyn TicketStore>,
        pairings: Pairings,
        game: Replicas,
        config: Arc<Config>,
        shutdown: CancellationToken,
    ) -> Self {
        Self {
            store,
            pairings,
            game,
            config,
            holder: Uuid::now_v7(),
            shutdown,
            leases: HashMap::new(),
            clock: Box::new(Instant::now),
            store_outage: Outage::default(),
            game_outage: Outage::default(),
            pairings_outage: Outage::default(),
            queue_outages: HashMap::new(),
            stuck: HashMap::new(),
        }
    }

    fn now(&self) -> Instant {
        (self.clock)()
    }

    /// Waits for the next round: until its time has come, or a ticket arrives. While something
    /// fails, arrivals must not make it worse.
    async fn rest(&self) {
        let longest = self.config.pass_every;
        let now = self.now();
        let failing = self.store_outage.is_pausing(now) || self.game_outage.is_pausing(now);
        let shortest = if failing {
            longest
        } else {
            ROUND_GAP.min(longest)
        };
        let rest = async {
            sleep(shortest).await;
            tokio::select! {
                () = sleep(longest - shortest) => {}
                () = self.store.arrival() => {}
            }
        };
        self.shutdown.run_until_cancelled(rest).await;
    }

    async fn round(&mut self) -> Result<(), ProposeError> {
        let now = self.now();
        if self.store_outage.is_pausing(now) {
            return Ok(());
        }
        let expired = self
            .store
            .sweep(self.config.expire_after, CHORES_MAX)
            .await?;
        metrics::expired(expired);
        if expired > 0 {
            tracing::info!(expired, "tickets expired");
        }
        self.save_pairings(now).await?;
        if self.game_outage.is_pausing(now) {
            return Ok(());
        }
        self.repair().await?;
        let queues: Vec<Queue> = self.config.queues.iter().cloned().collect();
        let ids: Vec<String> = queues.iter().map(|queue| queue.id.clone()).collect();
        let waiting = self.store.count_waiting(&ids).await?;
        for (queue, waiting) in queues.iter().zip(waiting) {
            metrics::waiting(&queue.id, waiting);
            let pausing = self.game_outage.is_pausing(self.now());
            if waiting > 0 && !pausing && !self.shutdown.is_cancelled() {
                self.match_queue(queue).await?;
            }
        }
        Ok(())
    }

    /// Finishes what was left behind between claim and settle, also of queues that are no more.
    /// One that cannot be finished holds up no other.
    async fn repair(&mut self) -> Result<(), ProposeError> {
        let left = self
            .store
            .list_proposals(self.config.repair_after, CHORES_MAX)
            .await?;
        let tables: HashSet<Uuid> = left.iter().map(|proposal| proposal.table).collect();
        self.stuck.retain(|table, _| tables.contains(table));
        let now = self.now();
        let is_due = |proposal: &&Proposal| {
            let stuck = self.stuck.get(&proposal.table);
            !stuck.is_some_and(|outage| outage.is_pausing(now))
        };
        let due: Vec<&Proposal> = left.iter().filter(is_due).collect();
        for proposals in due.chunks(TABLES_AT_ONCE) {
            let mut held = Vec::new();
            for &proposal in proposals {
                if let Some(lease) = self.lease(&proposal.queue).await? {
                    held.push((lease, proposal));
                }
            }
            let openings = self.open(&held).await?;
            for (opening, (_, proposal)) in openings.iter().zip(&held) {
                let what = format!("finishing table {} of {}", proposal.table, proposal.queue);
                match opening {
                    Opening::Unknown(status) => {
                        let stuck = self.stuck.entry(proposal.table).or_default();
                        stuck.failed(now, &what, status);
                    }
                    Opening::Unreachable(_) => return Ok(()),
                    Opening::Open | Opening::Refused(_) => tracing::info!("{what}: done"),
                }
            }
        }
        Ok(())
    }

    /// Puts into the database why tables that are open were made.
    async fn save_pairings(&mut self, now: Instant) -> Result<(), StoreError> {
        if self.pairings_outage.is_pausing(now) {
            return Ok(());
        }
        let due = self.store.due_pairings(PAIRINGS_MAX).await?;
        if due.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.pairings.save(&due).await {
            self.pairings_outage.failed(now, "keeping pairings", &error);
            return Ok(());
        }
        self.pairings_outage.worked("keeping pairings");
        let saved: Vec<Uuid> = due.iter().map(|&(table, _)| table).collect();
        self.store.forget_pairings(&saved).await
    }

    async fn match_queue(&mut self, queue: &Queue) -> Result<(), ProposeError> {
        let now = self.now();
        let outage = self.queue_outages.get(&queue.id);
        let is_pausing = outage.is_some_and(|outage| outage.is_pausing(now));
        if is_pausing || self.lease(&queue.id).await?.is_none() {
            return Ok(());
        }
        let mut waiting = self
            .store
            .list_waiting(&queue.id, self.config.pass_tickets_max)
            .await?;
        let params = pass::Params {
            players: queue.rules.players().into(),
            window: self.config.window,
            bots_after: queue.bots_after,
            repeat_after: self.config.repeat_after,
        };
        let candidates: Vec<Candidate> =
            waiting.tickets.iter_mut().map(propose::candidate).collect();
        let groups = pass::run(&candidates, &params, waiting.now_ms);
        for groups in groups.chunks(TABLES_AT_ONCE) {
            // A long pass must not outlive the lease it started with.
            let Some(lease) = self.lease(&queue.id).await? else {
                break;
            };
            let mut claimed = Vec::new();
            for group in groups {
                let proposal = propose::propose(queue, group, &waiting)?;
                match self.store.claim(&lease, &proposal).await? {
                    Claim::Claimed => {
                        propose::explain(queue, group, &proposal);
                        for member in &group.members {
                            metrics::matched(&queue.id, member.waited_ms);
                        }
                        claimed.push(proposal);
                    }
                    // Somebody cancelled meanwhile; the others are matched in the next round.
                    Claim::Taken => {}
                    Claim::Stale => break,
                }
            }
            let held: Vec<_> = claimed.iter().map(|p| (lease.clone(), p)).collect();
            let openings = self.open(&held).await?;
            if !self.all_open(queue, &openings) || self.shutdown.is_cancelled() {
                break;
            }
        }
        Ok(())
    }

    /// Whether new tables of a queue were opened. When not, the queue pauses.
    fn all_open(&mut self, queue: &Queue, openings: &[Opening]) -> bool {
        let what = format!("opening tables of {}", queue.id);
        let now = self.now();
        let outage = self.queue_outages.entry(queue.id.clone()).or_default();
        for opening in openings {
            match opening {
                Opening::Open => {}
                Opening::Refused(status) | Opening::Unknown(status) => {
                    outage.failed(now, &what, status);
                    return false;
                }
                Opening::Unreachable(_) => return false,
            }
        }
        if !openings.is_empty() {
            outage.worked(&what);
        }
        true
    }

    async fn lease(&mut self, queue: &str) -> Result<Option<Lease>, StoreError> {
        let lease = self
            .store
            .lease(queue, self.holder, self.config.lease)
            .await?;
        match &lease {
            Some(lease) => self.leases.insert(queue.to_owned(), lease.clone()),
            None => self.leases.remove(queue),
        };
        Ok(lease)
    }

    /// Lets other replicas go on at once.
    async fn release(&self) {
        for lease in self.leases.values() {
            if let Err(error) = self.store.release(lease).await {
                tracing::debug!(%error, queue = %lease.queue, "lease not given back");
            }
        }
    }
}
