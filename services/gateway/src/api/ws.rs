//! A table over a WebSocket: its events as in the SSE stream, and actions as over REST.
//!
//! One task serves a socket. It takes the next message only when the last action is answered, and
//! the next event only when the last one is written, so nothing piles up: a client that does not
//! read is let go.

use std::{ops::ControlFlow, time::Duration};

use axum::{
    Json,
    body::Bytes,
    extract::{
        Extension, Path, State,
        ws::{
            CloseFrame, Message as Frame, WebSocket, WebSocketUpgrade, close_code,
            rejection::WebSocketUpgradeRejection,
        },
    },
    http::{HeaderMap, Method, StatusCode, header},
    response::Response,
};
use chassis::ErrorCode;
use futures::future::{BoxFuture, OptionFuture};
use proto::v1 as wire;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite;
use tonic::Streaming;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::{
    tables::{Act, COMMAND_ID_CHARS_MAX, act_once, watch},
    updates::{TableEvent, Told, told},
};
use crate::{
    Gateway,
    config::Config,
    extract::{Caller, Query, SocketCaller, id, refused},
    limits::Slot,
    metrics,
    object::Object,
    problem::{Problem, ProblemBody},
    serve::Place,
    sse::UNREAD,
};

/// The route of actions over REST.
const ACTIONS: &str = "/v1/tables/{id}/actions";
const PROTOCOL: &str = "spatz.v1";
const READ_BUFFER: usize = 4 * 1024;
/// A frame that is not yet written and the few that answer to the protocol fit in.
const WRITE_BUFFER_MAX: usize = 1024 * 1024;
/// So many times the size of a message that is taken is still read, to close in good order.
const OVERSIZE: usize = 4;
/// For a client's answer to the closing of its socket.
const CLOSE_GRACE: Duration = Duration::from_secs(5);

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new().routes(routes!(table_socket))
}

/// What the server sends over a WebSocket, one to a text message.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = SocketMessage)]
pub(crate) enum Message {
    /// Something happened at the table.
    Event(TableEvent),
    /// Anything else.
    Signal(Signal),
}

/// What the server sends beside the events.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schema(as = SocketSignal)]
pub(crate) enum Signal {
    /// A sign of life.
    Heartbeat {
        /// Of the table now.
        version: u64,
    },
    /// You are ahead of the server: forget all and look at the table again.
    Resync {
        /// Of the table now.
        version: u64,
    },
    /// An action was taken.
    Ack {
        command_id: String,
        /// Of the table after your action.
        version: u64,
    },
    /// An action was refused.
    Error {
        /// None: the message had none that could be read.
        #[schema(required)]
        command_id: Option<String>,
        problem: ProblemBody,
    },
}

impl From<Told> for Message {
    fn from(told: Told) -> Self {
        match told {
            Told::Event(event) => Self::Event(event),
            Told::Heartbeat(head) => Self::Signal(Signal::Heartbeat {
                version: head.version,
            }),
            Told::Resync(head) => Self::Signal(Signal::Resync {
                version: head.version,
            }),
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct SocketQuery {
    /// Only events after this version; without it, all.
    after: Option<u64>,
}

/// Follow a table and act, over a WebSocket
///
/// Text messages only. The server sends `SocketMessage`s: the events of the table after the
/// version you know, then whatever happens, and a `heartbeat` at least every 15 seconds. You send
/// actions, each an `Act` as for `/actions` and under the same limits; each is answered, in order,
/// by an `ack` or an `error`, beside the event that everybody gets. A message of more than 64 KiB
/// closes the socket with 1009, a binary one with 1003; a client that does not read is closed with
/// 1008. 1012 says that the server restarts, 1000 that the socket had its time: come back with
/// `after`, and you miss nothing. When the access token expires, events go on, and actions are
/// refused until you come back with a new one.
///
/// The token is sent in `Authorization`, or, as a browser cannot, as a protocol beside the one
/// that is spoken: `new WebSocket(url, ["spatz.v1", "bearer." + token])`.
#[utoipa::path(get, path = "/v1/tables/{id}/ws", tag = "tables",
    params(
        ("id" = Uuid, Path, description = "Id of the table"),
        ("Sec-WebSocket-Protocol" = Option<String>, Header,
            description = "`spatz.v1`, and `bearer.` with the access token"),
        SocketQuery,
    ),
    responses((status = 101, description = "The protocol is `spatz.v1` from here on")))]
async fn table_socket(
    State(gateway): State<Gateway>,
    SocketCaller { caller, token }: SocketCaller,
    Path(table): Path<String>,
    Query(query): Query<SocketQuery>,
    headers: HeaderMap,
    place: Option<Extension<Place>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    if !from_known_page(&headers, gateway.config()) {
        let detail = "pages of this origin may not open a WebSocket here";
        return Err(Problem::new(ErrorCode::Forbidden, detail));
    }
    let table = id(&table, ErrorCode::TableNotFound)?;
    let upgrade =
        upgrade.map_err(|rejection| Problem::new(ErrorCode::BadRequest, rejection.body_text()))?;
    let head = query.after.unwrap_or(0);
    let source = watch(&gateway, &caller, table, head).await?;
    let slot = gateway.streams().open(caller.player);
    let bytes_max = gateway.config().body_bytes_max;
    let held = place.map(|place| place.held());
    let upgrade = upgrade
        .protocols([PROTOCOL])
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER_MAX)
        .max_message_size(bytes_max.saturating_mul(OVERSIZE))
        .max_frame_size(bytes_max.saturating_mul(OVERSIZE));
    Ok(upgrade.on_upgrade(move |socket| async move {
        let player = Player {
            gateway,
            caller,
            token,
            table,
        };
        let session = Session {
            player,
            head,
            slot,
            socket,
        };
        session.run(source).await;
        drop(held);
    }))
}

