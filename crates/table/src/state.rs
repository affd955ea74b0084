//! The state of a table, made from its log and nothing else.

use std::sync::Arc;

use proto::v1::{Actor, DealScore, MatchResult, RatingChange};
use rules::{Deal, NextDeal, Rules, Seat, Session, Shuffle};
use uuid::Uuid;

use crate::{Occupant, Player, Setup, event::Event, wire::occupant_to_wire};

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
#[derive(Clone, Debug)]
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

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) setup: Arc<Setup>,
    pub(crate) version: u64,
    pub(crate) stage: Stage,
    /// Time of the last event that changed what the table waits for; clocks run from here.
    pub(crate) since_ms: i64,
    pub(crate) seats: Vec<SeatState>,
    pub(crate) session: Option<Session>,
    pub(crate) sheet: Vec<DealScore>,
    /// For each deal: number of it, version of its `DealScored`.
    pub(crate) deal_ends: Vec<u64>,
    pub(crate) end_version: u64,
    pub(crate) started_ms: i64,
    pub(crate) ended_ms: i64,
    pub(crate) deals_archived: u32,
    pub(crate) match_archived: bool,
    pub(crate) rating_changes: Option<Vec<RatingChange>>,
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
            stage: Stage::Seating,
            since_ms: at_ms,
            session: None,
            sheet: Vec::new(),
            deal_ends: Vec::new(),
            end_version: 0,
            started_ms: at_ms,
            ended_ms: 0,
            deals_archived: 0,
            match_archived: false,
            rating_changes: None,
        })
    }

    /// Takes the next event of the log.
    ///
    /// # Errors
    /// When the event cannot follow; the state is then of no use.
    pub fn evolve(&mut self, version: u64, at_ms: i64, event: &Event) -> Result<(), Corrupt> {
        if version != self.version + 1 {
            return Err(Corrupt {
                version,
                what: "a version is missing",
            });
        }
        self.version = version;
        self.take(at_ms, event)
            .map_err(|what| Corrupt { version, what })
    }

    fn take(&mut self, at_ms: i64, event: &Event) -> Result<(), &'static str> {
        match event {
            Event::Opened { .. } => return Err("a table is opened once"),
            Event::SeatTaken { seat, player } => {
                let bank_ms = self.setup.time_control.bank_ms;
                *self.seat_mut(*seat)? =
                    SeatState::new(Some(Occupant::Player(player.clone())), bank_ms);
                self.since_ms = at_ms;
            }
            Event::SeatFreed { seat } => *self.seat_mut(*seat)? = SeatState::new(None, 0),
            Event::SeatReady { seat, nonce, by } => {
                let state = self.seat_mut(*seat)?;
                state.nonce = Some(nonce.clone());
                state.timeouts = u8::from(*by == Actor::Clock);
            }
            Event::DealStarted { number, dealer } => self.start_deal(at_ms, *number, *dealer)?,
            Event::Acted { seat, action, by } => {
                self.charge_clock(*seat, *by, at_ms)?;
                let Stage::Deal(deal) = &mut self.stage else {
                    return Err("no deal runs");
                };
                deal.apply(*action)
                    .map_err(|_| "the rules do not allow the action")?;
                self.since_ms = at_ms;
            }
            Event::DealScored(score) => self.score_deal(at_ms, score)?,
            Event::MatchEnded(result) => {
                self.stage = Stage::Ended(result.clone());
                self.end_version = self.version;
                self.ended_ms = at_ms;
                self.since_ms = at_ms;
            }
            Event::SeatAway { seat, left } => {
                let state = self.seat_mut(*seat)?;
                state.away = true;
                state.left |= left;
            }
            Event::SeatReturned { seat } => {
                let state = self.seat_mut(*seat)?;
                state.away = false;
                state.timeouts = 0;
                // The player who comes back gets a whole move's time.
                self.since_ms = at_ms;
            }
            Event::DealArchived { number } => self.deals_archived = *number,
            Event::MatchArchived => self.match_archived = true,
            Event::MatchRated(changes) => self.rating_changes = Some(changes.clone()),
            Event::Closed(_) => {
                self.stage = Stage::Closed;
                self.since_ms = at_ms;
            }
        }
        Ok(())
    }

    fn start_deal(&mut self, at_ms: i64, number: u32, dealer: Seat) -> Result<(), &'static str> {
        let shuffle = self.shuffle().ok_or("a seat is not ready")?;
        if self.session.is_none() {
            self.started_ms = at_ms;
        }
        let rules = self.setup.rules;
        let session = self
            .session
            .get_or_insert_with(|| Session::new(rules, shuffle.first_dealer()));
        if session.next_deal() != Some(NextDeal { number, dealer }) {
            return Err("another deal is next");
        }
        let deal = Deal::new(rules, dealer, &shuffle.deck(number));
        self.stage = Stage::Deal(Box::new(deal));
        self.since_ms = at_ms;
        Ok(())
    }

    fn score_deal(&mut self, at_ms: i64, score: &DealScore) -> Result<(), &'static str> {
        let (Stage::Deal(deal), Some(session)) = (&self.stage, &mut self.session) else {
            return Err("no deal runs");
        };
        let end = deal.end().ok_or("the deal is not over")?;
        session.record(&end);
        self.sheet.push(score.clone());
        self.deal_ends.push(self.version);
        self.stage = Stage::Between;
        self.since_ms = at_ms;
        Ok(())
    }

    fn charge_clock(&mut self, seat: Seat, by: Actor, at_ms: i64) -> Result<(), &'static str> {
        let used_ms = (at_ms - self.since_ms).max(0);
        let over_ms = used_ms - i64::from(self.setup.time_control.move_ms);
        let state = self.seat_mut(seat)?;
        match by {
            Actor::Player => {
                let over_ms = u32::try_from(over_ms.max(0)).unwrap_or(u32::MAX);
                state.bank_ms = state.bank_ms.saturating_sub(over_ms);
                state.timeouts = 0;
            }
            Actor::Clock => {
                state.bank_ms = 0;
                state.timeouts = state.timeouts.saturating_add(1);
            }
            Actor::Bot | Actor::Unspecified => {}
        }
        Ok(())
    }

    /// The randomness of the match, once every seat is ready.
    fn shuffle(&self) -> Option<Shuffle> {
        let nonces: Option<Vec<Vec<u8>>> =
            self.seats.iter().map(|seat| seat.nonce.clone()).collect();
        Shuffle::new(self.setup.server_seed, nonces?)
    }

    /// The deal that opens the match, once every seat is ready.
    pub(crate) fn first_deal(&self) -> Option<NextDeal> {
        let first_dealer = self.shuffle()?.first_dealer();
        Session::new(self.setup.rules, first_dealer).next_deal()
    }

    fn seat_mut(&mut self, seat: Seat) -> Result<&mut SeatState, &'static str> {
        self.seats.get_mut(seat.index()).ok_or("no such seat")
    }

    /// The version of its last event.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.version
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
        self.seats[seat.index()].player()
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
