//! The gRPC service.

use std::sync::Arc;

use chassis::{
    ErrorCode, Failure,
    rpc::{self, Channel, Listener, Replicas},
};
use futures::stream::BoxStream;
use proto::v1::{
    self,
    matchmaking_server::{self, MatchmakingServer},
    ranking_client::RankingClient,
};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, service::RoutesBuilder};
use uuid::Uuid;

use crate::{
    config::Config,
    matcher::run_matcher,
    pairings::{self, Pairings},
    store::{StoreError, TicketStore},
    wire,
};

mod live;
mod private;
mod tickets;

use live::Waits;

/// The service's full name in gRPC, for health checks.
pub const SERVICE_NAME: &str = matchmaking_server::SERVICE_NAME;

/// The longest name of a player, in characters.
const NAME_CHARS_MAX: usize = 64;

/// The matchmaking service. Clones share everything.
#[derive(Clone, Debug)]
pub struct Matchmaking {
    store: Arc<dyn TicketStore>,
    pairings: Pairings,
    waits: Arc<Waits>,
    game: Replicas,
    ranking: RankingClient<Channel>,
    config: Arc<Config>,
    shutdown: CancellationToken,
}

impl Matchmaking {
    /// A service that keeps tickets in `store` and why they were matched in `pairings`, opens
    /// tables at `game` and asks `ranking` for ratings.
    #[must_use]
    pub fn new(
        store: Arc<dyn TicketStore>,
        pairings: Pairings,
        game: Replicas,
        ranking: Channel,
        config: Config,
    ) -> Self {
        Self {
            store,
            pairings,
            waits: Arc::default(),
            game,
            ranking: RankingClient::new(ranking),
            config: Arc::new(config),
            shutdown: CancellationToken::new(),
        }
    }
}

/// Serves calls and matches queues until shutdown. Streams end then, so that the server can.
///
/// # Errors
/// When the transport fails.
pub async fn serve(
    mut matchmaking: Matchmaking,
    listener: Listener,
    shutdown: CancellationToken,
) -> Result<(), tonic::transport::Error> {
    matchmaking.shutdown = shutdown.clone();
    let matcher = tokio::spawn(run_matcher(
        Arc::clone(&matchmaking.store),
        matchmaking.pairings.clone(),
        matchmaking.game.clone(),
        Arc::clone(&matchmaking.config),
        shutdown.clone(),
    ));
    let store = Arc::clone(&matchmaking.store);
    let check = move || {
        let store = Arc::clone(&store);
        async move { store.live(Uuid::nil()).await.map(drop).map_err(failure) }
    };
    let mut routes = RoutesBuilder::default();
    routes.add_service(MatchmakingServer::new(matchmaking));
    let served =
        rpc::serve_checked(routes, &[SERVICE_NAME], check, listener, shutdown.clone()).await;
    // Should the transport have failed, a matcher that goes on would hide it.
    shutdown.cancel();
    if let Err(error) = matcher.await {
        tracing::error!(%error, "the matcher failed");
    }
    served
}

/// Refuses names that the gateway would not have let through.
fn check_name(name: &str) -> Result<(), Failure> {
    let length = name.chars().count();
    if length == 0 || length > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        let detail = format!("expected a player's name of 1 to {NAME_CHARS_MAX} characters");
        return Err(Failure::new(ErrorCode::BadRequest, detail));
    }
    Ok(())
}

#[tonic::async_trait]
impl matchmaking_server::Matchmaking for Matchmaking {
    type WatchTicketStream = BoxStream<'static, Result<v1::Ticket, Status>>;

    async fn list_queues(
        &self,
        _: Request<v1::ListQueuesRequest>,
    ) -> Result<Response<v1::ListQueuesResponse>, Status> {
        let queues = &self.config.queues;
        let ids: Vec<String> = queues.iter().map(|queue| queue.id.clone()).collect();
        let waiting = self.store.count_waiting(&ids).await.map_err(failure)?;
        let queues = queues.iter().zip(waiting);
        Ok(Response::new(v1::ListQueuesResponse {
            queues: queues.map(|(queue, n)| wire::queue(queue, n)).collect(),
        }))
    }

