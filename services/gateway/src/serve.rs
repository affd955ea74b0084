//! The HTTP server: accepts connections within bounds, and drains them.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request, State},
    http::{HeaderValue, StatusCode, Version, header::CONNECTION},
    middleware::{Next, from_fn_with_state},
    response::Response,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

const CONNECTIONS_MAX: usize = 50_000;
/// Request line and headers of one request, in bytes.
const HEADER_BYTES_MAX: usize = 32 * 1024;
/// For the headers of a request, and for the pause between two on one connection.
const HEADER_TIMEOUT: Duration = Duration::from_secs(60);
const KEEPALIVE: Duration = Duration::from_secs(20);
/// How long a client may leave what was sent to it unread.
#[cfg(target_os = "linux")]
const UNREAD_MAX: Duration = Duration::from_secs(60);
/// After shutdown began, clients that keep their connection are told for so long to make another
/// one, so that few send something on a connection that is just being closed.
const FAREWELL: Duration = Duration::from_secs(1);
/// How long requests in flight may take after that.
const DRAIN: Duration = Duration::from_secs(20);
/// After a failed accept, for instance without free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The place of a connection among those that the server holds. A WebSocket keeps it after its
/// request is answered, so that it counts, and is waited for, as any connection.
#[derive(Clone)]
pub(crate) struct Place(Arc<Slot>);

impl Place {
    /// Holds the place until the end of a task.
    pub(crate) fn held(&self) -> impl Send + use<> {
        Arc::clone(&self.0)
    }
}

/// Serves until `shutdown` is cancelled and the requests in flight are done, or 21 seconds have
/// passed. What comes on open connections in the first of them is still served. Streams end by
/// themselves when it is the token that the gateway was given.
///
/// # Errors
/// When the listener cannot be asked for its address.
pub async fn serve(
    router: Router,
    listener: TcpListener,
    shutdown: CancellationToken,
) -> io::Result<()> {
    tracing::info!(address = %listener.local_addr()?, "the gateway listens");
    let router = router.layer(from_fn_with_state(shutdown.clone(), say_farewell));
    let builder = Arc::new(builder());
    let graceful = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        let Some((stream, peer, slot)) = accepted else {
            break;
        };
        let place = Place(Arc::new(slot));
        let held = place.held();
        let service = router.clone().map_request(move |request: Request<_>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            request.extensions_mut().insert(place.clone());
            request
        });
        let service = TowerToHyperService::new(service);
        let watcher = graceful.watcher();
        let builder = Arc::clone(&builder);
        tokio::spawn(async move {
            let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
            if let Err(error) = watcher.watch(connection).await {
                tracing::debug!(error, "a connection broke");
            }
            drop(held);
        });
    }
    drop(listener);
    // All places are free: nobody is connected any more.
    let free = || slots.acquire_many(CONNECTIONS_MAX as u32);
    let _ = timeout(FAREWELL, free()).await;
    let drained = async {
        graceful.shutdown().await;
        // The WebSockets, too.
        let _ = free().await;
    };
    if timeout(DRAIN, drained).await.is_err() {
        tracing::warn!("requests were still running at the end of the drain");
    }
    Ok(())
}

/// Closes a connection with the answer, once the server stops. HTTP/2 has its own word for that.
async fn say_farewell(
    State(shutdown): State<CancellationToken>,
    request: Request,
    next: Next,
) -> Response {
    let version = request.version();
    let mut response = next.run(request).await;
    let upgraded = response.status() == StatusCode::SWITCHING_PROTOCOLS;
    if version < Version::HTTP_2 && !upgraded && shutdown.is_cancelled() {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    response
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(HEADER_BYTES_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEADER_BYTES_MAX as u32)
        .keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE);
    builder
}

type Slot = tokio::sync::OwnedSemaphorePermit;

/// Events are small and must not wait for company; and a client that is gone, or does not read,
/// must not keep its stream for longer than a minute.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(stream).set_tcp_user_timeout(Some(UNREAD_MAX))?;
    Ok(())
}

/// The next connection, when there is room for it. None: never again.
async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, Slot)> {
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                if let Err(error) = prepare(&stream) {
                    tracing::debug!(%error, "a connection stays as it is");
                }
                return Some((stream, peer, slot));
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;

    use super::*;

    /// What a server answers that goes on or stops, to a request of an HTTP version.
    async fn connection(stops: bool, version: Version, status: StatusCode) -> Option<HeaderValue> {
        let shutdown = CancellationToken::new();
        let route = get(move || async move { status });
        let router = Router::new()
            .route("/", route)
            .layer(from_fn_with_state(shutdown.clone(), say_farewell));
        if stops {
            shutdown.cancel();
        }
        let mut request = Request::new(Body::empty());
        *request.version_mut() = version;
        let Ok(response) = router.oneshot(request).await;
        response.headers().get(CONNECTION).cloned()
    }

    #[tokio::test]
    async fn a_server_that_stops_closes_a_connection_with_its_answer() {
        let close = Some(HeaderValue::from_static("close"));
        let (ok, http1) = (StatusCode::OK, Version::HTTP_11);
        assert_eq!(connection(false, http1, ok).await, None);
        assert_eq!(connection(true, http1, ok).await, close);
        assert_eq!(connection(true, http1, StatusCode::NOT_FOUND).await, close);
        assert_eq!(connection(true, Version::HTTP_2, ok).await, None);
        let upgraded = StatusCode::SWITCHING_PROTOCOLS;
        assert_eq!(connection(true, http1, upgraded).await, None);
    }
}
