//! Live streams: resumable, bounded, never silent.

use std::time::Duration;

use proto::v1::{self as wire, TicketState, table_update::Kind};
use serde_json::{Value, json};

use crate::{
    messages::{self, OTHER, TABLE, seat_ready, update},
    support::{Answer, Spatz, SseReader},
    updates,
};

const AT: &str = "2026-11-30T09:20:06.123Z";

fn events_path() -> String {
    format!("/v1/tables/{TABLE}/events")
}

#[tokio::test]
async fn a_stream_gives_every_event_as_documented() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let kinds = updates::seats()
        .into_iter()
        .chain(updates::play())
        .chain(updates::ending());
    let mut expected = Vec::new();
    let mut updates = Vec::new();
    for (version, (kind, mut data)) in (1..).zip(kinds) {
        updates.push(update(version, kind));
        data["version"] = version.into();
        data["at"] = AT.into();
        expected.push((version, data));
    }
    spatz.fakes.set(|state| state.updates = updates);
    let response = spatz.get(&events_path()).by(&anna).open().await;
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    assert_eq!(response.headers()["cache-control"], "no-cache");
    let mut events = SseReader::of(response);
    assert_eq!(events.block().await.unwrap(), "retry: 1000\n: spatz");
    for (version, data) in expected {
        let event = events.next().await.unwrap();
        assert_eq!(event.name, "");
        assert_eq!(event.id, version.to_string());
        assert_eq!(event.data, data);
    }
}

#[tokio::test]
async fn a_client_that_comes_back_resumes_after_what_it_saw() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let updates = (1..=3).map(|version| seat_ready(version, 0)).collect();
    spatz.fakes.set(|state| state.updates = updates);
    let first = async |query: &str, last: Option<&str>| {
        let mut call = spatz.get(&format!("{}{query}", events_path())).by(&anna);
        if let Some(last) = last {
            call = call.header("last-event-id", last);
        }
        SseReader::of(call.open().await).next().await.unwrap().id
    };
    assert_eq!(first("", None).await, "1");
    assert_eq!(first("?after=1", None).await, "2");
    assert_eq!(first("", Some("2")).await, "3");
    // The header wins: a browser keeps the query of its first connection.
    assert_eq!(first("?after=0", Some("2")).await, "3");

    for (query, last) in [("", "x"), ("", "-1"), ("?after=x", ""), ("?from=1", "")] {
        let mut call = spatz.get(&format!("{}{query}", events_path())).by(&anna);
        if !last.is_empty() {
            call = call.header("last-event-id", last);
        }
        call.send().await.problem(400, "bad_request");
    }
}

#[tokio::test]
async fn heartbeats_and_resyncs_are_named_events() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    spatz.fakes.set(|state| {
        state.updates = vec![
            update(9, Kind::Heartbeat(wire::Heartbeat {})),
            update(7, Kind::Resync(wire::Resync {})),
        ];
    });
    let path = format!("{}?after=5", events_path());
    let mut events = SseReader::of(spatz.get(&path).by(&anna).open().await);
    let heartbeat = events.next().await.unwrap();
    assert_eq!(
        (heartbeat.name.as_str(), heartbeat.id.as_str()),
        ("heartbeat", "")
    );
    assert_eq!(heartbeat.data, json!({"version": 9}));
    let resync = events.next().await.unwrap();
    assert_eq!((resync.name.as_str(), resync.id.as_str()), ("resync", "7"));
    assert_eq!(resync.data, json!({"version": 7}));
}

#[tokio::test]
async fn a_browser_may_put_its_token_in_the_query_of_a_stream() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    spatz
        .fakes
        .set(|state| state.updates = vec![seat_ready(1, 0)]);
    let path = format!("{}?access_token={}", events_path(), anna.token);
    let mut events = SseReader::of(spatz.get(&path).open().await);
    assert_eq!(events.next().await.unwrap().id, "1");
    let asked = spatz.fakes.asked("watch").pop().unwrap();
    assert_eq!(asked.player, Some(anna.id));
    let path = format!("{}?access_token=nonsense", events_path());
    spatz.get(&path).send().await.problem(401, "unauthorized");
}

/// Whether a stream's last words ask the client back within moments.
fn told_to_wait(goodbye: &str) -> Option<bool> {
    let (retry, rest) = goodbye.split_once('\n')?;
    let ms: u32 = retry.strip_prefix("retry: ")?.parse().ok()?;
    Some((100..2100).contains(&ms) && rest == ": the server stops")
}

#[tokio::test]
async fn streams_end_when_the_server_stops() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    spatz
        .fakes
        .set(|state| state.updates = vec![seat_ready(1, 0)]);
    let mut events = SseReader::of(spatz.get(&events_path()).by(&anna).open().await);
    assert!(events.next().await.is_some());
    spatz.shutdown.cancel();
    let goodbye = events.block().await.unwrap();
    assert_eq!(told_to_wait(&goodbye), Some(true), "{goodbye}");
    assert_eq!(events.next().await, None);
    let ready = spatz.get("/readyz").send().await;
    ready.problem(503, "unavailable");
    spatz.get("/healthz").send().await.ok(200);
}

