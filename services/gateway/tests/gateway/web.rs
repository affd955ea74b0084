//! The web client and the pages for developers.

use crate::support::Spatz;

const POLICY: &str = "default-src 'self'; img-src 'self' data:; style-src 'self'; \
     script-src 'self'; frame-ancestors 'none'; base-uri 'none'";

#[tokio::test]
async fn the_page_and_its_files_are_part_of_the_program() {
    let spatz = Spatz::start().await;
    let page = spatz.get("/").send().await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(page.header("content-security-policy"), POLICY);
    assert_eq!(page.header("cache-control"), "no-cache");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert!(page.text.contains("Spatz"));
    // Whatever the page loads is there.
    let quoted = page
        .text
        .split('"')
        .filter(|part| part.starts_with("/web/"));
    for file in quoted {
        let answer = spatz.get(file).send().await;
        assert_eq!(answer.status, 200, "{file}");
        let kind = match file.rsplit('.').next().unwrap() {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "svg" => "image/svg+xml",
            other => panic!("{other}"),
        };
        assert_eq!(answer.header("content-type"), kind);
    }
}

#[tokio::test]
async fn an_unchanged_file_is_not_sent_again() {
    let spatz = Spatz::start().await;
    let page = spatz.get("/").send().await;
    let etag = page.header("etag");
    let same = spatz.get("/").header("if-none-match", etag).send().await;
    assert_eq!(same.header("etag"), etag);
    assert_eq!(same.header("cache-control"), "no-cache");
    assert_eq!(same.ok(304), serde_json::Value::Null);
}

#[tokio::test]
async fn the_documentation_needs_nothing_from_elsewhere() {
    let spatz = Spatz::start().await;
    let page = spatz.get("/docs").send().await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-security-policy"), POLICY);
    assert!(page.text.contains("/v1/tables/{id}/actions"));
    let style = spatz.get("/docs/style.css").send().await;
    assert_eq!(style.status, 200);
    assert_eq!(style.header("content-type"), "text/css; charset=utf-8");
}

#[tokio::test]
async fn health_is_told() {
    let spatz = Spatz::start().await;
    spatz.get("/healthz").send().await.ok(200);
    spatz.get("/readyz").send().await.ok(200);
    spatz.store.db.pool.close().await;
    spatz.get("/healthz").send().await.ok(200);
    spatz.get("/readyz").send().await.ok(200);
}

#[tokio::test]
async fn who_never_reached_the_accounts_is_not_ready() {
    let spatz = Spatz::start().await;
    spatz.store.db.pool.close().await;
    spatz.get("/healthz").send().await.ok(200);
    spatz
        .get("/readyz")
        .send()
        .await
        .problem(503, "unavailable");
}
