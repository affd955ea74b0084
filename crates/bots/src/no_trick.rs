//! Which card to play where the declarer must take no trick (Bettel).
//!
//! The declarer stays under and gets rid of what could be forced to win. The defenders keep
//! their low cards, for these are what a declarer can be made to beat.

use rules::{Card, CardSet, DealView};

use crate::{danger, knowledge::Knowledge, trick::Trick};

/// What the declarer's taking a trick weighs, against what the other cards are left for.
const DECIDED: f32 = 100.0;
/// What a defender gains by each card of the suit below the one that goes.
const HIGH: f32 = 0.3;
/// What a defender loses by each card of the suit in the hand: a suit that is gone lets any
/// card of the declarer's win.
const LONG: f32 = 12.0;
/// What a suit that the declarer is out of costs to lead: it lets a dangerous card go.
const LETS_GO: f32 = 10.0;

/// How good playing a card is.
pub(crate) fn gain(view: &DealView, knowledge: &Knowledge, trick: &Trick<'_>, card: Card) -> f32 {
    if knowledge.is_declarer() {
        let left = view.hand.without(card);
        let danger = danger::of_hand(left, knowledge.unseen, knowledge.order);
        return -DECIDED * trick.forced_on(card) - danger;
    }
    let lets_go = match trick.led {
        None => knowledge.holds_none(knowledge.declarer, CardSet::FULL.of_suit(card.suit())),
        Some(_) => 0.0,
    };
    DECIDED * taken(knowledge, trick, card) + HIGH * knowledge.lower(card).len() as f32
        - LONG * view.hand.of_suit(card.suit()).len() as f32
        - LETS_GO * lets_go
}

/// The chance that the declarer takes the trick if this defender plays a card.
fn taken(knowledge: &Knowledge, trick: &Trick<'_>, card: Card) -> f32 {
    let takes = trick.takes(card);
    let (best, by) = match trick.best {
        Some(standing) if !takes => standing,
        _ => (card, knowledge.me),
    };
    if by == knowledge.declarer {
        return stay_under(knowledge, trick, best);
    }
    if !trick.after().any(|seat| seat == knowledge.declarer) {
        return 0.0;
    }
    // The declarer ducks with the lowest card; it wins when that is too high.
    let lowest_is = |card: Card| {
        let below = knowledge.lower(card);
        knowledge.holds_none(knowledge.declarer, below) * knowledge.holds(knowledge.declarer, card)
    };
    let forced = knowledge.higher(best);
    forced
        .map(|card| lowest_is(card) * stay_under(knowledge, trick, card))
        .sum()
}

/// The chance that the other defenders who are still to play stay under a card.
fn stay_under(knowledge: &Knowledge, trick: &Trick<'_>, card: Card) -> f32 {
    let others = trick.after().filter(|&seat| seat != knowledge.declarer);
    others
        .map(|seat| 1.0 - knowledge.forced_above(seat, card))
        .product()
}

#[cfg(test)]
mod tests {
    use crate::testing::{chosen_card, deal, declare, haferltarock, play};

    /// The card that a bot plays after these, the seat having declared a Bettel.
    fn answer(declarer: u8, hands: &[&str], played: &str) -> String {
        let mut deal = deal(haferltarock(), hands);
        declare(&mut deal, declarer, "bettel");
        play(&mut deal, played);
        chosen_card(&deal)
    }

    #[test]
    fn the_declarer_plays_the_highest_card_that_stays_under() {
        let hands = ["EK", "EU", "E7 EX EO EA G6 G7 G8 S6 S7 S8 S9"];
        assert_eq!(answer(2, &hands, "EK EU"), "EO");
        let hands = ["EU", "E9", "E7 EX EO EA G6 G7 G8 S6 S7 S8 S9"];
        assert_eq!(answer(2, &hands, "EU E9"), "EX");
    }

    #[test]
    fn the_declarer_throws_the_most_dangerous_card() {
        let hands = ["EK", "EU", "G6 G7 G8 G9 S6 S7 S8 S9 H6 H7 HA"];
        assert_eq!(answer(2, &hands, "EK EU"), "HA");
    }

    #[test]
    fn the_declarer_leads_a_card_that_somebody_must_beat() {
        let hands = ["E6 G7 G9 GU S7 S9 SU H8 HX HO HK"];
        assert_eq!(answer(0, &hands, ""), "E6");
    }

    #[test]
    fn a_defender_stays_under_the_declarer() {
        let hands = ["EO", "E7 EU EA EK G6 G9 GX GA S6 SX SA"];
        assert!(["E7", "EU"].contains(&answer(0, &hands, "EO").as_str()));
    }

    #[test]
    fn a_defender_leads_low() {
        let hands = ["E6 E7 EK EA G6 G7 GK GA S6 SK SA"];
        let led = answer(1, &hands, "");
        assert!(led.ends_with('6') || led.ends_with('7'), "{led}");
    }

    #[test]
    fn a_defender_sheds_a_high_card_when_the_declarer_is_safe() {
        let hands = ["GA", "G6", "G7 GX GK E6 E7 E8 S6 S7 S8 H6 H7"];
        assert_eq!(answer(1, &hands, "GA G6"), "GK");
    }
}
