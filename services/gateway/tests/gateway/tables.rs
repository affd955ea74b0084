//! Tables: the view as documented, actions, opening and joining.

use axum::http::Method;
use chassis::{ErrorCode, Failure};
use proto::v1::Card;
use serde_json::{Value, json};

use crate::{
    messages::{self, OTHER, TABLE},
    support::Spatz,
};

fn seat(seat: u32, occupant: &Value) -> Value {
    json!({
        "seat": seat, "occupant": occupant, "ready": true, "away": seat == 2, "left": false,
        "score": i64::from(seat) - 1, "cards": 8, "tricks": 1, "bank_seconds": 60.0,
    })
}

pub(crate) fn score() -> Value {
    json!({
        "number": 1, "dealer": 0,
        "declarer": {
            "seat": 1, "contract": "look_in", "card_points": 75, "tricks": 5, "made": true,
            "trump": "hearts", "doubled_by": null, "redoubled": false, "value": 15, "spatz": [], "talon": ["E6", "G6", "H7", "S7"],
            "discards": ["E6", "G6", "S6", "S7"],
        },
        "points": [0, 15, 0, 0], "totals": [0, 15, 0, 0], "counted": true,
        "stake": 0, "pot": 0,
    })
}

pub(crate) fn rules() -> Value {
    json!({
        "ruleset": "brixental", "version": 1, "players": 4,
        "options": {"length": "rounds(2)", "max_rounds": 12, "spatz_multiplied": false},
    })
}

#[tokio::test]
async fn a_view_looks_as_documented() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    spatz.fakes.set(|state| state.view = Some(messages::view()));
    let answer = spatz
        .get(&format!("/v1/tables/{TABLE}"))
        .by(&anna)
        .send()
        .await;
    assert_eq!(answer.header("etag"), "\"57\"");
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let expected = json!({
        "id": TABLE, "version": 57, "kind": "ranked", "queue_id": "ranked-brixental-4",
        "ladder": "brixental", "invite_code": null, "rules": rules(),
        "time_control": {
            "move_seconds": 20.0, "bank_seconds": 60.0, "pause_seconds": 5.0, "bot_seconds": 1.5,
        },
        "phase": "play", "my_seat": 0,
        "seats": [
            seat(0, &json!({"type": "player", "id": OTHER, "name": "Anna"})),
            seat(1, &json!({"type": "bot", "level": "standard"})),
            seat(2, &Value::Null),
            seat(3, &Value::Null),
        ],
        "deal": {
            "number": 3, "dealer": 1, "forehand": 2, "trump": "hearts",
            "auction": [
                {"seat": 1, "bid": null, "hold": true},
                {"seat": 2, "bid": "look_in", "hold": false},
                {"seat": 3, "bid": null, "hold": false},
            ],
            "declaration":
                {"declarer": 2, "contract": "look_in", "goal": "card_points", "target": 61},
            "doubled_by": 0, "redoubled": false,
            "hand": ["HA", "H6", "EX"], "talon": null, "discards": null,
            "trick": {"leader": 2, "cards": ["EX", "E7"]},
            "last_trick":
                {"leader": 1, "cards": ["GA", "GX", "GK", "G9"], "winner": 1, "points": 25},
        },
        "turn": {
            "seat": 0, "started_at": "2026-11-30T09:20:04.123Z",
            "deadline": "2026-11-30T09:20:24.123Z", "remaining_ms": 18_000,
        },
        "legal_actions": [
            {"type": "play", "card": "HA"},
            {"type": "discard", "count": 1, "from": ["H6", "EX"], "aces_need_trumps": true},
        ],
        "pot": 30, "score_sheet": [score()], "result": null, "rating_changes": [],
        "seed_hash": "abab", "server_seed": null, "nonces": ["0102", null],
        "now": "2026-11-30T09:20:06.123Z",
    });
    assert_eq!(answer.ok(200), expected);
}

#[tokio::test]
async fn a_finished_match_shows_its_result_and_seed() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let mut view = messages::view();
    view.phase = proto::v1::Phase::Ended.into();
    view.turn = None;
    view.result = Some(messages::result());
    view.server_seed = vec![0xcd];
    view.rating_changes = vec![proto::v1::RatingChange {
        player_id: OTHER.to_string(),
        before: 1200,
        after: 1213,
    }];
    let deal = view.deal.as_mut().unwrap();
    deal.declaration.as_mut().unwrap().target = 0;
    deal.talon = messages::cards(&[Card::E6]);
    spatz.fakes.set(|state| state.view = Some(view));
    let view = spatz
        .get(&format!("/v1/tables/{TABLE}"))
        .by(&anna)
        .send()
        .await
        .ok(200);
    assert_eq!(view["phase"], "ended");
    assert_eq!(view["turn"], Value::Null);
    assert_eq!(view["server_seed"], "cd");
    assert_eq!(view["deal"]["declaration"]["target"], Value::Null);
    assert_eq!(view["deal"]["talon"], json!(["E6"]));
    let result = json!({
        "scores": [0, 15, 0, -3], "places": [2, 1, 2, 4], "settlement": [-12, 57, -12, -33],
        "abandoned": [false, false, true, false], "pot_shares": [],
    });
    assert_eq!(view["result"], result);
    let changes = json!([{"player_id": OTHER, "before": 1200, "after": 1213}]);
    assert_eq!(view["rating_changes"], changes);
}

#[tokio::test]
async fn an_unchanged_view_is_not_sent_again() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    spatz.fakes.set(|state| state.view = Some(messages::view()));
    let path = format!("/v1/tables/{TABLE}");
    let same = spatz
        .get(&path)
        .by(&anna)
        .header("if-none-match", "\"57\"")
        .send()
        .await;
    assert_eq!(same.header("etag"), "\"57\"");
    assert_eq!(same.ok(304), Value::Null);
    let older = spatz
        .get(&path)
        .by(&anna)
        .header("if-none-match", "\"56\"")
        .send()
        .await;
    older.ok(200);
}

