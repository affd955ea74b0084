//! What to lay off.

use rules::{CardSet, DealView, DiscardChoice, Suit};

use crate::strength;

/// The cards to lay off.
pub(crate) fn discard(view: &DealView, choice: DiscardChoice) -> Option<CardSet> {
    let mut best: Option<(CardSet, f32)> = None;
    for cards in choice.choices() {
        let kept = view.hand.difference(cards);
        let value = points(view, kept) + f32::from(cards.points());
        if best.is_none_or(|(_, most)| value > most) {
            best = Some((cards, value));
        }
    }
    best.map(|(cards, _)| cards)
}

/// The card points of the kept cards with the trump that there is or the best there can be.
fn points(view: &DealView, kept: CardSet) -> f32 {
    let suits = view.trump.as_slice();
    let suits = if suits.is_empty() { &Suit::ALL } else { suits };
    strength::best_trump(kept, suits, view.rules.players()).1
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
