//! The address where Prometheus reads metrics: it answers `GET /metrics`, one request for each
//! connection, and nothing else.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use prometheus::{Encoder as _, Registry, TextEncoder};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};

/// Readers at once; more wait.
const READERS_MAX: usize = 4;
/// Bytes of a request that are read, at most.
const REQUEST_MAX: usize = 8 * 1024;
/// How long one reader may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// After a failed accept, for instance without free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves a registry until the end of the process. Returns where.
pub(super) async fn serve(address: SocketAddr, registry: Registry) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let readers = Arc::new(Semaphore::new(READERS_MAX));
    tokio::spawn(async move {
        while let Ok(reader) = Arc::clone(&readers).acquire_owned().await {
            let Ok((stream, _)) = listener.accept().await else {
                sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let registry = registry.clone();
            tokio::spawn(async move {
                match timeout(PATIENCE, answer(stream, &registry)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => tracing::debug!(%error, "metrics were not read"),
                    Err(_) => tracing::debug!("metrics were read too slowly"),
                }
                drop(reader);
            });
        }
    });
    Ok(address)
}

async fn answer(mut stream: TcpStream, registry: &Registry) -> io::Result<()> {
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if request.len() > REQUEST_MAX || stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let encoder = TextEncoder::new();
    let (status, body) = if request.starts_with(b"GET /metrics") {
        let mut body = Vec::new();
        match encoder.encode(&registry.gather(), &mut body) {
            Ok(()) => ("200 OK", body),
            Err(error) => ("500 Internal Server Error", error.to_string().into_bytes()),
        }
    } else {
        ("404 Not Found", b"expected GET /metrics\n".to_vec())
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        encoder.format_type(),
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(&body).await?;
    stream.shutdown().await
}
