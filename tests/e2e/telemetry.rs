//! What an operator sees: one trace from a request to Redis, metrics under the names that the
//! dashboards and alerts of the chart use, logs with trace ids and without secrets.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context as _, ensure};
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    trace::v1::{Span, span::SpanKind},
};
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use tests::{
    client::{Client, PATIENCE},
    events::{Events, all},
    installation::{Installation, Plan},
    play,
};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, transport::Server};

use crate::support::matched;

/// Spans as they come, each with the service that it is from.
#[derive(Clone, Debug, Default)]
struct Collector(Arc<Mutex<Vec<(String, Span)>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let mut spans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for resource in request.into_inner().resource_spans {
            let attributes = resource.resource.unwrap_or_default().attributes;
            let service = attributes.iter().find(|a| a.key == "service.name");
            let service = format!("{:?}", service.and_then(|a| a.value.clone()));
            let of_scope = resource.scope_spans.into_iter();
            let found = of_scope.flat_map(|scope| scope.spans);
            spans.extend(found.map(|span| (service.clone(), span)));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    async fn start() -> anyhow::Result<(Self, String)> {
        let collector = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let service = TraceServiceServer::new(collector.clone());
        let server = Server::builder().add_service(service);
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        Ok((collector, url))
    }

    fn spans(&self) -> Vec<(String, Span)> {
        let spans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        spans.clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_is_one_trace_and_every_metric_of_the_dashboards_is_there() {
    let (collector, otlp_url) = Collector::start().await.expect("a collector");
    let plan = Plan {
        settings: vec![
            ("SPATZ_OTLP_URL", otlp_url),
            ("SPATZ_TRACE_RATIO", "1".to_owned()),
            ("SPATZ_METRICS_LISTEN", "127.0.0.1:0".to_owned()),
            ("SPATZ_LOG_FORMAT", "json".to_owned()),
            ("SPATZ_TRUSTED_PROXY_HEADER", "x-forwarded-for".to_owned()),
        ],
        ..Plan::default()
    };
    let mut installation = Installation::cluster_with(plan).await.expect("start");
    let outcome = async {
        let clients = guests_of_proxy(installation.url()).await?;
        let wrong = json!({"queue_id": 7});
        let answer = clients[0].post("/v1/tickets", &wrong).await?;
        ensure!(answer.status.is_client_error(), "a bad request");
        let table = matched(&clients, "ranked-brixental-4").await?;
        let mut events = Events::new(&clients[0], &table);
        let played = clients.iter().zip(1..);
        all(played.map(|(client, seed)| play::play(client, &table, seed))).await?;
        events.until("match_rated").await?;
        check_metrics(&installation, &table).await?;
        drop(events);
        // The last spans are sent at the end.
        for role in ["gateway", "matchmaking", "game", "ranking"] {
            installation.stop(role).await?;
        }
        check_move(&collector.spans())?;
        check_sign_in(&collector.spans())?;
        check_wakes(&collector.spans())?;
        let spans = format!("{:?}", collector.spans());
        ensure!(!spans.contains(ADDRESS), "an address is in the traces");
        check_logs(&installation.logs(), &clients)
    };
    outcome
        .await
        .unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

/// Where the clients are, as a proxy tells it; the start of it.
const ADDRESS: &str = "203.0.113.";

async fn guests_of_proxy(url: &str) -> anyhow::Result<Vec<Client>> {
    let names = ["Anna", "Burgl", "Christl", "Dori"].into_iter().zip(1..);
    let guests = names.map(|(name, number)| async move {
        let mut headers = HeaderMap::new();
        let address = format!("{ADDRESS}{number}");
        headers.insert("x-forwarded-for", address.parse()?);
        let http = reqwest::Client::builder().timeout(PATIENCE);
        Client::guest_with(http.default_headers(headers).build()?, url, name).await
    });
    all(guests).await
}

/// One trace: the request, the call as the gateway makes it, as the game service answers it, and
/// the script in Redis.
fn check_move(spans: &[(String, Span)]) -> anyhow::Result<()> {
    let by_id: HashMap<&[u8], &(String, Span)> = spans
        .iter()
        .map(|span| (span.1.span_id.as_slice(), span))
        .collect();
    let chain = |(service, span): &(String, Span)| {
        let mut chain = vec![(service.clone(), span.clone())];
        let mut next = span.parent_span_id.clone();
        while let Some((service, parent)) = by_id.get(next.as_slice()) {
            chain.push((service.clone(), parent.clone()));
            next.clone_from(&parent.parent_span_id);
        }
        (chain, next)
    };
    let expected = [
        ("spatz-game", "EVALSHA", SpanKind::Client),
        ("spatz-game", "spatz.v1.Game/Act", SpanKind::Server),
        ("spatz-gateway", "spatz.v1.Game/Act", SpanKind::Client),
        (
            "spatz-gateway",
            "POST /v1/tables/{id}/actions",
            SpanKind::Server,
        ),
    ];
    let is_expected = |found: &[(String, Span)]| {
        found.len() == expected.len()
            && found
                .iter()
                .zip(expected)
                .all(|((service, span), expected)| {
                    service.contains(expected.0)
                        && span.name == expected.1
                        && span.kind() == expected.2
                })
    };
    let found = spans
        .iter()
        .map(chain)
        .find(|(chain, _)| is_expected(chain));
    let names: BTreeSet<&str> = spans.iter().map(|(_, span)| span.name.as_str()).collect();
    let (chain, root) = found.with_context(|| format!("no trace of a move in {names:?}"))?;
    ensure!(root.is_empty(), "a request begins its trace");
    let traces: BTreeSet<&[u8]> = chain
        .iter()
        .map(|(_, span)| span.trace_id.as_slice())
        .collect();
    ensure!(traces.len() == 1, "{chain:?}");
    ensure!(
        names.contains("archive_match") && names.contains("record_match"),
        "{names:?}"
    );
    Ok(())
}

/// Each statement of a sign-in is a span of its own under the request, without values.
fn check_sign_in(spans: &[(String, Span)]) -> anyhow::Result<()> {
    let request = "POST /v1/auth/guest";
    for operation in ["find_guest", "create_player", "start_session"] {
        let found = spans.iter().map(|(_, span)| span);
        let found = found.filter(|span| span.name == operation);
        let under = |child: &&Span| {
            let mut all = spans.iter().map(|(_, span)| span);
            all.any(|span| span.span_id == child.parent_span_id && span.name == request)
        };
        let child = found.clone().find(under);
        let child = child.with_context(|| format!("no {operation} under {request}"))?;
        ensure!(child.kind() == SpanKind::Client, "{operation} is no call");
        let mut keys: Vec<&str> = child
            .attributes
            .iter()
            .map(|one| one.key.as_str())
            .collect();
        keys.retain(|key| key.starts_with("db."));
        keys.sort_unstable();
        ensure!(keys == ["db.operation.name", "db.system.name"], "{keys:?}");
    }
    Ok(())
}

/// What time does after a move is a trace of its own, tied to that of the move.
fn check_wakes(spans: &[(String, Span)]) -> anyhow::Result<()> {
    let traces: BTreeSet<&[u8]> = spans
        .iter()
        .filter(|(_, span)| span.name == "POST /v1/tables/{id}/actions")
        .map(|(_, span)| span.trace_id.as_slice())
        .collect();
    let tied = spans.iter().any(|(_, span)| {
        let mut links = span.links.iter();
        span.name == "wake"
            && span.parent_span_id.is_empty()
            && links.any(|link| traces.contains(link.trace_id.as_slice()))
    });
    ensure!(tied, "no wake-up is tied to a move");
    Ok(())
}

/// The lines of JSON among the logs.
fn lines(logs: &str) -> impl Iterator<Item = Value> {
    logs.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
}

fn check_logs(logs: &str, clients: &[Client]) -> anyhow::Result<()> {
    let request = lines(logs)
        .find(|line| line["message"] == "request" && line["route"] == "/v1/tables/{id}/actions");
    let request = request.context("a line for a move")?;
    let trace = request["spans"][0]["trace_id"].as_str().unwrap_or_default();
    ensure!(trace.len() == 32, "{request}");
    for client in clients {
        ensure!(!logs.contains(&client.token), "a token is in the logs");
    }
    for secret in [
        ADDRESS,
        "Bearer",
        "\"hand\"",
        "\"card\"",
        "postgres://",
        "refresh_token",
    ] {
        ensure!(!logs.contains(secret), "{secret} is in the logs");
    }
    Ok(())
}

/// Every metric that the chart's dashboards and alerts name is exported, and no label is an id.
async fn check_metrics(installation: &Installation, table: &str) -> anyhow::Result<()> {
    let logs = installation.logs();
    let addresses = lines(&logs)
        .filter(|line| line["message"] == "metrics can be read")
        .filter_map(|line| Some(line["address"].as_str()?.to_owned()));
    let mut exported = BTreeMap::<String, usize>::new();
    for address in addresses {
        let metrics = reqwest::get(format!("http://{address}/metrics")).await?;
        let metrics = metrics.error_for_status()?.text().await?;
        ensure!(!metrics.contains(table), "the id of a table is a label");
        for line in metrics.lines().filter(|line| !line.starts_with('#')) {
            let name = line.split(['{', ' ']).next().unwrap_or_default();
            *exported.entry(name.to_owned()).or_default() += 1;
        }
    }
    let series: usize = exported.values().sum();
    ensure!(series < 5_000, "{series} series");
    let named = named_metrics()?;
    ensure!(named.len() > 15, "{named:?}");
    let missing: Vec<&String> = named
        .iter()
        .filter(|name| !exported.contains_key(*name))
        .collect();
    ensure!(
        missing.is_empty(),
        "{missing:?} are in a dashboard or an alert, but not in {:?}",
        exported.keys()
    );
    Ok(())
}

/// The metrics of the program that dashboards and alerts name.
fn named_metrics() -> anyhow::Result<BTreeSet<String>> {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../charts/spatz/files");
    let mut names = BTreeSet::new();
    for file in files_in(&files)? {
        let text = std::fs::read_to_string(&file)?;
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'));
        let ours = ["spatz_", "http_server_", "rpc_", "db_client_"];
        let is_metric = |word: &&str| {
            ours.iter().any(|prefix| word.starts_with(prefix))
                && !word.contains(':')
                && ![
                    "rpc_service",
                    "rpc_method",
                    "rpc_grpc_status_code",
                    "spatz_queue",
                ]
                .contains(word)
        };
        names.extend(words.filter(is_metric).map(str::to_owned));
    }
    Ok(names)
}

fn files_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_in(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}
