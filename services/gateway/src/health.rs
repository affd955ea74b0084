//! Whether the process lives, and whether it should get requests.

use axum::{Json, Router, extract::State, routing::get};
use chassis::ErrorCode;
use serde_json::{Value, json};

use crate::{Gateway, problem::Problem};

pub(crate) fn routes() -> Router<Gateway> {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
}

/// Asks nobody: a process whose database is away must not be restarted for it.
async fn healthz() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// Ready means: not about to stop, and the accounts have been read. Who is signed in plays on
/// without them, and other replicas have the same ones.
async fn readyz(State(gateway): State<Gateway>) -> Result<Json<Value>, Problem> {
    if gateway.shutdown().is_cancelled() {
        return Err(Problem::new(
            ErrorCode::Unavailable,
            "this replica is stopping",
        ));
    }
    gateway
        .accounts_at_start()
        .check(gateway.db().check())
        .await?;
    Ok(Json(json!({"status": "ready"})))
}
