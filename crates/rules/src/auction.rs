//! The auction: clockwise from forehand, as many rounds as needed.
//!
//! A pass is final, each bid must be higher, and nobody raises a bid of their own that stands;
//! the last bidder standing is declarer.

use crate::{
    rulesets::{ContractId, Declaration},
    seat::Seat,
};

/// What a seat said in the auction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Who.
    pub seat: Seat,
    /// The contract that was bid; `None` for a pass.
    pub bid: Option<ContractId>,
}

/// More than an auction can have: each of up to 4 seats passes once, each of up to 24
/// contracts is bid once.
const CALLS_MAX: usize = 28;

/// What was said so far, in order.
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    calls: [Call; CALLS_MAX],
    len: u8,
}

impl Calls {
    const EMPTY: Self = Self {
        calls: [Call {
            seat: match Seat::new(0) {
                Some(seat) => seat,
                None => unreachable!(),
            },
            bid: None,
        }; CALLS_MAX],
        len: 0,
    };

    fn push(&mut self, call: Call) {
        self.calls[usize::from(self.len)] = call;
        self.len += 1;
    }
}

impl std::ops::Deref for Calls {
    type Target = [Call];

    fn deref(&self) -> &[Call] {
        &self.calls[..usize::from(self.len)]
    }
}

impl PartialEq for Calls {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Calls {}

/// How an auction stands after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuctionState {
    Running,
    Won(Declaration),
    ThrownIn,
}

/// An auction and whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Auction {
    pub(crate) calls: Calls,
    pub(crate) turn: Seat,
    /// The bid that stands.
    pub(crate) high: Option<Declaration>,
    /// Bit n: seat n has not passed.
    standing: u8,
    players: u8,
}

impl Auction {
    pub(crate) fn new(forehand: Seat, players: u8) -> Self {
        Self {
            calls: Calls::EMPTY,
            turn: forehand,
            high: None,
            standing: (1 << players) - 1,
            players,
        }
    }

    /// The contracts that are still to be bid are those from this place of the ladder on.
    pub(crate) fn lowest_bid(&self) -> u8 {
        self.high.map_or(0, |high| high.contract.0 + 1)
    }

    /// Takes the call of the seat whose turn it is. The caller has checked that a bid is high
    /// enough.
    pub(crate) fn call(&mut self, bid: Option<ContractId>) -> AuctionState {
        let seat = self.turn;
        self.calls.push(Call { seat, bid });
        match bid {
            Some(contract) => {
                self.high = Some(Declaration {
                    declarer: seat,
                    contract,
                });
            }
            None => self.standing &= !(1 << seat.number()),
        }
        let others = (1..=self.players).map(|steps| seat.clockwise(steps, self.players));
        let next = others
            .into_iter()
            .find(|next| self.standing >> next.number() & 1 == 1);
        match (next, self.high) {
            (None, _) => AuctionState::ThrownIn,
            // Round the table without a higher bid.
            (Some(next), Some(high)) if next == high.declarer => AuctionState::Won(high),
            (Some(next), _) => {
                self.turn = next;
                AuctionState::Running
            }
        }
    }
}
