//! Making, reading, cancelling and watching tickets. A ticket exists for its own player only.

use std::time::Duration;

use chassis::{ErrorCode, Failure, rpc};
use futures::{
    StreamExt as _,
    stream::{self, BoxStream},
};
use proto::v1;
use tonic::Status;
use uuid::Uuid;

use super::{Matchmaking, check_name};
use crate::{
    queue::{Queue, QueueKind},
    store::{Created, NewTicket, Ticket, TicketState},
    wire,
};

/// How long a casual ticket waits for the ranking service: it can do without.
const CASUAL_RATING_TIMEOUT: Duration = Duration::from_secs(1);

impl Matchmaking {
    pub(super) async fn create(
        &self,
        player: Uuid,
        request: v1::CreateTicketRequest,
        request_id: &str,
    ) -> Result<Ticket, Failure> {
        check_name(&request.player_name)?;
        let queue = self
            .config
            .queues
            .get(&request.queue_id)
            .ok_or_else(|| Failure::new(ErrorCode::QueueNotFound, "no queue has this id"))?;
        let rating = self.rating(queue, player, request_id).await?;
        let new = NewTicket {
            id: Uuid::now_v7(),
            queue: request.queue_id,
            player,
            player_name: request.player_name,
            rating,
        };
        match self.store.create(new).await? {
            Created::Ticket(ticket) => Ok(ticket),
            Created::Exists(live) => {
                let detail = "the player waits already; cancel that ticket first";
                Err(Failure::new(ErrorCode::TicketExists, detail).with("ticket_id", live))
            }
        }
    }

    /// The player's rating. Ranked matches are made of true ratings only; casual ones are made
    /// also while the ranking service is away.
    async fn rating(&self, queue: &Queue, player: Uuid, request_id: &str) -> Result<i32, Failure> {
        let ladder = queue.ladder.as_deref();
        let question = v1::GetRatingsRequest {
            ruleset: ladder.unwrap_or(queue.rules.set().id).to_owned(),
            player_ids: vec![player.to_string()],
        };
        let mut question = rpc::request(question, None, request_id);
        if queue.kind == QueueKind::Casual {
            question.set_timeout(CASUAL_RATING_TIMEOUT);
        }
        let answer = self.ranking.clone().get_ratings(question).await;
        let rating = answer.and_then(|answer| match answer.into_inner().ratings[..] {
            [rating] => Ok(rating),
            ref others => Err(Status::internal(format!(
                "expected one rating, got {}",
                others.len()
            ))),
        });
        match (rating, queue.kind) {
            (Ok(rating), _) => Ok(rating),
            (Err(status), QueueKind::Ranked) => Err(Failure::unavailable(status)),
            (Err(status), QueueKind::Casual) => {
                tracing::debug!(%status, "casual ticket without a rating");
                Ok(self.config.default_rating)
            }
        }
    }

    /// The player's own ticket.
    pub(super) async fn ticket(&self, player: Uuid, id: &str) -> Result<Ticket, Failure> {
        let found = self.store.get(ticket_id(id)?).await?;
        found
            .filter(|ticket| ticket.player == player)
            .ok_or_else(not_found)
    }

    pub(super) async fn cancel(&self, player: Uuid, id: &str) -> Result<Ticket, Failure> {
        let after = self.store.cancel(ticket_id(id)?, player).await?;
        let ticket = after.ok_or_else(not_found)?;
        match ticket.state {
            TicketState::Cancelled | TicketState::Expired => Ok(ticket),
            TicketState::Waiting | TicketState::Proposed | TicketState::Matched => {
                let detail = "too late to cancel: a table was found";
                let failure = Failure::new(ErrorCode::AlreadyMatched, detail);
                Err(match wire::ticket(&ticket).table_id {
                    unsaid if unsaid.is_empty() => failure,
                    table => failure.with("table_id", table),
                })
            }
        }
    }

    /// The player's own ticket now and whenever it changes. The stream ends when the ticket is
    /// settled; when the server stops, it ends with an error that says to try again.
    pub(super) async fn watch(
        &self,
        player: Uuid,
        id: &str,
    ) -> Result<BoxStream<'static, Result<v1::Ticket, Status>>, Failure> {
        let watch = Watch {
            service: self.clone(),
            ticket: self.ticket(player, id).await?.id,
            sent: None,
        };
        let states = stream::try_unfold(watch, |mut watch| async move {
            let next = watch.next().await?;
            Ok(next.map(|ticket| (wire::ticket(&ticket), watch)))
        });
        Ok(states.boxed())
    }
}

fn ticket_id(text: &str) -> Result<Uuid, Failure> {
    text.parse().map_err(|_| not_found())
}

fn not_found() -> Failure {
    Failure::new(ErrorCode::TicketNotFound, "the player has no such ticket")
}

/// A ticket that is followed.
struct Watch {
    service: Matchmaking,
    ticket: Uuid,
    /// As told last.
    sent: Option<Ticket>,
}

impl Watch {
    /// The ticket when it has changed; nothing once that cannot happen any more.
    async fn next(&mut self) -> Result<Option<Ticket>, Failure> {
        if self
            .sent
            .as_ref()
            .is_some_and(|sent| sent.state.is_settled())
        {
            return Ok(None);
        }
        loop {
            // First listen, then look: no change falls between.
            let mut watcher = self.service.store.watch(self.ticket);
            let found = self.service.store.get(self.ticket).await?;
            let now = found.ok_or_else(not_found)?;
            if self.sent.as_ref() != Some(&now) {
                self.sent = Some(now.clone());
                return Ok(Some(now));
            }
            let every = self.service.config.watch_every;
            tokio::select! {
                () = watcher.changed() => {}
                () = tokio::time::sleep(every) => {}
                () = self.service.shutdown.cancelled() => {
                    let detail = "the server restarts, try again";
                    return Err(Failure::new(ErrorCode::Unavailable, detail));
                }
            }
        }
    }
}
