//! Why the players of a match were brought together.

use axum::{
    Json,
    extract::{Path, State},
};
use chassis::ErrorCode;
use proto::v1 as wire;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::{
    convert::{Instant, seconds},
    matches::name_of,
    players::Player,
};
use crate::{
    Gateway,
    extract::{Caller, id},
    problem::Problem,
};

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new().routes(routes!(get_pairing))
}

/// What matchmaking knew when it made a match.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Pairing {
    #[schema(format = Uuid)]
    match_id: String,
    #[schema(example = "ranked-brixental-4")]
    queue_id: String,
    made_at: Instant,
    /// The longest wait first.
    players: Vec<PairedPlayer>,
    /// Seats that bots took.
    bots: u32,
    /// Highest rating less lowest.
    rating_spread: u32,
    /// Pairs that had met a short time before, because nobody else was there.
    recent_opponents: u32,
}

/// A player of a match, and why the others fitted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PairedPlayer {
    player: Player,
    /// When the player queued.
    #[schema(example = 1200)]
    rating: i32,
    waited_seconds: f64,
    /// How far away ratings were accepted after that wait. Null: every rating was.
    #[schema(required)]
    rating_window: Option<u32>,
    /// Number of the party the player came with. Null: came alone.
    #[schema(required)]
    party: Option<u32>,
}

/// See why a match was made
///
/// For its players, as soon as the table is open. Private tables have none: `not_found`.
#[utoipa::path(get, path = "/v1/matches/{id}/pairing", tag = "matches",
    params(("id" = Uuid, Path, description = "Id of the match, which is that of its table")),
    responses((status = 200, description = "Why it was made", body = Pairing)))]
async fn get_pairing(
    State(gateway): State<Gateway>,
    caller: Caller,
    Path(match_id): Path<String>,
) -> Result<Json<Pairing>, Problem> {
    let match_id = id(&match_id, ErrorCode::NotFound)?.to_string();
    let request = caller.request(wire::GetPairingRequest { match_id });
    let pairing = gateway
        .matchmaking()
        .get_pairing(request)
        .await?
        .into_inner();
    let players = pairing.players.iter();
    let ids: Vec<Uuid> = players.filter_map(|p| p.player_id.parse().ok()).collect();
    let names = gateway.accounts().names(&ids).await?;
    let player = |paired: wire::PairedPlayer| PairedPlayer {
        player: Player {
            name: name_of(&names, &paired.player_id),
            id: paired.player_id,
        },
        rating: paired.rating,
        waited_seconds: seconds(u32::try_from(paired.waited_ms).unwrap_or(u32::MAX)),
        rating_window: paired.window,
        party: (paired.party > 0).then_some(paired.party),
    };
    Ok(Json(Pairing {
        match_id: pairing.match_id,
        queue_id: pairing.queue_id,
        made_at: Instant(pairing.made_ms),
        players: pairing.players.into_iter().map(player).collect(),
        bots: pairing.bots,
        rating_spread: pairing.spread,
        recent_opponents: pairing.repeats,
    }))
}
