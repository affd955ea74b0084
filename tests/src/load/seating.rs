//! Guests at tables: private ones, by invite code, or those that a queue makes.

use anyhow::Context as _;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::json;

use crate::client::{BACK_OFF, Client, PATIENCE};

/// Sign-ins at once.
const SIGN_INS: usize = 16;

/// Signs in so many guests, who share connections.
///
/// # Errors
/// When one is refused.
pub async fn guests(url: &str, count: usize) -> anyhow::Result<Vec<Client>> {
    let http = reqwest::Client::builder()
        .timeout(PATIENCE)
        .tcp_nodelay(true)
        .build()?;
    let guest = |number: usize| {
        let http = http.clone();
        async move { Client::guest_with(http, url, &format!("Guest {number}")).await }
    };
    stream::iter((0..count).map(guest))
        .buffered(SIGN_INS)
        .try_collect()
        .await
}

/// Opens a private table and seats these guests. Returns its id.
///
/// # Errors
/// When a request is refused.
pub async fn private_table(clients: &[Client], length: &str) -> anyhow::Result<String> {
    let request = json!({
        "ruleset": "brixental", "players": clients.len(), "bots": 0,
        "options": {"length": length},
        "time_control": {
            "move_seconds": 600, "bank_seconds": 0, "pause_seconds": 0, "bot_seconds": 0,
        },
    });
    let (first, others) = clients.split_first().context("nobody")?;
    let opened = first.post("/v1/tables", &request).await?.good()?;
    let code = json!({"invite_code": opened["invite_code"]});
    for client in others {
        client.post("/v1/tables/join", &code).await?.good()?;
    }
    let table = opened["table_id"].as_str();
    Ok(table.context("table_id")?.to_owned())
}

/// Queues a guest and waits for the match. Returns its table.
///
/// # Errors
/// When the ticket is refused or ends otherwise.
pub async fn matched(client: &Client, queue: &str) -> anyhow::Result<String> {
    let ticket = client
        .post("/v1/tickets", &json!({"queue_id": queue}))
        .await?;
    let ticket = ticket.good()?;
    let path = format!("/v1/tickets/{}", ticket["id"].as_str().context("id")?);
    loop {
        let ticket = client.get(&path).await?.good()?;
        match ticket["state"].as_str() {
            Some("matched") => return Ok(ticket["table_id"].as_str().context("table")?.to_owned()),
            Some("waiting" | "proposed") => tokio::time::sleep(10 * BACK_OFF).await,
            _ => anyhow::bail!("unexpected {ticket}"),
        }
    }
}
