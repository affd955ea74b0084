//! What an operator can set. The defaults are safe for a public installation.

use std::{num::NonZeroU32, time::Duration};

use axum::http::{HeaderName, HeaderValue};

/// A client that leaves the messages of a stream unread for so many heartbeats is let go.
const UNREAD_HEARTBEATS: u32 = 2;

/// How often something may be done: so many at once, then so many a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// How many at once.
    pub burst: u32,
    /// How many come back each second. 0: none ever.
    pub per_second: f64,
}

impl Rate {
    /// So many at once, then so many a second.
    #[must_use]
    pub const fn new(burst: u32, per_second: f64) -> Self {
        Self { burst, per_second }
    }
}

/// Limits on requests. Each replica counts for itself.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Requests of one player that change something.
    pub player_commands: Rate,
    /// Requests of one player that only read, streams included.
    pub player_reads: Rate,
    /// Requests from one address without valid credentials.
    pub address_anonymous: Rate,
    /// Sign-ins, renewals and sign-outs from one address.
    pub address_auth: Rate,
    /// New guest accounts from one address.
    pub address_guests: Rate,
}

impl Rates {
    /// The same limits, so many times as high.
    #[must_use]
    pub fn times(self, factor: NonZeroU32) -> Self {
        let times = |rate: Rate| {
            let burst = rate.burst.saturating_mul(factor.get());
            Rate::new(burst, rate.per_second * f64::from(factor.get()))
        };
        Self {
            player_commands: times(self.player_commands),
            player_reads: times(self.player_reads),
            address_anonymous: times(self.address_anonymous),
            address_auth: times(self.address_auth),
            address_guests: times(self.address_guests),
        }
    }
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            player_commands: Rate::new(40, 10.0),
            player_reads: Rate::new(200, 50.0),
            address_anonymous: Rate::new(400, 100.0),
            // Many homes and whole mobile networks share an address.
            address_auth: Rate::new(60, 1.0),
            address_guests: Rate::new(60, 0.1),
        }
    }
}

/// Everything that can be set.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where clients reach the gateway, such as `https://spatz.example`: the issuer of its access
    /// tokens. Tokens of another issuer are refused.
    pub public_url: String,
    /// How long an access token is valid. It cannot be revoked, so: minutes.
    pub access_lifetime: Duration,
    /// How long a refresh token is valid when it is not used.
    pub refresh_lifetime: Duration,
    /// How long a used refresh token still gives the same successor, for a client that lost the
    /// answer.
    pub refresh_grace: Duration,
    /// Families of refresh tokens of one player; a new one ends the oldest.
    pub sessions_per_player: u32,
    /// Limits on requests.
    pub rates: Rates,
    /// Header in which a proxy in front appends the client's address, such as
    /// `x-forwarded-for`. Anybody can send it, so it is off unless a proxy always sets it.
    pub trusted_proxy_header: Option<HeaderName>,
    /// A stream is never silent for longer than this.
    pub heartbeat: Duration,
    /// A stream ends after this; its client resumes with a fresh token.
    pub stream_lifetime: Duration,
    /// Streams of one player on one replica; a new one ends the oldest, which often is one whose
    /// client is gone.
    pub streams_per_player: usize,
    /// When a request is given up. Streams count until their first byte.
    pub request_timeout: Duration,
    /// Largest body of a request, in bytes.
    pub body_bytes_max: usize,
    /// How long the answer to an `Idempotency-Key` is kept.
    pub idempotency_lifetime: Duration,
    /// Origins of web pages, other than the gateway's own, that may call the API.
    pub cors_origins: Vec<HeaderValue>,
}

impl Config {
    /// How long a client may leave what a stream tells it unread.
    pub(crate) fn unread_max(&self) -> Duration {
        self.heartbeat * UNREAD_HEARTBEATS
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            public_url: "http://localhost:7000".to_owned(),
            access_lifetime: Duration::from_secs(15 * 60),
            refresh_lifetime: Duration::from_secs(90 * 24 * 60 * 60),
            refresh_grace: Duration::from_secs(60),
            sessions_per_player: 10,
            rates: Rates::default(),
            trusted_proxy_header: None,
            heartbeat: Duration::from_secs(15),
            stream_lifetime: Duration::from_secs(60 * 60),
            streams_per_player: 8,
            request_timeout: Duration::from_secs(15),
            body_bytes_max: 64 * 1024,
            idempotency_lifetime: Duration::from_secs(24 * 60 * 60),
            cors_origins: Vec::new(),
        }
    }
}
