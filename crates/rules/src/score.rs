//! What a deal is worth, and to whom.

use crate::{
    card::Card,
    deal::Deal,
    rulesets::{Booking, Declaration, Scoring, SpatzCounts, Target},
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
    /// It was played to the end.
    Played(DealOutcome),
}

/// The result of a deal that was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DealOutcome {
    /// Declarer and contract.
    pub declaration: Declaration,
    /// The declarer's card points, with talon or discards; 0 without a trick. A contract of no
    /// trick has none.
    pub card_points: Option<u8>,
    /// Tricks that the declarer won.
    pub tricks: u8,
    /// Whether the target was reached.
    pub made: bool,
    /// The contract's score or price; positive when made, negative or 0 when not.
    pub value: i32,
    /// Between whom the value passes.
    pub booking: Booking,
    /// What the Spatz brings each seat, if it was won or lost so that it counts.
    pub spatz: Option<BySeat<i32>>,
}

/// What a deal did to the scores and to the pot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paid {
    /// What each seat's score changes by.
    pub points: BySeat<i32>,
    /// What is in the pot afterwards.
    pub pot: i32,
}

impl DealOutcome {
    pub(crate) fn new(deal: &Deal, declaration: Declaration) -> Self {
        let rules = &deal.rules;
        let contract = rules.contract(declaration.contract);
        let tricks = deal.tricks.won()[declaration.declarer];
        let card_points = card_points(deal, declaration);
        let points = card_points.map_or(0, i32::from);
        let (made, needed) = match contract.target {
            Target::Points(target) => (points >= i32::from(target), i32::from(target)),
            Target::EveryTrick => (tricks == rules.hand_size(), ALL + 1),
            Target::NoTrick => (tricks == 0, 0),
        };
        let multiplier = contract.worth * deal.doubling.factor();
        let value = match rules.set().scoring {
            Scoring::Difference if made => multiplier * (points - HALF),
            Scoring::Difference => {
                let matsch = if tricks == 0 {
                    i32::from(rules.options.matsch_factor)
                } else {
                    1
                };
                multiplier * (points - (needed - 1)) * matsch
            }
            Scoring::Price { extra_at } if made => {
                let reached = |&&at: &&u8| card_points.is_some_and(|points| points >= at);
                multiplier + extra_at.iter().filter(reached).count() as i32
            }
            Scoring::Price { .. } => -multiplier,
        };
        Self {
            declaration,
            card_points,
            tricks,
            made,
            value,
            booking: rules.booking(contract),
            spatz: spatz(deal, declaration.declarer, multiplier),
        }
    }

    /// What the deal does to the scores of so many players, with so much in the pot.
    #[must_use]
    pub fn pay(&self, players: u8, pot: i32) -> Paid {
        let declarer = self.declaration.declarer;
        let (mut points, pot) = match self.booking {
            Booking::Pot => self.pay_by_pot(players, pot),
            booking => (book(booking, declarer, self.value, players), pot),
        };
        if let Some(spatz) = self.spatz {
            for seat in Seat::all(players) {
                points[seat] += spatz[seat];
            }
        }
        Paid { points, pot }
    }

    /// Won: from the pot to the declarer. Lost: from the pot to the first opponent clockwise,
    /// from the declarer's own pocket to each other one. The pot pays at most what it holds.
    fn pay_by_pot(&self, players: u8, pot: i32) -> (BySeat<i32>, i32) {
        let declarer = self.declaration.declarer;
        let price = self.value.abs();
        let from_pot = price.min(pot);
        let mut points = BySeat::default();
        if self.made {
            points[declarer] = from_pot;
        } else {
            points[declarer.left(players)] = from_pot;
            for steps in 2..players {
                points[declarer.clockwise(steps, players)] = price;
                points[declarer] -= price;
            }
        }
        (points, pot - from_pot)
    }
}

/// The declarer's card points. A declarer without a trick (Matsch) loses talon and discards to
/// the defenders.
fn card_points(deal: &Deal, declaration: Declaration) -> Option<u8> {
    let contract = deal.rules.contract(declaration.contract);
    if contract.target == Target::NoTrick {
        return None;
    }
    if deal.tricks.won()[declaration.declarer] == 0 {
        return Some(0);
    }
    let set_aside = if contract.takes_talon {
        deal.discards
    } else {
        deal.talon
    };
    Some(deal.tricks.points_of(declaration.declarer) + set_aside.points())
}

/// Books an amount that is the declarer's when it is positive.
fn book(booking: Booking, declarer: Seat, amount: i32, players: u8) -> BySeat<i32> {
    let mut points = BySeat::default();
    match booking {
        Booking::DeclarerAlone => points[declarer] = amount,
        Booking::EachParty => {
            for seat in Seat::all(players) {
                points[seat] = if seat == declarer { amount } else { -amount };
            }
        }
        Booking::FromEach => {
            for seat in Seat::all(players).filter(|&seat| seat != declarer) {
                points[seat] = -amount;
                points[declarer] += amount;
            }
        }
        // What passes through the pot needs to know what is in it.
        Booking::Pot => {}
    }
    points
}

/// What the six of hearts (Spatz) brings each seat.
fn spatz(deal: &Deal, declarer: Seat, multiplier: i32) -> Option<BySeat<i32>> {
    let rules = &deal.rules;
    let rule = rules.set().spatz.filter(|_| rules.options.spatz)?;
    let mut played = deal.tricks.cards().iter();
    let place = played.position(|&card| card == Card::SPATZ)?;
    let players = usize::from(rules.players());
    let number = place / players;
    let trick = deal.tricks.iter().nth(number)?;
    let played_by = trick
        .leader
        .clockwise((place % players) as u8, rules.players());
    let last = number + 1 == usize::from(rules.hand_size());
    let wins_trick = trick.winner == played_by;
    let changes_sides = (trick.winner == declarer) != (played_by == declarer);
    let counts = match rule.counts {
        SpatzCounts::WinningTheTrick => wins_trick,
        SpatzCounts::LostToTheOtherSide => changes_sides || (last && wins_trick),
    };
    let points = if last { rule.last } else { rule.early };
    let factor = if rules.options.spatz_multiplied {
        multiplier
    } else {
        1
    };
    let sign = if trick.winner == declarer { 1 } else { -1 };
    counts.then(|| {
        book(
            rule.booking,
            declarer,
            sign * points * factor,
            rules.players(),
        )
    })
}
