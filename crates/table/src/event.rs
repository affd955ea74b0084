//! What happens at a table, and what it starts from.

use proto::v1::{Actor, CloseReason, DealScore, MatchResult, RatingChange, TableKind, TimeControl};
use rules::{Action, Rules, SEED_BYTES, Seat};
use uuid::Uuid;

/// A person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Who.
    pub id: Uuid,
    /// The name to show, as it was when the player sat down.
    pub name: String,
}

/// Who sits on a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occupant {
    /// A person.
    Player(Player),
    /// Code.
    Bot(bots::Level),
}

/// What a table is opened with; it never changes.
#[derive(Clone, PartialEq, Eq)]
pub struct Setup {
    /// Id of the table and of its match.
    pub id: Uuid,
    /// Ranked, casual or private.
    pub kind: TableKind,
    /// Id of the queue that made it; empty for a private table.
    pub queue: String,
    /// Rule set whose ladder the match counts for; empty when it is not rated.
    pub ladder: String,
    /// What is played.
    pub rules: Rules,
    /// How long players may think.
    pub time_control: TimeControl,
    /// Secret until the match has ended.
    pub server_seed: [u8; SEED_BYTES],
    /// What others join with; empty unless private.
    pub invite_code: String,
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup")
            .field("id", &self.id)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// A fact in a table's log.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The table was opened; the first event, and the only of its kind.
    Opened {
        /// What it is opened with.
        setup: Box<Setup>,
        /// One for each seat; `None` is an open seat.
        seats: Vec<Option<Occupant>>,
    },
    /// A player took an open seat.
    SeatTaken {
        /// Which.
        seat: Seat,
        /// Who.
        player: Player,
    },
    /// A player left before the match.
    SeatFreed {
        /// Which.
        seat: Seat,
    },
    /// A seat takes part, with its share of the shuffle's randomness.
    SeatReady {
        /// Which.
        seat: Seat,
        /// At most [`rules::NONCE_BYTES_MAX`] bytes.
        nonce: Vec<u8>,
        /// Who decided it.
        by: Actor,
    },
    /// Cards were dealt.
    DealStarted {
        /// Counted from 1.
        number: u32,
        /// Who dealt.
        dealer: Seat,
    },
    /// A seat acted in a deal.
    Acted {
        /// Which.
        seat: Seat,
        /// What it did.
        action: Action,
        /// Who decided it.
        by: Actor,
    },
    /// A deal is over.
    DealScored(DealScore),
    /// The match is over.
    MatchEnded(MatchResult),
    /// A bot plays for the seat from now on.
    SeatAway {
        /// Which.
        seat: Seat,
        /// The player left for good.
        left: bool,
    },
    /// The player plays again.
    SeatReturned {
        /// Which.
        seat: Seat,
    },
    /// For a while nobody looked after the table: whoever it waits for gets the time again.
    ClockRestarted,
    /// The store lost what came after the event before this one: whole deals, or the last few
    /// events. Its version is [`crate::restored_version`].
    Restored,
    /// A deal's log is in the archive.
    DealArchived {
        /// Which.
        number: u32,
    },
    /// The match is in the archive.
    MatchArchived,
    /// The match was rated: changes by seat.
    MatchRated(Vec<RatingChange>),
    /// The table ended without a match.
    Closed(CloseReason),
}
