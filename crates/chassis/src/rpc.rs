//! gRPC between the services: servers, channels, and who is calling.

use std::{
    future::{Future, ready},
    net::SocketAddr,
    time::Duration,
};

use hyper_util::rt::TokioIo;
use tokio::{io::DuplexStream, net::TcpListener, sync::mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{
    Request,
    metadata::MetadataValue,
    service::RoutesBuilder,
    transport::{Endpoint, Server, Uri, server::TcpIncoming},
};
use tower::service_fn;
use uuid::Uuid;

use crate::{ErrorCode, Failure, telemetry, tls::Tls};

mod channel;
mod health;
mod replicas;

pub use channel::Channel;
pub use health::is_serving;
pub use replicas::Replicas;

use channel::Timed;
use health::Health;

const PLAYER: &str = "spatz-player";
const REQUEST_ID: &str = "x-request-id";
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
const KEEPALIVE: Duration = Duration::from_secs(20);
/// What one call may send ahead of its reader, in bytes.
const STREAM_WINDOW: u32 = 64 * 1024;
/// What all calls of a connection may send ahead, in bytes: the most there is. Calls share a
/// connection, and a watcher that does not read must never hold up the others.
const CONNECTION_WINDOW: u32 = i32::MAX as u32;

/// Where a gRPC server listens.
#[derive(Debug)]
pub enum Listener {
    /// On the network.
    Tcp(TcpListener),
    /// On the network, for callers with a certificate.
    Tls(TcpListener, Tls),
    /// Inside this process.
    InProcess(mpsc::Receiver<std::io::Result<DuplexStream>>),
}

impl Listener {
    /// Listens on an address; port 0 picks a free one.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn bind(address: SocketAddr) -> std::io::Result<Self> {
        Ok(Self::Tcp(TcpListener::bind(address).await?))
    }
}

/// A listener and a channel to it that never leave this process: the services talk the same
/// gRPC to each other, without a port.
#[must_use]
pub fn in_process() -> (Listener, Channel) {
    let (sender, receiver) = mpsc::channel(16);
    let connector = service_fn(move |_: Uri| {
        let sender = sender.clone();
        async move {
            let (client, server) = tokio::io::duplex(64 * 1024);
            sender
                .send(Ok(server))
                .await
                .map_err(|_| std::io::Error::from(std::io::ErrorKind::ConnectionRefused))?;
            Ok::<_, std::io::Error>(TokioIo::new(client))
        }
    });
    let endpoint = windows(Endpoint::from_static("http://in-process"));
    let channel = endpoint.connect_with_connector_lazy(connector);
    (Listener::InProcess(receiver), channel.into())
}

fn windows(endpoint: Endpoint) -> Endpoint {
    endpoint
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
}

const EXPECTED: &str = "expected a URL that starts with http://";
const EXPECTED_TLS: &str =
    "expected a URL that starts with https://, because there is a certificate";

/// A channel to a service on the network, such as `http://game:7001`, or `https://game:7001` with
/// TLS. It connects when it is first used, and again whenever the connection is lost.
///
/// # Errors
/// When the URL is not understood, or does not go with `tls`.
pub fn channel(url: &str, tls: Option<&Tls>) -> Result<Channel, String> {
    let uri: Uri = url.parse().map_err(|_| expected(tls).to_owned())?;
    let host = host(&uri, tls)?;
    connect(url, &host, tls)
}

/// A channel by TLS to a service whose certificate has another name than the host of its URL.
///
/// # Errors
/// As for [`channel`].
pub fn channel_to(url: &str, name: &str, tls: &Tls) -> Result<Channel, String> {
    let uri: Uri = url.parse().map_err(|_| EXPECTED_TLS.to_owned())?;
    host(&uri, Some(tls))?;
    connect(url, name, Some(tls))
}

const fn expected(tls: Option<&Tls>) -> &'static str {
    match tls {
        Some(_) => EXPECTED_TLS,
        None => EXPECTED,
    }
}

/// The host of a service's URL, when the URL is one that can be called.
fn host(uri: &Uri, tls: Option<&Tls>) -> Result<String, String> {
    let scheme = if tls.is_some() { "https" } else { "http" };
    match uri.host() {
        Some(host) if uri.scheme_str() == Some(scheme) => {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            Ok(host.to_owned())
        }
        _ => Err(expected(tls).to_owned()),
    }
}

/// A channel to an address; with TLS, to a server whose certificate has this name.
fn connect(url: &str, name: &str, tls: Option<&Tls>) -> Result<Channel, String> {
    let endpoint = Endpoint::from_shared(url.to_owned()).map_err(|error| error.to_string())?;
    let endpoint = match tls {
        Some(tls) => endpoint
            .tls_config(tls.client(name))
            .map_err(|error| error.to_string())?,
        None => endpoint,
    };
    let endpoint = windows(endpoint)
        .connect_timeout(Duration::from_secs(2))
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true);
    Ok(endpoint.connect_lazy().into())
}

