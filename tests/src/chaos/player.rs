//! A player who goes on, whatever happens to the server: everything that gets no answer is asked
//! again, a move always under the same command id.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};
use uuid::Uuid;

use super::{
    follower::{Follower, News, Story},
    transport::How,
};
use crate::{
    client::{Answer, Client},
    play::Choices,
};

/// How long a client waits before it asks again.
const BACK_OFF: Duration = Duration::from_millis(100);
/// A table that is not found for so long is gone.
const GONE: Duration = Duration::from_secs(10);
/// Who has heard nothing for so long looks at the table.
const LOOK: Duration = Duration::from_secs(3);

/// How somebody plays.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// How the table is followed.
    pub how: How,
    /// The longest time that a move is thought about.
    pub think: Duration,
    /// A stream that tells nothing for so long is broken; more than the time between heartbeats.
    pub silence: Duration,
    /// Without any progress for so long, the player gives up.
    pub patience: Duration,
    /// Whether the match is followed until it is rated, not only until it has ended.
    pub rated: bool,
}

/// A move that the server acknowledged.
#[derive(Clone, Debug)]
pub struct Acknowledged {
    /// When the answer came.
    pub at: Instant,
    /// From the first time it was sent.
    pub took: Duration,
    /// The version that was answered.
    pub version: u64,
    /// What was done.
    pub action: Value,
    /// Whether a resync told since that the server has lost moves.
    pub told_lost: bool,
}

/// What one player did and saw in one match.
#[derive(Debug, Default)]
pub struct Played {
    /// Every acknowledged move, in order.
    pub acknowledged: Vec<Acknowledged>,
    /// Every event since the last resync.
    pub events: Vec<Value>,
    /// What happened to the streams.
    pub story: Story,
    /// Answers that made the client ask again.
    pub errors: BTreeMap<String, u64>,
    /// Moves that the server had listed and then refused.
    pub refused: Vec<String>,
    /// Whether the table is not there any more.
    pub gone: bool,
    /// Why the player gave up.
    pub gave_up: Option<String>,
}

/// Why a request has to be sent again; `None` when it is answered.
#[must_use]
pub fn to_repeat(outcome: &anyhow::Result<Answer>) -> Option<String> {
    match outcome {
        Ok(answer) if answer.status.is_server_error() => {
            let code = answer.body["code"].as_str().unwrap_or("no code");
            Some(format!("{} {code}", answer.status.as_u16()))
        }
        Ok(_) => None,
        Err(error) => {
            let error = error.downcast_ref::<reqwest::Error>();
            let kind = match error {
                Some(error) if error.is_connect() => "connection refused",
                Some(error) if error.is_timeout() => "no answer in time",
                _ => "connection broken",
            };
            Some(kind.to_owned())
        }
    }
}

/// Plays one match to its end.
pub async fn play(client: &Client, table: &str, choices: &mut Choices, manner: Manner) -> Played {
    let mut seat = Seat {
        client,
        table,
        manner,
        number: None,
        players: 4,
        progress: Instant::now(),
        played: Played::default(),
    };
    let follower = Follower::new(client, table, manner.how, manner.silence);
    let (following, mut news) = follower.start();
    if let Err(why) = seat.follow(&mut news, choices).await {
        seat.played.gave_up = Some(why);
    }
    drop(news);
    match following.await {
        Ok(follower) => {
            seat.played.events = follower.seen;
            seat.played.story = follower.story;
        }
        Err(error) => seat.played.gave_up = Some(error.to_string()),
    }
    seat.played
}

struct Seat<'a> {
    client: &'a Client,
    table: &'a str,
    manner: Manner,
    number: Option<u64>,
    players: u64,
    /// When an event or an answer was there last.
    progress: Instant,
    played: Played,
}

