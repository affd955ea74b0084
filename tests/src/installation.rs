//! Whole installations: everything in one process on one file, or four processes on Redis and
//! Postgres.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use chassis::testing;
use gateway::SigningKey;
use tempfile::TempDir;

use crate::{
    front::Front,
    link,
    process::{self, Process},
};

mod rollout;

pub use rollout::Leaving;

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

/// What an installation of several processes is to be like.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Settings of all processes beside those that every installation for tests has.
    pub settings: Vec<(&'static str, String)>,
    /// Whether there are two replicas of the game service, `game` and `game-2`.
    pub two_games: bool,
    /// Another Redis than that of the environment.
    pub redis: Option<String>,
    /// Another way to the database than straight to it: `host:port`.
    pub postgres: Option<String>,
    /// What follows the question mark in the URL of Postgres.
    pub postgres_options: Option<String>,
    /// The binary to run; the one that was built beside this program when `None`.
    pub program: Option<PathBuf>,
    /// Whether each process is behind an address that stays when another takes its place. It
    /// leaves by [`Installation::leave`] then.
    pub fronts: bool,
}

/// A running installation.
#[derive(Debug)]
pub struct Installation {
    folder: TempDir,
    stores: Vec<(&'static str, String)>,
    /// Every process by its name; callers after those they call.
    running: Vec<(&'static str, Process)>,
    /// The URL of each process, or the one that it had when it ran.
    urls: BTreeMap<&'static str, String>,
    /// What is in front of each process.
    fronts: BTreeMap<&'static str, Front>,
    /// The binary of processes that are started from now on.
    program: PathBuf,
}

/// What a process is started as: its name, without the number of the replica.
#[must_use]
pub fn role_of(name: &str) -> &str {
    name.strip_suffix("-2").unwrap_or(name)
}

/// Tests play few matches.
fn listed_at_once() -> (&'static str, String) {
    ("SPATZ_LISTED_AFTER_MATCHES", "1".to_owned())
}

fn address_in(url: &str) -> String {
    url.trim_start_matches("http://").to_owned()
}

impl Installation {
    /// Everything in one process on one file.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn embedded() -> anyhow::Result<Self> {
        Self::embedded_with(Vec::new()).await
    }

    /// The same with more settings.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn embedded_with(settings: Vec<(&'static str, String)>) -> anyhow::Result<Self> {
        let folder = TempDir::new()?;
        let data = folder.path().join("data of Toni?").display().to_string();
        let mut installation = Self::on(folder, settings, process::binary()?);
        installation.stores.push(("SPATZ_DATA", data));
        installation.start("serve").await?;
        Ok(installation)
    }

    fn on(folder: TempDir, stores: Vec<(&'static str, String)>, program: PathBuf) -> Self {
        Self {
            folder,
            stores,
            running: Vec::new(),
            urls: BTreeMap::new(),
            fronts: BTreeMap::new(),
            program,
        }
    }

    /// Four processes on Redis and Postgres.
    ///
    /// # Errors
    /// When one does not start.
    pub async fn cluster() -> anyhow::Result<Self> {
        Self::cluster_with(Plan::default()).await
    }

    /// Four or five processes on Redis and Postgres.
    ///
    /// # Errors
    /// When one does not start.
    pub async fn cluster_with(plan: Plan) -> anyhow::Result<Self> {
        let folder = TempDir::new()?;
        let (redis, prefix) = testing::redis_url();
        let redis = plan.redis.unwrap_or(redis);
        let mut postgres = testing::postgres_url().await;
        if let Some(address) = plan.postgres {
            let (user, rest) = postgres.split_once('@').context("user@host")?;
            let (_, database) = rest.split_once('/').context("a database")?;
            postgres = format!("{user}@{address}/{database}");
        }
        if let Some(options) = plan.postgres_options {
            postgres = format!("{postgres}?{options}");
        }
        SigningKey::load_or_create(&folder.path().join("signing-key.pem"))?;
        let key = folder.path().join("signing-key.pem").display().to_string();
        let program = plan.program.map_or_else(process::binary, Ok)?;
        let mut installation = Self::on(folder, plan.settings, program);
        installation.stores.extend([
            ("SPATZ_POSTGRES_URL", postgres),
            ("SPATZ_REDIS_URL", redis),
            ("SPATZ_REDIS_PREFIX", prefix),
            ("SPATZ_SIGNING_KEY_FILE", key),
        ]);
        installation.migrate().await?;
        let names = ["ranking", "game", "game-2", "matchmaking", "gateway"];
        let names = names.into_iter();
        let names: Vec<_> = names
            .filter(|&name| plan.two_games || name != "game-2")
            .collect();
        if plan.fronts {
            installation.open_fronts(&names).await?;
        }
        for name in names {
            installation.start(name).await?;
        }
        Ok(installation)
    }

    /// Where clients reach it.
    ///
    /// # Panics
    /// When it never had a gateway.
    #[must_use]
    pub fn url(&self) -> &str {
        let gateway = self.urls.get("serve");
        let gateway = gateway.or_else(|| self.urls.get("gateway"));
        gateway.expect("a gateway")
    }

    /// Runs an operator's command on the stores of this installation. Returns what it prints.
    ///
    /// # Errors
    /// When it fails; the error is what it says.
    pub async fn command(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let mut settings = self.stores.clone();
        settings.push(listed_at_once());
        let output = Process::output(arguments, &settings).await?;
        let text = String::from_utf8(output.stdout)?;
        let error = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "{text}{error}");
        Ok(text)
    }

