//! `make sim-ratings`: whether ratings mean something, by simulated seasons.
//!
//! Bots of graded strength play matches of every game, which says how much strength decides and
//! how often places are shared ([`calibrate`]). Synthetic players of known strength then play
//! seasons in a model with those numbers ([`model`]), rated by the code that rates real matches,
//! by Elo with other K, by Glicko-2 and by Weng-Lin, all on the same matches ([`league`]).
//! Players who try to farm rating are compared with honest ones of the same strength ([`farm`]).
//!
//! Everything follows from `SPATZ_SIM_SEED`. Tables go to the standard output, the same as JSON
//! lines to the file that is the only argument.

mod calibrate;
mod farm;
mod league;
mod model;
mod raters;

use std::{env, fs, io::Write as _, process::ExitCode};

use rules::{RULE_SETS, Rules};
use serde_json::{Value, json};

/// What is printed and written.
#[derive(Debug, Default)]
pub(crate) struct Report {
    text: String,
    lines: Vec<Value>,
}

impl Report {
    /// A line of text.
    pub(crate) fn say(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A measurement of one table, such as `brixental-4`.
    pub(crate) fn measure(&mut self, table: &str, metric: &str, value: f64, unit: &str) {
        self.lines.push(json!({
            "metric": format!("ratings/{table}/{metric}"), "value": value, "unit": unit,
        }));
    }
}

fn main() -> ExitCode {
    let seed = env::var("SPATZ_SIM_SEED").ok();
    let seed = seed.and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let mut report = Report::default();
    let mut random = fastrand::Rng::with_seed(seed);
    let tables = RULE_SETS.iter().flat_map(|set| {
        let players = set.players();
        players.filter_map(|players| Rules::new(set.id, players, [("length", "rounds(2)")]).ok())
    });
    for rules in tables {
        let table = format!("{}-{}", rules.set().id, rules.players());
        let luck = calibrate::run(&rules, &mut random);
        calibrate::tell(&table, &luck, &mut report);
        league::run(&table, &luck, &mut random, &mut report);
        farm::run(&table, &luck, &mut random, &mut report);
    }
    match write(&report) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "rating-simulation: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(report: &Report) -> std::io::Result<()> {
    std::io::stdout().write_all(report.text.as_bytes())?;
    let Some(path) = env::args().nth(1) else {
        return Ok(());
    };
    let lines = report.lines.iter().map(|line| format!("{line}\n"));
    fs::write(path, lines.collect::<String>())
}
