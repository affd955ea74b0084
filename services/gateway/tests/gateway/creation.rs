//! Tickets and tables are created once for each `Idempotency-Key`.

use std::sync::atomic::Ordering;

use chassis::{ErrorCode, Failure};
use gateway::Rate;
use serde_json::json;

use crate::support::Spatz;

const KEY: &str = "idempotency-key";

#[tokio::test]
async fn a_repeated_creation_gets_the_first_answer() {
    let spatz = Spatz::start().await;
    let (anna, berta) = (spatz.guest("Anna").await, spatz.guest("Berta").await);
    let body = json!({"queue_id": "casual-brixental-4"});
    let create = |by| spatz.post("/v1/tickets", &body).by(by).header(KEY, "k1");
    let first = create(&anna).send().await.ok(201);
    let again = create(&anna).send().await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.header("content-type"), "application/json");
    assert_eq!(again.ok(201), first);
    assert_eq!(spatz.fakes.asked("create_ticket").len(), 1);
    // Keys are each player's own.
    assert_ne!(create(&berta).send().await.ok(201), first);
    // Without a key, each request creates.
    for _ in 0..2 {
        spatz
            .post("/v1/tickets", &body)
            .by(&anna)
            .send()
            .await
            .ok(201);
    }
    assert_eq!(spatz.fakes.asked("create_ticket").len(), 4);
}

#[tokio::test]
async fn a_key_is_for_one_request_only() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let ticket = json!({"queue_id": "casual-brixental-4"});
    spatz
        .post("/v1/tickets", &ticket)
        .by(&anna)
        .header(KEY, "k1")
        .send()
        .await
        .ok(201);
    let other = json!({"queue_id": "ranked-brixental-4"});
    let reused = spatz
        .post("/v1/tickets", &other)
        .by(&anna)
        .header(KEY, "k1")
        .send()
        .await;
    reused.problem(422, "command_id_reused");
    let table = json!({"ruleset": "brixental", "players": 4});
    let reused = spatz
        .post("/v1/tables", &table)
        .by(&anna)
        .header(KEY, "k1")
        .send()
        .await;
    reused.problem(422, "command_id_reused");
    for bad in ["", "a b", &"x".repeat(129)] {
        let refused = spatz
            .post("/v1/tickets", &ticket)
            .by(&anna)
            .header(KEY, bad)
            .send()
            .await;
        refused.problem(400, "bad_request");
    }
}

#[tokio::test]
async fn a_failed_creation_may_be_tried_again_with_its_key() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let body = json!({"queue_id": "casual-brixental-4"});
    let create = || {
        spatz
            .post("/v1/tickets", &body)
            .by(&anna)
            .header(KEY, "k1")
            .send()
    };
    let exists = Failure::new(ErrorCode::TicketExists, "there is one").with("ticket_id", "t1");
    spatz.fakes.set(|state| state.failure = Some(exists));
    let refused = create().await.problem(409, "ticket_exists");
    assert_eq!(refused["ticket_id"], "t1");
    spatz.fakes.set(|state| state.failure = None);
    create().await.ok(201);
}

#[tokio::test]
async fn a_creation_goes_on_when_its_client_goes_away() {
    let spatz = Spatz::with(|config| config.rates.player_commands = Rate::new(10_000, 1.0)).await;
    let anna = spatz.guest("Anna").await;
    let body = json!({"ruleset": "brixental", "players": 4});
    let create = || {
        spatz
            .post("/v1/tables", &body)
            .by(&anna)
            .header(KEY, "k1")
            .send()
    };
    spatz.fakes.hold.store(true, Ordering::SeqCst);
    let mut first = Box::pin(create());
    tokio::select! {
        answer = &mut first => panic!("answered while held: {answer:?}"),
        () = spatz.fakes.arrived.notified() => {}
    }
    drop(first);
    create().await.problem(409, "conflict");
    spatz.fakes.hold.store(false, Ordering::SeqCst);
    spatz.fakes.release.notify_one();
    let answer = loop {
        let answer = create().await;
        if answer.status != 409 {
            break answer;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(answer.header("idempotency-replayed"), "true");
    assert_eq!(answer.ok(201)["invite_code"], "K7QMXP");
    assert_eq!(spatz.fakes.asked("create_private_table").len(), 1);
}
