//! Bad input: each gets the right status and problem type, and the table is unharmed.

use anyhow::{Context as _, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::{
    client::{Answer, Client},
    events::Events,
    installation::Installation,
    play,
};
use uuid::Uuid;

use crate::support::{four_guests, matched, open_table, sorted};

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_gets_a_clear_problem_and_harms_nothing() {
    let installation = Installation::embedded().await.expect("start");
    let outcome = bad_input(&installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

fn is_problem(answer: &Answer, status: u16, code: &str) -> anyhow::Result<()> {
    ensure!(answer.problem() == (status, code.to_owned()), "{answer:?}");
    Ok(())
}

/// A table in some phase, with the player whose turn it is and one whose turn it is not.
struct At<'a> {
    table: &'a str,
    mover: &'a Client,
    other: &'a Client,
    view: Value,
}

async fn at<'a>(
    clients: &'a [Client],
    table: &'a str,
    reached: impl Fn(&Value) -> bool,
) -> anyhow::Result<At<'a>> {
    let view = play::play_until(clients, table, 3, |view| {
        view["turn"]["seat"] == view["my_seat"] && !view["turn"].is_null() && reached(view)
    });
    let view = view.await?;
    let seat = view["my_seat"].as_u64().context("my_seat")? as usize;
    let id = view["seats"][seat]["occupant"]["id"]
        .as_str()
        .context("id")?
        .to_owned();
    let mover = clients
        .iter()
        .find(|client| client.player == id)
        .context("the mover")?;
    let other = clients
        .iter()
        .find(|client| client.player != id)
        .context("another")?;
    Ok(At {
        table,
        mover,
        other,
        view,
    })
}

impl At<'_> {
    async fn refused(
        &self,
        who: &Client,
        action: Value,
        status: u16,
        code: &str,
    ) -> anyhow::Result<()> {
        let answer = who
            .act(self.table, &Uuid::new_v4().to_string(), &action)
            .await?;
        is_problem(&answer, status, code).with_context(|| action.to_owned())?;
        self.unharmed().await
    }

    async fn unharmed(&self) -> anyhow::Result<()> {
        let now = self.mover.table(self.table).await?;
        for part in ["version", "deal", "turn", "legal_actions"] {
            let same = part == "turn" || now[part] == self.view[part];
            ensure!(same, "{part}: {} became {}", self.view[part], now[part]);
        }
        Ok(())
    }

    fn legal(&self) -> impl Iterator<Item = &Value> {
        self.view["legal_actions"].as_array().into_iter().flatten()
    }
}

async fn bad_input(installation: &Installation) -> anyhow::Result<()> {
    let url = installation.url();
    let clients = four_guests(url).await?;
    // So long that every situation comes up.
    let (table, code) = open_table(&clients[0], 4, 0, 100).await?;
    for client in &clients[1..] {
        client
            .post("/v1/tables/join", &json!({"invite_code": code}))
            .await?
            .good()?;
    }
    in_the_auction(&clients, &table).await?;
    at_the_exchange(&clients, &table).await?;
    in_play(&clients, &table).await?;
    malformed(&clients, &table).await?;
    paths(&clients[0]).await?;
    credentials(url, &table).await?;
    let table = matched(&clients, "ranked-brixental-4").await?;
    let players = clients.iter().zip(1..);
    tests::events::all(players.map(|(client, seed)| play::play(client, &table, seed))).await?;
    after_the_end(&clients, &table).await
}

async fn in_the_auction(clients: &[Client], table: &str) -> anyhow::Result<()> {
    let a_bid_stands = |view: &Value| {
        let bids = view["deal"]["auction"].as_array().into_iter().flatten();
        view["phase"] == "auction" && bids.into_iter().any(|call| !call["bid"].is_null())
    };
    let at = at(clients, table, a_bid_stands).await?;
    at.refused(
        at.mover,
        json!({"type": "bid", "bid": "look_in"}),
        422,
        "bid_too_low",
    )
    .await?;
    at.refused(
        at.mover,
        json!({"type": "bid", "bid": "67"}),
        422,
        "unknown_bid",
    )
    .await?;
    at.refused(at.other, json!({"type": "pass"}), 409, "not_your_turn")
        .await?;
    at.refused(
        at.mover,
        json!({"type": "play", "card": "HA"}),
        409,
        "wrong_phase",
    )
    .await?;
    at.refused(at.mover, json!({"type": "ready"}), 409, "wrong_phase")
        .await?;
    at.refused(at.mover, json!({"type": "return"}), 409, "wrong_phase")
        .await
}

