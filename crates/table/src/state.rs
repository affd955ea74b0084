//! The state of a table, made from its log and nothing else. What an event does to it is in
//! `evolve`.

use std::sync::Arc;

use proto::v1::{DealScore, MatchResult, RatingChange};
use rules::{Deal, NextDeal, Rules, Seat, Session, Shuffle};
use uuid::Uuid;

use crate::{
    Occupant, Player, Setup,
    commands::{Applied, Commanded, Commands},
    event::Event,
    wire::occupant_to_wire,
};

/// A log that cannot have been written by [`crate::decide`] under these rules. Such a table is
/// out of service; no other is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("corrupt log at version {version}: {what}")]
pub struct Corrupt {
    /// Version of the event that does not fit.
    pub version: u64,
    /// What is wrong with it.
    pub what: &'static str,
}

/// Versions of [`Event::Restored`] are multiples of this: more than a match can have otherwise.
pub(crate) const RESTORED_STEP: u64 = 1_000_000;

/// The version of [`Event::Restored`] in a log of which somebody may have seen this version. No
/// version is used for two events, so whoever knows one that was lost can be told.
#[must_use]
pub const fn restored_version(seen: u64) -> u64 {
    (seen / RESTORED_STEP + 1) * RESTORED_STEP
}

/// After so many actions in a row that the clock took, the seat is away.
const TIMEOUTS_UNTIL_AWAY: u8 = 2;

/// One seat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeatState {
    pub(crate) occupant: Option<Occupant>,
    /// The share of randomness, once the seat is ready.
    pub(crate) nonce: Option<Vec<u8>>,
    pub(crate) bank_ms: u32,
    /// Actions in a row that the clock took.
    pub(crate) timeouts: u8,
    pub(crate) away: bool,
    pub(crate) left: bool,
}

impl SeatState {
    pub(crate) fn new(occupant: Option<Occupant>, bank_ms: u32) -> Self {
        // Bots are always ready; their share of randomness is empty, for the server would only
        // add to its own.
        let nonce = matches!(occupant, Some(Occupant::Bot(_))).then(Vec::new);
        Self {
            occupant,
            nonce,
            bank_ms,
            timeouts: 0,
            away: false,
            left: false,
        }
    }

    pub(crate) fn player(&self) -> Option<&Player> {
        match &self.occupant {
            Some(Occupant::Player(player)) => Some(player),
            Some(Occupant::Bot(_)) | None => None,
        }
    }

    /// The level that plays this seat now, if code does.
    pub(crate) fn played_by(&self) -> Option<bots::Level> {
        match self.occupant {
            Some(Occupant::Bot(level)) => Some(level),
            Some(Occupant::Player(_)) if self.away => Some(bots::Level::Standard),
            _ => None,
        }
    }

    pub(crate) fn due_for_away(&self) -> bool {
        !self.away && self.timeouts >= TIMEOUTS_UNTIL_AWAY
    }
}

/// Where a table is.
#[derive(Clone, PartialEq)]
pub(crate) enum Stage {
    /// Players sit down and get ready.
    Seating,
    /// A deal runs.
    Deal(Box<Deal>),
    /// The next deal has not started.
    Between,
    /// The match is over.
    Ended(MatchResult),
    /// There was no match.
    Closed,
}

