//! The gateway: the REST API of Spatz in front of the services, accounts and access tokens, the
//! web client.
//!
//! It holds no state of a table: what a player may see and do is decided by the game service,
//! which is told who calls. Everything that a client sends is bounded and checked for its form
//! here, so that the services see only well-formed requests.

pub mod accounts;
mod api;
mod config;
mod docs;
mod extract;
mod health;
mod idempotency;
mod keys;
mod limits;
mod metrics;
mod object;
mod problem;
mod serve;
mod shell;
mod sse;
mod tokens;
mod web;

use std::{net::IpAddr, sync::Arc, time::Duration};

use accounts::{Accounts, SessionRules};
use axum::{Router, extract::DefaultBodyLimit, http::HeaderName, middleware};
use chassis::{
    AtStart, Failure,
    db::Db,
    rpc::{Channel, Replicas},
};
use limits::{Buckets, Streams};
use proto::v1::{
    game_client::GameClient, matchmaking_client::MatchmakingClient, ranking_client::RankingClient,
};
use tokens::AccessTokens;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tonic::{Response, Status};
use tower_http::cors::{AllowHeaders, AllowMethods, AllowOrigin, CorsLayer};
use uuid::Uuid;

pub use api::openapi_json;
pub use config::{Config, Rate, Rates};
pub use keys::{KeyError, Keyring, SigningKey};
pub use serve::serve;

const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// How the gateway reaches the services.
#[derive(Clone, Debug)]
pub struct Channels {
    /// The game service.
    pub game: Replicas,
    /// The matchmaking service.
    pub matchmaking: Channel,
    /// The ranking service.
    pub ranking: Channel,
}

struct Limits {
    commands: Buckets<Uuid>,
    reads: Buckets<Uuid>,
    anonymous: Buckets<IpAddr>,
    auth: Buckets<IpAddr>,
    guests: Buckets<IpAddr>,
}

struct Inner {
    config: Config,
    db: Db,
    accounts: Accounts,
    accounts_at_start: AtStart,
    tokens: AccessTokens,
    channels: Channels,
    limits: Limits,
    streams: Arc<Streams>,
    idempotency: idempotency::Keys,
    shutdown: CancellationToken,
}

/// The gateway's state, shared by all requests.
#[derive(Clone)]
pub struct Gateway(Arc<Inner>);

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway")
            .field("config", &self.0.config)
            .finish_non_exhaustive()
    }
}

impl Gateway {
    /// A gateway on a migrated database. Must be called within a Tokio runtime: it starts a task
    /// that sweeps out what has expired, until `shutdown` is cancelled. Streams end then, too.
    #[must_use]
    pub fn new(
        db: Db,
        keys: impl Into<Keyring>,
        channels: Channels,
        config: Config,
        shutdown: CancellationToken,
    ) -> Self {
        let rates = config.rates;
        let limits = Limits {
            commands: Buckets::new(rates.player_commands),
            reads: Buckets::new(rates.player_reads),
            anonymous: Buckets::new(rates.address_anonymous),
            auth: Buckets::new(rates.address_auth),
            guests: Buckets::new(rates.address_guests),
        };
        let tokens = AccessTokens::new(keys.into(), &config.public_url, config.access_lifetime);
        let gateway = Self(Arc::new(Inner {
            accounts: Accounts::new(db.clone()),
            accounts_at_start: AtStart::default(),
            tokens,
            channels,
            limits,
            streams: Streams::new(config.streams_per_player, shutdown.clone()),
            idempotency: idempotency::Keys::new(db.clone(), config.idempotency_lifetime),
            shutdown,
            config,
            db,
        }));
        metrics::count_streams(gateway.streams());
        tokio::spawn(sweep(gateway.clone()));
        gateway
    }

    fn config(&self) -> &Config {
        &self.0.config
    }

    fn db(&self) -> &Db {
        &self.0.db
    }

    fn accounts(&self) -> &Accounts {
        &self.0.accounts
    }

    fn accounts_at_start(&self) -> &AtStart {
        &self.0.accounts_at_start
    }

    fn tokens(&self) -> &AccessTokens {
        &self.0.tokens
    }

    fn limits(&self) -> &Limits {
        &self.0.limits
    }

    fn streams(&self) -> &Arc<Streams> {
        &self.0.streams
    }

    fn idempotency(&self) -> &idempotency::Keys {
        &self.0.idempotency
    }

    fn shutdown(&self) -> &CancellationToken {
        &self.0.shutdown
    }

    /// The game service, for calls about no live table.
    fn game(&self) -> Result<GameClient<Channel>, Failure> {
        let channel = self.0.channels.game.any();
        let channel = channel.ok_or_else(|| Failure::unavailable("no game service is known"))?;
        Ok(GameClient::new(channel))
    }

    /// Calls the game service about a table, where it is likely to be in the cache.
    async fn at_table<T, F>(
        &self,
        table: Uuid,
        call: impl Fn(GameClient<Channel>) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let game = &self.0.channels.game;
        let answer = game.call(table, |channel| call(GameClient::new(channel)));
        Ok(answer.await?.into_inner())
    }

    fn matchmaking(&self) -> MatchmakingClient<Channel> {
        MatchmakingClient::new(self.0.channels.matchmaking.clone())
    }

    fn ranking(&self) -> RankingClient<Channel> {
        RankingClient::new(self.0.channels.ranking.clone())
    }

    fn session_rules(&self) -> SessionRules {
        SessionRules {
            lifetime: self.0.config.refresh_lifetime,
            grace: self.0.config.refresh_grace,
            per_player: self.0.config.sessions_per_player,
        }
    }
}

/// Everything the gateway answers to. Requests that come through [`serve`] carry their client's
/// address; without one, all count as one client.
pub fn router(gateway: Gateway) -> Router {
    let (api, document) = api::routes().split_for_parts();
    let cors = cors(gateway.config());
    let body_bytes_max = gateway.config().body_bytes_max;
    let router = api
        .merge(docs::routes(document))
        .merge(health::routes())
        .merge(web::routes())
        .layer(DefaultBodyLimit::max(body_bytes_max))
        .layer(middleware::from_fn_with_state(
            gateway.clone(),
            shell::shell,
        ))
        .with_state(gateway);
    match cors {
        Some(cors) => router.layer(cors),
        None => router,
    }
}

/// Lets pages of other origins call the API. Tokens travel in a header and there are no cookies,
/// so no credentials are allowed.
fn cors(config: &Config) -> Option<CorsLayer> {
    if config.cors_origins.is_empty() {
        return None;
    }
    let exposed = ["etag", "retry-after", "x-request-id"].map(HeaderName::from_static);
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::list(config.cors_origins.clone()))
        .allow_methods(AllowMethods::mirror_request())
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(exposed)
        .max_age(Duration::from_secs(3600));
    Some(layer)
}

/// Removes what has expired, now and then. All replicas do; that does no harm.
async fn sweep(gateway: Gateway) {
    let mut ticks = interval(SWEEP_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = gateway.shutdown().cancelled() => return,
            _ = ticks.tick() => {}
        }
        let swept: Result<(), Failure> = async {
            gateway.idempotency().sweep().await?;
            gateway.accounts().sweep_sessions().await?;
            gateway.accounts().sweep_traces().await?;
            Ok(())
        }
        .await;
        // The failure was logged where it was made; the next round tries again.
        if swept.is_err() {
            tracing::debug!("expired rows stay for now");
        }
    }
}
