//! The matching pass: who of the waiting plays with whom. Pure: no I/O, no clock.
//!
//! The oldest ticket is served first, with the partners whose ratings are closest together.
//! Two tickets fit when their ratings are no further apart than the window of either, and a
//! window widens while its ticket waits. Recent opponents are kept apart until the oldest ticket
//! of the group has waited for a while; players of whom one blocks the other, always. A complete
//! party sits together, as one unit with the mean of its ratings.
//!
//! Invariants: the same tickets in any order give the same groups; no ticket is in two groups;
//! any two tickets of a group fit; a party is seated as a whole or not at all.
//!
//! Cost: tickets are sorted by rating once and linked in that order, so each finds its
//! neighbours beside it; a bound on how far one looks makes a pass O(n log n).

use std::time::Duration;

use uuid::Uuid;

use crate::store::Party;

mod mixed;
mod pool;
mod search;

use pool::Pool;

/// A waiting ticket, as far as matching is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The ticket.
    pub ticket: Uuid,
    /// Who waits.
    pub player: Uuid,
    /// The player's rating when the ticket was made.
    pub rating: i32,
    /// When the ticket was made, in the store's time.
    pub created_ms: i64,
    /// Opponents of the player's latest matches.
    pub recent: Vec<Uuid>,
    /// Whom the player does not want to meet.
    pub blocked: Vec<Uuid>,
    /// Only tickets of the same version sit together.
    pub protocol: u32,
    /// With whom the player came.
    pub party: Option<Party>,
}

/// How far apart ratings may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Points up and down at first.
    pub start: u32,
    /// Points that every second of waiting adds.
    pub per_second: u32,
    /// After this wait every rating will do.
    pub unlimited_after: Duration,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            start: 100,
            per_second: 10,
            unlimited_after: Duration::from_secs(60),
        }
    }
}

impl Window {
    /// Points up and down after a wait; `None` when every rating will do.
    #[must_use]
    pub fn width(&self, waited_ms: i64) -> Option<u32> {
        let waited = Duration::from_millis(u64::try_from(waited_ms).unwrap_or(0));
        if waited >= self.unlimited_after {
            return None;
        }
        let widened = waited.as_millis() * u128::from(self.per_second) / 1_000;
        let widened = u32::try_from(widened).unwrap_or(u32::MAX);
        Some(self.start.saturating_add(widened))
    }
}

/// What a queue asks of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Seats of a table, 1 or more.
    pub players: usize,
    /// How far apart ratings may be.
    pub window: Window,
    /// Bots fill the seats once the oldest ticket has waited this long; never when absent.
    pub bots_after: Option<Duration>,
    /// Recent opponents may meet again once the oldest ticket has waited this long, or when
    /// bots are due.
    pub repeat_after: Duration,
}

/// A ticket of a group, and why it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Place in the list of candidates.
    pub candidate: usize,
    /// The ticket.
    pub ticket: Uuid,
    /// How long it waited.
    pub waited_ms: i64,
    /// Its window, points up and down; `None` when every rating would have done. That of a party
    /// widens since the party is complete.
    pub window: Option<u32>,
    /// Number of its party within the group, from 1; 0 for a player who came alone.
    pub party: u32,
}

/// Tickets that play together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The oldest first.
    pub members: Vec<Member>,
    /// Seats that bots take.
    pub bots: usize,
    /// Highest rating less lowest.
    pub spread: u32,
    /// Pairs that met recently and did not come together.
    pub repeats: usize,
}

/// Makes groups of the waiting. `now_ms` is in the same time as the tickets' `created_ms`.
#[must_use]
pub fn run(candidates: &[Candidate], params: &Params, now_ms: i64) -> Vec<Group> {
    let mut pool = Pool::new(candidates, params, now_ms);
    let mut groups = Vec::new();
    for unit in pool.by_age() {
        if pool.is_taken(unit) {
            continue;
        }
        if let Some(members) = pool.serve(unit, params) {
            for &member in &members {
                pool.take(member);
            }
            groups.push(pool.explain(members, params));
        }
    }
    groups
}

#[cfg(test)]
mod tests;
