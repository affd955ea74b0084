//! What a hand can expect to make in a contract, before it is declared.

use rules::{
    CardOrder, CardSet, ContractId, DealView, DiscardFrom, PACK, Rules, Said, Seat, Suit, Target,
    TrumpChoice,
};

use crate::{danger, gain::Promise, pick, strength};

/// Card points that a hand makes less for each other seat that has bid on the same trump suit,
/// with the talon and without, and more for each that has passed.
const OTHER_BIDS: f32 = 5.0;
const OTHER_BIDS_HAND: f32 = 15.0;
const OTHER_PASSES: f32 = 0.6;
/// Card points that free laying off is worth, with three and with four players.
const ANY_THREE: f32 = 0.5;
const ANY_FOUR: f32 = 6.8;
/// Card points that a declarer makes more who has chosen among suits, with the talon and
/// without: the opponents hold less of that suit than of one on which all bid.
const NAMED: f32 = 2.0;
const NAMED_HAND: f32 = 5.0;

/// What the hand promises in a contract, after what others said.
pub(crate) fn promise(view: &DealView, id: ContractId) -> Promise {
    if view.rules.contract(id).target == Target::NoTrick {
        let outside = CardSet::FULL.difference(view.hand);
        let danger = danger::of_hand(view.hand, outside, CardOrder::NoTrump);
        Promise::NoTrick(danger::chance(danger))
    } else {
        Promise::Points(card_points(view, id))
    }
}

/// The card points that the hand can expect to make in a contract.
pub(crate) fn card_points(view: &DealView, id: ContractId) -> f32 {
    let rules = &view.rules;
    let players = rules.players();
    let best = |points: fn(CardSet, Suit, u8) -> f32| {
        let best = pick::best(trumps(rules, id), |trump| points(view.hand, trump, players));
        best.map_or(0.0, |(_, points)| points)
    };
    let points = if rules.contract(id).takes_talon {
        let any = match rules.options.discard_from {
            DiscardFrom::Any if players <= 3 => ANY_THREE,
            DiscardFrom::Any => ANY_FOUR,
            DiscardFrom::OriginalHand => 0.0,
        };
        best(strength::with_talon) + any
    } else {
        let unseen = PACK - view.hand.len();
        let talon = PACK - usize::from(players) * view.hand.len();
        let average = f32::from(120 - view.hand.points()) / unseen as f32;
        best(strength::card_points) + average * talon as f32
    };
    let others = rules.seats().filter(|&seat| Some(seat) != view.seat);
    let by_calls: f32 = others.map(|seat| by_calls_of(view, seat, id)).sum();
    points + by_calls + by_choice(rules, id)
}

/// What choosing the trump suit adds.
fn by_choice(rules: &Rules, id: ContractId) -> f32 {
    match rules.trump_choice(id) {
        TrumpChoice::Named(_) if rules.contract(id).takes_talon => NAMED,
        TrumpChoice::Named(_) => NAMED_HAND,
        TrumpChoice::Fixed(_) | TrumpChoice::NoTrump => 0.0,
    }
}

/// What the calls of another seat say about the trumps that it holds.
fn by_calls_of(view: &DealView, seat: Seat, id: ContractId) -> f32 {
    let rules = &view.rules;
    let calls = view.calls.iter().filter(|call| call.seat == seat);
    let bid = calls.clone().rev().find_map(|call| match call.said {
        Said::Bid(id) => Some(id),
        Said::Hold | Said::Pass => None,
    });
    let same_trump = |other| {
        let trump = rules.trump_choice(id);
        matches!(trump, TrumpChoice::Fixed(_)) && rules.trump_choice(other) == trump
    };
    match bid {
        // What is good in another suit may well be weak in this one.
        Some(other) if !same_trump(other) => 0.0,
        Some(other) if rules.contract(other).takes_talon => -OTHER_BIDS,
        Some(_) => -OTHER_BIDS_HAND,
        None if calls.clone().any(|call| call.said == Said::Pass) => OTHER_PASSES,
        None => 0.0,
    }
}

/// The suits that can be trump in a contract.
pub(crate) fn trumps(rules: &Rules, id: ContractId) -> impl Iterator<Item = Suit> + Clone {
    let (fixed, named): (_, &'static [Suit]) = match rules.trump_choice(id) {
        TrumpChoice::Fixed(suit) => (Some(suit), &[]),
        TrumpChoice::Named(suits) => (None, suits),
        TrumpChoice::NoTrump => (None, &[]),
    };
    fixed.into_iter().chain(named.iter().copied())
}
