//! What is only read: tickets, queues, matches, players, ladders, rule sets.

use axum::http::Method;
use proto::v1::{Standing, TicketState};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    messages::{self, OTHER, TABLE},
    support::Spatz,
    tables::{rules, score},
};

#[tokio::test]
async fn queues_are_listed_for_everybody() {
    let spatz = Spatz::start().await;
    let queues = spatz.get("/v1/queues").send().await.ok(200);
    let expected = json!({"queues": [{
        "id": "casual-brixental-4", "kind": "casual", "ruleset": "brixental", "players": 4,
        "options": rules()["options"],
        "time_control": {
            "move_seconds": 20.0, "bank_seconds": 60.0, "pause_seconds": 5.0, "bot_seconds": 1.5,
        },
        "waiting": 3, "bots_after_seconds": 15.0,
    }]});
    assert_eq!(queues, expected);
    assert_eq!(spatz.fakes.asked("list_queues").pop().unwrap().player, None);
}

#[tokio::test]
async fn a_ticket_is_made_read_and_cancelled() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let body = json!({"queue_id": "casual-brixental-4"});
    let ticket = spatz
        .post("/v1/tickets", &body)
        .by(&anna)
        .send()
        .await
        .ok(201);
    assert_eq!(ticket["state"], "waiting");
    let asked = spatz.fakes.asked("create_ticket").pop().unwrap();
    assert!(
        asked.message.contains("player_name: \"Anna\""),
        "{}",
        asked.message
    );

    let matched = messages::ticket(OTHER, TicketState::Matched);
    spatz.fakes.set(|state| state.tickets = vec![matched]);
    let path = format!("/v1/tickets/{OTHER}");
    let ticket = spatz.get(&path).by(&anna).send().await.ok(200);
    assert_eq!(ticket["table_id"], json!(TABLE));
    let cancelled = spatz
        .call(Method::DELETE, &path)
        .by(&anna)
        .send()
        .await
        .ok(200);
    assert_eq!(cancelled["state"], "cancelled");
}

#[tokio::test]
async fn a_match_shows_the_names_its_players_have_now() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let summary = messages::summary(&[(anna.id, "Old name"), (Uuid::nil(), "Never was")]);
    spatz.fakes.set(|state| state.summary = Some(summary));
    let found = spatz
        .get(&format!("/v1/matches/{TABLE}"))
        .by(&anna)
        .send()
        .await
        .ok(200);
    let expected = json!({
        "id": TABLE, "kind": "casual", "queue_id": "casual-brixental-4", "ladder": null,
        "rules": rules(), "started_at": "2026-11-30T09:19:06.123Z",
        "ended_at": "2026-11-30T09:20:06.123Z",
        "seats": [
            {"type": "player", "id": anna.id, "name": "Anna"},
            {"type": "player", "id": Uuid::nil(), "name": "deleted player"},
            {"type": "bot", "level": "standard"},
        ],
        "result": {
            "scores": [0, 15, 0, -3], "places": [2, 1, 2, 4], "settlement": [-12, 57, -12, -33],
            "abandoned": [false, false, true, false], "pot_shares": [],
        },
        "score_sheet": [score()],
    });
    assert_eq!(found, expected);

    let replay = spatz
        .get(&format!("/v1/matches/{TABLE}/replay"))
        .by(&anna)
        .send()
        .await
        .ok(200);
    let at = "2026-11-30T09:20:06.123Z";
    let expected = json!({
        "format": 1, "match": expected, "server_seed": "0101", "seed_hash": "0202", "nonces": ["03", "04"],
        "deals": [{
            "number": 1, "dealer": 0, "hands": [["HA"]], "shuffle": 1_000_001,
            "talon": ["S6"],
            "actions": [
                {"version": 7, "at": at, "seat": 1, "by": "clock",
                    "action": {"type": "discard", "count": 2, "cards": ["E6", "G6"]}},
                {"version": 8, "at": at, "seat": 2, "by": "clock",
                    "action": {"type": "play", "card": "HA"}},
            ],
            "score": score(),
        }],
    });
    assert_eq!(replay, expected);
}

