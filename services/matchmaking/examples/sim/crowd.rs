//! How long one pass takes over a crowd.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use fastrand::Rng;
use matchmaking::{
    Config,
    pass::{self, Candidate, Params},
};
use uuid::Uuid;

use crate::{
    arrivals::{normal, whole},
    policy::SEATS,
};

/// Tickets that wait.
pub(crate) const TICKETS: usize = 100_000;
/// Recent opponents of each.
const RECENT: usize = 30;
/// Recent opponents had a rating at most so many places away.
const NEAR: usize = 500;
/// Passes; the fastest counts, so that a busy machine does not.
const PASSES: usize = 7;

/// What was measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) pass: Duration,
    pub(crate) groups: usize,
}

/// Measures a pass over a crowd that came within a minute, each with opponents of like strength.
pub(crate) fn measure(seed: u64) -> Measured {
    let crowd = crowd(seed);
    let config = Config::default();
    let params = Params {
        players: SEATS,
        window: config.window,
        bots_after: None,
        repeat_after: config.repeat_after,
    };
    let passes = (0..PASSES).map(|_| {
        let start = Instant::now();
        let groups = black_box(pass::run(black_box(&crowd), &params, 60_000)).len();
        (start.elapsed(), groups)
    });
    let (pass, groups) = passes.min().unwrap_or_default();
    Measured { pass, groups }
}

fn crowd(seed: u64) -> Vec<Candidate> {
    let mut random = Rng::with_seed(seed);
    let mut ratings: Vec<i32> = (0..TICKETS)
        .map(|_| whole(1_200.0 + 250.0 * normal(&mut random)))
        .collect();
    ratings.sort_unstable();
    let players: Vec<Uuid> = (0..TICKETS)
        .map(|_| Uuid::from_u128(random.u128(..)))
        .collect();
    let mut crowd: Vec<Candidate> = (0..TICKETS)
        .map(|place| {
            let near = place.saturating_sub(NEAR)..(place + NEAR).min(TICKETS);
            let recent = (0..RECENT).map(|_| players[random.usize(near.clone())]);
            Candidate {
                recent: recent.collect(),
                ticket: Uuid::from_u128(random.u128(..)),
                player: players[place],
                rating: ratings[place],
                created_ms: random.i64(0..60_000),
                blocked: Vec::new(),
                protocol: 1,
                party: None,
            }
        })
        .collect();
    random.shuffle(&mut crowd);
    crowd
}