/// A table. Two are equal when the same logs led to them.
#[derive(Clone, PartialEq)]
pub struct Table {
    pub(crate) setup: Arc<Setup>,
    pub(crate) version: u64,
    /// Time of the last event.
    pub(crate) last_ms: i64,
    pub(crate) stage: Stage,
    /// Time of the last event that changed what the table waits for; clocks run from here.
    pub(crate) since_ms: i64,
    /// How often the clock was set back to the start of what the table waits for.
    pub(crate) restarts: u8,
    /// How often the store lost the end of the log.
    pub(crate) restorations: u32,
    /// How many players sat down after the opening.
    pub(crate) arrivals: u32,
    pub(crate) seats: Vec<SeatState>,
    pub(crate) session: Option<Session>,
    /// Shared, for a state is copied for every decision and the sheet changes once a deal.
    pub(crate) sheet: Arc<Vec<DealScore>>,
    /// For each deal: number of it, version of its `DealScored`.
    pub(crate) deal_ends: Vec<u64>,
    pub(crate) end_version: u64,
    /// Version of the latest action that decided declarer and contract.
    pub(crate) declared_version: u64,
    pub(crate) started_ms: i64,
    pub(crate) ended_ms: i64,
    pub(crate) deals_archived: u32,
    pub(crate) match_archived: bool,
    pub(crate) rating_changes: Option<Vec<RatingChange>>,
    pub(crate) commands: Commands,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Hands and talon are secret while the match runs.
        f.debug_struct("Table")
            .field("id", &self.setup.id)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl Table {
    /// The state after these events, given with version and time stamp, oldest first and without
    /// a gap from version 1. `None` when there are none.
    ///
    /// # Errors
    /// When the log is corrupt.
    pub fn replay<'a>(
        events: impl IntoIterator<Item = (u64, i64, &'a Event)>,
    ) -> Result<Option<Self>, Corrupt> {
        let mut events = events.into_iter();
        let Some((version, at_ms, first)) = events.next() else {
            return Ok(None);
        };
        let mut table = Self::open(version, at_ms, first)?;
        for (version, at_ms, event) in events {
            table.evolve(version, at_ms, event)?;
        }
        Ok(Some(table))
    }

    /// The state after the first event of a log.
    ///
    /// # Errors
    /// Unless it is [`Event::Opened`] at version 1.
    pub fn open(version: u64, at_ms: i64, event: &Event) -> Result<Self, Corrupt> {
        let Event::Opened { setup, seats } = event else {
            return Err(Corrupt {
                version,
                what: "the log does not begin with an opening",
            });
        };
        if version != 1 || seats.len() != usize::from(setup.rules.players()) {
            return Err(Corrupt {
                version,
                what: "the opening does not fit",
            });
        }
        let bank_ms = setup.time_control.bank_ms;
        Ok(Self {
            seats: seats
                .iter()
                .map(|seat| SeatState::new(seat.clone(), bank_ms))
                .collect(),
            setup: Arc::new(Setup::clone(setup)),
            version,
            last_ms: at_ms,
            stage: Stage::Seating,
            since_ms: at_ms,
            restarts: 0,
            restorations: 0,
            arrivals: 0,
            session: None,
            sheet: Arc::default(),
            deal_ends: Vec::new(),
            end_version: 0,
            declared_version: 0,
            started_ms: at_ms,
            ended_ms: 0,
            deals_archived: 0,
            match_archived: false,
            rating_changes: None,
            commands: Commands::default(),
        })
    }

    /// Notes a command of which the first event has this version, and the table's time.
    pub fn note_command(&mut self, command: Commanded, first: u64) {
        self.commands.push(Applied {
            tag: command.tag,
            first,
            last: first + u64::from(command.following),
            at_ms: self.last_ms,
        });
    }

    /// What the log has of a command, by its key.
    #[must_use]
    pub fn command(&self, key: u64) -> Option<Applied> {
        self.commands.find(key)
    }

    /// The randomness of the match, once every seat is ready.
    pub(crate) fn shuffle(&self) -> Option<Shuffle> {
        let nonces: Option<Vec<Vec<u8>>> =
            self.seats.iter().map(|seat| seat.nonce.clone()).collect();
        Shuffle::new(self.setup.server_seed, nonces?)
    }

    /// What goes into the shuffle of the deal with this number. A deal that was lost is not dealt
    /// with the same cards again: its players have seen theirs.
    #[must_use]
    pub const fn shuffle_number(&self, deal: u32) -> u32 {
        deal.saturating_add(self.restorations.saturating_mul(1_000_000))
    }

    /// The deal that opens the match, once every seat is ready.
    pub(crate) fn first_deal(&self) -> Option<NextDeal> {
        let first_dealer = self.shuffle()?.first_dealer();
        Session::new(self.setup.rules, first_dealer).next_deal()
    }

    /// Whether a person sits here who has not left for good.
    pub(crate) fn has_player(&self) -> bool {
        self.seats
            .iter()
            .any(|seat| seat.player().is_some() && !seat.left)
    }

    /// A seat's score, after the match with its share of the pot.
    pub(crate) fn score(&self, seat: Seat) -> i32 {
        match (&self.stage, &self.session) {
            (Stage::Ended(result), _) => result.scores.get(seat.index()).copied().unwrap_or(0),
            (_, Some(session)) => session.scores()[seat],
            (_, None) => 0,
        }
    }

    /// What is in the pot of a running match, in a game that has one.
    pub(crate) fn pot(&self) -> Option<i32> {
        let running = matches!(self.stage, Stage::Deal(_) | Stage::Between);
        let session = self
            .session
            .as_ref()
            .filter(|_| running && self.rules().has_pot());
        session.map(Session::pot)
    }

    /// The version of its last event.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// Time of its last event (milliseconds since 1970 UTC). With the version it tells one
    /// history from another.
    #[must_use]
    pub const fn last_ms(&self) -> i64 {
        self.last_ms
    }

    /// What it was opened with.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The rules in force.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.setup.rules
    }

    /// The seat of a player.
    #[must_use]
    pub fn seat_of(&self, player: Uuid) -> Option<Seat> {
        let sits = |seat: &Seat| {
            self.seats[seat.index()]
                .player()
                .is_some_and(|p| p.id == player)
        };
        self.rules().seats().find(sits)
    }

    /// The deal that runs.
    #[must_use]
    pub fn deal(&self) -> Option<&Deal> {
        match &self.stage {
            Stage::Deal(deal) => Some(deal),
            Stage::Seating | Stage::Between | Stage::Ended(_) | Stage::Closed => None,
        }
    }

    /// The result, once the match is over.
    #[must_use]
    pub const fn result(&self) -> Option<&MatchResult> {
        match &self.stage {
            Stage::Ended(result) => Some(result),
            _ => None,
        }
    }

    /// The score sheet so far.
    #[must_use]
    pub fn score_sheet(&self) -> &[DealScore] {
        &self.sheet
    }

    /// The player of a seat, if a person sits there.
    #[must_use]
    pub fn player(&self, seat: Seat) -> Option<&Player> {
        self.seats.get(seat.index())?.player()
    }

    /// Who sits where, as the contract has it; without a kind, the seat is open.
    #[must_use]
    pub fn occupants(&self) -> Vec<proto::v1::Occupant> {
        self.seats
            .iter()
            .map(|seat| occupant_to_wire(seat.occupant.as_ref()))
            .collect()
    }

    /// Each seat's share of the shuffle's randomness, empty as long as it is not ready.
    #[must_use]
    pub fn nonces(&self) -> Vec<Vec<u8>> {
        self.seats
            .iter()
            .map(|seat| seat.nonce.clone().unwrap_or_default())
            .collect()
    }

    /// When the first deal started (store's clock, milliseconds).
    #[must_use]
    pub const fn started_ms(&self) -> i64 {
        self.started_ms
    }

    /// When the match ended (store's clock, milliseconds); 0 before.
    #[must_use]
    pub const fn ended_ms(&self) -> i64 {
        self.ended_ms
    }

    /// Whether the match counts for a ladder.
    #[must_use]
    pub fn is_rated(&self) -> bool {
        !self.setup.ladder.is_empty()
    }
}
