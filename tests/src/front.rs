//! What a Service of Kubernetes does: one address that stays, before processes that come and go.
//! New connections go to those that are there, in turn; open ones stay where they are.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    net::TcpListener,
    task::{JoinHandle, JoinSet},
};

use crate::link::{free_address, pass};

/// Such an address; its connections end when this is dropped.
#[derive(Debug)]
pub struct Front {
    address: SocketAddr,
    behind: Arc<Mutex<Vec<Endpoint>>>,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct Endpoint {
    address: String,
    /// Connections that it got.
    taken: u64,
    /// Whether it gets new ones.
    present: bool,
}

impl Front {
    /// Opens an address with nobody behind it.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn open() -> anyhow::Result<Self> {
        let address = free_address().await?;
        let listener = TcpListener::bind(address).await?;
        let behind = Arc::default();
        let accepting = tokio::spawn(accept(listener, Arc::clone(&behind)));
        Ok(Self {
            address,
            behind,
            accepting,
        })
    }

    /// Where it listens, `host:port`.
    #[must_use]
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Lets a server, `host:port`, have connections.
    pub fn add(&self, address: String) {
        lock(&self.behind).push(Endpoint {
            address,
            taken: 0,
            present: true,
        });
    }

    /// Lets a server have no more connections than it has.
    pub fn remove(&self, address: &str) {
        for one in lock(&self.behind).iter_mut() {
            one.present &= one.address != address;
        }
    }

    /// How many connections a server got.
    #[must_use]
    pub fn taken(&self, address: &str) -> u64 {
        let behind = lock(&self.behind);
        let endpoint = behind.iter().find(|one| one.address == address);
        endpoint.map_or(0, |one| one.taken)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn lock(behind: &Mutex<Vec<Endpoint>>) -> MutexGuard<'_, Vec<Endpoint>> {
    // No code that could panic half-way runs under the lock.
    behind.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, behind: Arc<Mutex<Vec<Endpoint>>>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let next = {
            let mut behind = lock(&behind);
            let present = behind.iter_mut().filter(|one| one.present);
            present.min_by_key(|one| one.taken).map(|one| {
                one.taken += 1;
                one.address.clone()
            })
        };
        // With nobody behind it, the connection is closed.
        if let Some(next) = next {
            connections.spawn(pass(client, next));
        }
        while connections.try_join_next().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpStream,
    };

    use super::*;

    /// A server that says its name to whoever connects, and then what it is told.
    async fn server(name: u8) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            let mut connections = Vec::new();
            while let Ok((mut client, _)) = listener.accept().await {
                client.write_all(&[name]).await.unwrap();
                connections.push(tokio::spawn(async move {
                    let (mut from, mut to) = client.split();
                    tokio::io::copy(&mut from, &mut to).await
                }));
            }
        });
        address
    }

    async fn connect(front: &Front) -> (TcpStream, u8) {
        let mut client = TcpStream::connect(front.address()).await.unwrap();
        let name = client.read_u8().await.unwrap();
        (client, name)
    }

    #[tokio::test]
    async fn who_leaves_keeps_its_connections_and_gets_no_more() {
        let front = Front::open().await.unwrap();
        let (old, new) = (server(b'o').await, server(b'n').await);
        front.add(old.clone());
        let (mut kept, name) = connect(&front).await;
        assert_eq!(name, b'o');
        front.add(new.clone());
        assert_eq!(connect(&front).await.1, b'n');
        front.remove(&old);
        for _ in 0..3 {
            assert_eq!(connect(&front).await.1, b'n');
        }
        kept.write_all(b"x").await.unwrap();
        assert_eq!(kept.read_u8().await.unwrap(), b'x');
        assert_eq!((front.taken(&old), front.taken(&new)), (1, 4));
    }
}
