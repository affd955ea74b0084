//! Tables over a WebSocket: the same events, actions and bounds as over SSE and REST.

use std::time::Duration;

use chassis::{ErrorCode, Failure};
use proto::v1::{self as wire, table_update::Kind};
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::{
    messages::{TABLE, seat_ready, update},
    support::Spatz,
    updates,
    ws_client::{Live, Socket},
};

const AT: &str = "2026-11-30T09:20:06.123Z";

#[tokio::test]
async fn a_socket_gives_every_event_as_the_sse_stream_does() {
    let live = Live::start().await;
    let kinds = updates::seats()
        .into_iter()
        .chain(updates::play())
        .chain(updates::ending());
    let (mut sent, mut expected) = (Vec::new(), Vec::new());
    for (version, (kind, mut data)) in (1..).zip(kinds) {
        sent.push(update(version, kind));
        data["version"] = version.into();
        data["at"] = AT.into();
        expected.push(data);
    }
    live.spatz.fakes.set(|state| state.updates = sent);
    let mut socket = live.open("").await;
    for data in expected {
        assert_eq!(socket.next().await, data);
    }
    let asked = live.spatz.fakes.asked("watch").pop().unwrap();
    assert_eq!(asked.player, Some(live.anna.id));
}

#[tokio::test]
async fn a_client_that_comes_back_resumes_after_what_it_saw() {
    let live = Live::start().await;
    let updates = (1..=3).map(|version| seat_ready(version, 0)).collect();
    live.spatz.fakes.set(|state| state.updates = updates);
    for (query, version) in [("", 1), ("?after=1", 2), ("?after=2", 3)] {
        let mut socket = live.open(query).await;
        assert_eq!(socket.next().await["version"], version, "{query}");
    }
    let token = format!("?access_token={}", live.anna.token);
    for query in ["?after=x", "?after=-1", "?from=1", &token] {
        assert_eq!(live.refused(query, &live.bearer()).await, 400, "{query}");
    }
}

#[tokio::test]
async fn heartbeats_and_resyncs_have_types_of_their_own() {
    let live = Live::start().await;
    live.spatz.fakes.set(|state| {
        state.updates = vec![
            update(9, Kind::Heartbeat(wire::Heartbeat {})),
            update(7, Kind::Resync(wire::Resync {})),
        ];
    });
    let mut socket = live.open("?after=5").await;
    for (kind, version) in [("heartbeat", 9), ("resync", 7)] {
        let told = json!({"type": kind, "version": version});
        assert_eq!(socket.next().await, told);
    }
}

#[tokio::test]
async fn a_socket_is_never_silent_for_long() {
    let live = Live::with(|config| config.heartbeat = Duration::from_millis(20)).await;
    let mut socket = live.open("?after=5").await;
    for _ in 0..2 {
        let heartbeat = json!({"type": "heartbeat", "version": 5});
        assert_eq!(socket.next().await, heartbeat);
    }
}

#[tokio::test]
async fn an_action_is_acknowledged_and_may_be_sent_again() {
    let live = Live::start().await;
    let mut socket = live.open("").await;
    let action = json!({
        "command_id": "c1", "expected_version": 57, "action": {"type": "play", "card": "HA"},
    });
    for _ in 0..2 {
        socket.send(&action).await;
        let ack = json!({"type": "ack", "command_id": "c1", "version": 58});
        assert_eq!(socket.next().await, ack);
    }
    let asked = live.spatz.fakes.asked("act");
    assert_eq!(asked.len(), 2);
    for asked in asked {
        assert_eq!(asked.player, Some(live.anna.id));
        let message = &asked.message;
        for part in [&TABLE.to_string(), "\"c1\"", "Some(57)"] {
            assert!(message.contains(part), "{part} in {message}");
        }
    }
}

#[tokio::test]
async fn actions_are_answered_in_the_order_they_came() {
    let live = Live::start().await;
    let mut socket = live.open("").await;
    let ids: Vec<String> = (0..20).map(|number| format!("c{number}")).collect();
    for id in &ids {
        let action = json!({"command_id": id, "action": {"type": "pass"}});
        socket.send(&action).await;
    }
    for id in &ids {
        assert_eq!(socket.next().await["command_id"], *id);
    }
}

#[tokio::test]
async fn a_refused_action_is_answered_by_the_problem_that_rest_gives() {
    let live = Live::start().await;
    let mut socket = live.open("").await;
    let failure = Failure::new(ErrorCode::NotYourTurn, "wait").with("version", 12);
    live.spatz.fakes.set(|state| state.failure = Some(failure));
    let action = json!({"command_id": "c1", "action": {"type": "pass"}});
    socket.send(&action).await;
    let error = socket.next().await;
    let path = format!("/v1/tables/{TABLE}/actions");
    let rest = live.spatz.post(&path, &action).by(&live.anna).send().await;
    let mut problem = rest.problem(409, "not_your_turn");
    problem["instance"] = error["problem"]["instance"].clone();
    let expected = json!({"type": "error", "command_id": "c1", "problem": problem});
    assert_eq!(error, expected);
    assert!(problem["instance"].is_string());
    // The socket goes on.
    live.spatz.fakes.set(|state| state.failure = None);
    socket.send(&action).await;
    assert_eq!(socket.next().await["type"], "ack");
}

