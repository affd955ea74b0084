//! The gRPC service.

use std::sync::Arc;

use chassis::{
    ErrorCode, Failure,
    rpc::{self, Listener, Replicas},
};
use futures::stream::BoxStream;
use proto::v1::{
    self,
    matchmaking_server::{self, MatchmakingServer},
    ranking_client::RankingClient,
};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, service::RoutesBuilder, transport::Channel};
use uuid::Uuid;

use crate::{
    config::Config,
    matcher::run_matcher,
    store::{StoreError, TicketStore},
    wire,
};

mod private;
mod tickets;

/// The service's full name in gRPC, for health checks.
pub const SERVICE_NAME: &str = matchmaking_server::SERVICE_NAME;

/// The longest name of a player, in characters.
const NAME_CHARS_MAX: usize = 64;

/// The matchmaking service. Clones share everything.
#[derive(Clone, Debug)]
pub struct Matchmaking {
    store: Arc<dyn TicketStore>,
    game: Replicas,
    ranking: RankingClient<Channel>,
    config: Arc<Config>,
    shutdown: CancellationToken,
}

impl Matchmaking {
    /// A service that keeps tickets in `store`, opens tables at `game` and asks `ranking` for
    /// ratings.
    #[must_use]
    pub fn new(
        store: Arc<dyn TicketStore>,
        game: Replicas,
        ranking: Channel,
        config: Config,
    ) -> Self {
        Self {
            store,
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
        Ok(Response::new(wire::ticket(&ticket)))
    }

    async fn get_ticket(
        &self,
        request: Request<v1::GetTicketRequest>,
    ) -> Result<Response<v1::Ticket>, Status> {
        let player = rpc::caller(&request)?;
        let ticket = self.ticket(player, &request.get_ref().ticket_id).await?;
        Ok(Response::new(wire::ticket(&ticket)))
    }

    async fn get_live_ticket(
        &self,
        request: Request<v1::GetLiveTicketRequest>,
    ) -> Result<Response<v1::LiveTicket>, Status> {
        let player = rpc::caller(&request)?;
        let live = self.store.live(player).await.map_err(failure)?;
        Ok(Response::new(v1::LiveTicket {
            ticket: live.as_ref().map(wire::ticket),
        }))
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
}

fn failure(error: StoreError) -> Failure {
    error.into()
}
