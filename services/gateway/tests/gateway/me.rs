//! The caller's own account.

use axum::http::Method;
use proto::v1::TicketState;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{messages, support::Spatz};

#[tokio::test]
async fn my_account_shows_my_live_ticket() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let me = spatz.get("/v1/me").by(&anna).send().await.ok(200);
    assert_eq!(me["id"], anna.id.to_string());
    assert_eq!(me["name"], "Anna");
    assert_eq!(me["ticket"], Value::Null);
    assert!(me["created_at"].as_str().unwrap().ends_with('Z'));

    let ticket = messages::ticket(messages::OTHER, TicketState::Waiting);
    spatz.fakes.set(|state| state.live_ticket = Some(ticket));
    let me = spatz.get("/v1/me").by(&anna).send().await.ok(200);
    let expected = json!({
        "id": messages::OTHER, "queue_id": "casual-brixental-4", "state": "waiting",
        "table_id": null, "created_at": "2026-11-30T09:20:06.123Z", "rating": 1200,
        "position": null, "expected_wait_seconds": null, "party": null, "reason": null,
    });
    assert_eq!(me["ticket"], expected);
    let asked = spatz.fakes.asked("get_live_ticket").pop().unwrap();
    assert_eq!(asked.player, Some(anna.id));
}

#[tokio::test]
async fn a_name_can_be_changed() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let patch = |body: Value| spatz.call(Method::PATCH, "/v1/me").json(&body).by(&anna);
    let me = patch(json!({"name": " Berta  B. "})).send().await.ok(200);
    assert_eq!(me["name"], "Berta B.");
    patch(json!({"name": "x".repeat(25)}))
        .send()
        .await
        .problem(422, "invalid_body");
    patch(json!({"name": null}))
        .send()
        .await
        .problem(422, "invalid_body");
    let player = spatz
        .get(&format!("/v1/players/{}", anna.id))
        .send()
        .await
        .ok(200);
    assert_eq!(player, json!({"id": anna.id, "name": "Berta B."}));
}

#[tokio::test]
async fn an_erased_account_is_gone_but_for_its_id() {
    let spatz = Spatz::start().await;
    let device = json!({"device_id": Uuid::new_v4(), "display_name": "Anna"});
    let signed_in = spatz.post("/v1/auth/guest", &device).send().await.ok(201);
    let anna = crate::support::guest(&signed_in);
    let ticket = messages::ticket(messages::OTHER, TicketState::Waiting);
    spatz.fakes.set(|state| {
        state.live_ticket = Some(ticket);
        state.summary = Some(messages::summary(&[(anna.id, "Anna")]));
    });
    spatz
        .call(Method::DELETE, "/v1/me")
        .by(&anna)
        .send()
        .await
        .ok(204);
    assert_eq!(spatz.fakes.asked("cancel_ticket").len(), 1);

    // The access token is still valid, but it is nobody's.
    spatz
        .get("/v1/me")
        .by(&anna)
        .send()
        .await
        .problem(401, "unauthorized");
    let table = json!({"ruleset": "brixental", "players": 4});
    spatz
        .post("/v1/tables", &table)
        .by(&anna)
        .send()
        .await
        .problem(401, "unauthorized");
    let body = json!({"refresh_token": anna.refresh});
    spatz
        .post("/v1/auth/refresh", &body)
        .send()
        .await
        .problem(401, "unauthorized");
    let player = spatz
        .get(&format!("/v1/players/{}", anna.id))
        .send()
        .await
        .ok(200);
    assert_eq!(player["name"], "deleted player");
    let path = format!("/v1/players/{}/matches", anna.id);
    let matches = spatz.get(&path).send().await;
    assert!(!matches.text.contains("Anna"), "{}", matches.text);
    // The device starts anew.
    let again = spatz.post("/v1/auth/guest", &device).send().await.ok(201);
    assert_ne!(again["player"]["id"], anna.id.to_string());
}

#[tokio::test]
async fn erasure_does_not_depend_on_matchmaking() {
    let spatz = Spatz::alone().await;
    let anna = spatz.guest("Anna").await;
    spatz
        .call(Method::DELETE, "/v1/me")
        .by(&anna)
        .send()
        .await
        .ok(204);
}

#[tokio::test]
async fn an_export_has_everything_that_is_kept() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    spatz
        .fakes
        .set(|state| state.summary = Some(messages::summary(&[(anna.id, "Old name")])));
    let export = spatz.get("/v1/me/export").by(&anna).send().await;
    assert!(!export.text.contains(&anna.refresh));
    let export = export.ok(200);
    assert_eq!(export["account"]["name"], "Anna");
    assert_eq!(export["devices"].as_array().unwrap().len(), 1);
    assert_eq!(export["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(export["sign_in_traces"].as_array().unwrap().len(), 1);
    assert_eq!(export["blocks"], json!([]));
    assert_eq!(export["ratings"][0]["rating"], 1213);
    // Both pages.
    assert_eq!(export["matches"].as_array().unwrap().len(), 2);
    assert_eq!(export["matches"][0]["seats"][0]["name"], "Anna");
    assert_eq!(export["matches_next"], Value::Null);
}
