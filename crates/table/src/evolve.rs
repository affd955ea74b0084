//! What an event does to a table.
//!
//! Strict about what the rules and the seats allow, so that a state that was reached can always
//! be shown, archived and rated; lenient about when the clock acts and who decided something,
//! so that a log stays readable when such policies change.

use std::sync::Arc;

use proto::v1::{Actor, DealScore, MatchResult};
use rules::{Action, Deal, Effect, NONCE_BYTES_MAX, NextDeal, Seat, Session};

use crate::{
    Chore, Occupant, Player,
    event::Event,
    score::deal_score,
    state::{Corrupt, RESTORED_STEP, SeatState, Stage, Table},
};

impl Table {
    /// Takes the next event of the log.
    ///
    /// # Errors
    /// When the event cannot follow; the state is then of no use.
    pub fn evolve(&mut self, version: u64, at_ms: i64, event: &Event) -> Result<(), Corrupt> {
        let follows = match event {
            Event::Restored => version > self.version && version.is_multiple_of(RESTORED_STEP),
            _ => self.version.checked_add(1) == Some(version),
        };
        if !follows {
            return Err(Corrupt {
                version,
                what: "a version is missing",
            });
        }
        self.version = version;
        self.last_ms = at_ms;
        self.take(at_ms, event)
            .map_err(|what| Corrupt { version, what })
    }

