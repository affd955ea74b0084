//! Matchmaking: queues and tickets.

use axum::{
    Json,
    extract::{Path, State},
    response::{Response, sse::Event},
};
use chassis::{ErrorCode, Failure};
use proto::v1::{self as wire, party_request::Kind};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    blocks::blocked_ids,
    convert::{Instant, all, broken, required, seconds, text_or_null},
    create::{Creation, once, player_name},
    rules::{OptionValue, Options, TableKind, TimeControl, options},
};
use crate::{
    Gateway,
    extract::{Caller, Query, StreamCaller, Visitor, id, name},
    problem::Problem,
    sse,
};

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new()
        .routes(routes!(list_queues))
        .routes(routes!(create_ticket))
        .routes(routes!(get_ticket, cancel_ticket))
        .routes(routes!(ticket_events))
}

/// Where players are matched.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Queue {
    #[schema(example = "ranked-brixental-4")]
    id: String,
    kind: TableKind,
    /// Id of the rule set.
    #[schema(example = "brixental")]
    ruleset: String,
    players: u32,
    #[schema(value_type = std::collections::BTreeMap<String, OptionValue>)]
    options: Options,
    time_control: TimeControl,
    /// Tickets that wait now.
    waiting: u32,
    /// Bots fill the seats after this wait. Null: never.
    #[schema(required)]
    bots_after_seconds: Option<f64>,
}

impl TryFrom<wire::Queue> for Queue {
    type Error = Failure;

    fn try_from(queue: wire::Queue) -> Result<Self, Failure> {
        let rules = required(queue.rules, "rules")?;
        Ok(Self {
            id: queue.id,
            kind: queue.kind.try_into()?,
            ruleset: rules.ruleset,
            players: rules.players,
            options: options(rules.options),
            time_control: queue.time_control.try_into()?,
            waiting: queue.waiting,
            bots_after_seconds: queue.bots_after_ms.map(seconds),
        })
    }
}

/// All queues.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Queues {
    queues: Vec<Queue>,
}

/// List the queues
#[utoipa::path(get, path = "/v1/queues", tag = "matchmaking", security(()),
    responses((status = 200, description = "All queues", body = Queues)))]
async fn list_queues(
    State(gateway): State<Gateway>,
    visitor: Visitor,
) -> Result<Json<Queues>, Problem> {
    let request = visitor.request(wire::ListQueuesRequest {});
    let listed = gateway
        .matchmaking()
        .list_queues(request)
        .await?
        .into_inner();
    Ok(Json(Queues {
        queues: all(listed.queues)?,
    }))
}

/// Where a ticket stands.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TicketState {
    /// Waiting for others.
    Waiting,
    /// A table is being opened.
    Proposed,
    /// The table is there.
    Matched,
    /// You gave up.
    Cancelled,
    /// Nobody was found in time.
    Expired,
}

/// Why a ticket ended without a table.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndReason {
    /// You gave up, on this or another device.
    Cancelled,
    /// Nobody who fits came in time.
    NobodyFound,
    /// Your party was not complete in time.
    PartyIncomplete,
}

/// Friends who will sit at the same table.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Party {
    /// For the others, to queue with.
    #[schema(example = "K7QMXP")]
    code: String,
    /// How many you will be.
    size: u32,
    /// How many of you wait now; 0 once the ticket waits no more.
    joined: u32,
}

/// Your place in a queue. A player has at most one live ticket.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ticket {
    #[schema(format = Uuid)]
    id: String,
    #[schema(example = "casual-brixental-4")]
    queue_id: String,
    state: TicketState,
    /// Set when matched.
    #[schema(required)]
    #[schema(format = Uuid)]
    table_id: Option<String>,
    created_at: Instant,
    /// Your rating when you queued.
    #[schema(example = 1200)]
    rating: i32,
    /// Place in the queue while you wait, 1 for whoever came first; who fits whom decides as well.
    /// Null: you do not wait, or your party is not complete.
    #[schema(required)]
    position: Option<u32>,
    /// How much longer it may take, going by the queue's matches of the last hour. Null: they do
    /// not tell.
    #[schema(required)]
    expected_wait_seconds: Option<f64>,
    #[schema(required)]
    party: Option<Party>,
    /// Set when cancelled or expired.
    #[schema(required)]
    reason: Option<EndReason>,
}

