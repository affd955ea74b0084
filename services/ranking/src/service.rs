//! The gRPC service: bounds, failures, and the shapes of the contract.

use std::{fmt, sync::Arc};

use chassis::{ErrorCode, Failure, db::Db};
use proto::v1::{
    self, GetPlayerRequest, GetPlayerResponse, GetRatingsRequest, GetRatingsResponse,
    ListAroundRequest, ListLaddersRequest, ListLaddersResponse, ListStandingsRequest,
    ListStandingsResponse, RatingChange, RecordMatchRequest, RecordMatchResponse,
    ranking_server::{self, RankingServer},
};
use tonic::{Request, Response, Status, service::RoutesBuilder};
use uuid::Uuid;

pub use proto::v1::ranking_server::SERVICE_NAME;

use crate::{
    cursor::Position,
    finished::{self, FinishedMatch},
    store::{self, Change, Ladder, Listing, Page, PlayerRating, Recorded, Store},
};

/// Largest request that is read; real ones stay below 4 KiB.
const MAX_REQUEST_BYTES: usize = 16 * 1024;
/// Most players whose ratings are asked for at once.
const MAX_PLAYERS: usize = 100;
const MAX_LIMIT: u32 = 100;
const DEFAULT_LIMIT: u32 = 50;
const MAX_SPAN: u32 = 50;
const DEFAULT_SPAN: u32 = 5;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Milliseconds since 1970 UTC, whenever asked.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Who is listed in the standings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Rated matches on the ladder after which a player is listed; until then the rating is
    /// provisional. What a match counts does not depend on this.
    pub listed_after_matches: u32,
    /// Days without a rated match after which a player is no longer listed; the next match
    /// brings them back.
    pub inactive_after_days: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listed_after_matches: 20,
            inactive_after_days: 90,
        }
    }
}

/// The ranking service. Clones share one database pool.
#[derive(Clone)]
pub struct Ranking {
    store: Store,
    config: Config,
    clock: Clock,
}

impl fmt::Debug for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ranking")
            .field("store", &self.store)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// Adds the service to a gRPC server.
pub fn routes(service: Ranking, routes: &mut RoutesBuilder) {
    let server = RankingServer::new(service).max_decoding_message_size(MAX_REQUEST_BYTES);
    routes.add_service(server);
}

impl Ranking {
    /// The service over a migrated database, on the wall clock.
    #[must_use]
    pub fn new(db: Db, config: Config) -> Self {
        Self {
            store: Store::new(db),
            config,
            clock: Arc::new(chassis::now_ms),
        }
    }

    /// The same service on another clock, for tests and simulations.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    async fn ladder(&self, id: &str) -> Result<Ladder, Failure> {
        let ladder = self.store.ladder(id).await?;
        ladder.ok_or_else(|| Failure::new(ErrorCode::NotFound, "no such ladder"))
    }

    /// Who is listed on a ladder now; on a closed one, who was when it closed.
    fn listing(&self, ladder: Ladder) -> Listing {
        let now_ms = ladder.closed_ms.unwrap_or_else(|| (self.clock)());
        Listing {
            ladder: ladder.id,
            min_matches: i64::from(self.config.listed_after_matches),
            active_since_ms: now_ms - i64::from(self.config.inactive_after_days) * DAY_MS,
        }
    }

    async fn record(&self, request: &RecordMatchRequest) -> Result<RecordMatchResponse, Failure> {
        let finished = FinishedMatch::try_from(request)?;
        let recorded = self.store.record(&finished, (self.clock)()).await;
        let recorded = recorded.map_err(store::failure)?;
        let (match_id, ruleset) = (finished.id, &finished.ruleset);
        let changes = match recorded {
            Recorded::Rated(changes) => {
                tracing::info!(%match_id, ruleset, "match rated");
                changes
            }
            Recorded::Known(changes) => {
                tracing::debug!(%match_id, ruleset, "match was rated before");
                changes
            }
            Recorded::Conflict => {
                tracing::warn!(%match_id, ruleset, "match was rated before with another result");
                let detail = "the match was rated before with another result";
                return Err(Failure::new(ErrorCode::Conflict, detail));
            }
            Recorded::NoOpenSeason => {
                let detail = "no season of this rule set is open";
                return Err(Failure::new(ErrorCode::Unavailable, detail));
            }
        };
        let changes = changes.into_iter().map(rating_change).collect();
        Ok(RecordMatchResponse { changes })
    }

    async fn standings(
        &self,
        request: &ListStandingsRequest,
    ) -> Result<ListStandingsResponse, Failure> {
        let limit = bounded("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
        let ladder = self.ladder(&request.ladder_id).await?;
        let after = match request.cursor.as_str() {
            "" => None,
            cursor => Some(Position::from_cursor(cursor, &ladder.id)?),
        };
        let listing = self.listing(ladder);
        let page = self.store.standings(&listing, after.as_ref(), limit);
        Ok(standings_response(page.await?, &listing.ladder))
    }

    async fn around(&self, request: &ListAroundRequest) -> Result<ListStandingsResponse, Failure> {
        let span = bounded("span", request.span, DEFAULT_SPAN, MAX_SPAN)?;
        let player = finished::uuid("player_id", &request.player_id)?;
        let listing = self.listing(self.ladder(&request.ladder_id).await?);
        let page = self.store.around(&listing, player, span).await?;
        let page = page.ok_or_else(|| {
            let detail = "the player is not listed on this ladder";
            Failure::new(ErrorCode::NotFound, detail)
        })?;
        Ok(standings_response(page, &listing.ladder))
    }

    async fn ratings(&self, request: &GetRatingsRequest) -> Result<GetRatingsResponse, Failure> {
        finished::check_ruleset(&request.ruleset)?;
        if request.player_ids.len() > MAX_PLAYERS {
            let detail = format!("player_ids: expected at most {MAX_PLAYERS}");
            return Err(Failure::new(ErrorCode::BadRequest, detail));
        }
        let players = request.player_ids.iter();
        let players: Vec<Uuid> = players
            .map(|id| finished::uuid("player_ids", id))
            .collect::<Result<_, _>>()?;
        let ratings = self.store.ratings(&request.ruleset, &players).await?;
        Ok(GetRatingsResponse { ratings })
    }

    async fn player(&self, request: &GetPlayerRequest) -> Result<GetPlayerResponse, Failure> {
        let player = finished::uuid("player_id", &request.player_id)?;
        let ratings = self.store.player(player).await?;
        let ratings = ratings.into_iter().map(|rating| self.player_rating(rating));
        Ok(GetPlayerResponse {
            ratings: ratings.collect(),
        })
    }

    fn player_rating(&self, rating: PlayerRating) -> v1::PlayerRating {
        let history = rating.history.into_iter().map(|entry| v1::RatingHistory {
            match_id: entry.match_id,
            at_ms: entry.at_ms,
            before: entry.before,
            after: entry.after,
            place: entry.place,
        });
        v1::PlayerRating {
            ladder_id: rating.ladder_id,
            rating: rating.rating,
            matches: rating.matches,
            provisional: rating.matches < self.config.listed_after_matches,
            history: history.collect(),
        }
    }
}

