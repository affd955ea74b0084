//! The caller's own account: profile, erasure, export.

use axum::{Json, extract::State, http::StatusCode};
use chassis::{ErrorCode, Failure};
use proto::v1 as wire;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::{
    blocks::{Block, blocks},
    convert::Instant,
    matches::MatchSummary,
    players::{Rating, matches, ratings},
    tickets::{Ticket, live_ticket},
};
use crate::{
    Gateway,
    accounts::{self, Device, DeviceSession, names},
    extract::{Body, Caller},
    problem::Problem,
};

/// Matches that an export holds at most: pages and items of each.
const EXPORT_PAGES: usize = 10;
const EXPORT_PAGE: u32 = 100;

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new()
        .routes(routes!(get_me, rename_me, erase_me))
        .routes(routes!(export_me))
}

/// Your account.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    id: Uuid,
    #[schema(example = "Spatz 4711")]
    name: String,
    /// Known by your device only: without it, the account is lost.
    guest: bool,
    created_at: Instant,
    /// Your live ticket.
    #[schema(required)]
    ticket: Option<Ticket>,
}

impl Me {
    pub(crate) fn new(player: accounts::Player, ticket: Option<Ticket>) -> Self {
        Self {
            id: player.id,
            name: player.name,
            guest: player.guest,
            created_at: Instant(player.created_ms),
            ticket,
        }
    }
}

async fn ticket_of(gateway: &Gateway, caller: &Caller) -> Result<Option<Ticket>, Failure> {
    live_ticket(gateway, caller.request(wire::GetLiveTicketRequest {})).await
}

/// Look at your account
#[utoipa::path(get, path = "/v1/me", tag = "account",
    responses((status = 200, description = "Your account", body = Me)))]
async fn get_me(State(gateway): State<Gateway>, caller: Caller) -> Result<Json<Me>, Problem> {
    let player = gateway.accounts().caller(caller.player).await?;
    let ticket = ticket_of(&gateway, &caller).await?;
    Ok(Json(Me::new(player, ticket)))
}

/// What to change.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenameMe {
    /// 1 to 24 characters; white space at the ends does not count.
    #[schema(example = "Toni")]
    name: String,
}

/// A display name that a client sent, normalised.
///
/// # Errors
/// [`ErrorCode::InvalidBody`].
pub(crate) fn display_name(member: &str, text: &str) -> Result<String, Failure> {
    names::normalise(text)
        .map_err(|error| Failure::new(ErrorCode::InvalidBody, format!("{member}: {error}")))
}

/// Change your name
///
/// Tables where you sit keep the old one.
#[utoipa::path(patch, path = "/v1/me", tag = "account",
    request_body = RenameMe,
    responses((status = 200, description = "Your account", body = Me)))]
async fn rename_me(
    State(gateway): State<Gateway>,
    caller: Caller,
    Body(body): Body<RenameMe>,
) -> Result<Json<Me>, Problem> {
    let name = display_name("name", &body.name)?;
    let player = gateway.accounts().rename(caller.player, &name).await?;
    let ticket = ticket_of(&gateway, &caller).await?;
    Ok(Json(Me::new(player, ticket)))
}

/// Erase your account
///
/// Your name, devices and sessions go for good; matches stay whole and show a deleted player.
/// A waiting ticket is cancelled.
#[utoipa::path(delete, path = "/v1/me", tag = "account",
    responses((status = 204, description = "Erased")))]
async fn erase_me(State(gateway): State<Gateway>, caller: Caller) -> Result<StatusCode, Problem> {
    // A courtesy to those who wait with the player; erasure does not depend on it.
    if let Ok(Some(ticket)) = ticket_of(&gateway, &caller).await {
        let request = caller.request(wire::CancelTicketRequest {
            ticket_id: ticket.id().to_owned(),
        });
        if let Err(status) = gateway.matchmaking().cancel_ticket(request).await {
            tracing::debug!(%status, "an erased player's ticket stays");
        }
    }
    gateway.accounts().erase(caller.player).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Everything that is kept about you.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Export {
    account: Me,
    /// Devices you signed in from. Their ids are kept only as hashes.
    devices: Vec<ExportedDevice>,
    /// Where you are signed in.
    sessions: Vec<ExportedSession>,
    /// From where you signed in lately, kept for a month and only as hashes of network and
    /// browser.
    sign_in_traces: Vec<ExportedDevice>,
    /// Whom you block.
    blocks: Vec<Block>,
    ratings: Vec<Rating>,
    /// Your latest matches, newest first, up to 1,000.
    matches: Vec<MatchSummary>,
    /// Cursor for more of them at `/v1/players/{id}/matches`. Null: these are all.
    #[schema(required)]
    matches_next: Option<String>,
}

/// A device.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExportedDevice {
    first_seen_at: Instant,
    last_seen_at: Instant,
}

impl From<Device> for ExportedDevice {
    fn from(device: Device) -> Self {
        Self {
            first_seen_at: Instant(device.created_ms),
            last_seen_at: Instant(device.seen_ms),
        }
    }
}

/// A session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExportedSession {
    created_at: Instant,
    renewed_at: Instant,
    expires_at: Instant,
}

impl From<DeviceSession> for ExportedSession {
    fn from(session: DeviceSession) -> Self {
        Self {
            created_at: Instant(session.created_ms),
            renewed_at: Instant(session.renewed_ms),
            expires_at: Instant(session.expires_ms),
        }
    }
}

/// Export your data
#[utoipa::path(get, path = "/v1/me/export", tag = "account",
    responses((status = 200, description = "Everything that is kept about you", body = Export)))]
async fn export_me(
    State(gateway): State<Gateway>,
    caller: Caller,
) -> Result<Json<Export>, Problem> {
    let accounts = gateway.accounts();
    let player = accounts.caller(caller.player).await?;
    let player_id = player.id.to_string();
    let devices = accounts.devices(player.id).await?;
    let sessions = accounts.sessions(player.id).await?;
    let traces = accounts.traces(player.id).await?;
    let blocks = blocks(&gateway, player.id).await?;
    let ticket = ticket_of(&gateway, &caller).await?;
    let rated = caller.request(wire::GetPlayerRequest {
        player_id: player_id.clone(),
    });
    let ratings = ratings(&gateway, rated).await?;
    let mut played = Vec::new();
    let mut next = None;
    for _ in 0..EXPORT_PAGES {
        let request = caller.request(wire::ListMatchesRequest {
            player_id: player_id.clone(),
            cursor: next.take().unwrap_or_default(),
            limit: EXPORT_PAGE,
        });
        let page = matches(&gateway, request).await?;
        played.extend(page.matches);
        next = page.next;
        if next.is_none() {
            break;
        }
    }
    Ok(Json(Export {
        account: Me::new(player, ticket),
        devices: devices.into_iter().map(ExportedDevice::from).collect(),
        sessions: sessions.into_iter().map(ExportedSession::from).collect(),
        sign_in_traces: traces.into_iter().map(ExportedDevice::from).collect(),
        blocks,
        ratings,
        matches: played,
        matches_next: next,
    }))
}
