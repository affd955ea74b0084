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
    sync::Arc,
    time::{Duration, Instant},
};

use chassis::rpc::{self, Replicas};
use futures::future::join_all;
use prost::Message as _;
use proto::v1::{self, game_client::GameClient};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};
use uuid::Uuid;

use crate::{
    config::Config,
    entropy::{self, NoEntropy},
    outage::Outage,
    pass::{self, Candidate, Group},
    queue::Queue,
    store::{Claim, Lease, Proposal, StoreError, Ticket, TicketStore},
    wire,
};

/// Tables that are opened at once.
const TABLES_AT_ONCE: usize = 32;
/// Tickets that expire, and proposals that are repaired, in one round.
const CHORES_MAX: u32 = 1_000;
/// The least time between two rounds, however many tickets arrive.
const ROUND_GAP: Duration = Duration::from_millis(20);

/// Matches all queues until `shutdown` is cancelled and the round it is in is done. One runs in
/// each process; those of several replicas share the queues by leases.
pub(crate) async fn run_matcher(
    store: Arc<dyn TicketStore>,
    game: Replicas,
    config: Arc<Config>,
    shutdown: CancellationToken,
) {
    let mut matcher = Matcher {
        store,
        game,
        config,
        holder: Uuid::now_v7(),
        shutdown,
        leases: HashMap::new(),
        store_outage: Outage::default(),
        game_outage: Outage::default(),
        queue_outages: HashMap::new(),
        stuck: HashMap::new(),
    };
    while !matcher.shutdown.is_cancelled() {
        match matcher.round().await {
            Ok(()) => matcher.store_outage.worked("matching"),
            Err(error) => {
                let now = Instant::now();
                matcher.store_outage.failed(now, "matching", &error);
            }
        }
        matcher.rest().await;
    }
    matcher.release().await;
}

struct Matcher {
    store: Arc<dyn TicketStore>,
    game: Replicas,
    config: Arc<Config>,
    holder: Uuid,
    shutdown: CancellationToken,
    /// As last taken, by queue; to be given back at the end.
    leases: HashMap<String, Lease>,
    store_outage: Outage,
    game_outage: Outage,
    /// Queues of which new tables are not opened.
    queue_outages: HashMap<String, Outage>,
    /// Proposals, by table, that were left behind and cannot be finished.
    stuck: HashMap<Uuid, Outage>,
}

/// What became of a table that was to be opened.
enum Opening {
    Open,
    /// It is not open and will not be.
    Refused(Status),
    /// It may be open, and so may others: something is wrong with this one.
    Unknown(Status),
    /// It may be open. No table can be opened now.
    Unreachable(Status),
}

impl Opening {
    fn of(answer: Result<tonic::Response<v1::OpenTableResponse>, Status>) -> Self {
        let Err(status) = answer else {
            return Self::Open;
        };
        match status.code() {
            // The id is ours alone, so whatever the table looks like, it is the one.
            Code::AlreadyExists => Self::Open,
            Code::InvalidArgument
            | Code::NotFound
            | Code::PermissionDenied
            | Code::FailedPrecondition
            | Code::OutOfRange
            | Code::Unimplemented
            | Code::Unauthenticated => Self::Refused(status),
            Code::Cancelled
            | Code::DeadlineExceeded
            | Code::ResourceExhausted
            | Code::Unavailable => Self::Unreachable(status),
            Code::Ok | Code::Unknown | Code::Aborted | Code::Internal | Code::DataLoss => {
                Self::Unknown(status)
            }
        }
    }
}

/// Why a group did not become a proposal.
#[derive(Debug, thiserror::Error)]
enum ProposeError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Entropy(#[from] NoEntropy),
}

