//! Configuration of matchmaking.

use std::{ops::RangeInclusive, time::Duration};

use chassis::config::Problems;

use crate::{pass::Window, queue::Queues};

/// Versions of the protocol that this release speaks: what clients can be told and can send.
pub const PROTOCOLS: RangeInclusive<u32> = 1..=1;

/// How matchmaking works.
#[derive(Clone, Debug)]
pub struct Config {
    /// What can be played.
    pub queues: Queues,
    /// How far apart the ratings at a table may be.
    pub window: Window,
    /// Recent opponents are kept apart until the oldest ticket of a group has waited this long.
    pub repeat_after: Duration,
    /// Time between two matching passes; a ticket that arrives starts one earlier.
    pub pass_every: Duration,
    /// Tickets that one pass looks at in a queue, the oldest.
    pub pass_tickets_max: u32,
    /// How long a replica may match a queue without renewing its lease.
    pub lease: Duration,
    /// Proposals of this age are taken to be left behind by a crash and opened again.
    pub repair_after: Duration,
    /// Tickets that waited this long expire.
    pub expire_after: Duration,
    /// How long an invite code works.
    pub invite_for: Duration,
    /// Rating of a ticket for a casual queue while the ranking service cannot be asked.
    pub default_rating: i32,
    /// How often a watched ticket is read when no change is heard of: as old may be what it says
    /// about its place in the queue.
    pub watch_every: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            queues: Queues::default(),
            window: Window::default(),
            repeat_after: Duration::from_secs(20),
            pass_every: Duration::from_millis(250),
            pass_tickets_max: 100_000,
            lease: Duration::from_secs(5),
            repair_after: Duration::from_secs(5),
            expire_after: Duration::from_secs(15 * 60),
            invite_for: Duration::from_secs(24 * 3_600),
            default_rating: 1_200,
            watch_every: Duration::from_secs(5),
        }
    }
}

impl Config {
    /// Notes what cannot work.
    pub fn check(&self, problems: &mut Problems) {
        for (setting, value) in [
            ("pass_every", self.pass_every),
            ("lease", self.lease),
            ("expire_after", self.expire_after),
            ("invite_for", self.invite_for),
            ("watch_every", self.watch_every),
        ] {
            if value < Duration::from_millis(1) {
                problems.note(setting, Err("expected at least 1 ms"), ());
            }
        }
        if self.lease < self.pass_every * 2 {
            let wrong = "expected at least twice pass_every: a holder renews it in every pass";
            problems.note("lease", Err(wrong), ());
        }
        if self.pass_tickets_max == 0 {
            problems.note("pass_tickets_max", Err("expected at least 1"), ());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_works() {
        let mut problems = Problems::default();
        Config::default().check(&mut problems);
        assert!(problems.finish().is_ok());
    }

    #[test]
    fn a_lease_outlives_the_time_between_passes() {
        let mut problems = Problems::default();
        let config = Config {
            lease: Duration::from_millis(300),
            ..Config::default()
        };
        config.check(&mut problems);
        assert!(problems.finish().is_err());
    }
}
