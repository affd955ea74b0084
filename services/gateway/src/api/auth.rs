//! Signing in, staying signed in, signing out.

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRequestParts, State},
    http::{StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use chassis::{ErrorCode, Failure, rpc};
use proto::v1 as wire;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::{
    me::{Me, display_name},
    tickets::live_ticket,
};
use crate::{
    Gateway,
    accounts::{DeviceHash, Player, RefreshToken, names},
    extract::{Body, Context},
    limits::network,
    problem::Problem,
};

pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    OpenApiRouter::new()
        .routes(routes!(sign_in_guest))
        .routes(routes!(refresh))
        .routes(routes!(sign_out))
}

/// Somebody at the door, counted more strictly than other visitors.
struct Newcomer {
    context: Arc<Context>,
    /// What the client's program says it is.
    agent: String,
}

impl Newcomer {
    /// Notes from where a player signed in. A hint for operators is no reason to let nobody in.
    async fn trace(&self, gateway: &Gateway, player: Uuid) {
        let network = network(self.context.address);
        let traced = gateway.accounts().trace(player, network, &self.agent);
        if let Err(failure) = traced.await {
            tracing::debug!(%failure, "a sign-in left no trace");
        }
    }
}

impl FromRequestParts<Gateway> for Newcomer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, gateway: &Gateway) -> Result<Self, Problem> {
        let context = parts.extensions.get::<Arc<Context>>().cloned();
        let context = context.ok_or_else(|| Failure::internal("a request without a context"))?;
        gateway
            .limits()
            .auth
            .take(network(context.address), Instant::now())?;
        let agent = parts.headers.get(header::USER_AGENT);
        let agent = agent.and_then(|agent| agent.to_str().ok());
        let agent = agent.unwrap_or_default().to_owned();
        Ok(Self { context, agent })
    }
}

/// A guest's device.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignInGuest {
    /// 16 to 64 random characters, such as a UUID, made once and kept by the device. A secret:
    /// whoever knows it is you. The same device gets its account back.
    #[schema(example = "6f1c0f0a-6c1b-4d0e-9d53-0a4f3c1f2b7e")]
    device_id: String,
    /// Your name from now on, 1 to 24 characters. Without it, a new guest gets one.
    display_name: Option<String>,
}

/// Tokens, and whose they are.
#[derive(Serialize, ToSchema)]
pub(crate) struct SignedIn {
    /// For the header `Authorization: Bearer`.
    access_token: String,
    /// Always `Bearer`.
    #[schema(example = "Bearer")]
    token_type: &'static str,
    /// Seconds until the access token expires.
    #[schema(example = 900)]
    expires_in: u64,
    /// Gives the next tokens, once. Keep it secret.
    refresh_token: String,
    player: Me,
}

async fn signed_in(
    gateway: &Gateway,
    context: &Context,
    player: Player,
    refresh_token: &RefreshToken,
) -> Result<SignedIn, Failure> {
    // For the log line; nobody else sets it on these paths.
    let _ = context.player.set(player.id);
    let access_token = gateway.tokens().issue(player.id)?;
    let asked = wire::GetLiveTicketRequest {};
    let request = rpc::request(asked, Some(player.id), &context.request_id);
    // Signing in works without matchmaking; the failure was logged where it was made.
    let ticket = live_ticket(gateway, request).await.unwrap_or_default();
    Ok(SignedIn {
        access_token,
        token_type: "Bearer",
        expires_in: gateway.tokens().lifetime().as_secs(),
        refresh_token: refresh_token.text(),
        player: Me::new(player, ticket),
    })
}

/// Sign in as a guest
///
/// 201 for a new account, 200 for a device that comes back.
#[utoipa::path(post, path = "/v1/auth/guest", tag = "sign-in", security(()),
    request_body = SignInGuest,
    responses(
        (status = 201, description = "A new guest", body = SignedIn),
        (status = 200, description = "A guest who came back", body = SignedIn),
    ))]
async fn sign_in_guest(
    State(gateway): State<Gateway>,
    newcomer: Newcomer,
    Body(body): Body<SignInGuest>,
) -> Result<Response, Problem> {
    let device = DeviceHash::of(&body.device_id)
        .map_err(|expected| Failure::new(ErrorCode::InvalidBody, expected))?;
    let name = body.display_name.as_deref();
    let name = name
        .map(|text| display_name("display_name", text))
        .transpose()?;
    let accounts = gateway.accounts();
    let returning = accounts.returning_guest(device, name.as_deref()).await?;
    let (status, player) = match returning {
        Some(player) => (StatusCode::OK, player),
        None => {
            let address = network(newcomer.context.address);
            gateway.limits().guests.take(address, Instant::now())?;
            let name = name.unwrap_or_else(names::generated);
            (
                StatusCode::CREATED,
                accounts.new_guest(device, &name).await?,
            )
        }
    };
    let token = accounts
        .start_session(player.id, gateway.session_rules())
        .await?;
    newcomer.trace(&gateway, player.id).await;
    let answer = signed_in(&gateway, &newcomer.context, player, &token).await?;
    Ok((status, Json(answer)).into_response())
}

/// A refresh token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refresh {
    refresh_token: String,
}

/// Renew your tokens
///
/// A refresh token works once. If you lost the answer, ask again within a minute, and you get
/// the same one. Any later use means that somebody else has it: everything that came from this
/// sign-in ends, and you sign in again.
#[utoipa::path(post, path = "/v1/auth/refresh", tag = "sign-in", security(()),
    request_body = Refresh,
    responses((status = 200, description = "New tokens", body = SignedIn)))]
async fn refresh(
    State(gateway): State<Gateway>,
    newcomer: Newcomer,
    Body(body): Body<Refresh>,
) -> Result<Json<SignedIn>, Problem> {
    let token = RefreshToken::parse(&body.refresh_token).ok_or_else(|| {
        Failure::new(
            ErrorCode::Unauthorized,
            "this is no refresh token: sign in again",
        )
    })?;
    let accounts = gateway.accounts();
    let (player, successor) = accounts.renew(&token, gateway.session_rules()).await?;
    let player = accounts.caller(player).await?;
    newcomer.trace(&gateway, player.id).await;
    let answer = signed_in(&gateway, &newcomer.context, player, &successor).await?;
    Ok(Json(answer))
}

/// Sign out
///
/// Ends everything that came from this sign-in. An access token stays valid until it expires.
#[utoipa::path(post, path = "/v1/auth/logout", tag = "sign-in", security(()),
    request_body = Refresh,
    responses((status = 204, description = "Signed out")))]
async fn sign_out(
    State(gateway): State<Gateway>,
    _: Newcomer,
    Body(body): Body<Refresh>,
) -> Result<StatusCode, Problem> {
    // What is no token has no session, so there is nothing left to end.
    if let Some(token) = RefreshToken::parse(&body.refresh_token) {
        gateway.accounts().end_session(&token).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}
