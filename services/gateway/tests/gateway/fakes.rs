//! Stand-ins for the three services: they answer what a test put in, and remember what they were
//! asked.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
};

use chassis::{ErrorCode, Failure, rpc};
use futures::{Stream, StreamExt as _, stream};
use proto::v1::{
    self as wire, game_server::Game, matchmaking_server::Matchmaking, ranking_server::Ranking,
};
use tokio::sync::Notify;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::messages;

type Answer<T> = Result<Response<T>, Status>;
type Feed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// What a service was asked, and for whom.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: &'static str,
    pub(crate) player: Option<Uuid>,
    pub(crate) request_id: String,
    /// The message in words, for what a test wants to check.
    pub(crate) message: String,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) asked: Vec<Asked>,
    /// The next answers are this failure.
    pub(crate) failure: Option<Failure>,
    /// Nobody is answered.
    pub(crate) silent: bool,
    pub(crate) view: Option<wire::TableView>,
    pub(crate) updates: Vec<wire::TableUpdate>,
    pub(crate) tickets: Vec<wire::Ticket>,
    /// A ticket's stream goes on after the last of them.
    pub(crate) unsettled: bool,
    pub(crate) live_ticket: Option<wire::Ticket>,
    pub(crate) pairing: Option<wire::Pairing>,
    pub(crate) summary: Option<wire::MatchSummary>,
    pub(crate) standings: Vec<wire::Standing>,
}

/// All three services.
#[derive(Clone, Default)]
pub(crate) struct Fakes {
    state: Arc<Mutex<State>>,
    /// Creations and actions tell when they arrive and wait to be released when `hold` is set.
    pub(crate) arrived: Arc<Notify>,
    pub(crate) release: Arc<Notify>,
    pub(crate) hold: Arc<std::sync::atomic::AtomicBool>,
    /// Tells when nobody watches a table any more.
    pub(crate) dropped: Arc<Notify>,
}

impl Fakes {
    pub(crate) fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }

    /// What a method was asked so far.
    pub(crate) fn asked(&self, method: &str) -> Vec<Asked> {
        let state = self.state.lock().unwrap();
        let asked = state.asked.iter().filter(|asked| asked.method == method);
        asked.cloned().collect()
    }

    async fn answer<Q: std::fmt::Debug, A>(
        &self,
        method: &'static str,
        request: &Request<Q>,
        answer: impl FnOnce(&State) -> Option<A>,
    ) -> Answer<A> {
        let silent = {
            let mut state = self.state.lock().unwrap();
            state.asked.push(Asked {
                method,
                player: rpc::optional_caller(request)?,
                request_id: rpc::request_id(request),
                message: format!("{:?}", request.get_ref()),
            });
            state.silent
        };
        if silent {
            std::future::pending::<()>().await;
        }
        let state = self.state.lock().unwrap();
        if let Some(failure) = &state.failure {
            return Err(failure.clone().into());
        }
        let nothing = || Failure::new(ErrorCode::NotFound, "the test put nothing here");
        Ok(Response::new(answer(&state).ok_or_else(nothing)?))
    }

    async fn held(&self) {
        if self.hold.load(std::sync::atomic::Ordering::SeqCst) {
            self.arrived.notify_one();
            self.release.notified().await;
        }
    }
}

/// What there is, then nothing, for ever.
fn then_silence<T: Send + 'static>(items: Vec<T>) -> Feed<T> {
    Box::pin(stream::iter(items.into_iter().map(Ok)).chain(stream::pending()))
}

/// Tells when it is dropped.
struct Watched(Arc<Notify>);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[tonic::async_trait]
impl Game for Fakes {
    type WatchStream = Feed<wire::TableUpdate>;

    async fn open_table(
        &self,
        r: Request<wire::OpenTableRequest>,
    ) -> Answer<wire::OpenTableResponse> {
        self.answer("open_table", &r, |_| None).await
    }

    async fn take_seat(&self, r: Request<wire::TakeSeatRequest>) -> Answer<wire::TakeSeatResponse> {
        self.answer("take_seat", &r, |_| None).await
    }

