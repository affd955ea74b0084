//! Structured logs.

use tracing_subscriber::{fmt, layer::SubscriberExt, util::SubscriberInitExt};

pub use tracing_subscriber::EnvFilter;

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

/// Starts logging to standard error. A filter is made of directives such as `info,game=debug`. A
/// second call in one process does nothing.
pub fn init(filter: EnvFilter, format: LogFormat) {
    let registry = tracing_subscriber::registry().with(filter);
    let lines = fmt::layer().with_writer(std::io::stderr);
    let started = match format {
        LogFormat::Text => registry.with(lines).try_init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
    if started.is_err() {
        tracing::debug!("logging was started before");
    }
}
