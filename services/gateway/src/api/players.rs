//! Profiles: names, matches, ratings.

use axum::{
    Json,
    extract::{Path, State},
};
use chassis::{ErrorCode, Failure};
use proto::v1 as wire;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    convert::{Instant, all, text_or_null},
    matches::{MatchSummary, rename},
};
use crate::{
    Gateway,
    extract::{Page, Query, Visitor, id},
    problem::Problem,
};

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new()
        .routes(routes!(get_player))
        .routes(routes!(list_matches))
        .routes(routes!(list_ratings))
}

/// A player, as others see them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Player {
    #[schema(format = Uuid)]
    pub(crate) id: String,
    #[schema(example = "Spatz 4711")]
    pub(crate) name: String,
}

/// The player with an id, erased ones included.
async fn player(gateway: &Gateway, text: &str) -> Result<Player, Failure> {
    let id = id(text, ErrorCode::NotFound)?;
    let name = gateway.accounts().names(&[id]).await?.remove(&id);
    let name = name.ok_or_else(|| Failure::new(ErrorCode::NotFound, "there is no such player"))?;
    Ok(Player {
        id: id.to_string(),
        name,
    })
}

/// Look at a player
#[utoipa::path(get, path = "/v1/players/{id}", tag = "players", security(()),
    params(("id" = Uuid, Path, description = "Id of the player")),
    responses((status = 200, description = "The player", body = Player)))]
async fn get_player(
    State(gateway): State<Gateway>,
    _: Visitor,
    Path(text): Path<String>,
) -> Result<Json<Player>, Problem> {
    Ok(Json(player(&gateway, &text).await?))
}

/// A page of matches, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Matches {
    pub(crate) matches: Vec<MatchSummary>,
    /// Cursor of the next page. Null: this was the last.
    #[schema(required)]
    pub(crate) next: Option<String>,
}

/// A page of a player's matches.
///
/// # Errors
/// When the services cannot be asked.
pub(crate) async fn matches(
    gateway: &Gateway,
    request: tonic::Request<wire::ListMatchesRequest>,
) -> Result<Matches, Failure> {
    let mut listed = gateway.game()?.list_matches(request).await?.into_inner();
    rename(gateway, &mut listed.matches).await?;
    Ok(Matches {
        matches: all(listed.matches)?,
        next: text_or_null(listed.next),
    })
}

/// List a player's matches
#[utoipa::path(get, path = "/v1/players/{id}/matches", tag = "players", security(()),
    params(("id" = Uuid, Path, description = "Id of the player"), super::PageParams),
    responses((status = 200, description = "A page of matches", body = Matches)))]
async fn list_matches(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Path(text): Path<String>,
    Query(page): Query<Page>,
) -> Result<Json<Matches>, Problem> {
    let (cursor, limit) = page.bounded()?;
    let player_id = player(&gateway, &text).await?.id;
    let request = visitor.request(wire::ListMatchesRequest {
        player_id,
        cursor,
        limit,
    });
    Ok(Json(matches(&gateway, request).await?))
}

/// A player's rating on one ladder.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Rating {
    #[schema(example = "brixental-s1")]
    ladder_id: String,
    #[schema(example = 1213)]
    rating: i32,
    /// Rated matches.
    matches: u32,
    /// Too few matches to be listed.
    provisional: bool,
    /// The latest changes, newest first.
    history: Vec<RatingHistory>,
}

/// What one match did to a rating.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RatingHistory {
    #[schema(format = Uuid)]
    match_id: String,
    at: Instant,
    before: i32,
    after: i32,
    /// The player's place in the match.
    place: u32,
}

impl From<wire::PlayerRating> for Rating {
    fn from(rating: wire::PlayerRating) -> Self {
        Self {
            ladder_id: rating.ladder_id,
            rating: rating.rating,
            matches: rating.matches,
            provisional: rating.provisional,
            history: rating
                .history
                .into_iter()
                .map(RatingHistory::from)
                .collect(),
        }
    }
}

impl From<wire::RatingHistory> for RatingHistory {
    fn from(change: wire::RatingHistory) -> Self {
        Self {
            match_id: change.match_id,
            at: Instant(change.at_ms),
            before: change.before,
            after: change.after,
            place: change.place,
        }
    }
}

/// A player's ratings.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ratings {
    ratings: Vec<Rating>,
}

/// All ratings of a player.
///
/// # Errors
/// When the service cannot be asked.
pub(crate) async fn ratings(
    gateway: &Gateway,
    request: tonic::Request<wire::GetPlayerRequest>,
) -> Result<Vec<Rating>, Failure> {
    let player = gateway.ranking().get_player(request).await?.into_inner();
    Ok(player.ratings.into_iter().map(Rating::from).collect())
}

/// List a player's ratings
#[utoipa::path(get, path = "/v1/players/{id}/ratings", tag = "players", security(()),
    params(("id" = Uuid, Path, description = "Id of the player")),
    responses((status = 200, description = "All ratings", body = Ratings)))]
async fn list_ratings(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Path(text): Path<String>,
) -> Result<Json<Ratings>, Problem> {
    let player_id = player(&gateway, &text).await?.id;
    let request = visitor.request(wire::GetPlayerRequest { player_id });
    let ratings = ratings(&gateway, request).await?;
    Ok(Json(Ratings { ratings }))
}
