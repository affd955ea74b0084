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
/// And what choosing the trump suit is worth beyond its being the best one, with the talon and
/// without: the opponents have then less of it than when all bid on the same.
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
    points + by_calls(view) + by_choice(rules, id)
}

fn by_choice(rules: &Rules, id: ContractId) -> f32 {
    match rules.trump_choice(id) {
        TrumpChoice::Named(_) if rules.contract(id).takes_talon => NAMED,
        TrumpChoice::Named(_) => NAMED_HAND,
        TrumpChoice::Fixed(_) | TrumpChoice::NoTrump => 0.0,
    }
}

/// What the calls of the others say about the cards that they hold.
fn by_calls(view: &DealView) -> f32 {
    let others = view.rules.seats().filter(|&seat| Some(seat) != view.seat);
    others.map(|seat| by_calls_of(view, seat)).sum()
}

fn by_calls_of(view: &DealView, seat: Seat) -> f32 {
    let rules = &view.rules;
    let mut calls = view.calls.iter().filter(|call| call.seat == seat);
    let Some(first) = calls.next() else {
        return 0.0;
    };
    match first.said {
        Said::Pass => OTHER_PASSES,
        // What is good in another suit may well be weak in this one.
        _ if rules.only_trump().is_none() => 0.0,
        Said::Bid(id) if !rules.contract(id).takes_talon => -OTHER_BIDS_HAND,
        Said::Bid(_) | Said::Hold => -OTHER_BIDS,
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
