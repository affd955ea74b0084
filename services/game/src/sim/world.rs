//! What a simulated world has one of: its seed, its clock, and what was noted about it.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::Range,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep};

use super::faults::Faults;

/// When a world begins, by its store's clock.
const EPOCH_MS: i64 = 1_796_030_406_000;
/// Lines of a trace that are kept: what led to a violation is among the last.
const TRACE_MAX: usize = 20_000;

/// One run.
#[derive(Debug)]
pub(super) struct World {
    pub(super) faults: Faults,
    start: Instant,
    rng: Mutex<fastrand::Rng>,
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
struct Notes {
    /// Of every call of a store and what came of it, in their order.
    digest: DefaultHasher,
    violations: Vec<String>,
    trace: Option<VecDeque<String>>,
}

impl World {
    /// The world of a seed. Made inside its runtime, whose time is virtual.
    pub(super) fn new(seed: u64, traced: bool) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        Self {
            faults: Faults::new(&mut rng),
            start: Instant::now(),
            rng: Mutex::new(rng),
            notes: Mutex::new(Notes {
                trace: traced.then(Default::default),
                ..Notes::default()
            }),
        }
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All choices come from here, in the order in which they are made.
    pub(super) fn rng(&self) -> MutexGuard<'_, fastrand::Rng> {
        self.rng.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something happens that happens so many times in a thousand.
    pub(super) fn chance(&self, per_mille: u32) -> bool {
        per_mille > 0 && self.rng().u32(0..1000) < per_mille
    }

    pub(super) fn pick(&self, range: Range<u64>) -> u64 {
        self.rng().u64(range)
    }

    pub(super) async fn pause(&self, ms: Range<u64>) {
        let ms = self.pick(ms);
        sleep(Duration::from_millis(ms)).await;
    }

    /// Virtual milliseconds since the world began.
    pub(super) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The store's clock.
    pub(super) fn now_ms(&self) -> i64 {
        EPOCH_MS.saturating_add_unsigned(self.elapsed_ms())
    }

    /// Adds to the digest, and to the trace if there is one.
    pub(super) fn note(&self, what: std::fmt::Arguments<'_>) {
        let at_ms = self.elapsed_ms();
        let mut line = String::new();
        let _ = write!(line, "{at_ms:>7} {what}");
        let mut notes = self.notes();
        line.hash(&mut notes.digest);
        if let Some(trace) = &mut notes.trace {
            if trace.len() == TRACE_MAX {
                trace.pop_front();
            }
            trace.push_back(line);
        }
    }

    /// Something that must not be.
    pub(super) fn violated(&self, what: String) {
        self.note(format_args!("VIOLATION {what}"));
        self.notes().violations.push(what);
    }

    pub(super) fn is_violated(&self) -> bool {
        !self.notes().violations.is_empty()
    }

    /// What was noted: the digest, the violations, the trace.
    pub(super) fn take_notes(&self) -> (u64, Vec<String>, Vec<String>) {
        let mut notes = self.notes();
        let trace = notes.trace.take().unwrap_or_default();
        let digest = notes.digest.finish();
        (digest, std::mem::take(&mut notes.violations), trace.into())
    }
}

/// The last digits of an id, enough to tell those of one world apart.
pub(super) fn short(id: uuid::Uuid) -> String {
    let text = id.simple().to_string();
    text[28..].to_owned()
}
