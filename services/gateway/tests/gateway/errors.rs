//! Every error is a problem, whoever made it.

use axum::http::Method;
use chassis::{ErrorCode, Failure};
use gateway::Rate;
use serde_json::{Value, json};

use crate::{messages::TABLE, support::Spatz};

#[tokio::test]
async fn every_failure_of_a_service_reaches_the_client() {
    let spatz = Spatz::with(|config| config.rates.player_reads = Rate::new(1000, 1.0)).await;
    let anna = spatz.guest("Anna").await;
    for &code in ErrorCode::ALL {
        let failure = Failure::new(code, "what happened").with("version", 58);
        spatz.fakes.set(|state| state.failure = Some(failure));
        let answer = spatz
            .get(&format!("/v1/tables/{TABLE}"))
            .by(&anna)
            .send()
            .await;
        let retry = answer.header("retry-after").to_owned();
        let body = answer.problem(code.http_status(), code.as_str());
        assert_eq!(body["detail"], "what happened");
        assert_eq!(body["version"], 58);
        let passing = matches!(code.http_status(), 429 | 503);
        assert_eq!(retry, if passing { "1" } else { "" });
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_are_problems() {
    let spatz = Spatz::start().await;
    for path in [
        "/nothing",
        "/v1/nothing",
        "/web/nothing.js",
        "/web/../Cargo.toml",
        "/problems/x",
    ] {
        spatz.get(path).send().await.problem(404, "not_found");
    }
    let answer = spatz.call(Method::PUT, "/v1/me").send().await;
    let allow = answer.header("allow").to_owned();
    assert!(allow.contains("GET") && allow.contains("PATCH"), "{allow}");
    answer.problem(405, "method_not_allowed");
}

#[tokio::test]
async fn ids_that_are_none_name_nothing() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    for (path, code) in [
        ("/v1/tables/x", "table_not_found"),
        ("/v1/tables/x/events", "table_not_found"),
        ("/v1/tickets/x", "ticket_not_found"),
        ("/v1/tickets/x/events", "ticket_not_found"),
        ("/v1/matches/x", "not_found"),
        ("/v1/matches/x/replay", "not_found"),
        ("/v1/players/x", "not_found"),
        (
            "/v1/players/0193a1c4-7b8e-7c1d-9d53-0a4f3c1f2b7e",
            "not_found",
        ),
        (
            "/v1/players/0193a1c4-7b8e-7c1d-9d53-0a4f3c1f2b7e/ratings",
            "not_found",
        ),
        ("/v1/ladders/a%2Fb/standings", "not_found"),
    ] {
        spatz.get(path).by(&anna).send().await.problem(404, code);
    }
    assert!(spatz.fakes.asked("get_table").is_empty());
    let body = json!({"queue_id": "no such queue"});
    let answer = spatz.post("/v1/tickets", &body).by(&anna).send().await;
    answer.problem(404, "queue_not_found");
}

#[tokio::test]
async fn bodies_must_be_small_well_formed_json_of_the_right_shape() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    for path in ["/v1/tickets", "/v1/tables/join"] {
        let post = |body: String| {
            let call = spatz.call(Method::POST, path).by(&anna).text(body);
            call.header("content-type", "application/json").send()
        };
        post("{".to_owned()).await.problem(400, "bad_request");
        post(String::new()).await.problem(400, "bad_request");
        post("[]".to_owned()).await.problem(422, "invalid_body");
        post("{}".to_owned()).await.problem(422, "invalid_body");
        let wrong = post(r#"{"queue_id":7,"invite_code":7}"#.to_owned()).await;
        wrong.problem(422, "invalid_body");
        let unknown = r#"{"queue_id":"q","invite_code":"K7QMXP","more":1}"#;
        let unknown = post(unknown.to_owned()).await.problem(422, "invalid_body");
        assert!(
            unknown["detail"]
                .as_str()
                .unwrap()
                .contains("unknown field"),
            "{unknown}"
        );
        let large = json!({"invite_code": "x".repeat(64 * 1024)}).to_string();
        post(large).await.problem(413, "too_large");
        let text = spatz
            .call(Method::POST, path)
            .by(&anna)
            .text("{}")
            .send()
            .await;
        text.problem(415, "unsupported_media_type");
    }
}

#[tokio::test]
async fn queries_are_checked() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    for query in ["limit=0", "limit=101", "limit=x", "page=2"] {
        let path = format!("/v1/players/{}/matches?{query}", anna.id);
        spatz.get(&path).send().await.problem(400, "bad_request");
    }
    let long = "x".repeat(257);
    let path = format!("/v1/ladders/brixental-s1/standings?cursor={long}");
    spatz.get(&path).send().await.problem(400, "bad_request");
    let path = format!("/v1/ladders/brixental-s1/around/{}?span=51", anna.id);
    spatz.get(&path).send().await.problem(400, "bad_request");
    let many = vec![anna.id.to_string(); 101].join(",");
    for players in ["", "players=", "players=x", &format!("players={many}")] {
        let path = format!("/v1/ladders/brixental-s1/among?{players}");
        spatz.get(&path).send().await.problem(400, "bad_request");
    }
}

#[tokio::test]
async fn a_service_that_does_not_answer_is_a_timeout() {
    let patience = std::time::Duration::from_millis(50);
    let spatz = Spatz::with(|config| config.request_timeout = patience).await;
    spatz.fakes.set(|state| state.silent = true);
    let answer = spatz.get("/v1/queues").send().await;
    answer.problem(504, "timeout");
}

