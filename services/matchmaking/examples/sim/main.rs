//! `make sim-matchmaking`: the real matching pass on invented arrivals, in virtual time, beside
//! first-come-first-served and a window that never widens, on the same arrivals; and how long a
//! pass takes over a crowd.
//!
//! Prints a table, and writes the same figures as JSON lines to the file that is named as the
//! first argument. `SPATZ_SIM_SEED` repeats or varies the arrivals.

#![allow(clippy::print_stdout, reason = "a report is what this is for")]

mod arrivals;
mod crowd;
mod policy;
mod report;
mod world;

use std::{env, fs, process::ExitCode};

use arrivals::SCENARIOS;
use policy::Policy;
use report::Report;

/// Arrivals are the same for the same seed.
const SEED: u64 = 1;

fn main() -> ExitCode {
    let seed = match env::var("SPATZ_SIM_SEED") {
        Err(_) => SEED,
        Ok(text) => match text.parse() {
            Ok(seed) => seed,
            Err(_) => return usage("SPATZ_SIM_SEED: expected a whole number"),
        },
    };
    let mut report = Report::default();
    for scenario in SCENARIOS {
        let arrivals = scenario.arrivals(seed);
        for policy in Policy::ALL {
            let outcome = world::run(&arrivals, policy);
            report.add(scenario.name, policy, &outcome);
        }
    }
    report.add_pass(&crowd::measure(seed));
    println!("{}", report.table());
    match env::args().nth(1) {
        None => ExitCode::SUCCESS,
        Some(path) => match fs::write(&path, report.json_lines()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => usage(&format!("{path}: {error}")),
        },
    }
}

#[allow(clippy::print_stderr, reason = "for whoever started it")]
fn usage(text: &str) -> ExitCode {
    eprintln!("{text}");
    ExitCode::FAILURE
}
