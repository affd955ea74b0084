//! A dump of Postgres is restored as another database, as docs/backup.md says, and players go on.

use std::{path::PathBuf, process::Command};

use anyhow::{Context as _, ensure};
use tests::{
    chaos::check,
    client::Client,
    events::{Events, all},
    installation::Installation,
    play,
};

use crate::support::{four_guests, matched, open_table};

const ROLES: [&str; 4] = ["ranking", "game", "matchmaking", "gateway"];

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_dump_is_played_on() {
    let mut installation = Installation::cluster().await.expect("start");
    let outcome = restore_and_play(&mut installation).await;
    outcome.unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

async fn restore_and_play(installation: &mut Installation) -> anyhow::Result<()> {
    let clients = four_guests(installation.url()).await?;
    let rated = matched(&clients, "ranked-brixental-4").await?;
    let played = clients.iter().zip(1..);
    all(played.map(|(client, seed)| play::play(client, &rated, seed))).await?;
    Events::new(&clients[0], &rated)
        .until("match_rated")
        .await?;
    let anna = &clients[0];
    let before = facts(anna, &rated).await?;
    let (running, _) = open_table(anna, 4, 3, 1).await?;

    for role in ROLES.iter().rev() {
        installation.stop(role).await?;
    }
    let old = installation.setting("SPATZ_POSTGRES_URL");
    let new = restored(&old.context("a database")?).await?;
    installation.set("SPATZ_POSTGRES_URL", new);
    for role in ROLES {
        installation.start_again(role).await?;
    }

    ensure!(facts(anna, &rated).await? == before, "another past");
    play::play(anna, &running, 9).await?;
    check::replay_of(anna, &running).await?;
    Ok(())
}

/// What Postgres knows of a player and a match.
async fn facts(client: &Client, table: &str) -> anyhow::Result<[serde_json::Value; 4]> {
    let player = &client.player;
    let get = async |path: String| client.get(&path).await?.good();
    Ok([
        get("/v1/me".to_owned()).await?,
        get(format!("/v1/players/{player}/ratings")).await?,
        get(format!("/v1/players/{player}/matches")).await?,
        get(format!("/v1/matches/{table}/replay")).await?,
    ])
}

/// Dumps a database and restores it as a new one. Returns its URL.
async fn restored(old: &str) -> anyhow::Result<String> {
    let folder = tempfile::tempdir()?;
    let dump = folder.path().join("spatz.dump").display().to_string();
    run(
        "pg_dump",
        &["--format=custom", "--no-owner", "--file", &dump, old],
    )?;
    let new = chassis::testing::postgres_url().await;
    run(
        "pg_restore",
        &["--no-owner", "--exit-on-error", "--dbname", &new, &dump],
    )?;
    Ok(new)
}

fn run(program: &str, arguments: &[&str]) -> anyhow::Result<()> {
    let versions = std::fs::read_dir("/usr/lib/postgresql");
    let folders = versions.into_iter().flatten().flatten();
    let programs = folders.map(|folder| folder.path().join("bin").join(program));
    let newest = programs.filter(|path| path.exists()).max();
    let output = Command::new(newest.unwrap_or_else(|| PathBuf::from(program)))
        .args(arguments)
        .output()
        .with_context(|| program.to_owned())?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program}: {errors}");
    Ok(())
}
