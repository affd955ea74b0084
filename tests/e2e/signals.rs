//! `spatz signals` beside the four services that run: two accounts of one device that meet again
//! and again in a crowd are listed, with the evidence, and nobody else is.

use anyhow::{Context as _, ensure};
use serde_json::json;
use tests::{client::Client, events::all, installation::Installation, load::redis::Redis};
use uuid::Uuid;

use crate::support::{eventually, matched};

const QUEUE: &str = "casual-brixental-4";
/// How often the two meet.
const MEETINGS: usize = 7;
/// Tables of others, so that chance would hardly bring the two together.
const CROWD: usize = 32;

#[tokio::test(flavor = "multi_thread")]
async fn two_accounts_that_meet_again_and_again_are_listed_with_the_evidence() {
    let installation = Installation::cluster().await.expect("start");
    let outcome = signals(&installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

/// A guest whose program says that it is this one.
async fn guest(url: &str, name: &str, agent: &str) -> anyhow::Result<Client> {
    let http = reqwest::Client::builder().user_agent(agent).build()?;
    Client::guest_with(http, url, name).await
}

async fn strangers(url: &str, count: usize) -> anyhow::Result<Vec<Client>> {
    let agent = || Uuid::new_v4().to_string();
    all((0..count).map(|_| async move { guest(url, "Toni", &agent()).await })).await
}

async fn signals(installation: &Installation) -> anyhow::Result<()> {
    let none = installation.command(&["signals", "--days", "7"]).await?;
    let expected = "0 matches of the last 7 days\n\n\
        Pairs that met more often than chance explains:\n  none\n\n\
        Pairs of whom one is ahead more often than ratings explain:\n  none\n\n\
        Pairs of accounts that signed in with the same kind of client from the same network:\n  \
        none\n";
    ensure!(none == expected, "{none}");

    let url = installation.url();
    let anna = guest(url, "Anna", "one phone").await?;
    let burgl = guest(url, "Burgl", "one phone").await?;
    let mut tables = Vec::new();
    for _ in 0..MEETINGS {
        tables.push(meet(installation, &anna, &burgl).await?);
    }
    let crowd = strangers(url, 4 * CROWD).await?;
    for four in crowd.chunks(4) {
        matched(four, QUEUE).await?;
    }

    let mut listed = String::new();
    let matches = MEETINGS + CROWD;
    eventually(async || {
        listed = installation.command(&["signals"]).await?;
        Ok(listed.starts_with(&format!("{matches} matches of the last 30 days\n")))
    })
    .await?;
    let mut both = [(&anna, "Anna"), (&burgl, "Burgl")];
    both.sort_by(|one, other| one.0.player.cmp(&other.0.player));
    let [one, other] = both.map(|(client, name)| format!("{name} ({})", client.player));
    tables.reverse();
    let newest = tables[..5].join(" ");
    // 21 seats beside her, 7 of 149 others' seats are the other's.
    let often = format!(
        "chance explains:\n  {one} and {other}: 7 times, 1.0 expected\n    \
         newest matches: {newest}\n\nPairs of whom one is ahead more often than ratings \
         explain:\n  none\n\n"
    );
    ensure!(listed.contains(&often), "{often}{listed}");
    let place = format!("network:\n  {one} and {other}: in 1 places, last 20");
    ensure!(listed.contains(&place), "{place}{listed}");
    ensure!(listed.lines().count() == 11, "{listed}");
    Ok(())
}

/// The two queue with two strangers, sit at a table with them, and leave. Returns its id.
async fn meet(
    installation: &Installation,
    anna: &Client,
    burgl: &Client,
) -> anyhow::Result<String> {
    forget(installation, &[anna, burgl]).await?;
    let mut four = vec![anna.clone(), burgl.clone()];
    four.extend(strangers(installation.url(), 2).await?);
    let table = matched(&four, QUEUE).await?;
    for client in [anna, burgl] {
        let leave = json!({"type": "leave"});
        client.act_for_sure(&table, &leave).await?;
    }
    Ok(table)
}

/// An hour passes in which they do not play: they are no recent opponents any more.
async fn forget(installation: &Installation, clients: &[&Client]) -> anyhow::Result<()> {
    let setting = |name: &str| installation.setting(name).context("a setting");
    let redis = Redis::new(&setting("SPATZ_REDIS_URL")?);
    let prefix = setting("SPATZ_REDIS_PREFIX")?;
    for client in clients {
        let key = format!("{prefix}:{{mm}}:recent:{}", client.player);
        redis.number(&["DEL", &key]).await?;
    }
    Ok(())
}
