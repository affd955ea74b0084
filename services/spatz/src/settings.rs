//! From the text of flags and environment variables to values, with every problem reported.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    num::NonZeroU32,
    path::PathBuf,
    time::Duration,
};

use chassis::{
    config::{BadConfig, Problems},
    rpc::{self, Channel, Replicas},
    tls::Tls,
};
use gateway::{Keyring, SigningKey};
use matchmaking::queue::Queues;

use crate::cli;

mod operator;
mod process;
mod stores;
mod tls;

pub(crate) use operator::{Ladders, RatingStore, Signals};
pub(crate) use process::telemetry;
pub(crate) use stores::{Postgres, Redis};

use stores::wait;
pub(crate) use tls::read as read_tls;

/// Bytes of a file with settings that are read at most.
const FILE_BYTES_MAX: u64 = 1 << 20;

fn address(problems: &mut Problems, text: &str) -> SocketAddr {
    problems.parse(
        "--listen (SPATZ_LISTEN)",
        text,
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
    )
}

fn required(problems: &mut Problems, setting: &str, value: Option<&String>) -> String {
    let value = value.filter(|value| !value.is_empty()).cloned();
    problems.note(setting, value.ok_or("expected a value"), String::new())
}

fn file(path: &str) -> Result<String, String> {
    let size = fs::metadata(path)
        .map_err(|error| format!("{path}: {error}"))?
        .len();
    if size > FILE_BYTES_MAX {
        return Err(format!("{path}: expected at most {FILE_BYTES_MAX} bytes"));
    }
    fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

/// The parts of a comma-separated list that are not empty.
fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

/// A channel to another service; `None` only together with a problem.
fn channel(
    problems: &mut Problems,
    setting: &str,
    url: &str,
    tls: Option<&Tls>,
) -> Option<Channel> {
    problems.note(setting, rpc::channel(url, tls).map(Some), None)
}

/// The replicas of another service; `None` only together with a problem.
fn replicas(
    problems: &mut Problems,
    setting: &str,
    urls: &str,
    tls: Option<&Tls>,
) -> Option<Replicas> {
    problems.note(setting, Replicas::at(list(urls), tls).map(Some), None)
}

/// All parts or, when one is missing, the problems that were noted for it.
macro_rules! finish {
    ($problems:ident, $($channel:ident),*) => {
        $problems.finish()?;
        $(let Some($channel) = $channel else { return Err(BadConfig::default()) };)*
    };
}

fn queues(args: &cli::QueueArgs, problems: &mut Problems) -> Queues {
    let setting = "--queues-file (SPATZ_QUEUES_FILE)";
    match &args.queues_file {
        None => Queues::default(),
        Some(path) => match file(path) {
            Ok(json) => Queues::parse(setting, &json, problems),
            Err(error) => problems.note(setting, Err(error), Queues::default()),
        },
    }
}

fn listing(args: &cli::ListingArgs, problems: &mut Problems) -> ranking::Config {
    let defaults = ranking::Config::default();
    ranking::Config {
        listed_after_matches: problems.parse(
            "--listed-after-matches (SPATZ_LISTED_AFTER_MATCHES)",
            &args.listed_after_matches,
            defaults.listed_after_matches,
        ),
        inactive_after_days: problems.parse(
            "--inactive-after-days (SPATZ_INACTIVE_AFTER_DAYS)",
            &args.inactive_after_days,
            defaults.inactive_after_days,
        ),
        schedule: match args.season_schedule.as_str() {
            "never" => None,
            text => {
                let setting = "--season-schedule (SPATZ_SEASON_SCHEDULE)";
                problems.note(setting, text.parse().map(Some), None)
            }
        },
    }
}

/// Milliseconds after which a quiet stream tells its version.
fn heartbeat(args: &cli::StreamArgs, problems: &mut Problems) -> NonZeroU32 {
    let setting = "--heartbeat-ms (SPATZ_HEARTBEAT_MS)";
    problems.parse(setting, &args.heartbeat_ms, NonZeroU32::MIN)
}

fn tables(heartbeat: NonZeroU32) -> game::Config {
    game::Config {
        heartbeat_ms: heartbeat.get().into(),
        ..game::Config::default()
    }
}

/// Whether a text is a scheme and a host, with or without a port.
fn is_origin(text: &str) -> bool {
    let host = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    host.is_some_and(|host| !host.is_empty() && host.bytes().all(allowed))
}

/// What the gateway tells clients about itself, and believes of proxies. The public URL is empty
/// when it is to follow from the address.
fn public(
    args: &cli::PublicArgs,
    heartbeat: NonZeroU32,
    problems: &mut Problems,
) -> gateway::Config {
    let mut config = gateway::Config {
        public_url: args.public_url.clone().unwrap_or_default(),
        heartbeat: Duration::from_millis(heartbeat.get().into()),
        ..gateway::Config::default()
    };
    let header = args
        .trusted_proxy_header
        .as_ref()
        .filter(|name| !name.is_empty());
    config.trusted_proxy_header = header.and_then(|name| {
        let setting = "--trusted-proxy-header (SPATZ_TRUSTED_PROXY_HEADER)";
        problems.note(
            setting,
            name.parse().map(Some).map_err(|_| "expected a header name"),
            None,
        )
    });
    let factor = problems.parse(
        "--rate-limit-factor (SPATZ_RATE_LIMIT_FACTOR)",
        &args.rate_limit_factor,
        NonZeroU32::MIN,
    );
    config.rates = config.rates.times(factor);
    let seconds = problems.parse(
        "--access-token-seconds (SPATZ_ACCESS_TOKEN_SECONDS)",
        &args.access_token_seconds,
        NonZeroU32::MIN,
    );
    config.access_lifetime = Duration::from_secs(seconds.get().into());
    if !config.public_url.is_empty() && !is_origin(&config.public_url) {
        let setting = "--public-url (SPATZ_PUBLIC_URL)";
        problems.note(
            setting,
            Err("expected a URL such as https://cards.example"),
            (),
        );
    }
    let origins = list(&args.cors_origins).map(|origin| {
        let value = origin.parse().ok().filter(|_| is_origin(origin));
        value.ok_or("expected origins such as https://app.example, separated by commas")
    });
    let origins: Result<Vec<_>, _> = origins.collect();
    config.cors_origins = problems.note("--cors-origins (SPATZ_CORS_ORIGINS)", origins, Vec::new());
    config
}

/// `spatz serve`.
#[derive(Debug)]
pub(crate) struct Serve {
    pub(crate) listen: SocketAddr,
    pub(crate) data: PathBuf,
    pub(crate) gateway: gateway::Config,
    pub(crate) tables: game::Config,
    pub(crate) queues: Queues,
    pub(crate) ranking: ranking::Config,
}

impl Serve {
    pub(crate) fn read(args: &cli::ServeArgs, mut problems: Problems) -> Result<Self, BadConfig> {
        let heartbeat = heartbeat(&args.streams, &mut problems);
        let settings = Self {
            listen: address(&mut problems, &args.listen),
            data: PathBuf::from(&args.data),
            gateway: public(&args.public, heartbeat, &mut problems),
            tables: tables(heartbeat),
            queues: queues(&args.queues, &mut problems),
            ranking: listing(&args.listing, &mut problems),
        };
        problems.finish()?;
        Ok(settings)
    }
}

const GAME_URL: &str = "--game-url (SPATZ_GAME_URL)";
const MATCHMAKING_URL: &str = "--matchmaking-url (SPATZ_MATCHMAKING_URL)";
const RANKING_URL: &str = "--ranking-url (SPATZ_RANKING_URL)";

/// `spatz game`.
#[derive(Debug)]
pub(crate) struct Game {
    pub(crate) listen: SocketAddr,
    pub(crate) redis: Redis,
    /// Replicas of Redis that confirm a move.
    pub(crate) redis_wait: u8,
    pub(crate) postgres: Postgres,
    pub(crate) ranking: Channel,
    pub(crate) config: game::Config,
    pub(crate) tls: Option<Tls>,
    /// How long to wait for stores.
    pub(crate) wait: Duration,
}

impl Game {
    pub(crate) fn read(args: &cli::GameArgs, mut problems: Problems) -> Result<Self, BadConfig> {
        let listen = address(&mut problems, &args.listen);
        let tls = read_tls(&args.tls, &mut problems);
        let redis = Redis::read(&args.redis, &mut problems);
        let setting = "--redis-wait (SPATZ_REDIS_WAIT)";
        let redis_wait = problems.parse(setting, &args.durability.redis_wait, 0);
        let postgres = Postgres::read(&args.postgres, &mut problems);
        let ranking = channel(
            &mut problems,
            RANKING_URL,
            &args.ranking.ranking_url,
            tls.as_ref(),
        );
        let config = tables(heartbeat(&args.streams, &mut problems));
        let wait = wait(&args.wait, &mut problems);
        finish!(problems, ranking);
        Ok(Self {
            listen,
            redis,
            redis_wait,
            postgres,
            ranking,
            config,
            tls,
            wait,
        })
    }
}

/// `spatz matchmaking`.
#[derive(Debug)]
pub(crate) struct Matchmaking {
    pub(crate) listen: SocketAddr,
    pub(crate) redis: Redis,
    pub(crate) postgres: Postgres,
    pub(crate) game: Replicas,
    pub(crate) ranking: Channel,
    pub(crate) queues: Queues,
    pub(crate) tls: Option<Tls>,
    /// How long to wait for stores.
    pub(crate) wait: Duration,
}

impl Matchmaking {
    pub(crate) fn read(
        args: &cli::MatchmakingArgs,
        mut problems: Problems,
    ) -> Result<Self, BadConfig> {
        let listen = address(&mut problems, &args.listen);
        let tls = read_tls(&args.tls, &mut problems);
        let redis = Redis::read(&args.redis, &mut problems);
        let postgres = Postgres::read(&args.postgres, &mut problems);
        let game = replicas(&mut problems, GAME_URL, &args.game.game_url, tls.as_ref());
        let ranking = channel(
            &mut problems,
            RANKING_URL,
            &args.ranking.ranking_url,
            tls.as_ref(),
        );
        let queues = queues(&args.queues, &mut problems);
        let wait = wait(&args.wait, &mut problems);
        finish!(problems, game, ranking);
        Ok(Self {
            listen,
            redis,
            postgres,
            game,
            ranking,
            queues,
            tls,
            wait,
        })
    }
}

/// `spatz ranking`.
#[derive(Debug)]
pub(crate) struct Ranking {
    pub(crate) listen: SocketAddr,
    pub(crate) postgres: Postgres,
    /// For copies of ladders.
    pub(crate) redis: Option<Redis>,
    pub(crate) config: ranking::Config,
    pub(crate) tls: Option<Tls>,
    /// How long to wait for stores.
    pub(crate) wait: Duration,
}

impl Ranking {
    pub(crate) fn read(args: &cli::RankingArgs, mut problems: Problems) -> Result<Self, BadConfig> {
        let settings = Self {
            listen: address(&mut problems, &args.listen),
            postgres: Postgres::read(&args.postgres, &mut problems),
            redis: Redis::read_optional(&args.redis, &mut problems),
            config: listing(&args.listing, &mut problems),
            tls: read_tls(&args.tls, &mut problems),
            wait: wait(&args.wait, &mut problems),
        };
        problems.finish()?;
        Ok(settings)
    }
}

/// `spatz gateway`.
#[derive(Debug)]
pub(crate) struct Gateway {
    pub(crate) listen: SocketAddr,
    pub(crate) postgres: Postgres,
    pub(crate) config: gateway::Config,
    pub(crate) keys: Keyring,
    pub(crate) channels: gateway::Channels,
    /// How long to wait for stores.
    pub(crate) wait: Duration,
}

impl Gateway {
    pub(crate) fn read(args: &cli::GatewayArgs, mut problems: Problems) -> Result<Self, BadConfig> {
        let listen = address(&mut problems, &args.listen);
        let tls = read_tls(&args.tls, &mut problems);
        let postgres = Postgres::read(&args.postgres, &mut problems);
        let heartbeat = heartbeat(&args.streams, &mut problems);
        let config = public(&args.public, heartbeat, &mut problems);
        let keys = keys(args, &mut problems);
        let game = replicas(&mut problems, GAME_URL, &args.game.game_url, tls.as_ref());
        let matchmaking = channel(
            &mut problems,
            MATCHMAKING_URL,
            &args.matchmaking_url,
            tls.as_ref(),
        );
        let ranking = channel(
            &mut problems,
            RANKING_URL,
            &args.ranking.ranking_url,
            tls.as_ref(),
        );
        let wait = wait(&args.wait, &mut problems);
        finish!(problems, keys, game, matchmaking, ranking);
        let channels = gateway::Channels {
            game,
            matchmaking,
            ranking,
        };
        Ok(Self {
            listen,
            postgres,
            config,
            keys,
            channels,
            wait,
        })
    }
}

/// The keys for access tokens; `None` only together with a problem.
fn keys(args: &cli::GatewayArgs, problems: &mut Problems) -> Option<Keyring> {
    let setting = "--signing-key-file (SPATZ_SIGNING_KEY_FILE)";
    let path = required(problems, setting, args.signing_key_file.as_ref());
    if path.is_empty() {
        return None;
    }
    let key = file(&path)
        .and_then(|pem| SigningKey::from_pem(&pem).map_err(|error| format!("{path}: {error}")));
    let mut keys: Keyring = problems.note(setting, key.map(Some), None)?.into();
    for path in list(&args.accepted_key_files) {
        let accepted = file(path).and_then(|pem| {
            keys.accept(&pem)
                .map_err(|error| format!("{path}: {error}"))
        });
        problems.note(
            "--accepted-key-files (SPATZ_ACCEPTED_KEY_FILES)",
            accepted,
            (),
        );
    }
    Some(keys)
}

/// `spatz migrate`.
#[derive(Debug)]
pub(crate) struct Migrate {
    pub(crate) postgres: Postgres,
    /// How long to wait for stores.
    pub(crate) wait: Duration,
}

impl Migrate {
    pub(crate) fn read(args: &cli::MigrateArgs, mut problems: Problems) -> Result<Self, BadConfig> {
        let postgres = Postgres::read(&args.postgres, &mut problems);
        let wait = wait(&args.wait, &mut problems);
        problems.finish()?;
        Ok(Self { postgres, wait })
    }
}
