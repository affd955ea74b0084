//! What one player may see of a table, whole. With [`crate::update`] the only place that decides
//! who sees what; the cards of a running deal come from [`rules::DealView`] alone.

use proto::v1::{self as wire, TableView, action::Kind, action_choice::Kind as Choice};
use rules::{CardSet, ContractId, DealView, Legal, PlayedTrick, Rules, Said, Seat, Suit, Target};
use uuid::Uuid;

use crate::{
    state::{Stage, Table},
    wire::{action_to_wire, card_to_wire, cards_to_wire, occupant_to_wire, rules_to_wire},
};

/// The table as a player may see it at a time by the store's clock; `None` when the player may
/// not see it at all.
#[must_use]
pub fn view(table: &Table, player: Uuid, now_ms: i64) -> Option<TableView> {
    let seat = table.seat_of(player)?;
    let setup = table.setup();
    let deal = table.deal().map(|deal| deal.view(Some(seat)));
    let ended = matches!(table.stage, Stage::Ended(_));
    let joinable = matches!(table.stage, Stage::Seating) && table.has_open_seat();
    Some(TableView {
        table_id: setup.id.to_string(),
        version: table.version,
        kind: setup.kind.into(),
        queue: setup.queue.clone(),
        ladder: setup.ladder.clone(),
        invite_code: if joinable {
            setup.invite_code.clone()
        } else {
            String::new()
        },
        rules: Some(rules_to_wire(&setup.rules)),
        time_control: Some(setup.time_control),
        phase: phase(table).into(),
        my_seat: Some(seat.number().into()),
        seats: table
            .rules()
            .seats()
            .map(|seat| seat_view(table, deal.as_ref(), seat))
            .collect(),
        turn: turn(table),
        legal_actions: choices(table, seat),
        deal: deal.as_ref().map(|deal| deal_view(table, deal)),
        score_sheet: table.sheet.to_vec(),
        result: table.result().cloned(),
        rating_changes: table.rating_changes.clone().unwrap_or_default(),
        seed_hash: rules::seed_hash(&setup.server_seed).to_vec(),
        server_seed: if ended {
            setup.server_seed.to_vec()
        } else {
            Vec::new()
        },
        nonces: table.nonces(),
        now_ms,
        pot: table.pot(),
    })
}

fn phase(table: &Table) -> wire::Phase {
    match &table.stage {
        Stage::Seating => wire::Phase::Seating,
        Stage::Deal(deal) => match deal.phase() {
            rules::Phase::Auction => wire::Phase::Auction,
            rules::Phase::Announcement => wire::Phase::Announcement,
            rules::Phase::Exchange => wire::Phase::Exchange,
            rules::Phase::Trump => wire::Phase::Trump,
            rules::Phase::Doubling => wire::Phase::Doubling,
            rules::Phase::Play | rules::Phase::Done => wire::Phase::Play,
        },
        Stage::Between => wire::Phase::BetweenDeals,
        Stage::Ended(_) => wire::Phase::Ended,
        Stage::Closed => wire::Phase::Closed,
    }
}

fn seat_view(table: &Table, deal: Option<&DealView>, seat: Seat) -> wire::SeatView {
    let state = &table.seats[seat.index()];
    wire::SeatView {
        seat: seat.number().into(),
        occupant: state
            .occupant
            .as_ref()
            .map(|occupant| occupant_to_wire(Some(occupant))),
        ready: state.nonce.is_some(),
        away: state.away,
        left: state.left,
        score: table.score(seat),
        cards: deal.map_or(0, |deal| deal.cards[seat].into()),
        tricks: deal.map_or(0, |deal| deal.tricks.won()[seat].into()),
        bank_ms: state.bank_ms,
    }
}

pub(crate) fn turn(table: &Table) -> Option<wire::Turn> {
    let seat = table.deal()?.turn()?;
    Some(wire::Turn {
        seat: seat.number().into(),
        started_ms: table.since_ms,
        deadline_ms: table.since_ms.saturating_add(table.thinking_ms(seat)),
    })
}

