//! One service in this process, on Redis and Postgres.

use std::{net::SocketAddr, num::NonZeroU8, sync::Arc};

use anyhow::Context as _;
use chassis::{db::Db, rpc::Listener, tls::Tls};
use game::{history::History, log::ClusterLog};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{settings, stores::Patience};

pub(crate) async fn game(
    settings: settings::Game,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let patience = Patience::new(settings.wait, &shutdown);
    let db = patience.postgres(&settings.postgres).await?;
    let kv = patience.redis(&settings.redis).await?;
    let log = ClusterLog::connect(kv, game::log::DEFAULT_SHARDS)
        .await
        .context("redis")?;
    let log = match NonZeroU8::new(settings.redis_wait) {
        Some(replicas) => log.confirmed_by(replicas),
        None => log,
    };
    let game = game::Game::new(
        Arc::new(log),
        History::new(db),
        settings.ranking,
        settings.config,
    );
    let listener = listen("game", settings.listen, settings.tls).await?;
    game::serve(Arc::new(game), listener, shutdown)
        .await
        .context("game service")
}

pub(crate) async fn matchmaking(
    settings: settings::Matchmaking,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let patience = Patience::new(settings.wait, &shutdown);
    let pairings = matchmaking::Pairings::new(patience.postgres(&settings.postgres).await?);
    let kv = patience.redis(&settings.redis).await?;
    let config = matchmaking::Config {
        queues: settings.queues,
        ..matchmaking::Config::default()
    };
    let store = Arc::new(matchmaking::ClusterTickets::new(kv));
    let service =
        matchmaking::Matchmaking::new(store, pairings, settings.game, settings.ranking, config);
    let listener = listen("matchmaking", settings.listen, settings.tls).await?;
    matchmaking::serve(service, listener, shutdown)
        .await
        .context("matchmaking service")
}

pub(crate) async fn ranking(
    settings: settings::Ranking,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let patience = Patience::new(settings.wait, &shutdown);
    let db = patience.postgres(&settings.postgres).await?;
    let mut ranking = ranking::Ranking::new(db, settings.config);
    if let Some(settings) = &settings.redis {
        ranking = ranking.with_copies(patience.redis(settings).await?);
    }
    let listener = listen("ranking", settings.listen, settings.tls).await?;
    ranking::serve(ranking, listener, shutdown)
        .await
        .context("ranking service")
}

pub(crate) async fn gateway(
    settings: settings::Gateway,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let patience = Patience::new(settings.wait, &shutdown);
    let db = patience.postgres(&settings.postgres).await?;
    let listener = TcpListener::bind(settings.listen)
        .await
        .context("--listen")?;
    open_gateway(
        db,
        settings.keys,
        settings.channels,
        settings.config,
        listener,
        shutdown,
    )
    .await
}

/// Serves clients until shutdown, and tells where.
pub(crate) async fn open_gateway(
    db: Db,
    keys: impl Into<gateway::Keyring>,
    channels: gateway::Channels,
    mut config: gateway::Config,
    listener: TcpListener,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let address = listener.local_addr().context("--listen")?;
    if config.public_url.is_empty() {
        config.public_url = format!("http://{address}");
    }
    announce(&format!("Spatz is open at http://{address}/"));
    let gateway = gateway::Gateway::new(db, keys, channels, config, shutdown.clone());
    gateway::serve(gateway::router(gateway), listener, shutdown)
        .await
        .context("gateway")
}

pub(crate) async fn migrate(
    settings: &settings::Migrate,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let db = Db::open(&settings.postgres.url, 1)?;
    let patience = Patience::new(settings.wait, &shutdown);
    patience.retry("postgres", || db.migrate()).await?;
    announce("The schema is up to date.");
    Ok(())
}

async fn listen(role: &str, address: SocketAddr, tls: Option<Tls>) -> anyhow::Result<Listener> {
    let listener = TcpListener::bind(address).await.context("--listen")?;
    let address = listener.local_addr().context("--listen")?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    announce(&format!("{role} listens at {scheme}://{address}"));
    Ok(match tls {
        Some(tls) => Listener::Tls(listener, tls),
        None => Listener::Tcp(listener),
    })
}

/// Tells whoever started this process where it is; logs go elsewhere.
#[allow(clippy::print_stdout)]
fn announce(line: &str) {
    println!("{line}");
}
