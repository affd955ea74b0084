//! Server-sent events, resumed whenever the connection breaks.

use anyhow::{Context as _, bail};
use futures::StreamExt as _;
use reqwest::Method;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::client::{BACK_OFF, Client, PATIENCE};

/// A table's events as one player gets them. Every event is checked to be the next one.
#[derive(Debug)]
pub struct Events {
    client: Client,
    table: String,
    response: Option<reqwest::Response>,
    buffer: String,
    /// Every event so far, from version 1 on.
    pub seen: Vec<Value>,
}

impl Events {
    /// A stream from the first event on; it connects when it is first asked.
    #[must_use]
    pub fn new(client: &Client, table: &str) -> Self {
        Self {
            client: client.clone(),
            table: table.to_owned(),
            response: None,
            buffer: String::new(),
            seen: Vec::new(),
        }
    }

    /// Breaks the connection; the next event comes over a new one.
    pub fn disconnect(&mut self) {
        self.response = None;
        self.buffer.clear();
    }

    /// The next event.
    ///
    /// # Errors
    /// When it does not come, or is not the one that follows the last.
    pub async fn next(&mut self) -> anyhow::Result<Value> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            while let Some(end) = self.buffer.find("\n\n") {
                let message: String = self.buffer.drain(..end + 2).collect();
                if let Some(event) = self.take(&message)? {
                    return Ok(event);
                }
            }
            let more = timeout_at(deadline, self.read()).await;
            let Ok(more) = more else {
                bail!(
                    "no event after version {} of {}",
                    self.seen.len(),
                    self.table
                );
            };
            match more {
                Some(text) => self.buffer.push_str(&text),
                None => {
                    self.disconnect();
                    tokio::time::sleep(BACK_OFF).await;
                }
            }
        }
    }

    /// More of the stream; `None` when it broke.
    async fn read(&mut self) -> Option<String> {
        if self.response.is_none() {
            let path = format!("/v1/tables/{}/events", self.table);
            let request = self.client.request(Method::GET, &path);
            let request = request.header("last-event-id", self.seen.len());
            let response = request.send().await.ok()?;
            self.response = response.error_for_status().ok();
        }
        let chunk = self.response.as_mut()?.chunk().await.ok()??;
        Some(String::from_utf8_lossy(&chunk).into_owned())
    }

    fn take(&mut self, message: &str) -> anyhow::Result<Option<Value>> {
        let field = |name: &str| message.lines().find_map(|line| line.strip_prefix(name));
        if field("event:").is_some() {
            // Heartbeats carry no id and are no event of the table.
            return Ok(None);
        }
        let Some(data) = field("data:") else {
            return Ok(None);
        };
        let event: Value = serde_json::from_str(data.trim())?;
        let expected = self.seen.len() as u64 + 1;
        let id: u64 = field("id:").context("an id")?.trim().parse()?;
        if id != expected || event["version"] != expected {
            bail!("expected version {expected}, got {message}");
        }
        self.seen.push(event.clone());
        Ok(Some(event))
    }

    /// Reads on until an event of this type.
    ///
    /// # Errors
    /// When it does not come.
    pub async fn until(&mut self, kind: &str) -> anyhow::Result<Value> {
        loop {
            let event = self.next().await?;
            if event["type"] == kind {
                return Ok(event);
            }
        }
    }
}

/// Waits for several futures and keeps their order.
///
/// # Errors
/// The first error.
pub async fn all<T, F: Future<Output = anyhow::Result<T>>>(
    futures: impl IntoIterator<Item = F>,
) -> anyhow::Result<Vec<T>> {
    let mut done: Vec<anyhow::Result<T>> = futures::stream::FuturesOrdered::from_iter(futures)
        .collect()
        .await;
    done.drain(..).collect()
}
