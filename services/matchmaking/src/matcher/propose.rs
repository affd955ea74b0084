//! From a group of the pass to the proposal of a table.

use prost::Message as _;
use proto::v1;
use uuid::Uuid;

use crate::{
    entropy::{self, NoEntropy},
    pass::{Candidate, Group},
    queue::Queue,
    store::{Proposal, Ticket, Waiting},
    wire,
};

/// What the pass asks of a ticket. Takes the lists out of it: nobody else reads them, and they are
/// most of what a crowd of tickets is.
pub(super) fn candidate(ticket: &mut Ticket) -> Candidate {
    Candidate {
        ticket: ticket.id,
        player: ticket.player,
        rating: ticket.rating,
        created_ms: ticket.created_ms,
        recent: std::mem::take(&mut ticket.recent),
        blocked: std::mem::take(&mut ticket.blocked),
        protocol: ticket.protocol,
        party: ticket.party.clone(),
    }
}

/// The table for a group: people and bots on seats that are drawn by lot.
pub(super) fn propose(
    queue: &Queue,
    group: &Group,
    waiting: &Waiting,
) -> Result<Proposal, NoEntropy> {
    let tickets = &waiting.tickets;
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
        pairing: wire::pairing(queue, table, waiting.now_ms, group, tickets).encode_to_vec(),
    })
}

/// Says in the log why these tickets play together.
pub(super) fn explain(queue: &Queue, group: &Group, proposal: &Proposal) {
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
