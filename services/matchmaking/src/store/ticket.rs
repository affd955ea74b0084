//! A ticket and what goes with it.

use uuid::Uuid;

use super::StoreError;

/// Where a ticket is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketState {
    /// In the queue.
    Waiting,
    /// Claimed for a table that is being opened.
    Proposed,
    /// The table is open.
    Matched,
    /// Taken back by the player.
    Cancelled,
    /// Nobody was found in time.
    Expired,
}

impl TicketState {
    /// The name in stores.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Proposed => "proposed",
            Self::Matched => "matched",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
        }
    }

    pub(super) fn from_name(name: &str) -> Result<Self, StoreError> {
        let all = [
            Self::Waiting,
            Self::Proposed,
            Self::Matched,
            Self::Cancelled,
            Self::Expired,
        ];
        let found = all.into_iter().find(|state| state.as_str() == name);
        found.ok_or_else(|| StoreError::Corrupt(format!("a ticket in state {name:?}")))
    }

    /// Whether it will not change any more.
    #[must_use]
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Matched | Self::Cancelled | Self::Expired)
    }
}

/// Why a ticket ended without a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The player took it back.
    Cancelled,
    /// Nobody who fits came in time.
    NobodyFound,
    /// Friends did not come in time.
    PartyIncomplete,
}

impl EndReason {
    /// The name in stores.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::NobodyFound => "nobody_found",
            Self::PartyIncomplete => "party_incomplete",
        }
    }

    pub(super) fn from_name(name: &str) -> Result<Self, StoreError> {
        let all = [Self::Cancelled, Self::NobodyFound, Self::PartyIncomplete];
        let found = all.into_iter().find(|reason| reason.as_str() == name);
        found.ok_or_else(|| StoreError::Corrupt(format!("a ticket that ended for {name:?}")))
    }
}

/// Friends who want to sit at the same table. A party is what its members' live tickets say: it
/// begins with the first of them and is gone with the last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Party {
    /// What members tell each other.
    pub code: String,
    /// Members of a complete party.
    pub size: u32,
}

/// A party to come with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartyRequest {
    /// A new one.
    Open(Party),
    /// The one with this code.
    Join(String),
}

/// A player's place in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its id.
    pub id: Uuid,
    /// Id of the queue.
    pub queue: String,
    /// Who waits.
    pub player: Uuid,
    /// What the others at the table will call the player.
    pub player_name: String,
    /// The player's rating when the ticket was made.
    pub rating: i32,
    /// Opponents of the player's latest matches when the ticket was made, at most
    /// [`super::RECENT_MAX`].
    pub recent: Vec<Uuid>,
    /// Whom the player does not want to meet, at most [`super::BLOCKED_MAX`].
    pub blocked: Vec<Uuid>,
    /// What the player's client can read.
    pub protocol: u32,
    /// With whom the player comes.
    pub party: Option<Party>,
    /// Where it is.
    pub state: TicketState,
    /// The table, once proposed or matched.
    pub table: Option<Uuid>,
    /// Why it ended without a table.
    pub reason: Option<EndReason>,
    /// When it was made.
    pub created_ms: i64,
}

/// A ticket to be made.
#[derive(Clone, Debug)]
pub struct NewTicket {
    /// Its id.
    pub id: Uuid,
    /// Id of the queue.
    pub queue: String,
    /// Who waits.
    pub player: Uuid,
    /// What the others at the table will call the player.
    pub player_name: String,
    /// The player's rating.
    pub rating: i32,
    /// Whom the player does not want to meet.
    pub blocked: Vec<Uuid>,
    /// What the player's client can read.
    pub protocol: u32,
    /// With whom the player comes.
    pub party: Option<PartyRequest>,
    /// The table of the player's last ticket, if it is known that the player plays there no more.
    pub over: Option<Uuid>,
}

impl NewTicket {
    /// The ticket that it becomes.
    pub(super) fn made(self, created_ms: i64, recent: Vec<Uuid>, party: Option<Party>) -> Ticket {
        Ticket {
            id: self.id,
            queue: self.queue,
            player: self.player,
            player_name: self.player_name,
            rating: self.rating,
            recent,
            blocked: self.blocked,
            protocol: self.protocol,
            party,
            state: TicketState::Waiting,
            table: None,
            reason: None,
            created_ms,
        }
    }
}

/// What became of a ticket to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Created {
    /// It waits.
    Ticket(Ticket),
    /// The player has this live ticket already.
    Exists(Uuid),
    /// The player's last ticket led to this table, and nobody said that it is over.
    Seated(Uuid),
    /// There is no such party in the queue, or no room in it, or it has members who do not want
    /// to meet the player.
    NoParty,
    /// Another party has this code.
    CodeTaken,
}