#[tokio::test]
async fn an_action_reaches_the_game_with_its_command_id() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let path = format!("/v1/tables/{TABLE}/actions");
    let body = json!({
        "command_id": "c1", "expected_version": 57, "action": {"type": "play", "card": "HA"},
    });
    let acted = spatz.post(&path, &body).by(&anna).send().await.ok(200);
    assert_eq!(acted, json!({"version": 58}));
    let asked = spatz.fakes.asked("act").pop().unwrap();
    assert_eq!(asked.player, Some(anna.id));
    for part in ["\"c1\"", "Some(57)", "card: Ha", &TABLE.to_string()] {
        assert!(asked.message.contains(part), "{}", asked.message);
    }
}

#[tokio::test]
async fn malformed_actions_do_not_reach_the_game() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let path = format!("/v1/tables/{TABLE}/actions");
    let play = json!({"type": "play", "card": "HA"});
    for (body, code) in [
        (
            json!({"command_id": "c1", "action": {"type": "play", "card": "ZZ"}}),
            "unknown_card",
        ),
        (
            json!({"command_id": "c1", "action": {"type": "declare_trump", "suit": "spades"}}),
            "invalid_body",
        ),
        (json!({"command_id": "", "action": play}), "invalid_body"),
        (
            json!({"command_id": "x".repeat(65), "action": play}),
            "invalid_body",
        ),
        (
            json!({"command_id": "a\nb", "action": play}),
            "invalid_body",
        ),
        (json!({"action": play}), "invalid_body"),
        (
            json!({"command_id": "c1", "expected_version": -1, "action": play}),
            "invalid_body",
        ),
    ] {
        spatz
            .post(&path, &body)
            .by(&anna)
            .send()
            .await
            .problem(422, code);
    }
    assert!(spatz.fakes.asked("act").is_empty());
    // An absent member and null are the same.
    let body = json!({"command_id": "c1", "expected_version": null, "action": play});
    spatz.post(&path, &body).by(&anna).send().await.ok(200);
}

#[tokio::test]
async fn a_conflict_names_the_newest_version() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let stale = Failure::new(ErrorCode::StaleVersion, "the table moved on").with("version", 58);
    spatz.fakes.set(|state| state.failure = Some(stale));
    let body = json!({"command_id": "c1", "expected_version": 5, "action": {"type": "pass"}});
    let path = format!("/v1/tables/{TABLE}/actions");
    let conflict = spatz
        .post(&path, &body)
        .by(&anna)
        .send()
        .await
        .problem(409, "stale_version");
    assert_eq!(conflict["version"], 58);
}

#[tokio::test]
async fn a_private_table_is_opened_in_the_callers_name() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let body = json!({
        "ruleset": "brixental", "players": 4,
        "options": {"length": "rounds(1)", "matsch_factor": 2, "spatz_multiplied": true},
        "time_control": {"move_seconds": 7.5}, "bots": 3, "bot_level": "standard",
    });
    let created = spatz
        .post("/v1/tables", &body)
        .by(&anna)
        .send()
        .await
        .ok(201);
    assert_eq!(created["invite_code"], "K7QMXP");
    assert_eq!(created["version"], 1);
    let asked = spatz.fakes.asked("create_private_table").pop().unwrap();
    assert_eq!(asked.player, Some(anna.id));
    for part in [
        "\"rounds(1)\"",
        "\"matsch_factor\": \"2\"",
        "\"spatz_multiplied\": \"true\"",
        "move_ms: 7500, bank_ms: 60000",
        "player_name: \"Anna\"",
        "bots: 3",
    ] {
        assert!(asked.message.contains(part), "{part}: {}", asked.message);
    }

    let plain = json!({"ruleset": "brixental", "players": 3});
    spatz
        .post("/v1/tables", &plain)
        .by(&anna)
        .send()
        .await
        .ok(201);
    let asked = spatz.fakes.asked("create_private_table").pop().unwrap();
    assert!(
        asked.message.contains("time_control: None"),
        "{}",
        asked.message
    );

    let slow = json!({"ruleset": "brixental", "players": 4, "time_control": {"move_seconds": 0}});
    spatz
        .post("/v1/tables", &slow)
        .by(&anna)
        .send()
        .await
        .problem(422, "invalid_body");
}

#[tokio::test]
async fn an_invite_code_may_be_typed_carelessly() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let join = |code: &str| {
        let body = json!({"invite_code": code});
        spatz.post("/v1/tables/join", &body).by(&anna)
    };
    let joined = join(" k7q-mxp ").send().await.ok(200);
    assert_eq!(joined, json!({"table_id": TABLE, "seat": 1}));
    let asked = spatz.fakes.asked("join_private_table").pop().unwrap();
    // What is a code is for matchmaking to say.
    assert!(asked.message.contains("\" k7q-mxp \""), "{}", asked.message);
    join(&"x".repeat(33))
        .send()
        .await
        .problem(404, "invite_not_found");
}

#[tokio::test]
async fn tables_need_a_player() {
    let spatz = Spatz::start().await;
    let path = format!("/v1/tables/{TABLE}");
    for (method, path) in [
        (Method::GET, path.clone()),
        (Method::GET, format!("{path}/events")),
        (Method::POST, format!("{path}/actions")),
        (Method::POST, "/v1/tables".to_owned()),
        (Method::POST, "/v1/tables/join".to_owned()),
    ] {
        spatz
            .call(method, &path)
            .send()
            .await
            .problem(401, "unauthorized");
    }
}
