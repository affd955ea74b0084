//! What a service tells about its health.
//!
//! Under the empty name the process says that it lives: it always does, whatever becomes of its
//! stores, since a restart would not bring them back. Under its own name a service says whether
//! it should get calls: while its dependencies answer, and until it stops.

use std::{future::Future, time::Duration};

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic_health::{
    ServingStatus,
    pb::{
        HealthCheckRequest, health_check_response::ServingStatus as Told,
        health_client::HealthClient,
    },
    server::HealthReporter,
};

use super::Channel;
use crate::Failure;

/// How often dependencies are asked.
const EVERY: Duration = Duration::from_secs(2);
/// How long they may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks a server whether a service should get calls; under the empty name, whether it lives.
///
/// # Errors
/// When there is no answer, or no such service.
pub async fn is_serving(channel: Channel, service: &str) -> Result<bool, Status> {
    let service = service.to_owned();
    let request = HealthCheckRequest { service };
    let answer = HealthClient::new(channel).check(request).await?;
    Ok(answer.into_inner().status() == Told::Serving)
}

/// Tells the health of services whose dependencies `check` asks.
pub(super) struct Health<F> {
    reporter: HealthReporter,
    names: Vec<String>,
    check: F,
    ready: Option<bool>,
}

impl<F, R> Health<F>
where
    F: Fn() -> R,
    R: Future<Output = Result<(), Failure>>,
{
    /// Asks once, so that the first who calls is told the truth.
    pub(super) async fn new(reporter: HealthReporter, names: &[&str], check: F) -> Self {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let mut health = Self {
            reporter,
            names,
            check,
            ready: None,
        };
        health.ask().await;
        health
    }

    /// Keeps asking until shutdown, and says then that the services get no more calls.
    pub(super) async fn keep_telling(mut self, shutdown: CancellationToken) {
        let asking = async {
            loop {
                sleep(EVERY).await;
                self.ask().await;
            }
        };
        shutdown.run_until_cancelled(asking).await;
        self.tell(ServingStatus::NotServing).await;
    }

    async fn ask(&mut self) {
        let answer = match timeout(PATIENCE, (self.check)()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(failure)) => Err(failure.to_string()),
            Err(_) => Err("a dependency does not answer".to_owned()),
        };
        if self.ready == Some(answer.is_ok()) {
            return;
        }
        match &answer {
            Ok(()) => tracing::info!("ready"),
            Err(why) => tracing::warn!(%why, "not ready"),
        }
        self.ready = Some(answer.is_ok());
        let status = match answer {
            Ok(()) => ServingStatus::Serving,
            Err(_) => ServingStatus::NotServing,
        };
        self.tell(status).await;
    }

    async fn tell(&self, status: ServingStatus) {
        for name in &self.names {
            self.reporter.set_service_status(name, status).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };

    use tonic_health::pb::{
        HealthCheckRequest, health_check_response::ServingStatus as Status,
        health_client::HealthClient,
    };

    use super::*;
    use crate::rpc;

    /// What the server answers under a name.
    async fn told(client: &mut HealthClient<rpc::Channel>, name: &str) -> Status {
        let service = name.to_owned();
        let answer = client.check(HealthCheckRequest { service }).await;
        answer.expect("an answer").into_inner().status()
    }

    async fn until(client: &mut HealthClient<rpc::Channel>, status: Status) {
        while told(client, "spatz.v1.Test").await != status {
            sleep(Duration::from_millis(100)).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn readiness_follows_the_dependencies_and_life_does_not() {
        let (listener, channel) = rpc::in_process();
        let well = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&well);
        let shutdown = CancellationToken::new();
        let server = tokio::spawn(rpc::serve_checked(
            tonic::service::RoutesBuilder::default(),
            &["spatz.v1.Test"],
            move || {
                let well = asked.load(Ordering::Relaxed);
                async move {
                    if well {
                        Ok(())
                    } else {
                        Err(Failure::unavailable("away"))
                    }
                }
            },
            listener,
            shutdown.clone(),
        ));
        let mut client = HealthClient::new(channel);
        assert_eq!(told(&mut client, "spatz.v1.Test").await, Status::Serving);
        well.store(false, Ordering::Relaxed);
        until(&mut client, Status::NotServing).await;
        assert_eq!(told(&mut client, "").await, Status::Serving);
        well.store(true, Ordering::Relaxed);
        until(&mut client, Status::Serving).await;
        shutdown.cancel();
        server.await.expect("no panic").expect("served");
    }
}
