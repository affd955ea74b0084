//! Hears of changes that any replica made, and wakes this one's watchers.

use std::{sync::Arc, time::Duration};

use futures::StreamExt as _;
use redis::{Client, Msg, RedisError};
use tokio::time::{interval, sleep, timeout};

use crate::store::hub::Hub;

/// Between two attempts to listen.
const RETRY: Duration = Duration::from_secs(1);
/// How often the connection is tried: one that died silently brings no messages either.
const PING: Duration = Duration::from_secs(10);

/// Listens until dropped, whatever happens to the connection.
pub(super) async fn listen(client: Client, channel: String, hub: Arc<Hub>) {
    let mut failing = false;
    loop {
        match attempt(&client, &channel, &hub, &mut failing).await {
            Ok(()) => tracing::debug!(%channel, "subscription ended"),
            Err(error) if !failing => {
                tracing::warn!(%channel, %error, "cannot listen, watchers are slow");
                failing = true;
            }
            Err(error) => tracing::debug!(%channel, %error, "still cannot listen"),
        }
        sleep(RETRY).await;
    }
}

/// Listens over one connection until it ends.
async fn attempt(
    client: &Client,
    channel: &str,
    hub: &Hub,
    failing: &mut bool,
) -> Result<(), RedisError> {
    let (mut sink, mut messages) = client.get_async_pubsub().await?.split();
    sink.subscribe(channel).await?;
    if std::mem::take(failing) {
        tracing::info!(%channel, "listening again");
    }
    // What happened before the subscription was not heard.
    hub.all_changed();
    let mut pings = interval(PING);
    loop {
        tokio::select! {
            message = messages.next() => match message {
                Some(message) => hear(&message, hub),
                None => return Ok(()),
            },
            _ = pings.tick() => {
                let pong = timeout(PING, sink.ping::<redis::Value>()).await;
                let Ok(answer) = pong else { return Ok(()) };
                answer?;
            }
        }
    }
}

/// A message is the id of a ticket that changed, or says that one arrived.
fn hear(message: &Msg, hub: &Hub) {
    let payload: Result<String, _> = message.get_payload();
    match payload.ok().and_then(|text| text.parse().ok()) {
        Some(ticket) => hub.changed(ticket),
        None => hub.arrived(),
    }
}
