//! What an operator does with ladders by command, beside the four services that run: seasons,
//! copies, history rated again.

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tests::{
    client::Client,
    events::{Events, all},
    installation::Installation,
    load::redis::Redis,
    play,
};

use crate::support::{eventually, four_guests, ladders_of, matched};

const LADDER: &str = "brixental-s1";

#[tokio::test(flavor = "multi_thread")]
async fn seasons_copies_and_history_obey_the_operator_while_the_services_run() {
    let installation = Installation::cluster().await.expect("start");
    let outcome = async {
        open_and_schedule(&installation).await?;
        let clients = four_guests(installation.url()).await?;
        unequal_match(&clients).await?;
        mend_copy(&installation).await?;
        take_out(&installation, &clients).await?;
        close(&installation, &clients[0]).await?;
        close_on_time(&installation).await
    };
    let outcome: anyhow::Result<()> = outcome.await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

/// What a command says when it is refused.
async fn refused(installation: &Installation, arguments: &[&str]) -> anyhow::Result<String> {
    match installation.command(arguments).await {
        Ok(text) => anyhow::bail!("{arguments:?} was not refused: {text}"),
        Err(error) => Ok(error.to_string()),
    }
}

/// A line of a ladder: its id, when it opened, and the rest.
fn ladder_in(line: &str) -> anyhow::Result<(&str, &str, &str)> {
    let (id, rest) = line.split_once(": opened ").context("a ladder")?;
    let (opened, end) = rest.split_once(", ").context("an instant")?;
    ensure!(opened.len() == 24 && opened.ends_with('Z'), "{line}");
    Ok((id, opened, end))
}

async fn open_and_schedule(installation: &Installation) -> anyhow::Result<()> {
    let season = async |arguments: &[&str]| -> anyhow::Result<Vec<String>> {
        let text = installation
            .command(&[&["season"], arguments].concat())
            .await?;
        Ok(text.lines().map(str::to_owned).collect())
    };
    ensure!(
        season(&["list"]).await?.is_empty(),
        "ladders before any match"
    );
    // Noon in Vienna is 10:00 UTC in summer.
    let noon = ["--closes", "2099-07-01T12:00[Europe/Vienna]"];
    let open = ["open", "brixental", "dobbm"];
    let opened = season(&[&open[..], &noon].concat()).await?;
    let closes = "open, closes 2099-07-01T10:00:00.000Z";
    for (line, id) in opened.iter().zip(["brixental-s1", "dobbm-s1"]) {
        let (found, _, end) = ladder_in(line)?;
        ensure!((found, end) == (id, closes), "{line}");
    }
    ensure!(opened.len() == 2 && season(&["list"]).await? == opened);

    let never = season(&["schedule", "brixental", "--closes", "never"]).await?;
    ensure!(ladder_in(&never[0])?.2 == "open", "{never:?}");
    let closed = season(&["close", "dobbm"]).await?;
    ensure!(
        ladder_in(&closed[0])?.2.starts_with("closed 20"),
        "{closed:?}"
    );

    // Winter in Vienna.
    let yearly = ["--season-schedule", "yearly 1 04:00 Europe/Vienna"];
    let scheduled = season(&[&yearly[..], &["open", "haferltarock"]].concat()).await?;
    ensure!(
        ladder_in(&scheduled[0])?
            .2
            .ends_with("-01-01T03:00:00.000Z"),
        "{scheduled:?}"
    );

    for (arguments, says) in [
        (&["open", "brixental"][..], "a season of brixental is open"),
        (
            &["--season-schedule", "daily 1 04:00 Europe/Vienna", "list"],
            "expected `weekly 1-7`, `monthly 1-28`, `quarterly 1-28` or `yearly 1-28`",
        ),
        (&["close", "dobbm"], "no season of dobbm is open"),
        (
            &["schedule", "dobbm", "--closes", "never"],
            "no season of dobbm is open",
        ),
        (&["close", "poker"], "poker: expected one of brixental, "),
        (
            &["schedule", "brixental", "--closes", "2001-01-01T00:00:00Z"],
            "expected an instant that is still to come",
        ),
        (
            &["schedule", "brixental", "--closes", "tomorrow"],
            "tomorrow: expected an instant such as 2027-04-01T04:00[Europe/Vienna]",
        ),
    ] {
        let said = refused(installation, &[&["season"], arguments].concat()).await?;
        ensure!(said.contains(says), "{arguments:?}: {said}");
    }
    ensure!(season(&["list"]).await? == [never, closed, scheduled].concat());
    Ok(())
}

/// Ranked matches until not all stand equal.
async fn unequal_match(clients: &[Client]) -> anyhow::Result<()> {
    for seed in 1..=10 {
        let table = matched(clients, "ranked-brixental-4").await?;
        let played = clients.iter().zip(seed * 4..);
        all(played.map(|(client, seed)| play::play(client, &table, seed))).await?;
        Events::new(&clients[0], &table)
            .until("match_rated")
            .await?;
        let standings = standings(&clients[0], LADDER).await?;
        if standings
            .iter()
            .any(|line| line["rating"] != standings[0]["rating"])
        {
            return Ok(());
        }
    }
    anyhow::bail!("all matches ended without a winner")
}

async fn standings(client: &Client, ladder: &str) -> anyhow::Result<Vec<Value>> {
    let path = format!("/v1/ladders/{ladder}/standings");
    let page = client.get(&path).await?.good()?;
    Ok(page["standings"].as_array().context("standings")?.clone())
}

/// A copy of which a line is lost is found, and made anew.
async fn mend_copy(installation: &Installation) -> anyhow::Result<()> {
    let ladders = ladders_of(installation)?;
    let is_copied = async || {
        let ladders = ladders.ladders().await?;
        Ok(ladders.iter().any(|one| one.id == LADDER && one.has_copy()))
    };
    eventually(is_copied).await?;
    let same = format!("{LADDER}: 4 lines, 0 differ\n");
    let compare = ["ratings", "compare", LADDER];
    let compared = installation.command(&compare).await?;
    ensure!(compared == same, "{compared}");

    let setting = |name: &str| installation.setting(name).context("a setting");
    let redis = Redis::new(&setting("SPATZ_REDIS_URL")?);
    let prefix = setting("SPATZ_REDIS_PREFIX")?;
    let order = format!("{prefix}:board:{{{LADDER}}}:1:order");
    let removed = redis.number(&["ZREMRANGEBYRANK", &order, "0", "0"]).await?;
    ensure!(removed == 1, "no line to lose");
    let said = refused(installation, &compare).await?;
    let differ = format!("{LADDER}: 4 lines, 1 differ\n  ");
    ensure!(said.starts_with(&differ), "{said}");
    ensure!(said.contains("; copy not listed\n"), "{said}");
    ensure!(
        said.contains("1 ladders differ from their copies, or have none"),
        "{said}"
    );

    let rebuilt = installation
        .command(&["ratings", "rebuild", LADDER])
        .await?;
    ensure!(rebuilt == format!("{LADDER}: rebuilt\n"), "{rebuilt}");
    let compared = installation.command(&compare).await?;
    ensure!(compared == same, "{compared}");
    Ok(())
}

/// The best player is taken out of history, first for show; and comes back.
async fn take_out(installation: &Installation, clients: &[Client]) -> anyhow::Result<()> {
    let recompute = async |more: &[&str]| -> anyhow::Result<Vec<String>> {
        let arguments = [&["ratings", "recompute"], more].concat();
        let text = installation.command(&arguments).await?;
        Ok(text.lines().map(str::to_owned).collect())
    };
    let before = standings(&clients[0], LADDER).await?;
    let matches = &before[0]["matches"];
    let unchanged =
        format!("{matches} matches rated again, 0 lines change, not stored: --apply stores it");
    ensure!(recompute(&[]).await? == [unchanged.as_str()]);

    let best = before[0]["player"]["id"].as_str().context("a player")?;
    let shown = recompute(&["--without", best]).await?;
    ensure!(
        standings(&clients[0], LADDER).await? == before,
        "stored by showing"
    );
    let (end, moved) = shown.split_last().context("an end")?;
    let count = moved.len();
    ensure!(
        *end == format!(
            "{matches} matches rated again, {count} lines change, not stored: --apply stores it"
        ),
        "{end}"
    );
    let out: Vec<&String> = moved
        .iter()
        .filter(|line| line.ends_with("(taken out)"))
        .collect();
    ensure!(out.len() == 1 && out[0].contains(best), "{shown:?}");

    let applied = recompute(&["--without", best, "--apply"]).await?;
    let stored = format!("{matches} matches rated again, {count} lines change, stored");
    ensure!(applied == [moved, &[stored]].concat(), "{applied:?}");
    let after = standings(&clients[0], LADDER).await?;
    ensure!(after.len() == 3 && after.iter().all(|line| line["player"]["id"] != best));
    for line in after {
        let player = line["player"]["id"].as_str().context("a player")?;
        let was = before.iter().find(|old| old["player"]["id"] == player);
        let (was, is) = (&was.context("a player")?["rating"], &line["rating"]);
        let told = format!("{LADDER} {player} {was} -> {is} (");
        let listed = moved.iter().any(|line| line.starts_with(&told));
        ensure!(listed == (was != is), "{told} {moved:?}");
    }

    recompute(&["--with", best, "--apply"]).await?;
    ensure!(
        standings(&clients[0], LADDER).await? == before,
        "another history"
    );
    ensure!(recompute(&[]).await? == [unchanged]);
    Ok(())
}

/// The season closes with the next one open; its standings stay.
async fn close(installation: &Installation, client: &Client) -> anyhow::Result<()> {
    let before = standings(client, LADDER).await?;
    let next = installation
        .command(&["season", "close", "brixental", "--next"])
        .await?;
    let (id, opened, end) = ladder_in(next.trim_end())?;
    ensure!((id, end) == ("brixental-s2", "open"), "{next}");
    let listed = installation.command(&["season", "list"]).await?;
    let lines: Vec<_> = listed.lines().map(ladder_in).collect::<Result<_, _>>()?;
    let closed = format!("closed {opened}");
    ensure!(
        lines[0] == (id, opened, "open") && (lines[1].0, lines[1].2) == (LADDER, &closed),
        "{listed}"
    );
    let ladders = client.get("/v1/ladders").await?.good()?;
    let ladders = ladders["ladders"].as_array().context("ladders")?;
    let seasons = ladders.iter().filter(|one| one["ruleset"] == "brixental");
    ensure!(seasons.count() == 2, "{ladders:?}");
    ensure!(standings(client, LADDER).await? == before, "not final");
    ensure!(standings(client, "brixental-s2").await?.is_empty());
    Ok(())
}

/// The service closes a season at its instant, and the next one opens at the same.
async fn close_on_time(installation: &Installation) -> anyhow::Result<()> {
    let at = close_soon(installation).await?;
    let mut listed = String::new();
    eventually(async || {
        listed = installation.command(&["season", "list"]).await?;
        Ok(listed.contains("brixental-s3"))
    })
    .await?;
    let lines: Vec<_> = listed.lines().map(ladder_in).collect::<Result<_, _>>()?;
    let closed = format!("closed {at}");
    ensure!(
        lines[0] == ("brixental-s3", &at, "open") && lines[1].2 == closed,
        "{listed}"
    );
    Ok(())
}

/// Says that the season closes in a moment, later if the command takes longer. Returns when.
async fn close_soon(installation: &Installation) -> anyhow::Result<String> {
    let mut refused = String::new();
    for ahead_ms in [2_000, 10_000, 60_000] {
        let at = chassis::rfc3339(chassis::now_ms() + ahead_ms);
        let schedule = ["season", "schedule", "brixental", "--closes", &at];
        match installation.command(&schedule).await {
            Ok(text) => {
                let closes = format!("open, closes {at}");
                ensure!(ladder_in(text.trim_end())?.2 == closes, "{text}, not {at}");
                return Ok(at);
            }
            Err(error) => refused = error.to_string(),
        }
    }
    anyhow::bail!("{refused}")
}
