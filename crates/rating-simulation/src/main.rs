//! `make sim-ratings`: whether ratings mean something, by simulated seasons.
//!
//! Bots of graded strength play matches of every game, which says how much strength decides and
//! how often places are shared ([`calibrate`]). Synthetic players of known strength then play
//! seasons in a model with those numbers ([`model`]), rated by the code that rates real matches,
//! by Elo with other K, by Glicko-2 and by Weng-Lin, all on the same matches ([`league`]).
//! Players who try to farm rating are compared with honest ones of the same strength ([`farm`]).
//! What points are good for is asked of bots in real matches ([`margins`]).
//!
//! Everything follows from `SPATZ_SIM_SEED`, the seed of the first world; the others have the next
//! ones. The first world is told in tables, and how much all of them differ after that, on the
//! standard output; means and differences also go as JSON lines to the file that is the only
//! argument.

mod bout;
mod calibrate;
mod farm;
mod league;
mod margins;
mod model;
mod raters;
mod score;

use std::{env, fs, io::Write as _, process::ExitCode, thread};

use rules::{RULE_SETS, Rules};
use serde_json::{Value, json};

/// Worlds that are played: the first is told, and how much all of them differ.
const WORLDS: u64 = 5;

/// A measurement of one table.
#[derive(Clone, Debug)]
struct Measure {
    /// Such as `ratings/brixental-4/ties`.
    metric: String,
    value: f64,
    unit: String,
}

/// What is told of one world.
#[derive(Debug, Default)]
pub(crate) struct Report {
    text: String,
    measures: Vec<Measure>,
}

impl Report {
    /// A line of text.
    pub(crate) fn say(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A measurement of one table, such as `brixental-4`.
    pub(crate) fn measure(&mut self, table: &str, metric: &str, value: f64, unit: &str) {
        self.measures.push(Measure {
            metric: format!("ratings/{table}/{metric}"),
            value,
            unit: unit.to_owned(),
        });
    }
}

fn world(seed: u64) -> Report {
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
        margins::run(&table, &rules, &mut random, &mut report);
    }
    report
}

/// Mean and standard deviation.
fn noise(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let far = values.iter().map(|value| (value - mean) * (value - mean));
    (mean, (far.sum::<f64>() / f64::max(count - 1.0, 1.0)).sqrt())
}

fn main() -> ExitCode {
    let seed = env::var("SPATZ_SIM_SEED").ok();
    let seed = seed.and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let worlds: Vec<Report> = thread::scope(|scope| {
        let worlds = (0..WORLDS).map(|more| scope.spawn(move || world(seed + more)));
        let worlds: Vec<_> = worlds.collect();
        let told = worlds
            .into_iter()
            .map(|world| world.join().expect("a world"));
        told.collect()
    });
    let mut text = worlds[0].text.clone();
    text.push_str(&format!(
        "\nMeans of {WORLDS} worlds, seeds {seed} to {}, and standard deviations between them\n",
        seed + WORLDS - 1
    ));
    let mut lines = Vec::new();
    for (place, measure) in worlds[0].measures.iter().enumerate() {
        let values: Vec<f64> = worlds
            .iter()
            .map(|world| world.measures[place].value)
            .collect();
        let (value, spread) = noise(&values);
        let Measure { metric, unit, .. } = measure;
        let shown = format!("{value:.3} ± {spread:.3} {unit}");
        text.push_str(&format!("  {metric:<60} {shown}\n"));
        lines.push(json!({
            "metric": metric, "value": value, "unit": unit, "spread": spread, "worlds": WORLDS,
        }));
    }
    match write(&text, &lines) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "rating-simulation: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(text: &str, lines: &[Value]) -> std::io::Result<()> {
    std::io::stdout().write_all(text.as_bytes())?;
    let Some(path) = env::args().nth(1) else {
        return Ok(());
    };
    let lines = lines.iter().map(|line| format!("{line}\n"));
    fs::write(path, lines.collect::<String>())
}
