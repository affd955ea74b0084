//! A rolling upgrade: the schema first, then one service after the other. In between, callers and
//! servers of both releases meet in both directions, on the same stores.

use std::time::Duration;

use anyhow::ensure;
use tokio::time::{Instant, sleep};

use super::{pods, scenario::CALM, stage::Stage};
use crate::{installation::role_of, process};

/// Longer than a match.
const MATCH_MAX: Duration = Duration::from_secs(90);

/// Replaces every process, beginning with the previous release.
pub(super) async fn roll(stage: &mut Stage) -> anyhow::Result<()> {
    stage.installation.use_program(process::binary()?);
    stage.installation.migrate().await?;
    stage.note("the schema is the new one; all processes are old");
    sleep(CALM).await;
    // Old callers, a new game beside an old one.
    stage.start_beside("game").await?;
    leave(stage, "game").await?;
    // New callers on old services.
    stage.start_beside("gateway").await?;
    // Clients connect anew when a match begins.
    let deadline = Instant::now() + MATCH_MAX;
    while stage.installation.taken("gateway").contains(&0) {
        ensure!(
            Instant::now() < deadline,
            "no client reached the new gateway"
        );
        sleep(CALM / 6).await;
    }
    sleep(CALM).await;
    for name in ["matchmaking", "ranking", "game-2"] {
        stage.start_beside(name).await?;
        sleep(CALM).await;
        leave(stage, name).await?;
    }
    // The last of the old release has only new services to call.
    leave(stage, "gateway").await
}

async fn leave(stage: &mut Stage, name: &'static str) -> anyhow::Result<()> {
    stage.leave(name, pods::leaving(role_of(name))?).await?;
    sleep(CALM).await;
    Ok(())
}
