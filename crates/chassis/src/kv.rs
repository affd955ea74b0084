//! Redis: live tables and tickets in a cluster.
//!
//! The URL alone says how Redis is run ([`Address`]): one server, a primary that Sentinels watch,
//! or Redis Cluster. Above this module nobody asks which it is.

use std::{fmt, time::Duration};

use redis::{
    AsyncConnectionConfig, ErrorKind, RedisError, RedisResult, ServerErrorKind, Value, cmd,
};

mod address;
mod certificates;
mod connection;
mod listen;
mod observed;
#[cfg(test)]
mod tests;

pub use address::{Address, Nodes, Security};
pub use connection::Connection;
pub use listen::{Heard, listen};
pub use observed::observed;

/// How long a connection may take, and an answer: callers wait, and may come again.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Redis, and the prefix of every key.
#[derive(Clone)]
pub struct Kv {
    /// Where it is, for connections of their own: subscriptions, and writes that wait.
    pub address: Address,
    /// For commands; shared, multiplexed, reconnecting.
    pub connection: Connection,
    /// What every key and channel starts with, so that installations can share a server.
    pub prefix: String,
}

impl fmt::Debug for Kv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kv")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl Kv {
    /// Says whether a URL names a Redis.
    #[must_use]
    pub fn check_url(url: &str) -> bool {
        Address::parse(url).is_ok()
    }

    /// Connects.
    ///
    /// # Errors
    /// When the URL is not understood or nobody answers. The URL is never part of the error: it
    /// may hold a password.
    pub async fn connect(url: &str, prefix: &str) -> RedisResult<Self> {
        let address = Address::parse(url)?;
        let connection = Connection::open(&address).await?;
        Ok(Self {
            address,
            connection,
            prefix: prefix.to_owned(),
        })
    }

    /// A section of `INFO` of every primary.
    ///
    /// # Errors
    /// When one does not answer.
    pub async fn info(&self, section: &str) -> RedisResult<Vec<String>> {
        let mut info = cmd("INFO");
        info.arg(section);
        let answer: Value = info.query_async(&mut self.connection.clone()).await?;
        Ok(match answer {
            // A cluster answers with each node's address and text.
            Value::Map(nodes) => nodes
                .into_iter()
                .map(|(_, text)| redis::from_redis_value(text))
                .collect::<Result<_, _>>()?,
            text => vec![redis::from_redis_value(text)?],
        })
    }
}

/// Whether an error says something about now, not about the question: a connection that broke, or
/// a fail-over, in which nobody is the primary for a while. The same may be asked again.
#[must_use]
pub fn may_pass(error: &RedisError) -> bool {
    error.is_io_error()
        || error.is_timeout()
        || error.is_cluster_error()
        || error.is_unrecoverable_error()
        || matches!(
            error.kind(),
            // A Sentinel names a server that is not the primary, yet or any more.
            ErrorKind::MasterNameNotFoundBySentinel
                | ErrorKind::Server(
                    ServerErrorKind::BusyLoading
                        | ServerErrorKind::MasterDown
                        | ServerErrorKind::ReadOnly
                )
        )
}

/// Settings of every connection to one server.
fn timeouts() -> AsyncConnectionConfig {
    AsyncConnectionConfig::new()
        .set_connection_timeout(Some(TIMEOUT))
        .set_response_timeout(Some(TIMEOUT))
}
