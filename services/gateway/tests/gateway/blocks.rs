//! Blocked players, parties, and why a match was made; traces of sign-ins.

use axum::http::Method;
use gateway::accounts::{Accounts, BLOCKS_MAX};
use proto::v1 as wire;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    messages::{self, TABLE},
    support::{Guest, Spatz},
};

async fn change(spatz: &Spatz, method: Method, by: &Guest, player: &str) -> crate::support::Answer {
    let path = format!("/v1/me/blocks/{player}");
    spatz.call(method, &path).by(by).send().await
}

#[tokio::test]
async fn blocked_players_are_listed_and_told_to_matchmaking() {
    let spatz = Spatz::start().await;
    let (anna, berta) = (spatz.guest("Anna").await, spatz.guest("Berta").await);
    for _ in 0..2 {
        let id = berta.id.to_string();
        change(&spatz, Method::PUT, &anna, &id).await.ok(204);
    }
    let listed = spatz.get("/v1/me/blocks").by(&anna).send().await.ok(200);
    let blocks = listed["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 1);
    assert_eq!(
        blocks[0]["player"],
        json!({"id": berta.id, "name": "Berta"})
    );
    assert!(blocks[0]["since"].as_str().unwrap().ends_with('Z'));
    let told = spatz.fakes.asked("set_blocked").pop().unwrap();
    assert_eq!(told.player, Some(anna.id));
    assert!(
        told.message.contains(&berta.id.to_string()),
        "{}",
        told.message
    );
    // The one who is blocked sees nothing of it.
    let listed = spatz.get("/v1/me/blocks").by(&berta).send().await.ok(200);
    assert_eq!(listed, json!({"blocks": []}));

    let body = json!({"queue_id": "casual-brixental-4"});
    let created = spatz.post("/v1/tickets", &body).by(&anna).send().await;
    created.ok(201);
    let asked = spatz.fakes.asked("create_ticket").pop().unwrap();
    assert!(
        asked.message.contains(&berta.id.to_string()),
        "{}",
        asked.message
    );

    for _ in 0..2 {
        let id = berta.id.to_string();
        change(&spatz, Method::DELETE, &anna, &id).await.ok(204);
    }
    let listed = spatz.get("/v1/me/blocks").by(&anna).send().await.ok(200);
    assert_eq!(listed, json!({"blocks": []}));
}

#[tokio::test]
async fn only_other_players_can_be_blocked_and_not_too_many() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    for nobody in ["x", &Uuid::now_v7().to_string()] {
        let refused = change(&spatz, Method::PUT, &anna, nobody).await;
        refused.problem(404, "not_found");
    }
    let own = anna.id.to_string();
    let refused = change(&spatz, Method::PUT, &anna, &own).await;
    refused.problem(400, "bad_request");
    let accounts = Accounts::new(spatz.store.db.clone());
    let mut others = Vec::new();
    for number in 0..=BLOCKS_MAX {
        let device = gateway::accounts::DeviceHash::of(&Uuid::new_v4().to_string()).unwrap();
        let player = accounts.new_guest(device, &format!("P{number}")).await;
        others.push(player.unwrap().id);
    }
    for &other in &others[..BLOCKS_MAX] {
        accounts.block(anna.id, other).await.unwrap();
    }
    let last = others[BLOCKS_MAX].to_string();
    let refused = change(&spatz, Method::PUT, &anna, &last).await;
    refused.problem(409, "list_full");
    // One who is on it already may be blocked again.
    accounts.block(anna.id, others[0]).await.unwrap();
    assert_eq!(accounts.blocks(anna.id).await.unwrap().len(), BLOCKS_MAX);
}

#[tokio::test]
async fn an_erased_player_blocks_nobody_and_is_blocked_by_nobody() {
    let spatz = Spatz::start().await;
    let (anna, berta) = (spatz.guest("Anna").await, spatz.guest("Berta").await);
    let accounts = Accounts::new(spatz.store.db.clone());
    accounts.block(anna.id, berta.id).await.unwrap();
    accounts.block(berta.id, anna.id).await.unwrap();
    accounts.erase(berta.id).await.unwrap();
    assert_eq!(accounts.blocks(anna.id).await.unwrap(), []);
    assert_eq!(accounts.blocks(berta.id).await.unwrap(), []);
    assert!(accounts.traces(berta.id).await.unwrap().is_empty());
    assert!(accounts.block(anna.id, berta.id).await.is_err());
}

