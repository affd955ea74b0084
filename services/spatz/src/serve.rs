//! Everything in one process, on one file.

use std::{fs, os::unix::fs::DirBuilderExt as _, path::Path, sync::Arc};

use anyhow::{Context as _, bail};
use chassis::{db::Db, rpc};
use game::{history::History, log::EmbeddedLog};
use gateway::SigningKey;
use tokio::{net::TcpListener, task::JoinSet};
use tokio_util::sync::CancellationToken;

use crate::{roles, settings};

/// Connections to the file for live tables, and for everything else: a slow page of a ladder
/// never makes a move wait for a connection.
const LIVE_CONNECTIONS: u32 = 4;
const OTHER_CONNECTIONS: u32 = 4;

pub(crate) async fn run(
    settings: settings::Serve,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let listener = TcpListener::bind(settings.listen)
        .await
        .context("--listen")?;
    make_folder(&settings.data)?;
    let _lock = lock(&settings.data)?;
    let file = settings.data.join("spatz.db");
    let live = Db::open_file(&file, LIVE_CONNECTIONS)?;
    let db = Db::open_file(&file, OTHER_CONNECTIONS)?;
    db.migrate().await.context("--data")?;
    let key =
        SigningKey::load_or_create(&settings.data.join("signing-key.pem")).context("--data")?;

    let (game_listener, game) = rpc::in_process();
    let (matchmaking_listener, matchmaking) = rpc::in_process();
    let (ranking_listener, ranking) = rpc::in_process();
    // The gateway stops first: while it finishes its calls, the services must answer.
    let services = CancellationToken::new();
    let mut running: JoinSet<anyhow::Result<()>> = JoinSet::new();

    let ladders = ranking::Ranking::new(db.clone(), settings.ranking);
    let stop = services.clone();
    running.spawn(async move {
        ranking::serve(ladders, ranking_listener, stop)
            .await
            .context("ranking service")
    });

    let log = Arc::new(EmbeddedLog::new(live).context("--data")?);
    let history = History::new(db.clone());
    let tables = game::Game::new(log, history, ranking.clone(), settings.tables);
    let stop = services.clone();
    running.spawn(async move {
        game::serve(Arc::new(tables), game_listener, stop)
            .await
            .context("game service")
    });

    let channels = gateway::Channels {
        game: game.into(),
        matchmaking,
        ranking,
    };
    let config = matchmaking::Config {
        queues: settings.queues,
        ..matchmaking::Config::default()
    };
    let service = matchmaking::Matchmaking::new(
        Arc::new(matchmaking::EmbeddedTickets::new(db.clone())),
        matchmaking::Pairings::new(db.clone()),
        channels.game.clone(),
        channels.ranking.clone(),
        config,
    );
    let stop = services.clone();
    running.spawn(async move {
        matchmaking::serve(service, matchmaking_listener, stop)
            .await
            .context("matchmaking service")
    });

    let config = settings.gateway;
    let gateway = roles::open_gateway(db, key, channels, config, listener, shutdown.clone());
    let served = tokio::select! {
        served = gateway => served,
        // A service that ends by itself has failed.
        Some(ended) = running.join_next() => ended.context("a service panicked")?,
    };
    services.cancel();
    while let Some(ended) = running.join_next().await {
        ended.context("a service panicked")??;
    }
    served
}

/// Keeps others from serving the same folder: what is appended here is told to nobody elsewhere.
/// Commands of the operator may open it beside this.
fn lock(path: &Path) -> anyhow::Result<fs::File> {
    let file = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path.join("spatz.lock"))
        .context("--data")?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => {
            bail!("--data: {} is in use by another process", path.display())
        }
        Err(fs::TryLockError::Error(error)) => Err(error).context("--data"),
    }
}

/// Makes the data folder, for its owner only.
fn make_folder(path: &Path) -> anyhow::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .with_context(|| format!("--data: cannot make {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_served_by_one_process() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let first = lock(folder.path()).expect("free");
        let refused = lock(folder.path()).expect_err("in use").to_string();
        assert!(
            refused.contains("is in use by another process"),
            "{refused}"
        );
        drop(first);
        lock(folder.path()).expect("free again");
    }
}
