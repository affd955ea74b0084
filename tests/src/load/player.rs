//! One guest at one table: follows the stream, and looks at the table when it may be its turn.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Context as _;
use serde_json::Value;
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

/// Who may have to act, as far as the events tell a client that knows no rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Anyone,
    Seat(u64),
    /// The view has told: nobody before the next event.
    Known,
    /// The match is over.
    Nobody,
}

fn next_after(event: &Value, players: u64) -> Next {
    match event["type"].as_str() {
        Some("match_ended" | "closed") => Next::Nobody,
        Some("action") if event["action"]["type"] == "play" => {
            let winner = event["trick"]["winner"].as_u64();
            let clockwise = event["seat"].as_u64().map(|seat| (seat + 1) % players);
            winner.or(clockwise).map_or(Next::Anyone, Next::Seat)
        }
        _ => Next::Anyone,
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
        number: None,
        players: 4,
        next: Next::Anyone,
        seen: 0,
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
    number: Option<u64>,
    players: u64,
    next: Next,
    /// Version of the last view.
    seen: u64,
    /// Version that was acknowledged last; the stream must come up to it.
    acted: u64,
}

impl Seat<'_> {
    async fn follow(&mut self, stream: &mut Stream, deadline: Instant) -> anyhow::Result<bool> {
        let mut silent = false;
        while Instant::now() < deadline {
            while let Some(event) = stream.buffered()? {
                // What the view has shown already calls on nobody.
                if stream.sequence.head() > self.seen || event["type"] == "match_ended" {
                    self.next = next_after(&event, self.players);
                }
            }
            let head = stream.sequence.head();
            let mine = match self.next {
                Next::Nobody => return Ok(true),
                Next::Anyone => true,
                Next::Seat(seat) => self.number.is_none_or(|number| number == seat),
                Next::Known => false,
            };
            if silent || (mine && head >= self.acted) {
                self.look(silent).await?;
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
    async fn look(&mut self, silent: bool) -> anyhow::Result<()> {
        let view = self.client.table(self.table).await;
        let view = view.inspect_err(|_| self.record.fail("view"))?;
        self.record.views.push(Instant::now());
        self.number = view["my_seat"].as_u64();
        self.players = view["seats"]
            .as_array()
            .map_or(4, |seats| seats.len() as u64);
        self.seen = view["version"].as_u64().context("version")?;
        self.next = Next::Known;
        if let Some(action) = self.choices.choose(&view) {
            self.record.stalls += u64::from(silent);
            self.pace.wait().await;
            if let Some(version) = act(self.client, self.table, &action, self.record).await? {
                self.acted = version;
            }
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
    use serde_json::json;

    use super::*;

    #[test]
    fn the_next_seat_plays_and_the_winner_of_a_trick_leads() {
        let play = json!({"type": "action", "seat": 3, "action": {"type": "play", "card": "HA"}});
        assert_eq!(next_after(&play, 4), Next::Seat(0));
        let mut last = play;
        last["trick"] = json!({"winner": 2});
        assert_eq!(next_after(&last, 4), Next::Seat(2));
    }

    #[test]
    fn any_other_event_may_call_on_anyone_until_the_match_has_ended() {
        let pass = json!({"type": "action", "seat": 3, "action": {"type": "pass"}});
        assert_eq!(next_after(&pass, 4), Next::Anyone);
        assert_eq!(next_after(&json!({"type": "deal_scored"}), 4), Next::Anyone);
        assert_eq!(next_after(&json!({"type": "match_ended"}), 4), Next::Nobody);
    }
}
