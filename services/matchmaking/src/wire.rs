//! Between matchmaking's own types and the contract's.

use proto::v1::{self, occupant::Kind};
use rules::Rules;
use uuid::Uuid;

use crate::{
    pass::Group,
    queue::{Queue, QueueKind},
    store::{EndReason, Ticket, TicketState},
};

/// The level of bots that fill seats.
pub(crate) const BOT_LEVEL: &str = "standard";

pub(crate) fn player(id: Uuid, name: &str) -> v1::Occupant {
    v1::Occupant {
        kind: Some(Kind::Player(v1::Player {
            id: id.to_string(),
            name: name.to_owned(),
        })),
    }
}

pub(crate) fn bot(level: &str) -> v1::Occupant {
    v1::Occupant {
        kind: Some(Kind::Bot(v1::Bot {
            level: level.to_owned(),
        })),
    }
}

pub(crate) const fn table_kind(kind: QueueKind) -> v1::TableKind {
    match kind {
        QueueKind::Ranked => v1::TableKind::Ranked,
        QueueKind::Casual => v1::TableKind::Casual,
    }
}

pub(crate) fn rules(rules: &Rules) -> v1::Rules {
    let options = rules.option_values();
    v1::Rules {
        ruleset: rules.set().id.to_owned(),
        version: rules.set().version,
        players: rules.players().into(),
        options: options.map(|(k, v)| (k.to_owned(), v)).collect(),
    }
}

pub(crate) fn queue(queue: &Queue, waiting: u32) -> v1::Queue {
    v1::Queue {
        id: queue.id.clone(),
        kind: table_kind(queue.kind).into(),
        rules: Some(rules(&queue.rules)),
        time_control: Some(queue.time_control.into()),
        waiting,
        bots_after_ms: queue
            .bots_after
            .map(|after| u32::try_from(after.as_millis()).unwrap_or(u32::MAX)),
    }
}

const fn ticket_state(state: TicketState) -> v1::TicketState {
    match state {
        TicketState::Waiting => v1::TicketState::Waiting,
        TicketState::Proposed => v1::TicketState::Proposed,
        TicketState::Matched => v1::TicketState::Matched,
        TicketState::Cancelled => v1::TicketState::Cancelled,
        TicketState::Expired => v1::TicketState::Expired,
    }
}

const fn end_reason(reason: EndReason) -> v1::EndReason {
    match reason {
        EndReason::Cancelled => v1::EndReason::Cancelled,
        EndReason::NobodyFound => v1::EndReason::NobodyFound,
        EndReason::PartyIncomplete => v1::EndReason::PartyIncomplete,
    }
}

/// The table of a proposed ticket stays unsaid: it may never be opened.
pub(crate) fn ticket(ticket: &Ticket) -> v1::Ticket {
    let table = match ticket.state {
        TicketState::Matched => ticket.table,
        TicketState::Waiting
        | TicketState::Proposed
        | TicketState::Cancelled
        | TicketState::Expired => None,
    };
    let reason = ticket.reason.map_or(v1::EndReason::Unspecified, end_reason);
    v1::Ticket {
        id: ticket.id.to_string(),
        queue_id: ticket.queue.clone(),
        player_id: ticket.player.to_string(),
        state: ticket_state(ticket.state).into(),
        table_id: table.map(|id| id.to_string()).unwrap_or_default(),
        created_ms: ticket.created_ms,
        rating: ticket.rating,
        position: None,
        expected_wait_ms: None,
        party: ticket.party.as_ref().map(|party| v1::Party {
            code: party.code.clone(),
            size: party.size,
            joined: 0,
        }),
        reason: reason.into(),
    }
}

/// Why these tickets play together.
pub(crate) fn pairing(
    queue: &Queue,
    table: Uuid,
    made_ms: i64,
    group: &Group,
    tickets: &[Ticket],
) -> v1::Pairing {
    let players = group.members.iter().map(|member| {
        let ticket = &tickets[member.candidate];
        v1::PairedPlayer {
            player_id: ticket.player.to_string(),
            rating: ticket.rating,
            waited_ms: member.waited_ms,
            window: member.window,
            party: member.party,
        }
    });
    v1::Pairing {
        match_id: table.to_string(),
        queue_id: queue.id.clone(),
        made_ms,
        players: players.collect(),
        bots: u32::try_from(group.bots).unwrap_or(u32::MAX),
        spread: group.spread,
        repeats: u32::try_from(group.repeats).unwrap_or(u32::MAX),
    }
}
