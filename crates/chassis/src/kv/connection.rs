//! One connection for commands, however Redis is run.

use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use redis::{
    Cmd, ErrorKind, Pipeline, RedisError, RedisFuture, RedisResult, ServerErrorKind, Value,
    aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig, MultiplexedConnection},
    cluster_async::ClusterConnection,
};

use crate::telemetry::is_wanted;

use super::{
    TIMEOUT,
    address::{Address, cluster},
    observed::{name, name_of_all, observed},
    timeouts,
};

/// How often to connect again to one server before a command fails.
const RETRIES: usize = 1;

/// Shared, multiplexed, and mends itself: cheap to clone, one for the process is enough. A
/// command fails with the connection that carried it; the next one finds another.
#[derive(Clone)]
pub struct Connection(Kind);

#[derive(Clone)]
enum Kind {
    Single(ConnectionManager),
    Sentinel(Arc<Watched>),
    Cluster(ClusterConnection),
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    pub(super) async fn open(address: &Address) -> RedisResult<Self> {
        let kind = match address {
            Address::Single(_) => {
                let config = ConnectionManagerConfig::new()
                    .set_connection_timeout(Some(TIMEOUT))
                    .set_response_timeout(Some(TIMEOUT))
                    .set_number_of_retries(RETRIES);
                let client = address.primary().await?;
                Kind::Single(client.get_connection_manager_with_config(config).await?)
            }
            Address::Sentinel { .. } => {
                let watched = Watched {
                    address: address.clone(),
                    current: Mutex::default(),
                    opening: tokio::sync::Mutex::default(),
                };
                watched.connection().await?;
                Kind::Sentinel(Arc::new(watched))
            }
            Address::Cluster(nodes) => {
                Kind::Cluster(cluster(nodes).build()?.get_async_connection().await?)
            }
        };
        Ok(Self(kind))
    }
}

impl ConnectionLike for Connection {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        if is_wanted() {
            return observed(name(cmd), self.send(cmd)).boxed();
        }
        self.send(cmd)
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        if is_wanted() {
            let name = name_of_all(pipeline);
            return observed(name, self.send_all(pipeline, offset, count)).boxed();
        }
        self.send_all(pipeline, offset, count)
    }

    fn get_db(&self) -> i64 {
        match &self.0 {
            Kind::Single(connection) => connection.get_db(),
            Kind::Cluster(connection) => connection.get_db(),
            Kind::Sentinel(watched) => match &watched.address {
                Address::Sentinel { node, .. } => node.redis_settings().db(),
                Address::Single(_) | Address::Cluster(_) => 0,
            },
        }
    }
}

impl Connection {
    fn send<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match &mut self.0 {
            Kind::Single(connection) => connection.req_packed_command(cmd),
            Kind::Cluster(connection) => connection.req_packed_command(cmd),
            Kind::Sentinel(watched) => async move {
                let mut connection = watched.connection().await?;
                let answer = connection.req_packed_command(cmd).await;
                watched.check(answer.as_ref().err());
                answer
            }
            .boxed(),
        }
    }

    fn send_all<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match &mut self.0 {
            Kind::Single(connection) => connection.req_packed_commands(pipeline, offset, count),
            Kind::Cluster(connection) => connection.req_packed_commands(pipeline, offset, count),
            Kind::Sentinel(watched) => async move {
                let mut connection = watched.connection().await?;
                let answer = connection
                    .req_packed_commands(pipeline, offset, count)
                    .await;
                watched.check(answer.as_ref().err());
                answer
            }
            .boxed(),
        }
    }
}

/// The primary that Sentinels name, asked for again whenever it turns out to be another.
struct Watched {
    address: Address,
    current: Mutex<Option<MultiplexedConnection>>,
    /// Held by the one who connects, so that the others do not.
    opening: tokio::sync::Mutex<()>,
}

impl Watched {
    fn current(&self) -> std::sync::MutexGuard<'_, Option<MultiplexedConnection>> {
        // No code that could panic half-way runs under the lock.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connection(&self) -> RedisResult<MultiplexedConnection> {
        if let Some(connection) = self.current().clone() {
            return Ok(connection);
        }
        let _opening = self.opening.lock().await;
        if let Some(connection) = self.current().clone() {
            return Ok(connection);
        }
        let primary = self.address.primary().await?;
        let connection = primary
            .get_multiplexed_async_connection_with_config(&timeouts())
            .await?;
        *self.current() = Some(connection.clone());
        Ok(connection)
    }

    /// Forgets a connection that failed, and a primary that is none any more.
    fn check(&self, error: Option<&RedisError>) {
        if error.is_some_and(another_primary) {
            *self.current() = None;
        }
    }
}

/// Whether an error says that somebody else may be the primary by now.
fn another_primary(error: &RedisError) -> bool {
    error.is_io_error()
        || error.is_unrecoverable_error()
        || matches!(
            error.kind(),
            ErrorKind::Server(ServerErrorKind::ReadOnly | ServerErrorKind::MasterDown)
        )
}
