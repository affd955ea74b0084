//! What to say in the auction.

use rules::{Action, ContractId, DealView, Said, Suit};

use crate::{estimate, gain, pick, strength};

/// The bid with the best expected score, or a pass when none is worth enough. In an auction by
/// holding, too: it is what the seat would announce in the end, and saves rounds on the way.
pub(crate) fn call(view: &DealView, from: u8, to: u8) -> Action {
    best(view, ladder(view, from, to), true).map_or(Action::Pass, Action::Bid)
}

/// Holds the bid that stands as long as it or a higher contract is worth enough.
pub(crate) fn hold(view: &DealView) -> Action {
    let bid = view.calls.iter().rev().find_map(|call| match call.said {
        Said::Bid(id) => Some(id),
        Said::Hold | Said::Pass => None,
    });
    let above = view.rules.contracts().filter(|&id| Some(id) >= bid);
    best(view, above, true).map_or(Action::Pass, |_| Action::Hold)
}

/// The contract with the best expected score, or a pass when that is allowed and none is worth
/// enough.
pub(crate) fn announce(view: &DealView, from: u8, to: u8, may_pass: bool) -> Action {
    best(view, ladder(view, from, to), may_pass).map_or(Action::Pass, Action::Announce)
}

/// The suit that the hand makes the most points with as trump.
pub(crate) fn trump(view: &DealView, suits: &[Suit]) -> Option<Action> {
    let suits = suits.iter().copied();
    let (suit, _) = strength::best_trump(view.hand, suits, view.rules.players())?;
    Some(Action::DeclareTrump(suit))
}

/// A part of the ladder.
fn ladder(view: &DealView, from: u8, to: u8) -> impl Iterator<Item = ContractId> + use<> {
    view.rules.contracts().take(to.into()).skip(from.into())
}

/// The contract with the best expected score, of those worth enough if they must be.
fn best(
    view: &DealView,
    contracts: impl Iterator<Item = ContractId>,
    must_be_enough: bool,
) -> Option<ContractId> {
    let rules = &view.rules;
    let worth = |id| gain::expected(rules, id, estimate::promise(view, id));
    let (id, worth) = pick::best(contracts, worth)?;
    (!must_be_enough || worth > gain::enough(rules)).then_some(id)
}

#[cfg(test)]
mod tests {
    use rules::{Action, Deal, Rules, Suit};

    use crate::{
        estimate::card_points,
        testing::{chosen, deal, declare, haferltarock, rules, view},
    };

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
            card_points(&view(&deal), rules.contract_named("look_in").unwrap())
        };
        let any = Rules::new("brixental", 4, [("discard_from", "any")]).unwrap();
        assert!(worth(rules(4), &["pass"]) > worth(rules(4), &[]));
        assert!(worth(rules(4), &["look_in"]) < worth(rules(4), &[]));
        assert!(worth(any, &[]) > worth(rules(4), &[]));
    }

    /// What the seat in turn says to a game's auction after these words.
    fn answers(rules: Rules, hands: &[&str], before: &[&str]) -> String {
        let mut deal = deal(rules, hands);
        for word in before {
            let action = match rules.contract_named(word) {
                Some(contract) => Action::Bid(contract),
                None if *word == "hold" => Action::Hold,
                None => Action::Pass,
            };
            deal.apply(action).unwrap();
        }
        match chosen(&deal) {
            Action::Bid(id) | Action::Announce(id) => rules.contract(id).name.to_owned(),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    const LOW: &str = "E6 E7 E8 EX G6 G8 G9 S6 S7 SX H7";
    const LONG_ACORNS: &str = "EA EX EK EO E9 E8 GA GX H7 S8 SA";
    const POOR: &str = "E7 E9 EO G7 G9 GU H8 HU S8 S9 SO";

    #[test]
    fn at_fixed_prices_each_hand_finds_its_contract() {
        let says = |hand| answers(haferltarock(), &[hand], &[]);
        assert_eq!(says(LOW), "bettel");
        assert_eq!(says(LONG_ACORNS), "solo");
        assert_eq!(says("HA HX HK HO H9 H8 GA GX E7 S8 SA"), "herzsolo");
        assert_eq!(says("HA HK HO H8 EA E9 E8 GK GO S8 SX"), "herz_neischaugn");
        assert_eq!(says(POOR), "pass");
    }

    #[test]
    fn a_bid_is_held_by_a_strong_hand_only() {
        let rules = Rules::new("bavarian", 3, []).unwrap();
        let says = |hand, bid| answers(rules, &[hand, "", ""], &[bid]);
        assert_eq!(says(LONG_ACORNS, "pickup:61"), "hold");
        assert_eq!(says(LONG_ACORNS, "hand:61"), "hold");
        assert_eq!(says(LONG_ACORNS, "hand:116"), "pass");
        assert_eq!(says(POOR, "pickup:61"), "pass");
    }

    #[test]
    fn the_winner_announces_what_the_hand_is_worth_and_not_less_than_was_bid() {
        let rules = Rules::new("bavarian", 3, []).unwrap();
        let place = |name: &str| rules.contract_named(name).unwrap();
        let says = |hand, before: &[&str]| answers(rules, &[hand, "", ""], before);
        let alone = says(LONG_ACORNS, &["pass", "pass"]);
        assert!(place(&alone) >= place("hand:61"), "{alone}");
        assert_eq!(says(POOR, &["pass", "pass"]), "pass");
        let low = ["pickup:66", "hold", "pass", "pass"];
        let raised = says(LONG_ACORNS, &low);
        assert!(place(&raised) >= place("hand:61"), "{raised}");
        // Whoever has bid too high must still name a contract.
        let high = ["hand:111", "hold", "pass", "pass"];
        assert_eq!(says(POOR, &high), "hand:111");
    }

    #[test]
    fn the_longest_and_highest_suit_becomes_trump() {
        let mut deal = deal(haferltarock(), &[LONG_ACORNS]);
        declare(&mut deal, 0, "solo");
        assert_eq!(chosen(&deal), Action::DeclareTrump(Suit::Acorns));
    }
}