    async fn get_table(&self, r: Request<wire::GetTableRequest>) -> Answer<wire::TableView> {
        self.answer("get_table", &r, |state| state.view.clone())
            .await
    }

    async fn act(&self, r: Request<wire::ActRequest>) -> Answer<wire::ActResponse> {
        self.held().await;
        self.answer("act", &r, |_| Some(wire::ActResponse { version: 58 }))
            .await
    }

    async fn watch(&self, r: Request<wire::WatchRequest>) -> Answer<Self::WatchStream> {
        let after = r.get_ref().after;
        let updates = self
            .answer("watch", &r, |state| Some(state.updates.clone()))
            .await?;
        let mut updates = updates.into_inner();
        updates.retain(|update| update.version > after);
        let watched = Watched(Arc::clone(&self.dropped));
        let feed = then_silence(updates).inspect(move |_| {
            let _ = &watched;
        });
        Ok(Response::new(Box::pin(feed)))
    }

    async fn get_match(&self, r: Request<wire::GetMatchRequest>) -> Answer<wire::MatchSummary> {
        self.answer("get_match", &r, |state| state.summary.clone())
            .await
    }

    async fn get_replay(&self, r: Request<wire::GetReplayRequest>) -> Answer<wire::Replay> {
        let replay = |state: &State| state.summary.clone().map(messages::replay);
        self.answer("get_replay", &r, replay).await
    }

    async fn list_matches(
        &self,
        r: Request<wire::ListMatchesRequest>,
    ) -> Answer<wire::ListMatchesResponse> {
        // Two pages.
        let next = if r.get_ref().cursor.is_empty() {
            "page2"
        } else {
            ""
        };
        let listed = |state: &State| wire::ListMatchesResponse {
            matches: state.summary.iter().cloned().collect(),
            next: next.to_owned(),
        };
        self.answer("list_matches", &r, |state| Some(listed(state)))
            .await
    }
}

#[tonic::async_trait]
impl Matchmaking for Fakes {
    type WatchTicketStream = Feed<wire::Ticket>;

    async fn list_queues(
        &self,
        r: Request<wire::ListQueuesRequest>,
    ) -> Answer<wire::ListQueuesResponse> {
        let queues = vec![messages::queue()];
        self.answer("list_queues", &r, |_| {
            Some(wire::ListQueuesResponse { queues })
        })
        .await
    }

    async fn create_ticket(&self, r: Request<wire::CreateTicketRequest>) -> Answer<wire::Ticket> {
        self.held().await;
        let id = Uuid::now_v7();
        let ticket = messages::ticket(id, wire::TicketState::Waiting);
        self.answer("create_ticket", &r, |_| Some(ticket)).await
    }

    async fn get_ticket(&self, r: Request<wire::GetTicketRequest>) -> Answer<wire::Ticket> {
        self.answer("get_ticket", &r, |state| state.tickets.first().cloned())
            .await
    }

    async fn get_live_ticket(
        &self,
        r: Request<wire::GetLiveTicketRequest>,
    ) -> Answer<wire::LiveTicket> {
        let live = |state: &State| wire::LiveTicket {
            ticket: state.live_ticket.clone(),
        };
        self.answer("get_live_ticket", &r, |state| Some(live(state)))
            .await
    }

    async fn cancel_ticket(&self, r: Request<wire::CancelTicketRequest>) -> Answer<wire::Ticket> {
        let id = r.get_ref().ticket_id.parse().unwrap();
        let ticket = messages::ticket(id, wire::TicketState::Cancelled);
        self.answer("cancel_ticket", &r, |_| Some(ticket)).await
    }

    async fn watch_ticket(
        &self,
        r: Request<wire::WatchTicketRequest>,
    ) -> Answer<Self::WatchTicketStream> {
        let watched = |state: &State| (state.tickets.clone(), state.unsettled);
        let watched = self.answer("watch_ticket", &r, |state| Some(watched(state)));
        let (tickets, unsettled) = watched.await?.into_inner();
        let feed: Feed<_> = if unsettled {
            then_silence(tickets)
        } else {
            Box::pin(stream::iter(tickets.into_iter().map(Ok)))
        };
        Ok(Response::new(feed))
    }

