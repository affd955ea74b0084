//! Stores, and a running matchmaking service with its neighbours.

use std::{sync::Arc, time::Duration};

use chassis::{
    Failure,
    kv::Kv,
    rpc::{self, Channel},
    testing::{self, RedisKind, Sqlite},
};
use futures::StreamExt as _;
use matchmaking::{
    ClusterTickets, Config, EmbeddedTickets, Matchmaking, Pairings,
    store::{KEEP_SETTLED, TicketStore},
};
use proto::v1::{self, TicketState, matchmaking_client::MatchmakingClient};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::{Status, Streaming};
use uuid::Uuid;

use crate::fakes::{FakeGame, FakeRanking};

/// Longer than anything here takes; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a future gives in reasonable time.
pub(crate) async fn soon<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("this should have happened by now")
}

/// An empty store of one kind.
pub(crate) enum Place {
    Embedded(Sqlite),
    Cluster(Box<Kv>, Sqlite),
}

impl Place {
    pub(crate) async fn embedded() -> Self {
        Self::Embedded(testing::sqlite().await)
    }

    pub(crate) async fn redis(kind: RedisKind) -> Self {
        Self::Cluster(Box::new(kind.connect().await), testing::sqlite().await)
    }

    /// A handle to the store, as each replica has one.
    pub(crate) fn store(&self) -> Arc<dyn TicketStore> {
        self.store_that_keeps(KEEP_SETTLED)
    }

    /// Where pairings are kept.
    pub(crate) fn pairings(&self) -> Pairings {
        let (Self::Embedded(sqlite) | Self::Cluster(_, sqlite)) = self;
        Pairings::new(sqlite.db.clone())
    }

    pub(crate) fn store_that_keeps(&self, keep: Duration) -> Arc<dyn TicketStore> {
        match self {
            Self::Embedded(sqlite) => Arc::new(EmbeddedTickets::with_keep(sqlite.db.clone(), keep)),
            Self::Cluster(kv, _) => Arc::new(ClusterTickets::with_keep(Kv::clone(kv), keep)),
        }
    }
}

/// Runs each of the named functions of a module on a store of every kind.
macro_rules! on_every_store {
    ($($name:ident),+ $(,)?) => {
        mod embedded {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name($crate::world::Place::embedded().await).await;
            })+
        }
        on_every_store!(@on redis: Single, $($name),+);
        on_every_store!(@on redis_cluster: Cluster, $($name),+);
    };
    (@on $kind:ident: $redis:ident, $($name:ident),+) => {
        mod $kind {
            use crate::world::Place;

            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                let redis = chassis::testing::RedisKind::$redis;
                super::$name(Place::redis(redis).await).await;
            })+
        }
    };
}
pub(crate) use on_every_store;

/// A running service.
pub(crate) struct World {
    pub(crate) game: FakeGame,
    pub(crate) ranking: FakeRanking,
    pub(crate) client: MatchmakingClient<Channel>,
    shutdown: CancellationToken,
    serving: JoinHandle<Result<(), tonic::transport::Error>>,
}

/// Passes come at once, and the default queues.
pub(crate) fn quick() -> Config {
    Config {
        pass_every: Duration::from_millis(5),
        ..Config::default()
    }
}

/// As [`quick`], with queues of one's own.
pub(crate) fn with_queues(json: &str) -> Config {
    let mut problems = chassis::config::Problems::default();
    let queues = matchmaking::queue::Queues::parse("queues", json, &mut problems);
    problems.finish().unwrap();
    Config { queues, ..quick() }
}

impl World {
    pub(crate) fn start(place: &Place, config: Config) -> Self {
        Self::join(place, config, FakeGame::default(), FakeRanking::default())
    }

