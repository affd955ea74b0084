//! The web client's files, part of the program: the page at `/`, its files below `/web/`.

use std::{collections::HashMap, sync::LazyLock};

use axum::{
    Router,
    extract::Path,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use chassis::ErrorCode;
use sha2::{Digest as _, Sha256};

use crate::{Gateway, problem::Problem};

/// Pages load from their own origin only, run no inline script, and are framed by nobody.
pub(crate) const PAGE_POLICY: &str = "default-src 'self'; img-src 'self' data:; \
     style-src 'self'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'";

static LISTED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/web_files.rs"));

struct File {
    bytes: &'static [u8],
    media_type: &'static str,
    etag: HeaderValue,
}

static FILES: LazyLock<HashMap<&str, File>> = LazyLock::new(|| {
    let file = |&(path, bytes): &(&'static str, &'static [u8])| {
        let hash = hex::encode(&Sha256::digest(bytes)[..16]);
        let etag = HeaderValue::from_str(&format!("\"{hash}\"")).expect("hex is visible ASCII");
        let media_type = media_type(path);
        (
            path,
            File {
                bytes,
                media_type,
                etag,
            },
        )
    };
    LISTED.iter().map(file).collect()
});

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "ico" => "image/x-icon",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "mp3" => "audio/mpeg",
        "ogg" => "audio/ogg",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

pub(crate) fn routes() -> Router<Gateway> {
    Router::new()
        .route("/", get(index))
        .route("/web/{*path}", get(file))
}

async fn index(headers: HeaderMap) -> Result<Response, Problem> {
    answer("index.html", &headers)
}

async fn file(Path(path): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    answer(&path, &headers)
}

fn answer(path: &str, headers: &HeaderMap) -> Result<Response, Problem> {
    let file = FILES
        .get(path)
        .ok_or_else(|| Problem::new(ErrorCode::NotFound, "there is no such file"))?;
    let common = [
        (header::ETAG, file.etag.clone()),
        // Names do not change with contents, so a browser asks every time; mostly the answer
        // is 304.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(PAGE_POLICY),
        ),
    ];
    if matches_etag(headers, &file.etag) {
        return Ok((StatusCode::NOT_MODIFIED, common).into_response());
    }
    let media_type = HeaderValue::from_static(file.media_type);
    let response = (common, [(header::CONTENT_TYPE, media_type)], file.bytes);
    Ok(response.into_response())
}

/// Whether the client has what the tag stands for (`If-None-Match`, RFC 9110 13.1.2).
pub(crate) fn matches_etag(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let Ok(etag) = etag.to_str() else {
        return false;
    };
    let sent = headers.get_all(header::IF_NONE_MATCH).iter();
    sent.filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_media_type() {
        for path in FILES.keys() {
            assert_ne!(media_type(path), "application/octet-stream", "{path}");
        }
    }

    #[test]
    fn one_matching_tag_of_several_is_enough() {
        let etag = HeaderValue::from_static("\"58\"");
        let matches = |sent: &'static str| {
            let value = HeaderValue::from_static(sent);
            matches_etag(
                &HeaderMap::from_iter([(header::IF_NONE_MATCH, value)]),
                &etag,
            )
        };
        for good in ["\"58\"", "W/\"58\"", "\"57\", \"58\"", "*"] {
            assert!(matches(good), "{good}");
        }
        for bad in ["58", "\"5\"", "\"580\"", ""] {
            assert!(!matches(bad), "{bad}");
        }
    }
}
