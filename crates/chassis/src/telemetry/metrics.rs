//! Metrics that every service has, and the instruments of which services make their own.
//!
//! Instruments are made at their first use, after [`super::init`]; in a process that exports
//! nothing they cost next to nothing.

use std::{
    sync::{LazyLock, OnceLock},
    time::Duration,
};

use opentelemetry::global;
pub use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Histogram, Meter, UpDownCounter},
};
use opentelemetry_sdk::{Resource, error::OTelSdkError, metrics::SdkMeterProvider};
use prometheus::Registry;

/// Bounds of durations in seconds: from a call inside a machine to one that is given up.
const CALLS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
/// Bounds of lags and waits in seconds: from at once to an hour.
const WAITS: [f64; 13] = [
    0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0,
];

static COUNTING: OnceLock<()> = OnceLock::new();

/// Collects metrics from now on.
pub(super) fn install(resource: Resource) -> Result<Registry, OTelSdkError> {
    let registry = Registry::new();
    let exporter = opentelemetry_prometheus::exporter()
        .with_registry(registry.clone())
        .scope_info_enabled(false)
        .build()?;
    let provider = SdkMeterProvider::builder()
        .with_reader(exporter)
        .with_resource(resource)
        .build();
    global::set_meter_provider(provider);
    COUNTING.get_or_init(|| ());
    Ok(registry)
}

/// Whether anybody reads metrics.
#[must_use]
pub fn is_counting() -> bool {
    COUNTING.get().is_some()
}

/// Makes instruments.
#[must_use]
pub fn meter() -> Meter {
    global::meter("spatz")
}

fn seconds_histogram(name: &'static str, about: &'static str, bounds: &[f64]) -> Histogram<f64> {
    meter()
        .f64_histogram(name)
        .with_unit("s")
        .with_description(about)
        .with_boundaries(bounds.to_vec())
        .build()
}

/// How often something happened.
#[must_use]
pub fn counter(name: &'static str, about: &'static str) -> Counter<u64> {
    meter().u64_counter(name).with_description(about).build()
}

/// How many there are, told by what comes and goes.
#[must_use]
pub fn up_down_counter(name: &'static str, about: &'static str) -> UpDownCounter<i64> {
    meter()
        .i64_up_down_counter(name)
        .with_description(about)
        .build()
}

/// How many there are, told now and then.
#[must_use]
pub fn gauge(name: &'static str, about: &'static str) -> Gauge<u64> {
    meter().u64_gauge(name).with_description(about).build()
}

/// How many there are, asked for whenever metrics are read; nothing is told for `None`.
pub fn observe(
    name: &'static str,
    about: &'static str,
    count: impl Fn() -> Option<u64> + Send + Sync + 'static,
) {
    meter()
        .u64_observable_gauge(name)
        .with_description(about)
        .with_callback(move |observer| {
            if let Some(count) = count() {
                observer.observe(count, &[]);
            }
        })
        .build();
}

/// How long calls take, in seconds.
#[must_use]
pub fn call_seconds(name: &'static str, about: &'static str) -> Histogram<f64> {
    seconds_histogram(name, about, &CALLS)
}

/// How late something is, or how long somebody waited, in seconds.
#[must_use]
pub fn wait_seconds(name: &'static str, about: &'static str) -> Histogram<f64> {
    seconds_histogram(name, about, &WAITS)
}

/// Milliseconds in seconds; what is negative, as clocks differ, is none.
#[must_use]
pub fn seconds(ms: i64) -> f64 {
    Duration::from_millis(u64::try_from(ms).unwrap_or(0)).as_secs_f64()
}

static RPC_SERVER: LazyLock<Histogram<f64>> =
    LazyLock::new(|| call_seconds("rpc.server.duration", "How long calls took to answer"));
static RPC_CLIENT: LazyLock<Histogram<f64>> =
    LazyLock::new(|| call_seconds("rpc.client.duration", "How long calls took to be answered"));
static STORE: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    let about = "How long Redis and the database took";
    call_seconds("db.client.operation.duration", about)
});

fn rpc(
    histogram: &Histogram<f64>,
    service: &str,
    method: &str,
    status: tonic::Code,
    took: Duration,
) {
    let labels = [
        KeyValue::new("rpc.service", service.to_owned()),
        KeyValue::new("rpc.method", method.to_owned()),
        KeyValue::new("rpc.grpc.status_code", i64::from(i32::from(status))),
    ];
    histogram.record(took.as_secs_f64(), &labels);
}

pub(crate) fn rpc_served(service: &str, method: &str, status: tonic::Code, took: Duration) {
    rpc(&RPC_SERVER, service, method, status, took);
}

pub(crate) fn rpc_called(service: &str, method: &str, status: tonic::Code, took: Duration) {
    rpc(&RPC_CLIENT, service, method, status, took);
}

pub(crate) fn store_asked(system: &'static str, operation: &'static str, ok: bool, took: Duration) {
    let labels = [
        KeyValue::new("db.system.name", system),
        KeyValue::new("db.operation.name", operation),
        KeyValue::new("outcome", if ok { "ok" } else { "error" }),
    ];
    STORE.record(took.as_secs_f64(), &labels);
}