#[tokio::test]
async fn a_service_that_is_not_there_is_unavailable() {
    let spatz = Spatz::alone().await;
    let answer = spatz.get("/v1/queues").send().await;
    assert_eq!(answer.header("retry-after"), "1");
    answer.problem(503, "unavailable");
}

#[tokio::test]
async fn a_broken_message_of_a_service_is_our_fault() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let mut view = crate::messages::view();
    view.deal.as_mut().unwrap().hand.push(99);
    spatz.fakes.set(|state| state.view = Some(view));
    let answer = spatz
        .get(&format!("/v1/tables/{TABLE}"))
        .by(&anna)
        .send()
        .await;
    let body = answer.problem(500, "internal");
    assert_eq!(body["detail"], "the server failed to answer");
}

#[tokio::test]
async fn players_and_strangers_are_limited() {
    let spatz = Spatz::with(|config| {
        config.rates.player_commands = Rate::new(1, 0.0);
        config.rates.player_reads = Rate::new(2, 0.0);
        config.rates.address_anonymous = Rate::new(3, 0.0);
    })
    .await;
    let (anna, berta) = (spatz.guest("Anna").await, spatz.guest("Berta").await);
    let body = json!({"queue_id": "casual-brixental-4"});
    let create = |by| spatz.post("/v1/tickets", &body).by(by).send();
    create(&anna).await.ok(201);
    let refused = create(&anna).await;
    assert_eq!(refused.header("retry-after"), "3600");
    refused.problem(429, "rate_limited");
    create(&berta).await.ok(201);

    spatz.get("/v1/me").by(&anna).send().await.ok(200);
    spatz.get("/v1/me").by(&anna).send().await.ok(200);
    spatz
        .get("/v1/me")
        .by(&anna)
        .send()
        .await
        .problem(429, "rate_limited");

    spatz.get("/v1/queues").send().await.ok(200);
    spatz.get("/v1/ladders").send().await.ok(200);
    spatz
        .get("/v1/me")
        .send()
        .await
        .problem(401, "unauthorized");
    spatz
        .get("/v1/me")
        .send()
        .await
        .problem(429, "rate_limited");
    spatz
        .get("/v1/queues")
        .send()
        .await
        .problem(429, "rate_limited");
}

#[tokio::test]
async fn a_request_keeps_its_id_all_the_way() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let path = format!("/v1/tables/{TABLE}");
    let answer = spatz
        .get(&path)
        .by(&anna)
        .header("x-request-id", "abc-1")
        .send()
        .await;
    assert_eq!(answer.header("x-request-id"), "abc-1");
    let asked = spatz.fakes.asked("get_table").pop().unwrap();
    assert_eq!(
        (asked.request_id.as_str(), asked.player),
        ("abc-1", Some(anna.id))
    );
    let answer = spatz
        .get(&path)
        .by(&anna)
        .header("x-request-id", "a b")
        .send()
        .await;
    let made = answer.header("x-request-id").to_owned();
    assert_eq!(made.len(), 36);
    assert_eq!(
        spatz.fakes.asked("get_table").pop().unwrap().request_id,
        made
    );
}

#[tokio::test]
async fn responses_protect_browsers_and_are_not_kept() {
    let spatz = Spatz::start().await;
    for path in ["/v1/queues", "/v1/me", "/nothing"] {
        let answer = spatz.get(path).send().await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert!(
            answer
                .header("content-security-policy")
                .starts_with("default-src 'none'")
        );
        assert_eq!(answer.header("access-control-allow-origin"), "");
    }
}

#[tokio::test]
async fn only_listed_origins_may_call_from_a_page() {
    let spatz = Spatz::with(|config| {
        config.cors_origins = vec!["https://app.example".parse().unwrap()];
    })
    .await;
    let preflight = |origin: &'static str| {
        spatz
            .call(Method::OPTIONS, "/v1/me")
            .header("origin", origin)
            .header("access-control-request-method", "PATCH")
            .header(
                "access-control-request-headers",
                "authorization,content-type",
            )
            .send()
    };
    let allowed = preflight("https://app.example").await;
    assert_eq!(allowed.status, 200);
    assert_eq!(
        allowed.header("access-control-allow-origin"),
        "https://app.example"
    );
    assert_eq!(allowed.header("access-control-allow-methods"), "PATCH");
    assert_eq!(
        allowed.header("access-control-allow-headers"),
        "authorization,content-type"
    );
    assert_eq!(allowed.header("access-control-allow-credentials"), "");
    let refused = preflight("https://other.example").await;
    assert_eq!(refused.header("access-control-allow-origin"), "");
    // Errors can be read by the page, too.
    let answer = spatz
        .get("/v1/me")
        .header("origin", "https://app.example")
        .send()
        .await;
    assert_eq!(
        answer.header("access-control-allow-origin"),
        "https://app.example"
    );
    answer.problem(401, "unauthorized");
}

#[tokio::test]
async fn every_code_has_a_page() {
    let spatz = Spatz::start().await;
    for &code in ErrorCode::ALL {
        let path = format!("/problems/{}", code.as_str());
        let json: Value = spatz.get(&path).send().await.ok(200);
        assert_eq!(json["type"], path);
        assert_eq!(json["status"], code.http_status());
        assert!(json["description"].as_str().unwrap().len() > 20);
        let html = spatz
            .get(&path)
            .header("accept", "text/html,*/*;q=0.8")
            .send()
            .await;
        assert_eq!(html.header("content-type"), "text/html; charset=utf-8");
        assert!(html.text.contains(code.as_str()));
    }
}