async fn at_the_exchange(clients: &[Client], table: &str) -> anyhow::Result<()> {
    let at = at(clients, table, |view| view["phase"] == "exchange").await?;
    let hand = sorted(&at.view["deal"]["hand"]);
    let talon = sorted(&at.view["deal"]["talon"]);
    let own: Vec<&String> = hand.iter().filter(|card| !talon.contains(card)).collect();
    let discard = |cards: Value| json!({"type": "discard", "cards": cards});
    let three = discard(json!(own[..3]));
    at.refused(at.mover, three, 422, "wrong_discard_count")
        .await?;
    let with_talon = discard(json!([own[0], own[1], own[2], talon[0]]));
    at.refused(at.mover, with_talon, 422, "discard_not_allowed")
        .await?;
    let twice = discard(json!([own[0], own[0], own[1], own[2]]));
    at.refused(at.mover, twice, 422, "invalid_body").await?;
    let foreign = sorted(&at.other.table(table).await?["deal"]["hand"]);
    let not_held = discard(json!([own[0], own[1], own[2], foreign[0]]));
    at.refused(at.mover, not_held, 422, "card_not_held").await
}

async fn in_play(clients: &[Client], table: &str) -> anyhow::Result<()> {
    // Somebody who must follow suit and holds a card that does not.
    let must_follow = |view: &Value| {
        let legal = view["legal_actions"].as_array().map_or(0, Vec::len);
        let hand = view["deal"]["hand"].as_array().map_or(0, Vec::len);
        let led = view["deal"]["trick"]["cards"][0]
            .as_str()
            .unwrap_or_default();
        let follows = view["legal_actions"][0]["card"]
            .as_str()
            .unwrap_or_default();
        view["phase"] == "play" && legal < hand && !led.is_empty() && led[..1] == follows[..1]
    };
    let at = at(clients, table, must_follow).await?;
    let legal: Vec<&str> = at
        .legal()
        .filter_map(|action| action["card"].as_str())
        .collect();
    let hand = sorted(&at.view["deal"]["hand"]);
    let revoke = hand
        .iter()
        .find(|card| !legal.contains(&card.as_str()))
        .context("a revoke")?;
    let play = |card: &str| json!({"type": "play", "card": card});
    at.refused(at.mover, play(revoke), 422, "must_follow_suit")
        .await?;
    at.refused(at.mover, play("Z9"), 422, "unknown_card")
        .await?;
    at.refused(at.mover, play("H10"), 422, "unknown_card")
        .await?;
    let foreign = sorted(&at.other.table(table).await?["deal"]["hand"]);
    at.refused(at.mover, play(&foreign[0]), 422, "card_not_held")
        .await?;
    at.refused(at.other, play(&foreign[0]), 409, "not_your_turn")
        .await?;
    at.refused(
        at.mover,
        json!({"type": "discard", "cards": []}),
        409,
        "wrong_phase",
    )
    .await?;

    let stranger = Client::guest(at.mover.url(), "Stranger").await?;
    at.refused(&stranger, play(legal[0]), 404, "table_not_found")
        .await?;

    commands(&at, play(legal[0])).await
}

/// Stale, repeated and reused commands around one that is legal.
async fn commands(at: &At<'_>, action: Value) -> anyhow::Result<()> {
    let table = at.table;
    let stale = json!({
        "command_id": "stale", "expected_version": 1, "action": action,
    });
    let path = format!("/v1/tables/{table}/actions");
    let answer = at.mover.post(&path, &stale).await?;
    is_problem(&answer, 409, "stale_version")?;
    ensure!(
        answer.body["version"] == at.view["version"],
        "{}",
        answer.body
    );
    at.unharmed().await?;

    // The same command twice is applied once and answered alike; another under its id is not.
    let first = at.mover.act(table, "once", &action).await?.good()?;
    let again = at.mover.act(table, "once", &action).await?.good()?;
    ensure!(first == again, "{first} is not {again}");
    let reused = at
        .mover
        .act(table, "once", &json!({"type": "pass"}))
        .await?;
    is_problem(&reused, 422, "command_id_reused")?;
    Ok(())
}

