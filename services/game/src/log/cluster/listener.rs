//! Hears on one connection what was appended anywhere, and tells the hub.
//!
//! Messages are lost while the connection is down. So whenever one is made, every subscriber is
//! told that heads may have moved unseen; nothing that is missed stays missed.

use std::{sync::Arc, time::Duration};

use futures::StreamExt as _;
use redis::{Client, ErrorKind, Msg, RedisError, Value};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use uuid::Uuid;

use crate::log::hub::Hub;

/// How long Redis may take for an answer.
const ANSWER: Duration = Duration::from_secs(2);
/// How often to check that the connection is alive: a dead peer sends nothing, not even an end.
const CHECK: Duration = Duration::from_secs(5);
/// The first wait before connecting again; each failure in a row doubles it.
const BACK_OFF: Duration = Duration::from_millis(50);
/// The longest wait before connecting again.
const MAX_BACK_OFF: Duration = Duration::from_secs(2);

/// Listens for ever.
pub(super) async fn listen(client: Client, channels: Vec<String>, hub: Arc<Hub>) {
    let mut wait = BACK_OFF;
    loop {
        let mut connected = false;
        let error = match session(&client, &channels, &hub, &mut connected).await {
            Ok(never) => match never {},
            Err(error) => error,
        };
        if connected {
            wait = BACK_OFF;
        }
        tracing::warn!(%error, retry_in = ?wait, "not listening for changes of tables");
        sleep(wait).await;
        wait = (wait * 2).min(MAX_BACK_OFF);
    }
}

/// Listens until the connection fails.
async fn session(
    client: &Client,
    channels: &[String],
    hub: &Hub,
    connected: &mut bool,
) -> Result<std::convert::Infallible, RedisError> {
    let (mut sink, mut messages) = answer(client.get_async_pubsub()).await?.split();
    answer(sink.subscribe(channels)).await?;
    *connected = true;
    tracing::debug!("listening for changes of tables");
    hub.lost_track();
    let mut check = interval(CHECK);
    check.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            message = messages.next() => {
                let message = message.ok_or_else(|| failed("the connection was closed"))?;
                match parse(&message) {
                    Some((table, version)) => hub.moved(table, version),
                    None => tracing::warn!(
                        channel = message.get_channel_name(),
                        "unexpected message"
                    ),
                }
            }
            _ = check.tick() => {
                let _: Value = answer(sink.ping()).await?;
            }
        }
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

fn parse(message: &Msg) -> Option<(Uuid, u64)> {
    let text = std::str::from_utf8(message.get_payload_bytes()).ok()?;
    let (table, version) = text.split_once(' ')?;
    Some((table.parse().ok()?, version.parse().ok()?))
}
