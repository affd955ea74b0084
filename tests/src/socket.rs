//! A player who follows a table and acts over a WebSocket alone.

use anyhow::{Context as _, bail, ensure};
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout_at},
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest as _},
};
use uuid::Uuid;

use crate::{
    client::{Client, PATIENCE},
    play::{Choices, Played},
};

/// A table as one player gets it over a socket. Every event is checked to be the next one.
struct Socket {
    client: Client,
    table: String,
    stream: Option<WebSocketStream<TcpStream>>,
    seen: Vec<Value>,
}

impl Socket {
    async fn stream(&mut self) -> anyhow::Result<&mut WebSocketStream<TcpStream>> {
        if self.stream.is_none() {
            let address = self.client.url().strip_prefix("http://").context("http")?;
            let (table, after) = (&self.table, self.seen.len());
            let url = format!("ws://{address}/v1/tables/{table}/ws?after={after}");
            let mut request = url.into_client_request()?;
            let protocols = format!("spatz.v1, bearer.{}", self.client.token);
            let headers = request.headers_mut();
            headers.insert("sec-websocket-protocol", protocols.parse()?);
            let connection = TcpStream::connect(address).await?;
            self.stream = Some(client_async(request, connection).await?.0);
        }
        self.stream.as_mut().context("just opened")
    }

    /// The next message that is no heartbeat. Events are kept.
    async fn next(&mut self) -> anyhow::Result<Value> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let stream = self.stream().await?;
            let message = timeout_at(deadline, stream.next())
                .await
                .context("silence")?;
            let Message::Text(text) = message.context("the socket ended")?? else {
                bail!("expected a text message");
            };
            let message: Value = serde_json::from_str(&text)?;
            match message["type"].as_str() {
                Some("heartbeat") => {}
                Some("ack" | "error") => return Ok(message),
                _ => {
                    let expected = self.seen.len() + 1;
                    ensure!(message["version"] == expected, "{expected}, not {message}");
                    self.seen.push(message.clone());
                    return Ok(message);
                }
            }
        }
    }

    /// Acts; the version that is answered.
    async fn act(&mut self, action: &Value) -> anyhow::Result<u64> {
        let command_id = Uuid::new_v4().to_string();
        let body = json!({"command_id": command_id, "action": action});
        let text = Message::text(body.to_string());
        self.stream().await?.send(text).await?;
        loop {
            let message = self.next().await?;
            if message["command_id"].is_null() {
                continue;
            }
            ensure!(
                message["type"] == "ack" && message["command_id"] == command_id,
                "{action}: {message}"
            );
            return message["version"].as_u64().context("version");
        }
    }
}

/// Plays a match to its end as [`crate::play::play`] does, but follows and acts over a WebSocket;
/// only what there is to do is read from the table's view.
///
/// # Errors
/// When an event is missing or an action that was listed is refused.
pub async fn play(client: &Client, table: &str, seed: u64) -> anyhow::Result<Played> {
    let mut choices = Choices::new(seed);
    let mut acknowledged = Vec::new();
    let mut socket = Socket {
        client: client.clone(),
        table: table.to_owned(),
        stream: None,
        seen: Vec::new(),
    };
    loop {
        let view = client.table(table).await?;
        let version = view["version"].as_u64().context("version")?;
        if let Some(action) = choices.choose(&view) {
            acknowledged.push((socket.act(&action).await?, action));
            continue;
        }
        while (socket.seen.len() as u64) < version {
            socket.next().await?;
        }
        if view["phase"] == "ended" {
            return Ok(Played {
                events: socket.seen,
                acknowledged,
            });
        }
        if choices.below(5) == 0 {
            socket.stream = None;
        }
        socket.next().await?;
    }
}
