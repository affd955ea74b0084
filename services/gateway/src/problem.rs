//! Errors as clients see them: RFC 9457 `application/problem+json`, always.
//!
//! A handler fails with a [`Problem`], which only carries the failure. The outermost layer writes
//! the body ([`render`]), because it knows the request's id, and because it also meets the errors
//! that no handler made: a path that is not there, a body that is too large, a panic.

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chassis::{ErrorCode, Failure};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// The media type of an error.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";
const DETAIL_CHARS_MAX: usize = 300;
const RETRY_SECONDS: &str = "retry_after_seconds";
/// Parameters that are numbers in JSON. All others are text.
const NUMBERS: [&str; 2] = ["version", RETRY_SECONDS];

/// What went wrong (RFC 9457). Some codes add members of their own, such as `version`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody {
    /// `/problems/` and the code: a page that says more.
    #[serde(rename = "type")]
    #[schema(example = "/problems/not_your_turn")]
    kind: String,
    /// The same for every occurrence.
    title: String,
    status: u16,
    /// What went wrong this time.
    detail: String,
    /// Id of the request, also in the header `x-request-id`.
    instance: String,
    /// Stable; programs decide by it.
    #[schema(example = "not_your_turn")]
    code: &'static str,
    /// Members that depend on the code.
    #[serde(flatten)]
    #[schema(additional_properties)]
    params: Map<String, Value>,
}

/// A failure on its way out of a handler.
#[derive(Debug)]
pub(crate) struct Problem(Box<Failure>);

impl<F: Into<Failure>> From<F> for Problem {
    fn from(failure: F) -> Self {
        Self(Box::new(failure.into()))
    }
}

impl Problem {
    pub(crate) fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Failure::new(code, detail).into()
    }

    pub(crate) fn status(&self) -> StatusCode {
        status_of(self.code())
    }

    pub(crate) const fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The problem as JSON, where it is no response of its own.
    pub(crate) fn body(self, request_id: &str) -> ProblemBody {
        body_of(*self.0, request_id)
    }
}

/// Marks a response whose body is still to be written.
#[derive(Clone)]
struct Pending(Box<Failure>);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = status_of(self.0.code);
        let mut response = status.into_response();
        response.extensions_mut().insert(Pending(self.0));
        response
    }
}

fn status_of(code: ErrorCode) -> StatusCode {
    StatusCode::from_u16(code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The failure behind an error that no handler of ours made.
fn failure_of(status: StatusCode) -> Failure {
    let (code, detail) = match status {
        StatusCode::NOT_FOUND => (ErrorCode::NotFound, "there is nothing at this path"),
        StatusCode::METHOD_NOT_ALLOWED => (
            ErrorCode::MethodNotAllowed,
            "this path does not have this method; the header Allow lists those it has",
        ),
        StatusCode::PAYLOAD_TOO_LARGE => (ErrorCode::TooLarge, "the body is too large"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            (ErrorCode::UnsupportedMediaType, "expected application/json")
        }
        status if status.is_client_error() => {
            (ErrorCode::BadRequest, "this request cannot be understood")
        }
        _ => (ErrorCode::Internal, "the server failed to answer"),
    };
    Failure::new(code, detail)
}

/// What a client is told of a failure.
fn body_of(failure: Failure, request_id: &str) -> ProblemBody {
    let code = failure.code;
    ProblemBody {
        kind: format!("/problems/{}", code.as_str()),
        title: code.title(),
        status: code.http_status(),
        detail: failure.detail.chars().take(DETAIL_CHARS_MAX).collect(),
        instance: request_id.to_owned(),
        code: code.as_str(),
        params: params_of(failure),
    }
}

/// Writes the body of an error. Other responses stay as they are.
pub(crate) fn render(mut response: Response, request_id: &str) -> Response {
    let pending = response.extensions_mut().remove::<Pending>();
    let failure = match pending {
        Some(Pending(failure)) => *failure,
        None if response.status().is_client_error() || response.status().is_server_error() => {
            failure_of(response.status())
        }
        None => return response,
    };
    let code = failure.code;
    *response.status_mut() = status_of(code);
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    if code.http_status() == 401 {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if matches!(code.http_status(), 429 | 503) {
        let seconds = failure
            .params
            .get(RETRY_SECONDS)
            .and_then(|s| s.parse::<u32>().ok());
        headers.insert(header::RETRY_AFTER, seconds.unwrap_or(1).into());
    }
    let body = body_of(failure, request_id);
    let bytes = serde_json::to_vec(&body).unwrap_or_default();
    *response.body_mut() = Body::from(bytes);
    response
}

fn params_of(failure: Failure) -> Map<String, Value> {
    let reserved = ["type", "title", "status", "detail", "instance", "code"];
    let params = failure.params.into_iter();
    params
        .filter(|(name, _)| !reserved.contains(&name.as_str()))
        .map(|(name, value)| {
            let number = NUMBERS
                .contains(&name.as_str())
                .then(|| value.parse::<u64>().ok());
            let value = number.flatten().map_or_else(|| json!(value), Value::from);
            (name, value)
        })
        .collect()
}

/// The header with the request's id, in requests and in responses.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

#[cfg(test)]
mod tests {
    use super::*;

    async fn body(response: Response) -> Value {
        let bytes = axum::body::to_bytes(response.into_body(), 10_000)
            .await
            .unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    #[tokio::test]
    async fn a_failure_keeps_its_parameters_but_not_over_standard_members() {
        let failure = Failure::new(ErrorCode::StaleVersion, "d".repeat(1000))
            .with("version", 58)
            .with("lowest", "66")
            .with("status", "200");
        let response = render(Problem::from(failure).into_response(), "r1");
        assert_eq!(response.status(), 409);
        assert_eq!(response.headers()[header::CONTENT_TYPE], MEDIA_TYPE);
        let body = body(response).await;
        assert_eq!(body["version"], 58);
        assert_eq!(body["lowest"], "66");
        assert_eq!(body["status"], 409);
        assert_eq!(body["instance"], "r1");
        assert_eq!(body["type"], "/problems/stale_version");
        assert_eq!(body["title"], "Stale version");
        assert_eq!(body["detail"].as_str().unwrap().len(), DETAIL_CHARS_MAX);
    }

    #[tokio::test]
    async fn a_bare_error_becomes_a_problem_and_a_success_stays() {
        let bare = StatusCode::IM_A_TEAPOT.into_response();
        let response = render(bare, "r1");
        assert_eq!(response.status(), 400);
        assert_eq!(body(response).await["code"], "bad_request");
        let ok = render((StatusCode::OK, "fine").into_response(), "r1");
        assert_eq!(
            ok.headers()[header::CONTENT_TYPE],
            "text/plain; charset=utf-8"
        );
    }
}
