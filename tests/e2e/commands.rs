//! A command that comes twice at once, late, or before the one that it followed: it is done once,
//! and its answer stays the same.

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use tests::{
    client::{Answer, Client},
    events::{Events, all},
    installation::Installation,
    load::seating,
    play::play_until,
};

use crate::support::four_guests;

#[tokio::test(flavor = "multi_thread")]
async fn a_duplicate_a_delayed_and_an_early_command_are_done_once() {
    let installation = Installation::embedded().await.expect("start");
    let outcome = commands(&installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

/// A seat's turn to play a card, with all cards that it may play.
struct Turn<'a> {
    client: &'a Client,
    seat: u64,
    version: u64,
    cards: Vec<Value>,
}

async fn turn<'a>(
    clients: &'a [Client],
    table: &str,
    mut wanted: impl FnMut(u64, u64) -> bool,
) -> anyhow::Result<Turn<'a>> {
    let view = play_until(clients, table, 11, |view| {
        let plays = &view["legal_actions"][0]["type"] == "play";
        let version = view["version"].as_u64().unwrap_or_default();
        plays && wanted(view["my_seat"].as_u64().unwrap_or_default(), version)
    });
    let view = view.await?;
    let seat = view["my_seat"].as_u64().context("my_seat")?;
    let player = &view["seats"][seat as usize]["occupant"]["id"];
    let client = clients.iter().find(|client| client.player == *player);
    Ok(Turn {
        client: client.context("a client")?,
        seat,
        version: view["version"].as_u64().context("version")?,
        cards: view["legal_actions"].as_array().context("actions")?.clone(),
    })
}

async fn version_of(client: &Client, table: &str) -> anyhow::Result<u64> {
    let view = client.table(table).await?;
    view["version"].as_u64().context("version")
}

async fn commands(installation: &Installation) -> anyhow::Result<()> {
    let clients = four_guests(installation.url()).await?;
    let table = &seating::private_table(&clients, "rounds(1)").await?;
    let first = turn(&clients, table, |_, _| true).await?;
    let card = &first.cards[0];

    // Sent five times at once.
    let sent = (0..5).map(|_| first.client.act(table, "duplicate", card));
    let versions = all(sent).await?.into_iter().map(version_in);
    let versions: Vec<u64> = versions.collect::<Result<_, _>>()?;
    ensure!(
        versions.iter().all(|one| *one == versions[0]),
        "{versions:?}"
    );

    // A command for the seat's next turn comes too early: refused, so not kept under its id.
    let early = json!({
        "command_id": "early", "expected_version": first.version + 2, "action": {"type": "pass"},
    });
    let refused = first
        .client
        .post(&format!("/v1/tables/{table}/actions"), &early)
        .await?;
    ensure!(
        refused.problem() == (409, "stale_version".to_owned()),
        "{refused:?}"
    );
    ensure!(version_of(first.client, table).await? == versions[0]);

    // Others play on; then the first command comes again, as from a slow network.
    let seat = first.seat;
    let again = |own: u64, version: u64| own == seat && version > versions[0];
    let next = turn(&clients, table, again).await?;
    let late = first.client.act(table, "duplicate", card).await?;
    ensure!(version_in(late)? == versions[0]);
    ensure!(version_of(first.client, table).await? == next.version);

    // The early command's id is free: it was never done.
    let done = next.client.act(table, "early", &next.cards[0]).await?;
    let done = version_in(done)?;
    ensure!(version_in(next.client.act(table, "early", &next.cards[0]).await?)? == done);
    let other = json!({"type": "pass"});
    let reused = next.client.act(table, "early", &other).await?;
    ensure!(reused.problem().0 == 422, "{reused:?}");

    // The log has each once.
    let mut events = Events::new(&clients[0], table);
    while (events.seen.len() as u64) < done {
        events.next().await?;
    }
    for (action, from) in [(card, first.version), (&next.cards[0], next.version)] {
        let own = events.seen.iter().filter(|event| {
            event["seat"] == seat
                && event["action"]["card"] == action["card"]
                && event["version"].as_u64() > Some(from)
        });
        ensure!(own.count() == 1, "{action}");
    }
    Ok(())
}

fn version_in(answer: Answer) -> anyhow::Result<u64> {
    answer.good()?["version"].as_u64().context("version")
}
