//! The outermost layer: every request gets an id, a time limit and one log line; every error
//! becomes a problem; every response gets the headers that protect browsers.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, OnceLock},
};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use chassis::{ErrorCode, Failure};
use futures::FutureExt as _;
use tokio::time::{Instant, timeout};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::{
    Gateway,
    extract::{Context, client_address},
    metrics,
    problem::{self, Problem, REQUEST_ID},
};

const REQUEST_ID_CHARS_MAX: usize = 64;

/// Nothing but JSON comes from the API, so nothing of it may be loaded or framed by a page.
const API_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Runs a request.
pub(crate) async fn shell(
    State(gateway): State<Gateway>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let (mut parts, body) = request.into_parts();
    let context = Arc::new(Context {
        request_id: request_id(parts.headers.get(REQUEST_ID)),
        address: client_address(&parts, gateway.config()),
        player: OnceLock::new(),
    });
    parts.extensions.insert(Arc::clone(&context));
    let method = parts.method.clone();
    let route = parts.extensions.get::<MatchedPath>().cloned();

    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let span = metrics::request_span(&method, route, &context.request_id);

    let run = next.run(Request::from_parts(parts, body));
    let run = AssertUnwindSafe(run.instrument(span.clone())).catch_unwind();
    let response = match timeout(gateway.config().request_timeout, run).await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => Problem::from(Failure::internal("a handler panicked")).into_response(),
        Err(_) => Problem::new(ErrorCode::Timeout, "the answer took too long").into_response(),
    };
    let mut response = problem::render(response, &context.request_id);
    add_headers(&mut response, &context.request_id);

    let status = response.status();
    let took = started.elapsed();
    metrics::answered(&method, route, status, took);
    span.record("http.response.status_code", status.as_u16());
    let _in_span = span.enter();
    tracing::info!(
        %method,
        route,
        status = status.as_u16(),
        ms = (took.as_secs_f64() * 10_000.0).round() / 10.0,
        request_id = context.request_id,
        player = context.player.get().map(tracing::field::display),
        "request"
    );
    response
}

/// The client's id for the request when it is harmless, else a new one.
fn request_id(sent: Option<&HeaderValue>) -> String {
    let harmless = |text: &&str| {
        (1..=REQUEST_ID_CHARS_MAX).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    let sent = sent.and_then(|value| value.to_str().ok()).filter(harmless);
    sent.map_or_else(|| Uuid::now_v7().to_string(), str::to_owned)
}

fn add_headers(response: &mut Response, request_id: &str) {
    // Hands and tokens are nobody's to keep; what may be kept says so itself.
    let cacheable = response.status() == StatusCode::NOT_MODIFIED;
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert(REQUEST_ID, id);
    }
    let mut default = |name: HeaderName, value: &'static str| {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    };
    default(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    default(header::REFERRER_POLICY, "no-referrer");
    default(header::CONTENT_SECURITY_POLICY, API_POLICY);
    if !cacheable {
        default(header::CACHE_CONTROL, "no-store");
    }
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, middleware::from_fn_with_state, routing::get};
    use chassis::{rpc, testing};
    use tokio_util::sync::CancellationToken;
    use tower::ServiceExt as _;

    use super::*;
    use crate::{Channels, Config, SigningKey};

    #[tokio::test]
    async fn a_panic_is_a_problem_with_the_request_id() {
        let store = testing::sqlite().await;
        let (_, channel) = rpc::in_process();
        let channels = Channels {
            game: channel.clone().into(),
            matchmaking: channel.clone(),
            ranking: channel,
        };
        let key = SigningKey::generate().unwrap();
        let shutdown = CancellationToken::new();
        let db = store.db.clone();
        let gateway = Gateway::new(db, key, channels, Config::default(), shutdown);
        let fall: fn() -> &'static str = || panic!("a secret");
        let router: Router = Router::new()
            .route("/panic", get(async move || fall()))
            .layer(from_fn_with_state(gateway, shell));
        let request = Request::get("/panic").header(REQUEST_ID, "r1");
        let request = request.body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), 500);
        let body = axum::body::to_bytes(response.into_body(), 10_000)
            .await
            .unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(body.contains(r#""code":"internal""#) && body.contains(r#""instance":"r1""#));
        assert!(!body.contains("secret"), "{body}");
    }

    #[test]
    fn a_harmless_request_id_is_kept_and_any_other_replaced() {
        let of = |text: &str| request_id(Some(&HeaderValue::from_str(text).unwrap()));
        assert_eq!(of("abc-1.2_3"), "abc-1.2_3");
        for bad in ["", "a b", "a\"b", &"x".repeat(65)] {
            assert_ne!(of(bad), bad);
        }
        assert!(request_id(None).parse::<Uuid>().is_ok());
    }
}
