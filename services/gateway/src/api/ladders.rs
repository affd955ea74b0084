//! Ladders and their standings.

use axum::{
    Json,
    extract::{Path, State},
};
use chassis::{ErrorCode, Failure};
use proto::v1 as wire;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::{
    convert::{Instant, text_or_null},
    matches::name_of,
    players::Player,
};
use crate::{
    Gateway,
    extract::{Page, Query, Visitor, id, name},
    problem::Problem,
};

const SPAN: u32 = 5;
const SPAN_MAX: u32 = 50;
const AMONG_MAX: usize = 100;

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new()
        .routes(routes!(list_ladders))
        .routes(routes!(list_standings))
        .routes(routes!(list_around))
        .routes(routes!(list_among))
}

/// A rule set's ladder in one season.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ladder {
    #[schema(example = "brixental-s1")]
    id: String,
    /// Id of the rule set.
    ruleset: String,
    season: u32,
    opened_at: Instant,
    /// Null: open.
    #[schema(required)]
    closed_at: Option<Instant>,
    /// When it closes by itself. Null: not known, or closed.
    #[schema(required)]
    closes_at: Option<Instant>,
}

impl From<wire::Ladder> for Ladder {
    fn from(ladder: wire::Ladder) -> Self {
        Self {
            id: ladder.id,
            ruleset: ladder.ruleset,
            season: ladder.season,
            opened_at: Instant(ladder.opened_ms),
            closed_at: ladder.closed_ms.map(Instant),
            closes_at: ladder.closes_ms.map(Instant),
        }
    }
}

/// All ladders.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ladders {
    ladders: Vec<Ladder>,
}

/// List the ladders
#[utoipa::path(get, path = "/v1/ladders", tag = "ladders", security(()),
    responses((status = 200, description = "All ladders", body = Ladders)))]
async fn list_ladders(
    State(gateway): State<Gateway>,
    visitor: Visitor,
) -> Result<Json<Ladders>, Problem> {
    let request = visitor.request(wire::ListLaddersRequest {});
    let listed = gateway.ranking().list_ladders(request).await?.into_inner();
    Ok(Json(Ladders {
        ladders: listed.ladders.into_iter().map(Ladder::from).collect(),
    }))
}

/// A place on a ladder.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Standing {
    /// Competition ranking: 1, 2, 2, 4.
    rank: u32,
    player: Player,
    #[schema(example = 1213)]
    rating: i32,
    /// Rated matches.
    matches: u32,
    /// Name of the tier, from `sechser` to `sau`.
    #[schema(example = "unter")]
    tier: String,
}

/// A page of standings, best first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Standings {
    standings: Vec<Standing>,
    /// Cursor of the next page. Null: this was the last.
    #[schema(required)]
    next: Option<String>,
}

/// The neighbours of a player, best first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Around {
    standings: Vec<Standing>,
}

async fn named(
    gateway: &Gateway,
    standings: Vec<wire::Standing>,
) -> Result<Vec<Standing>, Failure> {
    let ids: Vec<Uuid> = standings
        .iter()
        .filter_map(|s| s.player_id.parse().ok())
        .collect();
    let names = gateway.accounts().names(&ids).await?;
    let standing = |standing: wire::Standing| Standing {
        rank: standing.rank,
        rating: standing.rating,
        matches: standing.matches,
        tier: standing.tier,
        player: Player {
            name: name_of(&names, &standing.player_id),
            id: standing.player_id,
        },
    };
    Ok(standings.into_iter().map(standing).collect())
}

/// List a ladder
///
/// Players with few matches, and those who have not played for long, are not listed.
#[utoipa::path(get, path = "/v1/ladders/{id}/standings", tag = "ladders", security(()),
    params(("id" = String, Path, description = "Id of the ladder"), super::PageParams),
    responses((status = 200, description = "A page of standings", body = Standings)))]
async fn list_standings(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Path(ladder): Path<String>,
    Query(page): Query<Page>,
) -> Result<Json<Standings>, Problem> {
    let (cursor, limit) = page.bounded()?;
    let request = visitor.request(wire::ListStandingsRequest {
        ladder_id: name(&ladder, ErrorCode::NotFound)?,
        cursor,
        limit,
    });
    let listed = gateway
        .ranking()
        .list_standings(request)
        .await?
        .into_inner();
    Ok(Json(Standings {
        standings: named(&gateway, listed.standings).await?,
        next: text_or_null(listed.next),
    }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AroundQuery {
    /// How many on each side, 0 to 50. Default 5.
    span: Option<u32>,
}

/// List a player's neighbours
#[utoipa::path(get, path = "/v1/ladders/{id}/around/{player}", tag = "ladders", security(()),
    params(
        ("id" = String, Path, description = "Id of the ladder"),
        ("player" = Uuid, Path, description = "Id of the player"),
        AroundQuery,
    ),
    responses((status = 200, description = "The player and the neighbours", body = Around)))]
async fn list_around(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Path((ladder, player)): Path<(String, String)>,
    Query(query): Query<AroundQuery>,
) -> Result<Json<Around>, Problem> {
    let span = query.span.unwrap_or(SPAN);
    if span > SPAN_MAX {
        return Err(Problem::new(
            ErrorCode::BadRequest,
            "span: expected 0 to 50",
        ));
    }
    let request = visitor.request(wire::ListAroundRequest {
        ladder_id: name(&ladder, ErrorCode::NotFound)?,
        player_id: id(&player, ErrorCode::NotFound)?.to_string(),
        span: Some(span),
    });
    let listed = gateway.ranking().list_around(request).await?.into_inner();
    Ok(Json(Around {
        standings: named(&gateway, listed.standings).await?,
    }))
}

/// Those of some players who are listed, best first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Among {
    standings: Vec<Standing>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AmongQuery {
    /// Ids of players, separated by commas, 100 at most.
    #[param(example = "0193a1c4-7b8e-7c1d-9d53-0a4f3c1f2b7e,0193a1c4-7b8e-7c1d-9d53-0a4f3c1f2b7f")]
    players: String,
}

/// List some players of a ladder, such as friends
///
/// Ranks are those of the whole ladder. Who is not listed there is left out.
#[utoipa::path(get, path = "/v1/ladders/{id}/among", tag = "ladders", security(()),
    params(("id" = String, Path, description = "Id of the ladder"), AmongQuery),
    responses((status = 200, description = "Those who are listed", body = Among)))]
async fn list_among(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Path(ladder): Path<String>,
    Query(query): Query<AmongQuery>,
) -> Result<Json<Among>, Problem> {
    let request = visitor.request(wire::ListAmongRequest {
        ladder_id: name(&ladder, ErrorCode::NotFound)?,
        player_ids: among(&query.players)?,
    });
    let listed = gateway.ranking().list_among(request).await?.into_inner();
    Ok(Json(Among {
        standings: named(&gateway, listed.standings).await?,
    }))
}

/// The ids of a list, in the form that the services know.
fn among(players: &str) -> Result<Vec<String>, Failure> {
    let bad = || {
        let detail = format!("players: expected 1 to {AMONG_MAX} UUIDs, separated by commas");
        Failure::new(ErrorCode::BadRequest, detail)
    };
    // Counted before anything is made of them.
    if players.split(',').count() > AMONG_MAX {
        return Err(bad());
    }
    let ids = players.split(',').map(|id| id.trim().parse::<Uuid>());
    ids.map(|id| Ok(id.map_err(|_| bad())?.to_string()))
        .collect()
}