async fn malformed(clients: &[Client], table: &str) -> anyhow::Result<()> {
    let client = &clients[0];
    let before = client.table(table).await?;
    let path = format!("/v1/tables/{table}/actions");
    let send = async |body: String, kind: &str| -> anyhow::Result<Answer> {
        let request = client
            .request(Method::POST, &path)
            .header("content-type", kind)
            .body(body);
        client.send(request).await
    };
    let json = "application/json";
    for (body, kind, status, code) in [
        ("{\"command_id\": ", json, 400, "bad_request"),
        ("[]", json, 422, "invalid_body"),
        (
            "{\"command_id\": \"a\", \"action\": {\"type\": \"fly\"}}",
            json,
            422,
            "invalid_body",
        ),
        (
            "{\"action\": {\"type\": \"pass\"}}",
            json,
            422,
            "invalid_body",
        ),
        (
            "{\"command_id\": \"\", \"action\": {\"type\": \"pass\"}}",
            json,
            422,
            "invalid_body",
        ),
        ("hello", "text/plain", 415, "unsupported_media_type"),
    ] {
        let answer = send(body.to_owned(), kind).await?;
        is_problem(&answer, status, code).with_context(|| body.to_owned())?;
    }
    let huge = format!("{{\"command_id\": \"{}\"}}", "x".repeat(1 << 20));
    let answer = send(huge, json).await?;
    is_problem(&answer, 413, "too_large")?;

    ensure!(client.table(table).await?["version"] == before["version"]);
    Ok(())
}

async fn paths(client: &Client) -> anyhow::Result<()> {
    for (method, path, status, code) in [
        (Method::GET, "/v1/nothing", 404, "not_found"),
        (Method::PUT, "/v1/me", 405, "method_not_allowed"),
        (Method::GET, "/v1/tables/not-a-uuid", 404, "table_not_found"),
        (
            Method::GET,
            "/v1/tables/00000000-0000-7000-8000-000000000000",
            404,
            "table_not_found",
        ),
        (
            Method::GET,
            "/v1/matches/00000000-0000-7000-8000-000000000000",
            404,
            "not_found",
        ),
        (
            Method::GET,
            "/v1/ladders/nothing/standings",
            404,
            "not_found",
        ),
    ] {
        let answer = client.send(client.request(method, path)).await?;
        is_problem(&answer, status, code).with_context(|| path.to_owned())?;
    }
    let ticket = client
        .post("/v1/tickets", &json!({"queue_id": "nothing"}))
        .await?;
    is_problem(&ticket, 404, "queue_not_found")?;
    let rules = json!({"ruleset": "brixental", "players": 5});
    let refused = client.post("/v1/tables", &rules).await?;
    is_problem(&refused, 422, "invalid_rules")?;
    Ok(())
}

async fn credentials(url: &str, table: &str) -> anyhow::Result<()> {
    let mut nobody = Client::guest(url, "Nobody").await?;
    let path = format!("/v1/tables/{table}");
    nobody.token.clear();
    let answer = nobody.get(&path).await?;
    is_problem(&answer, 401, "unauthorized")?;
    nobody.token = "no.such.token".to_owned();
    let answer = nobody.get(&path).await?;
    is_problem(&answer, 401, "unauthorized")?;
    Ok(())
}

async fn after_the_end(clients: &[Client], table: &str) -> anyhow::Result<()> {
    Events::new(&clients[0], table).until("match_rated").await?;
    for action in [json!({"type": "pass"}), json!({"type": "leave"})] {
        let answer = clients[0]
            .act(table, &Uuid::new_v4().to_string(), &action)
            .await?;
        is_problem(&answer, 410, "match_over")?;
    }
    Ok(())
}
