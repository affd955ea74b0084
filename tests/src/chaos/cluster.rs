//! Redis with replicas on this machine, as `scripts/with-redis-cluster` starts it, that loses its
//! primaries: a cluster, or servers that a Sentinel watches.

use std::{path::PathBuf, process::Stdio, time::Duration};

use anyhow::{Context as _, ensure};
use tokio::{
    process::{Child, Command},
    time::{Instant, sleep, timeout},
};

use crate::process;

/// How long the cluster may take until it is whole.
const PATIENCE: Duration = Duration::from_secs(30);
const ANSWER: Duration = Duration::from_secs(2);
const BACK_OFF: Duration = Duration::from_millis(200);

/// The nodes.
#[derive(Debug)]
pub struct Cluster {
    /// For the services.
    pub url: String,
    ports: Vec<u16>,
    /// Where to ask for the primary, unless the nodes know themselves.
    sentinel: Option<u16>,
    folder: PathBuf,
    started: Vec<Child>,
}

/// A primary and its replica, by their ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The primary.
    pub primary: u16,
    /// Its replica.
    pub replica: u16,
}

impl Cluster {
    /// The cluster of the environment; `None` when there is none.
    ///
    /// # Errors
    /// When its URL has no ports.
    pub fn from_environment() -> anyhow::Result<Option<Self>> {
        let Ok(url) = std::env::var("SPATZ_TEST_REDIS_CLUSTER_URL") else {
            return Ok(None);
        };
        let hosts = url.trim_start_matches("redis-cluster://").split(',');
        let ports = hosts.map(|host| host.rsplit(':').next().unwrap_or_default().parse());
        let ports = ports.collect::<Result<_, _>>().context(url.clone())?;
        Self::of(url, ports, None).map(Some)
    }

    /// The servers behind the Sentinel of the environment; `None` when there is none.
    ///
    /// # Errors
    /// When its URL has no port, or it does not know them.
    pub async fn behind_sentinel() -> anyhow::Result<Option<Self>> {
        let Ok(url) = std::env::var("SPATZ_TEST_REDIS_SENTINEL_URL") else {
            return Ok(None);
        };
        let (host, _) = url.split_once('#').context(url.clone())?;
        let sentinel = host.rsplit(':').next().unwrap_or_default().parse()?;
        let mut nodes = Self::of(url, Vec::new(), Some(sentinel))?;
        let pair = pair_of(sentinel).await?;
        nodes.ports = vec![pair.primary, pair.replica];
        Ok(Some(nodes))
    }

    fn of(url: String, ports: Vec<u16>, sentinel: Option<u16>) -> anyhow::Result<Self> {
        let folder = std::env::var("SPATZ_TEST_REDIS_NODES").context("SPATZ_TEST_REDIS_NODES")?;
        Ok(Self {
            url,
            ports,
            sentinel,
            folder: folder.into(),
            started: Vec::new(),
        })
    }

    /// Primaries that live, with their replicas.
    ///
    /// # Errors
    /// When no node answers.
    pub async fn pairs(&self) -> anyhow::Result<Vec<Pair>> {
        if let Some(sentinel) = self.sentinel {
            return Ok(vec![pair_of(sentinel).await?]);
        }
        for port in &self.ports {
            if let Ok(nodes) = ask(*port, &["CLUSTER", "NODES"]).await {
                return Ok(pairs_in(&nodes));
            }
        }
        anyhow::bail!("no node of the cluster answers")
    }

    /// Takes a primary away from its replica, and kills it a moment later: what it took in
    /// between is nowhere else.
    ///
    /// # Errors
    /// When one of the two is gone already.
    pub async fn lose(&self, pair: Pair, apart: Duration) -> anyhow::Result<()> {
        let (primary, replica) = (pid(pair.primary).await?, pid(pair.replica).await?);
        process::signal("STOP", &[replica]).await?;
        let cut = ask(pair.primary, &["CLIENT", "KILL", "TYPE", "replica"]).await;
        sleep(apart).await;
        let killed = process::signal("KILL", &[primary]).await;
        process::signal("CONT", &[replica]).await?;
        cut?;
        killed
    }

