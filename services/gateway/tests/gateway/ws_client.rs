//! A gateway on a real connection, and a WebSocket client of it.

use std::net::SocketAddr;

use futures::{SinkExt as _, StreamExt as _};
use gateway::{Config, serve};
use serde_json::Value;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, Message, client::IntoClientRequest as _, handshake::client::Response},
};

use crate::{
    messages::TABLE,
    support::{Guest, Spatz},
};

pub(crate) type Header = (&'static str, String);

/// A running server with a player.
pub(crate) struct Live {
    pub(crate) spatz: Spatz,
    pub(crate) anna: Guest,
    pub(crate) address: SocketAddr,
    pub(crate) server: JoinHandle<std::io::Result<()>>,
}

impl Live {
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let spatz = Spatz::with(change).await;
        let anna = spatz.guest("Anna").await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = spatz.router.clone();
        let server = tokio::spawn(serve(router, listener, spatz.shutdown.clone()));
        Self {
            spatz,
            anna,
            address,
            server,
        }
    }

    pub(crate) fn bearer(&self) -> Vec<Header> {
        vec![("authorization", format!("Bearer {}", self.anna.token))]
    }

    pub(crate) async fn connect(
        &self,
        query: &str,
        headers: &[Header],
    ) -> Result<(Socket, Response), Error> {
        Socket::open(self.address, query, headers).await
    }

    /// A socket of the player.
    pub(crate) async fn open(&self, query: &str) -> Socket {
        self.connect(query, &self.bearer()).await.unwrap().0
    }

    /// The status of a refused handshake.
    pub(crate) async fn refused(&self, query: &str, headers: &[Header]) -> u16 {
        match self.connect(query, headers).await.map(|_| ()) {
            Err(Error::Http(response)) => response.status().as_u16(),
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) struct Socket {
    stream: WebSocketStream<TcpStream>,
    /// Text messages so far.
    pub(crate) seen: usize,
}

impl Socket {
    pub(crate) async fn open(
        address: SocketAddr,
        query: &str,
        headers: &[Header],
    ) -> Result<(Self, Response), Error> {
        let url = format!("ws://{address}/v1/tables/{TABLE}/ws{query}");
        let mut request = url.into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let connection = TcpStream::connect(address).await?;
        let (stream, response) = client_async(request, connection).await?;
        Ok((Self { stream, seen: 0 }, response))
    }

    pub(crate) async fn send_raw(&mut self, message: Message) {
        self.stream.send(message).await.unwrap();
    }

    pub(crate) async fn send(&mut self, body: &Value) {
        self.send_raw(Message::text(body.to_string())).await;
    }

    /// The next message of any kind. None: the connection ended.
    pub(crate) async fn raw(&mut self) -> Option<Message> {
        self.stream.next().await?.ok()
    }

    /// The next text message.
    pub(crate) async fn next(&mut self) -> Value {
        let message = self.raw().await.unwrap();
        let text = message.to_text().unwrap();
        self.seen += 1;
        serde_json::from_str(text).unwrap_or_else(|_| panic!("no JSON: {message:?}"))
    }

    /// The next answer to an action.
    pub(crate) async fn answer(&mut self) -> Value {
        loop {
            let message = self.next().await;
            if message["type"] == "ack" || message["type"] == "error" {
                return message;
            }
        }
    }

    /// Reads on to the close: its code and reason.
    pub(crate) async fn closed(&mut self) -> (u16, String) {
        loop {
            match self.raw().await.unwrap() {
                Message::Text(_) => self.seen += 1,
                Message::Close(frame) => {
                    let frame = frame.unwrap();
                    return (frame.code.into(), frame.reason.to_string());
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