/// Whether a page that opens a socket is the gateway's own or of an origin that may call the API.
/// Others than browsers send no origin.
fn from_known_page(headers: &HeaderMap, config: &Config) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    let host = headers.get(header::HOST).map(|host| host.as_bytes());
    let authority = ["http://", "https://"]
        .iter()
        .find_map(|scheme| origin.as_bytes().strip_prefix(scheme.as_bytes()));
    config.cors_origins.contains(origin)
        || origin.as_bytes() == config.public_url.trim_end_matches('/').as_bytes()
        || (authority.is_some() && authority == host)
}

/// Who acts through a socket, and where.
#[derive(Clone)]
struct Player {
    gateway: Gateway,
    caller: Caller,
    token: String,
    table: Uuid,
}

impl Player {
    /// The answer to a message.
    async fn answer(self, text: Bytes) -> Signal {
        let command_id = command_id(&text);
        match self.act(&text).await {
            Ok((command_id, version)) => Signal::Ack {
                command_id,
                version,
            },
            Err(problem) => Signal::Error {
                command_id,
                problem: problem.body(&self.caller.context.request_id),
            },
        }
    }

    async fn act(&self, text: &Bytes) -> Result<(String, u64), Problem> {
        let started = Instant::now();
        let acted = self.checked(text).await;
        let took = started.elapsed();
        let refused = acted.as_ref().err();
        let code = refused.map_or("ok", |problem| problem.code().as_str());
        let status = refused.map_or(StatusCode::OK, Problem::status);
        // Counted with those over REST: alerts are about moves, however they come.
        metrics::answered(&Method::POST, ACTIONS, status, took);
        tracing::info!(
            route = "/v1/tables/{id}/ws",
            code,
            ms = (took.as_secs_f64() * 10_000.0).round() / 10.0,
            request_id = self.caller.context.request_id,
            player = %self.caller.player,
            "action"
        );
        acted
    }

    /// As over REST: the token, the rate, the form, then the table.
    async fn checked(&self, text: &Bytes) -> Result<(String, u64), Problem> {
        self.gateway.tokens().check(&self.token)?;
        let commands = &self.gateway.limits().commands;
        commands.take(self.caller.player, Instant::now())?;
        let Json(Object(act)) =
            Json::<Object<Act>>::from_bytes(text).map_err(|rejection| refused(&rejection))?;
        let command_id = act.command_id.clone();
        let acted = act_once(&self.gateway, &self.caller, self.table, act).await?;
        Ok((command_id, acted.version))
    }
}

/// The command that a message is about, however broken the rest of it is.
fn command_id(text: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        command_id: String,
    }
    let named: Named = serde_json::from_slice(text).ok()?;
    let fits = named.command_id.chars().count() <= COMMAND_ID_CHARS_MAX;
    fits.then_some(named.command_id)
}

/// Why a socket ends: what the client is told, unless it is gone.
type End = Option<CloseFrame>;

fn end(code: u16, reason: &'static str) -> End {
    let reason = reason.into();
    Some(CloseFrame { code, reason })
}

fn unread() -> End {
    end(close_code::POLICY, UNREAD)
}

struct Session {
    player: Player,
    /// The version that the client knows.
    head: u64,
    slot: Slot,
    socket: WebSocket,
}

