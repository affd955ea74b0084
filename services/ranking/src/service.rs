//! The gRPC service: bounds, failures, and the shapes of the contract.

use std::{fmt, sync::Arc};

use chassis::{ErrorCode, Failure, db::Db, kv::Kv};
use proto::v1::{
    GetPlayerRequest, GetPlayerResponse, GetRatingsRequest, GetRatingsResponse, ListAmongRequest,
    ListAroundRequest, ListLaddersRequest, ListLaddersResponse, ListRatingHistoryRequest,
    ListRatingHistoryResponse, ListStandingsRequest, ListStandingsResponse, RecordMatchRequest,
    RecordMatchResponse,
    ranking_server::{self, RankingServer},
};
use tokio::sync::Notify;
use tonic::{Request, Response, Status, service::RoutesBuilder};
use uuid::Uuid;

pub use proto::v1::ranking_server::SERVICE_NAME;

use crate::{
    board::{Answer, Board, Boards},
    cursor::{self, Position},
    finished::{self, FinishedMatch},
    schedule::Schedule,
    store::{self, Ladder, Listing, Page, Recorded, Store},
    wire,
};

/// Largest request that is read; real ones stay below 4 KiB.
const MAX_REQUEST_BYTES: usize = 16 * 1024;
/// Most players whose ratings are asked for at once.
const MAX_PLAYERS: usize = 100;
const MAX_LIMIT: u32 = 100;
const DEFAULT_LIMIT: u32 = 50;
const MAX_SPAN: u32 = 50;
const DEFAULT_SPAN: u32 = 5;
/// Milliseconds of a day.
pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Milliseconds since 1970 UTC, whenever asked.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Who is listed in the standings, and when seasons end.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Rated matches on the ladder after which a player is listed; until then the rating is
    /// provisional. What a match counts does not depend on this.
    pub listed_after_matches: u32,
    /// Days without a rated match after which a player is no longer listed; the next match
    /// brings them back.
    pub inactive_after_days: u32,
    /// When seasons close and the next ones open by themselves; never when none.
    pub schedule: Option<Schedule>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listed_after_matches: 20,
            inactive_after_days: 90,
            schedule: None,
        }
    }
}

/// The ranking service. Clones share one database pool.
#[derive(Clone)]
pub struct Ranking {
    pub(crate) store: Store,
    /// Copies of ladders; the database answers everything when there are none.
    pub(crate) boards: Option<Boards>,
    /// Lines changed here, so that they are brought to the copies at once.
    pub(crate) changed: Arc<Notify>,
    clock: Clock,
}

