//! What a deal is worth.

use crate::{
    rulesets::{Declaration, Rules, Target},
    seat::{BySeat, Seat},
};

/// Half the card points of the pack: a declarer needs more.
const HALF: i32 = 60;
/// All card points of the pack.
const ALL: i32 = 120;

/// How a deal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DealEnd {
    /// Everybody passed.
    ThrownIn,
    /// It was played to the last trick.
    Played(DealOutcome),
}

/// Who won a trick with the six of hearts (Spatz).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpatzWin {
    pub(crate) winner: Seat,
    pub(crate) last: bool,
}

/// The result of a deal that was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DealOutcome {
    /// Declarer and contract.
    pub declaration: Declaration,
    /// The declarer's card points, with talon or discards; 0 without a trick.
    pub card_points: u8,
    /// Tricks that the declarer won.
    pub tricks: u8,
    /// Whether the target was reached.
    pub made: bool,
    /// The contract's score, the declarer's alone.
    pub value: i32,
    /// What the Spatz brings each seat, if a trick was won with it.
    pub spatz: Option<BySeat<i32>>,
}

impl DealOutcome {
    pub(crate) fn new(
        rules: &Rules,
        declaration: Declaration,
        card_points: u8,
        tricks: u8,
        spatz: Option<SpatzWin>,
    ) -> Self {
        let contract = rules.contract(declaration.contract);
        let points = i32::from(card_points);
        let (made, needed) = match contract.target {
            Target::Points(target) => (card_points >= target, i32::from(target)),
            Target::EveryTrick => (tricks == rules.hand_size(), ALL + 1),
        };
        let value = if made {
            contract.multiplier * (points - HALF)
        } else {
            let matsch = if tricks == 0 {
                i32::from(rules.options.matsch_factor)
            } else {
                1
            };
            contract.multiplier * (points - (needed - 1)) * matsch
        };
        let factor = if rules.options.spatz_multiplied {
            contract.multiplier
        } else {
            1
        };
        Self {
            declaration,
            card_points,
            tricks,
            made,
            value,
            spatz: spatz.map(|win| spatz_points(rules, declaration.declarer, win, factor)),
        }
    }

    /// What each seat's score changes by.
    #[must_use]
    pub fn points(&self) -> BySeat<i32> {
        let mut points = self.spatz.unwrap_or_default();
        points[self.declaration.declarer] += self.value;
        points
    }
}

/// Everybody of the party that won a trick with the Spatz gets its points, everybody of the
/// other party loses as many.
fn spatz_points(rules: &Rules, declarer: Seat, win: SpatzWin, factor: i32) -> BySeat<i32> {
    let (early, last) = rules.set().spatz;
    let points = factor * if win.last { last } else { early };
    let mut by_seat = BySeat::default();
    for seat in rules.seats() {
        let with_winner = (seat == declarer) == (win.winner == declarer);
        by_seat[seat] = if with_winner { points } else { -points };
    }
    by_seat
}
