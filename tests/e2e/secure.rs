//! Everything by TLS: services among each other, Redis and Postgres.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, ensure};
use chassis::testing::Certificates;
use tests::{
    events::{Events, all},
    installation::{Installation, Plan},
    link, play, process,
};
use tokio::time::sleep;

use crate::support::{four_guests, matched};

/// A Redis that talks by TLS alone, to who has a certificate; it ends with the test.
struct Redis(Child);

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn redis(files: &Certificates) -> anyhow::Result<(Redis, String)> {
    let port = link::free_address().await?.port().to_string();
    let server = Command::new("redis-server")
        .args(["--bind", "127.0.0.1", "--port", "0", "--tls-port", &port])
        .args(["--save", "", "--tls-ca-cert-file"])
        .arg(files.authority())
        .arg("--tls-cert-file")
        .arg(files.certificate())
        .arg("--tls-key-file")
        .arg(files.key())
        .stdout(Stdio::null())
        .spawn()?;
    let url = format!(
        "rediss://127.0.0.1:{port}?cacert={}&cert={}&key={}",
        files.authority().display(),
        files.certificate().display(),
        files.key().display()
    );
    Ok((Redis(server), url))
}

/// Runs `spatz probe`.
fn probe(url: &str, files: Option<&Certificates>) -> anyhow::Result<bool> {
    let mut probe = Command::new(process::binary()?);
    probe.args(["probe", url]).stderr(Stdio::null());
    if let Some(files) = files {
        let with = |name: &str, path: &Path| format!("--tls-{name}={}", path.display());
        probe
            .arg(with("cert", &files.certificate()))
            .arg(with("key", &files.key()))
            .arg(with("ca", &files.authority()));
    }
    Ok(probe.status()?.success())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_played_and_rated_where_everything_is_by_tls() {
    let files = Certificates::new();
    let authority = std::env::var("SPATZ_TEST_POSTGRES_CA");
    let authority = authority.expect("SPATZ_TEST_POSTGRES_CA: run this test with `make test`");
    let (_redis, url) = redis(&files).await.expect("Redis");
    let path = |path: &Path| path.display().to_string();
    let plan = Plan {
        settings: vec![
            ("SPATZ_TLS_CERT", path(&files.certificate())),
            ("SPATZ_TLS_KEY", path(&files.key())),
            ("SPATZ_TLS_CA", path(&files.authority())),
            ("SPATZ_WAIT_FOR_STORES", "60".to_owned()),
        ],
        redis: Some(url),
        postgres_options: Some(format!("sslmode=verify-full&sslrootcert={authority}")),
        ..Plan::default()
    };
    let installation = Installation::cluster_with(plan).await.expect("start");
    let outcome = async {
        for (role, service) in [("game", "spatz.v1.Game"), ("ranking", "spatz.v1.Ranking")] {
            let url = installation.url_of(role).context("a service")?;
            let address = url.strip_prefix("https://").context("https")?;
            let health = format!("grpc://{address}/{service}");
            while !probe(&health, Some(&files))? {
                sleep(Duration::from_millis(100)).await;
            }
            ensure!(
                !probe(&health, None)?,
                "{role} serves who has no certificate"
            );
            let strangers = Certificates::new();
            ensure!(
                !probe(&health, Some(&strangers))?,
                "{role} serves strangers"
            );
        }
        let clients = four_guests(installation.url()).await?;
        let table = matched(&clients, "ranked-brixental-4").await?;
        let played = clients.iter().zip(1..);
        all(played.map(|(client, seed)| play::play(client, &table, seed))).await?;
        Events::new(&clients[0], &table)
            .until("match_rated")
            .await?;
        anyhow::Ok(())
    };
    outcome
        .await
        .unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}
