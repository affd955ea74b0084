//! Replacing processes as Kubernetes replaces pods: the new one starts beside the old one, which
//! gets no new connections from then on, serves on for a while, and is asked to stop.

use std::{path::PathBuf, time::Duration};

use anyhow::{Context as _, ensure};
use tokio::time::{sleep, timeout};

use super::{Installation, address_in};
use crate::{front::Front, process::Process};

/// How a process is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// Between the decision to stop it and SIGTERM; from the decision on it gets no new
    /// connections.
    pub delay: Duration,
    /// Between the decision and its end, at most.
    pub grace: Duration,
}

impl Installation {
    /// Gives each process an address that stays.
    pub(super) async fn open_fronts(&mut self, names: &[&'static str]) -> anyhow::Result<()> {
        for name in names {
            let front = Front::open().await?;
            if *name == "gateway" {
                // All that are behind it issue the same tokens.
                let url = format!("http://{}", front.address());
                self.set("SPATZ_PUBLIC_URL", url);
            }
            self.fronts.insert(name, front);
        }
        Ok(())
    }

    /// Lets processes that are started from now on, and migrations, be of another binary.
    pub fn use_program(&mut self, program: PathBuf) {
        self.program = program;
    }

    /// Starts one more process behind the address of a name.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn start_beside(&mut self, name: &'static str) -> anyhow::Result<()> {
        ensure!(self.fronts.contains_key(name), "{name} has no front");
        self.start(name).await
    }

    /// How many connections each process of a name got, the oldest process first.
    #[must_use]
    pub fn taken(&self, name: &str) -> Vec<u64> {
        let Some(front) = self.fronts.get(name) else {
            return Vec::new();
        };
        let running = self.running.iter().filter(|(running, _)| *running == name);
        running
            .map(|(_, process)| front.taken(&address_in(&process.url)))
            .collect()
    }

    /// Stops the oldest process of a name. Returns how long it took from SIGTERM to its end.
    ///
    /// # Errors
    /// When it does not end well or not in time.
    pub async fn leave(
        &mut self,
        name: &'static str,
        leaving: Leaving,
    ) -> anyhow::Result<Duration> {
        let process: Process = self.take(name)?;
        let front = self.fronts.get(name).context("a front")?;
        front.remove(&address_in(&process.url));
        sleep(leaving.delay).await;
        let begin = tokio::time::Instant::now();
        let left = leaving.grace.saturating_sub(leaving.delay);
        let ended = timeout(left, process.terminate()).await;
        ended.with_context(|| format!("{name} still runs {left:?} after SIGTERM"))??;
        Ok(begin.elapsed())
    }
}