impl Ticket {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }
}

impl TryFrom<wire::Ticket> for Ticket {
    type Error = Failure;

    fn try_from(ticket: wire::Ticket) -> Result<Self, Failure> {
        let state = match wire::TicketState::try_from(ticket.state) {
            Ok(wire::TicketState::Waiting) => TicketState::Waiting,
            Ok(wire::TicketState::Proposed) => TicketState::Proposed,
            Ok(wire::TicketState::Matched) => TicketState::Matched,
            Ok(wire::TicketState::Cancelled) => TicketState::Cancelled,
            Ok(wire::TicketState::Expired) => TicketState::Expired,
            Ok(wire::TicketState::Unspecified) | Err(_) => return Err(broken("ticket state")),
        };
        let reason = match wire::EndReason::try_from(ticket.reason) {
            Ok(wire::EndReason::Unspecified) => None,
            Ok(wire::EndReason::Cancelled) => Some(EndReason::Cancelled),
            Ok(wire::EndReason::NobodyFound) => Some(EndReason::NobodyFound),
            Ok(wire::EndReason::PartyIncomplete) => Some(EndReason::PartyIncomplete),
            Err(_) => return Err(broken("reason of a ticket's end")),
        };
        Ok(Self {
            id: ticket.id,
            queue_id: ticket.queue_id,
            state,
            table_id: text_or_null(ticket.table_id),
            created_at: Instant(ticket.created_ms),
            rating: ticket.rating,
            position: ticket.position,
            expected_wait_seconds: ticket.expected_wait_ms.map(seconds),
            party: ticket.party.map(|party| Party {
                code: party.code,
                size: party.size,
                joined: party.joined,
            }),
            reason,
        })
    }
}

/// With whom to queue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, untagged)]
pub(crate) enum JoinParty {
    /// A new party of so many players, you included; 2 to as many as sit at the table.
    Open {
        #[schema(example = 2)]
        size: u32,
    },
    /// The party of a friend, who told you its code.
    Join {
        #[schema(example = "K7QMXP", max_length = 32)]
        code: String,
    },
}

/// A queue to wait in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateTicket {
    #[schema(example = "casual-brixental-4")]
    queue_id: String,
    /// In casual queues: sit at the same table as friends.
    party: Option<JoinParty>,
    /// Version of this API's messages that you can read. Left out: 1, which is the only one.
    protocol_version: Option<u32>,
}

/// The longest text that is looked at as the code of a party.
const CODE_BYTES_MAX: usize = 32;

fn party_request(party: JoinParty) -> Result<wire::PartyRequest, Failure> {
    let kind = match party {
        JoinParty::Open { size } => Kind::Size(size),
        JoinParty::Join { code } if code.len() > CODE_BYTES_MAX => {
            let detail = "this cannot be the code of a party";
            return Err(Failure::new(ErrorCode::PartyNotFound, detail));
        }
        JoinParty::Join { code } => Kind::Code(code),
    };
    Ok(wire::PartyRequest { kind: Some(kind) })
}

/// Queue up
///
/// Fails with `ticket_exists` and its `ticket_id` when you have a live ticket, on whatever device,
/// and with `already_playing` and its `table_id` while you sit at the table of your last one.
#[utoipa::path(post, path = "/v1/tickets", tag = "matchmaking",
    params(super::IdempotencyKey),
    request_body = CreateTicket,
    responses((status = 201, description = "Queued", body = Ticket)))]
async fn create_ticket(
    State(gateway): State<Gateway>,
    caller: Caller,
    creation: Creation<CreateTicket>,
) -> Result<Response, Problem> {
    let (body, key) = creation.split();
    let (worker, acting) = (gateway.clone(), caller.clone());
    once(&gateway, &caller, key, async move {
        let request = acting.request(wire::CreateTicketRequest {
            queue_id: name(&body.queue_id, ErrorCode::QueueNotFound)?,
            player_name: player_name(&worker, acting.player).await?,
            blocked_ids: blocked_ids(&worker, acting.player).await?,
            protocol_version: body.protocol_version,
            party: body.party.map(party_request).transpose()?,
        });
        let ticket = worker
            .matchmaking()
            .create_ticket(request)
            .await?
            .into_inner();
        Ok(Ticket::try_from(ticket)?)
    })
    .await
}

