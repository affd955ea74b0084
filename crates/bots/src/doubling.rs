//! Whether to double and to redouble: when the hand says that the other side's half is the
//! smaller one.
//!
//! The numbers were found by regression over tens of thousands of deals between bots.

use rules::{Action, DealView};

use crate::{estimate, strength};

/// Half of the card points: what a declarer must exceed.
const HALF: f32 = 60.0;
/// How many card points less a declarer makes whom somebody has doubled.
const DOUBLED: f32 = 8.0;

/// What a declarer makes, seen from the hand of a defender.
struct Seen {
    /// The card points on average.
    made: f32,
    /// The strength of a defender's hand on average.
    strength: f32,
    /// How many card points less the declarer makes for each point of strength above it.
    slope: f32,
}

impl Seen {
    const fn of(takes_talon: bool, players: u8) -> Self {
        let (made, strength, slope) = match (takes_talon, players <= 3) {
            (true, true) => (67.0, 26.4, 0.47),
            (true, false) => (71.0, 16.0, 0.42),
            (false, true) => (74.0, 21.4, 0.32),
            (false, false) => (74.0, 12.0, 0.25),
        };
        Self {
            made,
            strength,
            slope,
        }
    }
}

/// A defender's answer.
pub(crate) fn double(view: &DealView) -> Action {
    let points = declarer_from_outside(view);
    if points.is_some_and(|points| points < HALF) {
        Action::Double
    } else {
        Action::Pass
    }
}

/// The declarer's answer to a double.
pub(crate) fn redouble(view: &DealView) -> Action {
    let points = declarer_from_inside(view);
    if points.is_some_and(|points| points - DOUBLED > HALF) {
        Action::Redouble
    } else {
        Action::Pass
    }
}

/// The card points that a defender expects the declarer to make.
fn declarer_from_outside(view: &DealView) -> Option<f32> {
    let (rules, declared) = (&view.rules, view.declaration?);
    let takes_talon = rules.contract(declared.contract).takes_talon;
    let seen = Seen::of(takes_talon, rules.players());
    let strength = strength::card_points(view.hand, view.trump?, rules.players());
    Some(seen.made - seen.slope * (strength - seen.strength))
}

/// The card points that the declarer expects to make.
fn declarer_from_inside(view: &DealView) -> Option<f32> {
    let (rules, declared) = (&view.rules, view.declaration?);
    match view.uncovered.discards {
        Some(discards) => {
            let tricks = strength::card_points(view.hand, view.trump?, rules.players());
            Some(tricks + f32::from(discards.points()))
        }
        None => Some(estimate::card_points(view, declared.contract)),
    }
}