/// Everything that the seat can do to go on. To leave is always possible and not listed, so that
/// a client may take any action of the list.
pub(crate) fn choices(table: &Table, seat: Seat) -> Vec<wire::ActionChoice> {
    let Some(state) = table.seats.get(seat.index()) else {
        return Vec::new();
    };
    let choice = |kind| wire::ActionChoice { kind: Some(kind) };
    let single = |kind| choice(Choice::Action(wire::Action { kind: Some(kind) }));
    if state.left {
        return Vec::new();
    }
    let mut choices = Vec::new();
    match table.stage {
        Stage::Seating if state.nonce.is_none() => {
            choices.push(single(Kind::Ready(wire::Ready::default())));
        }
        Stage::Deal(_) | Stage::Between if state.away => {
            choices.push(single(Kind::Return(wire::Return {})));
        }
        _ => {}
    }
    let Some(deal) = table.deal().filter(|deal| deal.turn() == Some(seat)) else {
        return choices;
    };
    let deal = deal.view(Some(seat));
    if let Legal::Discard(discard) = deal.legal {
        choices.push(choice(Choice::Discard(wire::DiscardChoice {
            count: discard.count.into(),
            from: cards_for_display(discard.from, deal.trump),
            aces_need_trumps: discard.aces_need_trumps.is_some(),
        })));
    } else {
        let actions = deal.legal.actions().into_iter();
        choices.extend(
            actions.map(|action| choice(Choice::Action(action_to_wire(action, &deal.rules)))),
        );
    }
    choices
}

fn deal_view(table: &Table, deal: &DealView) -> wire::DealView {
    let rules = &deal.rules;
    let trump = deal.trump;
    let calls = deal.calls.iter().map(|call| wire::AuctionCall {
        seat: call.seat.number().into(),
        bid: match call.said {
            Said::Bid(bid) => contract_name(rules, bid),
            Said::Pass | Said::Hold => String::new(),
        },
        hold: call.said == Said::Hold,
    });
    wire::DealView {
        number: table.sheet.len() as u32 + 1,
        dealer: deal.dealer.number().into(),
        forehand: deal.dealer.left(rules.players()).number().into(),
        trump: trump.map_or("", Suit::name).to_owned(),
        auction: calls.collect(),
        declaration: deal
            .declaration
            .map(|declared| declaration(rules, declared)),
        hand: cards_for_display(deal.hand, trump),
        talon: deal.uncovered.talon.map(cards_to_wire).unwrap_or_default(),
        discards: deal
            .uncovered
            .discards
            .map(cards_to_wire)
            .unwrap_or_default(),
        trick: deal.tricks.running().map(|trick| trick_view(&trick, false)),
        last_trick: deal
            .tricks
            .last_finished()
            .map(|trick| trick_view(&trick, true)),
        doubled_by: deal.doubling.doubled_by.map(|seat| seat.number().into()),
        redoubled: deal.doubling.redoubled,
    }
}

fn contract_name(rules: &Rules, contract: ContractId) -> String {
    rules.contract(contract).name.to_owned()
}

pub(crate) fn declaration(rules: &Rules, declared: rules::Declaration) -> wire::Declaration {
    let (goal, target) = match rules.contract(declared.contract).target {
        Target::Points(points) => (wire::Goal::CardPoints, points.into()),
        Target::EveryTrick => (wire::Goal::EveryTrick, 0),
        Target::NoTrick => (wire::Goal::NoTrick, 0),
    };
    wire::Declaration {
        declarer: declared.declarer.number().into(),
        contract: contract_name(rules, declared.contract),
        goal: goal.into(),
        target,
    }
}

pub(crate) fn trick_view(trick: &PlayedTrick<'_>, finished: bool) -> wire::TrickView {
    wire::TrickView {
        leader: trick.leader.number().into(),
        cards: trick.cards.iter().map(|&card| card_to_wire(card)).collect(),
        winner: finished.then(|| trick.winner.number().into()),
        points: trick.points().into(),
    }
}

/// Trumps first, where there are some, then the other suits, each from high to low.
pub(crate) fn cards_for_display(cards: CardSet, trump: Option<Suit>) -> Vec<i32> {
    let others = Suit::ALL.into_iter().filter(|&suit| Some(suit) != trump);
    let suits = trump.into_iter().chain(others);
    let high_to_low = suits.flat_map(|suit| {
        let mut lane: Vec<_> = cards.of_suit(suit).collect();
        lane.reverse();
        lane
    });
    high_to_low.map(card_to_wire).collect()
}

#[cfg(test)]
mod tests;
