//! What handlers take: the caller, bodies, queries; each fails with a problem of its own.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, OnceLock},
};

use axum::{
    extract::{
        ConnectInfo, FromRequest, FromRequestParts, Query as AxumQuery, Request,
        rejection::JsonRejection,
    },
    http::{HeaderMap, Method, header, request::Parts},
};
use chassis::{ErrorCode, Failure, rpc};
use serde::{Deserialize, de::DeserializeOwned};
use tokio::time::Instant;
use uuid::Uuid;

use crate::{Gateway, config::Config, limits::network, object::Object, problem::Problem};

/// What is known of a request before any handler runs, and what handlers find out for its log
/// line.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) request_id: String,
    pub(crate) address: IpAddr,
    pub(crate) player: OnceLock<Uuid>,
}

/// The address of the client: of the connection, or as a trusted proxy tells it.
pub(crate) fn client_address(parts: &Parts, config: &Config) -> IpAddr {
    let told = config.trusted_proxy_header.as_ref().and_then(|name| {
        // Each proxy appends the address it saw; only the last one is our own proxy's word.
        let last = parts.headers.get_all(name).iter().next_back()?;
        last.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
    });
    let connection = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    told.or_else(|| connection.map(|info| info.0.ip()))
        .unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

fn context(parts: &Parts) -> Result<Arc<Context>, Failure> {
    let context = parts.extensions.get::<Arc<Context>>().cloned();
    context.ok_or_else(|| Failure::internal("a request without a context"))
}

/// Anybody, counted by address.
#[derive(Debug)]
pub(crate) struct Visitor {
    pub(crate) context: Arc<Context>,
}

impl Visitor {
    pub(crate) fn request<T>(&self, message: T) -> tonic::Request<T> {
        rpc::request(message, None, &self.context.request_id)
    }
}

impl FromRequestParts<Gateway> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        gateway: &Gateway,
    ) -> Result<Self, Self::Rejection> {
        let context = context(parts)?;
        gateway
            .limits()
            .anonymous
            .take(network(context.address), Instant::now())?;
        Ok(Self { context })
    }
}

/// The player who calls, proven by an access token.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) player: Uuid,
    pub(crate) context: Arc<Context>,
}

impl Caller {
    /// A call to a service for this player.
    pub(crate) fn request<T>(&self, message: T) -> tonic::Request<T> {
        rpc::request(message, Some(self.player), &self.context.request_id)
    }

    /// The same, for an answer that is a stream.
    pub(crate) fn stream_request<T>(&self, message: T) -> tonic::Request<T> {
        rpc::stream_request(message, Some(self.player), &self.context.request_id)
    }

    fn check(parts: &Parts, gateway: &Gateway, token: Option<&str>) -> Result<Self, Failure> {
        let context = context(parts)?;
        let missing = || {
            let detail = "expected the header Authorization: Bearer and an access token";
            Failure::new(ErrorCode::Unauthorized, detail)
        };
        let now = Instant::now();
        let limits = gateway.limits();
        let checked = token
            .ok_or_else(missing)
            .and_then(|t| gateway.tokens().check(t));
        let player = match checked {
            Ok(player) => player,
            Err(failure) => {
                limits.anonymous.take(network(context.address), now)?;
                return Err(failure);
            }
        };
        // Set once a request, here.
        let _ = context.player.set(player);
        if matches!(parts.method, Method::GET | Method::HEAD) {
            limits.reads.take(player, now)?;
        } else {
            limits.commands.take(player, now)?;
        }
        Ok(Self { player, context })
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

impl FromRequestParts<Gateway> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        gateway: &Gateway,
    ) -> Result<Self, Self::Rejection> {
        Ok(Self::check(parts, gateway, bearer(&parts.headers))?)
    }
}

/// As [`Caller`], for streams: a browser's `EventSource` cannot send headers, so the token may
/// also be in the query. It is never logged.
#[derive(Debug)]
pub(crate) struct StreamCaller(pub(crate) Caller);

#[derive(Deserialize)]
struct TokenQuery {
    access_token: Option<String>,
}

impl FromRequestParts<Gateway> for StreamCaller {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        gateway: &Gateway,
    ) -> Result<Self, Self::Rejection> {
        let query = AxumQuery::<TokenQuery>::try_from_uri(&parts.uri).ok();
        let in_query = query.and_then(|query| query.0.access_token);
        let token = bearer(&parts.headers).or(in_query.as_deref());
        Ok(Self(Caller::check(parts, gateway, token)?))
    }
}

/// As [`Caller`], for a WebSocket: a browser can set no header but the list of protocols, so the
/// token may be one of them, as `bearer.` and the token. It is kept, because it may expire while
/// the socket is open.
pub(crate) struct SocketCaller {
    pub(crate) caller: Caller,
    pub(crate) token: String,
}

fn protocol_token(headers: &HeaderMap) -> Option<&str> {
    let values = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    let mut protocols = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    protocols.find_map(|protocol| protocol.trim().strip_prefix("bearer."))
}

impl FromRequestParts<Gateway> for SocketCaller {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        gateway: &Gateway,
    ) -> Result<Self, Self::Rejection> {
        let token = bearer(&parts.headers).or_else(|| protocol_token(&parts.headers));
        let caller = Caller::check(parts, gateway, token)?;
        let token = token.unwrap_or_default().to_owned();
        Ok(Self { caller, token })
    }
}

