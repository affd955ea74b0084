//! The game service: authoritative tables, live ones as append-only logs, finished ones in the
//! archive.

mod archive;
mod clock;
mod follow;
pub mod history;
#[cfg(test)]
mod kit;
pub mod log;
mod metrics;
mod ratings;
mod receipt;
mod recover;
mod reject;
mod service;
#[cfg(test)]
mod sim;
mod tables;
mod wake;
mod watch;

use std::{num::NonZeroUsize, sync::Arc};

use chassis::{
    AtStart, ErrorCode, Failure,
    rpc::{self, Channel, Listener},
};
use proto::v1::{
    Finish, MatchSummary, RatingChange, RecordMatchRequest, game_server::GameServer, occupant,
};
use rules::Seat;
use table::Table;
use tokio_util::sync::CancellationToken;
use tonic::service::RoutesBuilder;
use uuid::Uuid;

use crate::{
    follow::Followers,
    history::{History, MatchArchive},
    log::{Entry, TableLog},
    ratings::{RankingService, Ratings},
    service::Service,
    tables::{Tables, not_found, take},
};

/// The name under which the service's health is told.
pub const SERVICE_NAME: &str = "spatz.v1.Game";

/// What an operator can set.
#[derive(Clone, Debug)]
pub struct Config {
    /// Table states that a replica keeps in memory, a few KiB each.
    pub cached_tables: NonZeroUsize,
    /// How often a quiet stream tells the head version, in milliseconds.
    pub heartbeat_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            cached_tables: NonZeroUsize::new(10_000).unwrap_or(NonZeroUsize::MIN),
            heartbeat_ms: 15_000,
        }
    }
}

/// The game service without its transport.
#[derive(Debug)]
pub struct Game {
    tables: Tables,
    followers: Followers,
    archive: Arc<dyn MatchArchive>,
    archive_at_start: AtStart,
    ratings: Arc<dyn Ratings>,
    config: Config,
}

impl Game {
    /// The service on these stores, reporting rated matches to the ranking service.
    #[must_use]
    pub fn new(log: Arc<dyn TableLog>, history: History, ranking: Channel, config: Config) -> Self {
        let ratings = Arc::new(RankingService::new(ranking));
        Self::on(log, Arc::new(history), ratings, config)
    }

    /// The service on whatever stands behind its ports.
    fn on(
        log: Arc<dyn TableLog>,
        archive: Arc<dyn MatchArchive>,
        ratings: Arc<dyn Ratings>,
        config: Config,
    ) -> Self {
        Self {
            tables: Tables::new(log, Arc::clone(&archive), config.cached_tables),
            followers: Followers::default(),
            archive,
            archive_at_start: AtStart::default(),
            ratings,
            config,
        }
    }

    /// Whether the log answers, and the archive has. Tables go on without that.
    async fn check(&self) -> Result<(), Failure> {
        self.tables.log().head(Uuid::nil()).await?;
        let archive = async { self.archive.summary(Uuid::nil()).await.map(drop) };
        Ok(self.archive_at_start.check(archive).await?)
    }

    /// The entries after one version up to and including another.
    async fn segment(&self, id: Uuid, after: u64, upto: u64) -> Result<Vec<Entry>, Failure> {
        let mut entries = self.tables.log().read(id, after).await?;
        entries.retain(|entry| entry.version <= upto);
        Ok(entries)
    }

    /// The seat of a player who sits at a table, or gave the seat back before the match: what was
    /// sent then may be sent again.
    async fn seat_of(&self, id: Uuid, player: Uuid) -> Result<(Arc<Table>, Seat), Failure> {
        match self.tables.seated(id, player).await {
            Err(failure) if failure.code == ErrorCode::TableNotFound => {}
            seated => return seated,
        }
        let entries = self.tables.log().read(id, 0).await?;
        let (mut table, mut seat) = (None, None);
        for entry in &entries {
            let (_, after) = take(&mut table, entry)?;
            seat = after.seat_of(player).or(seat);
        }
        table.map(Arc::new).zip(seat).ok_or_else(not_found)
    }

    /// Has a finished match rated. The same match again gets the same answer.
    async fn rate(&self, finished: &MatchSummary) -> Result<Vec<RatingChange>, Failure> {
        let request = RecordMatchRequest {
            match_id: finished.match_id.clone(),
            ruleset: finished.ladder.clone(),
            ended_ms: finished.ended_ms,
            finishes: finishes(finished),
        };
        self.ratings.record(request).await
    }
}

/// How the players of a finished match did, by seat.
fn finishes(finished: &MatchSummary) -> Vec<Finish> {
    let Some(result) = &finished.result else {
        return Vec::new();
    };
    let places = result.places.iter().zip(&result.scores);
    let results = places.zip(&result.abandoned);
    let seats = finished.seats.iter().zip(results);
    seats
        .filter_map(
            |(occupant, ((&place, &score), &abandoned))| match &occupant.kind {
                Some(occupant::Kind::Player(player)) => Some(Finish {
                    player_id: player.id.clone(),
                    place,
                    score,
                    abandoned,
                }),
                _ => None,
            },
        )
        .collect()
}

/// Serves calls and wake-ups until shutdown.
///
/// # Errors
/// When the transport fails.
pub async fn serve(
    game: Arc<Game>,
    listener: Listener,
    shutdown: CancellationToken,
) -> Result<(), tonic::transport::Error> {
    let mut routes = RoutesBuilder::default();
    let service = Service {
        game: Arc::clone(&game),
        shutdown: shutdown.clone(),
    };
    routes.add_service(GameServer::new(service));
    metrics::count_tables(&game);
    let asked = Arc::clone(&game);
    let check = move || {
        let game = Arc::clone(&asked);
        async move { game.check().await }
    };
    let wake_ups = tokio::spawn(wake::run(game, shutdown.clone()));
    let served =
        rpc::serve_checked(routes, &[SERVICE_NAME], check, listener, shutdown.clone()).await;
    // Should the transport have failed, wake-ups without calls would hide it.
    shutdown.cancel();
    if let Err(error) = wake_ups.await {
        tracing::error!(%error, "the wake-up loop failed");
    }
    served
}