#[tokio::test]
async fn a_party_is_opened_by_size_and_joined_by_code() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let create = |party: Value| {
        let body = json!({"queue_id": "casual-brixental-4", "party": party});
        spatz.post("/v1/tickets", &body).by(&anna).send()
    };
    for (party, part) in [
        (json!({"size": 3}), "Size(3)"),
        (json!({"code": "k7q-mxp"}), "Code(\"k7q-mxp\")"),
    ] {
        create(party).await.ok(201);
        let asked = spatz.fakes.asked("create_ticket").pop().unwrap();
        assert!(asked.message.contains(part), "{}", asked.message);
    }
    let endless = json!({"code": "K".repeat(33)});
    create(endless).await.problem(404, "party_not_found");
    for wrong in [
        json!({}),
        json!({"size": -1}),
        json!({"size": 2, "x": 1}),
        json!("K7QMXP"),
    ] {
        create(wrong).await.problem(422, "invalid_body");
    }
    let party = wire::Party {
        code: "K7QMXP".to_owned(),
        size: 3,
        joined: 2,
    };
    let ticket = wire::Ticket {
        party: Some(party),
        position: Some(7),
        expected_wait_ms: Some(12_500),
        ..messages::ticket(messages::OTHER, wire::TicketState::Waiting)
    };
    spatz.fakes.set(|state| state.tickets = vec![ticket]);
    let path = format!("/v1/tickets/{}", messages::OTHER);
    let ticket = spatz.get(&path).by(&anna).send().await.ok(200);
    assert_eq!(
        ticket["party"],
        json!({"code": "K7QMXP", "size": 3, "joined": 2})
    );
    assert_eq!(ticket["position"], 7);
    assert_eq!(ticket["expected_wait_seconds"], 12.5);
}

#[tokio::test]
async fn a_match_says_why_it_was_made() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let path = format!("/v1/matches/{TABLE}/pairing");
    let missing = spatz.get(&path).by(&anna).send().await;
    missing.problem(404, "not_found");
    let paired = |id: Uuid, window, party| wire::PairedPlayer {
        player_id: id.to_string(),
        rating: 1_213,
        waited_ms: 61_500,
        window,
        party,
    };
    let pairing = wire::Pairing {
        match_id: TABLE.to_string(),
        queue_id: "casual-brixental-4".to_owned(),
        made_ms: messages::NOW_MS,
        players: vec![paired(anna.id, None, 0), paired(Uuid::nil(), Some(110), 1)],
        bots: 2,
        spread: 40,
        repeats: 1,
    };
    spatz.fakes.set(|state| state.pairing = Some(pairing));
    let told = spatz.get(&path).by(&anna).send().await.ok(200);
    let expected = json!({
        "match_id": TABLE, "queue_id": "casual-brixental-4",
        "made_at": "2026-11-30T09:20:06.123Z",
        "players": [
            {"player": {"id": anna.id, "name": "Anna"}, "rating": 1213, "waited_seconds": 61.5,
             "rating_window": null, "party": null},
            {"player": {"id": Uuid::nil(), "name": "deleted player"}, "rating": 1213,
             "waited_seconds": 61.5, "rating_window": 110, "party": 1},
        ],
        "bots": 2, "rating_spread": 40, "recent_opponents": 1,
    });
    assert_eq!(told, expected);
    assert_eq!(
        spatz.fakes.asked("get_pairing").pop().unwrap().player,
        Some(anna.id)
    );
}

#[tokio::test]
async fn accounts_that_sign_in_from_one_place_show_up_as_a_pair() {
    let spatz = Spatz::start().await;
    let accounts = Accounts::new(spatz.store.db.clone());
    let mut players = Vec::new();
    for name in ["Anna", "Berta", "Clara"] {
        let device = gateway::accounts::DeviceHash::of(&Uuid::new_v4().to_string()).unwrap();
        players.push(accounts.new_guest(device, name).await.unwrap().id);
    }
    players.sort_unstable();
    let home = "192.0.2.7".parse().unwrap();
    let (anna, berta, clara) = (players[0], players[1], players[2]);
    for (player, agent) in [
        (anna, "phone"),
        (berta, "phone"),
        (anna, "desk"),
        (clara, "tablet"),
    ] {
        accounts.trace(player, home, agent).await.unwrap();
        accounts.trace(player, home, agent).await.unwrap();
    }
    let elsewhere = "192.0.2.8".parse().unwrap();
    accounts.trace(clara, elsewhere, "phone").await.unwrap();
    let shared = accounts.shared_traces(10).await.unwrap();
    assert_eq!(shared.len(), 1, "{shared:?}");
    assert_eq!((shared[0].players, shared[0].traces), ((anna, berta), 1));
    assert_eq!(accounts.traces(anna).await.unwrap().len(), 2);
    // What half a school shares tells nothing.
    for number in 0..8 {
        let device = gateway::accounts::DeviceHash::of(&Uuid::new_v4().to_string()).unwrap();
        let name = format!("P{number}");
        let player = accounts.new_guest(device, &name).await.unwrap().id;
        accounts.trace(player, home, "phone").await.unwrap();
    }
    assert_eq!(accounts.shared_traces(10).await.unwrap(), []);
}
