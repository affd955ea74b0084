//! What a seat may see of a deal. The only place that decides it.

use crate::{
    action::Legal,
    auction::Calls,
    card::Suit,
    card_set::CardSet,
    deal::{Deal, Phase},
    doubling::Doubling,
    rules::Rules,
    rulesets::Declaration,
    seat::{BySeat, Seat},
    tricks::Tricks,
};

/// A deal as one seat sees it; two deals that differ only in what the seat cannot see give
/// equal views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DealView {
    /// The rules it is played by.
    pub rules: Rules,
    /// Whose view it is; `None` for somebody who has no seat.
    pub seat: Option<Seat>,
    /// Who dealt.
    pub dealer: Seat,
    /// Where the deal is.
    pub phase: Phase,
    /// Whose turn it is.
    pub turn: Option<Seat>,
    /// What the seat may do now; nothing unless it is its turn.
    pub legal: Legal,
    /// The seat's cards.
    pub hand: CardSet,
    /// How many cards each seat holds.
    pub cards: BySeat<u8>,
    /// The auction so far.
    pub calls: Calls,
    /// Declarer and contract, once there are.
    pub declaration: Option<Declaration>,
    /// The trump suit, as soon as it can be known; `None` in a contract without.
    pub trump: Option<Suit>,
    /// Who has doubled.
    pub doubling: Doubling,
    /// The talon and what was laid off, as far as the seat has seen them.
    pub uncovered: Uncovered,
    /// The tricks so far.
    pub tricks: Tricks,
}

/// The cards beside the hands that a seat has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// The talon as dealt: for the declarer who took it up, and for all when the deal is over.
    pub talon: Option<CardSet>,
    /// What was laid off: for the declarer, and for all when the deal is over.
    pub discards: Option<CardSet>,
}

impl Deal {
    /// The deal as a seat sees it, or as somebody without a seat does.
    #[must_use]
    pub fn view(&self, seat: Option<Seat>) -> DealView {
        let mine = |by_seat: &BySeat<CardSet>| seat.map_or(CardSet::EMPTY, |seat| by_seat[seat]);
        let my_turn = seat.is_some() && self.turn() == seat;
        DealView {
            rules: self.rules,
            seat,
            dealer: self.dealer,
            phase: self.phase,
            turn: self.turn(),
            legal: if my_turn {
                self.legal()
            } else {
                Legal::Nothing
            },
            hand: mine(&self.hands),
            cards: BySeat(self.hands.0.map(|hand| hand.len() as u8)),
            calls: self.auction.calls,
            declaration: self.declaration,
            trump: self.trump,
            doubling: self.doubling,
            uncovered: self.uncovered(seat),
            tricks: self.tricks,
        }
    }

    fn uncovered(&self, seat: Option<Seat>) -> Uncovered {
        let taken_up_by = self
            .declaration
            .filter(|declared| self.rules.contract(declared.contract).takes_talon)
            .map(|declared| declared.declarer);
        let over = self.phase == Phase::Done;
        let seen = over || (seat.is_some() && taken_up_by == seat);
        let laid_off = taken_up_by.is_some() && self.phase != Phase::Exchange;
        Uncovered {
            talon: seen.then_some(self.talon),
            discards: (seen && laid_off).then_some(self.discards),
        }
    }
}