    async fn create_private_table(
        &self,
        r: Request<wire::CreatePrivateTableRequest>,
    ) -> Answer<wire::CreatePrivateTableResponse> {
        self.held().await;
        let created = wire::CreatePrivateTableResponse {
            table_id: Uuid::now_v7().to_string(),
            invite_code: "K7QMXP".to_owned(),
            version: 1,
        };
        self.answer("create_private_table", &r, |_| Some(created))
            .await
    }

    async fn join_private_table(
        &self,
        r: Request<wire::JoinPrivateTableRequest>,
    ) -> Answer<wire::JoinPrivateTableResponse> {
        let joined = wire::JoinPrivateTableResponse {
            table_id: messages::TABLE.to_string(),
            seat: 1,
        };
        self.answer("join_private_table", &r, |_| Some(joined))
            .await
    }

    async fn get_pairing(&self, r: Request<wire::GetPairingRequest>) -> Answer<wire::Pairing> {
        self.answer("get_pairing", &r, |state| state.pairing.clone())
            .await
    }

    async fn set_blocked(
        &self,
        r: Request<wire::SetBlockedRequest>,
    ) -> Answer<wire::SetBlockedResponse> {
        self.answer("set_blocked", &r, |_| Some(wire::SetBlockedResponse {}))
            .await
    }
}

#[tonic::async_trait]
impl Ranking for Fakes {
    async fn record_match(
        &self,
        r: Request<wire::RecordMatchRequest>,
    ) -> Answer<wire::RecordMatchResponse> {
        self.answer("record_match", &r, |_| None).await
    }

    async fn get_ratings(
        &self,
        r: Request<wire::GetRatingsRequest>,
    ) -> Answer<wire::GetRatingsResponse> {
        self.answer("get_ratings", &r, |_| None).await
    }

    async fn get_player(
        &self,
        r: Request<wire::GetPlayerRequest>,
    ) -> Answer<wire::GetPlayerResponse> {
        let ratings = vec![messages::rating()];
        self.answer("get_player", &r, |_| {
            Some(wire::GetPlayerResponse { ratings })
        })
        .await
    }

    async fn list_ladders(
        &self,
        r: Request<wire::ListLaddersRequest>,
    ) -> Answer<wire::ListLaddersResponse> {
        let ladders = vec![messages::ladder()];
        self.answer("list_ladders", &r, |_| {
            Some(wire::ListLaddersResponse { ladders })
        })
        .await
    }

    async fn list_standings(
        &self,
        r: Request<wire::ListStandingsRequest>,
    ) -> Answer<wire::ListStandingsResponse> {
        let listed = |state: &State| wire::ListStandingsResponse {
            standings: state.standings.clone(),
            next: "page2".to_owned(),
        };
        self.answer("list_standings", &r, |state| Some(listed(state)))
            .await
    }

    async fn list_around(
        &self,
        r: Request<wire::ListAroundRequest>,
    ) -> Answer<wire::ListStandingsResponse> {
        let listed = |state: &State| wire::ListStandingsResponse {
            standings: state.standings.clone(),
            next: String::new(),
        };
        self.answer("list_around", &r, |state| Some(listed(state)))
            .await
    }

    async fn list_among(
        &self,
        r: Request<wire::ListAmongRequest>,
    ) -> Answer<wire::ListStandingsResponse> {
        let listed = |state: &State| wire::ListStandingsResponse {
            standings: state.standings.clone(),
            next: String::new(),
        };
        self.answer("list_among", &r, |state| Some(listed(state)))
            .await
    }

    async fn list_rating_history(
        &self,
        r: Request<wire::ListRatingHistoryRequest>,
    ) -> Answer<wire::ListRatingHistoryResponse> {
        let history = messages::rating().history;
        self.answer("list_rating_history", &r, |_| {
            let next = "page2".to_owned();
            Some(wire::ListRatingHistoryResponse { history, next })
        })
        .await
    }
}
