//! A player that chooses among the legal actions that the server lists, knowing no rules.

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::{
    client::{BACK_OFF, Client},
    events::Events,
};

/// A seeded sequence of choices: the same seed plays the same way.
#[derive(Clone, Debug)]
pub struct Choices(u64);

impl Choices {
    /// A sequence for a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 to before `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        // Knuth's MMIX generator; its high bits are good enough to choose by.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }

    /// One of the actions that a view lists; `None` when there is nothing to do.
    pub fn choose(&mut self, view: &Value) -> Option<Value> {
        let actions = view["legal_actions"].as_array()?;
        let bids = actions
            .iter()
            .filter(|action| action["type"] == "bid")
            .count();
        let action = if bids > 0 {
            // Among all bids the highest would soon be bid in every deal: pass, or raise as
            // little as possible, so that the talon is taken up in many.
            actions
                .iter()
                .filter(|a| a["type"] == "pass" || a["type"] == "bid")
                .nth(self.below(2))?
        } else {
            // The lowest announcement, for the same reason.
            let announcement = actions.iter().find(|action| action["type"] == "announce");
            let any = actions.get(self.below(actions.len()));
            announcement.or(any)?
        };
        match action["type"].as_str()? {
            "discard" => {
                // Without aces there is nothing to be laid off beside them.
                let covered = action["aces_need_trumps"] == true;
                let ace = |card: &&Value| card.as_str().is_some_and(|card| card.ends_with('A'));
                let from = action["from"].as_array()?.iter();
                let from: Vec<&Value> = from.filter(|card| !covered || !ace(card)).collect();
                let count = usize::try_from(action["count"].as_u64()?).ok()?;
                let start = self.below(from.len() - count + 1);
                Some(json!({"type": "discard", "cards": from[start..start + count]}))
            }
            "ready" => Some(json!({"type": "ready", "nonce": format!("{:016x}", self.0)})),
            _ => Some(action.clone()),
        }
    }
}

/// How a player played a match.
#[derive(Debug)]
pub struct Played {
    /// Every event, from version 1 on.
    pub events: Vec<Value>,
    /// The actions that were acknowledged, with the version that was answered.
    pub acknowledged: Vec<(u64, Value)>,
}

/// Plays a match to its end: acts whenever the server lists something to do, follows the events
/// in between, and breaks the connection now and then.
///
/// # Errors
/// When an event is missing or an action that was listed is refused.
pub async fn play(client: &Client, table: &str, seed: u64) -> anyhow::Result<Played> {
    let mut choices = Choices::new(seed);
    let mut events = Events::new(client, table);
    let mut acknowledged = Vec::new();
    loop {
        let view = match client.table(table).await {
            Ok(view) => view,
            // The server may be restarting; events come when it is back.
            Err(_) => {
                tokio::time::sleep(BACK_OFF).await;
                continue;
            }
        };
        let ended = view["phase"] == "ended";
        let version = view["version"].as_u64().context("version")?;
        if let Some(action) = choices.choose(&view) {
            let answer = client.act_for_sure(table, &action).await?;
            acknowledged.push((answer["version"].as_u64().context("version")?, action));
            continue;
        }
        // Nothing to do: read up to this view, and wait for what follows.
        while (events.seen.len() as u64) < version {
            events.next().await?;
        }
        if ended {
            return Ok(Played {
                events: events.seen,
                acknowledged,
            });
        }
        if choices.below(5) == 0 {
            events.disconnect();
        }
        events.next().await?;
    }
}

/// Plays until somebody else's action is to come or a phase is reached, for tests that need a
/// table in a certain state. Returns the view.
///
/// # Errors
/// When an action that was listed is refused, or the match ends first.
pub async fn play_until(
    clients: &[Client],
    table: &str,
    seed: u64,
    mut reached: impl FnMut(&Value) -> bool,
) -> anyhow::Result<Value> {
    let mut choices = Choices::new(seed);
    loop {
        for client in clients {
            let view = client.table(table).await?;
            if reached(&view) {
                return Ok(view);
            }
            anyhow::ensure!(view["phase"] != "ended", "the match ended before that");
            if let Some(action) = choices.choose(&view) {
                client.act_for_sure(table, &action).await?;
            }
        }
    }
}
