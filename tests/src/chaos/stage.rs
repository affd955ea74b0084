//! An installation that is there to be broken, with its stores.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use chassis::testing::processes;
use tokio::{
    process::Command,
    time::{Instant, sleep},
};

use super::cluster::Cluster;
use crate::{
    installation::{Installation, Leaving, Plan},
    link::Link,
    load::redis::Redis,
    play::Choices,
    process,
};

/// Time between two heartbeats of a stream.
pub const HEARTBEAT: Duration = Duration::from_millis(1000);

/// What can hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A process of the installation.
    Process(&'static str),
    /// The Redis that is no cluster.
    Redis,
    /// Postgres with all its processes.
    Postgres,
}

/// Where live tables are kept.
#[derive(Debug)]
pub enum Live {
    /// In the Redis of the environment.
    Redis,
    /// In a cluster; an append waits for so many replicas.
    Cluster(Cluster, u8),
}

/// The installation and what was done to it.
#[derive(Debug)]
pub struct Stage {
    /// The installation.
    pub installation: Installation,
    /// Between the services and Postgres.
    pub postgres: Link,
    /// Where live tables are kept.
    pub live: Live,
    /// For what is left to chance.
    pub choices: Choices,
    /// What was done, in order.
    pub done: Vec<String>,
    begin: Instant,
}

/// Processes that hang until this is dropped.
struct Hung(Vec<u32>);

impl Drop for Hung {
    fn drop(&mut self) {
        let pids = self.0.iter().map(ToString::to_string);
        let mut kill = std::process::Command::new("kill");
        // Whatever ends a run, the stores must be able to end.
        let _ = kill.args(["-s", "CONT"]).args(pids).status();
    }
}

fn setting(name: &str) -> anyhow::Result<String> {
    std::env::var(name).with_context(|| format!("{name}: run this with scripts/chaos"))
}

impl Stage {
    /// Starts an installation as planned, on these stores.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn set(live: Live, choices: Choices, plan: Plan) -> anyhow::Result<Self> {
        let url = setting("SPATZ_TEST_POSTGRES_URL")?;
        let (_, rest) = url.split_once('@').context("user@host")?;
        let (address, _) = rest.split_once('/').context("a database")?;
        let postgres = Link::open(address.to_owned()).await?;
        let heartbeat = HEARTBEAT.as_millis().to_string();
        let mut settings = vec![("SPATZ_HEARTBEAT_MS", heartbeat)];
        let mut redis = None;
        if let Live::Cluster(cluster, wait) = &live {
            settings.push(("SPATZ_REDIS_WAIT", wait.to_string()));
            redis = Some(cluster.url.clone());
        }
        let installation = Installation::cluster_with(Plan {
            settings,
            redis,
            postgres: Some(postgres.address()),
            ..plan
        });
        Ok(Self {
            installation: installation.await?,
            postgres,
            live,
            choices,
            done: Vec::new(),
            begin: Instant::now(),
        })
    }

    /// Notes what is done.
    pub fn note(&mut self, what: impl std::fmt::Display) {
        let at = self.begin.elapsed().as_secs_f64();
        self.done.push(format!("{at:6.1} s  {what}"));
    }

    /// Waits for a random time up to so many milliseconds.
    pub async fn pause(&mut self, most_ms: usize) {
        let ms = self.choices.below(most_ms + 1);
        sleep(Duration::from_millis(ms as u64)).await;
    }

    /// Kills a process, and starts it again after a while.
    ///
    /// # Errors
    /// When it does not start again.
    pub async fn crash(&mut self, name: &'static str, down_ms: usize) -> anyhow::Result<()> {
        self.note(format_args!("{name} killed"));
        self.installation.kill(name).await?;
        self.pause(down_ms).await;
        self.installation.start_again(name).await
    }

    /// Stops a process in good order, and starts it again.
    ///
    /// # Errors
    /// When it does not end well or does not start again.
    pub async fn restart(&mut self, name: &'static str) -> anyhow::Result<()> {
        self.note(format_args!("{name} restarted"));
        let restarted = self.installation.restart(name).await;
        restarted.with_context(|| format!("restart {name}"))
    }

    /// Starts one more process of a name.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn start_beside(&mut self, name: &'static str) -> anyhow::Result<()> {
        self.installation.start_beside(name).await?;
        self.note(format_args!("{name}: one more started"));
        Ok(())
    }

    /// Stops the oldest process of a name as Kubernetes does.
    ///
    /// # Errors
    /// When it does not end well or not in time.
    pub async fn leave(&mut self, name: &'static str, leaving: Leaving) -> anyhow::Result<()> {
        let taken = self.installation.taken(name);
        let took = self.installation.leave(name, leaving).await?;
        self.note(format_args!(
            "{name}: the older stopped {:.1} s after SIGTERM; connections so far {taken:?}",
            took.as_secs_f64()
        ));
        Ok(())
    }

    /// Has parts hang for a while (SIGSTOP), all at once.
    ///
    /// # Errors
    /// When one of them is gone.
    pub async fn hang(&mut self, parts: &[Part], time: Duration) -> anyhow::Result<()> {
        let mut pids = Vec::new();
        for part in parts {
            pids.extend(self.pids(*part).await?);
        }
        self.note(format_args!("{parts:?} hang for {} s", time.as_secs()));
        let hung = Hung(pids);
        process::signal("STOP", &hung.0).await?;
        sleep(time).await;
        drop(hung);
        Ok(())
    }

    async fn pids(&self, part: Part) -> anyhow::Result<Vec<u32>> {
        Ok(match part {
            Part::Process(name) => vec![self.installation.pid_of(name).context(name)?],
            Part::Redis => {
                let redis = Redis::new(&setting("SPATZ_TEST_REDIS_URL")?);
                vec![u32::try_from(redis.info("process_id").await?)?]
            }
            Part::Postgres => {
                let url = setting("SPATZ_TEST_POSTGRES_URL")?;
                let server = processes::postgres(&url).context("the process of Postgres")?;
                let mut all = vec![server];
                all.extend(processes::children(server));
                all
            }
        })
    }

    /// Deletes everything in Redis.
    ///
    /// # Errors
    /// When Redis refuses.
    pub async fn empty_redis(&mut self) -> anyhow::Result<()> {
        self.note("Redis emptied");
        let url = setting("SPATZ_TEST_REDIS_URL")?;
        let mut flush = Command::new("redis-cli");
        let output = flush.args(["-u", &url, "FLUSHALL"]).output().await?;
        ensure!(output.stdout.starts_with(b"OK"), "FLUSHALL: {output:?}");
        Ok(())
    }
}
