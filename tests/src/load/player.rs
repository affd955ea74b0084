//! One guest at one table: follows the stream, and does what its events list.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Context as _;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::{pace::Pace, sequence::Fault, stream::Stream};
use crate::{client::Client, play::Choices};

/// A client that has heard nothing for so long looks at the table; in a run without faults and
/// without bots, that never helps.
const SILENCE: Duration = Duration::from_secs(5);

/// An acknowledged move.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// When its answer was there.
    pub at: Instant,
    /// From the request to its answer.
    pub took: Duration,
}

/// What clients did and saw.
#[derive(Debug, Default)]
pub struct Record {
    /// Every acknowledged move.
    pub moves: Vec<Move>,
    /// When each look at a table was answered.
    pub views: Vec<Instant>,
    /// Events of streams.
    pub events: u64,
    /// What was wrong with the order of events.
    pub faults: Vec<Fault>,
    /// Looks at a table after a long silence that found something to do.
    pub stalls: u64,
    /// Requests that failed, by code.
    pub errors: BTreeMap<String, u64>,
}

impl Record {
    /// Adds what another client did.
    pub fn add(&mut self, other: Self) {
        self.moves.extend(other.moves);
        self.views.extend(other.views);
        self.events += other.events;
        self.faults.extend(other.faults);
        self.stalls += other.stalls;
        for (code, count) in other.errors {
            *self.errors.entry(code).or_default() += count;
        }
    }

    /// Counts a failure.
    pub fn fail(&mut self, code: impl Into<String>) {
        *self.errors.entry(code.into()).or_default() += 1;
    }
}

/// What a client knows that it can do.
#[derive(Clone, Debug, PartialEq)]
enum Next {
    /// It has not looked at the table yet.
    Unknown,
    /// The actions that the latest event lists for it.
    Listed(Value),
    /// The match is over.
    Nothing,
}

fn next_after(mut event: Value) -> Next {
    match event["type"].as_str() {
        Some("match_ended" | "closed") => Next::Nothing,
        _ => Next::Listed(event["legal_actions"].take()),
    }
}

/// Plays one match to its end, or until the deadline. Returns whether it ended.
///
/// # Errors
/// When the stream breaks, or the table cannot be seen.
pub async fn play(
    client: &Client,
    table: &str,
    choices: &mut Choices,
    pace: &Pace,
    deadline: Instant,
    record: &mut Record,
) -> anyhow::Result<bool> {
    let mut stream = Stream::open(client, table, 0).await?;
    let mut seat = Seat {
        client,
        table,
        choices,
        pace,
        record,
        next: Next::Unknown,
        acted: 0,
    };
    let outcome = seat.follow(&mut stream, deadline).await;
    record.events += stream.events;
    record.faults.append(&mut stream.faults);
    outcome
}

struct Seat<'a> {
    client: &'a Client,
    table: &'a str,
    choices: &'a mut Choices,
    pace: &'a Pace,
    record: &'a mut Record,
    next: Next,
    /// Version that was acknowledged last; the stream must come up to it.
    acted: u64,
}

impl Seat<'_> {
    async fn follow(&mut self, stream: &mut Stream, deadline: Instant) -> anyhow::Result<bool> {
        let mut silent = false;
        while Instant::now() < deadline {
            while let Some(event) = stream.buffered()? {
                self.next = next_after(event);
            }
            let head = stream.sequence.head();
            match &self.next {
                Next::Nothing => return Ok(true),
                Next::Listed(actions) if head >= self.acted => {
                    let listed = json!({ "legal_actions": actions });
                    self.act(&listed).await?;
                }
                _ if silent => self.look().await?,
                _ => {}
            }
            let until = deadline.min(Instant::now() + SILENCE);
            silent = match timeout_at(until, stream.more()).await {
                Ok(more) => more.map(|()| false)?,
                Err(_) => true,
            };
        }
        Ok(false)
    }

    /// Looks at the table, and acts when there is something to do.
    async fn look(&mut self) -> anyhow::Result<()> {
        let view = self.client.table(self.table).await;
        let view = view.inspect_err(|_| self.record.fail("view"))?;
        self.record.views.push(Instant::now());
        let moves = self.record.moves.len();
        self.act(&view).await?;
        self.record.stalls += u64::from(self.record.moves.len() > moves);
        Ok(())
    }

    /// Does one of the listed actions, if there is any.
    async fn act(&mut self, listed: &Value) -> anyhow::Result<()> {
        // Until the next event there is nothing else to do.
        self.next = Next::Unknown;
        let Some(action) = self.choices.choose(listed) else {
            return Ok(());
        };
        self.pace.wait().await;
        if let Some(version) = act(self.client, self.table, &action, self.record).await? {
            self.acted = version;
        }
        Ok(())
    }
}

/// Sends an action. Returns the version that was acknowledged; `None` when it was refused.
async fn act(
    client: &Client,
    table: &str,
    action: &Value,
    record: &mut Record,
) -> anyhow::Result<Option<u64>> {
    let command_id = Uuid::new_v4().to_string();
    let sent = Instant::now();
    let answer = client.act(table, &command_id, action).await;
    let answer = answer.inspect_err(|_| record.fail("no answer"))?;
    if !answer.status.is_success() {
        let code = answer.body["code"].as_str().unwrap_or("no code");
        record.fail(format!("{} {code}", answer.status.as_u16()));
        return Ok(None);
    }
    let at = Instant::now();
    record.moves.push(Move {
        at,
        took: at - sent,
    });
    Ok(Some(answer.body["version"].as_u64().context("version")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_event_says_what_to_do() {
        let actions = json!([{"type": "pass"}]);
        let event = json!({"type": "action", "legal_actions": actions.clone()});
        assert_eq!(next_after(event), Next::Listed(actions));
        let others = json!({"type": "action"});
        assert_eq!(next_after(others), Next::Listed(Value::Null));
        let over = json!({"type": "match_ended", "legal_actions": [1]});
        assert_eq!(next_after(over), Next::Nothing);
    }
}
