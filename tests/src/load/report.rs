//! What a run found, as a table for people and as lines of JSON for scripts.

use std::{fmt::Write as _, time::Duration};

use serde_json::json;

use super::{options::Options, percentile, player::Record};

/// One phase.
#[derive(Debug)]
pub struct Measured {
    /// The rate that was to be kept; `None`: as fast as it went.
    pub rate: Option<f64>,
    /// How long it was measured.
    pub window: Duration,
    /// What clients did in that time, and what they saw in the whole phase.
    pub record: Record,
    /// Microseconds of processor time by process, in that time.
    pub cpu: Vec<(&'static str, u64)>,
    /// Moves that left too late for the rate.
    pub late: u64,
    /// Bytes in Redis of tables in play at the end.
    pub table_bytes: Vec<u64>,
    /// Matches played to the end.
    pub finished: usize,
    /// The first failures.
    pub messages: Vec<String>,
}

/// Redis with nothing but a compare-and-append.
#[derive(Clone, Copy, Debug)]
pub struct Bare {
    /// Calls each second.
    pub rate: f64,
    /// Microseconds of processor time of a call.
    pub micros_each: f64,
}

/// A whole run.
#[derive(Debug)]
pub struct Report {
    /// What was asked for.
    pub options: Options,
    /// The phases: as asked, then perhaps half of its rate.
    pub measured: Vec<Measured>,
    /// Resident bytes of an idle stream, by process.
    pub watcher_bytes: Vec<(&'static str, f64)>,
    /// Milliseconds of processor time in a second without moves, by process: wake-ups are
    /// looked for all the time, and at low rates that shows in what a move costs.
    pub idle_cpu: Vec<(&'static str, f64)>,
    /// Matches that the engine has played again.
    pub replays: usize,
    /// What it found.
    pub bad_replays: Vec<String>,
    /// The same Redis alone.
    pub bare: Bare,
}

/// A number of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name.
    pub metric: String,
    /// Itself.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
}

fn row(metric: impl Into<String>, value: f64, unit: &'static str) -> Row {
    Row {
        metric: metric.into(),
        value,
        unit,
    }
}

fn float(count: impl TryInto<u64>) -> f64 {
    count.try_into().unwrap_or(u64::MAX) as f64
}

impl Measured {
    /// Acknowledged moves each second.
    #[must_use]
    pub fn moves_per_second(&self) -> f64 {
        float(self.record.moves.len()) / self.window.as_secs_f64()
    }

    /// Microseconds of processor time for each move, by process.
    fn cpu_per_move(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let moves = float(self.record.moves.len().max(1));
        self.cpu
            .iter()
            .map(move |(name, micros)| (*name, float(*micros) / moves))
    }

    fn rows(&self, name: &str, bare: Bare) -> Vec<Row> {
        let record = &self.record;
        let mut rows = Vec::new();
        let mut add = |metric: &str, value: f64, unit| {
            rows.push(row(format!("{name}_{metric}"), value, unit));
        };
        add("moves", self.moves_per_second(), "moves/s");
        let micros = |one: &super::player::Move| u32::try_from(one.took.as_micros());
        let mut took: Vec<u32> = record
            .moves
            .iter()
            .map(|one| micros(one).unwrap_or(u32::MAX))
            .collect();
        took.sort_unstable();
        for (metric, per_mille) in [("p50", 500), ("p99", 990), ("p999", 999)] {
            if let Some(micros) = percentile::of(&took, per_mille) {
                add(&format!("move_{metric}"), f64::from(micros) / 1000.0, "ms");
            }
        }
        let moves = float(record.moves.len().max(1));
        add("views_per_move", float(record.views.len()) / moves, "views");
        let mut services = 0.0;
        for (part, micros) in self.cpu_per_move() {
            add(&format!("cpu_{part}"), micros, "us/move");
            if part == "gateway" || part == "game" {
                services += micros;
            }
        }
        add("cpu_gateway_and_game", services, "us/move");
        let ratio = services / bare.micros_each.max(f64::MIN_POSITIVE);
        add("cpu_to_bare_append", ratio, "times");
        if !self.table_bytes.is_empty() {
            let sum: u64 = self.table_bytes.iter().sum();
            let mean = float(sum) / float(self.table_bytes.len());
            add("redis_live_table_mean", mean, "bytes");
            let most = self.table_bytes.iter().max().copied();
            add("redis_live_table_max", float(most.unwrap_or(0)), "bytes");
        }
        add("events", float(record.events), "events");
        add("sequence_faults", float(record.faults.len()), "faults");
        add("stalls", float(record.stalls), "stalls");
        add(
            "errors",
            float(record.errors.values().sum::<u64>()),
            "errors",
        );
        add("late", float(self.late), "moves");
        add("matches_finished", float(self.finished), "matches");
        rows
    }
}

impl Report {
    /// All numbers.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let names = ["load", "load_half"];
        let mut rows = vec![row("load_tables", float(self.options.tables), "tables")];
        for (measured, name) in self.measured.iter().zip(names) {
            rows.extend(measured.rows(name, self.bare));
        }
        for (part, bytes) in &self.watcher_bytes {
            rows.push(row(format!("load_idle_watcher_{part}"), *bytes, "bytes"));
        }
        for (part, millis) in &self.idle_cpu {
            rows.push(row(format!("load_idle_cpu_{part}"), *millis, "ms/s"));
        }
        rows.push(row("load_replays_checked", float(self.replays), "matches"));
        let bad = float(self.bad_replays.len());
        rows.push(row("load_replays_wrong", bad, "matches"));
        rows.push(row("redis_bare_append", self.bare.rate, "calls/s"));
        rows.push(row(
            "redis_bare_append_cpu",
            self.bare.micros_each,
            "us/call",
        ));
        rows
    }

    /// Whether everything that was checked was right.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let clean = |measured: &Measured| {
            let record = &measured.record;
            !record.moves.is_empty()
                && record.faults.is_empty()
                && record.errors.is_empty()
                && record.stalls == 0
        };
        self.bad_replays.is_empty() && self.measured.iter().all(clean)
    }

    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for Row {
            metric,
            value,
            unit,
        } in self.rows()
        {
            let _ = writeln!(text, "{metric:<32} {value:>14.2} {unit}");
        }
        for measured in &self.measured {
            if let Some(rate) = measured.rate {
                let _ = writeln!(text, "open loop at {rate:.0} moves/s");
            }
            for (code, count) in &measured.record.errors {
                let _ = writeln!(text, "{count:>6} errors: {code}");
            }
            for message in &measured.messages {
                let _ = writeln!(text, "  {message}");
            }
            for fault in measured.record.faults.iter().take(5) {
                let _ = writeln!(text, "  a stream was wrong: {fault:?}");
            }
        }
        for bad in &self.bad_replays {
            let _ = writeln!(text, "  a replay was wrong: {bad}");
        }
        text
    }

    /// For scripts.
    #[must_use]
    pub fn json_lines(&self) -> String {
        let line = |row: Row| {
            let value = (row.value * 1000.0).round() / 1000.0;
            format!(
                "{}\n",
                json!({"metric": row.metric, "value": value, "unit": row.unit})
            )
        };
        self.rows().into_iter().map(line).collect()
    }
}
