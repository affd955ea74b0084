//! The HTTP server: accepts connections within bounds, and drains them.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
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
/// How long requests in flight may take after shutdown began.
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

/// Serves until `shutdown` is cancelled and the requests in flight are done, or 20 seconds have
/// passed. Streams end by themselves when it is the token that the gateway was given.
///
/// # Errors
/// When the listener cannot be asked for its address.
pub async fn serve(
    router: Router,
    listener: TcpListener,
    shutdown: CancellationToken,
) -> io::Result<()> {
    tracing::info!(address = %listener.local_addr()?, "the gateway listens");
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
    let drained = async {
        graceful.shutdown().await;
        // All places are free: the WebSockets are gone, too.
        let _ = slots.acquire_many(CONNECTIONS_MAX as u32).await;
    };
    if timeout(DRAIN, drained).await.is_err() {
        tracing::warn!("requests were still running at the end of the drain");
    }
    Ok(())
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
