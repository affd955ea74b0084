//! The `spatz` binary as a child process.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context as _, bail};
use tokio::{
    fs::File,
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

/// A running process; killed when dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Where it listens, such as `http://127.0.0.1:8080`.
    pub url: String,
}

/// The binary that was built beside this program, or beside the folder of this test.
///
/// # Errors
/// When it was not.
pub fn binary() -> anyhow::Result<PathBuf> {
    let test = std::env::current_exe()?;
    let folder = test
        .parent()
        .and_then(Path::parent)
        .context("a target folder")?;
    let beside = test.with_file_name("spatz");
    let binary = if beside.exists() {
        beside
    } else {
        folder.join("spatz")
    };
    if !binary.exists() {
        bail!(
            "{} is not there: run this test with `make test`",
            binary.display()
        );
    }
    Ok(binary)
}

impl Process {
    /// Starts a role and waits until it says where it listens. Logs go to a file.
    ///
    /// # Errors
    /// When it ends before it listens; the error holds its log.
    pub async fn start(
        role: &str,
        settings: &[(&str, String)],
        log: &Path,
    ) -> anyhow::Result<Self> {
        Self::start_of(&binary()?, role, settings, log).await
    }

    /// The same of another binary, such as that of the previous release.
    ///
    /// # Errors
    /// When it ends before it listens; the error holds its log.
    pub async fn start_of(
        program: &Path,
        role: &str,
        settings: &[(&str, String)],
        log: &Path,
    ) -> anyhow::Result<Self> {
        let mut child = command(program, role, settings, log)
            .await?
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().context("standard output")?;
        let mut lines = BufReader::new(stdout).lines();
        while let Some(line) = lines.next_line().await? {
            let at = line.find("http://").or_else(|| line.find("https://"));
            if let Some(at) = at {
                let url = line[at..].trim_end_matches('/').to_owned();
                return Ok(Self { child, url });
            }
        }
        let log = tokio::fs::read_to_string(log).await.unwrap_or_default();
        bail!("{role} did not start:\n{log}")
    }

    /// Runs a role to its end, for the commands that have one.
    ///
    /// # Errors
    /// When it fails.
    pub async fn run(role: &str, settings: &[(&str, String)], log: &Path) -> anyhow::Result<()> {
        Self::run_of(&binary()?, role, settings, log).await
    }

    /// The same of another binary.
    ///
    /// # Errors
    /// When it fails.
    pub async fn run_of(
        program: &Path,
        role: &str,
        settings: &[(&str, String)],
        log: &Path,
    ) -> anyhow::Result<()> {
        let status = command(program, role, settings, log)
            .await?
            .stdout(Stdio::null())
            .status()
            .await?;
        if !status.success() {
            bail!("{role} failed:\n{}", tokio::fs::read_to_string(log).await?);
        }
        Ok(())
    }

    /// Runs a command to its end, whether it fails or not, with what it prints.
    ///
    /// # Errors
    /// When it cannot be run.
    pub async fn output(
        arguments: &[&str],
        settings: &[(&str, String)],
    ) -> anyhow::Result<std::process::Output> {
        let mut command = Command::new(binary()?);
        command
            .args(arguments)
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .kill_on_drop(true);
        Ok(command.output().await?)
    }

    /// Its process id; `None` once it has ended.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Sends it a signal by its name, such as `STOP`.
    ///
    /// # Errors
    /// When it has ended.
    pub async fn signal(&self, name: &str) -> anyhow::Result<()> {
        signal(name, &[self.child.id().context("a running process")?]).await
    }

    /// Kills it at once (SIGKILL), as a crash would.
    ///
    /// # Errors
    /// When the process cannot be killed.
    pub async fn kill(mut self) -> anyhow::Result<()> {
        Ok(self.child.kill().await?)
    }

    /// Asks it to stop (SIGTERM) and waits for its end.
    ///
    /// # Errors
    /// When it does not end well.
    pub async fn terminate(mut self) -> anyhow::Result<()> {
        self.signal("TERM").await?;
        let status = self.child.wait().await?;
        if !status.success() {
            bail!("the process ended with {status}");
        }
        Ok(())
    }
}

/// Sends a signal to processes.
///
/// # Errors
/// When one of them is gone, or belongs to somebody else.
pub async fn signal(name: &str, pids: &[u32]) -> anyhow::Result<()> {
    let mut kill = Command::new("kill");
    kill.args(["-s", name])
        .args(pids.iter().map(ToString::to_string));
    let sent = kill.stderr(Stdio::null()).status().await?;
    anyhow::ensure!(sent.success(), "SIG{name} was not taken");
    Ok(())
}

async fn command(
    program: &Path,
    role: &str,
    settings: &[(&str, String)],
    log: &Path,
) -> anyhow::Result<Command> {
    let log = File::options().create(true).append(true).open(log).await?;
    let mut command = Command::new(program);
    command
        .arg(role)
        .envs(
            settings
                .iter()
                .map(|(name, value)| (OsString::from(name), value)),
        )
        .stderr(log.into_std().await)
        .kill_on_drop(true);
    Ok(command)
}
