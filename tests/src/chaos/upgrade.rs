//! A rolling upgrade: the schema first, then one service after the other. In between, callers and
//! servers of both releases meet in both directions, on the same stores.

use anyhow::ensure;
use tokio::time::sleep;

use super::{pods, scenario::CALM, stage::Stage};
use crate::{installation::role_of, process};

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
    sleep(CALM).await;
    let taken = stage.installation.taken("gateway");
    ensure!(
        taken.len() == 2 && taken.iter().all(|&count| count > 0),
        "clients reached {taken:?}, not both gateways"
    );
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