#[tokio::test]
async fn a_malformed_action_is_answered_and_reaches_no_table() {
    let live = Live::start().await;
    let mut socket = live.open("").await;
    let long = "x".repeat(65);
    let no_action = format!(r#"{{"command_id":"{long}","action":{{"type":"pass"}}}}"#);
    for (text, id, code) in [
        ("nonsense", json!(null), "bad_request"),
        ("[]", json!(null), "invalid_body"),
        (r#"{"command_id":"c1"}"#, json!("c1"), "invalid_body"),
        (
            r#"{"command_id":"c2","action":{"type":"fly"}}"#,
            json!("c2"),
            "invalid_body",
        ),
        (
            r#"{"command_id":"c3","action":{"type":"play","card":"ZZ"}}"#,
            json!("c3"),
            "unknown_card",
        ),
        (&no_action, json!(null), "invalid_body"),
    ] {
        socket.send_raw(Message::text(text)).await;
        let error = socket.next().await;
        assert_eq!(error["type"], "error", "{text}");
        assert_eq!(error["command_id"], id, "{text}");
        assert_eq!(error["problem"]["code"], code, "{text}");
    }
    assert!(live.spatz.fakes.asked("act").is_empty());
}

#[tokio::test]
async fn actions_count_together_with_those_over_rest() {
    let live = Live::with(|config| config.rates.player_commands = gateway::Rate::new(2, 0.0)).await;
    let mut socket = live.open("").await;
    let action = json!({"command_id": "c1", "action": {"type": "pass"}});
    let path = format!("/v1/tables/{TABLE}/actions");
    let rest = live.spatz.post(&path, &action).by(&live.anna).send().await;
    rest.ok(200);
    socket.send(&action).await;
    assert_eq!(socket.next().await["type"], "ack");
    socket.send(&action).await;
    let error = socket.next().await;
    assert_eq!(error["command_id"], "c1");
    assert_eq!(error["problem"]["code"], "rate_limited");
    assert_eq!(error["problem"]["retry_after_seconds"], 3600);
}

#[tokio::test]
async fn a_token_is_needed_in_the_header_or_as_a_protocol() {
    let live = Live::start().await;
    let expired = Live::with(|config| config.access_lifetime = Duration::ZERO).await;
    assert_eq!(live.refused("", &[]).await, 401);
    for headers in [
        [("authorization", "Bearer nonsense".to_owned())],
        [("sec-websocket-protocol", "spatz.v1".to_owned())],
        [("sec-websocket-protocol", "spatz.v1, bearer.x".to_owned())],
    ] {
        assert_eq!(live.refused("", &headers).await, 401, "{headers:?}");
    }
    assert_eq!(expired.refused("", &expired.bearer()).await, 401);

    let protocols = format!("spatz.v1, bearer.{}", live.anna.token);
    let headers = [("sec-websocket-protocol", protocols)];
    let (_socket, response) = live.connect("", &headers).await.unwrap();
    // Only the protocol is told back, never the token.
    assert_eq!(response.headers()["sec-websocket-protocol"], "spatz.v1");
}

#[tokio::test]
async fn actions_stop_when_the_token_expires_and_events_go_on() {
    let live = Live::with(|config| {
        config.access_lifetime = Duration::from_secs(1);
        config.heartbeat = Duration::from_millis(100);
    })
    .await;
    let mut socket = live.open("").await;
    let action = json!({"command_id": "c1", "action": {"type": "pass"}});
    // Heartbeats are the clock: twenty take two seconds at least.
    for _ in 0..20 {
        assert_eq!(socket.next().await["type"], "heartbeat");
    }
    socket.send(&action).await;
    let error = socket.answer().await;
    assert_eq!(error["problem"]["code"], "token_expired");
    assert_eq!(socket.next().await["type"], "heartbeat");
}

#[tokio::test]
async fn a_table_that_one_may_not_see_has_no_socket() {
    let live = Live::start().await;
    let missing = Failure::new(ErrorCode::TableNotFound, "no such table");
    live.spatz.fakes.set(|state| state.failure = Some(missing));
    assert_eq!(live.refused("", &live.bearer()).await, 404);
}

#[tokio::test]
async fn a_request_that_is_no_handshake_is_a_problem() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let path = format!("/v1/tables/{TABLE}/ws");
    let answer = spatz.get(&path).by(&anna).send().await;
    answer.problem(400, "bad_request");
}

#[tokio::test]
async fn pages_of_other_origins_may_not_open_a_socket() {
    let live = Live::with(|config| {
        config.public_url = "https://spatz.example".to_owned();
        config.cors_origins = vec!["https://friend.example".parse().unwrap()];
    })
    .await;
    let own = format!("http://{}", live.address);
    for (origin, opens) in [
        ("https://spatz.example", true),
        ("https://friend.example", true),
        (own.as_str(), true),
        ("https://evil.example", false),
        ("https://spatz.example.evil.example", false),
        ("null", false),
    ] {
        let mut headers = live.bearer();
        headers.push(("origin", origin.to_owned()));
        let opened = live.connect("", &headers).await;
        assert_eq!(opened.is_ok(), opens, "{origin}");
        if !opens {
            assert_eq!(live.refused("", &headers).await, 403, "{origin}");
        }
    }
}

async fn closed_by(message: Message) -> (u16, usize) {
    let live = Live::start().await;
    let mut socket = live.open("").await;
    socket.send_raw(message).await;
    let (code, reason) = socket.closed().await;
    assert!(!reason.is_empty());
    (code, live.spatz.fakes.asked("act").len())
}

#[tokio::test]
async fn messages_that_are_too_large_or_binary_close_the_socket() {
    let just = json!({"command_id": "c1", "action": {"type": "pass"}}).to_string();
    let padded = |bytes: usize| Message::text(just.clone() + &" ".repeat(bytes - just.len()));
    assert_eq!(closed_by(padded(64 * 1024 + 1)).await, (1009, 0));
    assert_eq!(closed_by(padded(300 * 1024)).await, (1009, 0));
    assert_eq!(closed_by(Message::binary(just.clone())).await, (1003, 0));

    let live = Live::start().await;
    let mut socket = live.open("").await;
    socket.send_raw(padded(64 * 1024)).await;
    assert_eq!(socket.next().await["type"], "ack");
}

#[tokio::test]
async fn a_ping_is_answered_and_a_close_too() {
    let live = Live::start().await;
    let mut socket = live.open("").await;
    socket.send_raw(Message::Ping("p".into())).await;
    assert_eq!(socket.raw().await, Some(Message::Pong("p".into())));
    socket.send_raw(Message::Close(None)).await;
    assert_eq!(socket.raw().await, Some(Message::Close(None)));
    assert_eq!(socket.raw().await, None);
}

#[tokio::test]
async fn a_client_that_does_not_read_is_let_go_and_told_why() {
    let live = Live::with(|config| config.heartbeat = Duration::from_millis(100)).await;
    let closed = |version| {
        let reason = "x".repeat(64 * 1024);
        update(version, Kind::Closed(wire::ClosedUpdate { reason }))
    };
    // More than the buffers of both ends hold.
    let updates = (1..=400).map(closed).collect();
    live.spatz.fakes.set(|state| state.updates = updates);
    let mut stuck = live.open("").await;
    live.spatz.fakes.dropped.notified().await;
    let (code, reason) = stuck.closed().await;
    assert_eq!(code, 1008);
    assert_eq!(reason, "messages were left unread for too long");
    assert!(stuck.seen < 400, "{} were written", stuck.seen);
}

#[tokio::test]
async fn sockets_and_streams_of_a_player_count_together() {
    let live = Live::with(|config| config.streams_per_player = 1).await;
    let mut first = live.open("").await;
    let path = format!("/v1/tables/{TABLE}/events");
    let stream = live.spatz.get(&path).by(&live.anna).open().await;
    assert_eq!(stream.status(), 200);
    assert_eq!(first.closed().await.0, 1008);
}

#[tokio::test]
async fn a_socket_ends_after_its_lifetime() {
    let live = Live::with(|config| config.stream_lifetime = Duration::ZERO).await;
    assert_eq!(live.open("").await.closed().await.0, 1000);
}

#[tokio::test]
async fn shutdown_answers_what_is_in_flight_and_asks_to_come_back() {
    let live = Live::start().await;
    let mut idle = live.open("").await;
    let mut busy = live.open("").await;
    let fakes = &live.spatz.fakes;
    fakes.hold.store(true, std::sync::atomic::Ordering::SeqCst);
    let action = json!({"command_id": "c1", "action": {"type": "pass"}});
    busy.send(&action).await;
    fakes.arrived.notified().await;
    live.spatz.shutdown.cancel();
    assert_eq!(
        idle.closed().await,
        (1012, "the server restarts: come back".to_owned())
    );
    assert!(!live.server.is_finished());
    fakes.release.notify_one();
    let ack = json!({"type": "ack", "command_id": "c1", "version": 58});
    assert_eq!(busy.next().await, ack);
    assert_eq!(busy.closed().await.0, 1012);
    live.server.await.unwrap().unwrap();
    assert!(Socket::open(live.address, "", &[]).await.is_err());
}
