//! The end of a session: places, and who pays whom.

use crate::{
    rulesets::Rules,
    seat::{BySeat, Seat},
};

/// Standing and payments of a finished session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// Place by score, competition ranking: 1, 2, 2, 4.
    pub places: BySeat<u8>,
    /// What each seat gets (positive) or pays (negative); adds up to zero.
    pub payments: BySeat<i32>,
}

/// Places by score, competition ranking; equal scores share a place.
#[must_use]
pub fn places(scores: &BySeat<i32>, players: u8) -> BySeat<u8> {
    let mut places = BySeat::default();
    for seat in Seat::all(players) {
        let better = Seat::all(players).filter(|&other| scores[other] > scores[seat]);
        places[seat] = 1 + better.count() as u8;
    }
    places
}

impl Settlement {
    /// Each other player pays the winner the difference of their scores, each of the lowest
    /// pays an extra (Extrapönale). Several winners share equally; what is left over goes, one
    /// point each, to those nearest after the first dealer. If all are equal nobody pays.
    pub(crate) fn new(rules: &Rules, scores: &BySeat<i32>, first_dealer: Seat) -> Self {
        let players = rules.players();
        let seats = || Seat::all(players);
        let highest = seats().map(|seat| scores[seat]).max().unwrap_or(0);
        let lowest = seats().map(|seat| scores[seat]).min().unwrap_or(0);
        let mut payments = BySeat::default();
        if lowest < highest {
            for seat in seats().filter(|&seat| scores[seat] < highest) {
                let extra = if scores[seat] == lowest {
                    rules.set().lowest_pays_extra
                } else {
                    0
                };
                payments[seat] = scores[seat] - highest - extra;
            }
            let pool: i32 = -payments.first(players).iter().sum::<i32>();
            let winners = seats().filter(|&seat| scores[seat] == highest).count() as i32;
            let mut left_over = pool % winners;
            for steps in 1..=players {
                let seat = first_dealer.clockwise(steps, players);
                if scores[seat] == highest {
                    let one = i32::from(left_over > 0);
                    left_over -= one;
                    payments[seat] = pool / winners + one;
                }
            }
        }
        Self {
            places: places(scores, players),
            payments,
        }
    }
}
