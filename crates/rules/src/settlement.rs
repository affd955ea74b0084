//! The end of a session: who shares the pot, places, and who pays whom.

use crate::{
    rules::Rules,
    seat::{BySeat, Seat},
};

/// Standing and payments of a finished session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// The scores, after sharing the pot.
    pub scores: BySeat<i32>,
    /// What each seat got from the pot.
    pub pot_shares: BySeat<i32>,
    /// Place by score, competition ranking: 1, 2, 2, 4.
    pub places: BySeat<u8>,
    /// What each seat gets (positive) or pays (negative) by the difference of the scores; adds
    /// up to zero. `None` in a game whose deals are paid at once.
    pub payments: Option<BySeat<i32>>,
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
    pub(crate) fn new(rules: &Rules, scores: &BySeat<i32>, pot: i32, first_dealer: Seat) -> Self {
        let players = rules.players();
        let pot_shares = share(pot, |_| true, first_dealer, players);
        let mut scores = *scores;
        for seat in Seat::all(players) {
            scores[seat] += pot_shares[seat];
        }
        let extra = rules.set().lowest_pays_extra;
        Self {
            scores,
            pot_shares,
            places: places(&scores, players),
            payments: extra.map(|extra| payments(&scores, extra, first_dealer, players)),
        }
    }
}

/// Each other player pays the winner the difference of their scores, each of the lowest pays an
/// extra (Extrapönale). Several winners share. If all are equal nobody pays.
fn payments(scores: &BySeat<i32>, extra: i32, first_dealer: Seat, players: u8) -> BySeat<i32> {
    let in_play = scores.first(players);
    let highest = in_play.iter().copied().max().unwrap_or(0);
    let lowest = in_play.iter().copied().min().unwrap_or(0);
    if lowest == highest {
        return BySeat::default();
    }
    let mut paid = BySeat::default();
    let mut pool = 0;
    for seat in Seat::all(players).filter(|&seat| scores[seat] < highest) {
        let extra = if scores[seat] == lowest { extra } else { 0 };
        paid[seat] = scores[seat] - highest - extra;
        pool -= paid[seat];
    }
    let won = share(pool, |seat| scores[seat] == highest, first_dealer, players);
    for seat in Seat::all(players) {
        paid[seat] += won[seat];
    }
    paid
}

/// Shares a pool equally; what is left over goes, one point each, to those nearest after the
/// first dealer.
fn share(pool: i32, among: impl Fn(Seat) -> bool, first_dealer: Seat, players: u8) -> BySeat<i32> {
    let sharing = Seat::all(players).filter(|&seat| among(seat)).count() as i32;
    let mut shares = BySeat::default();
    if sharing == 0 {
        return shares;
    }
    let mut left_over = pool % sharing;
    for steps in 1..=players {
        let seat = first_dealer.clockwise(steps, players);
        if among(seat) {
            let one = i32::from(left_over > 0);
            left_over -= one;
            shares[seat] = pool / sharing + one;
        }
    }
    shares
}
