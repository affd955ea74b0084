//! The events of a table's stream.

use axum::response::sse::Event;
use chassis::Failure;
use proto::v1::{self as wire, table_update::Kind};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    actions::{Actor, LegalAction, TakenAction},
    cards::{self, Card},
    convert::{Instant, all, required},
    rules::Rules,
    scores::{DealScore, MatchResult, RatingChange},
    seats::{Occupant, occupant_or_null},
    view::{Declaration, Turn, WonTrick},
};
use crate::sse::json_event;

/// One event of a table, as you may see it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TableEvent {
    /// Of the table after this event; also the `id:` in the stream.
    version: u64,
    at: Instant,
    #[serde(flatten)]
    kind: Happening,
    /// Whose turn it is then, with what was left at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    turn: Option<Turn>,
    /// What you can do then, as in the view; left out when that is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    legal_actions: Vec<LegalAction>,
}

/// What happened.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Happening {
    /// The table was opened.
    Opened {
        rules: Rules,
        /// SHA-256 of the server seed, in hex.
        seed_hash: String,
    },
    /// A player sat down.
    SeatTaken {
        seat: u32,
        #[schema(required)]
        occupant: Option<Occupant>,
    },
    /// A player left before the match.
    SeatFreed { seat: u32 },
    /// A player is ready.
    SeatReady { seat: u32 },
    /// A bot plays for the player from now on.
    SeatAway {
        seat: u32,
        /// The player cannot return.
        left: bool,
    },
    /// The player is back.
    SeatReturned { seat: u32 },
    /// Cards were dealt.
    DealStarted {
        number: u32,
        dealer: u32,
        /// Your cards.
        hand: Vec<Card>,
        /// What each seat paid into the pot.
        stake: i32,
        /// What is in the pot; 0 in a game without.
        pot: i32,
    },
    /// A seat acted.
    Action {
        seat: u32,
        action: TakenAction,
        by: Actor,
        /// When this decided who plays what.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        declaration: Option<Declaration>,
        /// The talon, for the declarer who takes it up.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        talon: Option<Vec<Card>>,
        /// When this ended a trick.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        trick: Option<WonTrick>,
    },
    /// A deal is over.
    DealScored { score: DealScore },
    /// The match is over.
    MatchEnded {
        result: MatchResult,
        /// In hex: the shuffles can be checked now.
        server_seed: String,
    },
    /// The match was rated.
    MatchRated { changes: Vec<RatingChange> },
    /// The server kept books; nothing changed for players.
    Archived {},
    /// After an outage of the server: whoever is to act has the whole time again.
    ClockRestarted {},
    /// The table ended without a match.
    Closed {
        #[schema(example = "not_filled")]
        reason: String,
    },
}

/// Data of the events `heartbeat` and `resync`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Head {
    /// Of the table now.
    pub(crate) version: u64,
}

/// What a stream tells.
#[expect(clippy::large_enum_variant, reason = "made and written out at once")]
pub(crate) enum Told {
    /// A sign of life.
    Heartbeat(Head),
    /// The client is ahead of the server.
    Resync(Head),
    /// Something happened.
    Event(TableEvent),
}

/// What an update tells, or silence. The version of `head` follows.
///
/// # Errors
/// When the service sent something broken.
pub(crate) fn told(update: Option<wire::TableUpdate>, head: &mut u64) -> Result<Told, Failure> {
    let Some(update) = update else {
        return Ok(Told::Heartbeat(Head { version: *head }));
    };
    *head = update.version;
    let version = update.version;
    match required(update.kind, "update")? {
        Kind::Heartbeat(_) => Ok(Told::Heartbeat(Head { version })),
        Kind::Resync(_) => Ok(Told::Resync(Head { version })),
        kind => Ok(Told::Event(TableEvent {
            version,
            at: Instant(update.at_ms),
            kind: Happening::try_from(kind)?,
            turn: update.turn.map(|turn| Turn::at(&turn, update.at_ms)),
            legal_actions: all(update.legal_actions)?,
        })),
    }
}

/// The same as a server-sent event.
///
/// # Errors
/// When the service sent something broken.
pub(crate) fn event(update: Option<wire::TableUpdate>, head: &mut u64) -> Result<Event, Failure> {
    match told(update, head)? {
        Told::Heartbeat(head) => Ok(json_event(&head)?.event("heartbeat")),
        // With an id, so that a browser that comes back does not ask for the lost version again.
        Told::Resync(head) => Ok(json_event(&head)?
            .event("resync")
            .id(head.version.to_string())),
        Told::Event(event) => Ok(json_event(&event)?.id(event.version.to_string())),
    }
}

impl TryFrom<Kind> for Happening {
    type Error = Failure;

    fn try_from(kind: Kind) -> Result<Self, Failure> {
        Ok(match kind {
            Kind::Opened(opened) => Self::Opened {
                rules: opened.rules.try_into()?,
                seed_hash: hex::encode(opened.seed_hash),
            },
            Kind::SeatTaken(seat) => Self::SeatTaken {
                seat: seat.seat,
                occupant: occupant_or_null(seat.occupant)?,
            },
            Kind::SeatFreed(seat) => Self::SeatFreed { seat: seat.seat },
            Kind::SeatReady(seat) => Self::SeatReady { seat: seat.seat },
            Kind::SeatAway(seat) => Self::SeatAway {
                seat: seat.seat,
                left: seat.left,
            },
            Kind::SeatReturned(seat) => Self::SeatReturned { seat: seat.seat },
            Kind::DealStarted(deal) => Self::DealStarted {
                number: deal.number,
                dealer: deal.dealer,
                hand: cards::cards(deal.hand)?,
                stake: deal.stake,
                pot: deal.pot,
            },
            Kind::Action(update) => Self::Action {
                seat: update.seat,
                action: update.action.try_into()?,
                by: update.by.try_into()?,
                declaration: update.declaration.map(Declaration::try_from).transpose()?,
                talon: cards::cards_or_null(update.talon)?,
                trick: update.trick.map(WonTrick::try_from).transpose()?,
            },
            Kind::DealScored(score) => Self::DealScored {
                score: score.try_into()?,
            },
            Kind::MatchEnded(end) => Self::MatchEnded {
                result: end.result.try_into()?,
                server_seed: hex::encode(end.server_seed),
            },
            Kind::MatchRated(rated) => Self::MatchRated {
                changes: rated.changes.into_iter().map(RatingChange::from).collect(),
            },
            Kind::Archived(_) => Self::Archived {},
            Kind::ClockRestarted(_) => Self::ClockRestarted {},
            Kind::Closed(closed) => Self::Closed {
                reason: closed.reason,
            },
            Kind::Heartbeat(_) | Kind::Resync(_) => {
                return Err(super::convert::broken("event"));
            }
        })
    }
}
