//! Whole installations: everything in one process on one file, or four processes on Redis and
//! Postgres.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use chassis::testing;
use gateway::SigningKey;
use tempfile::TempDir;

use crate::process::Process;

/// Queues for tests: one round, no pauses, time that never runs out by itself.
const QUEUES: &str = r#"[
  {"id": "ranked-brixental-4", "kind": "ranked", "ruleset": "brixental", "players": 4,
   "options": {"length": "rounds(1)"},
   "time_control": {"move_ms": 600000, "bank_ms": 0, "pause_ms": 0, "bot_ms": 0}},
  {"id": "casual-brixental-4", "kind": "casual", "ruleset": "brixental", "players": 4,
   "options": {"length": "rounds(1)"}, "bots_after_ms": 3600000,
   "time_control": {"move_ms": 600000, "bank_ms": 0, "pause_ms": 0, "bot_ms": 0}},
  {"id": "casual-brixental-3", "kind": "casual", "ruleset": "brixental", "players": 3,
   "options": {"length": "rounds(1)"}, "bots_after_ms": 0,
   "time_control": {"move_ms": 600000, "bank_ms": 0, "pause_ms": 0, "bot_ms": 0}}
]"#;

/// A running installation.
#[derive(Debug)]
pub struct Installation {
    folder: TempDir,
    stores: Vec<(&'static str, String)>,
    /// Every process with its role; callers after those they call.
    running: Vec<(&'static str, Process)>,
}

impl Installation {
    /// Everything in one process on one file.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn embedded() -> anyhow::Result<Self> {
        let folder = TempDir::new()?;
        let data = folder.path().join("data of Toni?").display().to_string();
        let mut installation = Self {
            stores: vec![("SPATZ_DATA", data)],
            folder,
            running: Vec::new(),
        };
        installation.start("serve").await?;
        Ok(installation)
    }

    /// Four processes on Redis and Postgres.
    ///
    /// # Errors
    /// When one does not start.
    pub async fn cluster() -> anyhow::Result<Self> {
        let folder = TempDir::new()?;
        let (redis, prefix) = testing::redis_url();
        SigningKey::load_or_create(&folder.path().join("signing-key.pem"))?;
        let key = folder.path().join("signing-key.pem").display().to_string();
        let mut installation = Self {
            stores: vec![
                ("SPATZ_POSTGRES_URL", testing::postgres_url().await),
                ("SPATZ_REDIS_URL", redis),
                ("SPATZ_REDIS_PREFIX", prefix),
                ("SPATZ_SIGNING_KEY_FILE", key),
            ],
            folder,
            running: Vec::new(),
        };
        let log = installation.log("migrate");
        Process::run("migrate", &installation.stores, &log).await?;
        for role in ["ranking", "game", "matchmaking", "gateway"] {
            installation.start(role).await?;
        }
        Ok(installation)
    }

    /// Where clients reach it.
    ///
    /// # Panics
    /// When the gateway is stopped.
    #[must_use]
    pub fn url(&self) -> &str {
        let clients = |role: &str| role == "serve" || role == "gateway";
        let gateway = self.running.iter().find(|(role, _)| clients(role));
        gateway
            .map(|(_, process)| process.url.as_str())
            .expect("a running gateway")
    }

    /// Where the process of a role listens.
    #[must_use]
    pub fn url_of(&self, role: &str) -> Option<&str> {
        let process = self.running.iter().find(|(running, _)| *running == role);
        process.map(|(_, process)| process.url.as_str())
    }

    /// The process id of a role.
    #[must_use]
    pub fn pid_of(&self, role: &str) -> Option<u32> {
        let process = self.running.iter().find(|(running, _)| *running == role);
        process?.1.pid()
    }

    /// Stops a process (SIGTERM).
    ///
    /// # Errors
    /// When it does not end well.
    pub async fn stop(&mut self, role: &str) -> anyhow::Result<()> {
        self.take(role)?.terminate().await
    }

    /// The role whose process serves the tables.
    #[must_use]
    pub fn game_role(&self) -> &'static str {
        if self.running.iter().any(|(role, _)| *role == "serve") {
            "serve"
        } else {
            "game"
        }
    }

    /// Kills a process (SIGKILL) and starts it again on the same address.
    ///
    /// # Errors
    /// When it does not start again.
    pub async fn crash(&mut self, role: &'static str) -> anyhow::Result<()> {
        let process = self.take(role)?;
        let address = process.url.trim_start_matches("http://").to_owned();
        process.kill().await?;
        self.start_at(role, &address).await
    }

    /// Stops a process (SIGTERM) and starts it again on the same address.
    ///
    /// # Errors
    /// When it does not end well or does not start again.
    pub async fn restart(&mut self, role: &'static str) -> anyhow::Result<()> {
        let url = self.url_of(role).context("no such process")?;
        let address = url.trim_start_matches("http://").to_owned();
        self.stop(role).await?;
        self.start_at(role, &address).await
    }

    fn take(&mut self, role: &str) -> anyhow::Result<Process> {
        let place = self
            .running
            .iter()
            .position(|(running, _)| *running == role);
        Ok(self.running.remove(place.context("no such process")?).1)
    }

    async fn start(&mut self, role: &'static str) -> anyhow::Result<()> {
        // A port outside the range that the system hands out to clients, so that a restart finds
        // it free; should it be taken already, another one.
        let mut failed = None;
        for _ in 0..20 {
            let [high, low, ..] = *uuid::Uuid::new_v4().as_bytes();
            let port = 10_000 + u16::from_be_bytes([high, low]) % 10_000;
            match self.start_at(role, &format!("127.0.0.1:{port}")).await {
                Ok(()) => return Ok(()),
                Err(error) => failed = Some(error),
            }
        }
        Err(failed.context("no attempt")?)
    }

    async fn start_at(&mut self, role: &'static str, address: &str) -> anyhow::Result<()> {
        let queues = self.folder.path().join("queues.json");
        std::fs::write(&queues, QUEUES)?;
        let mut settings = self.stores.clone();
        settings.push(("SPATZ_LISTEN", address.to_owned()));
        settings.push(("SPATZ_QUEUES_FILE", queues.display().to_string()));
        settings.push(("SPATZ_RATE_LIMIT_FACTOR", "1000".to_owned()));
        settings.push(("SPATZ_LISTED_AFTER_MATCHES", "1".to_owned()));
        for (role, process) in &self.running {
            let name = match *role {
                "ranking" => "SPATZ_RANKING_URL",
                "game" => "SPATZ_GAME_URL",
                "matchmaking" => "SPATZ_MATCHMAKING_URL",
                _ => continue,
            };
            settings.push((name, process.url.clone()));
        }
        let process = Process::start(role, &settings, &self.log(role)).await?;
        self.running.push((role, process));
        Ok(())
    }

    fn log(&self, role: &str) -> PathBuf {
        self.folder.path().join(format!("{role}.log"))
    }

    /// Everything that the processes have logged.
    #[must_use]
    pub fn logs(&self) -> String {
        let logs = std::fs::read_dir(self.folder.path())
            .into_iter()
            .flatten()
            .flatten();
        let logs = logs.map(|entry| entry.path());
        let logs = logs.filter(|path| path.extension().is_some_and(|kind| kind == "log"));
        logs.map(|path: PathBuf| read_log(&path)).collect()
    }
}

fn read_log(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    format!("== {}\n{text}\n", path.display())
}
