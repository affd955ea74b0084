//! Figures, as a table and as JSON lines.

use serde_json::json;

use crate::{
    crowd::{Measured, TICKETS},
    policy::Policy,
    world::{Outcome, Seated},
};

/// Strength: from this rating, below that one.
const BANDS: [(&str, i32, i32); 4] = [
    ("below 1000", i32::MIN, 1_000),
    ("1000 to 1399", 1_000, 1_400),
    ("1400 to 1699", 1_400, 1_700),
    ("from 1700", 1_700, i32::MAX),
];

/// One line of the table.
#[derive(Debug)]
struct Row {
    scenario: &'static str,
    policy: &'static str,
    band: &'static str,
    players: usize,
    /// In percent.
    expired: f64,
    /// Of those who were seated, in seconds: half, nine of ten, 99 of 100 waited at most so long.
    waits: [f64; 3],
    /// Half and nine of ten sat at a table no wider than this.
    spreads: [f64; 2],
    /// Who met a recent opponent, in percent.
    again: f64,
}

/// All figures.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
    pass: Option<Measured>,
}

#[allow(
    clippy::cast_precision_loss,
    reason = "counts and milliseconds of a few hours"
)]
fn part(count: usize, of: usize) -> f64 {
    if of == 0 {
        0.0
    } else {
        100.0 * count as f64 / of as f64
    }
}

/// The value that so many of a hundred do not exceed; 0 when there are none.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    sorted.get(rank).copied().unwrap_or(0.0)
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

impl Report {
    /// The figures of one policy in one scenario, by strength.
    pub(crate) fn add(&mut self, scenario: &'static str, policy: Policy, outcome: &Outcome) {
        for (band, from, below) in BANDS {
            let within = |rating: i32| (from..below).contains(&rating);
            let seated: Vec<&Seated> = outcome
                .seated
                .iter()
                .filter(|seated| within(seated.rating))
                .collect();
            let expired = outcome
                .expired
                .iter()
                .filter(|&&rating| within(rating))
                .count();
            #[allow(clippy::cast_precision_loss, reason = "minutes in milliseconds")]
            let waits = sorted(
                seated
                    .iter()
                    .map(|seated| seated.waited_ms as f64 / 1_000.0),
            );
            let spreads = sorted(seated.iter().map(|seated| f64::from(seated.spread)));
            let again = seated.iter().filter(|seated| seated.again).count();
            let players = seated.len() + expired;
            self.rows.push(Row {
                scenario,
                policy: policy.name(),
                band,
                players,
                expired: part(expired, players),
                waits: [50, 90, 99].map(|percent| percentile(&waits, percent)),
                spreads: [50, 90].map(|percent| percentile(&spreads, percent)),
                again: part(again, seated.len()),
            });
        }
    }

    /// How long a pass over a crowd takes.
    pub(crate) fn add_pass(&mut self, measured: &Measured) {
        self.pass = Some(*measured);
    }

    /// For people.
    pub(crate) fn table(&self) -> String {
        let mut lines = vec![format!(
            "{:<16} {:<13} {:<13} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6}",
            "scenario",
            "policy",
            "rating",
            "players",
            "expired",
            "wait 50",
            "wait 90",
            "wait 99",
            "apart 50",
            "apart 90",
            "again"
        )];
        let mut last = "";
        for row in &self.rows {
            if row.band == BANDS[0].0 && row.scenario != last {
                lines.push(String::new());
                last = row.scenario;
            }
            let [half, most, all] = row.waits;
            lines.push(format!(
                "{:<16} {:<13} {:<13} {:>7} {:>6.1} % {:>6.1} s {:>6.1} s {:>6.1} s {:>8.0} \
                 {:>8.0} {:>4.0} %",
                row.scenario,
                row.policy,
                row.band,
                row.players,
                row.expired,
                half,
                most,
                all,
                row.spreads[0],
                row.spreads[1],
                row.again,
            ));
        }
        if let Some(Measured { pass, groups }) = self.pass {
            lines.push(format!(
                "\n{TICKETS} tickets with 30 recent opponents each: {groups} tables in {:.0} ms",
                pass.as_secs_f64() * 1_000.0
            ));
        }
        lines.join("\n")
    }

    /// For programs.
    pub(crate) fn json_lines(&self) -> String {
        let mut lines = String::new();
        let mut line = |value: serde_json::Value| {
            lines.push_str(&value.to_string());
            lines.push('\n');
        };
        for row in &self.rows {
            let figures = [
                ("wait_p50", row.waits[0], "s"),
                ("wait_p90", row.waits[1], "s"),
                ("wait_p99", row.waits[2], "s"),
                ("spread_p50", row.spreads[0], "points"),
                ("spread_p90", row.spreads[1], "points"),
                ("expired", row.expired, "%"),
                ("met_again", row.again, "%"),
            ];
            for (name, value, unit) in figures {
                line(json!({
                    "metric": format!("sim_matchmaking_{name}"), "value": value, "unit": unit,
                    "scenario": row.scenario, "policy": row.policy, "rating": row.band,
                    "players": row.players,
                }));
            }
        }
        if let Some(measured) = self.pass {
            let ms = measured.pass.as_secs_f64() * 1_000.0;
            line(json!({"metric": "matching_pass_100000_tickets", "value": ms, "unit": "ms"}));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occur() {
        let waits = sorted([3.0, 1.0, 2.0, 4.0].into_iter());
        assert_eq!(percentile(&waits, 50), 2.0);
        assert_eq!(percentile(&waits, 90), 4.0);
        assert_eq!(percentile(&waits, 99), 4.0);
        assert_eq!(percentile(&[], 50), 0.0);
    }

    #[test]
    fn a_report_has_a_line_for_every_figure() {
        let mut report = Report::default();
        let seated = Seated {
            rating: 1_250,
            waited_ms: 2_500,
            spread: 40,
            again: false,
        };
        let outcome = Outcome {
            seated: vec![seated],
            expired: vec![1_300],
        };
        report.add("a night", Policy::Widening, &outcome);
        let table = report.table();
        let row = table
            .lines()
            .find(|line| line.contains("1000 to 1399"))
            .unwrap_or_default();
        for part in ["a night", "spatz", " 2 ", "50.0 %", "2.5 s", " 40 "] {
            assert!(row.contains(part), "{part} in {row}");
        }
        assert_eq!(report.json_lines().lines().count(), 7 * BANDS.len());
    }
}
