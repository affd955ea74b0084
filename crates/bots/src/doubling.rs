//! Whether to double and to redouble: when the hand says that the other side takes less than
//! half.
//!
//! The numbers are averages over tens of thousands of deals between bots.

use rules::{Action, DealView};

use crate::{estimate, strength};

/// Half of the card points: what a declarer must exceed.
const HALF: f32 = 60.0;
/// How many card points less a declarer makes whom somebody has doubled, with the talon and
/// without: then the defender must be stronger.
const DOUBLED: f32 = 8.0;
const DOUBLED_HAND: f32 = 16.0;

/// How strong a defender's hand must be, as if it were to declare itself, for the declarer to
/// take less than half on average.
const fn strong(takes_talon: bool, players: u8) -> f32 {
    match (takes_talon, players <= 3) {
        (true, true) => 42.0,
        (true, false) => 40.0,
        (false, true) => 50.0,
        (false, false) => 44.0,
    }
}

/// A defender's answer.
pub(crate) fn double(view: &DealView) -> Action {
    if is_strong(view).unwrap_or(false) {
        Action::Double
    } else {
        Action::Pass
    }
}

fn is_strong(view: &DealView) -> Option<bool> {
    let (rules, declared) = (&view.rules, view.declaration?);
    let takes_talon = rules.contract(declared.contract).takes_talon;
    let strength = strength::card_points(view.hand, view.trump?, rules.players());
    Some(strength > strong(takes_talon, rules.players()))
}

/// The declarer's answer to a double.
pub(crate) fn redouble(view: &DealView) -> Action {
    let points = card_points(view);
    if points.is_some_and(|points| points > HALF) {
        Action::Redouble
    } else {
        Action::Pass
    }
}

/// The card points that a declarer who was doubled expects to make.
fn card_points(view: &DealView) -> Option<f32> {
    let (rules, declared) = (&view.rules, view.declaration?);
    match view.uncovered.discards {
        Some(discards) => {
            let tricks = strength::card_points(view.hand, view.trump?, rules.players());
            Some(tricks + f32::from(discards.points()) - DOUBLED)
        }
        None => Some(estimate::card_points(view, declared.contract) - DOUBLED_HAND),
    }
}

#[cfg(test)]
mod tests {
    use rules::{Action, Deal, Rules};

    use crate::testing::{chosen, deal, declare};

    fn declared(hands: &[&str], contract: &str) -> Deal {
        let rules = Rules::new("bauerntarock", 3, []).unwrap();
        let mut deal = deal(rules, hands);
        declare(&mut deal, 0, contract);
        deal
    }

    const FAIR: &str = "HK HO H8 H9 EA EX E7 G8 GA S9 SK";
    const STRONG: &str = "HA HX HK HO HU H8 EA GA SA SX E7";
    const THREAT: &str = "HA HX HU H7 SA SX EK EO G9 GX S8";

    #[test]
    fn a_strong_defender_doubles_and_a_weak_one_does_not() {
        assert_eq!(
            chosen(&declared(&[FAIR, THREAT], "sumpern")),
            Action::Double
        );
        let weak = "H7 EK E9 E8 GK G9 G7 SU S8 S7 EO";
        assert_eq!(chosen(&declared(&[FAIR, weak], "sumpern")), Action::Pass);
    }

    #[test]
    fn a_strong_declarer_redoubles_and_a_fair_one_does_not() {
        for (hand, answer) in [(STRONG, Action::Redouble), (FAIR, Action::Pass)] {
            let mut deal = declared(&[hand], "sumpern");
            deal.apply(Action::Double).unwrap();
            assert_eq!(chosen(&deal), answer, "{hand}");
        }
    }

    #[test]
    fn after_the_exchange_the_discards_count() {
        let mut deal = declared(&[STRONG, "", "", "EX GX GK"], "look_in");
        let laid_off = chosen(&deal);
        deal.apply(laid_off).unwrap();
        deal.apply(Action::Double).unwrap();
        assert_eq!(chosen(&deal), Action::Redouble);
    }
}
