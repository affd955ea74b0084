//! A TCP link to a server that can be cut and mended.

use std::net::SocketAddr;

use anyhow::Context as _;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

/// Such a link; it is cut when this is dropped.
#[derive(Debug)]
pub struct Link {
    address: SocketAddr,
    target: String,
    accepting: Option<JoinHandle<()>>,
}

impl Link {
    /// Opens a link to a server, `host:port`.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn open(target: String) -> anyhow::Result<Self> {
        let mut link = Self {
            address: free_address().await?,
            target,
            accepting: None,
        };
        link.mend().await?;
        Ok(link)
    }

    /// Where it listens, `host:port`.
    #[must_use]
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Ends all connections, and refuses new ones.
    pub async fn cut(&mut self) {
        if let Some(accepting) = self.accepting.take() {
            accepting.abort();
            // The port is free when the task is gone.
            let _ = accepting.await;
        }
    }

    /// Accepts connections again.
    ///
    /// # Errors
    /// When somebody else has taken the port.
    pub async fn mend(&mut self) -> anyhow::Result<()> {
        if self.accepting.is_none() {
            let listener = TcpListener::bind(self.address).await?;
            let accepting = accept(listener, self.target.clone());
            self.accepting = Some(tokio::spawn(accepting));
        }
        Ok(())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(accepting) = &self.accepting {
            accepting.abort();
        }
    }
}

/// An address outside the range that the system hands out to clients, so that it is still free
/// after a cut or a restart.
///
/// # Errors
/// When none was found.
pub async fn free_address() -> anyhow::Result<SocketAddr> {
    let mut failed = None;
    for _ in 0..50 {
        let [high, low, ..] = *uuid::Uuid::new_v4().as_bytes();
        let port = 10_000 + u16::from_be_bytes([high, low]) % 10_000;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        match TcpListener::bind(address).await {
            Ok(_) => return Ok(address),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.context("no attempt")?.into())
}

async fn accept(listener: TcpListener, target: String) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        connections.spawn(pass(client, target.clone()));
        while connections.try_join_next().is_some() {}
    }
}

/// Passes a connection on to a server, `host:port`, until one side closes it.
pub(crate) async fn pass(mut client: TcpStream, target: String) {
    if let Ok(mut server) = TcpStream::connect(target).await {
        let _ = client.set_nodelay(true);
        let _ = server.set_nodelay(true);
        // However it ends, both are closed.
        let _ = copy_bidirectional(&mut client, &mut server).await;
    }
}
