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
pub(crate) fn of_suit(hand: CardSet, outside: CardSet, order: CardOrder, suit: Suit) -> f32 {
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
