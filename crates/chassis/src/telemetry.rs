//! Logs, traces and metrics.
//!
//! Logs go to standard error. Traces go to a collector by OTLP when there is one; without it no
//! span is made for them. Metrics are read by Prometheus from an address of their own; without one
//! nothing is counted. Names follow the conventions of OpenTelemetry, and labels have few values:
//! never an id, a name or an address of anybody.

use std::{net::SocketAddr, sync::OnceLock, time::Duration};

use opentelemetry::{
    Context, KeyValue,
    propagation::{Extractor, Injector, TextMapPropagator},
    trace::{TraceContextExt as _, TracerProvider as _},
};
use opentelemetry_otlp::{WithExportConfig as _, WithTonicConfig as _};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{BatchSpanProcessor, Sampler, SdkTracerProvider},
};
use tonic::codegen::http::{HeaderMap, HeaderName, HeaderValue};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::{
    Layer as _, filter::LevelFilter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

mod endpoint;
pub mod metrics;

pub use opentelemetry::trace::SpanContext;
pub use tracing_subscriber::EnvFilter;

/// How long the collector may take for one batch of spans.
const EXPORT_IN: Duration = Duration::from_secs(5);

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people at a terminal.
    #[default]
    Text,
    /// One JSON object a line, for machines.
    Json,
}

impl std::str::FromStr for LogFormat {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err("expected text or json"),
        }
    }
}

/// What an operator can set.
#[derive(Debug)]
pub struct Config {
    /// The name under which the process is known, such as `spatz-game`.
    pub service: String,
    /// What is logged: directives such as `info,game=debug`.
    pub filter: EnvFilter,
    /// How.
    pub format: LogFormat,
    /// Where traces go (OTLP over gRPC), such as `http://collector:4317`.
    pub otlp_url: Option<String>,
    /// The part of requests that are traced, from 0 to 1.
    pub trace_ratio: f64,
    /// Where Prometheus reads metrics.
    pub metrics: Option<SocketAddr>,
}

/// Why telemetry cannot start.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// Traces cannot be sent there.
    #[error("traces: {0}")]
    Otlp(#[from] opentelemetry_otlp::ExporterBuildError),
    /// Metrics cannot be collected.
    #[error("metrics: {0}")]
    Metrics(#[from] opentelemetry_sdk::error::OTelSdkError),
    /// Metrics cannot be served.
    #[error("metrics: {0}")]
    Listen(#[from] std::io::Error),
}

/// What runs until the end of the process.
#[derive(Debug)]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
    /// Where metrics are served.
    pub metrics: Option<SocketAddr>,
}

impl Telemetry {
    /// Sends the spans that are left.
    pub async fn stop(self) {
        let Some(traces) = self.traces else { return };
        // It waits for its own thread, which needs this runtime.
        let stopped = tokio::task::spawn_blocking(move || traces.shutdown_with_timeout(EXPORT_IN));
        if let Ok(Err(error)) = stopped.await {
            tracing::warn!(%error, "the last spans are lost");
        }
    }
}

static TRACING: OnceLock<()> = OnceLock::new();

/// Starts logging, and what else is configured. A second call in one process logs nothing new.
///
/// # Errors
/// When the collector's URL is not understood or the address of metrics is taken.
pub async fn init(config: Config) -> Result<Telemetry, TelemetryError> {
    let resource = Resource::builder()
        .with_service_name(config.service)
        .with_attribute(KeyValue::new("service.namespace", "spatz"))
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    let traces = match &config.otlp_url {
        Some(url) => Some(tracer(url, config.trace_ratio, resource.clone())?),
        None => None,
    };
    let metrics = match config.metrics {
        Some(address) => Some(endpoint::serve(address, metrics::install(resource)?).await?),
        None => None,
    };
    let spans = traces.as_ref().map(|traces| {
        TRACING.get_or_init(|| ());
        tracing_opentelemetry::layer()
            .with_tracer(traces.tracer("spatz"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_level(false)
            .with_tracked_inactivity(false)
            // Whatever is logged, spans are whole.
            .with_filter(LevelFilter::INFO)
    });
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match config.format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .boxed(),
    };
    let lines = lines.with_filter(config.filter);
    let registry = tracing_subscriber::registry().with(lines).with(spans);
    if registry.try_init().is_err() {
        tracing::debug!("logging was started before");
    }
    Ok(Telemetry { traces, metrics })
}

fn tracer(
    url: &str,
    ratio: f64,
    resource: Resource,
) -> Result<SdkTracerProvider, opentelemetry_otlp::ExporterBuildError> {
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint(url)
        .with_timeout(EXPORT_IN)
        .with_metadata(tonic::metadata::MetadataMap::default())
        .build()?;
    let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(ratio)));
    Ok(SdkTracerProvider::builder()
        .with_span_processor(BatchSpanProcessor::builder(exporter).build())
        .with_sampler(sampler)
        .with_resource(resource)
        .build())
}

/// Whether spans go anywhere.
#[must_use]
pub fn is_tracing() -> bool {
    TRACING.get().is_some()
}

/// Whether anybody wants to know what calls do: traces or metrics are collected.
pub(crate) fn is_wanted() -> bool {
    is_tracing() || metrics::is_counting()
}

/// A span for traces alone: none while nobody collects them.
#[macro_export]
macro_rules! trace_span {
    ($($fields:tt)*) => {
        if $crate::telemetry::is_tracing() {
            ::tracing::info_span!($($fields)*)
        } else {
            ::tracing::Span::none()
        }
    };
}

struct Headers<'a>(&'a mut HeaderMap);

impl Injector for Headers<'_> {
    fn set(&mut self, key: &str, value: String) {
        let name = HeaderName::try_from(key);
        if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(value)) {
            self.0.insert(name, value);
        }
    }
}

struct ReadHeaders<'a>(&'a HeaderMap);

impl Extractor for ReadHeaders<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

/// Lets whoever gets these headers continue the trace of a span.
pub(crate) fn inject(span: &Span, headers: &mut HeaderMap) {
    if is_tracing() {
        TraceContextPropagator::new().inject_context(&span.context(), &mut Headers(headers));
    }
}

/// Makes a span continue the trace in these headers, and tells the trace's id in its field
/// `trace_id`, for logs.
pub(crate) fn continue_from(span: &Span, headers: &HeaderMap) {
    if is_tracing() {
        let context = TraceContextPropagator::new()
            .extract_with_context(&Context::new(), &ReadHeaders(headers));
        // It fails for a span that nobody records.
        let _ = span.set_parent(context);
        name_trace(span);
    }
}

/// Tells the id of a span's trace in its field `trace_id`, for logs.
pub fn name_trace(span: &Span) {
    let context = place(span);
    if context.is_valid() {
        span.record("trace_id", tracing::field::display(context.trace_id()));
    }
}

/// Where a span is in its trace, for links.
#[must_use]
pub fn place(span: &Span) -> SpanContext {
    if is_tracing() {
        span.context().span().span_context().clone()
    } else {
        SpanContext::NONE
    }
}

/// Says that a span follows from another one that has ended.
pub fn link(span: &Span, origin: SpanContext) {
    span.add_link(origin);
}
