//! Neighbours that do what a test tells them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex},
};

use chassis::{
    ErrorCode, Failure,
    rpc::{self, Channel},
};
use futures::stream::{self, BoxStream};
use proto::v1::{
    self,
    game_server::{Game, GameServer},
    occupant::Kind,
    ranking_server::{Ranking, RankingServer},
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, service::RoutesBuilder};
use uuid::Uuid;

fn spawn(routes: RoutesBuilder) -> Channel {
    let (listener, channel) = rpc::in_process();
    tokio::spawn(rpc::serve(routes, &[], listener, CancellationToken::new()));
    channel
}

/// How the game service answers when it is to open a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mood {
    #[default]
    Willing,
    /// The rules are wrong, it says.
    Refusing,
    /// It cannot be reached.
    Down,
    /// It opens the table, but the answer is lost.
    Mumbling,
}

/// A table with this invite code cannot be opened, for reasons of the server's own.
pub(crate) const TROUBLE: &str = "trouble";

/// A game service that only opens tables and seats players.
#[derive(Clone, Debug, Default)]
pub(crate) struct FakeGame(Arc<GameState>);

#[derive(Debug, Default)]
struct GameState {
    mood: Mutex<Mood>,
    tables: Mutex<BTreeMap<String, v1::OpenTableRequest>>,
    /// Tables of which the match has ended.
    ended: Mutex<BTreeSet<String>>,
    /// Calls to open a table.
    calls: watch::Sender<usize>,
}

impl FakeGame {
    pub(crate) fn serve(&self) -> Channel {
        let mut routes = RoutesBuilder::default();
        routes.add_service(GameServer::new(self.clone()));
        spawn(routes)
    }

    pub(crate) fn set_mood(&self, mood: Mood) {
        *self.0.mood.lock().unwrap() = mood;
    }

    pub(crate) fn end(&self, table: &str) {
        self.0.ended.lock().unwrap().insert(table.to_owned());
    }

    pub(crate) fn tables(&self) -> Vec<v1::OpenTableRequest> {
        self.0.tables.lock().unwrap().values().cloned().collect()
    }

    /// Waits until so many calls to open a table were made.
    pub(crate) async fn called(&self, times: usize) {
        let mut calls = self.0.calls.subscribe();
        calls.wait_for(|&calls| calls >= times).await.unwrap();
    }
}

/// The players of a table by seat; bots and open seats are none.
pub(crate) fn players(table: &v1::OpenTableRequest) -> Vec<Option<Uuid>> {
    let player = |seat: &v1::Occupant| match &seat.kind {
        Some(Kind::Player(player)) => Some(player.id.parse().unwrap()),
        Some(Kind::Bot(_)) | None => None,
    };
    table.seats.iter().map(player).collect()
}

pub(crate) fn bots(table: &v1::OpenTableRequest) -> usize {
    let is_bot = |seat: &&v1::Occupant| matches!(seat.kind, Some(Kind::Bot(_)));
    table.seats.iter().filter(is_bot).count()
}

#[tonic::async_trait]
impl Game for FakeGame {
    type WatchStream = BoxStream<'static, Result<v1::TableUpdate, Status>>;

    async fn open_table(
        &self,
        request: Request<v1::OpenTableRequest>,
    ) -> Result<Response<v1::OpenTableResponse>, Status> {
        let mood = *self.0.mood.lock().unwrap();
        self.0.calls.send_modify(|calls| *calls += 1);
        let id = &request.get_ref().table_id;
        let is_open = self.0.tables.lock().unwrap().contains_key(id);
        if mood == Mood::Refusing && !is_open {
            return Err(Failure::new(ErrorCode::InvalidRules, "no such game").into());
        }
        if request.get_ref().invite_code == TROUBLE {
            return Err(Status::internal("trouble"));
        }
        if mood == Mood::Down {
            return Err(Status::unavailable("down"));
        }
        let request = request.into_inner();
        let mut tables = self.0.tables.lock().unwrap();
        let id = request.table_id.clone();
        let known = tables.entry(id).or_insert_with(|| request.clone());
        assert_eq!(
            *known, request,
            "the same table is asked for in the same way"
        );
        if mood == Mood::Mumbling {
            return Err(Status::deadline_exceeded("lost"));
        }
        Ok(Response::new(v1::OpenTableResponse { version: 1 }))
    }

    async fn take_seat(
        &self,
        request: Request<v1::TakeSeatRequest>,
    ) -> Result<Response<v1::TakeSeatResponse>, Status> {
        let caller = rpc::caller(&request)?;
        let request = request.into_inner();
        assert_eq!(
            request.player.as_ref().unwrap().id,
            caller.to_string(),
            "the player sits down"
        );
        let mut tables = self.0.tables.lock().unwrap();
        let table = tables
            .get_mut(&request.table_id)
            .ok_or_else(|| Failure::new(ErrorCode::TableNotFound, "no such table"))?;
        let seat = table
            .seats
            .iter()
            .position(|seat| seat.kind.is_none())
            .ok_or_else(|| Failure::new(ErrorCode::TableFull, "no seat is free"))?;
        table.seats[seat].kind = request.player.map(Kind::Player);
        Ok(Response::new(v1::TakeSeatResponse {
            seat: u32::try_from(seat).unwrap(),
            version: 2,
        }))
    }