    /// A service beside these fakes, perhaps the second of its kind.
    pub(crate) fn join(
        place: &Place,
        config: Config,
        game: FakeGame,
        ranking: FakeRanking,
    ) -> Self {
        let (listener, channel) = rpc::in_process();
        let service = Matchmaking::new(
            place.store(),
            place.pairings(),
            game.serve().into(),
            ranking.serve(),
            config,
        );
        let shutdown = CancellationToken::new();
        Self {
            game,
            ranking,
            client: MatchmakingClient::new(channel),
            serving: tokio::spawn(matchmaking::serve(service, listener, shutdown.clone())),
            shutdown,
        }
    }

    /// Stops the service, and waits until it has.
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        soon(self.serving).await.unwrap().unwrap();
    }

    pub(crate) fn begin_stop(&self) {
        self.shutdown.cancel();
    }

    pub(crate) async fn enqueue(&self, player: Uuid, queue: &str) -> Result<v1::Ticket, Failure> {
        self.create(player, ticket_request(player, queue)).await
    }

    pub(crate) async fn create(
        &self,
        player: Uuid,
        request: v1::CreateTicketRequest,
    ) -> Result<v1::Ticket, Failure> {
        let request = rpc::request(request, Some(player), "");
        answer(soon(self.client.clone().create_ticket(request)).await)
    }

    pub(crate) async fn pairing(&self, player: Uuid, id: &str) -> Result<v1::Pairing, Failure> {
        let request = v1::GetPairingRequest {
            match_id: id.to_owned(),
        };
        let request = rpc::request(request, Some(player), "");
        answer(soon(self.client.clone().get_pairing(request)).await)
    }

    pub(crate) async fn get(&self, player: Uuid, ticket: &str) -> Result<v1::Ticket, Failure> {
        let request = v1::GetTicketRequest {
            ticket_id: ticket.to_owned(),
        };
        let request = rpc::request(request, Some(player), "");
        answer(soon(self.client.clone().get_ticket(request)).await)
    }

    pub(crate) async fn live(&self, player: Uuid) -> Option<v1::Ticket> {
        let request = rpc::request(v1::GetLiveTicketRequest {}, Some(player), "");
        let live = soon(self.client.clone().get_live_ticket(request)).await;
        live.unwrap().into_inner().ticket
    }

    pub(crate) async fn cancel(&self, player: Uuid, ticket: &str) -> Result<v1::Ticket, Failure> {
        let request = v1::CancelTicketRequest {
            ticket_id: ticket.to_owned(),
        };
        let request = rpc::request(request, Some(player), "");
        answer(soon(self.client.clone().cancel_ticket(request)).await)
    }

    pub(crate) async fn watch(
        &self,
        player: Uuid,
        ticket: &str,
    ) -> Result<Streaming<v1::Ticket>, Failure> {
        let request = v1::WatchTicketRequest {
            ticket_id: ticket.to_owned(),
        };
        let request = rpc::stream_request(request, Some(player), "");
        answer(soon(self.client.clone().watch_ticket(request)).await)
    }

    /// The ticket once it is settled.
    pub(crate) async fn settled(&self, ticket: &v1::Ticket) -> v1::Ticket {
        let player = ticket.player_id.parse().unwrap();
        let stream = self.watch(player, &ticket.id).await.unwrap();
        let seen: Vec<_> = soon(stream.collect()).await;
        seen.last().unwrap().clone().unwrap()
    }

    /// The table that a ticket leads to.
    pub(crate) async fn matched(&self, ticket: &v1::Ticket) -> String {
        let settled = self.settled(ticket).await;
        assert_eq!(settled.state(), TicketState::Matched);
        settled.table_id
    }
}

pub(crate) fn ticket_request(player: Uuid, queue: &str) -> v1::CreateTicketRequest {
    v1::CreateTicketRequest {
        queue_id: queue.to_owned(),
        player_name: format!("player {}", player.as_u128()),
        ..v1::CreateTicketRequest::default()
    }
}

/// A player by number.
pub(crate) fn player(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn answer<T>(answer: Result<tonic::Response<T>, Status>) -> Result<T, Failure> {
    Ok(answer?.into_inner())
}
