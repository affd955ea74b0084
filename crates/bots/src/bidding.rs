//! What to bid.

use rules::{
    Action, CardSet, ContractId, DealView, DiscardFrom, PACK, Rules, Said, Suit, Target,
    TrumpChoice,
};

use crate::strength;

/// A bid is made when it is worth more than this many points of the score: below 0, or too many
/// deals would be thrown in.
const ENOUGH: f32 = -1.0;
/// Standard deviation of the card points around their estimate.
const SPREAD: f32 = 15.0;
/// Card points that a hand makes less for each bid, and more for each pass, of another seat.
const OTHERS_BID: f32 = 5.0;
const OTHERS_PASS: f32 = 0.6;
/// Card points that free laying off is worth, with three and with four players.
const ANY_THREE: f32 = 2.5;
const ANY_FOUR: f32 = 6.8;

/// The bid with the best expected score, or a pass when none is worth enough.
pub(crate) fn call(view: &DealView, from: u8, to: u8) -> Action {
    match best(view, from, to) {
        Some((id, worth)) if worth > ENOUGH => Action::Bid(id),
        _ => Action::Pass,
    }
}

/// Holds the bid that stands while it is worth enough.
pub(crate) fn hold(view: &DealView) -> Action {
    let bid = view.calls.iter().rev().find_map(|call| match call.said {
        Said::Bid(id) => Some(id),
        Said::Hold | Said::Pass => None,
    });
    match bid {
        Some(id) if worth(view, id) > ENOUGH => Action::Hold,
        _ => Action::Pass,
    }
}

/// The contract with the best expected score, or a pass when that is allowed and better.
pub(crate) fn announce(view: &DealView, from: u8, to: u8, may_pass: bool) -> Action {
    match best(view, from, to) {
        Some((id, worth)) if worth > ENOUGH || !may_pass => Action::Announce(id),
        _ => Action::Pass,
    }
}

/// The suit that the hand makes the most points with as trump.
pub(crate) fn trump(view: &DealView, suits: &[Suit]) -> Action {
    let (suit, _) = strength::best_trump(view.hand, suits, view.rules.players());
    Action::DeclareTrump(suit)
}

/// Of a part of the ladder, the contract with the best expected score; the lowest of equals.
fn best(view: &DealView, from: u8, to: u8) -> Option<(ContractId, f32)> {
    let legal = view.rules.contracts().take(to.into()).skip(from.into());
    let mut best: Option<(ContractId, f32)> = None;
    for id in legal {
        let worth = worth(view, id);
        if best.is_none_or(|(_, most)| worth > most) {
            best = Some((id, worth));
        }
    }
    best
}

/// The suits that can be trump in a contract.
fn trumps(rules: &Rules, id: ContractId) -> impl Iterator<Item = Suit> {
    let (fixed, named) = match rules.trump_choice(id) {
        TrumpChoice::Fixed(suit) => (Some(suit), &[] as &[Suit]),
        TrumpChoice::Named(suits) => (None, suits),
        TrumpChoice::NoTrump => (None, &[] as &[Suit]),
    };
    fixed.into_iter().chain(named.iter().copied())
}

