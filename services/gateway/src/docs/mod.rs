//! What people read: the API at `/docs`, each error at `/problems/{code}`, made from the OpenAPI
//! document, and the rules of the games at `/rules`. The pages need no script and nothing from
//! elsewhere.

mod html;
mod page;
mod problems;
mod rules;

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::Path,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use chassis::ErrorCode;
use serde_json::Value;
use utoipa::openapi::OpenApi;

use crate::{Gateway, problem::Problem, web::PAGE_POLICY};

const STYLE: &str = include_str!("style.css");

/// The pages do not change while the program runs.
const CACHE: (HeaderName, HeaderValue) = (
    header::CACHE_CONTROL,
    HeaderValue::from_static("public, max-age=300"),
);
const POLICY: (HeaderName, HeaderValue) = (
    header::CONTENT_SECURITY_POLICY,
    HeaderValue::from_static(PAGE_POLICY),
);

pub(crate) fn routes(document: OpenApi) -> Router<Gateway> {
    let document = serde_json::to_value(document).unwrap_or_default();
    let page: Arc<str> = page::render(&document).into();
    let json: Arc<Value> = document.into();
    Router::new()
        .route("/v1/openapi.json", get(async move || ([CACHE], Json(json))))
        .route(
            "/docs",
            get(async move || ([CACHE, POLICY], Html(page.to_string()))),
        )
        .route("/docs/style.css", get(style))
        .route("/problems/{code}", get(problem))
        .merge(rules::routes())
}

async fn style() -> Response {
    let media_type = HeaderValue::from_static("text/css; charset=utf-8");
    ([CACHE, (header::CONTENT_TYPE, media_type)], STYLE).into_response()
}

/// What an error code means: a page for people, JSON for programs.
async fn problem(Path(code): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let code = ErrorCode::from_name(&code)
        .ok_or_else(|| Problem::new(ErrorCode::NotFound, "there is no such error code"))?;
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok());
    let vary = (header::VARY, HeaderValue::from_static("accept"));
    if accept.is_some_and(|accept| accept.contains("text/html")) {
        let page = page::problem(code, problems::meaning(code));
        return Ok(([CACHE, POLICY, vary], Html(page)).into_response());
    }
    let description = Json(serde_json::json!({
        "type": format!("/problems/{}", code.as_str()),
        "code": code.as_str(),
        "title": code.title(),
        "status": code.http_status(),
        "description": problems::meaning(code),
    }));
    Ok(([CACHE, vary], description).into_response())
}
