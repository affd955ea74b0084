//! Server-sent events: a service's stream on its way to one client.
//!
//! A stream ends when its source does, when the server stops, when a newer stream of the same
//! player took its place, or after its lifetime; or when its client leaves it unread, of which an
//! event named `dropped` tells the reason. The client then comes back with the last id it saw, and
//! misses nothing. A server that stops tells each client another time to come back at,
//! so that they do not all come at once.

use std::{convert::Infallible, ops::Range, time::Duration};

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue},
    response::{IntoResponse, Response, sse::Event},
};
use chassis::{ErrorCode, Failure};
use futures::{Stream, StreamExt as _, stream};
use serde::Serialize;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tonic::Streaming;

use crate::{config::Config, limits::Slot};

/// How long a client waits before it comes back.
const RETRY: Duration = Duration::from_secs(1);
/// The same when the server stops: from the least to less than the most.
const RETRY_STOPPED_MS: Range<u32> = 100..2100;
const LAST_EVENT_ID: &str = "last-event-id";
/// Why a client is let go that does not read.
pub(crate) const UNREAD: &str = "messages were left unread for too long";
/// Asks proxies of the nginx family to pass every event on at once.
const UNBUFFERED: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-accel-buffering"),
    HeaderValue::from_static("no"),
);

/// The version after which a client wants events: the header `Last-Event-ID`, which a browser
/// sends when it comes back, else what the query asked for, else all.
///
/// # Errors
/// When the header is no version.
pub(crate) fn after(headers: &HeaderMap, query: Option<u64>) -> Result<u64, Failure> {
    match headers.get(LAST_EVENT_ID) {
        None => Ok(query.unwrap_or(0)),
        Some(value) => {
            let version = value
                .to_str()
                .ok()
                .and_then(|text| text.trim().parse().ok());
            version.ok_or_else(|| {
                let detail = "Last-Event-ID: expected the id of an event, a whole number";
                Failure::new(ErrorCode::BadRequest, detail)
            })
        }
    }
}

/// An event with a JSON body.
///
/// # Errors
/// When the value has no JSON text.
pub(crate) fn json_event(data: &impl Serialize) -> Result<Event, Failure> {
    Event::default().json_data(data).map_err(Failure::internal)
}

struct Feed<M, F> {
    source: Streaming<M>,
    render: F,
    heartbeat: Interval,
    deadline: Instant,
    slot: Slot,
}

enum Next<M> {
    Message(M),
    Silence,
    End,
}

impl<M, F> Feed<M, F> {
    async fn next(&mut self) -> Next<M> {
        tokio::select! {
            biased;
            () = self.slot.end.cancelled() => Next::End,
            () = tokio::time::sleep_until(self.deadline) => Next::End,
            message = self.source.message() => match message {
                Ok(Some(message)) => Next::Message(message),
                Ok(None) => Next::End,
                Err(status) => {
                    tracing::debug!(%status, "a stream broke");
                    Next::End
                }
            },
            _ = self.heartbeat.tick() => Next::Silence,
        }
    }
}

/// The response that carries a stream. `render` makes an event of each message, and of silence
/// (None) a sign of life.
pub(crate) fn respond<M, F>(
    source: Streaming<M>,
    render: F,
    slot: Slot,
    config: &Config,
) -> Response
where
    M: Send + 'static,
    F: FnMut(Option<M>) -> Result<Event, Failure> + Send + 'static,
{
    let now = Instant::now();
    let mut heartbeat = interval_at(now + config.heartbeat, config.heartbeat);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let feed = Feed {
        source,
        render,
        heartbeat,
        deadline: now + config.stream_lifetime,
        slot,
    };
    let hello = Event::default().retry(RETRY).comment("spatz");
    let events = stream::once(async { Ok(hello) }).chain(events(feed));
    let body = axum::response::Sse::new(read_in_time(events, config.unread_max()));
    ([UNBUFFERED], body).into_response()
}

fn events<M, F>(feed: Feed<M, F>) -> impl Stream<Item = Result<Event, Infallible>>
where
    F: FnMut(Option<M>) -> Result<Event, Failure>,
{
    stream::unfold(Some(feed), |feed| async move {
        let mut feed = feed?;
        let event = match feed.next().await {
            Next::Message(message) => {
                feed.heartbeat.reset();
                (feed.render)(Some(message))
            }
            Next::Silence => (feed.render)(None),
            Next::End if feed.slot.server_stops() => {
                let goodbye = Event::default().retry(retry_stopped());
                return Some((Ok(goodbye.comment("the server stops")), None));
            }
            Next::End => return None,
        };
        // A failure was logged where it was made. The client comes back and gets the view.
        event.ok().map(|event| (Ok(event), Some(feed)))
    })
}

/// The events, as long as they are read. The server asks for the next one when there is room for
/// it: what it has written by then is bounded.
fn read_in_time(
    events: impl Stream<Item = Result<Event, Infallible>> + Send,
    unread_max: Duration,
) -> impl Stream<Item = Result<Event, Infallible>> + Send {
    let begin = (Some(Box::pin(events)), None);
    stream::unfold(begin, move |(events, sent)| async move {
        let mut events = events?;
        if sent.is_some_and(|sent: Instant| sent.elapsed() > unread_max) {
            let reason = serde_json::json!({ "reason": UNREAD });
            let dropped = Event::default().event("dropped").json_data(reason).ok()?;
            return Some((Ok(dropped), (None, None)));
        }
        let event = events.next().await?;
        Some((event, (Some(events), Some(Instant::now()))))
    })
}

fn retry_stopped() -> Duration {
    let Range { start, end } = RETRY_STOPPED_MS;
    // Without randomness all come at once, which is no reason to fail.
    let random = getrandom::u32().unwrap_or_default();
    Duration::from_millis((start + random % (end - start)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_told_why_it_is_dropped() {
        let event = |n: u8| Ok(Event::default().comment(n.to_string()));
        let unread_max = Duration::from_secs(30);
        let slow = stream::iter(1..=3).map(event).then(|event| async move {
            tokio::time::sleep(Duration::from_secs(100)).await;
            event
        });
        let mut events = Box::pin(read_in_time(slow, unread_max));
        assert!(events.next().await.is_some(), "a source may take its time");
        tokio::time::advance(unread_max).await;
        assert!(events.next().await.is_some());
        tokio::time::advance(unread_max + Duration::from_millis(1)).await;
        let Ok(last) = events.next().await.unwrap();
        let shown = format!("{last:?}");
        assert!(
            shown.contains("dropped") && shown.contains(UNREAD),
            "{shown}"
        );
        assert!(events.next().await.is_none());
    }

    #[test]
    fn the_header_wins_over_the_query_and_must_be_a_version() {
        let headers = |value: &'static str| {
            HeaderMap::from_iter([(
                HeaderName::from_static(LAST_EVENT_ID),
                HeaderValue::from_static(value),
            )])
        };
        assert_eq!(after(&HeaderMap::new(), None), Ok(0));
        assert_eq!(after(&HeaderMap::new(), Some(7)), Ok(7));
        assert_eq!(after(&headers("9"), Some(7)), Ok(9));
        for bad in ["", "x", "-1", "1.5", "99999999999999999999"] {
            let refused = after(&headers(bad), Some(7)).unwrap_err();
            assert_eq!(refused.code, ErrorCode::BadRequest, "{bad}");
        }
    }
}
