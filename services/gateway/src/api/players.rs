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
    extract::{Page, Query, Visitor, id, name},
    problem::Problem,
};

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new()
        .routes(routes!(get_player))
        .routes(routes!(list_matches))
        .routes(routes!(list_ratings))
        .routes(routes!(list_rating_history))
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
    /// The highest that it was.
    #[schema(example = 1240)]
    peak: i32,
    /// Too few matches to be listed.
    provisional: bool,
    /// The part of the ladder that the rating is in. Null: provisional.
    #[schema(required)]
    tier: Option<Tier>,
    /// The latest changes, newest first.
    history: Vec<RatingHistory>,
}

/// A part of a ladder, named after a card, from the six to the sow.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Tier {
    /// `sechser`, `siebener`, `achter`, `neuner`, `unter`, `ober`, `koenig`, `zehner` or `sau`.
    #[schema(example = "unter")]
    name: String,
    /// The rating from which on it is the next tier. Null: this is the highest.
    #[schema(required, example = 1265)]
    next: Option<i32>,
    /// Percent of the way there. Null: this is the highest.
    #[schema(required, example = 20)]
    progress: Option<u32>,
}

/// What one match did to a rating, and why.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RatingHistory {
    #[schema(format = Uuid)]
    match_id: String,
    at: Instant,
    before: i32,
    after: i32,
    /// The player's place in the match.
    place: u32,
    /// The player's first, second, ... rated match on the ladder.
    number: u32,
    /// The place that counted: who left is last. 0: the match did not count.
    rated_place: u32,
    /// How many were rated, the player included.
    players: u32,
    /// Ratings before the match of the opponents who counted, best first.
    against: Vec<i32>,
    /// Wins over them that the ratings let expect.
    expected: f64,
    /// Wins over them; an equal place is half a win.
    wins: f64,
    /// How much the match counted: 40, 20 or 10.
    k: u32,
    /// The player left the match.
    abandoned: bool,
    /// All of it as a sentence.
    #[schema(example = "2nd of 4, against 1310, 1255, 1190: expected 1.9 wins, got 2, +1")]
    reason: String,
}

impl From<wire::PlayerRating> for Rating {
    fn from(rating: wire::PlayerRating) -> Self {
        Self {
            ladder_id: rating.ladder_id,
            rating: rating.rating,
            matches: rating.matches,
            peak: rating.peak,
            provisional: rating.provisional,
            tier: rating.tier.map(|tier| Tier {
                name: tier.name,
                next: tier.next,
                progress: tier.progress,
            }),
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
            number: change.number,
            rated_place: change.rated_place,
            players: change.players,
            against: change.against,
            expected: thousandths(change.expected),
            wins: change.wins,
            k: change.k,
            abandoned: change.abandoned,
            reason: change.reason,
        }
    }
}

/// Rounded: more would only be noise.
fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
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

/// A page of what matches did to a rating, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RatingHistoryPage {
    history: Vec<RatingHistory>,
    /// Cursor of the next page. Null: this was the last.
    #[schema(required)]
    next: Option<String>,
}

/// List what matches did to a player's rating on one ladder
#[utoipa::path(get, path = "/v1/players/{id}/ratings/{ladder}", tag = "players", security(()),
    params(
        ("id" = Uuid, Path, description = "Id of the player"),
        ("ladder" = String, Path, description = "Id of the ladder"),
        super::PageParams,
    ),
    responses((status = 200, description = "A page of history", body = RatingHistoryPage)))]
async fn list_rating_history(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Path((text, ladder)): Path<(String, String)>,
    Query(page): Query<Page>,
) -> Result<Json<RatingHistoryPage>, Problem> {
    let (cursor, limit) = page.bounded()?;
    let request = visitor.request(wire::ListRatingHistoryRequest {
        player_id: player(&gateway, &text).await?.id,
        ladder_id: name(&ladder, ErrorCode::NotFound)?,
        cursor,
        limit,
    });
    let mut ranking = gateway.ranking();
    let listed = ranking.list_rating_history(request).await?.into_inner();
    Ok(Json(RatingHistoryPage {
        history: listed
            .history
            .into_iter()
            .map(RatingHistory::from)
            .collect(),
        next: text_or_null(listed.next),
    }))
}