impl Matcher {
    /// Waits for the next round: until its time has come, or a ticket arrives. While something
    /// fails, arrivals must not make it worse.
    async fn rest(&self) {
        let longest = self.config.pass_every;
        let now = Instant::now();
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
        let now = Instant::now();
        if self.store_outage.is_pausing(now) {
            return Ok(());
        }
        let expired = self
            .store
            .sweep(self.config.expire_after, CHORES_MAX)
            .await?;
        if expired > 0 {
            tracing::info!(expired, "tickets expired");
        }
        if self.game_outage.is_pausing(now) {
            return Ok(());
        }
        self.repair().await?;
        let queues: Vec<Queue> = self.config.queues.iter().cloned().collect();
        let ids: Vec<String> = queues.iter().map(|queue| queue.id.clone()).collect();
        let waiting = self.store.count_waiting(&ids).await?;
        for (queue, waiting) in queues.iter().zip(waiting) {
            let pausing = self.game_outage.is_pausing(Instant::now());
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
        let now = Instant::now();
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

    async fn match_queue(&mut self, queue: &Queue) -> Result<(), ProposeError> {
        let now = Instant::now();
        let outage = self.queue_outages.get(&queue.id);
        let is_pausing = outage.is_some_and(|outage| outage.is_pausing(now));
        if is_pausing || self.lease(&queue.id).await?.is_none() {
            return Ok(());
        }
        let waiting = self
            .store
            .list_waiting(&queue.id, self.config.pass_tickets_max)
            .await?;
        let params = pass::Params {
            players: queue.rules.players().into(),
            window: self.config.window,
            bots_after: queue.bots_after,
            repeat_after: self.config.repeat_after,
        };
        let candidates: Vec<Candidate> = waiting.tickets.iter().map(candidate).collect();
        let groups = pass::run(&candidates, &params, waiting.now_ms);
        for groups in groups.chunks(TABLES_AT_ONCE) {
            // A long pass must not outlive the lease it started with.
            let Some(lease) = self.lease(&queue.id).await? else {
                break;
            };
            let mut claimed = Vec::new();
            for group in groups {
                let proposal = propose(queue, group, &waiting.tickets)?;
                match self.store.claim(&lease, &proposal).await? {
                    Claim::Claimed => {
                        explain(queue, group, &proposal);
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
        let outage = self.queue_outages.entry(queue.id.clone()).or_default();
        for opening in openings {
            match opening {
                Opening::Open => {}
                Opening::Refused(status) | Opening::Unknown(status) => {
                    outage.failed(Instant::now(), &what, status);
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

    /// Opens the tables of proposals, and moves their tickets on as far as the outcome is known.
    async fn open(&mut self, proposals: &[(Lease, &Proposal)]) -> Result<Vec<Opening>, StoreError> {
        let openings = proposals.iter().map(|(_, proposal)| {
            let game = self.game.clone();
            async move {
                let request = match v1::OpenTableRequest::decode(proposal.request.as_slice()) {
                    Ok(request) => request,
                    Err(error) => return Opening::Refused(Status::internal(error.to_string())),
                };
                let opened = game.call(proposal.table, |channel| {
                    let request = rpc::request(request.clone(), None, "");
                    async move { GameClient::new(channel).open_table(request).await }
                });
                Opening::of(opened.await)
            }
        });
        let openings = join_all(openings).await;
        for (opening, (lease, proposal)) in openings.iter().zip(proposals) {
            match opening {
                Opening::Open => {
                    self.store.settle(proposal.table).await?;
                    self.game_outage.worked("opening tables");
                }
                Opening::Refused(_) => {
                    self.store.reopen(lease, proposal.table).await?;
                }
                Opening::Unreachable(status) => {
                    let now = Instant::now();
                    self.game_outage.failed(now, "opening tables", status);
                }
                Opening::Unknown(_) => {}
            }
        }
        Ok(openings)
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

fn candidate(ticket: &Ticket) -> Candidate {
    Candidate {
        ticket: ticket.id,
        player: ticket.player,
        rating: ticket.rating,
        created_ms: ticket.created_ms,
        recent: ticket.recent.clone(),
    }
}

/// The table for a group: people and bots on seats that are drawn by lot.
fn propose(queue: &Queue, group: &Group, tickets: &[Ticket]) -> Result<Proposal, NoEntropy> {
    let table = Uuid::now_v7();
    let people = group.members.iter().map(|member| {
        let ticket = &tickets[member.candidate];
        wire::player(ticket.player, &ticket.player_name)
    });
    let bots = (0..group.bots).map(|_| wire::bot(wire::BOT_LEVEL));
    let mut seats: Vec<v1::Occupant> = people.chain(bots).collect();
    entropy::shuffle(&mut seats)?;
    let request = v1::OpenTableRequest {
        table_id: table.to_string(),
        kind: wire::table_kind(queue.kind).into(),
        queue: queue.id.clone(),
        rules: Some(wire::rules(&queue.rules)),
        time_control: Some(queue.time_control.into()),
        invite_code: String::new(),
        seats,
        ladder: queue.ladder.clone().unwrap_or_default(),
    };
    Ok(Proposal {
        table,
        queue: queue.id.clone(),
        tickets: group.members.iter().map(|member| member.ticket).collect(),
        request: request.encode_to_vec(),
    })
}

/// Says in the log why these tickets play together.
fn explain(queue: &Queue, group: &Group, proposal: &Proposal) {
    let waited_ms: Vec<i64> = group.members.iter().map(|m| m.waited_ms).collect();
    let windows: Vec<Option<u32>> = group.members.iter().map(|m| m.window).collect();
    tracing::info!(
        queue = %queue.id,
        table = %proposal.table,
        tickets = ?proposal.tickets,
        ?waited_ms,
        ?windows,
        spread = group.spread,
        bots = group.bots,
        repeats = group.repeats,
        "match made"
    );
}