/// The card points that the hand can expect to make in a contract, after what others said.
pub(crate) fn estimate(view: &DealView, id: ContractId) -> f32 {
    let rules = &view.rules;
    let contract = rules.contract(id);
    let players = rules.players();
    let best = |points: fn(CardSet, Suit, u8) -> f32| {
        trumps(rules, id)
            .map(|trump| points(view.hand, trump, players))
            .fold(f32::MIN, f32::max)
    };
    let points = if contract.takes_talon {
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
    let others = view
        .calls
        .iter()
        .filter(|call| Some(call.seat) != view.seat);
    let (mut bids, mut passes) = (0.0, 0.0);
    for call in others {
        match call.said {
            Said::Bid(_) | Said::Hold => bids += 1.0,
            Said::Pass => passes += 1.0,
        }
    }
    points - bids * OTHERS_BID + passes * OTHERS_PASS
}

/// The expected score: a target that is missed costs what it lies above 61.
fn worth(view: &DealView, id: ContractId) -> f32 {
    let contract = view.rules.contract(id);
    let points = estimate(view, id);
    let needed = match contract.target {
        Target::Points(points) => f32::from(points),
        Target::EveryTrick => 121.0,
        Target::NoTrick => return f32::MIN,
    };
    let fail = (0.5 + (needed - points) / (4.0 * SPREAD)).clamp(0.0, 1.0);
    contract.worth as f32 * (points.min(120.0) - 60.0 - (needed - 61.0) * fail)
}

#[cfg(test)]
mod tests {
    use rules::{Action, Deal, Rules};

    use super::estimate;
    use crate::testing::{chosen, deal, rules, view};

    /// What seat 0 or, after these bids, the next seat says.
    fn said(rules: Rules, hands: &[&str], before: &[&str]) -> String {
        let mut deal = deal(rules, hands);
        for bid in before {
            let action = rules.contract_named(bid).map_or(Action::Pass, Action::Bid);
            deal.apply(action).unwrap();
        }
        name(&deal, chosen(&deal))
    }

    fn name(deal: &Deal, action: Action) -> String {
        match action {
            Action::Bid(id) => deal.rules().contract(id).name.to_owned(),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    const WEAK: &str = "H7 E9 E8 GO G8 SU S9 S8";
    const FAIR: &str = "HA HK HO H7 E9 EX GK S8";
    const STRONG: &str = "HA HX HK HO H8 H7 EA G8";

    #[test]
    fn weak_hands_pass_fair_ones_look_in_strong_ones_play_from_the_hand() {
        assert_eq!(said(rules(4), &[WEAK], &[]), "pass");
        assert_eq!(said(rules(4), &[FAIR], &[]), "look_in");
        assert_eq!(said(rules(4), &[STRONG], &[]), "sumpern");
        let three = |hand: &str| said(rules(3), &[hand], &[]);
        assert_eq!(three("H7 H8 E9 E8 EU GO G8 G9 SU S9 S8"), "pass");
        assert_eq!(three("HA HK H7 H8 E9 EX EA GK GO S8 SO"), "look_in");
        assert_eq!(three("HA HX HK HO H7 H8 EA EX E9 GA S8"), "sumpern");
    }

    #[test]
    fn a_standing_bid_is_raised_with_a_strong_hand_only() {
        let after_look_in = |hand| said(rules(4), &["", hand], &["look_in"]);
        assert_eq!(after_look_in(FAIR), "pass");
        assert_eq!(after_look_in(STRONG), "sumpern");
        let after_sumpern = |hand| said(rules(4), &["", hand], &["sumpern"]);
        assert_eq!(after_sumpern(FAIR), "pass");
        assert_eq!(after_sumpern("HA HX HK HO HU H9 H8 EA"), "66");
    }

    #[test]
    fn nobody_bids_more_than_the_hand_is_worth() {
        let hands = ["", "HA HX HK HO HU H9 EA G8"];
        assert_eq!(said(rules(4), &hands, &["116"]), "pass");
        let all = "HA HX HK HO HU H9 EA GA";
        assert_eq!(said(rules(4), &["", all], &["sumpern"]), "66");
    }

    #[test]
    fn bids_of_others_discourage_and_free_laying_off_makes_looking_in_better() {
        let worth = |rules: Rules, calls: &[&str]| {
            let mut hands = vec![""; calls.len()];
            hands.push("HK HO H8 E9 E7 GX GK S8");
            let mut deal = deal(rules, &hands);
            for &name in calls {
                let bid = rules.contract_named(name).map_or(Action::Pass, Action::Bid);
                deal.apply(bid).unwrap();
            }
            estimate(&view(&deal), rules.contract_named("look_in").unwrap())
        };
        let any = Rules::new("brixental", 4, [("discard_from", "any")]).unwrap();
        assert!(worth(rules(4), &["pass"]) > worth(rules(4), &[]));
        assert!(worth(rules(4), &["look_in"]) < worth(rules(4), &[]));
        assert!(worth(any, &[]) > worth(rules(4), &[]));
    }
}
