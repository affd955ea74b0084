//! Where Redis is, and how it is run.

use redis::{
    Client, ConnectionInfo, ErrorKind, IntoConnectionInfo as _, RedisError, RedisResult,
    cluster::{ClusterClient, ClusterClientBuilder},
    sentinel::{SentinelClient, SentinelNodeConnectionInfo, SentinelServerType},
};

use super::TIMEOUT;

/// How often a command is sent to a cluster again, each time with newer knowledge of who has
/// what.
const CLUSTER_RETRIES: u32 = 4;

/// How Redis is run and where, as a URL says it. User, password and database, when given, are
/// those of the data nodes.
///
/// | URL | |
/// |---|---|
/// | `redis://HOST:PORT/DB` | one server |
/// | `redis-sentinel://HOST:PORT,HOST:PORT/DB#NAME` | the primary that these Sentinels call `NAME` |
/// | `redis-cluster://HOST:PORT,HOST:PORT` | the cluster that these nodes belong to |
#[derive(Clone)]
pub enum Address {
    /// One server.
    Single(ConnectionInfo),
    /// A primary with its replicas, watched by Sentinels.
    Sentinel {
        /// The Sentinels.
        sentinels: Vec<ConnectionInfo>,
        /// What they call the primary.
        name: String,
        /// Database and password of the primary.
        node: ConnectionInfo,
    },
    /// Redis Cluster: some of its nodes.
    Cluster(Vec<ConnectionInfo>),
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The rest may hold a password.
        f.write_str(match self {
            Self::Single(_) => "Single",
            Self::Sentinel { .. } => "Sentinel",
            Self::Cluster(_) => "Cluster",
        })
    }
}

fn refused(why: &'static str) -> RedisError {
    RedisError::from((ErrorKind::InvalidClientConfig, why))
}

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    /// When it is none of those above. The error does not repeat it.
    pub fn parse(url: &str) -> RedisResult<Self> {
        let (scheme, rest) = url
            .split_once("://")
            .ok_or_else(|| refused("expected redis://, redis-sentinel:// or redis-cluster://"))?;
        match scheme {
            "redis" => Ok(Self::Single(url.into_connection_info()?)),
            "redis-cluster" => {
                let (nodes, path) = rest.split_once('/').unwrap_or((rest, ""));
                if path.is_empty() {
                    Ok(Self::Cluster(servers(nodes, "")?))
                } else {
                    Err(refused("Redis Cluster has no numbered databases"))
                }
            }
            "redis-sentinel" => {
                let (rest, name) = rest
                    .split_once('#')
                    .filter(|(_, name)| !name.is_empty())
                    .ok_or_else(|| refused("expected #NAME of the primary at the end"))?;
                let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
                let (_, hosts) = split_user(authority);
                let first = servers(authority, path)?.into_iter().next();
                Ok(Self::Sentinel {
                    sentinels: servers(hosts, "")?,
                    name: name.to_owned(),
                    node: first.ok_or_else(|| refused("expected a Sentinel"))?,
                })
            }
            _ => Err(refused(
                "expected redis://, redis-sentinel:// or redis-cluster://",
            )),
        }
    }

    /// Where one server's clients go: the server itself, or the primary as Sentinels see it now.
    ///
    /// # Errors
    /// When no Sentinel knows the primary, or this is a cluster.
    pub async fn primary(&self) -> RedisResult<Client> {
        match self {
            Self::Single(server) => Client::open(server.clone()),
            Self::Sentinel {
                sentinels,
                name,
                node,
            } => {
                let settings = SentinelNodeConnectionInfo::default()
                    .set_redis_connection_info(node.redis_settings().clone());
                let mut client = SentinelClient::build(
                    sentinels.clone(),
                    name.clone(),
                    Some(settings),
                    SentinelServerType::Master,
                )?;
                let asked = tokio::time::timeout(TIMEOUT, client.async_get_client()).await;
                asked.unwrap_or_else(|_| Err(refused("no Sentinel answered in time")))
            }
            Self::Cluster(_) => Err(refused("a cluster has many primaries")),
        }
    }

    /// A node of a cluster, `HOST:PORT` as the cluster calls it; elsewhere, the primary.
    ///
    /// # Errors
    /// When its address is not understood, or no Sentinel knows the primary.
    pub async fn node(&self, node: &str) -> RedisResult<Client> {
        let Self::Cluster(nodes) = self else {
            return self.primary().await;
        };
        let info = format!("redis://{node}").into_connection_info()?;
        let settings = nodes.first().map(|node| node.redis_settings().clone());
        Client::open(info.set_redis_settings(settings.unwrap_or_default()))
    }
}

/// The settings of a client of a cluster.
pub(super) fn cluster(nodes: &[ConnectionInfo]) -> ClusterClientBuilder {
    ClusterClient::builder(nodes.to_vec())
        .connection_timeout(TIMEOUT)
        .response_timeout(TIMEOUT)
        .overall_response_timeout(Some(3 * TIMEOUT))
        .retries(CLUSTER_RETRIES)
}

/// `user:password@` and the rest.
fn split_user(authority: &str) -> (&str, &str) {
    match authority.rfind('@') {
        Some(at) => authority.split_at(at + 1),
        None => ("", authority),
    }
}

/// Every server of a list, each with the user and the database that are given once.
fn servers(authority: &str, database: &str) -> RedisResult<Vec<ConnectionInfo>> {
    let (user, hosts) = split_user(authority);
    hosts
        .split(',')
        .map(|host| format!("redis://{user}{host}/{database}").into_connection_info())
        .collect()
}
