//! Flags and environment variables. Values are read as text, so that [`crate::settings`] can
//! report everything that is wrong at once.

use clap::{Args, Parser, Subcommand};

#[cfg(test)]
mod tests;

/// Card games of Tyrol and Bavaria, served.
#[derive(Debug, Parser)]
#[command(name = "spatz", version)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) log: LogArgs,
    #[command(flatten)]
    pub(crate) telemetry: TelemetryArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// What to log: a level, or directives such as `info,game=debug`.
    #[arg(long, env = "SPATZ_LOG", default_value = "info", global = true)]
    pub(crate) log: String,
    /// How log lines look: `text` or `json`.
    #[arg(long, env = "SPATZ_LOG_FORMAT", default_value = "text", global = true)]
    pub(crate) log_format: String,
}

#[derive(Debug, Args)]
pub(crate) struct TelemetryArgs {
    /// Address at which services let Prometheus read metrics (`/metrics`). Left out: none.
    #[arg(long, env = "SPATZ_METRICS_LISTEN", global = true)]
    pub(crate) metrics_listen: Option<String>,
    /// Collector to which services send traces (OTLP over gRPC), such as
    /// `http://collector:4317`. Left out: none.
    #[arg(long, env = "SPATZ_OTLP_URL", global = true)]
    pub(crate) otlp_url: Option<String>,
    /// The part of requests that are traced, from 0 to 1.
    #[arg(long, env = "SPATZ_TRACE_RATIO", default_value = "0.01", global = true)]
    pub(crate) trace_ratio: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run everything in one process, on one file.
    Serve(ServeArgs),
    /// Run the game service: authoritative tables.
    Game(GameArgs),
    /// Run the matchmaking service: tickets, queues, private tables.
    Matchmaking(MatchmakingArgs),
    /// Run the ranking service: ratings, ladders.
    Ranking(RankingArgs),
    /// Run the gateway: REST, live streams, accounts, the web client.
    Gateway(GatewayArgs),
    /// Bring the schema of a Postgres database up to date.
    Migrate(MigrateArgs),
    /// Ask URLs such as `http://127.0.0.1:8080/readyz`, and fail unless each answers well.
    Probe(ProbeArgs),
    /// Open, close and schedule the seasons of ladders.
    Season(SeasonArgs),
    /// Rate history again; rebuild and compare the copies of ladders in Redis.
    Ratings(RatingsArgs),
    /// List what looks like collusion, with the evidence. Changes nothing.
    Signals(SignalsArgs),
    /// Show a replay as tables.
    Replay(ReplayArgs),
    /// Play replays again and check shuffles, actions, scores and results.
    Verify(VerifyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// A replay as `/v1/matches/{id}/replay` gives it; `-` reads the standard input.
    pub(crate) file: String,
    /// Number of the deal to show; all when left out.
    #[arg(long)]
    pub(crate) deal: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Replays as `/v1/matches/{id}/replay` gives them; `-` reads the standard input.
    #[arg(required = true)]
    pub(crate) files: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    #[command(flatten)]
    pub(crate) postgres: PostgresArgs,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    /// URLs that start with `http://`, or `grpc://HOST:PORT/SERVICE` for the health of a service.
    #[arg(required = true)]
    pub(crate) urls: Vec<String>,
    /// The name in the certificates of services, when it is not the host of their URL.
    #[arg(long, requires = "tls_cert")]
    pub(crate) tls_name: Option<String>,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TlsArgs {
    /// File with the certificate of this process (PEM), for servers and for clients. With it, the
    /// services talk by TLS alone, and only to who has a certificate of the authority.
    #[arg(long, env = "SPATZ_TLS_CERT", requires_all = ["tls_key", "tls_ca"])]
    pub(crate) tls_cert: Option<String>,
    /// File with the key of the certificate (PEM).
    #[arg(long, env = "SPATZ_TLS_KEY", requires = "tls_cert")]
    pub(crate) tls_key: Option<String>,
    /// File with the certificate of the authority (PEM).
    #[arg(long, env = "SPATZ_TLS_CA", requires = "tls_cert")]
    pub(crate) tls_ca: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    /// Seconds to wait at the start for stores that do not answer, and for the migration of a
    /// schema that is too old, before giving up.
    #[arg(long, env = "SPATZ_WAIT_FOR_STORES", default_value = "0")]
    pub(crate) wait_for_stores: String,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on; port 0 picks a free one.
    #[arg(long, env = "SPATZ_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: String,
    /// Folder for the database and the key that signs access tokens.
    #[arg(long, env = "SPATZ_DATA", default_value = "spatz-data")]
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) public: PublicArgs,
    #[command(flatten)]
    pub(crate) queues: QueueArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) streams: StreamArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DurabilityArgs {
    /// Replicas of Redis that must have a move before it is acknowledged (`WAIT`); with 0, a
    /// primary that fails may take the last moves with it.
    #[arg(long, env = "SPATZ_REDIS_WAIT", default_value = "0")]
    pub(crate) redis_wait: String,
}

#[derive(Debug, Args)]
pub(crate) struct GameArgs {
    /// Address to listen on for gRPC; port 0 picks a free one.
    #[arg(long, env = "SPATZ_LISTEN", default_value = "127.0.0.1:7001")]
    pub(crate) listen: String,
    #[command(flatten)]
    pub(crate) redis: RedisArgs,
    #[command(flatten)]
    pub(crate) durability: DurabilityArgs,
    #[command(flatten)]
    pub(crate) postgres: PostgresArgs,
    #[command(flatten)]
    pub(crate) ranking: RankingUrl,
    #[command(flatten)]
    pub(crate) streams: StreamArgs,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}

#[derive(Debug, Args)]
pub(crate) struct MatchmakingArgs {
    /// Address to listen on for gRPC; port 0 picks a free one.
    #[arg(long, env = "SPATZ_LISTEN", default_value = "127.0.0.1:7002")]
    pub(crate) listen: String,
    #[command(flatten)]
    pub(crate) redis: RedisArgs,
    #[command(flatten)]
    pub(crate) postgres: PostgresArgs,
    #[command(flatten)]
    pub(crate) game: GameUrl,
    #[command(flatten)]
    pub(crate) ranking: RankingUrl,
    #[command(flatten)]
    pub(crate) queues: QueueArgs,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RankingArgs {
    /// Address to listen on for gRPC; port 0 picks a free one.
    #[arg(long, env = "SPATZ_LISTEN", default_value = "127.0.0.1:7003")]
    pub(crate) listen: String,
    #[command(flatten)]
    pub(crate) postgres: PostgresArgs,
    /// Keeps copies of ladders for quick ranks; left out, Postgres answers everything.
    #[command(flatten)]
    pub(crate) redis: RedisArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}

/// Which installation a command works on, beside its running processes.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    /// Folder of a `spatz serve`; with `--postgres-url`, that one is meant.
    #[arg(long, env = "SPATZ_DATA", default_value = "spatz-data")]
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) postgres: PostgresArgs,
    #[command(flatten)]
    pub(crate) redis: RedisArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SignalsArgs {
    /// Folder of a `spatz serve`; with `--postgres-url`, that one is meant.
    #[arg(long, env = "SPATZ_DATA", default_value = "spatz-data")]
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) postgres: PostgresArgs,
    /// Days to look back.
    #[arg(long, default_value = "30")]
    pub(crate) days: String,
}

