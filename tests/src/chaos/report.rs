//! What was done, and what was lost.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use tokio::time::Instant;

use super::{check::Compared, crowd::Match};

/// What came of one scenario.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Its name.
    pub scenario: &'static str,
    /// What was done.
    pub done: Vec<String>,
    /// Matches played to the end.
    pub matches: usize,
    /// Tables that are not there any more; none of their deals was over.
    pub gone: usize,
    /// Acknowledged moves.
    pub moves: usize,
    /// Comparison of those with the replays.
    pub compared: Compared,
    /// Times that a client was told to begin again.
    pub resyncs: usize,
    /// Streams that ended or broke.
    pub broken_streams: u64,
    /// Events that an open stream left out.
    pub missed: u64,
    /// Answers that made a client ask again, by kind.
    pub errors: BTreeMap<String, u64>,
    /// The longest time without any acknowledged move, while guests played.
    pub pause: Duration,
    /// The longest time from sending a move to its answer.
    pub slowest: Duration,
    /// What broke a promise.
    pub broken: Vec<String>,
    /// Why it was not run.
    pub skipped: Option<String>,
}

impl Outcome {
    /// Adds what one client did in one match.
    pub fn add(&mut self, one: &Match) {
        self.moves += one.played.acknowledged.len();
        self.resyncs += one.played.story.resyncs.len();
        self.broken_streams += one.played.story.broken;
        self.missed += one.played.story.missed;
        let slowest = one.played.acknowledged.iter().map(|one| one.took).max();
        self.slowest = self.slowest.max(slowest.unwrap_or_default());
        self.count(&one.played.errors);
    }

    /// Adds answers that made a client ask again.
    pub fn count(&mut self, errors: &BTreeMap<String, u64>) {
        for (kind, count) in errors {
            *self.errors.entry(kind.clone()).or_default() += count;
        }
    }

    fn asked_again(&self) -> u64 {
        self.errors.values().sum()
    }

    fn verdict(&self) -> &'static str {
        match (&self.skipped, self.broken.is_empty()) {
            (Some(_), _) => "not run",
            (None, true) => "kept",
            (None, false) => "BROKEN",
        }
    }
}

/// The longest time between two of these instants that follow each other.
#[must_use]
pub fn longest_pause(mut instants: Vec<Instant>) -> Duration {
    instants.sort();
    let pairs = instants.windows(2);
    let pauses = pairs.map(|pair| pair[1] - pair[0]);
    pauses.max().unwrap_or_default()
}

/// The table that ends a run, and what broke a promise.
#[must_use]
pub fn table(outcomes: &[Outcome]) -> String {
    let mut text = format!(
        "{:<13}{:>5}{:>8}{:>5}{:>7}{:>5}{:>6}{:>7}{:>8}{:>8}{:>8}{:>8}{:>9}  verdict\n",
        "scenario",
        "harm",
        "matches",
        "gone",
        "moves",
        "lost",
        "told",
        "twice",
        "resyncs",
        "streams",
        "again",
        "pause",
        "slowest"
    );
    for one in outcomes {
        let _ = writeln!(
            text,
            "{:<13}{:>5}{:>8}{:>5}{:>7}{:>5}{:>6}{:>7}{:>8}{:>8}{:>8}{:>7.1}s{:>8.1}s  {}",
            one.scenario,
            one.done.len(),
            one.matches,
            one.gone,
            one.moves,
            one.compared.lost,
            one.compared.told,
            one.compared.repeated,
            one.resyncs,
            one.broken_streams,
            one.asked_again(),
            one.pause.as_secs_f64(),
            one.slowest.as_secs_f64(),
            one.verdict()
        );
    }
    text.push_str(
        "gone: tables that were lost before their first deal was over; lost: acknowledged moves that no replay has; told: of those, by a resync; twice: moves \
         in a replay more often than sent;\nstreams: that broke; again: calls that were sent \
         again; pause: without any acknowledged move; slowest: a move until its answer\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_pause_is_between_neighbours_in_time() {
        let now = Instant::now();
        let at = |ms| now + Duration::from_millis(ms);
        let pause = longest_pause(vec![at(70), at(0), at(20), at(60)]);
        assert_eq!(pause, Duration::from_millis(40));
        assert_eq!(longest_pause(vec![now]), Duration::ZERO);
    }

    #[test]
    fn the_table_says_kept_broken_or_not_run() {
        let kept = Outcome {
            scenario: "kill",
            ..Outcome::default()
        };
        let broken = Outcome {
            scenario: "hang",
            broken: vec!["a move is lost".to_owned()],
            ..Outcome::default()
        };
        let skipped = Outcome {
            scenario: "cluster",
            skipped: Some("no cluster".to_owned()),
            ..Outcome::default()
        };
        let text = table(&[kept, broken, skipped]);
        let ends: Vec<&str> = text.lines().skip(1).take(3).collect();
        assert!(ends[0].ends_with("kept"), "{text}");
        assert!(ends[1].ends_with("BROKEN"), "{text}");
        assert!(ends[2].ends_with("not run"), "{text}");
    }
}