    fn take(&mut self, at_ms: i64, event: &Event) -> Result<(), &'static str> {
        match event {
            Event::Opened { .. } => Err("a table is opened once"),
            Event::SeatTaken { seat, player } => self.seat_player(at_ms, *seat, player),
            Event::SeatFreed { seat } => {
                self.check_seating()?;
                *self.player_mut(*seat)? = SeatState::new(None, 0);
                Ok(())
            }
            Event::SeatReady { seat, nonce, .. } => self.make_ready(*seat, nonce),
            Event::DealStarted { number, dealer } => self.start_deal(at_ms, *number, *dealer),
            Event::Acted { seat, action, by } => self.act(at_ms, *seat, *action, *by),
            Event::DealScored(score) => self.score_deal(at_ms, score),
            Event::MatchEnded(result) => self.end_match(at_ms, result),
            Event::SeatAway { seat, left } => {
                self.check_running()?;
                let state = self.player_mut(*seat)?;
                if state.left || (state.away && !left) {
                    return Err("the seat is away");
                }
                state.away = true;
                state.left = *left;
                Ok(())
            }
            Event::SeatReturned { seat } => self.bring_back(at_ms, *seat),
            Event::ClockRestarted => {
                self.check_running()?;
                self.since_ms = at_ms;
                self.restarts = self.restarts.saturating_add(1);
                Ok(())
            }
            Event::Restored => {
                self.restorations = self.restorations.saturating_add(1);
                self.wait_from(at_ms);
                Ok(())
            }
            Event::DealArchived { number } => match self.chore() {
                Some(Chore::ArchiveDeal { number: next, .. }) if next == *number => {
                    self.deals_archived = next;
                    Ok(())
                }
                _ => Err("another deal is to be archived"),
            },
            Event::MatchArchived => match self.chore() {
                Some(Chore::ArchiveMatch { .. }) => {
                    self.match_archived = true;
                    Ok(())
                }
                _ => Err("the match is not to be archived"),
            },
            Event::MatchRated(changes) => match self.chore() {
                Some(Chore::Rate) => {
                    self.rating_changes = Some(changes.clone());
                    Ok(())
                }
                _ => Err("the match is not to be rated"),
            },
            Event::Closed(_) => {
                self.check_seating()?;
                self.stage = Stage::Closed;
                self.wait_from(at_ms);
                Ok(())
            }
        }
    }

    /// What the table waits for has changed; its clock starts.
    fn wait_from(&mut self, at_ms: i64) {
        self.since_ms = at_ms;
        self.restarts = 0;
    }

    fn check_seating(&self) -> Result<(), &'static str> {
        match self.stage {
            Stage::Seating => Ok(()),
            _ => Err("the match has begun"),
        }
    }

    fn check_running(&self) -> Result<(), &'static str> {
        match self.stage {
            Stage::Seating | Stage::Deal(_) | Stage::Between => Ok(()),
            Stage::Ended(_) | Stage::Closed => Err("the table is over"),
        }
    }

    fn seat_mut(&mut self, seat: Seat) -> Result<&mut SeatState, &'static str> {
        self.seats.get_mut(seat.index()).ok_or("no such seat")
    }

    fn player_mut(&mut self, seat: Seat) -> Result<&mut SeatState, &'static str> {
        let state = self.seat_mut(seat)?;
        if state.player().is_some() {
            Ok(state)
        } else {
            Err("no player sits there")
        }
    }

    fn seat_player(&mut self, at_ms: i64, seat: Seat, player: &Player) -> Result<(), &'static str> {
        self.check_seating()?;
        if self.seat_of(player.id).is_some() {
            return Err("the player sits already");
        }
        let bank_ms = self.setup.time_control.bank_ms;
        let state = self.seat_mut(seat)?;
        if state.occupant.is_some() {
            return Err("the seat is taken");
        }
        *state = SeatState::new(Some(Occupant::Player(player.clone())), bank_ms);
        self.arrivals = self.arrivals.saturating_add(1);
        self.wait_from(at_ms);
        Ok(())
    }

    fn make_ready(&mut self, seat: Seat, nonce: &[u8]) -> Result<(), &'static str> {
        self.check_seating()?;
        let state = self.player_mut(seat)?;
        if state.nonce.is_some() {
            return Err("the seat is ready");
        }
        if nonce.len() > NONCE_BYTES_MAX {
            return Err("the nonce is too long");
        }
        state.nonce = Some(nonce.to_vec());
        Ok(())
    }

    fn start_deal(&mut self, at_ms: i64, number: u32, dealer: Seat) -> Result<(), &'static str> {
        if !matches!(self.stage, Stage::Seating | Stage::Between) {
            return Err("no deal can start");
        }
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
        session.start_deal();
        let deal = Deal::new(rules, dealer, &shuffle.deck(self.shuffle_number(number)));
        self.stage = Stage::Deal(Box::new(deal));
        self.wait_from(at_ms);
        Ok(())
    }

    fn act(
        &mut self,
        at_ms: i64,
        seat: Seat,
        action: Action,
        by: Actor,
    ) -> Result<(), &'static str> {
        if self.deal().and_then(Deal::turn) != Some(seat) {
            return Err("it is not the seat's turn");
        }
        self.charge_clock(seat, by, at_ms)?;
        let Stage::Deal(deal) = &mut self.stage else {
            return Err("no deal runs");
        };
        let effect = deal
            .apply(action)
            .map_err(|_| "the rules do not allow the action")?;
        if matches!(effect, Effect::Declared(_)) {
            self.declared_version = self.version;
        }
        self.wait_from(at_ms);
        Ok(())
    }

    fn score_deal(&mut self, at_ms: i64, score: &DealScore) -> Result<(), &'static str> {
        let (Stage::Deal(deal), Some(session)) = (&self.stage, &mut self.session) else {
            return Err("no deal runs");
        };
        let end = deal.end().ok_or("the deal is not over")?;
        let ours = deal_score(deal, session).ok_or("the deal is not over")?;
        // Only what later deals build on: a line may get more fields as the format grows.
        let same = ours.number == score.number
            && ours.dealer == score.dealer
            && ours.points == score.points
            && ours.totals == score.totals
            && ours.counted == score.counted;
        if !same {
            return Err("the score is not the deal's");
        }
        session.record(&end);
        Arc::make_mut(&mut self.sheet).push(score.clone());
        self.deal_ends.push(self.version);
        self.stage = Stage::Between;
        self.wait_from(at_ms);
        Ok(())
    }

    fn end_match(&mut self, at_ms: i64, result: &MatchResult) -> Result<(), &'static str> {
        let played = matches!(self.stage, Stage::Between)
            && self.session.as_ref().is_some_and(Session::is_over);
        let deserted = matches!(self.stage, Stage::Deal(_) | Stage::Between) && !self.has_player();
        if !played && !deserted {
            return Err("the match is not over");
        }
        let seats = self.seats.len();
        let fits = |length: usize| length == seats;
        let fits_or_none = |length: usize| length == seats || length == 0;
        let good = fits(result.scores.len())
            && fits(result.places.len())
            && fits(result.abandoned.len())
            && fits_or_none(result.settlement.len())
            && fits_or_none(result.pot_shares.len());
        if !good {
            return Err("the result does not fit the seats");
        }
        self.stage = Stage::Ended(result.clone());
        self.end_version = self.version;
        self.ended_ms = at_ms;
        self.wait_from(at_ms);
        Ok(())
    }

    fn bring_back(&mut self, at_ms: i64, seat: Seat) -> Result<(), &'static str> {
        self.check_running()?;
        let state = self.player_mut(seat)?;
        if !state.away || state.left {
            return Err("no bot plays for the seat");
        }
        state.away = false;
        state.timeouts = 0;
        // The player who comes back gets a whole move's time, but only for a move of their own:
        // nobody else's clock depends on it.
        if self.deal().and_then(Deal::turn) == Some(seat) {
            self.wait_from(at_ms);
        }
        Ok(())
    }

    fn charge_clock(&mut self, seat: Seat, by: Actor, at_ms: i64) -> Result<(), &'static str> {
        // A clock that ran backwards charges nothing.
        let used_ms = at_ms.saturating_sub(self.since_ms).max(0);
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
}
