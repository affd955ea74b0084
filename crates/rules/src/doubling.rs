//! Doubling and redoubling, between the exchange and the lead.

use crate::{auction::Calls, seat::Seat};

/// Who has doubled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Doubling {
    /// The defender who doubled.
    pub doubled_by: Option<Seat>,
    /// Whether the declarer redoubled.
    pub redoubled: bool,
}

impl Doubling {
    /// What the multiplier of the contract is multiplied by: 1, 2 or 4.
    #[must_use]
    pub const fn factor(self) -> i32 {
        match (self.doubled_by, self.redoubled) {
            (None, _) => 1,
            (Some(_), false) => 2,
            (Some(_), true) => 4,
        }
    }
}

/// The next defender to be asked: clockwise after `asked`, up to the declarer, of those who did
/// not bid.
pub(crate) fn next_asked(asked: Seat, declarer: Seat, calls: &Calls, players: u8) -> Option<Seat> {
    (1..players)
        .map(|steps| asked.clockwise(steps, players))
        .take_while(|&seat| seat != declarer)
        .find(|&seat| !calls.has_bid(seat))
}
