//! How dangerous cards are to a declarer who must take no trick (Bettel).

use rules::{Card, CardOrder, CardSet, Suit};

/// The danger of a hand that takes a trick in every second deal, and how quickly more danger
/// makes that more likely; as found by letting bots play them.
const EVEN: f32 = 4.8;
const STEEP: f32 = 0.38;

/// How far the cards of a suit are from being safe, whatever the others hold.
///
/// Each time the suit is led, one card of the hand and at least one from outside go. A card is
/// safe when at least as many cards of the hand as from outside lie below it: by the time that
/// it must be played, every card left outside is higher.
fn of_suit(hand: CardSet, outside: CardSet, order: CardOrder, suit: Suit) -> f32 {
    let (mine, outside) = (hand.of_suit(suit), outside.of_suit(suit));
    let below = |cards: CardSet, card: Card| cards.filter(|&low| order.beats(card, low)).count();
    let over = |card: Card| below(outside, card).saturating_sub(below(mine, card));
    mine.map(|card| over(card) as f32).sum()
}

/// The chance of a hand of this danger to take no trick.
pub(crate) fn chance(danger: f32) -> f32 {
    1.0 / (1.0 + (STEEP * (danger - EVEN)).exp())
}

/// The danger of all suits.
pub(crate) fn of_hand(hand: CardSet, outside: CardSet, order: CardOrder) -> f32 {
    let suits = Suit::ALL.into_iter();
    suits.map(|suit| of_suit(hand, outside, order, suit)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cards;

    fn danger(hand: &str) -> f32 {
        let hand = cards(hand);
        of_hand(hand, CardSet::FULL.difference(hand), CardOrder::NoTrump)
    }

    #[test]
    fn every_second_card_from_the_lowest_is_safe_and_the_ten_is_low() {
        assert_eq!(danger("E6 E8 EX EO EA"), 0.0);
        assert_eq!(danger("E6 E7 E8 E9"), 0.0);
        assert_eq!(danger("E6 E8 EU"), 1.0);
    }

    #[test]
    fn a_lone_high_card_is_dangerous_and_low_ones_beside_it_help() {
        assert_eq!(danger("EA"), 8.0);
        assert_eq!(danger("E6 E7 EA"), 4.0);
        assert!(danger("EK GK") > danger("EK") + 5.0);
    }

    #[test]
    fn what_has_been_played_is_no_danger_any_more() {
        let hand = cards("E9 EK");
        let outside = cards("EA");
        assert_eq!(of_hand(hand, outside, CardOrder::NoTrump), 0.0);
    }

    #[test]
    fn the_more_danger_the_less_chance() {
        assert!(chance(0.0) > 0.8);
        assert!(chance(3.0) > 0.5 && chance(7.0) < 0.5);
        assert!(chance(15.0) < 0.05);
    }
}
