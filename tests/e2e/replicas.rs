//! Two replicas of the game service on the same stores: both are woken for the same tables, and
//! nothing is done twice.

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tests::{
    chaos::check,
    client::Client,
    events::{Events, all},
    installation::{Installation, Plan},
    play,
};

use crate::support::open_table;

/// Tables at once.
const TABLES: u64 = 6;

#[tokio::test(flavor = "multi_thread")]
async fn two_game_replicas_do_nothing_twice() {
    let plan = Plan {
        two_games: true,
        ..Plan::default()
    };
    let installation = Installation::cluster_with(plan).await.expect("start");
    let outcome = all((1..=TABLES).map(|seed| against_bots(&installation, seed))).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

/// Everything but one seat's moves is done by wake-ups: bots, deals, the archive.
async fn against_bots(installation: &Installation, seed: u64) -> anyhow::Result<()> {
    let client = Client::guest(installation.url(), "Toni").await?;
    let (table, _) = open_table(&client, 4, 3, 1).await?;
    play::play(&client, &table, seed).await?;
    let replay = check::replay_of(&client, &table).await?;
    let deals = replay["deals"].as_array().context("deals")?;

    // One for each deal, and one for the match.
    let mut events = Events::new(&client, &table);
    for _ in 0..=deals.len() {
        events.until("archived").await?;
    }
    let count = |kind: &str| {
        let of_kind = events.seen.iter().filter(|event| event["type"] == kind);
        of_kind.count()
    };
    ensure!(count("deal_started") == deals.len() && count("deal_scored") == deals.len());
    ensure!(count("match_ended") == 1 && count("match_rated") == 0);
    let mut ready: Vec<Option<u64>> = events
        .seen
        .iter()
        .filter(|event| event["type"] == "seat_ready")
        .map(|event| event["seat"].as_u64())
        .collect();
    ready.sort_unstable();
    let once = ready.is_sorted_by(|a, b| a < b);
    ensure!(once && !ready.is_empty(), "ready: {ready:?}");
    let actions = deals
        .iter()
        .map(|deal| deal["actions"].as_array().map_or(0, Vec::len));
    ensure!(count("action") == actions.sum::<usize>(), "actions");
    let path = format!("/v1/players/{}/matches", client.player);
    let listed = client.get(&path).await?.good()?;
    ensure!(
        listed["matches"].as_array().map(Vec::len) == Some(1),
        "{listed}"
    );
    let first: &Value = &listed["matches"][0]["id"];
    ensure!(*first == table.as_str(), "{listed}");
    Ok(())
}
