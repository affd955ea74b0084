//! Commands in traces and metrics.

use std::{future::Future, time::Instant};

use redis::{Arg, Cmd, Pipeline};
use tracing::Instrument as _;

use crate::{telemetry::metrics, trace_span};

/// Names of commands that are told apart; what is not here is `OTHER`.
const KNOWN: [&str; 14] = [
    "EVALSHA", "EVAL", "XRANGE", "HGET", "GET", "SET", "MGET", "ZREM", "ZRANGE", "PUBLISH", "PING",
    "INFO", "CLUSTER", "SCRIPT",
];

/// The name of a command.
pub(super) fn name(cmd: &Cmd) -> &'static str {
    let Some(Arg::Simple(first)) = cmd.args_iter().next() else {
        return "OTHER";
    };
    let known = KNOWN
        .iter()
        .find(|name| first.eq_ignore_ascii_case(name.as_bytes()));
    known.copied().unwrap_or("OTHER")
}

/// The name of several commands: that of the first.
pub(super) fn name_of_all(pipeline: &Pipeline) -> &'static str {
    pipeline.cmd_iter().next().map_or("OTHER", name)
}

/// Asks Redis, and tells how long it took.
///
/// # Errors
/// Those of the question.
pub async fn observed<T, E>(
    name: &'static str,
    question: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let span = trace_span!(
        "redis",
        otel.name = name,
        otel.kind = "client",
        db.system.name = "redis",
        db.operation.name = name,
        error.type = tracing::field::Empty,
    );
    let started = Instant::now();
    let answer = question.instrument(span.clone()).await;
    if answer.is_err() {
        span.record("error.type", "redis");
    }
    metrics::store_asked("redis", name, answer.is_ok(), started.elapsed());
    answer
}
