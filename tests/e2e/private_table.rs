//! Private tables: invite codes, bots, three players.

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use tests::{client::Client, events::Events, installation::Installation, play, replay};

use crate::support::{four_guests, matched, open_table, open_table_of};

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_plays_against_bots_on_one_file() {
    let installation = Installation::embedded().await.expect("start");
    let outcome = against_bots(&installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

#[tokio::test(flavor = "multi_thread")]
async fn friends_meet_by_invite_code_on_redis_and_postgres() {
    let installation = Installation::cluster().await.expect("start");
    let outcome = async {
        friends(&installation).await?;
        against_bots(&installation).await?;
        bots_fill_a_casual_queue(&installation).await
    };
    let outcome = outcome.await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

/// Every game with every number of players, and options that change what there is to do.
fn games() -> [(&'static str, u8, Value); 9] {
    [
        ("brixental", 3, json!({"length": "rounds(1)"})),
        ("brixental", 4, json!({"length": "rounds(1)"})),
        ("bauerntarock", 3, json!({"length": "rounds(1)"})),
        ("bauerntarock", 4, json!({"length": "rounds(1)"})),
        ("dobbm", 4, json!({"length": "rounds(1)"})),
        (
            "dobbm",
            4,
            json!({"length": "rounds(1)", "doubling": true, "spatz": true, "spatz_multiplied": true}),
        ),
        ("bavarian", 3, json!({"length": "rounds(1)"})),
        ("haferltarock", 3, json!({"length": "rounds(1)"})),
        (
            "haferltarock",
            3,
            json!({"length": "rounds(1)", "pay_from": "pot", "stake": 3}),
        ),
    ]
}

/// Plays every game to its end; the replay of each leads to the same results. With
/// `SPATZ_BLESS` the replays become the examples of `docs/replay.md`.
async fn against_bots(installation: &Installation) -> anyhow::Result<()> {
    for (ruleset, players, options) in games() {
        let client = Client::guest(installation.url(), "Toni").await?;
        let (table, _) = open_table_of(&client, ruleset, players, players - 1, &options).await?;
        play::play(&client, &table, 5)
            .await
            .with_context(|| format!("{ruleset} with {options}"))?;
        Events::new(&client, &table).until("archived").await?;
        let path = format!("/v1/matches/{table}/replay");
        // The deals are archived one by one; the match is there when the last one is.
        let mut events = Events::new(&client, &table);
        events.until("match_ended").await?;
        events.until("archived").await?;
        while !client.get(&path).await?.status.is_success() {
            events.next().await?;
        }
        let replay = client.get(&path).await?.good()?;
        replay::check(&replay)?;
        if std::env::var_os("SPATZ_BLESS").is_some() {
            let path = format!(
                "{}/../docs/replay/{ruleset}.json",
                env!("CARGO_MANIFEST_DIR")
            );
            std::fs::write(path, serde_json::to_vec(&replay)?)?;
        }
    }
    Ok(())
}

async fn friends(installation: &Installation) -> anyhow::Result<()> {
    let clients = four_guests(installation.url()).await?;
    let (table, code) = open_table(&clients[0], 4, 1, 1).await?;
    // The code may be typed in small letters, with spaces.
    let typed = format!(" {} {}", code[..3].to_lowercase(), &code[3..]);
    for (seat, client) in clients.iter().enumerate().take(3).skip(1) {
        let joined = client
            .post("/v1/tables/join", &json!({"invite_code": typed}))
            .await?
            .good()?;
        ensure!(
            joined["table_id"] == *table && joined["seat"] == seat,
            "{joined}"
        );
        let again = client
            .post("/v1/tables/join", &json!({"invite_code": code}))
            .await?
            .good()?;
        ensure!(again["seat"] == seat, "{again}");
    }
    let full = clients[3]
        .post("/v1/tables/join", &json!({"invite_code": code}))
        .await?;
    ensure!(full.problem() == (409, "table_full".to_owned()), "{full:?}");
    let unknown = clients[3]
        .post("/v1/tables/join", &json!({"invite_code": "QQQQQQ"}))
        .await?;
    ensure!(
        unknown.problem() == (404, "invite_not_found".to_owned()),
        "{unknown:?}"
    );
    let hidden = clients[3].get(&format!("/v1/tables/{table}")).await?;
    ensure!(
        hidden.problem() == (404, "table_not_found".to_owned()),
        "{hidden:?}"
    );
    let players = clients[..3].iter().zip(3..);
    tests::events::all(players.map(|(client, seed)| play::play(client, &table, seed))).await?;
    Ok(())
}

async fn bots_fill_a_casual_queue(installation: &Installation) -> anyhow::Result<()> {
    let client = Client::guest(installation.url(), "Toni").await?;
    let table = matched(std::slice::from_ref(&client), "casual-brixental-3").await?;
    let played = play::play(&client, &table, 1).await?;
    ensure!(
        played
            .events
            .iter()
            .all(|event| event["type"] != "match_rated")
    );
    Ok(())
}
