//! Where Redis is, and how it is run.

use redis::{
    Client, ConnectionInfo, ErrorKind, IntoConnectionInfo as _, RedisError, RedisResult,
    TlsCertificates, TlsMode,
    cluster::{ClusterClient, ClusterClientBuilder},
    io::tcp::TcpSettings,
    sentinel::{SentinelClient, SentinelClientBuilder, SentinelServerType},
};

use super::{TIMEOUT, certificates};

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
///
/// With `rediss` in place of `redis`, all of it is by TLS, Sentinels included. What follows a
/// question mark, before `#NAME`, names PEM files: `cacert` of the authority to trust in place of
/// those of the system, `cert` and `key` to show to servers that ask for a certificate.
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
        /// How to connect to all of them.
        security: Security,
    },
    /// Redis Cluster.
    Cluster(Nodes),
}

/// Some nodes of a cluster.
#[derive(Clone)]
pub struct Nodes {
    /// Where they are.
    pub servers: Vec<ConnectionInfo>,
    /// How to connect to all nodes.
    pub security: Security,
}

impl std::fmt::Debug for Nodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The rest may hold a password.
        f.debug_struct("Nodes").finish_non_exhaustive()
    }
}

/// Whether connections are by TLS, and with which certificates.
#[derive(Clone, Debug)]
pub enum Security {
    /// No TLS.
    Plain,
    /// TLS; without certificates, the authorities of the system are trusted.
    Tls(Option<TlsCertificates>),
}

const EXPECTED: &str =
    "expected redis://, redis-sentinel:// or redis-cluster://, or one of them with rediss";

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

/// Commands leave at once. Many share a connection, and one that waited until those before it are
/// acknowledged would hold up everybody, by as much as 40 ms.
fn tcp() -> TcpSettings {
    TcpSettings::default().set_nodelay(true)
}

pub(super) fn refused(why: &'static str) -> RedisError {
    RedisError::from((ErrorKind::InvalidClientConfig, why))
}

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    /// When it is none of those above. The error does not repeat it.
    pub fn parse(url: &str) -> RedisResult<Self> {
        let (scheme, rest) = url.split_once("://").ok_or_else(|| refused(EXPECTED))?;
        let (rest, name) = rest.split_once('#').unwrap_or((rest, ""));
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (kind, security) = match scheme.strip_prefix("rediss") {
            Some(kind) => (kind, Security::Tls(certificates::read(query)?)),
            None if query.is_empty() => (
                scheme
                    .strip_prefix("redis")
                    .ok_or_else(|| refused(EXPECTED))?,
                Security::Plain,
            ),
            None => return Err(refused("expected ? in rediss URLs only")),
        };
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        match kind {
            "" if name.is_empty() => Ok(Self::Single(security.server(authority, database)?)),
            "-cluster" if !database.is_empty() => {
                Err(refused("Redis Cluster has no numbered databases"))
            }
            "-cluster" if name.is_empty() => Ok(Self::Cluster(Nodes {
                servers: security.servers(authority, "")?,
                security,
            })),
            "-sentinel" if name.is_empty() => {
                Err(refused("expected #NAME of the primary at the end"))
            }
            "-sentinel" => {
                let (_, hosts) = split_user(authority);
                let first = security.servers(authority, database)?.into_iter().next();
                Ok(Self::Sentinel {
                    sentinels: security.servers(hosts, "")?,
                    name: name.to_owned(),
                    node: first.ok_or_else(|| refused("expected a Sentinel"))?,
                    security,
                })
            }
            _ => Err(refused(EXPECTED)),
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
                security,
            } => {
                let mut client = sentinel(sentinels, name, node, security)?;
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
        let info = nodes.security.server(node, "")?;
        let first = nodes.servers.first();
        let settings = first.map(|node| node.redis_settings().clone());
        Client::open(info.set_redis_settings(settings.unwrap_or_default()))
    }
}

impl Security {
    /// One server, `user:password@host:port`.
    fn server(&self, authority: &str, database: &str) -> RedisResult<ConnectionInfo> {
        let scheme = match self {
            Self::Plain => "redis",
            Self::Tls(_) => "rediss",
        };
        let info = format!("{scheme}://{authority}/{database}").into_connection_info()?;
        let info = match self {
            Self::Tls(Some(certificates)) => {
                let client = Client::build_with_tls(info, certificates.clone())?;
                client.get_connection_info().clone()
            }
            Self::Plain | Self::Tls(None) => info,
        };
        Ok(info.set_tcp_settings(tcp()))
    }

    /// Every server of a list, each with the user and the database that are given once.
    fn servers(&self, authority: &str, database: &str) -> RedisResult<Vec<ConnectionInfo>> {
        let (user, hosts) = split_user(authority);
        hosts
            .split(',')
            .map(|host| self.server(&format!("{user}{host}"), database))
            .collect()
    }
}

fn sentinel(
    sentinels: &[ConnectionInfo],
    name: &str,
    node: &ConnectionInfo,
    security: &Security,
) -> RedisResult<SentinelClient> {
    let addresses = sentinels.iter().map(|sentinel| sentinel.addr().clone());
    let mut builder = SentinelClientBuilder::new(addresses, name, SentinelServerType::Master)?;
    let settings = node.redis_settings();
    builder = builder
        .set_client_to_redis_db(settings.db())
        .set_client_to_redis_tcp_settings(tcp());
    if let Some(user) = settings.username() {
        builder = builder.set_client_to_redis_username(user);
    }
    if let Some(password) = settings.password() {
        builder = builder.set_client_to_redis_password(password);
    }
    if let Security::Tls(certificates) = security {
        // The addresses of Sentinels say themselves that they are by TLS, and how.
        builder = builder.set_client_to_redis_tls_mode(TlsMode::Secure);
        if let Some(certificates) = certificates {
            builder = builder.set_client_to_redis_certificates(certificates.clone());
        }
    }
    builder.build()
}

/// The settings of a client of a cluster.
pub(super) fn cluster(nodes: &Nodes) -> ClusterClientBuilder {
    let mut builder = ClusterClient::builder(nodes.servers.clone());
    if let Security::Tls(certificates) = &nodes.security {
        builder = builder.tls(TlsMode::Secure);
        if let Some(certificates) = certificates {
            builder = builder.certs(certificates.clone());
        }
    }
    builder
        .tcp_settings(tcp())
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
