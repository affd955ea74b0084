//! Making, reading, cancelling and watching tickets. A ticket exists for its own player only.

use std::time::Duration;

use chassis::{ErrorCode, Failure, rpc};
use futures::{
    StreamExt as _,
    stream::{self, BoxStream},
};
use proto::v1::{self, game_client::GameClient, party_request::Kind};
use tonic::Status;
use uuid::Uuid;

use super::{Matchmaking, check_name};
use crate::{
    config::PROTOCOLS,
    invite,
    queue::{Queue, QueueKind},
    store::{BLOCKED_MAX, Created, NewTicket, Party, PartyRequest, Ticket, TicketState},
    wire,
};

/// How often a ticket is tried to be made while codes are taken and tables are over.
const ATTEMPTS_MAX: usize = 8;

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
        let protocol = protocol(request.protocol_version)?;
        let blocked = blocked(&request.blocked_ids)?;
        let opens =
            matches!(&request.party, Some(party) if matches!(party.kind, Some(Kind::Size(_))));
        let rating = self.rating(queue, player, request_id).await?;
        let mut new = NewTicket {
            id: Uuid::now_v7(),
            queue: request.queue_id,
            player,
            player_name: request.player_name,
            rating,
            blocked,
            protocol,
            party: party(queue, request.party.as_ref())?,
            over: None,
        };
        for _ in 0..ATTEMPTS_MAX {
            match self.store.create(new.clone()).await? {
                Created::Ticket(ticket) => return Ok(ticket),
                Created::Exists(live) => {
                    let detail = "the player waits already; cancel that ticket first";
                    let failure = Failure::new(ErrorCode::TicketExists, detail);
                    return Err(failure.with("ticket_id", live));
                }
                Created::Seated(table) => {
                    if self.plays(player, table, request_id).await? {
                        let detail = "the player sits at a table; play on or leave it first";
                        let failure = Failure::new(ErrorCode::AlreadyPlaying, detail);
                        return Err(failure.with("table_id", table));
                    }
                    new.over = Some(table);
                }
                Created::CodeTaken if opens => new.party = party(queue, request.party.as_ref())?,
                Created::CodeTaken | Created::NoParty => {
                    let detail = "no party with this code waits in the queue, or it has no room";
                    return Err(Failure::new(ErrorCode::PartyNotFound, detail));
                }
            }
        }
        Err(Failure::unavailable("a ticket that could not be made"))
    }

    /// Whether a player still plays at a table: the match is not over, and the player did not
    /// leave it.
    async fn plays(&self, player: Uuid, table: Uuid, request_id: &str) -> Result<bool, Failure> {
        let question = v1::GetTableRequest {
            table_id: table.to_string(),
        };
        let view = self.game.call(table, |channel| {
            let request = rpc::request(question.clone(), Some(player), request_id);
            async move { GameClient::new(channel).get_table(request).await }
        });
        let view = match view.await.map_err(Failure::from) {
            Ok(view) => view.into_inner(),
            Err(gone) if gone.code == ErrorCode::TableNotFound => return Ok(false),
            Err(other) => return Err(other),
        };
        let seat = view.my_seat.and_then(|seat| view.seats.get(seat as usize));
        let over = matches!(view.phase(), v1::Phase::Ended | v1::Phase::Closed);
        Ok(!over && seat.is_some_and(|seat| !seat.left))
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
            settled: false,
        };
        let states = stream::try_unfold(watch, |mut watch| async move {
            let next = watch.next().await?;
            Ok(next.map(|ticket| (ticket, watch)))
        });
        Ok(states.boxed())
    }
}

/// The version of the protocol that a client speaks, which is the first when it does not say.
fn protocol(asked: Option<u32>) -> Result<u32, Failure> {
    let version = asked.unwrap_or(*PROTOCOLS.start());
    if PROTOCOLS.contains(&version) {
        return Ok(version);
    }
    let (first, last) = (PROTOCOLS.start(), PROTOCOLS.end());
    let detail = format!("expected a protocol_version of {first} to {last}");
    Err(Failure::new(ErrorCode::UnsupportedProtocol, detail))
}

/// Whom a player does not want to meet.
pub(super) fn blocked(ids: &[String]) -> Result<Vec<Uuid>, Failure> {
    if ids.len() > BLOCKED_MAX {
        let detail = format!("expected at most {BLOCKED_MAX} blocked players");
        return Err(Failure::new(ErrorCode::BadRequest, detail));
    }
    let id = |id: &String| {
        let refused = |_| Failure::new(ErrorCode::BadRequest, "expected ids of players");
        id.parse().map_err(refused)
    };
    ids.iter().map(id).collect()
}

/// The party to come with, if one was asked for. A new one gets a code that was drawn by lot.
fn party(queue: &Queue, asked: Option<&v1::PartyRequest>) -> Result<Option<PartyRequest>, Failure> {
    let Some(asked) = asked else { return Ok(None) };
    let refused = |detail: String| Err(Failure::new(ErrorCode::PartyNotAllowed, detail));
    if queue.kind == QueueKind::Ranked {
        return refused("parties play in casual queues only".to_owned());
    }
    let players = u32::from(queue.rules.players());
    match &asked.kind {
        None => refused("expected the size of a new party or the code of one".to_owned()),
        Some(Kind::Size(size)) if !(2..=players).contains(size) => {
            refused(format!("expected a party of 2 to {players} players"))
        }
        Some(Kind::Size(size)) => {
            let code = invite::draw().map_err(Failure::internal)?;
            Ok(Some(PartyRequest::Open(Party { code, size: *size })))
        }
        Some(Kind::Code(code)) => match invite::normalise(code) {
            Some(code) => Ok(Some(PartyRequest::Join(code))),
            None => {
                let detail = "this cannot be the code of a party";
                Err(Failure::new(ErrorCode::PartyNotFound, detail))
            }
        },
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
    sent: Option<v1::Ticket>,
    /// Whether it will not change any more.
    settled: bool,
}

impl Watch {
    /// The ticket when it has changed; nothing once that cannot happen any more.
    async fn next(&mut self) -> Result<Option<v1::Ticket>, Failure> {
        if self.settled {
            return Ok(None);
        }
        loop {
            // First listen, then look: no change falls between.
            let mut watcher = self.service.store.watch(self.ticket);
            let found = self.service.store.get(self.ticket).await?;
            let ticket = found.ok_or_else(not_found)?;
            self.settled = ticket.state.is_settled();
            let now = self.service.describe(&ticket).await?;
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