impl fmt::Debug for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ranking")
            .field("store", &self.store)
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
            store: Store::new(db, config),
            boards: None,
            changed: Arc::default(),
            clock: Arc::new(chassis::now_ms),
        }
    }

    /// The same service with copies of its ladders in Redis, which [`crate::serve`] keeps.
    #[must_use]
    pub fn with_copies(self, kv: Kv) -> Self {
        Self {
            boards: Some(Boards::new(kv)),
            ..self
        }
    }

    /// The same service on another clock, for tests and simulations.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    pub(crate) fn now_ms(&self) -> i64 {
        (self.clock)()
    }

    pub(crate) async fn ladder(&self, id: &str) -> Result<Ladder, Failure> {
        let ladder = self.store.ladder(id).await?;
        ladder.ok_or_else(|| Failure::new(ErrorCode::NotFound, "no such ladder"))
    }

    /// Who is listed on a ladder now; on a closed one, who was when it closed.
    pub(crate) fn listing(&self, ladder: &Ladder) -> Listing {
        let config = self.store.config();
        let (min_matches, active_since_ms) = ladder.frozen.unwrap_or_else(|| {
            let now_ms = ladder.closed_ms.unwrap_or_else(|| self.now_ms());
            let inactive_ms = i64::from(config.inactive_after_days) * DAY_MS;
            (config.listed_after_matches.into(), now_ms - inactive_ms)
        });
        Listing {
            ladder: ladder.id.clone(),
            min_matches,
            active_since_ms,
        }
    }

    /// The copies and the ladder's one that answers.
    fn board<'a>(&'a self, ladder: &'a Ladder) -> Option<(&'a Boards, Board<'a>)> {
        let board = Board {
            ladder: &ladder.id,
            number: ladder.board?,
        };
        Some((self.boards.as_ref()?, board))
    }

    async fn record(&self, request: &RecordMatchRequest) -> Result<RecordMatchResponse, Failure> {
        let finished = FinishedMatch::try_from(request)?;
        let recorded = self.store.record(&finished, self.now_ms()).await;
        let recorded = recorded.map_err(store::failure)?;
        let (match_id, ruleset) = (finished.id, &finished.ruleset);
        let changes = match recorded {
            Recorded::Rated(changes) => {
                tracing::info!(%match_id, ruleset, "match rated");
                self.changed.notify_one();
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
        let changes = changes.into_iter().map(wire::rating_change).collect();
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
        let listing = self.listing(&ladder);
        let mut copied = None;
        if let Some((boards, board)) = self.board(&ladder) {
            let answer = boards.page(board, &listing, after.as_ref(), limit).await;
            copied = from_copy(&ladder, answer);
        }
        let page = match copied {
            Some(page) => page,
            None => {
                let page = self.store.standings(&listing, after.as_ref(), limit);
                page.await?
            }
        };
        Ok(wire::standings_response(page, &ladder.id))
    }

    async fn around(&self, request: &ListAroundRequest) -> Result<ListStandingsResponse, Failure> {
        // None on each side is a span, too.
        let span = request.span.unwrap_or(DEFAULT_SPAN);
        let span = match span {
            0 => 0,
            some => bounded("span", some, DEFAULT_SPAN, MAX_SPAN)?,
        };
        let player = finished::uuid("player_id", &request.player_id)?;
        let ladder = self.ladder(&request.ladder_id).await?;
        let listing = self.listing(&ladder);
        let mut copied = None;
        if let Some((boards, board)) = self.board(&ladder) {
            let answer = boards.around(board, &listing, player, span).await;
            if matches!(answer, Ok(Answer::Absent)) {
                return Err(not_listed());
            }
            copied = from_copy(&ladder, answer);
        }
        let page = match copied {
            Some(page) => page,
            None => {
                let page = self.store.around(&listing, player, span).await?;
                page.ok_or_else(not_listed)?
            }
        };
        Ok(wire::standings_response(page, &ladder.id))
    }

    async fn among(&self, request: &ListAmongRequest) -> Result<ListStandingsResponse, Failure> {
        let players = players(&request.player_ids)?;
        let ladder = self.ladder(&request.ladder_id).await?;
        let listing = self.listing(&ladder);
        let mut copied = None;
        if let Some((boards, board)) = self.board(&ladder) {
            copied = from_copy(&ladder, boards.among(board, &listing, &players).await);
        }
        let page = match copied {
            Some(page) => page,
            None => self.store.among(&listing, &players).await?,
        };
        Ok(wire::standings_response(page, &ladder.id))
    }

    async fn history(
        &self,
        request: &ListRatingHistoryRequest,
    ) -> Result<ListRatingHistoryResponse, Failure> {
        let limit = bounded("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
        let player = finished::uuid("player_id", &request.player_id)?;
        let ladder = self.ladder(&request.ladder_id).await?;
        let before = match request.cursor.as_str() {
            "" => None,
            cursor => Some(cursor::history_before(cursor, &ladder.id)?),
        };
        let page = self.store.history(player, &ladder.id, before, limit);
        Ok(wire::history_response(page.await?, &ladder.id))
    }

    async fn ratings(&self, request: &GetRatingsRequest) -> Result<GetRatingsResponse, Failure> {
        finished::check_ruleset(&request.ruleset)?;
        let players = players(&request.player_ids)?;
        let ratings = self.store.ratings(&request.ruleset, &players).await?;
        Ok(GetRatingsResponse { ratings })
    }

    async fn player(&self, request: &GetPlayerRequest) -> Result<GetPlayerResponse, Failure> {
        let player = finished::uuid("player_id", &request.player_id)?;
        let ratings = self.store.player(player).await?;
        let listed_after = i64::from(self.store.config().listed_after_matches);
        let ratings = ratings.into_iter();
        let ratings = ratings.map(|rating| wire::player_rating(rating, listed_after));
        Ok(GetPlayerResponse {
            ratings: ratings.collect(),
        })
    }
}

fn not_listed() -> Failure {
    let detail = "the player is not listed on this ladder";
    Failure::new(ErrorCode::NotFound, detail)
}

/// What a copy answered; nothing when the database has to.
fn from_copy(ladder: &Ladder, answer: redis::RedisResult<Answer<Page>>) -> Option<Page> {
    match answer {
        Ok(Answer::Known(page)) => Some(page),
        Ok(Answer::Absent) => None,
        Ok(Answer::Unusable) => {
            tracing::debug!(ladder = ladder.id, "the copy of the ladder cannot answer");
            None
        }
        Err(error) => {
            tracing::warn!(ladder = ladder.id, %error, "the copy of the ladder does not answer");
            None
        }
    }
}

/// The players of a request, not too many.
fn players(ids: &[String]) -> Result<Vec<Uuid>, Failure> {
    if ids.len() > MAX_PLAYERS {
        let detail = format!("player_ids: expected at most {MAX_PLAYERS}");
        return Err(Failure::new(ErrorCode::BadRequest, detail));
    }
    let ids = ids.iter();
    ids.map(|id| finished::uuid("player_ids", id)).collect()
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
        let ladders = ladders.into_iter().map(wire::ladder).collect();
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

    async fn list_among(
        &self,
        request: Request<ListAmongRequest>,
    ) -> Result<Response<ListStandingsResponse>, Status> {
        Ok(Response::new(self.among(request.get_ref()).await?))
    }

    async fn list_rating_history(
        &self,
        request: Request<ListRatingHistoryRequest>,
    ) -> Result<Response<ListRatingHistoryResponse>, Status> {
        Ok(Response::new(self.history(request.get_ref()).await?))
    }
}