    /// The names of the processes that run.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.running.iter().map(|(name, _)| *name)
    }

    /// A setting of all processes beside those that every installation for tests has.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<String> {
        let mut settings = self.stores.iter();
        let setting = settings.find(|(setting, _)| *setting == name);
        setting.map(|(_, value)| value.clone())
    }

    /// Changes a setting for processes that are started from now on.
    pub fn set(&mut self, name: &'static str, value: String) {
        self.stores.retain(|(setting, _)| *setting != name);
        self.stores.push((name, value));
    }

    fn process(&self, name: &str) -> Option<&Process> {
        // The youngest, while others of the name are about to leave.
        let process = self.running.iter().rfind(|(running, _)| *running == name);
        process.map(|(_, process)| process)
    }

    /// Where a process listens.
    #[must_use]
    pub fn url_of(&self, name: &str) -> Option<&str> {
        self.process(name).map(|process| process.url.as_str())
    }

    /// The id of a process.
    #[must_use]
    pub fn pid_of(&self, name: &str) -> Option<u32> {
        self.process(name)?.pid()
    }

    /// Stops a process (SIGTERM).
    ///
    /// # Errors
    /// When it does not end well.
    pub async fn stop(&mut self, name: &str) -> anyhow::Result<()> {
        self.take(name)?.terminate().await
    }

    /// The name of the process that serves the tables.
    #[must_use]
    pub fn game_role(&self) -> &'static str {
        if self.process("serve").is_some() {
            "serve"
        } else {
            "game"
        }
    }

    /// Kills a process (SIGKILL).
    ///
    /// # Errors
    /// When it does not run.
    pub async fn kill(&mut self, name: &str) -> anyhow::Result<()> {
        self.take(name)?.kill().await
    }

    /// Starts a process that was stopped or killed, on the address that it had.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn start_again(&mut self, name: &'static str) -> anyhow::Result<()> {
        let address = address_in(self.urls.get(name).context("no such process")?);
        self.start_at(name, &address).await
    }

    /// Kills a process (SIGKILL) and starts it again on the same address.
    ///
    /// # Errors
    /// When it does not start again.
    pub async fn crash(&mut self, name: &'static str) -> anyhow::Result<()> {
        self.kill(name).await?;
        self.start_again(name).await
    }

    /// Stops a process (SIGTERM) and starts it again on the same address.
    ///
    /// # Errors
    /// When it does not end well or does not start again.
    pub async fn restart(&mut self, name: &'static str) -> anyhow::Result<()> {
        self.stop(name).await?;
        self.start_again(name).await
    }

    fn take(&mut self, name: &str) -> anyhow::Result<Process> {
        let mut running = self.running.iter();
        let place = running.position(|(running, _)| *running == name);
        Ok(self.running.remove(place.context("no such process")?).1)
    }

    async fn start(&mut self, name: &'static str) -> anyhow::Result<()> {
        // Somebody else may take a port before the process does.
        let mut failed = None;
        for _ in 0..5 {
            let address = link::free_address().await?.to_string();
            match self.start_at(name, &address).await {
                Ok(()) => return Ok(()),
                Err(error) => failed = Some(error),
            }
        }
        Err(failed.context("no attempt")?)
    }

    async fn start_at(&mut self, name: &'static str, address: &str) -> anyhow::Result<()> {
        let queues = self.folder.path().join("queues.json");
        std::fs::write(&queues, QUEUES)?;
        let mut settings = self.stores.clone();
        settings.push(("SPATZ_LISTEN", address.to_owned()));
        settings.push(("SPATZ_QUEUES_FILE", queues.display().to_string()));
        settings.push(("SPATZ_RATE_LIMIT_FACTOR", "1000".to_owned()));
        settings.push(listed_at_once());
        for (other, setting) in [
            ("ranking", "SPATZ_RANKING_URL"),
            ("game", "SPATZ_GAME_URL"),
            ("matchmaking", "SPATZ_MATCHMAKING_URL"),
        ] {
            let replicas = [other, "game-2"];
            let replicas = if other == "game" {
                &replicas[..]
            } else {
                &replicas[..1]
            };
            let urls: Vec<&str> = replicas
                .iter()
                .filter_map(|name| self.urls.get(name).map(String::as_str))
                .collect();
            if !urls.is_empty() {
                settings.push((setting, urls.join(",")));
            }
        }
        let log = self.log(name);
        let process = Process::start_of(&self.program, role_of(name), &settings, &log).await?;
        let url = match self.fronts.get(name) {
            Some(front) => {
                front.add(address_in(&process.url));
                format!("http://{}", front.address())
            }
            None => process.url.clone(),
        };
        self.urls.insert(name, url);
        self.running.push((name, process));
        Ok(())
    }

    /// Brings the schema up to date.
    ///
    /// # Errors
    /// When `spatz migrate` fails.
    pub async fn migrate(&self) -> anyhow::Result<()> {
        let log = self.log("migrate");
        Process::run_of(&self.program, "migrate", &self.stores, &log).await
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.log"))
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

    /// Keeps the logs when this is dropped. Returns their folder.
    #[must_use]
    pub fn keep_logs(self) -> PathBuf {
        self.folder.keep()
    }
}

fn read_log(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    format!("== {}\n{text}\n", path.display())
}
