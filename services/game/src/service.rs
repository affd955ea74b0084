//! The calls of the game service.

use std::sync::Arc;

use chassis::{
    ErrorCode, Failure,
    rpc::{caller, optional_caller},
};
use proto::v1::{
    self as wire, ActRequest, ActResponse, GetMatchRequest, GetReplayRequest, GetTableRequest,
    ListMatchesRequest, ListMatchesResponse, MatchSummary, OpenTableRequest, OpenTableResponse,
    Replay, TableUpdate, TableView, TakeSeatRequest, TakeSeatResponse, WatchRequest, action::Kind,
    game_server,
};
use rules::Rules;
use table::{Event, SeatAction};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::{Game, archive, receipt::Receipt, reject, tables::not_found, watch};

/// The game service.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    pub(crate) game: Arc<Game>,
    pub(crate) shutdown: CancellationToken,
}

fn table_id(text: &str) -> Result<Uuid, Failure> {
    text.parse().map_err(|_| not_found())
}

fn match_id(text: &str) -> Result<Uuid, Failure> {
    text.parse()
        .map_err(|_| Failure::new(ErrorCode::NotFound, "no such match"))
}

#[tonic::async_trait]
impl game_server::Game for Service {
    async fn open_table(
        &self,
        request: Request<OpenTableRequest>,
    ) -> Result<Response<OpenTableResponse>, Status> {
        let mut seed = [0; rules::SEED_BYTES];
        getrandom::fill(&mut seed).map_err(Failure::internal)?;
        let opening = Event::opening(request.get_ref(), seed);
        let opening = opening.map_err(|error| reject::bad_setup(&error))?;
        let id = table_id(&request.get_ref().table_id)?;
        let version = self.game.tables.open(id, &opening).await?;
        Ok(Response::new(OpenTableResponse { version }))
    }

    async fn take_seat(
        &self,
        request: Request<TakeSeatRequest>,
    ) -> Result<Response<TakeSeatResponse>, Status> {
        let id = table_id(&request.get_ref().table_id)?;
        let player = request.into_inner().player.unwrap_or_default();
        let player = table::Player {
            id: player.id.parse().map_err(|_| {
                Failure::new(ErrorCode::BadRequest, "expected a UUID as the player's id")
            })?,
            name: player.name,
        };
        let player_id = player.id;
        let command = table::Command::TakeSeat(player);
        let version = self.game.tables.submit(id, &command, None).await?;
        let (table, _) = self.game.tables.look(id).await?;
        let seat = table.seat_of(player_id).ok_or_else(not_found)?;
        Ok(Response::new(TakeSeatResponse {
            seat: seat.number().into(),
            version,
        }))
    }

    async fn get_table(
        &self,
        request: Request<GetTableRequest>,
    ) -> Result<Response<TableView>, Status> {
        let player = caller(&request)?;
        let id = table_id(&request.get_ref().table_id)?;
        let (table, now_ms) = self.game.tables.look(id).await?;
        let view = table::view(&table, player, now_ms).ok_or_else(not_found)?;
        Ok(Response::new(view))
    }

    async fn act(&self, request: Request<ActRequest>) -> Result<Response<ActResponse>, Status> {
        let player = caller(&request)?;
        let request = request.into_inner();
        let id = table_id(&request.table_id)?;
        let (table, seat) = self.game.seat_of(id, player).await?;
        let action = request.action.unwrap_or_default();
        let expected = request.expected_version;
        let receipt = Receipt::new(seat, &request.command_id, &action, expected)?;
        let action = seat_action(action, table.rules())?;
        let command = table::Command::Act { player, action };
        let version = self
            .game
            .tables
            .submit(id, &command, Some(&receipt))
            .await?;
        Ok(Response::new(ActResponse { version }))
    }

    type WatchStream = ReceiverStream<Result<TableUpdate, Status>>;

    async fn watch(
        &self,
        request: Request<WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let player = caller(&request)?;
        let WatchRequest {
            table_id: id,
            after,
        } = request.into_inner();
        let id = table_id(&id)?;
        let shutdown = self.shutdown.clone();
        let updates = watch::watch(Arc::clone(&self.game), id, player, after, shutdown).await?;
        Ok(Response::new(ReceiverStream::new(updates)))
    }

    async fn get_match(
        &self,
        request: Request<GetMatchRequest>,
    ) -> Result<Response<MatchSummary>, Status> {
        optional_caller(&request)?;
        let id = match_id(&request.get_ref().match_id)?;
        Ok(Response::new(self.finished(id).await?))
    }

    async fn get_replay(
        &self,
        request: Request<GetReplayRequest>,
    ) -> Result<Response<Replay>, Status> {
        optional_caller(&request)?;
        let id = match_id(&request.get_ref().match_id)?;
        let summary = self.finished(id).await?;
        let entries = self.game.archive.entries(id).await.map_err(Failure::from)?;
        Ok(Response::new(archive::replay(summary, &entries)?))
    }

    async fn list_matches(
        &self,
        request: Request<ListMatchesRequest>,
    ) -> Result<Response<ListMatchesResponse>, Status> {
        let request = request.into_inner();
        let player = request.player_id.parse().map_err(|_| {
            Failure::new(ErrorCode::BadRequest, "expected a UUID as the player's id")
        })?;
        let page = self
            .game
            .archive
            .list(player, &request.cursor, request.limit)
            .await;
        let page = page.map_err(Failure::from)?;
        Ok(Response::new(ListMatchesResponse {
            matches: page.matches,
            next: page.next.unwrap_or_default(),
        }))
    }
}

impl Service {
    async fn finished(&self, id: Uuid) -> Result<MatchSummary, Failure> {
        let summary = self.game.archive.summary(id).await?;
        summary.ok_or_else(|| Failure::new(ErrorCode::NotFound, "no such finished match"))
    }
}

fn seat_action(action: wire::Action, rules: &Rules) -> Result<SeatAction, Failure> {
    let kind = action
        .kind
        .ok_or_else(|| Failure::new(ErrorCode::InvalidBody, "expected an action"))?;
    let in_deal = table::action_from_wire(&kind, rules);
    Ok(match in_deal.map_err(|error| reject::bad_action(&error))? {
        Some(action) => SeatAction::Deal(action),
        None => match kind {
            Kind::Ready(ready) => SeatAction::Ready(ready.nonce),
            Kind::Return(_) => SeatAction::Return,
            _ => SeatAction::Leave,
        },
    })
}