    async fn get_table(
        &self,
        request: Request<v1::GetTableRequest>,
    ) -> Result<Response<v1::TableView>, Status> {
        let caller = rpc::caller(&request)?;
        let id = request.into_inner().table_id;
        let tables = self.0.tables.lock().unwrap();
        let not_found = || Failure::new(ErrorCode::TableNotFound, "no such table");
        let seats = players(tables.get(&id).ok_or_else(not_found)?);
        let seat = seats.iter().position(|&player| player == Some(caller));
        let phase = if self.0.ended.lock().unwrap().contains(&id) {
            v1::Phase::Ended
        } else {
            v1::Phase::Play
        };
        Ok(Response::new(v1::TableView {
            phase: phase.into(),
            my_seat: seat.map(|seat| u32::try_from(seat).unwrap()),
            seats: seats.iter().map(|_| v1::SeatView::default()).collect(),
            ..v1::TableView::default()
        }))
    }

    async fn act(&self, _: Request<v1::ActRequest>) -> Result<Response<v1::ActResponse>, Status> {
        Err(Status::unimplemented("fake"))
    }

    async fn watch(
        &self,
        _: Request<v1::WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        Ok(Response::new(Box::pin(stream::empty())))
    }

    async fn get_match(
        &self,
        _: Request<v1::GetMatchRequest>,
    ) -> Result<Response<v1::MatchSummary>, Status> {
        Err(Status::unimplemented("fake"))
    }

    async fn get_replay(
        &self,
        _: Request<v1::GetReplayRequest>,
    ) -> Result<Response<v1::Replay>, Status> {
        Err(Status::unimplemented("fake"))
    }

    async fn list_matches(
        &self,
        _: Request<v1::ListMatchesRequest>,
    ) -> Result<Response<v1::ListMatchesResponse>, Status> {
        Err(Status::unimplemented("fake"))
    }
}

/// A ranking service that knows ratings.
#[derive(Clone, Debug, Default)]
pub(crate) struct FakeRanking(Arc<Mutex<Ratings>>);

#[derive(Debug, Default)]
struct Ratings {
    of: HashMap<String, i32>,
    is_down: bool,
}

impl FakeRanking {
    pub(crate) fn serve(&self) -> Channel {
        let mut routes = RoutesBuilder::default();
        routes.add_service(RankingServer::new(self.clone()));
        spawn(routes)
    }

    pub(crate) fn rate(&self, player: Uuid, rating: i32) {
        self.0.lock().unwrap().of.insert(player.to_string(), rating);
    }

    pub(crate) fn go_down(&self) {
        self.0.lock().unwrap().is_down = true;
    }
}

#[tonic::async_trait]
impl Ranking for FakeRanking {
    async fn get_ratings(
        &self,
        request: Request<v1::GetRatingsRequest>,
    ) -> Result<Response<v1::GetRatingsResponse>, Status> {
        let ratings = self.0.lock().unwrap();
        if ratings.is_down {
            return Err(Status::unavailable("down"));
        }
        assert_eq!(request.get_ref().ruleset, "brixental");
        let ids = &request.get_ref().player_ids;
        let of = |id: &String| ratings.of.get(id).copied().unwrap_or(1_200);
        Ok(Response::new(v1::GetRatingsResponse {
            ratings: ids.iter().map(of).collect(),
        }))
    }

    async fn record_match(
        &self,
        _: Request<v1::RecordMatchRequest>,
    ) -> Result<Response<v1::RecordMatchResponse>, Status> {
        Err(Status::unimplemented("fake"))
    }

    async fn get_player(
        &self,
        _: Request<v1::GetPlayerRequest>,
    ) -> Result<Response<v1::GetPlayerResponse>, Status> {
        Err(Status::unimplemented("fake"))
    }

    async fn list_ladders(
        &self,
        _: Request<v1::ListLaddersRequest>,
    ) -> Result<Response<v1::ListLaddersResponse>, Status> {
        Err(Status::unimplemented("fake"))
    }

    async fn list_standings(
        &self,
        _: Request<v1::ListStandingsRequest>,
    ) -> Result<Response<v1::ListStandingsResponse>, Status> {
        Err(Status::unimplemented("fake"))
    }

    async fn list_around(
        &self,
        _: Request<v1::ListAroundRequest>,
    ) -> Result<Response<v1::ListStandingsResponse>, Status> {
        Err(Status::unimplemented("fake"))
    }

    async fn list_among(
        &self,
        _: Request<v1::ListAmongRequest>,
    ) -> Result<Response<v1::ListStandingsResponse>, Status> {
        Err(Status::unimplemented("fake"))
    }

    async fn list_rating_history(
        &self,
        _: Request<v1::ListRatingHistoryRequest>,
    ) -> Result<Response<v1::ListRatingHistoryResponse>, Status> {
        Err(Status::unimplemented("fake"))
    }
}
