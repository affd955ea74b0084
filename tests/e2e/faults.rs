//! What networks do to clients: messages that are lost without a sign, connections that break in
//! the middle of an answer, answers to moves that never come. A client that keeps the documented
//! rules ends with every event, and every move is made once.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tests::{
    chaos::{
        check,
        player::{Manner, Played, play},
        transport::How,
    },
    client::Client,
    installation::Installation,
    load::seating,
    play::Choices,
    proxy::{Plan, Proxy},
};

use crate::support::four_guests;

const HEARTBEAT: Duration = Duration::from_millis(100);

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_lose_every_third_event_end_with_all() {
    let plan = Plan {
        drop_message: 3,
        ..Plan::default()
    };
    let (proxy, played) = match_through(plan, &[How::Events]).await;
    let missed: u64 = played.iter().map(|played| played.story.missed).sum();
    assert!(proxy.dropped() > 100 && missed > 100, "{missed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_lose_every_third_message_of_a_socket_end_with_all() {
    let plan = Plan {
        drop_message: 3,
        ..Plan::default()
    };
    let (proxy, played) = match_through(plan, &[How::Socket]).await;
    let missed: u64 = played.iter().map(|played| played.story.missed).sum();
    assert!(proxy.dropped() > 100 && missed > 100, "{missed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_cut_in_the_middle_of_an_answer_cost_no_event_and_no_move() {
    let plan = Plan {
        cut_answer: 7,
        ..Plan::default()
    };
    let (proxy, played) = match_through(plan, &[How::Events, How::Socket]).await;
    let broken: u64 = played.iter().map(|played| played.story.broken).sum();
    assert!(proxy.cut() > 50 && broken > 20, "{broken}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_whose_answer_is_lost_is_made_once_however_often_it_is_sent() {
    let plan = Plan {
        lose_answer: 2,
        ..Plan::default()
    };
    let (proxy, played) = match_through(plan, &[How::Events]).await;
    let again = played.iter().flat_map(|played| played.errors.values());
    assert!(proxy.lost() > 50 && again.sum::<u64>() >= proxy.lost());
}

/// A whole match of four who reach the server through a proxy alone, compared with its archive.
async fn match_through(plan: Plan, how: &[How]) -> (Proxy, Vec<Played>) {
    let heartbeat = HEARTBEAT.as_millis().to_string();
    let settings = vec![("SPATZ_HEARTBEAT_MS", heartbeat)];
    let installation = Installation::embedded_with(settings).await.expect("start");
    let outcome = async {
        let clients = four_guests(installation.url()).await?;
        let table = seating::private_table(&clients, "rounds(1)").await?;
        let proxy = Proxy::start(installation.url(), plan).await?;
        let mut players = Vec::new();
        for (seat, client) in clients.iter().enumerate() {
            let manner = Manner {
                how: how[seat % how.len()],
                think: Duration::ZERO,
                silence: 10 * HEARTBEAT,
                patience: Duration::from_secs(30),
                rated: false,
            };
            let (table, client) = (&table, client.through(&proxy.url));
            players.push(async move {
                let mut choices = Choices::new(seat as u64);
                play(&client, table, &mut choices, manner).await
            });
        }
        let played = futures::future::join_all(players).await;
        compare(&clients, &table, &played).await?;
        anyhow::Ok((proxy, played))
    };
    let outcome = outcome.await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()))
}

async fn compare(clients: &[Client], table: &str, played: &[Played]) -> anyhow::Result<()> {
    let replay: Value = check::replay_of(clients.first().context("nobody")?, table).await?;
    for (client, played) in clients.iter().zip(played) {
        ensure!(played.gave_up.is_none(), "{:?}", played.gave_up);
        ensure!(played.refused.is_empty(), "{:?}", played.refused);
        ensure!(played.story.repeated == 0, "{:?}", played.story);
        check::events(played, &replay, false)?;
        let seat = check::seat_of(&replay, &client.player)?;
        let logged = check::actions_of(&replay, seat);
        let compared = check::compare(&played.acknowledged, &logged);
        ensure!(
            compared == check::Compared::default(),
            "seat {seat}: {compared:?}"
        );
    }
    Ok(())
}
