//! What to lay off.

use rules::{CardSet, DealView};

use crate::strength;

/// The cards to lay off.
pub(crate) fn discard(view: &DealView, from: CardSet, count: u8) -> Option<CardSet> {
    let mut best: Option<(CardSet, f32)> = None;
    for cards in from.subsets(count.into()) {
        let kept = view.hand.difference(cards);
        let value = strength::card_points(kept, view.rules.set().trump, view.rules.players())
            + f32::from(cards.points());
        if best.is_none_or(|(_, most)| value > most) {
            best = Some((cards, value));
        }
    }
    best.map(|(cards, _)| cards)
}
