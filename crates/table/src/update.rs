//! What one player may see of an event. With [`crate::view()`] the only place that decides who
//! sees what.

use proto::v1::{self as wire, TableUpdate, table_update::Kind};
use rules::{Action, Seat, Session};
use uuid::Uuid;

use crate::{
    event::Event,
    state::Table,
    view::{cards_for_display, choices, declaration, trick_view, turn},
    wire::{action_to_wire, cards_to_wire, occupant_to_wire, rules_to_wire},
};

/// The event that led to this state of the table, as a player may see it who sits there now, or
/// did. The seat is looked up each time: who leaves before the match gives it to somebody else,
/// and must not be shown that player's cards.
#[must_use]
pub fn update_for(after: &Table, event: &Event, player: Uuid, at_ms: i64) -> TableUpdate {
    update(after, event, after.seat_of(player), at_ms)
}

/// The event that led to this state of the table, as the player of a seat may see it, stamped
/// with its time.
#[must_use]
pub fn update(after: &Table, event: &Event, seat: Option<Seat>, at_ms: i64) -> TableUpdate {
    let simple = |seat: Seat| wire::SeatUpdate {
        seat: seat.number().into(),
        occupant: None,
        left: false,
    };
    let kind = match event {
        Event::Opened { setup, .. } => Kind::Opened(wire::OpenedUpdate {
            rules: Some(rules_to_wire(&setup.rules)),
            seed_hash: rules::seed_hash(&setup.server_seed).to_vec(),
        }),
        Event::SeatTaken { seat: taken, .. } => {
            let occupant = after.seats.get(taken.index());
            let occupant = occupant.and_then(|seat| seat.occupant.as_ref());
            Kind::SeatTaken(wire::SeatUpdate {
                occupant: Some(occupant_to_wire(occupant)),
                ..simple(*taken)
            })
        }
        Event::SeatFreed { seat } => Kind::SeatFreed(simple(*seat)),
        Event::SeatReady { seat, .. } => Kind::SeatReady(simple(*seat)),
        Event::SeatAway { seat, left } => Kind::SeatAway(wire::SeatUpdate {
            left: *left,
            ..simple(*seat)
        }),
        Event::SeatReturned { seat } => Kind::SeatReturned(simple(*seat)),
        Event::ClockRestarted => Kind::ClockRestarted(wire::ClockUpdate {}),
        Event::Restored => Kind::Resync(wire::Resync {}),
        Event::DealStarted { number, dealer } => {
            let view = after.deal().map(|deal| deal.view(seat));
            let session = after.session.as_ref();
            Kind::DealStarted(wire::DealUpdate {
                number: *number,
                dealer: dealer.number().into(),
                hand: view
                    .map(|view| cards_for_display(view.hand, view.trump))
                    .unwrap_or_default(),
                stake: session.map_or(0, Session::staked),
                pot: session.map_or(0, Session::pot),
            })
        }
        Event::Acted {
            seat: actor,
            action,
            by,
        } => Kind::Action(action_update(after, *actor, *action, *by, seat)),
        Event::DealScored(score) => Kind::DealScored(score.clone()),
        Event::MatchEnded(result) => Kind::MatchEnded(wire::EndUpdate {
            result: Some(result.clone()),
            server_seed: after.setup().server_seed.to_vec(),
        }),
        Event::MatchRated(changes) => Kind::MatchRated(wire::RatedUpdate {
            changes: changes.clone(),
        }),
        Event::DealArchived { .. } | Event::MatchArchived => {
            Kind::Archived(wire::ArchivedUpdate {})
        }
        Event::Closed(reason) => Kind::Closed(wire::ClosedUpdate {
            reason: why_closed(*reason).to_owned(),
        }),
    };
    TableUpdate {
        version: after.version(),
        at_ms,
        kind: Some(kind),
        turn: turn(after),
        legal_actions: seat.map_or_else(Vec::new, |seat| choices(after, seat)),
    }
}

const fn why_closed(reason: wire::CloseReason) -> &'static str {
    match reason {
        wire::CloseReason::NotFilled => "not_filled",
        wire::CloseReason::Deserted => "deserted",
        wire::CloseReason::Unspecified => "unspecified",
    }
}

fn action_update(
    after: &Table,
    actor: Seat,
    action: Action,
    by: wire::Actor,
    seat: Option<Seat>,
) -> wire::ActionUpdate {
    let rules = after.rules();
    let mut shown = action_to_wire(action, rules);
    if let Some(wire::action::Kind::Discard(discard)) = &mut shown.kind
        && seat != Some(actor)
    {
        discard.cards.clear();
    }
    let mut update = wire::ActionUpdate {
        seat: actor.number().into(),
        action: Some(shown),
        by: by.into(),
        declaration: None,
        talon: Vec::new(),
        trick: None,
    };
    let Some(deal) = after.deal() else {
        return update;
    };
    let view = deal.view(seat);
    match action {
        Action::Pass | Action::Bid(_) | Action::Announce(_) => {
            // Without a declaration the deal goes on, or was thrown in and nobody took the talon;
            // a pass after it is one of doubling.
            let decided = after.declared_version == after.version;
            if let Some(declared) = view.declaration.filter(|_| decided) {
                update.declaration = Some(declaration(rules, declared));
                update.talon = view.uncovered.talon.map(cards_to_wire).unwrap_or_default();
            }
        }
        Action::Play(_) if view.tricks.running().is_none() => {
            update.trick = view
                .tricks
                .last_finished()
                .map(|trick| trick_view(&trick, true));
        }
        _ => {}
    }
    update
}
