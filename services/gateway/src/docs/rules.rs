//! The rules of the games for players, at `/rules/{language}/{id}`. `build.rs` renders them from
//! the Markdown in `docs/rules`; the ids are those of the rule sets, and `cards` for what all
//! games share.

use std::fmt::Write as _;

use axum::{
    Router,
    extract::Path,
    response::{Html, IntoResponse as _, Response},
    routing::get,
};
use chassis::ErrorCode;
use rules::RULE_SETS;

use super::{
    CACHE, POLICY,
    html::{self, escape},
};
use crate::{Gateway, problem::Problem};

/// A page of rules. The overview has neither language nor id.
struct Page {
    language: &'static str,
    id: &'static str,
    title: &'static str,
    body: &'static str,
}

static PAGES: &[Page] = include!(concat!(env!("OUT_DIR"), "/rules_pages.rs"));

fn find(language: &str, id: &str) -> Option<&'static Page> {
    PAGES
        .iter()
        .find(|page| page.language == language && page.id == id)
}

pub(super) fn routes() -> Router<Gateway> {
    Router::new()
        .route("/rules", get(async || answer("", "")))
        .route("/rules/{language}/{id}", get(page))
}

async fn page(Path((language, id)): Path<(String, String)>) -> Result<Response, Problem> {
    answer(&language, &id)
}

fn answer(language: &str, id: &str) -> Result<Response, Problem> {
    let page = find(language, id)
        .ok_or_else(|| Problem::new(ErrorCode::NotFound, "there is no such page of rules"))?;
    Ok(([CACHE, POLICY], Html(render(page))).into_response())
}

fn render(page: &Page) -> String {
    let body = format!(
        "<nav class=\"games\">{}</nav><main class=\"rules\">{}</main>",
        navigation(page),
        page.body
    );
    // The overview is in both languages, English first.
    let language = if page.language.is_empty() {
        "en"
    } else {
        page.language
    };
    html::page(language, &format!("{} · Spatz", page.title), &body)
}

/// The same page in the other language, and all pages in this one.
fn navigation(page: &Page) -> String {
    let mut out = String::new();
    let (name, play) = match page.language {
        "de" => ("English", "Spielen"),
        _ => ("Deutsch", "Play"),
    };
    let translation = PAGES
        .iter()
        .find(|other| other.id == page.id && other.language != page.language);
    if let Some(other) = translation {
        let language = other.language;
        let _ = write!(
            out,
            "<p class=\"language\"><a href=\"/rules/{language}/{}\" hreflang=\"{language}\" \
             lang=\"{language}\">{name}</a></p>",
            escape(other.id)
        );
    }
    out.push_str("<ul>");
    // What all share comes first, then the games in the order of their list.
    let ids = ["cards"]
        .into_iter()
        .chain(RULE_SETS.iter().map(|set| set.id));
    let pages = ids.filter_map(|id| find(page.language, id));
    for other in pages {
        let current = if other.id == page.id {
            " aria-current=\"page\""
        } else {
            ""
        };
        let _ = write!(
            out,
            "<li><a href=\"/rules/{}/{}\"{current}>{}</a></li>",
            other.language,
            escape(other.id),
            escape(other.title)
        );
    }
    let _ = write!(out, "<li><a href=\"/\">{play}</a></li></ul>");
    out
}
