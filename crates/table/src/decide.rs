//! Commands in, events out.

use proto::v1::{Actor, CloseReason, RatingChange, TableKind};
use rules::{Action, Illegal, NONCE_BYTES_MAX, Seat};
use uuid::Uuid;

use crate::{
    chore::Chore,
    event::{Event, Player},
    opening::NAME_BYTES_MAX,
    score::{deal_score, match_result},
    state::{Corrupt, Stage, Table},
};

/// How many players may sit down at a table after its opening: enough for friends who come and
/// go, and an end to logs that grow and seats that wait.
const ARRIVALS_MAX: u32 = 32;

/// What somebody wants of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// A player acts.
    Act {
        /// Who.
        player: Uuid,
        /// What.
        action: SeatAction,
    },
    /// A player sits down on an open seat.
    TakeSeat(Player),
    /// Time has passed.
    Wake,
    /// A deal is in the archive. As the two that follow, it changes nothing unless it is the
    /// chore that the table waits for.
    DealArchived(u32),
    /// The match is in the archive.
    MatchArchived,
    /// The match was rated: changes by seat.
    Rated(Vec<RatingChange>),
}

/// What a player can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatAction {
    /// Take part, with a share of the shuffle's randomness.
    Ready(Vec<u8>),
    /// Act in the deal.
    Deal(Action),
    /// Take the seat back from the bot.
    Return,
    /// Leave for good.
    Leave,
}

