//! Tables: open, join, look, act, follow.

use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chassis::{ErrorCode, Failure};
use proto::v1 as wire;
use serde::{Deserialize, Serialize};
use tonic::Streaming;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::{
    actions::Action,
    create::{Creation, once, player_name},
    rules::{OptionValue, Options, TimeControlRequest, sent_options},
    updates::{self, TableEvent},
    view::TableView,
};
use crate::{
    Gateway,
    extract::{Body, Caller, Query, StreamCaller, id},
    problem::Problem,
    sse,
    web::matches_etag,
};

const NAME_BYTES_MAX: usize = 32;
pub(super) const COMMAND_ID_CHARS_MAX: usize = 64;

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new()
        .routes(routes!(create_table))
        .routes(routes!(join_table))
        .routes(routes!(get_table))
        .routes(routes!(act))
        .routes(routes!(table_events))
}

/// A private table to open. You sit on seat 0, bots on the last seats; the seats between are open
/// until somebody joins.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateTable {
    /// Id of a rule set.
    #[schema(example = "brixental")]
    ruleset: String,
    /// Seats.
    #[schema(example = 4)]
    players: u8,
    /// What differs from the rule set's defaults.
    #[schema(value_type = Option<std::collections::BTreeMap<String, OptionValue>>)]
    options: Option<Options>,
    /// How long players may think.
    time_control: Option<TimeControlRequest>,
    /// How many seats bots take.
    #[schema(example = 3)]
    bots: Option<u8>,
    /// How well they play.
    #[schema(example = "standard")]
    bot_level: Option<String>,
}

impl CreateTable {
    fn into_wire(self, player_name: String) -> Result<wire::CreatePrivateTableRequest, Failure> {
        let bot_level = self.bot_level.unwrap_or_default();
        if self.ruleset.len() > NAME_BYTES_MAX || bot_level.len() > NAME_BYTES_MAX {
            let detail = "ruleset, bot_level: expected a name";
            return Err(Failure::new(ErrorCode::InvalidRules, detail));
        }
        Ok(wire::CreatePrivateTableRequest {
            rules: Some(wire::Rules {
                ruleset: self.ruleset,
                // Zero asks for the version there is.
                version: 0,
                players: self.players.into(),
                options: sent_options(self.options.unwrap_or_default())?,
            }),
            time_control: self
                .time_control
                .map(wire::TimeControl::try_from)
                .transpose()?,
            player_name,
            bots: self.bots.unwrap_or_default().into(),
            bot_level,
        })
    }
}

/// A table that was opened.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CreatedTable {
    #[schema(format = Uuid)]
    table_id: String,
    /// Others join with it.
    #[schema(example = "K7QMXP")]
    invite_code: String,
    version: u64,
}

/// Open a private table
///
/// For friends by invite code, and for bots.
#[utoipa::path(post, path = "/v1/tables", tag = "tables",
    params(super::IdempotencyKey),
    request_body = CreateTable,
    responses((status = 201, description = "Opened", body = CreatedTable)))]
async fn create_table(
    State(gateway): State<Gateway>,
    caller: Caller,
    creation: Creation<CreateTable>,
) -> Result<Response, Problem> {
    let (body, key) = creation.split();
    let (worker, acting) = (gateway.clone(), caller.clone());
    once(&gateway, &caller, key, async move {
        let name = player_name(&worker, acting.player).await?;
        let request = acting.request(body.into_wire(name)?);
        let table = worker
            .matchmaking()
            .create_private_table(request)
            .await?
            .into_inner();
        Ok(CreatedTable {
            table_id: table.table_id,
            invite_code: table.invite_code,
            version: table.version,
        })
    })
    .await
}

/// An invitation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JoinTable {
    /// Small letters, spaces and dashes will do.
    #[schema(example = "K7QMXP")]
    invite_code: String,
}

/// Your seat.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JoinedTable {
    #[schema(format = Uuid)]
    table_id: String,
    seat: u32,
}

/// Join a private table
///
/// Joining again gives the same seat.
#[utoipa::path(post, path = "/v1/tables/join", tag = "tables",
    request_body = JoinTable,
    responses((status = 200, description = "Seated", body = JoinedTable)))]
async fn join_table(
    State(gateway): State<Gateway>,
    caller: Caller,
    Body(body): Body<JoinTable>,
) -> Result<Json<JoinedTable>, Problem> {
    if body.invite_code.len() > NAME_BYTES_MAX {
        return Err(Problem::new(
            ErrorCode::InviteNotFound,
            "no table has this invite code",
        ));
    }
    let request = caller.request(wire::JoinPrivateTableRequest {
        invite_code: body.invite_code,
        player_name: player_name(&gateway, caller.player).await?,
    });
    let joined = gateway
        .matchmaking()
        .join_private_table(request)
        .await?
        .into_inner();
    Ok(Json(JoinedTable {
        table_id: joined.table_id,
        seat: joined.seat,
    }))
}

/// Look at a table
///
/// What you may see and do. A table that you may not see is not there. With `If-None-Match` and
/// the version you have, the answer is 304 until something happens.
#[utoipa::path(get, path = "/v1/tables/{id}", tag = "tables",
    params(
        ("id" = Uuid, Path, description = "Id of the table"),
        ("If-None-Match" = Option<String>, Header, description = "The `ETag` you have"),
    ),
    responses(
        (status = 200, description = "The table", body = TableView,
            headers(("ETag" = String, description = "The version, in quotes"))),
        (status = 304, description = "Nothing happened"),
    ))]
