//! Which card to play where the declarer must take no trick (Bettel).
//!
//! The declarer stays under and gets rid of what could be forced to win. The defenders keep
//! their low cards, for these are what a declarer can be made to beat.

use rules::{Card, CardSet, DealView};

use crate::{danger, knowledge::Knowledge, trick::Trick};

/// What the declarer's taking a trick weighs, against which of several harmless cards to keep.
const DECIDED: f32 = 100.0;
/// For a defender, what each place in the order of the suit that is got rid of weighs.
const HIGH: f32 = 0.5;
/// And each card of the same suit that stays in the hand: a suit that is gone lets a partner's
/// lead run.
const STAYS: f32 = 6.0;
/// What a suit that the declarer may be out of costs to lead: it lets a dangerous card go.
const LETS_GO: f32 = 10.0;

/// How good playing a card is.
pub(crate) fn gain(view: &DealView, knowledge: &Knowledge, trick: &Trick<'_>, card: Card) -> f32 {
    if knowledge.is_declarer() {
        let left = view.hand.without(card);
        let danger = danger::of_hand(left, knowledge.unseen, knowledge.order);
        return -DECIDED * trick.forced_on(card) - danger;
    }
    let suit = view.hand.of_suit(card.suit());
    let mut gain = DECIDED * taken(knowledge, trick, card) + HIGH * knowledge.place(card)
        - STAYS * suit.len() as f32;
    if trick.led.is_none() {
        gain -=
            LETS_GO * knowledge.holds_none(knowledge.declarer, CardSet::FULL.of_suit(card.suit()));
    }
    gain
}

/// The chance that the declarer takes the trick if this defender plays a card.
fn taken(knowledge: &Knowledge, trick: &Trick<'_>, card: Card) -> f32 {
    let takes = trick.takes(card);
    let (best, by) = match trick.best {
        Some(standing) if !takes => standing,
        _ => (card, knowledge.me),
    };
    let others = trick.after().filter(|&seat| seat != knowledge.declarer);
    let stay_under: f32 = others
        .map(|seat| 1.0 - knowledge.forced_above(seat, best))
        .product();
    if by == knowledge.declarer {
        return stay_under;
    }
    if trick.after().any(|seat| seat == knowledge.declarer) {
        return stay_under * knowledge.forced_above(knowledge.declarer, best);
    }
    0.0
}
