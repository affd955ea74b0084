//! A queue in virtual time.

use std::collections::VecDeque;

use matchmaking::{Config, pass::Candidate, store::RECENT_MAX};
use uuid::Uuid;

use crate::{arrivals::Arrival, policy::Policy};

/// How long opponents are kept apart, as far as it can be done.
const RECENT_MS: i64 = 3_600_000;

/// How a player fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seated {
    pub(crate) rating: i32,
    pub(crate) waited_ms: i64,
    /// Highest rating at the table less lowest.
    pub(crate) spread: u32,
    /// Somebody at the table was a recent opponent.
    pub(crate) again: bool,
}

/// How everybody fared.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) seated: Vec<Seated>,
    /// Ratings of those for whom nobody came in time.
    pub(crate) expired: Vec<i32>,
}

fn id(number: usize) -> Uuid {
    Uuid::from_u128(number as u128)
}

/// Runs a queue until everybody is seated or has given up.
pub(crate) fn run(arrivals: &[Arrival], policy: Policy) -> Outcome {
    let config = Config::default();
    let step = i64::try_from(config.pass_every.as_millis()).unwrap_or(250);
    let patience = i64::try_from(config.expire_after.as_millis()).unwrap_or(i64::MAX);
    let mut outcome = Outcome::default();
    let mut coming: VecDeque<(usize, &Arrival)> = arrivals.iter().enumerate().collect();
    let players = arrivals.iter().map(|arrival| arrival.player + 1).max();
    let mut met: Vec<Vec<(i64, Uuid)>> = vec![Vec::new(); players.unwrap_or(0)];
    let mut waiting: Vec<Candidate> = Vec::new();
    let mut now_ms = 0;
    while !(coming.is_empty() && waiting.is_empty()) {
        now_ms += step;
        while let Some((number, arrival)) = coming.pop_front_if(|(_, next)| next.at_ms <= now_ms) {
            let recent = &mut met[arrival.player];
            recent.retain(|&(at_ms, _)| arrival.at_ms - at_ms < RECENT_MS);
            waiting.push(candidate(number, arrival, recent));
        }
        let (gone, rest): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .partition(|ticket| now_ms - ticket.created_ms >= patience);
        outcome
            .expired
            .extend(gone.iter().map(|ticket| ticket.rating));
        waiting = rest;
        let groups = policy.groups(&waiting, now_ms);
        let mut taken = vec![false; waiting.len()];
        for group in groups {
            let table: Vec<&Candidate> = group.iter().map(|&place| &waiting[place]).collect();
            outcome.seated.extend(seat(&table, now_ms));
            for &one in &table {
                let others = table.iter().filter(|other| other.player != one.player);
                let list = &mut met[usize::try_from(one.player.as_u128()).unwrap_or(0)];
                list.extend(others.map(|other| (now_ms, other.player)));
            }
            for place in group {
                taken[place] = true;
            }
        }
        let mut taken = taken.into_iter();
        waiting.retain(|_| !taken.next().unwrap_or(false));
    }
    outcome
}

fn candidate(number: usize, arrival: &Arrival, recent: &[(i64, Uuid)]) -> Candidate {
    Candidate {
        ticket: id(number),
        player: id(arrival.player),
        rating: arrival.rating,
        created_ms: arrival.at_ms,
        recent: recent
            .iter()
            .rev()
            .take(RECENT_MAX)
            .map(|&(_, other)| other)
            .collect(),
        blocked: Vec::new(),
        protocol: 1,
        party: None,
    }
}

fn seat(table: &[&Candidate], now_ms: i64) -> Vec<Seated> {
    let ratings = || table.iter().map(|ticket| ticket.rating);
    let (low, high) = (ratings().min().unwrap_or(0), ratings().max().unwrap_or(0));
    let seated = |ticket: &&Candidate| Seated {
        rating: ticket.rating,
        waited_ms: now_ms - ticket.created_ms,
        spread: high.abs_diff(low),
        again: table
            .iter()
            .any(|other| ticket.recent.contains(&other.player)),
    };
    table.iter().map(seated).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everybody_comes() -> Vec<Arrival> {
        let arrival = |number: usize| Arrival {
            at_ms: 100 * i64::try_from(number).unwrap_or(0),
            player: number,
            rating: 1_200 + 300 * i32::from(number % 2 == 1),
        };
        (0..8).map(arrival).collect()
    }

    #[test]
    fn windows_keep_apart_whom_first_come_first_served_mixes() {
        let arrivals = everybody_comes();
        let spreads = |policy| -> Vec<u32> {
            run(&arrivals, policy)
                .seated
                .iter()
                .map(|seated| seated.spread)
                .collect()
        };
        assert_eq!(spreads(Policy::Widening), [0; 8]);
        assert_eq!(spreads(Policy::Fixed), [0; 8]);
        assert_eq!(spreads(Policy::FirstCome), [300; 8]);
    }

    #[test]
    fn who_finds_nobody_gives_up() {
        let arrivals = &everybody_comes()[..3];
        for policy in Policy::ALL {
            let outcome = run(arrivals, policy);
            assert_eq!((outcome.seated.len(), outcome.expired.len()), (0, 3));
        }
    }
}
