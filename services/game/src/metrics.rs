//! What the game service counts, and how what time does is tied to the moves before it.

use std::{
    num::NonZeroUsize,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use chassis::{
    telemetry::{
        self, SpanContext,
        metrics::{self, Counter, Histogram, KeyValue, UpDownCounter},
    },
    trace_span,
};
use lru::LruCache;
use tracing::{Span, field::Empty};
use uuid::Uuid;

use crate::{
    Game,
    log::{Appended, LogError},
};

/// Tables of which the last change is remembered, for traces.
const ORIGINS_MAX: NonZeroUsize = NonZeroUsize::new(4_096).expect("not zero");

static APPENDS: LazyLock<Counter<u64>> =
    LazyLock::new(|| metrics::counter("spatz.appends", "Appends to logs, by what came of them"));
static LOOK_UPS: LazyLock<Counter<u64>> = LazyLock::new(|| {
    metrics::counter(
        "spatz.table.lookups",
        "Tables that were needed, by whether they were cached",
    )
});
static WATCHERS: LazyLock<UpDownCounter<i64>> =
    LazyLock::new(|| metrics::up_down_counter("spatz.watchers", "Streams of tables"));
static WAKE_LAG: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    let about = "How long after its time a due table was looked at";
    metrics::wait_seconds("spatz.wake.lag", about)
});
static ARCHIVE_LAG: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    let about = "From the end of a deal until it was archived";
    metrics::wait_seconds("spatz.archive.lag", about)
});
static RATING_LAG: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    let about = "From the end of a match until it was rated";
    metrics::wait_seconds("spatz.rating.lag", about)
});
static WAKE_FAILURES: LazyLock<Counter<u64>> = LazyLock::new(|| {
    metrics::counter("spatz.wake.failures", "Wake-ups that failed and come again")
});

/// Where each table's last change was made in its trace. A wake-up that another replica caused is
/// not tied to anything.
static ORIGINS: LazyLock<Mutex<LruCache<Uuid, SpanContext>>> =
    LazyLock::new(|| Mutex::new(LruCache::new(ORIGINS_MAX)));

/// An append was tried.
pub(crate) fn appended(table: Uuid, answer: &Result<Appended, LogError>) {
    let outcome = match answer {
        Ok(Appended::Done { .. }) => "done",
        Ok(Appended::Conflict { .. }) => "conflict",
        Ok(Appended::Outage { .. }) => "outage",
        Err(_) => "error",
    };
    APPENDS.add(1, &[KeyValue::new("outcome", outcome)]);
    if telemetry::is_tracing() {
        let place = telemetry::place(&Span::current());
        let mut origins = ORIGINS.lock().unwrap_or_else(PoisonError::into_inner);
        origins.put(table, place);
    }
}

/// A command came that is in the log.
pub(crate) fn sent_again() {
    APPENDS.add(1, &[KeyValue::new("outcome", "duplicate")]);
}

/// A table was needed.
pub(crate) fn looked_up(cached: bool) {
    let result = if cached { "hit" } else { "miss" };
    LOOK_UPS.add(1, &[KeyValue::new("result", result)]);
}

/// The span of a wake-up: a trace of its own, tied to the change that caused it.
pub(crate) fn wake_span(table: Uuid) -> Span {
    let span = trace_span!(
        parent: None,
        "wake",
        otel.kind = "consumer",
        table = %table,
        trace_id = Empty,
    );
    if telemetry::is_tracing() {
        let mut origins = ORIGINS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(origin) = origins.pop(&table) {
            telemetry::link(&span, origin);
        }
        telemetry::name_trace(&span);
    }
    span
}

/// A table whose time had come this long ago is looked at.
pub(crate) fn woken(late_ms: i64) {
    WAKE_LAG.record(metrics::seconds(late_ms), &[]);
}

/// Looking at a table failed.
pub(crate) fn wake_failed() {
    WAKE_FAILURES.add(1, &[]);
}

/// A deal that ended this long ago is in the archive.
pub(crate) fn archived(late_ms: i64) {
    ARCHIVE_LAG.record(metrics::seconds(late_ms), &[]);
}

/// A match that ended this long ago is rated.
pub(crate) fn rated(late_ms: i64) {
    RATING_LAG.record(metrics::seconds(late_ms), &[]);
}

/// Counts a stream until it is dropped.
#[derive(Debug)]
pub(crate) struct Watching(());

impl Watching {
    pub(crate) fn new() -> Self {
        WATCHERS.add(1, &[]);
        Self(())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        WATCHERS.add(-1, &[]);
    }
}

/// Tells from now on how many tables this replica has in memory, and that nothing failed yet.
pub(crate) fn count_tables(game: &Arc<Game>) {
    // What never happened is 0 and not unknown.
    WAKE_FAILURES.add(0, &[]);
    let (cached, followed) = (Arc::downgrade(game), Arc::downgrade(game));
    metrics::observe(
        "spatz.tables.cached",
        "Tables whose state is in memory",
        move || Some(cached.upgrade()?.tables.cached_count() as u64),
    );
    metrics::observe(
        "spatz.tables.followed",
        "Tables that somebody watches here",
        move || Some(followed.upgrade()?.followers.count() as u64),
    );
}