    async fn create_ticket(
        &self,
        request: Request<v1::CreateTicketRequest>,
    ) -> Result<Response<v1::Ticket>, Status> {
        let player = rpc::caller(&request)?;
        let request_id = rpc::request_id(&request);
        let ticket = self
            .create(player, request.into_inner(), &request_id)
            .await?;
        Ok(Response::new(self.describe(&ticket).await?))
    }

    async fn get_ticket(
        &self,
        request: Request<v1::GetTicketRequest>,
    ) -> Result<Response<v1::Ticket>, Status> {
        let player = rpc::caller(&request)?;
        let ticket = self.ticket(player, &request.get_ref().ticket_id).await?;
        Ok(Response::new(self.describe(&ticket).await?))
    }

    async fn get_live_ticket(
        &self,
        request: Request<v1::GetLiveTicketRequest>,
    ) -> Result<Response<v1::LiveTicket>, Status> {
        let player = rpc::caller(&request)?;
        let ticket = match self.store.live(player).await.map_err(failure)? {
            Some(live) => Some(self.describe(&live).await?),
            None => None,
        };
        Ok(Response::new(v1::LiveTicket { ticket }))
    }

    async fn cancel_ticket(
        &self,
        request: Request<v1::CancelTicketRequest>,
    ) -> Result<Response<v1::Ticket>, Status> {
        let player = rpc::caller(&request)?;
        let ticket = self.cancel(player, &request.get_ref().ticket_id).await?;
        Ok(Response::new(wire::ticket(&ticket)))
    }

    async fn watch_ticket(
        &self,
        request: Request<v1::WatchTicketRequest>,
    ) -> Result<Response<Self::WatchTicketStream>, Status> {
        let player = rpc::caller(&request)?;
        let stream = self.watch(player, &request.get_ref().ticket_id).await?;
        Ok(Response::new(stream))
    }

    async fn create_private_table(
        &self,
        request: Request<v1::CreatePrivateTableRequest>,
    ) -> Result<Response<v1::CreatePrivateTableResponse>, Status> {
        let player = rpc::caller(&request)?;
        let request_id = rpc::request_id(&request);
        let opened = self
            .open_private(player, request.into_inner(), &request_id)
            .await?;
        Ok(Response::new(opened))
    }

    async fn join_private_table(
        &self,
        request: Request<v1::JoinPrivateTableRequest>,
    ) -> Result<Response<v1::JoinPrivateTableResponse>, Status> {
        let player = rpc::caller(&request)?;
        let request_id = rpc::request_id(&request);
        let joined = self
            .join_private(player, request.into_inner(), &request_id)
            .await?;
        Ok(Response::new(joined))
    }

    async fn get_pairing(
        &self,
        request: Request<v1::GetPairingRequest>,
    ) -> Result<Response<v1::Pairing>, Status> {
        let player = rpc::caller(&request)?;
        let pairing = self.pairing(player, &request.get_ref().match_id).await?;
        Ok(Response::new(pairing))
    }

    async fn set_blocked(
        &self,
        request: Request<v1::SetBlockedRequest>,
    ) -> Result<Response<v1::SetBlockedResponse>, Status> {
        let player = rpc::caller(&request)?;
        let blocked = tickets::blocked(&request.get_ref().blocked_ids)?;
        let stored = self.store.set_blocked(player, &blocked).await;
        stored.map_err(failure)?;
        Ok(Response::new(v1::SetBlockedResponse {}))
    }
}

impl Matchmaking {
    /// Why a match of the player's was made. One that is being opened may still be due.
    async fn pairing(&self, player: Uuid, match_id: &str) -> Result<v1::Pairing, Failure> {
        let not_found = || Failure::new(ErrorCode::NotFound, "no queue made such a match");
        let table: Uuid = match_id.parse().map_err(|_| not_found())?;
        let pairing = match self.store.due_pairing(table).await? {
            Some(due) => Some(pairings::decode(&due)?),
            None => self.pairings.get(table).await?,
        };
        let player = player.to_string();
        pairing
            .filter(|pairing| {
                pairing
                    .players
                    .iter()
                    .any(|other| other.player_id == player)
            })
            .ok_or_else(not_found)
    }
}

fn failure(error: StoreError) -> Failure {
    error.into()
}