/// Why a command is refused. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reject {
    /// The player does not sit at this table.
    #[error("the player does not sit at this table")]
    NotSeated,
    /// Another seat is to act.
    #[error("seat {turn} is to act")]
    NotYourTurn {
        /// Which.
        turn: Seat,
    },
    /// The table does not wait for this.
    #[error("the table does not wait for this: {0}")]
    WrongPhase(&'static str),
    /// The rules do not allow the action.
    #[error("{0}")]
    Illegal(#[from] Illegal),
    /// The share of randomness is too long.
    #[error("expected a nonce of at most {NONCE_BYTES_MAX} bytes")]
    NonceTooLong,
    /// The player's name is too long.
    #[error("expected a name of at most {NAME_BYTES_MAX} bytes")]
    NameTooLong,
    /// No seat is open.
    #[error("no seat is open")]
    TableFull,
    /// The match is over, the table closed, or the player has left it.
    #[error("{0}")]
    Over(&'static str),
    /// The table is out of service.
    #[error("{0}")]
    Corrupt(#[from] Corrupt),
}

/// The time at which a command is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// The store's clock: milliseconds since 1970 UTC.
    pub ms: i64,
    /// When the latest outage ended in which nobody looked after the table, by the same clock.
    pub outage_ms: i64,
}

impl From<i64> for Now {
    /// A time before which there was no outage.
    fn from(ms: i64) -> Self {
        Self {
            ms,
            outage_ms: i64::MIN,
        }
    }
}

/// What follows from a command.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The events to append; none when the command changes nothing.
    pub events: Vec<Event>,
    /// The state after them, if they are stamped with the time that was given.
    pub table: Table,
}

/// Decides a command at a time by the store's clock. The table is unchanged; the events count
/// once they are appended at its version.
///
/// # Errors
/// When the command is refused.
pub fn decide(table: &Table, command: &Command, now: impl Into<Now>) -> Result<Decision, Reject> {
    let mut draft = Draft {
        table: table.clone(),
        events: Vec::new(),
        now: now.into(),
    };
    match command {
        Command::Act { player, action } => draft.act(*player, action)?,
        Command::TakeSeat(player) => draft.take_seat(player)?,
        Command::Wake => draft.wake()?,
        Command::DealArchived(number) => {
            let next = matches!(
                table.chore(),
                Some(Chore::ArchiveDeal { number: next, .. }) if next == *number
            );
            draft.push_if(next, Event::DealArchived { number: *number })?;
        }
        Command::MatchArchived => {
            let next = matches!(table.chore(), Some(Chore::ArchiveMatch { .. }));
            draft.push_if(next, Event::MatchArchived)?;
        }
        Command::Rated(changes) => {
            let next = table.chore() == Some(Chore::Rate);
            draft.push_if(next, Event::MatchRated(changes.clone()))?;
        }
    }
    Ok(Decision {
        events: draft.events,
        table: draft.table,
    })
}

/// A decision in the making.
struct Draft {
    table: Table,
    events: Vec<Event>,
    now: Now,
}

impl Draft {
    fn push(&mut self, event: Event) -> Result<(), Reject> {
        self.table
            .evolve(self.table.version + 1, self.now.ms, &event)?;
        self.events.push(event);
        Ok(())
    }

    fn push_if(&mut self, wanted: bool, event: Event) -> Result<(), Reject> {
        if wanted { self.push(event) } else { Ok(()) }
    }

    fn act(&mut self, player: Uuid, action: &SeatAction) -> Result<(), Reject> {
        let seat = self.table.seat_of(player).ok_or(Reject::NotSeated)?;
        match self.table.stage {
            Stage::Ended(_) => return Err(Reject::Over("the match is over")),
            Stage::Closed => return Err(Reject::Over("the table is closed")),
            Stage::Seating | Stage::Deal(_) | Stage::Between => {}
        }
        if self.table.seats[seat.index()].left {
            return Err(Reject::Over("the player has left this table"));
        }
        match action {
            SeatAction::Ready(nonce) => self.ready(seat, nonce),
            SeatAction::Deal(action) => self.act_in_deal(seat, *action),
            SeatAction::Return => {
                if !self.table.seats[seat.index()].away {
                    return Err(Reject::WrongPhase("no bot plays for this seat"));
                }
                self.push(Event::SeatReturned { seat })
            }
            SeatAction::Leave => self.leave(seat),
        }
    }

    fn ready(&mut self, seat: Seat, nonce: &[u8]) -> Result<(), Reject> {
        if self.table.seats[seat.index()].nonce.is_some() {
            return Err(Reject::WrongPhase("the seat is ready"));
        }
        if nonce.len() > NONCE_BYTES_MAX {
            return Err(Reject::NonceTooLong);
        }
        self.push(Event::SeatReady {
            seat,
            nonce: nonce.to_vec(),
            by: Actor::Player,
        })?;
        self.start_when_ready()
    }

    fn act_in_deal(&mut self, seat: Seat, action: Action) -> Result<(), Reject> {
        let deal = self
            .table
            .deal()
            .ok_or(Reject::WrongPhase("no deal runs"))?;
        let turn = deal.turn().ok_or(Reject::WrongPhase("the deal is over"))?;
        if turn != seat {
            return Err(Reject::NotYourTurn { turn });
        }
        // Tried on a copy: what is refused must leave no trace.
        deal.clone().apply(action)?;
        if self.table.seats[seat.index()].away {
            self.push(Event::SeatReturned { seat })?;
        } else if self.table.grace_is_due(self.now) {
            self.push(Event::ClockRestarted)?;
        }
        self.push(Event::Acted {
            seat,
            action,
            by: Actor::Player,
        })?;
        self.after_action()
    }

    fn leave(&mut self, seat: Seat) -> Result<(), Reject> {
        let seating = matches!(self.table.stage, Stage::Seating);
        let frees = seating && self.table.setup.kind == TableKind::Private;
        self.push(if frees {
            Event::SeatFreed { seat }
        } else {
            Event::SeatAway { seat, left: true }
        })?;
        if !self.table.has_player() {
            return self.end_deserted();
        }
        if seating && !frees && self.table.seats[seat.index()].nonce.is_none() {
            self.push(Event::SeatReady {
                seat,
                nonce: Vec::new(),
                by: Actor::Bot,
            })?;
            self.start_when_ready()?;
        }
        Ok(())
    }

    /// Nobody is left who could come back: bots do not play on for themselves.
    fn end_deserted(&mut self) -> Result<(), Reject> {
        match &self.table.session {
            None => self.push(Event::Closed(CloseReason::Deserted)),
            Some(session) => {
                let result = match_result(&self.table, session);
                self.push(Event::MatchEnded(result))
            }
        }
    }

    fn take_seat(&mut self, player: &Player) -> Result<(), Reject> {
        if let Some(seat) = self.table.seat_of(player.id) {
            if self.table.seats[seat.index()].left {
                return Err(Reject::Over("the player has left this table"));
            }
            return Ok(());
        }
        if player.name.len() > NAME_BYTES_MAX {
            return Err(Reject::NameTooLong);
        }
        match self.table.stage {
            Stage::Seating => {}
            Stage::Ended(_) | Stage::Closed => return Err(Reject::Over("the table is closed")),
            Stage::Deal(_) | Stage::Between => return Err(Reject::TableFull),
        }
        let open = |seat: &Seat| self.table.seats[seat.index()].occupant.is_none();
        let seat = self
            .table
            .rules()
            .seats()
            .find(open)
            .ok_or(Reject::TableFull)?;
        if self.table.arrivals >= ARRIVALS_MAX {
            return Err(Reject::WrongPhase("too many players came and went"));
        }
        self.push(Event::SeatTaken {
            seat,
            player: player.clone(),
        })
    }

    fn wake(&mut self) -> Result<(), Reject> {
        if self
            .table
            .due_ms()
            .is_none_or(|due_ms| due_ms > self.now.ms)
        {
            return Ok(());
        }
        if self.table.grace_is_due(self.now) {
            return self.push(Event::ClockRestarted);
        }
        match &self.table.stage {
            Stage::Seating if self.table.has_open_seat() => {
                self.push(Event::Closed(CloseReason::NotFilled))
            }
            Stage::Seating => {
                for seat in self.table.rules().seats() {
                    if self.table.seats[seat.index()].nonce.is_none() {
                        self.push(Event::SeatReady {
                            seat,
                            nonce: Vec::new(),
                            by: Actor::Clock,
                        })?;
                    }
                }
                self.start_when_ready()
            }
            Stage::Deal(_) => self.act_for_seat(),
            Stage::Between => self.go_on(),
            Stage::Ended(_) | Stage::Closed => Ok(()),
        }
    }

    /// Acts for the seat whose turn it is: as its bot, or because its time is up.
    fn act_for_seat(&mut self) -> Result<(), Reject> {
        let deal = self
            .table
            .deal()
            .ok_or(Reject::WrongPhase("no deal runs"))?;
        let seat = deal.turn().ok_or(Reject::WrongPhase("the deal is over"))?;
        let played_by = self.table.seats[seat.index()].played_by();
        let level = played_by.unwrap_or(bots::Level::Standard);
        // Should a bot be wrong about the rules, the table must still go on.
        let action = bots::choose(level, &deal.view(Some(seat)))
            .filter(|action| deal.clone().apply(*action).is_ok())
            .or_else(|| deal.legal().actions().first().copied())
            .ok_or(Reject::WrongPhase("there is nothing to do"))?;
        let by = if played_by.is_some() {
            Actor::Bot
        } else {
            Actor::Clock
        };
        self.push(Event::Acted { seat, action, by })?;
        if self.table.seats[seat.index()].due_for_away() {
            self.push(Event::SeatAway { seat, left: false })?;
        }
        self.after_action()
    }

    fn start_when_ready(&mut self) -> Result<(), Reject> {
        if self
            .table
            .seats
            .iter()
            .all(|seat| seat.nonce.is_some() && seat.occupant.is_some())
        {
            self.go_on()?;
        }
        Ok(())
    }

    /// What follows when no deal runs: the next one, or the end of the match. That the end does
    /// not follow its last deal at once happens only after the store lost it.
    fn go_on(&mut self) -> Result<(), Reject> {
        if let Some(session) = &self.table.session
            && session.is_over()
        {
            let result = match_result(&self.table, session);
            return self.push(Event::MatchEnded(result));
        }
        let next = match &self.table.session {
            Some(session) => session.next_deal(),
            None => self.table.first_deal(),
        };
        let next = next.ok_or(Reject::WrongPhase("there is no next deal"))?;
        self.push(Event::DealStarted {
            number: next.number,
            dealer: next.dealer,
        })
    }

    /// Scores the deal when it is over, and goes on to what follows.
    fn after_action(&mut self) -> Result<(), Reject> {
        let (Some(deal), Some(session)) = (self.table.deal(), &self.table.session) else {
            return Ok(());
        };
        let Some(score) = deal_score(deal, session) else {
            return Ok(());
        };
        self.push(Event::DealScored(score))?;
        let Some(session) = &self.table.session else {
            return Ok(());
        };
        if session.is_over() || self.table.setup.time_control.pause_ms == 0 {
            self.go_on()
        } else {
            Ok(())
        }
    }
}
