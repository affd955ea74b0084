//! Settings of every process: logs, traces and metrics.

use std::net::{Ipv4Addr, SocketAddr};

use chassis::{
    config::Problems,
    telemetry::{self, EnvFilter, LogFormat},
};

use super::is_origin;
use crate::cli;

/// Logs, traces and metrics. What is wrong with them is noted; logs start all the same.
pub(crate) fn telemetry(cli: &cli::Cli, problems: &mut Problems) -> telemetry::Config {
    let filter = problems.parse("--log (SPATZ_LOG)", &cli.log.log, EnvFilter::new("info"));
    let setting = "--log-format (SPATZ_LOG_FORMAT)";
    let format = problems.parse(setting, &cli.log.log_format, LogFormat::Text);
    let given = |value: &Option<String>| value.clone().filter(|value| !value.is_empty());
    let otlp_url = given(&cli.telemetry.otlp_url);
    let good = |url: &String| url.starts_with("http://") && is_origin(url);
    if let Some(url) = otlp_url.as_ref().filter(|url| !good(url)) {
        let expected = format!("expected a URL such as http://collector:4317, got {url:?}");
        problems.note("--otlp-url (SPATZ_OTLP_URL)", Err(expected), ());
    }
    let setting = "--trace-ratio (SPATZ_TRACE_RATIO)";
    let mut trace_ratio: f64 = problems.parse(setting, &cli.telemetry.trace_ratio, 0.0);
    if !(0.0..=1.0).contains(&trace_ratio) {
        trace_ratio = problems.note(setting, Err("expected a number from 0 to 1"), 0.0);
    }
    let setting = "--metrics-listen (SPATZ_METRICS_LISTEN)";
    let metrics = given(&cli.telemetry.metrics_listen).map(|text| {
        let fallback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        problems.parse(setting, &text, fallback)
    });
    let service = cli.command.service();
    telemetry::Config {
        service: service.unwrap_or("spatz").to_owned(),
        filter,
        format,
        otlp_url: otlp_url.filter(|url| service.is_some() && good(url)),
        trace_ratio,
        metrics: metrics.filter(|_| service.is_some()),
    }
}
