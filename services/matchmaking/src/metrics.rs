//! What matchmaking counts. The ids of queues come from the configuration, so there are few.

use std::sync::LazyLock;

use chassis::telemetry::metrics::{self, Counter, Gauge, Histogram, KeyValue};

static LENGTH: LazyLock<Gauge<u64>> = LazyLock::new(|| {
    metrics::gauge(
        "spatz.queue.length",
        "Tickets that wait in a queue; every replica tells the same",
    )
});
static WAIT: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    let about = "How long players waited who were matched";
    metrics::wait_seconds("spatz.queue.wait", about)
});
static EXPIRED: LazyLock<Counter<u64>> = LazyLock::new(|| {
    metrics::counter(
        "spatz.tickets.expired",
        "Tickets for which nobody was found in time",
    )
});

fn label(queue: &str) -> [KeyValue; 1] {
    [KeyValue::new("spatz.queue", queue.to_owned())]
}

/// So many tickets wait.
pub(crate) fn waiting(queue: &str, tickets: u32) {
    if metrics::is_counting() {
        LENGTH.record(tickets.into(), &label(queue));
    }
}

/// Somebody was matched after this long.
pub(crate) fn matched(queue: &str, waited_ms: i64) {
    if metrics::is_counting() {
        WAIT.record(metrics::seconds(waited_ms), &label(queue));
    }
}

/// So many tickets expired.
pub(crate) fn expired(tickets: u32) {
    EXPIRED.add(tickets.into(), &[]);
}
