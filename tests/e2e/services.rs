//! Each service as an operator meets it: health, reflection, configuration, a clean stop.

use std::process::Command;

use anyhow::{Context as _, ensure};
use tests::{installation::Installation, process};
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