#[tokio::test]
async fn a_players_matches_and_ratings_are_public() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    spatz
        .fakes
        .set(|state| state.summary = Some(messages::summary(&[(anna.id, "Anna")])));
    let path = format!("/v1/players/{}", anna.id);
    let page = spatz
        .get(&format!("{path}/matches?limit=7"))
        .send()
        .await
        .ok(200);
    assert_eq!(page["matches"].as_array().unwrap().len(), 1);
    assert_eq!(page["next"], "page2");
    let asked = spatz.fakes.asked("list_matches").pop().unwrap();
    assert!(asked.message.contains("limit: 7"), "{}", asked.message);
    let page = spatz
        .get(&format!("{path}/matches?cursor=page2"))
        .send()
        .await
        .ok(200);
    assert_eq!(page["next"], Value::Null);

    let ratings = spatz.get(&format!("{path}/ratings")).send().await.ok(200);
    let history = json!([{
        "match_id": TABLE, "at": "2026-11-30T09:20:06.123Z", "before": 1200, "after": 1213,
        "place": 1, "number": 3, "rated_place": 1, "players": 2, "against": [1200],
        "expected": 0.5, "wins": 1.0, "k": 40, "abandoned": false, "reason": "1st of 2",
    }]);
    let expected = json!({"ratings": [{
        "ladder_id": "brixental-s1", "rating": 1213, "matches": 1, "provisional": true,
        "peak": 1220, "tier": {"name": "unter", "next": 1275, "progress": 17},
        "history": history,
    }]});
    assert_eq!(ratings, expected);

    let of_ladder = format!("{path}/ratings/brixental-s1?limit=7");
    let page = spatz.get(&of_ladder).send().await.ok(200);
    assert_eq!(page, json!({"history": history, "next": "page2"}));
    let asked = spatz.fakes.asked("list_rating_history").pop().unwrap();
    for part in ["limit: 7", "brixental-s1", &anna.id.to_string()] {
        assert!(asked.message.contains(part), "{}", asked.message);
    }
}

#[tokio::test]
async fn ladders_have_standings_with_names() {
    let spatz = Spatz::start().await;
    let anna = spatz.guest("Anna").await;
    let ladders = spatz.get("/v1/ladders").send().await.ok(200);
    let expected = json!({"ladders": [{
        "id": "brixental-s1", "ruleset": "brixental", "season": 1,
        "opened_at": "2026-11-30T09:20:06.123Z", "closed_at": null,
        "closes_at": "2026-11-30T09:20:06.123Z",
    }]});
    assert_eq!(ladders, expected);

    let standing = Standing {
        rank: 1,
        player_id: anna.id.to_string(),
        rating: 1213,
        matches: 21,
        tier: "unter".to_owned(),
    };
    spatz.fakes.set(|state| state.standings = vec![standing]);
    let first = json!([{
        "rank": 1, "player": {"id": anna.id, "name": "Anna"}, "rating": 1213, "matches": 21,
        "tier": "unter",
    }]);
    let path = "/v1/ladders/brixental-s1";
    let page = spatz.get(&format!("{path}/standings")).send().await.ok(200);
    assert_eq!(page, json!({"standings": first, "next": "page2"}));
    let around = spatz
        .get(&format!("{path}/around/{}?span=2", anna.id))
        .send()
        .await
        .ok(200);
    assert_eq!(around, json!({"standings": first}));
    let asked = spatz.fakes.asked("list_around").pop().unwrap();
    assert!(asked.message.contains("span: Some(2)"), "{}", asked.message);
    let path = format!("{path}/among?players={},{}", anna.id, Uuid::nil());
    let among = spatz.get(&path).send().await.ok(200);
    assert_eq!(among, json!({"standings": first}));
    let asked = spatz.fakes.asked("list_among").pop().unwrap();
    for player in [anna.id, Uuid::nil()] {
        assert!(
            asked.message.contains(&player.to_string()),
            "{}",
            asked.message
        );
    }
}

#[tokio::test]
async fn rule_sets_say_what_can_be_played() {
    let spatz = Spatz::start().await;
    let listed = spatz.get("/v1/rulesets").send().await.ok(200);
    let set = listed["rulesets"]
        .as_array()
        .unwrap()
        .iter()
        .find(|set| set["id"] == "brixental");
    let set = set.unwrap();
    assert_eq!(set["players"], json!([3, 4]));
    let contracts = set["contracts"].as_array().unwrap();
    assert_eq!(contracts.first().unwrap(), "look_in");
    assert_eq!(contracts.last().unwrap(), "all_tricks");
    let option = |name: &str| {
        let options = set["options"].as_array().unwrap();
        options
            .iter()
            .find(|option| option["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(
        option("discard_from")["values"],
        json!(["original_hand", "any"])
    );
    assert_eq!(option("spatz_multiplied")["default"], false);
    assert_eq!(option("matsch_factor")["default"], 1);
}
