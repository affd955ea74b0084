//! Requests that create something, once for each `Idempotency-Key`.

use axum::{
    Json,
    body::{Bytes, to_bytes},
    extract::{FromRequest, Request},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chassis::{ErrorCode, Failure};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::{
    Gateway,
    extract::{self, Caller},
    idempotency::{Claim, Use},
    problem::Problem,
};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const KEY_CHARS_MAX: usize = 128;
const REPLAYED: (HeaderName, HeaderValue) = (
    HeaderName::from_static("idempotency-replayed"),
    HeaderValue::from_static("true"),
);

/// A JSON body, and what is needed to answer it once only.
#[derive(Debug)]
pub(crate) struct Creation<T> {
    pub(crate) body: T,
    key: Option<String>,
    fingerprint: [u8; 32],
}

impl<T: DeserializeOwned> FromRequest<Gateway> for Creation<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, gateway: &Gateway) -> Result<Self, Problem> {
        let key = key_of(request.headers())?;
        let (parts, body) = request.into_parts();
        let bytes = to_bytes(body, gateway.config().body_bytes_max).await;
        let bytes = bytes.map_err(|_| {
            let detail = "the body is too large or was cut off";
            Failure::new(ErrorCode::TooLarge, detail)
        })?;
        let fingerprint = fingerprint(parts.method.as_str(), parts.uri.path(), &bytes);
        let request = Request::from_parts(parts, bytes.into());
        let extract::Body(body) = extract::Body::from_request(request, gateway).await?;
        Ok(Self {
            body,
            key,
            fingerprint,
        })
    }
}

fn key_of(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let Some(value) = headers.get(KEY) else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default();
    let fits = (1..=KEY_CHARS_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_graphic());
    if !fits {
        let detail = "Idempotency-Key: expected 1 to 128 letters, digits and signs";
        return Err(Failure::new(ErrorCode::BadRequest, detail));
    }
    Ok(Some(text.to_owned()))
}

fn fingerprint(method: &str, path: &str, body: &Bytes) -> [u8; 32] {
    let hash = Sha256::new()
        .chain_update(method)
        .chain_update([0])
        .chain_update(path)
        .chain_update([0])
        .chain_update(body);
    hash.finalize().into()
}

/// What [`Creation`] knows apart from the body.
#[derive(Debug)]
pub(crate) struct Once {
    key: Option<String>,
    fingerprint: [u8; 32],
}

impl<T> Creation<T> {
    /// The body, and the rest.
    pub(crate) fn split(self) -> (T, Once) {
        let once = Once {
            key: self.key,
            fingerprint: self.fingerprint,
        };
        (self.body, once)
    }
}

/// Does `work` unless it was done for this key before; then the first answer is given again.
///
/// # Errors
/// Those of the work, and those of [`crate::idempotency::Keys::claim`].
pub(crate) async fn once<T, W>(
    gateway: &Gateway,
    caller: &Caller,
    once: Once,
    work: W,
) -> Result<Response, Problem>
where
    T: Serialize + Send + 'static,
    W: Future<Output = Result<T, Problem>> + Send + 'static,
{
    let Some(key) = once.key else {
        return Ok((StatusCode::CREATED, Json(work.await?)).into_response());
    };
    let used = Use {
        player: caller.player,
        key,
        fingerprint: once.fingerprint,
    };
    match gateway.idempotency().claim(&used).await? {
        Claim::Done { status, body } => {
            let status = StatusCode::from_u16(status).map_err(Failure::internal)?;
            Ok(([REPLAYED], answer(status, body)).into_response())
        }
        Claim::Work { claimed_ms } => {
            // A task of its own: a client that goes away in the middle comes back for the answer.
            let done = tokio::spawn(finish(gateway.clone(), used, claimed_ms, work));
            done.await.map_err(Failure::internal)?
        }
    }
}

async fn finish<T, W>(
    gateway: Gateway,
    used: Use,
    claimed_ms: i64,
    work: W,
) -> Result<Response, Problem>
where
    T: Serialize,
    W: Future<Output = Result<T, Problem>>,
{
    let keys = gateway.idempotency();
    let status = StatusCode::CREATED;
    match work.await {
        Ok(created) => {
            let body = serde_json::to_vec(&created).map_err(Failure::internal)?;
            // It is created: the client is told so even if a repetition will not be.
            let _ = keys.finish(&used, claimed_ms, status.as_u16(), &body).await;
            Ok(answer(status, body))
        }
        Err(problem) => {
            let _ = keys.release(&used, claimed_ms).await;
            Err(problem)
        }
    }
}

fn answer(status: StatusCode, body: Vec<u8>) -> Response {
    let media_type = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, media_type)], body).into_response()
}

/// A player's name, for services that keep it with a seat.
///
/// # Errors
/// When the account was erased.
pub(crate) async fn player_name(gateway: &Gateway, player: Uuid) -> Result<String, Failure> {
    Ok(gateway.accounts().caller(player).await?.name)
}
