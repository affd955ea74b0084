//! Redis: live tables and tickets in a cluster.

use std::time::Duration;

use redis::{
    Client, IntoConnectionInfo as _,
    aio::{ConnectionManager, ConnectionManagerConfig},
};

/// How long a connection may take, and an answer: callers wait, and may come again.
const TIMEOUT: Duration = Duration::from_secs(1);
const RETRIES: usize = 1;

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
    /// Says whether a URL names a Redis.
    #[must_use]
    pub fn check_url(url: &str) -> bool {
        url.starts_with("redis://") && url.into_connection_info().is_ok()
    }

    /// Connects.
    ///
    /// # Errors
    /// When the URL is not understood or nobody answers. The URL is never part of the error: it
    /// may hold a password.
    pub async fn connect(url: &str, prefix: &str) -> Result<Self, redis::RedisError> {
        let client = Client::open(url)?;
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(TIMEOUT))
            .set_response_timeout(Some(TIMEOUT))
            .set_number_of_retries(RETRIES);
        let connection = client.get_connection_manager_with_config(config).await?;
        Ok(Self {
            client,
            connection,
            prefix: prefix.to_owned(),
        })
    }
}
