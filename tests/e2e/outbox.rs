//! `kill -9` of the ranking service when a match is rated in Postgres and the copy of its ladder in
//! Redis has not heard of it: the next process brings it, and the match counts once.

use anyhow::{Context as _, ensure};
use tests::{
    client::Client,
    events::{Events, all},
    installation::Installation,
    link::Link,
    load::redis::Redis,
    play,
};

use crate::support::{eventually, four_guests, ladders_of, matched};

const LADDER: &str = "brixental-s1";

#[tokio::test(flavor = "multi_thread")]
async fn what_was_rated_before_a_kill_reaches_the_copy_after_it() {
    let mut installation = Installation::cluster().await.expect("start");
    let outcome = killed_before_delivery(&mut installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

/// The copy of the ladder, and Redis by its own tools.
struct Copy {
    redis: Redis,
    order: String,
}

impl Copy {
    async fn lines(&self) -> anyhow::Result<i64> {
        self.redis.number(&["ZCARD", &self.order]).await
    }
}

async fn killed_before_delivery(installation: &mut Installation) -> anyhow::Result<()> {
    let setting = |name: &str| installation.setting(name).context("a setting");
    let (redis, prefix) = (setting("SPATZ_REDIS_URL")?, setting("SPATZ_REDIS_PREFIX")?);
    let copy = Copy {
        redis: Redis::new(&redis),
        order: format!("{prefix}:board:{{{LADDER}}}:1:order"),
    };
    let address = redis.trim_start_matches("redis://").to_owned();
    let mut link = Link::open(address).await?;
    installation.stop("ranking").await?;
    installation.set("SPATZ_REDIS_URL", format!("redis://{}", link.address()));
    installation.start_again("ranking").await?;
    installation.set("SPATZ_REDIS_URL", redis);

    // The copy is there and empty when the ranking service loses Redis; nobody else does.
    installation
        .command(&["season", "open", "brixental"])
        .await?;
    let ladders = ladders_of(installation)?;
    eventually(async || Ok(ladders.ladders().await?.iter().any(|one| one.has_copy()))).await?;
    link.cut().await;

    let clients = four_guests(installation.url()).await?;
    let table = matched(&clients, "ranked-brixental-4").await?;
    let played = clients.iter().zip(1..);
    all(played.map(|(client, seed)| play::play(client, &table, seed))).await?;
    eventually(async || Ok(ladders.waiting_lines().await? > 0)).await?;
    installation.kill("ranking").await?;
    ensure!(ladders.waiting_lines().await? == 4, "a line of each player");
    ensure!(copy.lines().await? == 0, "the copy has heard of it");

    installation.start_again("ranking").await?;
    eventually(async || Ok(ladders.waiting_lines().await? == 0)).await?;
    ensure!(copy.lines().await? == 4, "the copy misses lines");
    let compared = installation
        .command(&["ratings", "compare", LADDER])
        .await?;
    ensure!(
        compared == format!("{LADDER}: 4 lines, 0 differ\n"),
        "{compared}"
    );
    check(&clients, &table).await
}

/// Everybody has one match, and stands where the table said.
async fn check(clients: &[Client], table: &str) -> anyhow::Result<()> {
    let rated = Events::new(&clients[0], table).until("match_rated").await?;
    let path = format!("/v1/ladders/{LADDER}/standings");
    let page = clients[0].get(&path).await?.good()?;
    let standings = page["standings"].as_array().context("standings")?;
    ensure!(standings.len() == clients.len(), "{page}");
    for change in rated["changes"].as_array().context("changes")? {
        let player = change["player_id"].as_str().context("player_id")?;
        let mut lines = standings.iter();
        let line = lines.find(|line| line["player"]["id"] == player);
        let line = line.context("a line")?;
        ensure!(line["rating"] == change["after"], "{line} {change}");
        ensure!(line["matches"] == 1, "{line}");
        let path = format!("/v1/players/{player}/ratings/{LADDER}");
        let history = clients[0].get(&path).await?.good()?;
        let changes = history["history"].as_array().context("changes")?;
        ensure!(changes.len() == 1, "{history}");
    }
    Ok(())
}
