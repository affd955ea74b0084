//! Answers that wait until replicas have what they say (`WAIT`).
//!
//! `WAIT` holds up the connection that it comes on, and speaks for everything that the
//! connection sent before. So commands of this kind go over connections of their own, one for
//! each primary: what comes while one `WAIT` is under way goes together, with one `WAIT` for all
//! (group commit). When replicas do not confirm in time, the answer is that nobody knows; the
//! same command again is confirmed as well before it is answered, so the retry tells the truth.
//!
//! It holds where the replica that is promoted is one that confirmed, which is so with one
//! replica a primary. With more, ask for all of them.

use std::{
    collections::HashMap,
    num::NonZeroU8,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chassis::kv::{Address, Kv};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, RedisError, RedisResult, Value,
    aio::{ConnectionLike as _, MultiplexedConnection},
    cmd, pipe,
};
use tokio::sync::{mpsc, oneshot};

use super::LogError;

/// How long replicas may take.
const CONFIRMED_IN: Duration = Duration::from_millis(500);
/// How long a connection may take, and an answer with its confirmation.
const ANSWER: Duration = Duration::from_millis(1_500);
/// Commands that one `WAIT` confirms, at most.
const BATCH_MAX: usize = 128;
/// Commands that wait for a connection, at most; more wait before they are taken.
const QUEUED_MAX: usize = 1_024;

/// Sends commands and waits for replicas.
pub(super) struct Confirming {
    kv: Kv,
    replicas: NonZeroU8,
    /// A key of each shard, written before each `WAIT`: a command that changed nothing is
    /// confirmed only with a change after it.
    fences: Vec<String>,
    /// Commands on their way, by the primary that they go to.
    lanes: Mutex<HashMap<String, mpsc::Sender<Request>>>,
    /// The primary of each shard, as far as is known.
    primaries: Mutex<Option<Arc<[String]>>>,
}

struct Request {
    command: Cmd,
    shard: u16,
    answer: oneshot::Sender<Result<Value, LogError>>,
}

impl Confirming {
    pub(super) fn new(kv: Kv, replicas: NonZeroU8, fences: Vec<String>) -> Self {
        Self {
            kv,
            replicas,
            fences,
            lanes: Mutex::default(),
            primaries: Mutex::default(),
        }
    }

    /// Sends a command and waits until enough replicas have what it did, or what it read.
    ///
    /// # Errors
    /// [`LogError::Unconfirmed`] when they do not say so in time, or Redis fails. Either way it
    /// may have happened.
    pub(super) async fn call(&self, shard: u16, command: Cmd) -> Result<Value, LogError> {
        let node = self.primary(shard).await?;
        let (answer, answered) = oneshot::channel();
        let request = Request {
            command,
            shard,
            answer,
        };
        let sent = self.lane(&node).send(request).await;
        let answer = match sent {
            Ok(()) => answered.await.map_err(|_| closed())?,
            Err(_) => Err(closed().into()),
        };
        if let Err(LogError::Redis(_)) = answer {
            // Another node may be the primary by now.
            *lock(&self.primaries) = None;
        }
        answer
    }

    fn lane(&self, node: &str) -> mpsc::Sender<Request> {
        let mut lanes = lock(&self.lanes);
        if let Some(lane) = lanes.get(node).filter(|lane| !lane.is_closed()) {
            return lane.clone();
        }
        let (sender, requests) = mpsc::channel(QUEUED_MAX);
        let lane = Lane {
            address: self.kv.address.clone(),
            node: node.to_owned(),
            replicas: self.replicas,
            fences: self.fences.clone(),
            requests,
        };
        // It ends when the last sender goes, with this.
        tokio::spawn(lane.run());
        lanes.insert(node.to_owned(), sender.clone());
        sender
    }

    async fn primary(&self, shard: u16) -> Result<String, LogError> {
        let known = lock(&self.primaries).clone();
        let primaries = match known {
            Some(primaries) => primaries,
            None => {
                let found: Arc<[String]> = self.find_primaries().await?.into();
                *lock(&self.primaries) = Some(Arc::clone(&found));
                found
            }
        };
        Ok(primaries[usize::from(shard)].clone())
    }

