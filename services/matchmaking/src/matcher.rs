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
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use chassis::rpc;
use futures::future::join_all;
use prost::Message as _;
use proto::v1::{self, game_client::GameClient};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status, transport::Channel};
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
    game: GameClient<Channel>,
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
        refusals: HashMap::new(),
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
    game: GameClient<Channel>,
    config: Arc<Config>,
    holder: Uuid,
    shutdown: CancellationToken,
    /// As last taken, by queue; to be given back at the end.
    leases: HashMap<String, Lease>,
    store_outage: Outage,
    game_outage: Outage,
    /// Queues whose tables the game service refuses.
    refusals: HashMap<String, Outage>,
}

/// What became of a table that was to be opened.
enum Opening {
    Open,
    /// It is not open and will not be.
    Refused(Status),
    /// It may be open.
    Unknown(Status),
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
            Code::Ok
            | Code::Cancelled
            | Code::Unknown
            | Code::DeadlineExceeded
            | Code::ResourceExhausted
            | Code::Aborted
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss => Self::Unknown(status),
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
            if waiting > 0 {
                self.match_queue(queue).await?;
            }
        }
        Ok(())
    }

    /// Finishes what was left behind between claim and settle, also of queues that are no more.
    async fn repair(&mut self) -> Result<(), ProposeError> {
        let left = self
            .store
            .list_proposals(self.config.repair_after, CHORES_MAX)
            .await?;
        for proposals in left.chunks(TABLES_AT_ONCE) {
            let mut held = Vec::new();
            for proposal in proposals {
                if let Some(lease) = self.lease(&proposal.queue).await? {
                    tracing::info!(table = %proposal.table, "finishing a proposal");
                    held.push((lease, proposal));
                }
            }
            if !self.open_all(&held).await? {
                break;
            }
        }
        Ok(())
    }

    async fn match_queue(&mut self, queue: &Queue) -> Result<(), ProposeError> {
        let now = Instant::now();
        let refusals = self.refusals.get(&queue.id);
        let is_pausing = refusals.is_some_and(|refusals| refusals.is_pausing(now));
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
            if !self.open_all(&held).await? || self.shutdown.is_cancelled() {
                break;
            }
        }
        Ok(())
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

    /// Opens tables and settles their tickets. False when it is no use to go on now.
    async fn open_all(&mut self, proposals: &[(Lease, &Proposal)]) -> Result<bool, StoreError> {
        let openings = proposals.iter().map(|(_, proposal)| {
            let mut game = self.game.clone();
            async move {
                let request = match v1::OpenTableRequest::decode(proposal.request.as_slice()) {
                    Ok(request) => request,
                    Err(error) => return Opening::Refused(Status::internal(error.to_string())),
                };
                Opening::of(game.open_table(rpc::request(request, None, "")).await)
            }
        });
        let now = Instant::now();
        let mut go_on = true;
        for (opening, (lease, proposal)) in join_all(openings).await.into_iter().zip(proposals) {
            let refusals = self.refusals.entry(proposal.queue.clone()).or_default();
            match opening {
                Opening::Open => {
                    self.store.settle(proposal.table).await?;
                    self.game_outage.worked("opening tables");
                    refusals.worked(&format!("opening tables of {}", proposal.queue));
                }
                Opening::Refused(status) => {
                    self.store.reopen(lease, proposal.table).await?;
                    let what = format!("opening tables of {}", proposal.queue);
                    refusals.failed(now, &what, &status);
                    go_on = false;
                }
                Opening::Unknown(status) => {
                    self.game_outage.failed(now, "opening tables", &status);
                    go_on = false;
                }
            }
        }
        Ok(go_on)
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
