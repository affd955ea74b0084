//! Redis: live tables and tickets in a cluster.

use redis::{Client, aio::ConnectionManager};

/// A connection to Redis that mends itself, and the prefix of every key.
#[derive(Clone)]
pub struct Kv {
    /// For connections of their own, such as subscriptions.
    pub client: Client,
    /// For commands; shared, multiplexed, reconnecting.
    pub connection: ConnectionManager,
    /// What every key and channel starts with, so that installations can share a server.
    pub prefix: String,
}

impl std::fmt::Debug for Kv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kv")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl Kv {
    /// Connects.
    ///
    /// # Errors
    /// When the URL is not understood or nobody answers. The URL is never part of the error: it
    /// may hold a password.
    pub async fn connect(url: &str, prefix: &str) -> Result<Self, redis::RedisError> {
        let client = Client::open(url)?;
        let connection = client.get_connection_manager().await?;
        Ok(Self {
            client,
            connection,
            prefix: prefix.to_owned(),
        })
    }
}