/// Connections on which answers leave at once: many share one, and an answer that waited until
/// those before it are acknowledged would hold up everybody, by as much as 40 ms. The setting of
/// tonic's server does not reach connections that it does not accept itself.
fn incoming(listener: TcpListener) -> TcpIncoming {
    TcpIncoming::from(listener).with_nodelay(Some(true))
}

/// Serves until `shutdown` is cancelled and the calls in flight are done. Health and reflection
/// come with it; `names` are the services whose health is told.
///
/// # Errors
/// When the transport fails.
pub async fn serve(
    routes: RoutesBuilder,
    names: &[&str],
    listener: Listener,
    shutdown: CancellationToken,
) -> Result<(), tonic::transport::Error> {
    serve_checked(routes, names, || ready(Ok(())), listener, shutdown).await
}

/// As [`serve`], for services that are ready only while `check` says so: it asks what they need.
///
/// # Errors
/// When the transport fails.
pub async fn serve_checked<F, R>(
    mut routes: RoutesBuilder,
    names: &[&str],
    check: F,
    listener: Listener,
    shutdown: CancellationToken,
) -> Result<(), tonic::transport::Error>
where
    F: Fn() -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), Failure>> + Send,
{
    let (reporter, health_service) = tonic_health::server::health_reporter();
    let health = Health::new(reporter, names, check).await;
    routes.add_service(health_service);
    match tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
        .build_v1()
    {
        Ok(reflection) => {
            routes.add_service(reflection);
        }
        Err(error) => tracing::error!(%error, "no reflection"),
    }
    let stop = health.keep_telling(shutdown);
    let mut server = Server::builder();
    if let Listener::Tls(_, tls) = &listener {
        server = server.tls_config(tls.server())?;
    }
    let server = server
        .trace_fn(|request| {
            let id = request
                .headers()
                .get(REQUEST_ID)
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default();
            let path = request.uri().path();
            let span = tracing::info_span!(
                "rpc",
                otel.name = path.trim_start_matches('/'),
                otel.kind = "server",
                method = path,
                request_id = id,
                trace_id = tracing::field::Empty,
            );
            telemetry::continue_from(&span, request.headers());
            span
        })
        .layer(tower::layer::layer_fn(Timed))
        .http2_keepalive_interval(Some(KEEPALIVE))
        .add_routes(routes.routes());
    match listener {
        Listener::Tcp(tcp) | Listener::Tls(tcp, _) => {
            server
                .serve_with_incoming_shutdown(incoming(tcp), stop)
                .await
        }
        Listener::InProcess(pipes) => {
            server
                .serve_with_incoming_shutdown(ReceiverStream::new(pipes), stop)
                .await
        }
    }
}

/// A request for a unary call on behalf of a player, with the id of the HTTP request that
/// caused it and a deadline.
#[must_use]
pub fn request<T>(message: T, player: Option<Uuid>, request_id: &str) -> Request<T> {
    let mut request = stream_request(message, player, request_id);
    request.set_timeout(CALL_TIMEOUT);
    request
}

/// As [`request`], for a call that streams its answer and so has no deadline.
#[must_use]
pub fn stream_request<T>(message: T, player: Option<Uuid>, request_id: &str) -> Request<T> {
    let mut request = Request::new(message);
    let metadata = request.metadata_mut();
    if let Some(player) = player
        && let Ok(value) = MetadataValue::try_from(player.to_string())
    {
        metadata.insert(PLAYER, value);
    }
    if let Ok(value) = MetadataValue::try_from(request_id) {
        metadata.insert(REQUEST_ID, value);
    }
    request
}

/// The player on whose behalf a call is made, if any.
///
/// # Errors
/// When the metadata holds no valid id.
pub fn optional_caller<T>(request: &Request<T>) -> Result<Option<Uuid>, Failure> {
    let Some(value) = request.metadata().get(PLAYER) else {
        return Ok(None);
    };
    let id = value.to_str().ok().and_then(|text| text.parse().ok());
    id.map(Some).ok_or_else(|| {
        Failure::new(
            ErrorCode::BadRequest,
            "expected a UUID in the metadata key spatz-player",
        )
    })
}

/// The player on whose behalf a call is made.
///
/// # Errors
/// When there is none.
pub fn caller<T>(request: &Request<T>) -> Result<Uuid, Failure> {
    optional_caller(request)?.ok_or_else(|| {
        Failure::new(
            ErrorCode::Unauthorized,
            "expected the metadata key spatz-player",
        )
    })
}

/// The id of the HTTP request that caused a call, for the calls that this one makes.
#[must_use]
pub fn request_id<T>(request: &Request<T>) -> String {
    let value = request.metadata().get(REQUEST_ID);
    value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn no_answer_waits_for_the_one_before_it_to_be_acknowledged() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listen");
        let address = listener.local_addr().expect("an address");
        let _client = TcpStream::connect(address).await.expect("connect");
        let accepted = incoming(listener).next().await.expect("a connection");
        assert!(accepted.expect("a connection").nodelay().expect("ask"));
    }
}