    /// `HOST:PORT` of the primary of each shard; nothing where there is only one.
    async fn find_primaries(&self) -> Result<Vec<String>, LogError> {
        if !matches!(self.kv.address, Address::Cluster(_)) {
            return Ok(vec![String::new(); self.fences.len()]);
        }
        let mut connection = self.kv.connection.clone();
        let ranges: Vec<(u16, u16, Vec<Value>)> = slots(&mut connection).await?;
        let mut primaries = Vec::with_capacity(self.fences.len());
        for fence in &self.fences {
            let mut ask = cmd("CLUSTER");
            ask.arg("KEYSLOT").arg(fence);
            let slot: u16 = ask.query_async(&mut connection).await?;
            let range = ranges
                .iter()
                .find(|(first, last, _)| (*first..=*last).contains(&slot));
            let node = range.and_then(|(_, _, nodes)| nodes.first()).cloned();
            let (host, port) = node_address(node).ok_or(LogError::Corrupt("map of slots"))?;
            primaries.push(format!("{host}:{port}"));
        }
        Ok(primaries)
    }
}

/// `CLUSTER SLOTS`: first and last slot of each range, and its nodes, the primary first.
async fn slots(
    connection: &mut chassis::kv::Connection,
) -> RedisResult<Vec<(u16, u16, Vec<Value>)>> {
    let answer: Vec<Vec<Value>> = cmd("CLUSTER").arg("SLOTS").query_async(connection).await?;
    answer
        .into_iter()
        .map(|range| {
            let mut fields = range.into_iter();
            let mut number = || redis::from_redis_value(fields.next().unwrap_or(Value::Nil));
            let (first, last) = (number()?, number()?);
            Ok((first, last, fields.collect()))
        })
        .collect()
}

fn node_address(node: Option<Value>) -> Option<(String, u16)> {
    let fields: Vec<Value> = redis::from_redis_value(node?).ok()?;
    let mut fields = fields.into_iter();
    let host = redis::from_redis_value(fields.next()?).ok()?;
    let port = redis::from_redis_value(fields.next()?).ok()?;
    Some((host, port))
}

/// Everything that goes to one primary.
struct Lane {
    address: Address,
    node: String,
    replicas: NonZeroU8,
    fences: Vec<String>,
    requests: mpsc::Receiver<Request>,
}

impl Lane {
    async fn run(mut self) {
        let mut connection = None;
        let mut batch = Vec::with_capacity(BATCH_MAX);
        while self.requests.recv_many(&mut batch, BATCH_MAX).await > 0 {
            match self.send(&mut connection, &batch).await {
                Ok(answers) => {
                    for (request, answer) in batch.drain(..).zip(answers) {
                        // Nobody waits any more for an answer that cannot be sent.
                        let _ = request.answer.send(answer);
                    }
                }
                Err(error) => {
                    connection = None;
                    for request in batch.drain(..) {
                        let _ = request.answer.send(Err(error.clone().into()));
                    }
                }
            }
        }
    }

    async fn send(
        &self,
        connection: &mut Option<MultiplexedConnection>,
        batch: &[Request],
    ) -> RedisResult<Vec<Result<Value, LogError>>> {
        let connection = match connection {
            Some(connection) => connection,
            None => connection.insert(self.connect().await?),
        };
        let mut commands = pipe();
        for request in batch {
            commands.add_command(request.command.clone());
        }
        let fence = batch.first().map(|request| usize::from(request.shard));
        commands
            .cmd("SET")
            .arg(&self.fences[fence.unwrap_or_default()])
            .arg("")
            .cmd("WAIT")
            .arg(self.replicas.get())
            .arg(CONFIRMED_IN.as_millis());
        let count = batch.len() + 2;
        let mut answers = connection
            .req_packed_commands(&commands, 0, count)
            .await?
            .into_iter()
            .map(Value::extract_error);
        let each: Vec<RedisResult<Value>> = answers.by_ref().take(batch.len()).collect();
        for answer in answers.by_ref().take(1) {
            answer?;
        }
        let confirmed: u8 = redis::from_redis_value(answers.next().ok_or_else(closed)??)?;
        let enough = confirmed >= self.replicas.get();
        Ok(each
            .into_iter()
            .map(|answer| match answer {
                Ok(_) if !enough => Err(LogError::Unconfirmed),
                answer => Ok(answer?),
            })
            .collect())
    }

    async fn connect(&self) -> RedisResult<MultiplexedConnection> {
        let client: Client = self.address.node(&self.node).await?;
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(ANSWER))
            .set_response_timeout(Some(ANSWER));
        client
            .get_multiplexed_async_connection_with_config(&config)
            .await
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that could panic half-way runs under these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn closed() -> RedisError {
    RedisError::from((ErrorKind::Io, "the connection was closed"))
}
