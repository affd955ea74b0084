//! What to lay off.

use rules::{CardSet, DealView, DiscardChoice};

use crate::{estimate, pick, strength};

/// The cards to lay off: they count, and those that are kept make the more points the better
/// they are with the suit that is trump or can be named.
pub(crate) fn discard(view: &DealView, choice: DiscardChoice) -> Option<CardSet> {
    let (rules, declared) = (&view.rules, view.declaration?);
    let trumps = estimate::trumps(rules, declared.contract);
    let value = |cards: CardSet| {
        let kept = view.hand.difference(cards);
        let tricks = strength::best_trump(kept, trumps.clone(), rules.players());
        tricks.map_or(0.0, |(_, points)| points) + f32::from(cards.points())
    };
    pick::best(choice.choices(), value).map(|(cards, _)| cards)
}

#[cfg(test)]
mod tests {
    use rules::{Action, Legal, Phase, Rules, Suit};

    use super::*;
    use crate::testing::{cards, chosen, deal, declare, rules, view};

    fn laid_off(rules: Rules, hand: &str, talon: &str) -> CardSet {
        let others = usize::from(rules.players()) - 1;
        let mut holdings = vec![hand];
        holdings.extend(std::iter::repeat_n("", others));
        holdings.push(talon);
        let mut deal = deal(rules, &holdings);
        declare(&mut deal, 0, "look_in");
        match chosen(&deal) {
            Action::Discard(cards) => cards,
            other => panic!("expected cards to lay off, not {other:?}"),
        }
    }

    #[test]
    fn trumps_and_aces_are_kept() {
        let hand = "HA HK H8 H7 EA G9 G8 S9";
        let off = laid_off(rules(4), hand, "HX H9 E6 E7");
        assert_eq!(off, cards("EA G9 G8 S9"));
        let hand = "HA HK H8 H7 EA GA G9 G8 S9 S8 S7";
        let off = laid_off(rules(3), hand, "HX H9 E6");
        assert_eq!(off, cards("S9 S8 S7"));
    }

    #[test]
    fn a_lone_ten_is_laid_off() {
        let hand = "HA HK H8 H7 EA EK GX S9 S8 S7 SU";
        let off = laid_off(rules(3), hand, "HX H9 E6");
        assert!(off.includes(cards("GX")), "{off:?}");
    }

    #[test]
    fn a_suit_is_cleared_when_it_can_be() {
        let hand = "HA HK H8 H7 EA E9 GK GO G7 S9 S8";
        let off = laid_off(rules(3), hand, "HX H9 SA");
        assert_eq!(off, cards("GK GO G7"));
    }

    #[test]
    fn what_is_free_to_lay_off_may_come_from_the_talon() {
        let any = Rules::new("brixental", 4, [("discard_from", "any")]).unwrap();
        let hand = "HA HX HK HO H8 H7 EA GA";
        let off = laid_off(any, hand, "GX G7 S9 S8");
        assert!(off.includes(cards("GX S9 S8")), "{off:?}");
    }

    /// What is laid off of these twelve cards or fourteen, and what is then named.
    fn exchanged(rules: Rules, contract: &str, hand: &str, talon: &str) -> (CardSet, Action) {
        let mut holdings = vec![hand, "", ""];
        if rules.players() == 4 {
            holdings.push("");
        }
        holdings.push(talon);
        let mut deal = deal(rules, &holdings);
        while deal.phase() == Phase::Auction {
            deal.apply(Action::Pass).unwrap();
        }
        deal.apply(Action::Announce(rules.contract_named(contract).unwrap()))
            .unwrap();
        let Action::Discard(laid_off) = chosen(&deal) else {
            panic!("expected cards to lay off");
        };
        deal.apply(Action::Discard(laid_off)).unwrap();
        (laid_off, chosen(&deal))
    }

    #[test]
    fn the_suit_that_the_talon_makes_the_best_becomes_trump() {
        let rules = Rules::new("bavarian", 3, []).unwrap();
        let hand = "EA EK EO E8 HA HK H9 G7 G8 S7 SA";
        let (laid_off, named) = exchanged(rules, "pickup:61", hand, "HX HU HO");
        assert_eq!(named, Action::DeclareTrump(Suit::Hearts));
        assert!(laid_off.of_suit(Suit::Hearts).is_empty(), "{laid_off:?}");
        let (laid_off, named) = exchanged(rules, "pickup:61", hand, "EX EU E9");
        assert_eq!(named, Action::DeclareTrump(Suit::Acorns));
        assert!(laid_off.of_suit(Suit::Acorns).is_empty(), "{laid_off:?}");
    }

    #[test]
    fn aces_are_laid_off_only_with_trumps() {
        let rules = Rules::new("dobbm", 4, []).unwrap();
        let hand = "HA HX HK HO HU H9 H8 EA";
        let mut deal = deal(rules, &[hand, "", "", "", "H7 H6 GA SA"]);
        declare(&mut deal, 0, "dobbm");
        let Legal::Discard(choice) = deal.legal() else {
            panic!("expected an exchange");
        };
        let free = DiscardChoice {
            aces_need_trumps: None,
            ..choice
        };
        let wanted = discard(&view(&deal), free).unwrap();
        assert!(!choice.covers_aces(wanted), "{wanted:?}");
        assert!(deal.apply(chosen(&deal)).is_ok());
    }
}
