//! A client that keeps the documented rules of a table's stream, whatever happens to it.
//!
//! It takes events in their order. When one is missing, a heartbeat tells of a version that it
//! has not seen, the stream breaks or falls silent, it comes back with the last version it saw.
//! When it is told to resync, it forgets everything and goes on from the version it is told.

use std::time::Duration;

use serde_json::Value;
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{Instant, sleep_until, timeout},
};

use super::transport::{How, Told, Transport};
use crate::client::Client;

/// How long the beginning of a stream may take.
const OPEN: Duration = Duration::from_secs(5);
/// How long a client waits before it comes back, at first and at most.
const BACK_OFF: Duration = Duration::from_millis(50);
const BACK_OFF_MAX: Duration = Duration::from_secs(1);

/// What one follower went through.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// Streams that ended, broke, fell silent or were not to be had.
    pub broken: u64,
    /// Events that were missing when a later one, or a heartbeat, told of them.
    pub missed: u64,
    /// Events that came a second time.
    pub repeated: u64,
    /// The version of each resync.
    pub resyncs: Vec<u64>,
}

/// What the follower tells the player.
#[derive(Debug)]
pub enum News {
    /// The next event.
    Event(Value),
    /// The server has lost what it told: everything is to be looked at again.
    Resync,
}

/// A table as one client follows it.
#[derive(Debug)]
pub struct Follower {
    client: Client,
    table: String,
    how: How,
    /// A stream that tells nothing for so long is broken.
    silence: Duration,
    transport: Option<Transport>,
    heard: Instant,
    not_before: Instant,
    back_off: Duration,
    /// Version up to which the table is known.
    head: u64,
    /// Every event so far, since the last resync.
    pub seen: Vec<Value>,
    /// What happened to the streams.
    pub story: Story,
}

impl Follower {
    /// Follows a table from its first event on. `silence` is more than the time between two
    /// heartbeats.
    #[must_use]
    pub fn new(client: &Client, table: &str, how: How, silence: Duration) -> Self {
        let now = Instant::now();
        Self {
            client: client.clone(),
            table: table.to_owned(),
            how,
            silence,
            transport: None,
            heard: now,
            not_before: now,
            back_off: BACK_OFF,
            head: 0,
            seen: Vec::new(),
            story: Story::default(),
        }
    }

    /// Follows in a task of its own, so that messages are read whatever the player does, until
    /// nobody wants to hear of them.
    #[must_use]
    pub fn start(mut self) -> (JoinHandle<Self>, mpsc::UnboundedReceiver<News>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let following = tokio::spawn(async move {
            loop {
                let news = tokio::select! {
                    news = self.next() => news,
                    () = sender.closed() => return self,
                };
                if sender.send(news).is_err() {
                    return self;
                }
            }
        });
        (following, receiver)
    }

    /// The next event, however long it takes. May be dropped while it waits.
    pub async fn next(&mut self) -> News {
        loop {
            let Some(transport) = &mut self.transport else {
                self.open().await;
                continue;
            };
            let heard = tokio::time::timeout_at(self.heard + self.silence, transport.next()).await;
            self.heard = Instant::now();
            match heard {
                Ok(Ok(told)) => {
                    self.back_off = BACK_OFF;
                    if let Some(news) = self.take(told) {
                        return news;
                    }
                }
                Ok(Err(_)) | Err(_) => self.broke(),
            }
        }
    }

    fn broke(&mut self) {
        self.transport = None;
        self.story.broken += 1;
        self.not_before = Instant::now() + self.back_off;
        self.back_off = (self.back_off * 2).min(BACK_OFF_MAX);
    }

    async fn open(&mut self) {
        sleep_until(self.not_before).await;
        let open = Transport::open(&self.client, &self.table, self.head, self.how);
        if let Ok(Ok(transport)) = timeout(OPEN, open).await {
            self.transport = Some(transport);
            self.heard = Instant::now();
        } else {
            self.broke();
        }
    }

    fn take(&mut self, told: Told) -> Option<News> {
        let head = self.head;
        match told {
            Told::Event(event) => {
                let version = event["version"].as_u64().unwrap_or_default();
                if version <= head {
                    self.story.repeated += 1;
                    return None;
                }
                if version > head + 1 {
                    self.come_back(version - head - 1);
                    return None;
                }
                self.head = version;
                self.seen.push(event.clone());
                Some(News::Event(event))
            }
            Told::Heartbeat(version) => {
                if version > head {
                    self.come_back(version - head);
                }
                None
            }
            Told::Resync(version) => {
                self.story.resyncs.push(version);
                self.seen.clear();
                self.head = version;
                self.transport = None;
                Some(News::Resync)
            }
        }
    }

    fn come_back(&mut self, missed: u64) {
        self.story.missed += missed;
        self.transport = None;
    }
}