/// Look at a ticket
#[utoipa::path(get, path = "/v1/tickets/{id}", tag = "matchmaking",
    params(("id" = Uuid, Path, description = "Id of the ticket")),
    responses((status = 200, description = "The ticket", body = Ticket)))]
async fn get_ticket(
    State(gateway): State<Gateway>,
    caller: Caller,
    Path(ticket): Path<String>,
) -> Result<Json<Ticket>, Problem> {
    let ticket_id = id(&ticket, ErrorCode::TicketNotFound)?.to_string();
    let request = caller.request(wire::GetTicketRequest { ticket_id });
    let ticket = gateway
        .matchmaking()
        .get_ticket(request)
        .await?
        .into_inner();
    Ok(Json(ticket.try_into()?))
}

/// Stop waiting
///
/// Too late when you were matched: `already_matched`.
#[utoipa::path(delete, path = "/v1/tickets/{id}", tag = "matchmaking",
    params(("id" = Uuid, Path, description = "Id of the ticket")),
    responses((status = 200, description = "Cancelled", body = Ticket)))]
async fn cancel_ticket(
    State(gateway): State<Gateway>,
    caller: Caller,
    Path(ticket): Path<String>,
) -> Result<Json<Ticket>, Problem> {
    let ticket_id = id(&ticket, ErrorCode::TicketNotFound)?.to_string();
    let request = caller.request(wire::CancelTicketRequest { ticket_id });
    let ticket = gateway
        .matchmaking()
        .cancel_ticket(request)
        .await?
        .into_inner();
    Ok(Json(ticket.try_into()?))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TicketEventsQuery {
    /// For clients that cannot send `Authorization`.
    #[serde(rename = "access_token")]
    #[param(rename = "access_token")]
    _access_token: Option<String>,
}

/// Follow a ticket
///
/// Server-sent events: the ticket now and whenever it changes, its `position` and
/// `expected_wait_seconds` every few seconds; `proposed` says that people were found, `matched`
/// where the table is. The stream ends when the ticket is settled. Come back after any other end: the first event is always the ticket as it is.
#[utoipa::path(get, path = "/v1/tickets/{id}/events", tag = "matchmaking",
    params(("id" = Uuid, Path, description = "Id of the ticket"), TicketEventsQuery),
    responses((status = 200, description = "The ticket, again and again", body = Ticket,
        content_type = "text/event-stream")))]
async fn ticket_events(
    State(gateway): State<Gateway>,
    StreamCaller(caller): StreamCaller,
    Path(ticket): Path<String>,
    Query(_): Query<TicketEventsQuery>,
) -> Result<Response, Problem> {
    let ticket_id = id(&ticket, ErrorCode::TicketNotFound)?.to_string();
    let request = caller.stream_request(wire::WatchTicketRequest { ticket_id });
    let source = gateway
        .matchmaking()
        .watch_ticket(request)
        .await?
        .into_inner();
    let slot = gateway.streams().open(caller.player);
    let render = |ticket: Option<wire::Ticket>| match ticket {
        Some(ticket) => sse::json_event(&Ticket::try_from(ticket)?),
        None => Ok(Event::default().comment("still waiting")),
    };
    Ok(sse::respond(source, render, slot, gateway.config()))
}

/// The caller's live ticket.
///
/// # Errors
/// When matchmaking cannot be asked.
pub(crate) async fn live_ticket(
    gateway: &Gateway,
    request: tonic::Request<wire::GetLiveTicketRequest>,
) -> Result<Option<Ticket>, Failure> {
    let live = gateway
        .matchmaking()
        .get_live_ticket(request)
        .await?
        .into_inner();
    live.ticket.map(Ticket::try_from).transpose()
}
