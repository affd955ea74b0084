//! A ranked match from sign-in to rating, on both adapters.

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tests::{client::Client, events::all, installation::Installation, play, replay};

use crate::support::{four_guests, matched};

#[tokio::test(flavor = "multi_thread")]
async fn a_ranked_match_is_played_rated_and_replayed_on_one_file() {
    let installation = Installation::embedded().await.expect("start");
    ranked_match(&installation)
        .await
        .unwrap_or_else(|error| fail(&installation, &error));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ranked_match_is_played_rated_and_replayed_on_redis_and_postgres() {
    let installation = Installation::cluster().await.expect("start");
    ranked_match(&installation)
        .await
        .unwrap_or_else(|error| fail(&installation, &error));
}

fn fail(installation: &Installation, error: &anyhow::Error) {
    panic!("{error:?}\n{}", installation.logs());
}

async fn ranked_match(installation: &Installation) -> anyhow::Result<()> {
    // In a standing of four different places every rating changes. Others are checked as well,
    // but do not end the test.
    for seed in 1..=10 {
        let clients = four_guests(installation.url()).await?;
        let table = matched(&clients, "ranked-brixental-4").await?;
        let played = clients.iter().enumerate();
        let played = all(played.map(|(n, client)| play::play(client, &table, seed * 4 + n as u64)));
        played.await?;
        let changes = rated(&clients, &table).await?;
        check_history(&clients, &table).await?;
        ensure!(
            changes.iter().sum::<i64>() == 0,
            "rating changes {changes:?}"
        );
        if changes.iter().all(|&change| change != 0) {
            return check_ladder(&clients[0]).await;
        }
    }
    anyhow::bail!("no match ended with four different places")
}

/// Follows the table until it is rated; every player's change, in the order of seats.
async fn rated(clients: &[Client], table: &str) -> anyhow::Result<Vec<i64>> {
    let mut events = tests::events::Events::new(&clients[0], table);
    let rated = events.until("match_rated").await?;
    let ended = events
        .seen
        .iter()
        .find(|event| event["type"] == "match_ended")
        .context("an end")?;
    let places: Vec<u64> = numbers(&ended["result"]["places"])?;
    let settlement: i64 = ended["result"]["settlement"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_i64)
        .sum();
    ensure!(settlement == 0, "{}", ended["result"]);
    let mut changes = Vec::new();
    for (change, place) in rated["changes"]
        .as_array()
        .context("changes")?
        .iter()
        .zip(places)
    {
        let before = change["before"].as_i64().context("before")?;
        let after = change["after"].as_i64().context("after")?;
        ensure!(before == 1200, "{change}");
        ensure!(
            (place == 1 && after > before) || place > 1 || after == before,
            "{change}"
        );
        let player = change["player_id"].as_str().context("player_id")?;
        let ratings = clients[0]
            .get(&format!("/v1/players/{player}/ratings"))
            .await?
            .good()?;
        ensure!(ratings["ratings"][0]["rating"] == after, "{ratings}");
        changes.push(after - before);
    }
    ensure!(changes.len() == clients.len(), "{rated}");
    Ok(changes)
}

fn numbers(value: &Value) -> anyhow::Result<Vec<u64>> {
    let numbers = value.as_array().context("numbers")?.iter();
    numbers
        .map(|number| number.as_u64().context("a number"))
        .collect()
}

/// The match is in everybody's history, and its replay has every action and the same scores.
async fn check_history(clients: &[Client], table: &str) -> anyhow::Result<()> {
    let replay = clients[0]
        .get(&format!("/v1/matches/{table}/replay"))
        .await?
        .good()?;
    replay::check(&replay)?;
    let mut events = tests::events::Events::new(&clients[0], table);
    events.until("match_rated").await?;
    let actions = events.seen.iter().filter(|event| event["type"] == "action");
    let recorded = replay["deals"].as_array().context("deals")?.iter();
    let recorded = recorded.flat_map(|deal| deal["actions"].as_array().into_iter().flatten());
    let versions = |event: &Value| event["version"].as_u64();
    ensure!(
        actions.map(versions).eq(recorded.map(versions)),
        "actions of the replay"
    );
    for client in clients {
        let path = format!("/v1/players/{}/matches", client.player);
        let matches = client.get(&path).await?.good()?;
        ensure!(matches["matches"][0]["id"] == table, "{matches}");
    }
    Ok(())
}

async fn check_ladder(client: &Client) -> anyhow::Result<()> {
    let ladders = client.get("/v1/ladders").await?.good()?;
    let ladder = ladders["ladders"][0]["id"].as_str().context("a ladder")?;
    let page = client
        .get(&format!("/v1/ladders/{ladder}/standings?limit=100"))
        .await?
        .good()?;
    let standings = page["standings"].as_array().context("standings")?;
    let ratings: Vec<i64> = standings
        .iter()
        .filter_map(|s| s["rating"].as_i64())
        .collect();
    ensure!(
        ratings.len() >= 4 && ratings.is_sorted_by(|a, b| a >= b),
        "{page}"
    );
    let path = format!("/v1/ladders/{ladder}/around/{}", client.player);
    let around = client.get(&path).await?.good()?;
    let me = around["standings"].as_array().context("standings")?.iter();
    ensure!(
        me.filter(|s| s["player"]["id"] == client.player).count() == 1,
        "{around}"
    );
    Ok(())
}