async fn get_table(
    State(gateway): State<Gateway>,
    caller: Caller,
    Path(table): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let table = id(&table, ErrorCode::TableNotFound)?;
    let looked = wire::GetTableRequest {
        table_id: table.to_string(),
    };
    let view = gateway
        .at_table(table, |mut game| {
            let request = caller.request(looked.clone());
            async move { game.get_table(request).await }
        })
        .await?;
    let view = TableView::try_from(view)?;
    let etag =
        HeaderValue::from_str(&format!("\"{}\"", view.version())).map_err(Failure::internal)?;
    let common = [
        (header::ETAG, etag.clone()),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("private, no-store"),
        ),
        (header::VARY, HeaderValue::from_static("authorization")),
    ];
    if matches_etag(&headers, &etag) {
        return Ok((StatusCode::NOT_MODIFIED, common).into_response());
    }
    Ok((common, Json(view)).into_response())
}

/// An action to take.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Act {
    /// Made by you, 1 to 64 characters, such as a UUID. Sent again, it gives the first answer
    /// and acts no second time.
    pub(super) command_id: String,
    /// Refuse to act when the table has moved on since this version.
    expected_version: Option<u64>,
    action: Action,
}

/// The table has moved on.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Acted {
    /// Of the table after your action.
    #[schema(example = 58)]
    pub(super) version: u64,
}

/// Act
///
/// Safe to repeat with the same `command_id`.
#[utoipa::path(post, path = "/v1/tables/{id}/actions", tag = "tables",
    params(("id" = Uuid, Path, description = "Id of the table")),
    request_body = Act,
    responses((status = 200, description = "Done", body = Acted)))]
async fn act(
    State(gateway): State<Gateway>,
    caller: Caller,
    Path(table): Path<String>,
    Body(body): Body<Act>,
) -> Result<Json<Acted>, Problem> {
    let table = id(&table, ErrorCode::TableNotFound)?;
    Ok(Json(act_once(&gateway, &caller, table, body).await?))
}

/// Passes an action on, however it came.
///
/// # Errors
/// When it is malformed or refused.
pub(super) async fn act_once(
    gateway: &Gateway,
    caller: &Caller,
    table: Uuid,
    body: Act,
) -> Result<Acted, Problem> {
    let fits = (1..=COMMAND_ID_CHARS_MAX).contains(&body.command_id.chars().count())
        && !body.command_id.chars().any(char::is_control);
    if !fits {
        let detail = "command_id: expected 1 to 64 characters";
        return Err(Problem::new(ErrorCode::InvalidBody, detail));
    }
    let act = wire::ActRequest {
        table_id: table.to_string(),
        command_id: body.command_id,
        expected_version: body.expected_version,
        action: Some(body.action.try_into()?),
    };
    let acted = gateway
        .at_table(table, |mut game| {
            let request = caller.request(act.clone());
            async move { game.act(request).await }
        })
        .await?;
    Ok(Acted {
        version: acted.version,
    })
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventsQuery {
    /// Only events after this version; without it, all. `Last-Event-ID` wins.
    after: Option<u64>,
    /// For clients that cannot send `Authorization`.
    #[serde(rename = "access_token")]
    #[param(rename = "access_token")]
    _access_token: Option<String>,
}

/// Follow a table
///
/// Server-sent events: everything that happened after the version you know, then whatever
/// happens. Each has the table's version as its id, and a `TableEvent` as its data. An event
/// `heartbeat` with the newest version comes at least every 15 seconds; an event `resync` says
/// that you are ahead of the server: forget all and look at the table again. Streams end now and
/// then, at the latest after an hour: come back with `Last-Event-ID`, and you miss nothing. One
/// whose client leaves it unread ends with an event `dropped`, which says the `reason`.
#[utoipa::path(get, path = "/v1/tables/{id}/events", tag = "tables",
    params(
        ("id" = Uuid, Path, description = "Id of the table"),
        ("Last-Event-ID" = Option<u64>, Header, description = "The last version you know"),
        EventsQuery,
    ),
    responses((status = 200, description = "Events", body = TableEvent,
        content_type = "text/event-stream")))]
async fn table_events(
    State(gateway): State<Gateway>,
    StreamCaller(caller): StreamCaller,
    Path(table): Path<String>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let table = id(&table, ErrorCode::TableNotFound)?;
    let after = sse::after(&headers, query.after)?;
    let source = watch(&gateway, &caller, table, after).await?;
    let slot = gateway.streams().open(caller.player);
    let mut head = after;
    let render = move |update| updates::event(update, &mut head);
    Ok(sse::respond(source, render, slot, gateway.config()))
}

/// A table's updates for a player, after a version.
///
/// # Errors
/// When there is no such table for the player, or the game service does not answer.
pub(super) async fn watch(
    gateway: &Gateway,
    caller: &Caller,
    table: Uuid,
    after: u64,
) -> Result<Streaming<wire::TableUpdate>, Failure> {
    let watched = wire::WatchRequest {
        table_id: table.to_string(),
        after,
    };
    gateway
        .at_table(table, |mut game| {
            let request = caller.stream_request(watched.clone());
            async move { game.watch(request).await }
        })
        .await
}
