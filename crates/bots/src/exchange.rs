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
    use rules::{Action, Rules};

    use crate::testing::{cards, chosen, deal, declare, rules};

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

    use super::*;

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
}
