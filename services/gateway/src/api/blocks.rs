//! Whom the caller does not want to meet in matchmaking.

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use chassis::{ErrorCode, Failure};
use proto::v1 as wire;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::{convert::Instant, matches::name_of, players::Player};
use crate::{
    Gateway,
    extract::{Caller, id},
    problem::Problem,
};

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new()
        .routes(routes!(list_blocks))
        .routes(routes!(block, unblock))
}

/// A player whom you block.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Block {
    player: Player,
    since: Instant,
}

/// Everybody whom you block, the latest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
}

/// The blocks of a player, with names.
///
/// # Errors
/// When the accounts cannot be asked.
pub(crate) async fn blocks(gateway: &Gateway, player: Uuid) -> Result<Vec<Block>, Failure> {
    let accounts = gateway.accounts();
    let blocks = accounts.blocks(player).await?;
    let ids: Vec<Uuid> = blocks.iter().map(|block| block.player).collect();
    let names = accounts.names(&ids).await?;
    let told = blocks.into_iter().map(|block| {
        let id = block.player.to_string();
        Block {
            player: Player {
                name: name_of(&names, &id),
                id,
            },
            since: Instant(block.created_ms),
        }
    });
    Ok(told.collect())
}

/// The ids of everybody whom a player blocks, for matchmaking.
///
/// # Errors
/// When the accounts cannot be asked.
pub(crate) async fn blocked_ids(gateway: &Gateway, player: Uuid) -> Result<Vec<String>, Failure> {
    let blocks = gateway.accounts().blocks(player).await?;
    let ids = blocks.iter().map(|block| block.player.to_string());
    Ok(ids.collect())
}

/// List whom you block
#[utoipa::path(get, path = "/v1/me/blocks", tag = "account",
    responses((status = 200, description = "Everybody whom you block, at most 100",
        body = Blocks)))]
async fn list_blocks(
    State(gateway): State<Gateway>,
    caller: Caller,
) -> Result<Json<Blocks>, Problem> {
    gateway.accounts().caller(caller.player).await?;
    let blocks = blocks(&gateway, caller.player).await?;
    Ok(Json(Blocks { blocks }))
}

/// Block a player
///
/// Queues never seat you together, from now on. The other one is not told. Blocking again changes
/// nothing.
#[utoipa::path(put, path = "/v1/me/blocks/{player}", tag = "account",
    params(("player" = Uuid, Path, description = "Id of the player")),
    responses((status = 204, description = "Blocked")))]
async fn block(
    State(gateway): State<Gateway>,
    caller: Caller,
    Path(player): Path<String>,
) -> Result<StatusCode, Problem> {
    let other = id(&player, ErrorCode::NotFound)?;
    if other == caller.player {
        let detail = "expected another player than yourself";
        return Err(Problem::new(ErrorCode::BadRequest, detail));
    }
    gateway.accounts().block(caller.player, other).await?;
    tell_matchmaking(&gateway, &caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Unblock a player
///
/// Also when you do not block the player.
#[utoipa::path(delete, path = "/v1/me/blocks/{player}", tag = "account",
    params(("player" = Uuid, Path, description = "Id of the player")),
    responses((status = 204, description = "Not blocked")))]
async fn unblock(
    State(gateway): State<Gateway>,
    caller: Caller,
    Path(player): Path<String>,
) -> Result<StatusCode, Problem> {
    let other = id(&player, ErrorCode::NotFound)?;
    gateway.accounts().unblock(caller.player, other).await?;
    tell_matchmaking(&gateway, &caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A ticket that waits keeps to the new list, too. When this fails, the client is told so, and may
/// ask again.
async fn tell_matchmaking(gateway: &Gateway, caller: &Caller) -> Result<(), Failure> {
    let request = caller.request(wire::SetBlockedRequest {
        blocked_ids: blocked_ids(gateway, caller.player).await?,
    });
    gateway.matchmaking().set_blocked(request).await?;
    Ok(())
}
