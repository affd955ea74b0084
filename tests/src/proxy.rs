//! A fault proxy between clients and the gateway, over HTTP/1.1.
//!
//! It reads the frames of what the gateway answers, and at one in so many of them does what
//! networks do: it leaves out a message of a stream without closing it, breaks a connection in
//! the middle of an answer, or takes a move to the gateway and loses the answer.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use anyhow::{Context as _, bail};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    task::{JoinHandle, JoinSet},
};

use crate::play::Choices;

/// What is done to one in so many; 0: nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// A message of a stream (an event, a text message of a WebSocket) is left out.
    pub drop_message: usize,
    /// A message of a stream, or any other answer, is broken off in its middle.
    pub cut_answer: usize,
    /// The answer to a move is lost with its connection.
    pub lose_answer: usize,
}

/// Counts, and says when it is time.
///
/// Not at regular intervals: a client that comes back gets the same few messages again, and one
/// that is alone would lose the same one of them for ever.
#[derive(Debug)]
struct OneIn {
    choices: Mutex<Choices>,
    done: AtomicU64,
}

impl Default for OneIn {
    fn default() -> Self {
        Self {
            choices: Mutex::new(Choices::new(0)),
            done: AtomicU64::new(0),
        }
    }
}

impl OneIn {
    fn hit(&self, so_many: usize) -> bool {
        let mut choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        let hit = so_many > 0 && choices.below(so_many) == 0;
        self.done.fetch_add(hit.into(), Ordering::Relaxed);
        hit
    }

    fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct Shared {
    target: String,
    plan: Plan,
    dropped: OneIn,
    cut: OneIn,
    lost: OneIn,
}

/// The proxy; it ends when this is dropped.
#[derive(Debug)]
pub struct Proxy {
    /// Where clients reach it.
    pub url: String,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Starts in front of a gateway.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn start(gateway: &str, plan: Plan) -> anyhow::Result<Self> {
        let target = gateway.strip_prefix("http://").context("http")?;
        let shared = Arc::new(Shared {
            target: target.to_owned(),
            plan,
            dropped: OneIn::default(),
            cut: OneIn::default(),
            lost: OneIn::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        Ok(Self {
            url: format!("http://{}", listener.local_addr()?),
            shared: Arc::clone(&shared),
            accepting: tokio::spawn(accept(listener, shared)),
        })
    }

    /// Messages left out so far.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.shared.dropped.done()
    }

    /// Answers broken off so far.
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.shared.cut.done()
    }

    /// Answers to moves lost so far.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.shared.lost.done()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        // However a connection ends, both sides are closed.
        connections.spawn(async move { connection(client, &shared).await });
        while connections.try_join_next().is_some() {}
    }
}

async fn connection(client: TcpStream, shared: &Shared) -> anyhow::Result<()> {
    let server = TcpStream::connect(&shared.target).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let asked = Mutex::default();
    let mut answers = Answers {
        shared,
        asked: &asked,
        from: from_server,
        read: Vec::new(),
        to: to_client,
    };
    tokio::select! {
        ended = questions(from_client, to_server, &asked) => ended,
        ended = answers.pass_on() => ended,
    }
}

/// Passes on what the client sends, and keeps the beginning of each request.
async fn questions(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    asked: &Mutex<Vec<u8>>,
) -> anyhow::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let count = from.read(&mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        {
            let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = count.min(256_usize.saturating_sub(asked.len()));
            asked.extend_from_slice(&buffer[..kept]);
        }
        to.write_all(&buffer[..count]).await?;
    }
}

/// How the body of an answer ends.
enum Body {
    Bytes(usize),
    Chunks,
    Events,
    Frames,
}

struct Answers<'a> {
    shared: &'a Shared,
    asked: &'a Mutex<Vec<u8>>,
    from: OwnedReadHalf,
    read: Vec<u8>,
    to: OwnedWriteHalf,
}

