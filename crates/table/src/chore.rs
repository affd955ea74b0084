//! What time and bookkeeping still want of a table.
//!
//! Nothing is remembered outside the log: when a replica dies, the next one that looks at the
//! table finds the same chore.

use rules::Seat;

use crate::{
    decide::Now,
    state::{Stage, Table},
};

/// How long open seats wait for players.
const SEATING_MS: i64 = 30 * 60 * 1000;
/// How long after an attempt a chore is tried again.
const CHORE_RETRY_MS: i64 = 2_000;

/// How often the clock is set back for one move.
const RESTARTS_MAX: u8 = 3;

/// A piece of bookkeeping that somebody has to do, and do again until it is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chore {
    /// Archive a deal: the events after one version up to and including another.
    ArchiveDeal {
        /// Counted from 1.
        number: u32,
        /// Version before the first event.
        after: u64,
        /// Version of the last event.
        upto: u64,
    },
    /// Archive the match, with the events since the last deal.
    ArchiveMatch {
        /// Version before the first event.
        after: u64,
        /// Version of the last event.
        upto: u64,
    },
    /// Have the match rated.
    Rate,
    /// Let the live log expire.
    Expire,
}

impl Table {
    /// The next piece of bookkeeping, if there is any.
    #[must_use]
    pub fn chore(&self) -> Option<Chore> {
        let ends = &self.deal_ends;
        let archived = self.deals_archived as usize;
        let after = archived
            .checked_sub(1)
            .and_then(|last| ends.get(last))
            .copied();
        if let Some(&upto) = ends.get(archived) {
            return Some(Chore::ArchiveDeal {
                number: self.deals_archived + 1,
                after: after.unwrap_or(0),
                upto,
            });
        }
        match &self.stage {
            Stage::Ended(_) if !self.match_archived => Some(Chore::ArchiveMatch {
                after: after.unwrap_or(0),
                upto: self.end_version,
            }),
            Stage::Ended(_) if self.is_rated() && self.rating_changes.is_none() => {
                Some(Chore::Rate)
            }
            Stage::Ended(_) | Stage::Closed => Some(Chore::Expire),
            Stage::Seating | Stage::Deal(_) | Stage::Between => None,
        }
    }

    /// When the table moves on by itself unless somebody acts before (store's clock,
    /// milliseconds).
    #[must_use]
    pub fn due_ms(&self) -> Option<i64> {
        let time = &self.setup.time_control;
        let wait_ms = match &self.stage {
            Stage::Seating if self.has_open_seat() => SEATING_MS,
            Stage::Seating => i64::from(time.move_ms) + i64::from(time.bank_ms),
            Stage::Deal(deal) => self.thinking_ms(deal.turn()?),
            Stage::Between => time.pause_ms.into(),
            Stage::Ended(_) | Stage::Closed => return None,
        };
        Some(self.since_ms.saturating_add(wait_ms))
    }

    /// How long a seat may think about the move that it is to make.
    pub(crate) fn thinking_ms(&self, seat: Seat) -> i64 {
        let time = &self.setup.time_control;
        let state = &self.seats[seat.index()];
        if state.played_by().is_some() {
            time.bot_ms.into()
        } else {
            i64::from(time.move_ms) + i64::from(state.bank_ms)
        }
    }

    /// When somebody must look at the table, given the state before the last change: at once for
    /// a new chore, later for one that was tried.
    #[must_use]
    pub fn wake_ms(&self, before: Option<&Self>, now_ms: i64) -> Option<i64> {
        let chore_ms = self.chore().map(|chore| {
            let new = before.and_then(Self::chore) != Some(chore);
            now_ms.saturating_add(if new { 0 } else { CHORE_RETRY_MS })
        });
        self.due_ms().into_iter().chain(chore_ms).min()
    }

    /// Whether a person was to act while there was an outage: then the clock is set back, for
    /// players never lose time to the server. Only so often, for a platform that is always late
    /// must not stop the game.
    pub(crate) fn grace_is_due(&self, now: Now) -> bool {
        let for_person = match &self.stage {
            Stage::Seating => true,
            Stage::Deal(deal) => deal
                .turn()
                .is_some_and(|turn| self.seats[turn.index()].played_by().is_none()),
            Stage::Between | Stage::Ended(_) | Stage::Closed => false,
        };
        for_person && now.outage_ms > self.since_ms && self.restarts < RESTARTS_MAX
    }

    pub(crate) fn has_open_seat(&self) -> bool {
        self.seats.iter().any(|seat| seat.occupant.is_none())
    }
}
