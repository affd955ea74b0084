//! What the gateway counts, and the span of a request.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::http::{Method, StatusCode};
use chassis::{
    telemetry::metrics::{self, Histogram, KeyValue},
    trace_span,
};
use tracing::{Span, field::Empty};

use crate::limits::Streams;

static REQUESTS: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    let about = "How long requests took to answer";
    metrics::call_seconds("http.server.request.duration", about)
});

/// A method as a label: clients may send any text.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::PUT => "PUT",
        _ => "_OTHER",
    }
}

/// The span that everything which a request causes belongs to.
pub(crate) fn request_span(method: &Method, route: &str, request_id: &str) -> Span {
    let method = method_name(method);
    let span = trace_span!(
        "http",
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        request_id,
        trace_id = Empty,
    );
    chassis::telemetry::name_trace(&span);
    span
}

/// A request was answered, or its stream has begun.
pub(crate) fn answered(method: &Method, route: &str, status: StatusCode, took: Duration) {
    if !metrics::is_counting() {
        return;
    }
    let labels = [
        KeyValue::new("http.request.method", method_name(method)),
        KeyValue::new("http.route", route.to_owned()),
        KeyValue::new("http.response.status_code", i64::from(status.as_u16())),
    ];
    REQUESTS.record(took.as_secs_f64(), &labels);
}

/// Tells from now on how many streams are open.
pub(crate) fn count_streams(streams: &Arc<Streams>) {
    let streams = Arc::downgrade(streams);
    metrics::observe(
        "spatz.gateway.streams",
        "Streams and sockets that clients hold open",
        move || Some(streams.upgrade()?.count()),
    );
}
