//! What these tests share: seating players, and reading what the server says.

use anyhow::Context as _;
use chassis::db::Db;
use ranking::Ranking;
use serde_json::{Value, json};
use tests::{
    client::{BACK_OFF, Client, PATIENCE},
    events::all,
    installation::Installation,
};

/// Four fresh guests.
pub(crate) async fn four_guests(url: &str) -> anyhow::Result<Vec<Client>> {
    let names = ["Anna", "Burgl", "Christl", "Dori"];
    all(names.map(|name| Client::guest(url, name))).await
}

/// Queues players and waits until they are matched to one table. Returns its id.
pub(crate) async fn matched(clients: &[Client], queue: &str) -> anyhow::Result<String> {
    let tables = all(clients.iter().map(|client| find_table(client, queue))).await?;
    anyhow::ensure!(
        tables.iter().all(|table| *table == tables[0]),
        "different tables: {tables:?}"
    );
    Ok(tables[0].clone())
}

async fn find_table(client: &Client, queue: &str) -> anyhow::Result<String> {
    let ticket = client
        .post("/v1/tickets", &json!({"queue_id": queue}))
        .await?
        .good()?;
    let path = format!("/v1/tickets/{}", ticket["id"].as_str().context("id")?);
    loop {
        let ticket = client.get(&path).await?.good()?;
        match ticket["state"].as_str() {
            Some("matched") => return Ok(ticket["table_id"].as_str().context("table")?.to_owned()),
            Some("waiting" | "proposed") => tokio::time::sleep(BACK_OFF).await,
            _ => anyhow::bail!("unexpected {ticket}"),
        }
    }
}

/// Opens a private table on which nobody waits. Returns its id and its invite code.
pub(crate) async fn open_table(
    client: &Client,
    players: u8,
    bots: u8,
    rounds: u8,
) -> anyhow::Result<(String, String)> {
    let options = json!({"length": format!("rounds({rounds})")});
    open_table_of(client, "brixental", players, bots, &options).await
}

/// The same for any game.
pub(crate) async fn open_table_of(
    client: &Client,
    ruleset: &str,
    players: u8,
    bots: u8,
    options: &Value,
) -> anyhow::Result<(String, String)> {
    let request = json!({
        "ruleset": ruleset, "players": players, "bots": bots, "options": options,
        "time_control": {
            "move_seconds": 600, "bank_seconds": 0, "pause_seconds": 0, "bot_seconds": 0,
        },
    });
    let opened = client.post("/v1/tables", &request).await?.good()?;
    let text = |name: &str| opened[name].as_str().map(str::to_owned).context("text");
    Ok((text("table_id")?, text("invite_code")?))
}

/// The cards of a value, in any order.
pub(crate) fn sorted(cards: &Value) -> Vec<String> {
    let cards = cards.as_array().into_iter().flatten();
    let mut cards: Vec<String> = cards
        .filter_map(|card| card.as_str().map(str::to_owned))
        .collect();
    cards.sort();
    cards
}

/// Whether two actions are the same, whatever the order of cards laid off.
pub(crate) fn same_action(one: &Value, other: &Value) -> bool {
    let plain = |action: &Value| {
        (
            action["type"].clone(),
            action["bid"].clone(),
            action["card"].clone(),
            action["suit"].clone(),
            sorted(&action["cards"]),
        )
    };
    plain(one) == plain(other)
}

/// The ladders of an installation of several processes, as its database has them.
pub(crate) fn ladders_of(installation: &Installation) -> anyhow::Result<Ranking> {
    let url = installation.setting("SPATZ_POSTGRES_URL");
    let db = Db::open(&url.context("a database")?, 2)?;
    Ok(Ranking::new(db, ranking::Config::default()))
}

/// Asks again until it is so.
pub(crate) async fn eventually(
    mut is_so: impl AsyncFnMut() -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while !is_so().await? {
        anyhow::ensure!(tokio::time::Instant::now() < deadline, "it never came");
        tokio::time::sleep(BACK_OFF).await;
    }
    Ok(())
}
