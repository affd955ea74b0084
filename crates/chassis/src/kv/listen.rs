//! Hears what is published, on a connection of its own.
//!
//! Channels are sharded ones (`SPUBLISH`): in Redis Cluster a message stays on the nodes that
//! have the channel's slot, and elsewhere there is no difference.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use redis::{
    ErrorKind, ProtocolVersion, PushInfo, PushKind, RedisError, RedisResult, Value,
    aio::MultiplexedConnection, cluster_async::ClusterConnection, cmd, pipe,
};
use tokio::{
    sync::Notify,
    time::{MissedTickBehavior, interval, sleep, timeout},
};

use super::{
    address::{Address, cluster},
    timeouts,
};

/// How long Redis may take for an answer.
const ANSWER: Duration = Duration::from_secs(2);
/// How often to check that the connection is alive: a dead peer sends nothing, not even an end.
const CHECK: Duration = Duration::from_secs(5);
/// The first wait before connecting again; each failure in a row doubles it.
const BACK_OFF: Duration = Duration::from_millis(50);
/// The longest wait before connecting again.
const MAX_BACK_OFF: Duration = Duration::from_secs(2);

/// What a listener hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard<'a> {
    /// It listens from here on. Whatever was published before may have been missed.
    Anew,
    /// A message.
    Message(&'a [u8]),
}

/// Listens to these channels until dropped, whatever happens to the connection. Must not block:
/// `hear` runs where answers are read.
pub async fn listen<H>(address: Address, channels: Vec<String>, hear: H)
where
    H: Fn(Heard<'_>) + Send + Sync + 'static,
{
    let hear = Arc::new(hear);
    let mut wait = BACK_OFF;
    loop {
        let error = match Session::open(&address, &channels, &hear).await {
            Ok(session) => {
                hear(Heard::Anew);
                wait = BACK_OFF;
                session.ended().await
            }
            Err(error) => error,
        };
        tracing::warn!(%error, retry_in = ?wait, "not listening for changes");
        sleep(wait).await;
        wait = (wait * 2).min(MAX_BACK_OFF);
    }
}

/// One connection, with everything subscribed.
struct Session {
    connection: Listening,
    /// Told when a connection ends or a channel moves away.
    broken: Arc<Notify>,
    /// Whether every channel is heard. While a primary of a cluster is gone, those of the others
    /// are.
    whole: bool,
}

enum Listening {
    One(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl Session {
    async fn open<H>(address: &Address, channels: &[String], hear: &Arc<H>) -> RedisResult<Self>
    where
        H: Fn(Heard<'_>) + Send + Sync + 'static,
    {
        let broken = Arc::new(Notify::new());
        let pushed = pushes(Arc::clone(hear), Arc::clone(&broken));
        let mut whole = true;
        let connection = match address {
            Address::Cluster(nodes) => {
                let client = cluster(nodes)
                    .use_protocol(ProtocolVersion::RESP3)
                    .push_sender(pushed)
                    .build()?;
                let connection = answer(client.get_async_connection()).await?;
                // Channels of several slots cannot be named in one command.
                let subscribed = join_all(channels.iter().map(|channel| {
                    let mut connection = connection.clone();
                    async move { answer(connection.ssubscribe(channel)).await }
                }))
                .await;
                whole = subscribed.iter().all(Result::is_ok);
                if !subscribed.iter().any(Result::is_ok) {
                    // Nothing is heard at all.
                    subscribed.into_iter().collect::<Result<(), _>>()?;
                }
                Listening::Cluster(connection)
            }
            Address::Single(_) | Address::Sentinel { .. } => {
                let client = address.primary().await?;
                let info = client.get_connection_info();
                let settings = info.redis_settings().clone();
                let resp3 = settings.set_protocol(ProtocolVersion::RESP3);
                let client = redis::Client::open(info.clone().set_redis_settings(resp3))?;
                let config = timeouts().set_push_sender(pushed);
                let mut connection = client
                    .get_multiplexed_async_connection_with_config(&config)
                    .await?;
                // Each command has one confirmation, so that answers keep their order.
                let mut subscribe = pipe();
                for channel in channels {
                    subscribe.cmd("SSUBSCRIBE").arg(channel);
                }
                answer(subscribe.exec_async(&mut connection)).await?;
                Listening::One(connection)
            }
        };
        Ok(Self {
            connection,
            broken,
            whole,
        })
    }

    /// Waits until it fails.
    async fn ended(mut self) -> RedisError {
        if !self.whole {
            let _ = timeout(MAX_BACK_OFF, self.broken.notified()).await;
            return failed("some channels could not be heard");
        }
        let mut check = interval(CHECK);
        check.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.broken.notified() => return failed("a connection was closed"),
                _ = check.tick() => {
                    if let Err(error) = answer(self.connection.ping()).await {
                        return error;
                    }
                }
            }
        }
    }
}

impl Listening {
    async fn ping(&mut self) -> RedisResult<Value> {
        let ping = cmd("PING");
        match self {
            Self::One(connection) => ping.query_async(connection).await,
            Self::Cluster(connection) => ping.query_async(connection).await,
        }
    }
}

/// What is done with what Redis sends unasked.
fn pushes<H>(
    hear: Arc<H>,
    broken: Arc<Notify>,
) -> impl Fn(PushInfo) -> Result<(), std::convert::Infallible> + Send + Sync + 'static
where
    H: Fn(Heard<'_>) + Send + Sync + 'static,
{
    move |push| {
        match push.kind {
            PushKind::SMessage => {
                if let [_, Value::BulkString(payload)] = push.data.as_slice() {
                    hear(Heard::Message(payload));
                }
            }
            // A slot that moves to another node ends the subscription.
            PushKind::Disconnection | PushKind::SUnsubscribe => broken.notify_one(),
            _ => {}
        }
        Ok(())
    }
}

async fn answer<T>(call: impl Future<Output = Result<T, RedisError>>) -> Result<T, RedisError> {
    timeout(ANSWER, call)
        .await
        .unwrap_or_else(|_| Err(failed("no answer in time")))
}

fn failed(why: &'static str) -> RedisError {
    RedisError::from((ErrorKind::Io, why))
}