/// A JSON body.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Gateway> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, gateway: &Gateway) -> Result<Self, Self::Rejection> {
        match axum::Json::<Object<T>>::from_request(request, gateway).await {
            Ok(axum::Json(Object(value))) => Ok(Self(value)),
            Err(rejection) => Err(refused(&rejection)),
        }
    }
}

pub(crate) fn refused(rejection: &JsonRejection) -> Problem {
    let (code, detail) = match rejection {
        JsonRejection::JsonDataError(_) => {
            let text = rejection.body_text();
            let reason = text
                .split_once("type: ")
                .map_or(text.as_str(), |(_, reason)| reason);
            (ErrorCode::InvalidBody, reason.to_owned())
        }
        JsonRejection::JsonSyntaxError(_) => (
            ErrorCode::BadRequest,
            "the body is not well-formed JSON".to_owned(),
        ),
        JsonRejection::MissingJsonContentType(_) => (
            ErrorCode::UnsupportedMediaType,
            "expected Content-Type: application/json".to_owned(),
        ),
        other if other.status() == 413 => (ErrorCode::TooLarge, "the body is too large".to_owned()),
        _ => (ErrorCode::BadRequest, "the body cannot be read".to_owned()),
    };
    Problem::new(code, detail)
}

/// The query of a URL.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Gateway> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Gateway) -> Result<Self, Self::Rejection> {
        let query = AxumQuery::<T>::try_from_uri(&parts.uri);
        match query {
            Ok(AxumQuery(value)) => Ok(Self(value)),
            Err(rejection) => {
                let text = rejection.body_text();
                let reason = text
                    .split_once(": ")
                    .map_or(text.as_str(), |(_, reason)| reason);
                Err(Problem::new(
                    ErrorCode::BadRequest,
                    format!("query: {reason}"),
                ))
            }
        }
    }
}

/// A page of a list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    cursor: Option<String>,
    limit: Option<u32>,
}

const CURSOR_BYTES_MAX: usize = 256;
const LIMIT_MAX: u32 = 100;
const LIMIT: u32 = 20;

impl Page {
    /// Cursor (empty: the first page) and number of items.
    ///
    /// # Errors
    /// When they are out of bounds.
    pub(crate) fn bounded(self) -> Result<(String, u32), Failure> {
        let cursor = self.cursor.unwrap_or_default();
        let limit = self.limit.unwrap_or(LIMIT);
        let refused = |detail: &str| Err(Failure::new(ErrorCode::BadRequest, detail));
        if cursor.len() > CURSOR_BYTES_MAX {
            return refused("cursor: expected what `next` of the last page gave");
        }
        if !(1..=LIMIT_MAX).contains(&limit) {
            return refused("limit: expected 1 to 100");
        }
        Ok((cursor, limit))
    }
}

/// The id in a path. What is no id names nothing, so the answer is that of a missing thing.
///
/// # Errors
/// `missing`.
pub(crate) fn id(text: &str, missing: ErrorCode) -> Result<Uuid, Failure> {
    // Only the usual form: one thing has one address.
    let id = Uuid::try_parse(text).ok().filter(|_| text.len() == 36);
    id.ok_or_else(|| Failure::new(missing, "there is nothing with this id"))
}

/// A name in a path, such as a ladder's: bounded before it goes anywhere.
///
/// # Errors
/// `missing`.
pub(crate) fn name(text: &str, missing: ErrorCode) -> Result<String, Failure> {
    let fits = (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    if fits {
        return Ok(text.to_owned());
    }
    Err(Failure::new(missing, "there is nothing with this name"))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn address(config: &Config, forwarded: &[&'static str]) -> IpAddr {
        let mut request = Request::new(());
        let peer = SocketAddr::from(([192, 0, 2, 7], 1));
        request.extensions_mut().insert(ConnectInfo(peer));
        for value in forwarded {
            let value = HeaderValue::from_static(value);
            request.headers_mut().append("x-forwarded-for", value);
        }
        client_address(&request.into_parts().0, config)
    }

    #[test]
    fn a_forwarded_address_counts_only_when_trusted_and_only_the_last() {
        let forwarded = ["198.51.100.1, 198.51.100.2", "198.51.100.3 , 2001:db8::1"];
        let peer: IpAddr = "192.0.2.7".parse().unwrap();
        assert_eq!(address(&Config::default(), &forwarded), peer);
        let trusting = Config {
            trusted_proxy_header: Some("x-forwarded-for".parse().unwrap()),
            ..Config::default()
        };
        assert_eq!(
            address(&trusting, &forwarded),
            "2001:db8::1".parse::<IpAddr>().unwrap()
        );
        assert_eq!(address(&trusting, &["unknown"]), peer);
        assert_eq!(address(&trusting, &[]), peer);
    }

    #[test]
    fn only_plain_ids_and_names_are_looked_up() {
        assert!(id("0193a1c4-7b8e-7c1d-9d53-0a4f3c1f2b7e", ErrorCode::NotFound).is_ok());
        for bad in [
            "",
            "x",
            "{0193a1c4-7b8e-7c1d-9d53-0a4f3c1f2b7e}",
            "0193a1c47b8e7c1d9d530a4f3c1f2b7e",
        ] {
            assert_eq!(
                id(bad, ErrorCode::TableNotFound).unwrap_err().code,
                ErrorCode::TableNotFound
            );
        }
        assert!(name("brixental-s1", ErrorCode::NotFound).is_ok());
        assert!(name("a/b", ErrorCode::NotFound).is_err());
    }
}
