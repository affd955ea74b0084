//! Guests who queue for ranked matches and play them, one after the other, until they are told
//! to stop; then each finishes the match in hand.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Context as _;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep},
};

use super::{
    player::{Manner, Played, play, to_repeat},
    transport::How,
};
use crate::{
    client::{Answer, Client},
    play::Choices,
};

/// The queue whose matches are played.
const QUEUE: &str = "ranked-brixental-4";
/// Longest wait for an answer before a client asks again.
const ANSWER: Duration = Duration::from_secs(5);
/// How long a client waits before it asks again.
const BACK_OFF: Duration = Duration::from_millis(200);
/// One in so many follows the table over a WebSocket.
const SOCKETS: usize = 4;

/// One guest's part in one match.
#[derive(Debug)]
pub struct Match {
    /// Its id, which is the table's.
    pub table: String,
    /// Who played.
    pub client: Client,
    /// How it went.
    pub played: Played,
}

/// What one guest did.
#[derive(Debug, Default)]
pub struct Evening {
    /// The matches, in order.
    pub matches: Vec<Match>,
    /// Answers that made the client ask again while it looked for a match.
    pub errors: BTreeMap<String, u64>,
    /// Why the guest gave up looking.
    pub gave_up: Option<String>,
}

/// The guests of a run.
#[derive(Debug)]
pub struct Crowd {
    guests: JoinSet<Evening>,
    stop: watch::Sender<bool>,
}

impl Crowd {
    /// Signs in guests, who begin to play at once.
    ///
    /// # Errors
    /// When one is refused.
    pub async fn start(
        url: &str,
        count: usize,
        manner: Manner,
        mut choices: Choices,
    ) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder().timeout(ANSWER).tcp_nodelay(true);
        let http = http.build()?;
        let (stop, stopped) = watch::channel(false);
        let mut clients = Vec::new();
        for number in 0..count {
            let name = format!("Guest {number}");
            clients.push(Client::guest_with(http.clone(), url, &name).await?);
        }
        let mut guests = JoinSet::new();
        for (number, client) in clients.into_iter().enumerate() {
            let how = if number % SOCKETS == 0 {
                How::Socket
            } else {
                How::Events
            };
            let guest = Guest {
                client,
                manner: Manner { how, ..manner },
                choices: Choices::new(choices.below(usize::MAX) as u64),
                stopped: stopped.clone(),
                evening: Evening::default(),
            };
            guests.spawn(guest.play());
        }
        Ok(Self { guests, stop })
    }

    /// Lets everybody finish the match in hand, and says what they did.
    ///
    /// # Errors
    /// When a guest panicked.
    pub async fn finish(mut self) -> anyhow::Result<Vec<Evening>> {
        self.stop.send_replace(true);
        let mut evenings = Vec::new();
        while let Some(evening) = self.guests.join_next().await {
            evenings.push(evening?);
        }
        Ok(evenings)
    }
}

struct Guest {
    client: Client,
    manner: Manner,
    choices: Choices,
    stopped: watch::Receiver<bool>,
    evening: Evening,
}

impl Guest {
    async fn play(mut self) -> Evening {
        loop {
            match self.find().await {
                Ok(Some(table)) => {
                    let played = play(&self.client, &table, &mut self.choices, self.manner).await;
                    let gave_up = played.gave_up.is_some();
                    self.evening.matches.push(Match {
                        table,
                        client: self.client.clone(),
                        played,
                    });
                    if gave_up {
                        return self.evening;
                    }
                }
                Ok(None) => return self.evening,
                Err(error) => {
                    self.evening.gave_up = Some(format!("{error:#}"));
                    return self.evening;
                }
            }
        }
    }

    /// A table by the queue; `None` when it is time to stop.
    async fn find(&mut self) -> anyhow::Result<Option<String>> {
        let mut ticket: Option<String> = None;
        let begin = Instant::now();
        loop {
            let stopped = *self.stopped.borrow();
            let answer = match (&ticket, stopped) {
                (None, true) => return Ok(None),
                (None, false) => {
                    let body = json!({"queue_id": QUEUE});
                    self.ask(Method::POST, "/v1/tickets", Some(&body)).await?
                }
                (Some(id), true) => self.ask(Method::DELETE, &ticket_path(id), None).await?,
                (Some(id), false) => self.ask(Method::GET, &ticket_path(id), None).await?,
            };
            let text = |name: &str| answer.body[name].as_str().map(str::to_owned);
            match (answer.status.as_u16(), text("state").as_deref()) {
                (_, Some("matched")) => return Ok(Some(text("table_id").context("table_id")?)),
                (_, Some("waiting" | "proposed")) => ticket = text("id"),
                // An answer was lost.
                (409, None) if text("code").as_deref() == Some("ticket_exists") => {
                    ticket = text("ticket_id");
                }
                // The match was faster than the wish to stop; its table is about to be told.
                (409, None) if stopped => {
                    let id = ticket.clone().context("a ticket")?;
                    let answer = self.ask(Method::GET, &ticket_path(&id), None).await?;
                    if answer.body["state"] == "matched" {
                        let table = answer.body["table_id"].as_str().context("table_id")?;
                        return Ok(Some(table.to_owned()));
                    }
                }
                // The store has lost it, or it is over.
                (404, None) | (_, Some("cancelled" | "expired")) => ticket = None,
                _ => anyhow::bail!("{}: {}", answer.status, answer.body),
            }
            if begin.elapsed() > 2 * self.manner.patience {
                anyhow::bail!("no match for {:?}", begin.elapsed());
            }
            sleep(BACK_OFF).await;
        }
    }

    /// Asks until there is an answer.
    async fn ask(
        &mut self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<Answer> {
        let begin = Instant::now();
        loop {
            let request = self.client.request(method.clone(), path);
            let request = match body {
                Some(body) => request.json(body),
                None => request,
            };
            let outcome = self.client.send(request).await;
            let Some(why) = to_repeat(&outcome) else {
                return outcome;
            };
            anyhow::ensure!(begin.elapsed() < self.manner.patience, "{path}: {why}");
            *self.evening.errors.entry(why).or_default() += 1;
            sleep(BACK_OFF).await;
        }
    }
}

fn ticket_path(id: &str) -> String {
    format!("/v1/tickets/{id}")
}