impl Answers<'_> {
    /// Passes answers on until one of the sides, or a fault, ends the connection.
    async fn pass_on(&mut self) -> anyhow::Result<()> {
        loop {
            let head = self.until(b"\r\n\r\n").await?;
            let body = body_of(&String::from_utf8_lossy(&head))?;
            let move_made = self.asked_to_act();
            match body {
                Body::Bytes(length) => {
                    let mut answer = head;
                    answer.extend(self.exactly(length).await?);
                    if move_made && self.shared.lost.hit(self.shared.plan.lose_answer) {
                        bail!("the answer to a move is lost");
                    }
                    self.send(&answer, true).await?;
                }
                Body::Chunks => {
                    self.send(&head, false).await?;
                    while let Some(chunk) = self.chunk().await? {
                        self.send(&chunk, true).await?;
                    }
                    self.send(b"0\r\n\r\n", false).await?;
                }
                Body::Events => {
                    self.send(&head, false).await?;
                    while let Some(chunk) = self.chunk().await? {
                        let message = chunk.windows(5).any(|text| text == b"data:");
                        self.message(&chunk, message).await?;
                    }
                    self.send(b"0\r\n\r\n", false).await?;
                }
                Body::Frames => {
                    self.send(&head, false).await?;
                    loop {
                        let (frame, text) = self.frame().await?;
                        self.message(&frame, text).await?;
                    }
                }
            }
        }
    }

    /// Whether the request that is answered now was a move. The next one begins after it.
    fn asked_to_act(&self) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = String::from_utf8_lossy(&std::mem::take(&mut *asked)).into_owned();
        let line = begin.lines().next().unwrap_or_default();
        line.starts_with("POST ") && line.contains("/actions ")
    }

    async fn message(&mut self, bytes: &[u8], counts: bool) -> anyhow::Result<()> {
        if counts && self.shared.dropped.hit(self.shared.plan.drop_message) {
            return Ok(());
        }
        self.send(bytes, counts).await
    }

    /// Writes an answer or a part of it. One that counts may be broken off.
    async fn send(&mut self, bytes: &[u8], counts: bool) -> anyhow::Result<()> {
        if counts && self.shared.cut.hit(self.shared.plan.cut_answer) {
            self.to.write_all(&bytes[..bytes.len() / 2]).await?;
            bail!("an answer is broken off");
        }
        Ok(self.to.write_all(bytes).await?)
    }

    async fn more(&mut self) -> anyhow::Result<()> {
        if self.from.read_buf(&mut self.read).await? == 0 {
            bail!("the gateway has closed the connection");
        }
        Ok(())
    }

    async fn exactly(&mut self, count: usize) -> anyhow::Result<Vec<u8>> {
        while self.read.len() < count {
            self.more().await?;
        }
        Ok(self.read.drain(..count).collect())
    }

    /// Everything up to and including a mark.
    async fn until(&mut self, mark: &[u8]) -> anyhow::Result<Vec<u8>> {
        loop {
            let mut places = self.read.windows(mark.len());
            if let Some(place) = places.position(|bytes| bytes == mark) {
                return self.exactly(place + mark.len()).await;
            }
            self.more().await?;
        }
    }

    /// A chunk with its frame; `None` for the last.
    async fn chunk(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        let mut chunk = self.until(b"\r\n").await?;
        let size = usize::from_str_radix(std::str::from_utf8(&chunk)?.trim(), 16)?;
        chunk.extend(self.exactly(size + 2).await?);
        Ok((size > 0).then_some(chunk))
    }

    /// A frame of a WebSocket as a server sends it, and whether it is a text message.
    async fn frame(&mut self) -> anyhow::Result<(Vec<u8>, bool)> {
        let mut frame = self.exactly(2).await?;
        let text = frame[0] & 0x0f == 1;
        let length = match frame[1] & 0x7f {
            126 => self.exactly(2).await?,
            127 => self.exactly(8).await?,
            short => {
                frame.extend(self.exactly(short.into()).await?);
                return Ok((frame, text));
            }
        };
        let bytes = length.iter();
        let size = bytes.fold(0_usize, |size, byte| (size << 8) | usize::from(*byte));
        frame.extend(length);
        frame.extend(self.exactly(size).await?);
        Ok((frame, text))
    }
}

fn body_of(head: &str) -> anyhow::Result<Body> {
    let head = head.to_ascii_lowercase();
    let status = head.split(' ').nth(1).context("a status")?;
    let header = |name: &str| {
        let mut lines = head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
    };
    if status == "101" {
        return Ok(Body::Frames);
    }
    if header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
        let events = header("content-type").is_some_and(|value| value.contains("event-stream"));
        return Ok(if events { Body::Events } else { Body::Chunks });
    }
    let length = header("content-length").map_or(Ok(0), |value| value.trim().parse());
    Ok(Body::Bytes(length?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_three_is_hit_in_no_fixed_rhythm_and_none_when_there_is_no_plan() {
        let third = OneIn::default();
        let hits: Vec<bool> = (0..3_000).map(|_| third.hit(3)).collect();
        assert_eq!(third.done(), hits.iter().filter(|hit| **hit).count() as u64);
        assert!((900..1_100).contains(&third.done()));
        for period in 1..=9 {
            let alike = hits.iter().zip(&hits[period..]);
            let alike = alike.filter(|(first, later)| first == later).count();
            assert!(alike < 2_000, "{period}: {alike}");
        }
        assert!(!OneIn::default().hit(0));
    }

    #[test]
    fn the_end_of_an_answer_is_in_its_head() {
        let of = |head| body_of(head).unwrap();
        let plain = of("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n");
        assert!(matches!(plain, Body::Bytes(12)));
        assert!(matches!(
            of("HTTP/1.1 204 No Content\r\n\r\n"),
            Body::Bytes(0)
        ));
        assert!(matches!(
            of("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
            Body::Frames
        ));
        let events = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
                      Transfer-Encoding: chunked\r\n\r\n";
        assert!(matches!(of(events), Body::Events));
    }
}
