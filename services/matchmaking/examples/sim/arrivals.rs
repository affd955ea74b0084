//! Who queues when.

use fastrand::Rng;

/// Milliseconds of a minute.
const MINUTE: i64 = 60_000;
/// Nobody comes back sooner: the longest wait and the match are over by then, whoever matches.
const AWAY_MS: i64 = 40 * MINUTE;

/// A player who queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) at_ms: i64,
    pub(crate) player: usize,
    pub(crate) rating: i32,
}

/// An evening, as far as a queue sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// People who play at all.
    players: usize,
    minutes: i64,
    /// Arrivals per minute, by the part of the time that has passed.
    per_minute: fn(f64) -> f64,
    /// Of a hundred players, how many are strong.
    strong: f64,
}

/// A queue for four, in each of these.
pub(crate) const SCENARIOS: [Scenario; 4] = [
    Scenario {
        name: "quiet night",
        players: 150,
        minutes: 240,
        per_minute: |_| 1.5,
        strong: 3.0,
    },
    Scenario {
        name: "evening peak",
        players: 6_000,
        minutes: 60,
        per_minute: |part| 10.0 + 70.0 * (part * std::f64::consts::PI).sin(),
        strong: 3.0,
    },
    Scenario {
        name: "strong are rare",
        players: 1_500,
        minutes: 120,
        per_minute: |_| 12.0,
        strong: 0.8,
    },
    Scenario {
        name: "after an outage",
        players: 2_500,
        minutes: 30,
        // Whoever waited for the server comes back within half a minute.
        per_minute: |part| if part < 1.0 / 60.0 { 1_200.0 } else { 8.0 },
        strong: 3.0,
    },
];

impl Scenario {
    /// The arrivals, in order. The same seed gives the same.
    pub(crate) fn arrivals(&self, seed: u64) -> Vec<Arrival> {
        let mut random = Rng::with_seed(seed);
        let ratings: Vec<i32> = (0..self.players)
            .map(|_| self.rating(&mut random))
            .collect();
        let mut free_at = vec![0_i64; self.players];
        let end = self.minutes * MINUTE;
        let mut arrivals = Vec::new();
        let mut at_ms = 0;
        loop {
            let part = to_f64(at_ms) / to_f64(end);
            let rate = (self.per_minute)(part);
            // The time to the next of independent arrivals.
            let gap = -random.f64().max(f64::MIN_POSITIVE).ln() / rate * to_f64(MINUTE);
            at_ms += to_ms(gap).max(1);
            if at_ms >= end {
                return arrivals;
            }
            let player = random.usize(..self.players);
            if free_at[player] <= at_ms {
                free_at[player] = at_ms + AWAY_MS;
                arrivals.push(Arrival {
                    at_ms,
                    player,
                    rating: ratings[player],
                });
            }
        }
    }

    fn rating(&self, random: &mut Rng) -> i32 {
        let strong = random.f64() * 100.0 < self.strong;
        let (mean, deviation) = if strong {
            (1_950.0, 90.0)
        } else {
            (1_200.0, 200.0)
        };
        whole(mean + deviation * normal(random)).max(100)
    }
}

/// Normal with mean 0 and deviation 1, near enough: twelve even ones.
pub(crate) fn normal(random: &mut Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}

#[allow(clippy::cast_precision_loss, reason = "milliseconds of some hours")]
fn to_f64(ms: i64) -> f64 {
    ms as f64
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "saturates, which is right here"
)]
fn to_ms(value: f64) -> i64 {
    value as i64
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "saturates, which is right here"
)]
pub(crate) fn whole(value: f64) -> i32 {
    value.round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_follow_from_the_seed_and_nobody_comes_while_away() {
        for scenario in SCENARIOS {
            let arrivals = scenario.arrivals(1);
            assert_eq!(arrivals, scenario.arrivals(1));
            assert_ne!(arrivals, scenario.arrivals(2));
            assert!(arrivals.is_sorted_by_key(|arrival| arrival.at_ms));
            let mut last = vec![-AWAY_MS; scenario.players];
            for arrival in arrivals {
                assert!(arrival.at_ms - last[arrival.player] >= AWAY_MS);
                last[arrival.player] = arrival.at_ms;
            }
        }
    }
}