    /// Starts the nodes that are gone, and waits until the cluster is whole: each primary has a
    /// replica that keeps up.
    ///
    /// # Errors
    /// When it is not, for long.
    pub async fn mend(&mut self) -> anyhow::Result<()> {
        for port in self.ports.clone() {
            if ask(port, &["PING"]).await.is_ok() {
                continue;
            }
            let node = Command::new("redis-server")
                .arg(self.folder.join(port.to_string()).join("redis.conf"))
                .stdout(Stdio::null())
                .kill_on_drop(true)
                .spawn()?;
            self.started.push(node);
        }
        let deadline = Instant::now() + PATIENCE;
        while !self.is_whole().await {
            ensure!(Instant::now() < deadline, "the cluster is not whole");
            sleep(BACK_OFF).await;
        }
        Ok(())
    }

    async fn is_whole(&self) -> bool {
        if self.sentinel.is_some() {
            let pairs = self.pairs().await.unwrap_or_default();
            let Some(pair) = pairs.first() else {
                return false;
            };
            let link = ask(pair.replica, &["INFO", "replication"]).await;
            let follows = format!("master_port:{}", pair.primary);
            return link.is_ok_and(|link| {
                link.contains("master_link_status:up") && link.contains(&follows)
            });
        }
        for port in &self.ports {
            let state = ask(*port, &["CLUSTER", "INFO"]).await.unwrap_or_default();
            let link = ask(*port, &["INFO", "replication"])
                .await
                .unwrap_or_default();
            let up = link.contains("role:master") || link.contains("master_link_status:up");
            if !(state.contains("cluster_state:ok") && up) {
                return false;
            }
        }
        let pairs = self.pairs().await.unwrap_or_default();
        pairs.len() == self.ports.len() / 2
    }
}

async fn ask(port: u16, question: &[&str]) -> anyhow::Result<String> {
    let mut client = Command::new("redis-cli");
    client.args(["-p", &port.to_string()]).args(question);
    // A node that hangs does not answer.
    client.stderr(Stdio::null()).kill_on_drop(true);
    let output = timeout(ANSWER, client.output()).await??;
    ensure!(output.status.success(), "no answer at port {port}");
    Ok(String::from_utf8(output.stdout)?)
}

async fn pid(port: u16) -> anyhow::Result<u32> {
    let info = ask(port, &["INFO", "server"]).await?;
    let mut lines = info.lines();
    let pid = lines.find_map(|line| line.strip_prefix("process_id:"));
    Ok(pid.context("process_id")?.trim().parse()?)
}

/// The primary that a Sentinel names, and its replica.
async fn pair_of(sentinel: u16) -> anyhow::Result<Pair> {
    let primary = ["SENTINEL", "get-master-addr-by-name", "spatz"];
    let primary = ask(sentinel, &primary).await?;
    let replicas = ask(sentinel, &["SENTINEL", "replicas", "spatz"]).await?;
    let mut lines = replicas.lines();
    let replica = lines.find(|line| *line == "port").and(lines.next());
    Ok(Pair {
        primary: primary.lines().nth(1).context("a port")?.trim().parse()?,
        replica: replica.context("a replica")?.trim().parse()?,
    })
}

/// Lines are: id, address, flags, id of the primary, …
fn pairs_in(nodes: &str) -> Vec<Pair> {
    let nodes: Vec<Vec<&str>> = nodes
        .lines()
        .map(|line| line.split_whitespace().collect())
        .filter(|fields: &Vec<&str>| fields.len() > 3 && !fields[2].contains("fail"))
        .collect();
    let port = |address: &str| {
        let address = address.split('@').next()?;
        address.rsplit(':').next()?.parse().ok()
    };
    let primaries = nodes.iter().filter(|node| node[2].contains("master"));
    let pairs = primaries.filter_map(|primary| {
        let replica = nodes.iter().find(|node| node[3] == primary[0])?;
        Some(Pair {
            primary: port(primary[1])?,
            replica: port(replica[1])?,
        })
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primaries_that_live_are_told_with_their_replicas() {
        let nodes = "\
            aa 127.0.0.1:7001@17001 myself,master - 0 0 1 connected 0-5460\n\
            bb 127.0.0.1:7002@17002 master,fail - 0 0 2 disconnected\n\
            cc 127.0.0.1:7003@17003 slave aa 0 0 1 connected\n\
            dd 127.0.0.1:7004@17004 master - 0 0 7 connected 5461-10922\n";
        let pair = Pair {
            primary: 7001,
            replica: 7003,
        };
        assert_eq!(pairs_in(nodes), [pair]);
    }
}
