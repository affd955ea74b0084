//! Finished matches and their replays.
//!
//! Names are those of the accounts now, not those that were kept with a match: so an erased
//! player's name is gone from there, too.

use std::collections::HashMap;

use axum::{
    Json,
    extract::{Path, State},
};
use chassis::{ErrorCode, Failure};
use proto::v1::{self as wire, occupant::Kind};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::{
    actions::{Actor, TakenAction},
    cards::{self, Card},
    convert::{Instant, all, required, text_or_null},
    rules::{Rules, TableKind},
    scores::{DealScore, MatchResult},
    seats::Occupant,
};
use crate::{
    Gateway,
    accounts::names::DELETED,
    extract::{Caller, id},
    problem::Problem,
};

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new()
        .routes(routes!(get_match))
        .routes(routes!(get_replay))
}

/// A finished match.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MatchSummary {
    /// Also the id of its table.
    #[schema(format = Uuid)]
    id: String,
    kind: TableKind,
    #[schema(required)]
    queue_id: Option<String>,
    #[schema(required)]
    ladder: Option<String>,
    rules: Rules,
    started_at: Instant,
    ended_at: Instant,
    /// By seat.
    seats: Vec<Occupant>,
    result: MatchResult,
    score_sheet: Vec<DealScore>,
}

impl TryFrom<wire::MatchSummary> for MatchSummary {
    type Error = Failure;

    fn try_from(summary: wire::MatchSummary) -> Result<Self, Failure> {
        Ok(Self {
            id: summary.match_id,
            kind: summary.kind.try_into()?,
            queue_id: text_or_null(summary.queue),
            ladder: text_or_null(summary.ladder),
            rules: summary.rules.try_into()?,
            started_at: Instant(summary.started_ms),
            ended_at: Instant(summary.ended_ms),
            seats: all(summary.seats)?,
            result: summary.result.try_into()?,
            score_sheet: all(summary.score_sheet)?,
        })
    }
}

/// Gives the players of some matches the names they have now.
///
/// # Errors
/// When the accounts cannot be asked.
pub(crate) async fn rename(
    gateway: &Gateway,
    matches: &mut [wire::MatchSummary],
) -> Result<(), Failure> {
    let players = |summary: &wire::MatchSummary| -> Vec<Uuid> {
        let seats = summary.seats.iter();
        let ids = seats.filter_map(|seat| match &seat.kind {
            Some(Kind::Player(player)) => player.id.parse().ok(),
            Some(Kind::Bot(_)) | None => None,
        });
        ids.collect()
    };
    let mut ids: Vec<Uuid> = matches.iter().flat_map(players).collect();
    ids.sort_unstable();
    ids.dedup();
    let names = gateway.accounts().names(&ids).await?;
    for seat in matches.iter_mut().flat_map(|summary| &mut summary.seats) {
        if let Some(Kind::Player(player)) = &mut seat.kind {
            player.name = name_of(&names, &player.id);
        }
    }
    Ok(())
}

/// The name to show for a player's id.
pub(crate) fn name_of(names: &HashMap<Uuid, String>, id: &str) -> String {
    let known = id.parse().ok().and_then(|id: Uuid| names.get(&id));
    known.map_or_else(|| DELETED.to_owned(), Clone::clone)
}

/// Look at a match
#[utoipa::path(get, path = "/v1/matches/{id}", tag = "matches",
    params(("id" = Uuid, Path, description = "Id of the match")),
    responses((status = 200, description = "The match", body = MatchSummary)))]
async fn get_match(
    State(gateway): State<Gateway>,
    caller: Caller,
    Path(match_id): Path<String>,
) -> Result<Json<MatchSummary>, Problem> {
    let match_id = id(&match_id, ErrorCode::NotFound)?.to_string();
    let request = caller.request(wire::GetMatchRequest { match_id });
    let mut summary = gateway.game()?.get_match(request).await?.into_inner();
    rename(&gateway, std::slice::from_mut(&mut summary)).await?;
    Ok(Json(summary.try_into()?))
}

/// Goes up when a reader of the former one would go wrong.
const REPLAY_FORMAT: u32 = 1;

/// Everything that is needed to play a match again, and to check its shuffles.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Replay {
    /// Of this document. `docs/replay.md` describes it.
    #[schema(example = 1)]
    format: u32,
    r#match: MatchSummary,
    /// In hex.
    server_seed: String,
    /// SHA-256 of the server seed, in hex.
    seed_hash: String,
    /// The seats' parts of the shuffles, in hex.
    nonces: Vec<String>,
    deals: Vec<ReplayDeal>,
}

/// A deal of a replay.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReplayDeal {
    number: u32,
    dealer: u32,
    /// By seat, as dealt.
    hands: Vec<Vec<Card>>,
    talon: Vec<Card>,
    actions: Vec<ReplayAction>,
    /// Null when every player left before the deal was over.
    score: Option<DealScore>,
    /// What went into the shuffle in place of the number, where the server lost what came after
    /// the deal before: a million more for each loss so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    shuffle: Option<u32>,
}

/// An action of a replay.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReplayAction {
    version: u64,
    at: Instant,
    seat: u32,
    action: TakenAction,
    by: Actor,
}

impl TryFrom<wire::Replay> for Replay {
    type Error = Failure;

    fn try_from(replay: wire::Replay) -> Result<Self, Failure> {
        Ok(Self {
            format: REPLAY_FORMAT,
            r#match: required(replay.summary, "match")?.try_into()?,
            server_seed: hex::encode(replay.server_seed),
            seed_hash: hex::encode(replay.seed_hash),
            nonces: replay.nonces.iter().map(hex::encode).collect(),
            deals: all(replay.deals)?,
        })
    }
}

impl TryFrom<wire::ReplayDeal> for ReplayDeal {
    type Error = Failure;

    fn try_from(deal: wire::ReplayDeal) -> Result<Self, Failure> {
        let hands = deal.hands.into_iter().map(|hand| cards::cards(hand.cards));
        Ok(Self {
            number: deal.number,
            dealer: deal.dealer,
            hands: hands.collect::<Result<_, _>>()?,
            talon: cards::cards(deal.talon)?,
            actions: all(deal.actions)?,
            score: deal.score.map(DealScore::try_from).transpose()?,
            shuffle: Some(deal.shuffle).filter(|&shuffle| shuffle != 0),
        })
    }
}

impl TryFrom<wire::ReplayAction> for ReplayAction {
    type Error = Failure;

    fn try_from(action: wire::ReplayAction) -> Result<Self, Failure> {
        Ok(Self {
            version: action.version,
            at: Instant(action.at_ms),
            seat: action.seat,
            action: action.action.try_into()?,
            by: action.by.try_into()?,
        })
    }
}

/// Replay a match
///
/// Every card and every action, for anybody.
#[utoipa::path(get, path = "/v1/matches/{id}/replay", tag = "matches",
    params(("id" = Uuid, Path, description = "Id of the match")),
    responses((status = 200, description = "The replay", body = Replay)))]
async fn get_replay(
    State(gateway): State<Gateway>,
    caller: Caller,
    Path(match_id): Path<String>,
) -> Result<Json<Replay>, Problem> {
    let match_id = id(&match_id, ErrorCode::NotFound)?.to_string();
    let request = caller.request(wire::GetReplayRequest { match_id });
    let mut replay = gateway.game()?.get_replay(request).await?.into_inner();
    if let Some(summary) = &mut replay.summary {
        rename(&gateway, std::slice::from_mut(summary)).await?;
    }
    Ok(Json(replay.try_into()?))
}