/// A number of the request within its bounds; 0 is the default.
fn bounded(name: &str, value: u32, default: u32, max: u32) -> Result<usize, Failure> {
    let value = if value == 0 { default } else { value };
    if value > max {
        let detail = format!("{name}: expected 1 to {max}");
        return Err(Failure::new(ErrorCode::BadRequest, detail));
    }
    Ok(value as usize)
}

fn rating_change(change: Change) -> RatingChange {
    RatingChange {
        player_id: change.player.to_string(),
        before: change.before,
        after: change.after,
    }
}

fn standings_response(page: Page, ladder: &str) -> ListStandingsResponse {
    let next = match page.standings.last() {
        Some(last) if page.more => last.position.to_cursor(ladder),
        _ => String::new(),
    };
    let standings = page.standings.into_iter().map(|standing| v1::Standing {
        rank: standing.rank,
        player_id: standing.position.player.to_string(),
        rating: standing.position.rating,
        matches: standing.matches,
    });
    ListStandingsResponse {
        standings: standings.collect(),
        next,
    }
}

fn ladder_response(ladder: Ladder) -> v1::Ladder {
    v1::Ladder {
        id: ladder.id,
        ruleset: ladder.ruleset,
        season: ladder.season,
        opened_ms: ladder.opened_ms,
        closed_ms: ladder.closed_ms,
    }
}

#[tonic::async_trait]
impl ranking_server::Ranking for Ranking {
    async fn record_match(
        &self,
        request: Request<RecordMatchRequest>,
    ) -> Result<Response<RecordMatchResponse>, Status> {
        Ok(Response::new(self.record(request.get_ref()).await?))
    }

    async fn get_ratings(
        &self,
        request: Request<GetRatingsRequest>,
    ) -> Result<Response<GetRatingsResponse>, Status> {
        Ok(Response::new(self.ratings(request.get_ref()).await?))
    }

    async fn get_player(
        &self,
        request: Request<GetPlayerRequest>,
    ) -> Result<Response<GetPlayerResponse>, Status> {
        Ok(Response::new(self.player(request.get_ref()).await?))
    }

    async fn list_ladders(
        &self,
        _: Request<ListLaddersRequest>,
    ) -> Result<Response<ListLaddersResponse>, Status> {
        let ladders = self.store.ladders().await.map_err(Failure::from)?;
        let ladders = ladders.into_iter().map(ladder_response).collect();
        Ok(Response::new(ListLaddersResponse { ladders }))
    }

    async fn list_standings(
        &self,
        request: Request<ListStandingsRequest>,
    ) -> Result<Response<ListStandingsResponse>, Status> {
        Ok(Response::new(self.standings(request.get_ref()).await?))
    }

    async fn list_around(
        &self,
        request: Request<ListAroundRequest>,
    ) -> Result<Response<ListStandingsResponse>, Status> {
        Ok(Response::new(self.around(request.get_ref()).await?))
    }
}
