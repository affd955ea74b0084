//! A table's events as one client gets them, cheap enough for thousands of clients.
//!
//! [`crate::events::Events`] keeps every event and stops at the first that is out of order; here
//! faults are counted, and nothing is kept.

use anyhow::Context as _;
use reqwest::Method;
use serde_json::Value;

use super::sequence::{Fault, Sequence};
use crate::client::Client;

/// An open stream.
#[derive(Debug)]
pub struct Stream {
    response: reqwest::Response,
    buffer: Vec<u8>,
    /// What has come.
    pub sequence: Sequence,
    /// What was wrong with it.
    pub faults: Vec<Fault>,
    /// Events so far, heartbeats left out.
    pub events: u64,
}

impl Stream {
    /// Connects and asks for everything after a version.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn open(client: &Client, table: &str, after: u64) -> anyhow::Result<Self> {
        let path = format!("/v1/tables/{table}/events");
        let request = client.request(Method::GET, &path);
        // The client's time limit is one of requests that end.
        let request = request.timeout(std::time::Duration::from_secs(3600));
        let response = request.header("last-event-id", after).send().await?;
        Ok(Self {
            response: response.error_for_status()?,
            buffer: Vec::new(),
            sequence: Sequence::after(after),
            faults: Vec::new(),
            events: 0,
        })
    }

    /// The next event that has already come.
    ///
    /// # Errors
    /// When it is none.
    pub fn buffered(&mut self) -> anyhow::Result<Option<Value>> {
        while let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
            let message: Vec<u8> = self.buffer.drain(..end + 2).collect();
            if let Some(event) = self.take(std::str::from_utf8(&message)?)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Waits until more has come. May be dropped while it waits.
    ///
    /// # Errors
    /// When the stream ended or broke.
    pub async fn more(&mut self) -> anyhow::Result<()> {
        let chunk = self.response.chunk().await?;
        let chunk = chunk.context("the stream ended")?;
        self.buffer.extend_from_slice(&chunk);
        Ok(())
    }

    fn take(&mut self, message: &str) -> anyhow::Result<Option<Value>> {
        let field = |name: &str| message.lines().find_map(|line| line.strip_prefix(name));
        let (None, Some(data)) = (field("event:"), field("data:")) else {
            return Ok(None);
        };
        let event: Value = serde_json::from_str(data)?;
        let id: u64 = field("id:").context("an id")?.trim().parse()?;
        anyhow::ensure!(event["version"] == id, "id {id} of {event}");
        if let Err(fault) = self.sequence.take(id) {
            self.faults.push(fault);
        }
        self.events += 1;
        Ok(Some(event))
    }
}