impl Session {
    async fn run(mut self, source: Streaming<wire::TableUpdate>) {
        let frame = self.follow(source).await;
        let closed = async {
            if let Some(frame) = frame {
                self.socket.send(Frame::Close(Some(frame))).await?;
            }
            // What the client still sends, up to its own close.
            while let Some(message) = self.socket.recv().await {
                message?;
            }
            Ok::<(), axum::Error>(())
        };
        let closed = timeout(CLOSE_GRACE, closed).await;
        tracing::debug!(?closed, "a socket closed");
    }

    /// Passes events and actions on until there is a reason to end. An action that is on its way
    /// then is still answered.
    async fn follow(&mut self, mut source: Streaming<wire::TableUpdate>) -> End {
        let config = self.player.gateway.config();
        let now = Instant::now();
        let mut heartbeat = interval_at(now + config.heartbeat, config.heartbeat);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let deadline = now + config.stream_lifetime;
        let mut acting: OptionFuture<BoxFuture<'static, Signal>> = None.into();
        let mut busy = false;
        let end = loop {
            let message = tokio::select! {
                () = self.slot.end.cancelled() => break self.ended(),
                () = sleep_until(deadline) => {
                    break end(close_code::NORMAL, "come back with a new access token");
                }
                Some(answer) = &mut acting, if busy => {
                    (acting, busy) = (None.into(), false);
                    Message::Signal(answer)
                }
                received = self.socket.recv(), if !busy => match self.received(received) {
                    ControlFlow::Continue(None) => continue,
                    ControlFlow::Continue(Some(answer)) => {
                        (acting, busy) = (Some(answer).into(), true);
                        continue;
                    }
                    ControlFlow::Break(end) => break end,
                },
                update = source.message() => {
                    let Ok(Some(update)) = update else {
                        break end(close_code::RESTART, "the stream broke: come back");
                    };
                    heartbeat.reset();
                    match told(Some(update), &mut self.head) {
                        Ok(told) => told.into(),
                        // The failure was logged where it was made.
                        Err(_) => break end(close_code::ERROR, "look at the table again"),
                    }
                }
                _ = heartbeat.tick() => Message::Signal(Signal::Heartbeat { version: self.head }),
            };
            if let Err(end) = self.send(&message).await {
                break end;
            }
        };
        drop(source);
        if busy && let Some(answer) = acting.await {
            // Who does not get it sends the command again.
            let _ = self.send(&Message::Signal(answer)).await;
        }
        end
    }

    fn ended(&self) -> End {
        if self.slot.server_stops() {
            end(close_code::RESTART, "the server restarts: come back")
        } else {
            end(close_code::POLICY, "newer streams took this one's place")
        }
    }

    /// The answer to come to what a client sent.
    fn received(
        &self,
        received: Option<Result<Frame, axum::Error>>,
    ) -> ControlFlow<End, Option<BoxFuture<'static, Signal>>> {
        let text = match received {
            Some(Ok(Frame::Text(text))) => Bytes::from(text),
            Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => return ControlFlow::Continue(None),
            Some(Ok(Frame::Binary(_))) => {
                let frame = end(close_code::UNSUPPORTED, "expected text messages");
                return ControlFlow::Break(frame);
            }
            Some(Ok(Frame::Close(_))) | None => return ControlFlow::Break(None),
            Some(Err(error)) => return ControlFlow::Break(broken(error)),
        };
        if text.len() > self.player.gateway.config().body_bytes_max {
            return ControlFlow::Break(oversize());
        }
        ControlFlow::Continue(Some(Box::pin(self.player.clone().answer(text))))
    }

    /// Writes a message out. The wait for a client that does not read is bounded, the more so
    /// when the socket is to end.
    async fn send(&mut self, message: &Message) -> Result<(), End> {
        let text = serde_json::to_string(message)
            .map_err(|_| end(close_code::ERROR, "look at the table again"))?;
        let unread_max = self.player.gateway.config().unread_max();
        let ending = async {
            self.slot.end.cancelled().await;
            sleep(CLOSE_GRACE).await;
        };
        tokio::select! {
            sent = self.socket.send(Frame::text(text)) => sent.map_err(|_| None),
            () = sleep(unread_max) => Err(unread()),
            () = ending => Err(unread()),
        }
    }
}

fn oversize() -> End {
    end(close_code::SIZE, "the message is too large")
}

/// What a client is told that broke the protocol.
fn broken(error: axum::Error) -> End {
    use tungstenite::{Error, error::ProtocolError};
    match error.into_inner().downcast_ref::<Error>()? {
        Error::Capacity(_) => oversize(),
        Error::Utf8(_) => end(close_code::INVALID, "the text is not UTF-8"),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        Error::Protocol(_) => end(close_code::PROTOCOL, "this breaks the protocol"),
        _ => None,
    }
}
