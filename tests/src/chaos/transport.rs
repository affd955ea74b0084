//! What a table's stream tells, be it server-sent events or a WebSocket.

use std::time::Duration;

use anyhow::{Context as _, bail};
use futures::StreamExt as _;
use reqwest::Method;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest as _},
};

use crate::client::Client;

/// How a client follows a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Server-sent events.
    Events,
    /// A WebSocket.
    Socket,
}

/// A message of a stream.
#[derive(Debug)]
pub enum Told {
    /// Something happened at the table.
    Event(Value),
    /// A sign of life, with the newest version.
    Heartbeat(u64),
    /// The client knows of more than the server.
    Resync(u64),
}

/// An open stream.
#[derive(Debug)]
pub enum Transport {
    /// Server-sent events, and what came after the last whole one.
    Events {
        /// The answer that does not end.
        response: reqwest::Response,
        /// The beginning of an event.
        buffer: Vec<u8>,
    },
    /// A WebSocket.
    Socket(Box<WebSocketStream<TcpStream>>),
}

impl Transport {
    /// Asks for everything after a version.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn open(client: &Client, table: &str, after: u64, how: How) -> anyhow::Result<Self> {
        if how == How::Events {
            let path = format!("/v1/tables/{table}/events");
            let request = client.request(Method::GET, &path);
            // The client's time limit is one of requests that end.
            let request = request.timeout(Duration::from_secs(3600));
            let response = request.header("last-event-id", after).send().await?;
            return Ok(Self::Events {
                response: response.error_for_status()?,
                buffer: Vec::new(),
            });
        }
        let address = client.url().strip_prefix("http://").context("http")?;
        let url = format!("ws://{address}/v1/tables/{table}/ws?after={after}");
        let mut request = url.into_client_request()?;
        let protocols = format!("spatz.v1, bearer.{}", client.token);
        let headers = request.headers_mut();
        headers.insert("sec-websocket-protocol", protocols.parse()?);
        let connection = TcpStream::connect(address).await?;
        let (socket, _) = client_async(request, connection).await?;
        Ok(Self::Socket(Box::new(socket)))
    }

    /// The next message. May be dropped while it waits.
    ///
    /// # Errors
    /// When the stream has ended or is broken.
    pub async fn next(&mut self) -> anyhow::Result<Told> {
        match self {
            Self::Events { response, buffer } => loop {
                while let Some(end) = buffer.windows(2).position(|pair| pair == b"\n\n") {
                    let message: Vec<u8> = buffer.drain(..end + 2).collect();
                    if let Some(told) = from_event(std::str::from_utf8(&message)?)? {
                        return Ok(told);
                    }
                }
                let chunk = response.chunk().await?;
                buffer.extend_from_slice(&chunk.context("the stream has ended")?);
            },
            Self::Socket(socket) => loop {
                match socket.next().await.context("the socket has ended")?? {
                    Message::Text(text) => {
                        let message: Value = serde_json::from_str(&text)?;
                        let kind = message["type"].as_str().unwrap_or_default().to_owned();
                        return told(&kind, message);
                    }
                    Message::Close(frame) => bail!("the socket was closed: {frame:?}"),
                    _ => {}
                }
            },
        }
    }
}

/// `None` for what is no message, such as a comment.
fn from_event(text: &str) -> anyhow::Result<Option<Told>> {
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let Some(data) = field("data:") else {
        return Ok(None);
    };
    let data: Value = serde_json::from_str(data.trim())?;
    match field("event:") {
        Some(kind) => told(kind.trim(), data).map(Some),
        None => {
            let id: u64 = field("id:").context("an id")?.trim().parse()?;
            anyhow::ensure!(data["version"] == id, "id {id} of {data}");
            Ok(Some(Told::Event(data)))
        }
    }
}

fn told(kind: &str, message: Value) -> anyhow::Result<Told> {
    let version = message["version"].as_u64().context("version")?;
    Ok(match kind {
        "heartbeat" => Told::Heartbeat(version),
        "resync" => Told::Resync(version),
        _ => Told::Event(message),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_heartbeats_and_resyncs_are_told_apart_from_comments() {
        let told = |text| from_event(text).unwrap();
        assert!(told("retry:1000\n: spatz\n\n").is_none());
        let beat = "event: heartbeat\ndata: {\"version\":7}\n\n";
        assert!(matches!(told(beat), Some(Told::Heartbeat(7))));
        let resync = "event: resync\nid: 3\ndata: {\"version\":3}\n\n";
        assert!(matches!(told(resync), Some(Told::Resync(3))));
        let event = "id: 4\ndata: {\"version\":4,\"type\":\"archived\"}\n\n";
        assert!(matches!(told(event), Some(Told::Event(_))));
        assert!(from_event("id: 5\ndata: {\"version\":4}\n\n").is_err());
    }
}
