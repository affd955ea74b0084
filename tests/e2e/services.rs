//! Each service as an operator meets it: health, reflection, configuration, a clean stop.

use std::process::Command;

use anyhow::{Context as _, ensure};
use tests::{
    installation::Installation,
    process::{self, Process},
};
use tonic::transport::Endpoint;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

#[tokio::test(flavor = "multi_thread")]
async fn every_service_tells_its_health_reflects_and_stops_cleanly() {
    let mut installation = Installation::cluster().await.expect("start");
    let outcome = async {
        for (role, service) in [
            ("game", "spatz.v1.Game"),
            ("matchmaking", "spatz.v1.Matchmaking"),
            ("ranking", "spatz.v1.Ranking"),
        ] {
            let url = installation
                .url_of(role)
                .context("a running service")?
                .to_owned();
            serving(&url, service).await?;
            reflected(&url, service).await?;
        }
        for role in ["gateway", "matchmaking", "game", "ranking"] {
            installation
                .stop(role)
                .await
                .with_context(|| format!("stop {role}"))?;
        }
        anyhow::Ok(())
    };
    outcome
        .await
        .unwrap_or_else(|error| panic!("{error:?}\n{}", installation.logs()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_waits_for_the_schema_and_is_not_ready_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let postgres = chassis::testing::postgres_url().await;
    let settings = [
        ("SPATZ_POSTGRES_URL", postgres),
        ("SPATZ_LISTEN", "127.0.0.1:0".to_owned()),
        ("SPATZ_WAIT_FOR_STORES", "0".to_owned()),
    ];
    let impatient = Process::start("ranking", &settings, &log).await;
    let refusal = format!("{:#}", impatient.expect_err("no schema yet"));
    assert!(refusal.contains("run `spatz migrate`"), "{refusal}");

    let mut patient = settings.clone();
    patient[2].1 = "120".to_owned();
    let service = async { Process::start("ranking", &patient, &log).await };
    let migrate = async {
        while !std::fs::read_to_string(&log)?.contains("waiting") {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        Process::run("migrate", &settings, &log).await
    };
    let (service, migrated) = tokio::join!(service, migrate);
    migrated.expect("migrate");
    let service = service.expect("start");
    serving(&service.url, "spatz.v1.Ranking")
        .await
        .expect("serving");
    service.terminate().await.expect("stop");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_tells_what_answers_well() {
    let installation = Installation::embedded().await.expect("start");
    let probe = |paths: &[&str]| {
        let urls = paths
            .iter()
            .map(|path| format!("{}{path}", installation.url()));
        let output = Command::new(process::binary().expect("the binary"))
            .arg("probe")
            .args(urls)
            .output()
            .expect("run");
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (good, text) = probe(&["", "/readyz", "/v1/queues", "/v1/ladders"]);
    assert!(good, "{text}");
    let (good, text) = probe(&["/readyz", "/v1/me"]);
    assert!(!good && text.contains("/v1/me: answered 401"), "{text}");
    drop(installation);
}

async fn serving(url: &str, service: &str) -> anyhow::Result<()> {
    let channel = Endpoint::from_shared(url.to_owned())?.connect().await?;
    let request = HealthCheckRequest {
        service: service.to_owned(),
    };
    let answer = HealthClient::new(channel)
        .check(request)
        .await?
        .into_inner();
    ensure!(
        answer.status() == ServingStatus::Serving,
        "{service}: {answer:?}"
    );
    Ok(())
}

async fn reflected(url: &str, service: &str) -> anyhow::Result<()> {
    let channel = Endpoint::from_shared(url.to_owned())?.connect().await?;
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut client = ServerReflectionClient::new(channel);
    let mut answers = client
        .server_reflection_info(futures::stream::iter([request]))
        .await?
        .into_inner();
    let answer = answers.message().await?.context("an answer")?;
    let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response else {
        anyhow::bail!("unexpected {answer:?}");
    };
    ensure!(
        list.service.iter().any(|listed| listed.name == service),
        "{list:?}"
    );
    Ok(())
}

#[test]
fn everything_wrong_with_a_configuration_is_reported_at_once() {
    let output = Command::new(process::binary().expect("the binary"))
        .arg("gateway")
        .env("SPATZ_LISTEN", "nowhere")
        .env("SPATZ_POSTGRES_URL", "postgres://root:secret@db:port/spatz")
        .env("SPATZ_PUBLIC_URL", "ftp:x")
        .env("SPATZ_CORS_ORIGINS", "https://app.example,*")
        .env("SPATZ_GAME_URL", "game:7001")
        .env("SPATZ_SIGNING_KEY_FILE", "/does/not/exist.pem")
        .env("SPATZ_RATE_LIMIT_FACTOR", "0")
        .output()
        .expect("run");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{text}");
    for setting in [
        "SPATZ_LISTEN",
        "SPATZ_POSTGRES_URL",
        "SPATZ_GAME_URL",
        "SPATZ_SIGNING_KEY_FILE",
        "SPATZ_RATE_LIMIT_FACTOR",
        "SPATZ_PUBLIC_URL",
        "SPATZ_CORS_ORIGINS",
    ] {
        assert!(text.contains(setting), "{setting} in {text}");
    }
    assert!(!text.contains("secret"), "{text}");
}
