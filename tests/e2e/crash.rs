//! `kill -9` in the middle of a deal: the match goes on, and no acknowledged action is lost.

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tests::{
    client::Client,
    events::{Events, all},
    installation::Installation,
    play::{self, Played},
    replay,
};

use crate::support::{four_guests, matched, same_action};

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_spatz_serve_loses_no_acknowledged_action() {
    let mut installation = Installation::embedded().await.expect("start");
    let outcome = crash_mid_deal(&mut installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_game_process_loses_no_acknowledged_action() {
    let mut installation = Installation::cluster().await.expect("start");
    let outcome = crash_mid_deal(&mut installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

#[tokio::test(flavor = "multi_thread")]
async fn spatz_serve_continues_every_game_after_a_stop() {
    let mut installation = Installation::embedded().await.expect("start");
    let outcome = stop_mid_deal(&mut installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

async fn crash_mid_deal(installation: &mut Installation) -> anyhow::Result<()> {
    let clients = four_guests(installation.url()).await?;
    let table = matched(&clients, "ranked-brixental-4").await?;
    let playing = play_all(&clients, &table);
    let crashing = async {
        // Three times, in different deals.
        for tricks in [3, 9, 20] {
            wait_for_tricks(&clients[0], &table, tricks).await?;
            installation.crash(installation.game_role()).await?;
        }
        anyhow::Ok(())
    };
    let (played, crashed) = tokio::join!(playing, crashing);
    crashed?;
    check(&clients, &table, &played?).await
}

async fn stop_mid_deal(installation: &mut Installation) -> anyhow::Result<()> {
    let clients = four_guests(installation.url()).await?;
    let table = matched(&clients, "ranked-brixental-4").await?;
    let in_play = |view: &Value| view["phase"] == "play" && !view["deal"]["last_trick"].is_null();
    let before = play::play_until(&clients, &table, 7, in_play).await?;
    installation.restart("serve").await?;
    let me = clients.iter().find(|client| {
        let mine = &before["seats"][before["my_seat"].as_u64().unwrap_or_default() as usize];
        mine["occupant"]["id"] == client.player
    });
    let after = me.context("my seat")?.table(&table).await?;
    for same in ["version", "deal", "seats", "legal_actions", "seed_hash"] {
        ensure!(
            before[same] == after[same],
            "{same}: {} became {}",
            before[same],
            after[same]
        );
    }
    play_all(&clients, &table).await?;
    Events::new(&clients[0], &table)
        .until("match_rated")
        .await?;
    replay::check(
        &clients[0]
            .get(&format!("/v1/matches/{table}/replay"))
            .await?
            .good()?,
    )
}

async fn play_all(clients: &[Client], table: &str) -> anyhow::Result<Vec<Played>> {
    all(clients
        .iter()
        .zip(1..)
        .map(|(client, seed)| play::play(client, table, seed)))
    .await
}

async fn wait_for_tricks(client: &Client, table: &str, tricks: usize) -> anyhow::Result<()> {
    let mut events = Events::new(client, table);
    let mut finished = 0;
    while finished < tricks {
        let event = events.until("action").await?;
        finished += usize::from(!event["trick"].is_null());
    }
    Ok(())
}

/// Every acknowledged action is in the log, once and in order, and the replay is right.
async fn check(clients: &[Client], table: &str, played: &[Played]) -> anyhow::Result<()> {
    let view = clients[0].table(table).await?;
    for (client, played) in clients.iter().zip(played) {
        let seats = view["seats"].as_array().context("seats")?;
        let seat = seats
            .iter()
            .position(|seat| seat["occupant"]["id"] == client.player);
        let seat = seat.context("a seat")?;
        let logged: Vec<&Value> = played
            .events
            .iter()
            .filter(|event| event["type"] == "action" && event["seat"] == seat)
            .map(|event| &event["action"])
            .collect();
        let acknowledged: Vec<&Value> = played
            .acknowledged
            .iter()
            .map(|(_, action)| action)
            .filter(|action| action["type"] != "ready")
            .collect();
        ensure!(
            logged.len() == acknowledged.len(),
            "seat {seat}: {logged:?} {acknowledged:?}"
        );
        for (logged, acknowledged) in logged.iter().zip(acknowledged) {
            ensure!(
                same_action(logged, acknowledged),
                "{logged} is not {acknowledged}"
            );
        }
    }
    let mut events = Events::new(&clients[0], table);
    events.until("match_rated").await?;
    replay::check(
        &clients[0]
            .get(&format!("/v1/matches/{table}/replay"))
            .await?
            .good()?,
    )
}
