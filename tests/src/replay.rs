//! Feeds a replay to the engine and compares.

use anyhow::ensure;
use replay::Replay;
use serde_json::Value;

/// Plays the replay of a whole match again and checks shuffle, turns, legality, every score and
/// the settlement against the engine.
///
/// # Errors
/// The first difference.
pub fn check(replay: &Value) -> anyhow::Result<()> {
    let verified = Replay::parse(&serde_json::to_vec(replay)?)?.verify()?;
    ensure!(verified.finished, "the match is not over");
    Ok(())
}
