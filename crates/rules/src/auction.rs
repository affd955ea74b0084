//! The auction, in each of its kinds.

use crate::{
    rulesets::{ContractId, Declaration},
    seat::Seat,
};

/// How an auction goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuctionKind {
    /// Clockwise from forehand, as many rounds as needed: a pass is final, each bid must be
    /// higher, and nobody raises a bid of their own that stands.
    Rising,
    /// One turn each from forehand; each bid must be higher.
    OneTurn,
    /// Two at a time: the later seat names a bid, the earlier one holds it or passes. The
    /// winner then announces a contract.
    Holding,
}

/// What a seat said in the auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing, for the whole auction.
    Pass,
    /// The level that was just bid.
    Hold,
    /// A contract.
    Bid(ContractId),
}

/// A call of the auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who.
    pub seat: Seat,
    /// What.
    pub said: Said,
}

/// More than an auction can have: each of up to 27 contracts is bid once and held once, and
/// each seat passes once.
const CALLS_MAX: usize = 60;

/// What was said so far, in order.
#[derive(Clone, Copy)]
pub struct Calls {
    /// Seat in the two highest bits, then what was said.
    calls: [u8; CALLS_MAX],
    len: u8,
}

const PASS: u8 = 63;
const HOLD: u8 = 62;

impl Calls {
    const EMPTY: Self = Self {
        calls: [0; CALLS_MAX],
        len: 0,
    };

    fn push(&mut self, call: Call) {
        let said = match call.said {
            Said::Pass => PASS,
            Said::Hold => HOLD,
            Said::Bid(contract) => contract.0,
        };
        self.calls[usize::from(self.len)] = call.seat.number() << 6 | said;
        self.len += 1;
    }

    fn packed(&self) -> &[u8] {
        &self.calls[..usize::from(self.len)]
    }

    /// The calls, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Call> + Clone + '_ {
        self.packed().iter().map(|call| Call {
            seat: Seat::new(call >> 6).unwrap_or_default(),
            said: match call & 63 {
                PASS => Said::Pass,
                HOLD => Said::Hold,
                contract => Said::Bid(ContractId(contract)),
            },
        })
    }

    /// How many.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether nobody has said anything.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a seat has bid.
    #[must_use]
    pub fn has_bid(&self, seat: Seat) -> bool {
        self.iter()
            .any(|call| call.seat == seat && matches!(call.said, Said::Bid(_)))
    }
}

impl std::fmt::Debug for Calls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for Calls {
    fn eq(&self, other: &Self) -> bool {
        self.packed() == other.packed()
    }
}

impl Eq for Calls {}

/// How an auction stands after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuctionState {
    Running,
    Won(Declaration),
    /// The seat whose turn it is announces a contract.
    Announcing,
    ThrownIn,
}

/// An auction and whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Auction {
    kind: AuctionKind,
    pub(crate) calls: Calls,
    pub(crate) turn: Seat,
    /// The bid that stands, and who made it.
    pub(crate) high: Option<Declaration>,
    /// Bit n: seat n has not passed.
    standing: u8,
    players: u8,
    forehand: Seat,
    /// Of a holding auction: who holds, and who bids against them.
    holder: Seat,
    challenger: Seat,
}

impl Auction {
    pub(crate) fn new(kind: AuctionKind, forehand: Seat, players: u8) -> Self {
        let second = forehand.left(players);
        Self {
            kind,
            calls: Calls::EMPTY,
            turn: match kind {
                AuctionKind::Rising | AuctionKind::OneTurn => forehand,
                AuctionKind::Holding => second,
            },
            high: None,
            standing: (1 << players) - 1,
            players,
            forehand,
            holder: forehand,
            challenger: second,
        }
    }

    /// The contracts that are still to be bid are those from this place of the ladder on.
    pub(crate) fn lowest_bid(&self) -> u8 {
        self.high.map_or(0, |high| high.contract.0 + 1)
    }

    /// The lowest contract that the winner of a holding auction may announce.
    pub(crate) fn lowest_announcement(&self) -> u8 {
        self.high.map_or(0, |high| high.contract.0)
    }

    /// Whether the seat whose turn it is answers a bid.
    pub(crate) fn is_answering(&self) -> bool {
        self.kind == AuctionKind::Holding && self.turn == self.holder
    }

    /// Takes the call of the seat whose turn it is. The caller has checked that it is allowed.
    pub(crate) fn call(&mut self, said: Said) -> AuctionState {
        let seat = self.turn;
        self.calls.push(Call { seat, said });
        match said {
            Said::Bid(contract) => {
                self.high = Some(Declaration {
                    declarer: seat,
                    contract,
                });
            }
            Said::Hold => {}
            Said::Pass => self.standing &= !(1 << seat.number()),
        }
        match self.kind {
            AuctionKind::Rising => self.after_rising(),
            AuctionKind::OneTurn => self.after_one_turn(),
            AuctionKind::Holding => self.after_holding(said),
        }
    }

    fn after_rising(&mut self) -> AuctionState {
        let others = (1..=self.players).map(|steps| self.turn.clockwise(steps, self.players));
        let next = others
            .into_iter()
            .find(|next| self.standing >> next.number() & 1 == 1);
        match (next, self.high) {
            (None, _) => AuctionState::ThrownIn,
            // Round the table without a higher bid.
            (Some(next), Some(high)) if next == high.declarer => AuctionState::Won(high),
            (Some(next), _) => self.goes_to(next),
        }
    }

    fn after_one_turn(&mut self) -> AuctionState {
        let next = self.turn.left(self.players);
        match self.high {
            _ if next != self.forehand => self.goes_to(next),
            Some(high) => AuctionState::Won(high),
            None => AuctionState::ThrownIn,
        }
    }

    fn after_holding(&mut self, said: Said) -> AuctionState {
        match said {
            Said::Bid(_) => return self.goes_to(self.holder),
            Said::Hold => return self.goes_to(self.challenger),
            Said::Pass => {}
        }
        if self.turn == self.holder {
            self.holder = self.challenger;
        }
        self.challenger = self.challenger.left(self.players);
        if self.challenger != self.forehand {
            return self.goes_to(self.challenger);
        }
        self.turn = self.holder;
        AuctionState::Announcing
    }

    fn goes_to(&mut self, seat: Seat) -> AuctionState {
        self.turn = seat;
        AuctionState::Running
    }
}
