//! One of the players plays over a WebSocket, the others over REST and server-sent events.

use anyhow::ensure;
use serde_json::{Value, json};
use tests::{
    client::Client,
    installation::Installation,
    play::{self, Played},
    socket,
};

use crate::support::{four_guests, open_table, same_action};

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_match_is_played_over_a_websocket() {
    let installation = Installation::embedded().await.expect("start");
    let outcome = whole_match(&installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

async fn whole_match(installation: &Installation) -> anyhow::Result<()> {
    let clients = four_guests(installation.url()).await?;
    let (table, code) = open_table(&clients[0], 4, 1, 1).await?;
    for client in &clients[1..3] {
        let invitation = json!({"invite_code": code});
        client.post("/v1/tables/join", &invitation).await?.good()?;
    }
    let over_rest = async |client: &Client, seed| play::play(client, &table, seed).await;
    let (burgl, anna, christl) = tokio::try_join!(
        socket::play(&clients[1], &table, 7),
        over_rest(&clients[0], 3),
        over_rest(&clients[2], 5),
    )?;
    // All saw the same table, and every action of hers is in it. How much of the bookkeeping after
    // the end somebody still sees is left to chance.
    let up_to_the_end = |played: &Played| {
        let mut events = played.events.iter();
        events.position(|event| event["type"] == "match_ended")
    };
    let end = up_to_the_end(&burgl);
    ensure!(end.is_some());
    for other in [&anna, &christl] {
        ensure!(up_to_the_end(other) == end);
    }
    let hers = |event: &&Value| event["type"] == "action" && event["seat"] == 1;
    let logged: Vec<&Value> = burgl.events.iter().filter(hers).collect();
    let sent = burgl.acknowledged.iter();
    let sent: Vec<_> = sent.filter(|(_, sent)| sent["type"] != "ready").collect();
    ensure!(logged.len() == sent.len() && !sent.is_empty());
    for (logged, (version, sent)) in logged.iter().zip(sent) {
        ensure!(same_action(&logged["action"], sent), "{logged} {sent}");
        ensure!(logged["version"].as_u64() <= Some(*version), "{logged}");
    }
    Ok(())
}
