//! A TCP proxy that can be cut, to lose connections at will.

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};
use tokio_util::task::TaskTracker;

/// Forwards connections to one address while it is not cut.
#[derive(Debug)]
pub(crate) struct Proxy {
    port: u16,
    open: watch::Sender<bool>,
    connections: TaskTracker,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// A proxy to an address such as `127.0.0.1:6379`.
    pub(crate) async fn to(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let open = watch::Sender::new(true);
        let seen = open.subscribe();
        let target = target.to_owned();
        let connections = TaskTracker::new();
        let tracker = connections.clone();
        let accepting = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                tracker.spawn(forward(client, target.clone(), seen.clone()));
            }
        });
        Self {
            port,
            open,
            connections,
            accepting,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Closes every connection, and new ones at once, until it is mended. Returns when no
    /// connection is left.
    pub(crate) async fn cut(&self) {
        self.open.send_replace(false);
        self.connections.close();
        self.connections.wait().await;
    }

    pub(crate) fn mend(&self) {
        self.open.send_replace(true);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn forward(mut client: TcpStream, target: String, mut open: watch::Receiver<bool>) {
    if !*open.borrow_and_update() {
        return;
    }
    let mut server = TcpStream::connect(target).await.unwrap();
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        _ = open.wait_for(|open| !open) => {}
    }
}