impl Seat<'_> {
    async fn follow(
        &mut self,
        news: &mut mpsc::UnboundedReceiver<News>,
        choices: &mut Choices,
    ) -> Result<(), String> {
        let last = if self.manner.rated {
            "match_rated"
        } else {
            "match_ended"
        };
        let mut concerned = true;
        loop {
            let action = if concerned {
                self.choice(choices).await?
            } else {
                None
            };
            if self.played.gone {
                return Ok(());
            }
            if let Some(action) = action {
                sleep(self.manner.think.mul_f64(choices.below(100) as f64 / 100.0)).await;
                self.act(&action).await?;
            }
            concerned = match timeout(LOOK, news.recv()).await {
                Ok(Some(News::Event(event))) if event["type"] == last => return Ok(()),
                Ok(Some(News::Event(event))) => {
                    self.progress = Instant::now();
                    self.concerns(&event)
                }
                Ok(Some(News::Resync)) => {
                    // Which of them are lost, the table shows.
                    for one in &mut self.played.acknowledged {
                        one.told_lost = true;
                    }
                    true
                }
                Ok(None) => return Err("the follower is gone".to_owned()),
                Err(_) => {
                    self.hope("nothing happens")?;
                    true
                }
            };
        }
    }

    fn hope(&self, why: &str) -> Result<(), String> {
        if self.progress.elapsed() < self.manner.patience {
            return Ok(());
        }
        Err(format!("{}: {why}", self.table))
    }

    /// Whether it may be this seat's turn after an event.
    fn concerns(&self, event: &Value) -> bool {
        match event["type"].as_str() {
            Some("archived" | "match_ended" | "match_rated") => false,
            Some("action") if event["action"]["type"] == "play" => {
                let winner = event["trick"]["winner"].as_u64();
                let clockwise = event["seat"].as_u64().map(|seat| (seat + 1) % self.players);
                self.number.is_none() || winner.or(clockwise) == self.number
            }
            _ => true,
        }
    }

    /// Counts why a request is sent again, and waits before that.
    async fn again(&mut self, why: String) -> Result<(), String> {
        self.hope(&why)?;
        *self.played.errors.entry(why).or_default() += 1;
        sleep(BACK_OFF).await;
        Ok(())
    }

    /// Looks at the table for something to do.
    async fn choice(&mut self, choices: &mut Choices) -> Result<Option<Value>, String> {
        let path = format!("/v1/tables/{}", self.table);
        let begin = Instant::now();
        loop {
            let outcome = self.client.get(&path).await;
            let why = match (to_repeat(&outcome), outcome) {
                (None, Ok(view)) if view.status.is_success() => {
                    self.number = view.body["my_seat"].as_u64();
                    let seats = view.body["seats"].as_array();
                    self.players = seats.map_or(4, |seats| seats.len() as u64);
                    return Ok(choices.choose(&view.body));
                }
                (None, Ok(refused)) if refused.status == 404 && begin.elapsed() > GONE => {
                    self.played.gone = true;
                    return Ok(None);
                }
                (None, Ok(refused)) => {
                    format!("{} {}", refused.status.as_u16(), refused.body["code"])
                }
                (Some(why), _) => why,
                (None, Err(error)) => error.to_string(),
            };
            self.again(why).await?;
        }
    }

    async fn act(&mut self, action: &Value) -> Result<(), String> {
        let command_id = Uuid::new_v4().to_string();
        let sent = Instant::now();
        loop {
            let outcome = self.client.act(self.table, &command_id, action).await;
            if let Some(why) = to_repeat(&outcome) {
                self.again(why).await?;
                continue;
            }
            let answer = outcome.map_err(|error| error.to_string())?;
            if !answer.status.is_success() {
                let body = &answer.body;
                self.played
                    .refused
                    .push(format!("{}: {action}: {body}", self.table));
                return Ok(());
            }
            self.progress = Instant::now();
            self.played.acknowledged.push(Acknowledged {
                at: self.progress,
                took: sent.elapsed(),
                version: answer.body["version"].as_u64().unwrap_or_default(),
                action: action.clone(),
                told_lost: false,
            });
            return Ok(());
        }
    }
}
