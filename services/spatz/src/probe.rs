//! Asks a running installation whether it is well, for images that have no other program.

use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use chassis::{config::Problems, rpc, tls::Tls};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use crate::{cli::ProbeArgs, settings};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read: the status is in the first line.
const READ_MAX: u64 = 64;

/// Fails unless every URL answers with a status of 200 to 299, or that it serves.
pub(crate) async fn probe(args: &ProbeArgs, mut problems: Problems) -> anyhow::Result<()> {
    let tls = settings::read_tls(&args.tls, &mut problems);
    problems.finish()?;
    for url in &args.urls {
        let asked = async {
            match url.strip_prefix("grpc://") {
                Some(rest) => serves(rest, tls.as_ref(), args.tls_name.as_deref()).await,
                None => answers(url).await,
            }
        };
        let answer = timeout(PATIENCE, asked).await;
        let answer = answer.context("no answer in 10 seconds");
        answer
            .and_then(|answer| answer)
            .with_context(|| url.clone())?;
    }
    Ok(())
}

/// Asks for the health of a service, `HOST:PORT/SERVICE`; the process has an empty name.
async fn serves(rest: &str, tls: Option<&Tls>, name: Option<&str>) -> anyhow::Result<()> {
    let (authority, service) = rest.split_once('/').unwrap_or((rest, ""));
    let scheme = if tls.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{authority}");
    let channel = match (tls, name) {
        (Some(tls), Some(name)) => rpc::channel_to(&url, name, tls),
        _ => rpc::channel(&url, tls),
    };
    let channel = channel.map_err(anyhow::Error::msg)?;
    let serving = rpc::is_serving(channel, service).await?;
    ensure!(serving, "answered that it does not serve");
    Ok(())
}

async fn answers(url: &str) -> anyhow::Result<()> {
    match status(url).await? {
        200..=299 => Ok(()),
        other => bail!("answered {other}"),
    }
}

async fn status(url: &str) -> anyhow::Result<u16> {
    let rest = url.strip_prefix("http://");
    let rest = rest.context("expected a URL that starts with http:// or grpc://")?;
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = if path.is_empty() { "/" } else { path };
    if url.bytes().any(|byte| !byte.is_ascii_graphic()) {
        bail!("expected a URL without blanks");
    }
    let has_port = authority.rfind(':') > authority.rfind(']');
    let address = if has_port {
        authority.to_owned()
    } else {
        format!("{authority}:80")
    };
    let mut connection = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    connection.take(READ_MAX).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let mut words = answer.split_ascii_whitespace();
    let http = words.next().is_some_and(|word| word.starts_with("HTTP/1."));
    let status = words.next().and_then(|word| word.parse().ok());
    status
        .filter(|_| http)
        .context("expected an answer in HTTP")
}
