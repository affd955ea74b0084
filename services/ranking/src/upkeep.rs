//! The service and what it does by itself: seasons by schedule, and the copies of ladders.
//!
//! Every replica does all of it. Whatever two do at once is done by one of them: rows are locked
//! or skipped, and a line brought twice changes nothing.

use std::{collections::HashMap, time::Duration};

use chassis::{
    Failure,
    rpc::{self, Listener},
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonic::service::RoutesBuilder;

use crate::{
    board::Boards,
    copy,
    service::{Ranking, SERVICE_NAME, routes},
};

/// How often to look without being told: also how late a season may close by itself.
const EVERY: Duration = Duration::from_secs(2);
/// How soon one process makes another copy of the same ladder: replicas that were configured
/// differently must not make copies against each other all the time.
const COPY_AGAIN: Duration = Duration::from_secs(60);

/// Serves gRPC calls and does what is to be done in the background, until shutdown.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    ranking: Ranking,
    listener: Listener,
    shutdown: CancellationToken,
) -> Result<(), tonic::transport::Error> {
    let mut builder = RoutesBuilder::default();
    routes(ranking.clone(), &mut builder);
    let store = ranking.store.clone();
    let upkeep = tokio::spawn(keep_up(ranking, shutdown.clone()));
    // Without Redis the database answers, only slower.
    let check = move || {
        let store = store.clone();
        async move { store.check().await }
    };
    let names = &[SERVICE_NAME];
    let served = rpc::serve_checked(builder, names, check, listener, shutdown.clone()).await;
    shutdown.cancel();
    if let Err(error) = upkeep.await {
        tracing::error!(%error, "the upkeep of the ladders ended");
    }
    served
}

async fn keep_up(ranking: Ranking, shutdown: CancellationToken) {
    let mut copied = HashMap::new();
    let work = async {
        let mut look = tokio::time::interval(EVERY);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let told = tokio::select! {
                _ = look.tick() => false,
                () = ranking.changed.notified() => true,
            };
            let done = if told {
                ranking.bring().await
            } else {
                ranking.look(&mut copied).await
            };
            if let Err(error) = done {
                tracing::warn!(%error, "the upkeep of the ladders goes on later");
                // A store that is down is not asked for every match.
                look.tick().await;
            }
        }
    };
    // Nothing of it is lost when it stops half-way.
    shutdown.run_until_cancelled(work).await;
}

impl Ranking {
    /// Brings lines that changed to the copies of their ladders.
    async fn bring(&self) -> Result<(), Failure> {
        match &self.boards {
            Some(boards) => copy::bring(&self.store, boards).await,
            None => Ok(()),
        }
    }

    async fn look(&self, copied: &mut HashMap<String, Instant>) -> Result<(), Failure> {
        self.store.follow_schedule(self.now_ms()).await?;
        let Some(boards) = &self.boards else {
            return Ok(());
        };
        copy::bring(&self.store, boards).await?;
        self.copy_again(boards, copied).await
    }

    async fn copy_again(
        &self,
        boards: &Boards,
        copied: &mut HashMap<String, Instant>,
    ) -> Result<(), Failure> {
        for ladder in self.without_copy(boards).await? {
            let now = Instant::now();
            let soon = copied
                .get(&ladder.id)
                .is_some_and(|&at| now < at + COPY_AGAIN);
            if !soon {
                self.make_copy(boards, &ladder).await?;
                copied.insert(ladder.id, now);
            }
        }
        Ok(())
    }
}