#[derive(Debug, Args)]
pub(crate) struct SeasonArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(subcommand)]
    pub(crate) command: SeasonCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SeasonCommand {
    /// List all ladders, the newest season of each game first.
    List,
    /// Open the next season of games that have none open.
    Open {
        /// Ids of games, such as `brixental`.
        #[arg(required = true)]
        rulesets: Vec<String>,
        /// When it closes by itself and the next one opens, such as
        /// `2027-04-01T04:00[Europe/Vienna]` or `2027-04-01T02:00:00Z`.
        #[arg(long)]
        closes: Option<String>,
    },
    /// Close the open season of games: its final standings stand still. Until the next season is
    /// open, matches wait to be rated.
    Close {
        /// Ids of games, such as `brixental`.
        #[arg(required = true)]
        rulesets: Vec<String>,
        /// Open the next season at the same moment.
        #[arg(long)]
        next: bool,
    },
    /// Say when the open season of games closes by itself and the next one opens.
    Schedule {
        /// Ids of games, such as `brixental`.
        #[arg(required = true)]
        rulesets: Vec<String>,
        /// An instant as for `open`, or `never`.
        #[arg(long)]
        closes: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct RatingsArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(subcommand)]
    pub(crate) command: RatingsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RatingsCommand {
    /// Rate history again as if some players had not taken part, and list what changes. Without
    /// players: all history, which should change nothing.
    Recompute {
        /// Ids of players who are taken out of the ladders, separated by commas or given again.
        #[arg(long, value_delimiter = ',')]
        without: Vec<String>,
        /// Ids of players who had been taken out and come back.
        #[arg(long, value_delimiter = ',')]
        with: Vec<String>,
        /// Store what changes. Reports of matches wait while it is worked out.
        #[arg(long)]
        apply: bool,
    },
    /// Make the copies of ladders in Redis anew, beside the old ones.
    Rebuild {
        /// Ids of ladders, such as `brixental-s1`; all that have a copy when left out.
        ladders: Vec<String>,
    },
    /// Compare the copies of ladders in Redis with Postgres; fails when one differs.
    Compare {
        /// Ids of ladders, such as `brixental-s1`; all that have a copy when left out.
        ladders: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct GatewayArgs {
    /// Address to listen on for HTTP; port 0 picks a free one.
    #[arg(long, env = "SPATZ_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: String,
    #[command(flatten)]
    pub(crate) public: PublicArgs,
    /// File with the Ed25519 key (PKCS #8 PEM) that signs access tokens.
    #[arg(long, env = "SPATZ_SIGNING_KEY_FILE")]
    pub(crate) signing_key_file: Option<String>,
    /// Files with public keys (PEM) whose tokens are accepted too, separated by commas.
    #[arg(long, env = "SPATZ_ACCEPTED_KEY_FILES", default_value = "")]
    pub(crate) accepted_key_files: String,
    #[command(flatten)]
    pub(crate) postgres: PostgresArgs,
    #[command(flatten)]
    pub(crate) game: GameUrl,
    /// Where the matchmaking service answers, such as `http://matchmaking:7002`.
    #[arg(
        long,
        env = "SPATZ_MATCHMAKING_URL",
        default_value = "http://127.0.0.1:7002"
    )]
    pub(crate) matchmaking_url: String,
    #[command(flatten)]
    pub(crate) ranking: RankingUrl,
    #[command(flatten)]
    pub(crate) streams: StreamArgs,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PublicArgs {
    /// Where clients reach the gateway, such as `https://cards.example`: the issuer of its
    /// tokens. Left out: `http://` and the address it listens on.
    #[arg(long, env = "SPATZ_PUBLIC_URL")]
    pub(crate) public_url: Option<String>,
    /// Header in which a proxy in front tells the client's address. Only set it behind a proxy
    /// that always sets it.
    #[arg(long, env = "SPATZ_TRUSTED_PROXY_HEADER")]
    pub(crate) trusted_proxy_header: Option<String>,
    /// Multiplies every rate limit: 2 allows twice as many requests.
    #[arg(long, env = "SPATZ_RATE_LIMIT_FACTOR", default_value = "1")]
    pub(crate) rate_limit_factor: String,
    /// Seconds for which an access token is valid.
    #[arg(long, env = "SPATZ_ACCESS_TOKEN_SECONDS", default_value = "900")]
    pub(crate) access_token_seconds: String,
    /// Origins of other web pages that may call the API, separated by commas.
    #[arg(long, env = "SPATZ_CORS_ORIGINS", default_value = "")]
    pub(crate) cors_origins: String,
}

#[derive(Debug, Args)]
pub(crate) struct StreamArgs {
    /// Milliseconds after which a quiet stream of a table tells its newest version: how long a
    /// client may not notice that a message was lost.
    #[arg(long, env = "SPATZ_HEARTBEAT_MS", default_value = "15000")]
    pub(crate) heartbeat_ms: String,
}

#[derive(Debug, Args)]
pub(crate) struct QueueArgs {
    /// File with the queues (JSON). Left out: a ranked and a casual one for every game.
    #[arg(long, env = "SPATZ_QUEUES_FILE")]
    pub(crate) queues_file: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ListingArgs {
    /// Rated matches after which a player is listed on a ladder.
    #[arg(long, env = "SPATZ_LISTED_AFTER_MATCHES", default_value = "20")]
    pub(crate) listed_after_matches: String,
    /// Days without a rated match after which a player is listed no longer.
    #[arg(long, env = "SPATZ_INACTIVE_AFTER_DAYS", default_value = "90")]
    pub(crate) inactive_after_days: String,
    /// When seasons close and the next ones open by themselves, such as
    /// `monthly 1 04:00 Europe/Vienna` or `never`: `weekly 1-7` (Monday is 1), `monthly 1-28`,
    /// `quarterly 1-28` or `yearly 1-28`, a time, a time zone.
    #[arg(long, env = "SPATZ_SEASON_SCHEDULE", default_value = "never")]
    pub(crate) season_schedule: String,
}

#[derive(Debug, Args)]
pub(crate) struct RedisArgs {
    /// Redis with the live tables and tickets: `redis://HOST:PORT`,
    /// `redis-sentinel://HOST:PORT,HOST:PORT/DATABASE#NAME` or
    /// `redis-cluster://HOST:PORT,HOST:PORT`; with `rediss` in place of `redis`, by TLS, and
    /// `?cacert=FILE&cert=FILE&key=FILE` before `#NAME` names PEM files.
    #[arg(long, env = "SPATZ_REDIS_URL", hide_env_values = true)]
    pub(crate) redis_url: Option<String>,
    /// What every key starts with, so that installations can share a server.
    #[arg(long, env = "SPATZ_REDIS_PREFIX", default_value = "spatz")]
    pub(crate) redis_prefix: String,
}

#[derive(Debug, Args)]
pub(crate) struct PostgresArgs {
    /// Postgres with accounts, history, pairings and ratings, such as
    /// `postgres://spatz@postgres/spatz`; by TLS with `?sslmode=verify-full&sslrootcert=FILE`, and
    /// `&sslcert=FILE&sslkey=FILE` to show a certificate.
    #[arg(long, env = "SPATZ_POSTGRES_URL", hide_env_values = true)]
    pub(crate) postgres_url: Option<String>,
    /// Connections to Postgres at most.
    #[arg(long, env = "SPATZ_POSTGRES_CONNECTIONS", default_value = "16")]
    pub(crate) postgres_connections: String,
}

#[derive(Debug, Args)]
pub(crate) struct GameUrl {
    /// Where the game service answers, such as `http://game:7001`: one or several, separated by
    /// commas. Each address of a name is a replica.
    #[arg(long, env = "SPATZ_GAME_URL", default_value = "http://127.0.0.1:7001")]
    pub(crate) game_url: String,
}

#[derive(Debug, Args)]
pub(crate) struct RankingUrl {
    /// Where the ranking service answers, such as `http://ranking:7003`.
    #[arg(
        long,
        env = "SPATZ_RANKING_URL",
        default_value = "http://127.0.0.1:7003"
    )]
    pub(crate) ranking_url: String,
}

impl Command {
    /// The name of a service in telemetry; the other commands end by themselves.
    pub(crate) fn service(&self) -> Option<&'static str> {
        match self {
            Self::Serve(_) => Some("spatz"),
            Self::Game(_) => Some("spatz-game"),
            Self::Matchmaking(_) => Some("spatz-matchmaking"),
            Self::Ranking(_) => Some("spatz-ranking"),
            Self::Gateway(_) => Some("spatz-gateway"),
            Self::Migrate(_)
            | Self::Probe(_)
            | Self::Season(_)
            | Self::Ratings(_)
            | Self::Signals(_)
            | Self::Replay(_)
            | Self::Verify(_) => None,
        }
    }
}