#[tokio::test]
async fn a_stream_ends_after_its_lifetime() {
    let spatz = Spatz::with(|config| config.stream_lifetime = Duration::ZERO).await;
    let anna = spatz.guest("Anna").await;
    let mut events = SseReader::of(spatz.get(&events_path()).by(&anna).open().await);
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_new_stream_ends_the_oldest_of_too_many() {
    let spatz = Spatz::with(|config| config.streams_per_player = 2).await;
    let (anna, berta) = (spatz.guest("Anna").await, spatz.guest("Berta").await);
    spatz
        .fakes
        .set(|state| state.updates = vec![seat_ready(1, 0)]);
    let open = async |guest| {
        let mut events = SseReader::of(spatz.get(&events_path()).by(guest).open().await);
        assert!(events.next().await.is_some());
        events
    };
    let mut hers = open(&berta).await;
    let mut first = open(&anna).await;
    let mut second = open(&anna).await;
    let mut third = open(&anna).await;
    assert_eq!(first.next().await, None);
    drop(first);
    // The others go on.
    for stream in [&mut hers, &mut second, &mut third] {
        let next = futures::FutureExt::now_or_never(stream.next());
        assert_eq!(next, None);
    }
}

#[tokio::test]
async fn clients_that_do_not_read_hold_up_nobody_else() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let closed = |version| {
        let reason = "x".repeat(64 * 1024);
        update(version, Kind::Closed(wire::ClosedUpdate { reason }))
    };
    spatz.fakes.set(|state| {
        state.updates = (1..=40).map(closed).collect();
        state.view = Some(messages::view());
    });
    // Each has more to read than all of them may hold back together.
    let mut stuck = Vec::new();
    for _ in 0..8 {
        let mut events = SseReader::of(spatz.get(&events_path()).by(&anna).open().await);
        assert_eq!(events.next().await.unwrap().id, "1");
        stuck.push(events);
    }
    for _ in 0..20 {
        let view = spatz
            .get(&format!("/v1/tables/{TABLE}"))
            .by(&anna)
            .send()
            .await;
        view.ok(200);
    }
    // Nothing is lost for the one who reads on.
    assert_eq!(stuck[0].next().await.unwrap().id, "2");
}

#[tokio::test]
async fn a_table_that_one_may_not_see_has_no_stream() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let missing = chassis::Failure::new(chassis::ErrorCode::TableNotFound, "no such table");
    spatz.fakes.set(|state| state.failure = Some(missing));
    let answer = spatz.get(&events_path()).by(&anna).send().await;
    answer.problem(404, "table_not_found");
}

#[tokio::test]
async fn a_ticket_is_followed_until_it_is_settled() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let states = [
        TicketState::Waiting,
        TicketState::Proposed,
        TicketState::Matched,
    ];
    let tickets: Vec<_> = states.map(|state| messages::ticket(OTHER, state)).into();
    spatz.fakes.set(|state| state.tickets = tickets);
    let path = format!("/v1/tickets/{OTHER}/events?access_token={}", anna.token);
    let mut events = SseReader::of(spatz.get(&path).open().await);
    for state in ["waiting", "proposed", "matched"] {
        let event = events.next().await.unwrap();
        assert_eq!(event.name, "");
        assert_eq!(event.data["state"], state);
        let table = if state == "matched" {
            json!(TABLE)
        } else {
            Value::Null
        };
        assert_eq!(event.data["table_id"], table);
    }
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_stream_is_never_silent_for_long() {
    let spatz = Spatz::with(|config| config.heartbeat = Duration::from_millis(20)).await;
    let anna = spatz.guest("Anna").await;
    let path = format!("{}?after=5", events_path());
    let mut events = SseReader::of(spatz.get(&path).by(&anna).open().await);
    for _ in 0..2 {
        let heartbeat = events.next().await.unwrap();
        assert_eq!(heartbeat.name, "heartbeat");
        assert_eq!(heartbeat.data, json!({"version": 5}));
    }
    // A ticket's stream has nothing but the ticket as data.
    spatz.fakes.set(|state| state.unsettled = true);
    let path = format!("/v1/tickets/{OTHER}/events");
    let mut events = SseReader::of(spatz.get(&path).by(&anna).open().await);
    assert_eq!(events.block().await.unwrap(), "retry: 1000\n: spatz");
    assert_eq!(events.block().await.unwrap(), ": still waiting");
}

#[tokio::test]
async fn a_stream_is_logged_and_answered_like_any_request() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let response = spatz
        .get(&events_path())
        .by(&anna)
        .header("x-request-id", "s1")
        .open()
        .await;
    assert_eq!(response.headers()["x-request-id"], "s1");
    spatz.shutdown.cancel();
    let text = Answer::of(response).await.text;
    assert!(text.starts_with("retry: 1000\n: spatz\n\n"), "{text}");
}
