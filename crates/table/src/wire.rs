//! Events as they are stored: [`proto::v1::LogEvent`].
//!
//! The stored format only grows. Golden bytes in the tests keep old logs readable.

use prost::Message as _;
use proto::v1::{self as wire, log_event::Event as Stored, occupant::Kind};
use rules::{Action, Card, CardSet, NONCE_BYTES_MAX, Rules, RulesError, Seat, Suit};

use crate::{
    commands::Commanded,
    event::{Event, Occupant, Player, Setup},
};

/// Format of the log that this program writes.
pub const FORMAT: u32 = 1;

/// Bytes that are no event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEvent {
    /// Not even a message.
    #[error("not a log event")]
    Message,
    /// Written by a later program.
    #[error("the log has format {0}, this program reads up to {FORMAT}")]
    Format(u32),
    /// A field is missing or out of range.
    #[error("bad {0}")]
    Field(&'static str),
    /// Rules that this program does not know.
    #[error("{0}")]
    Rules(#[from] RulesError),
}

/// The stored bytes of an event that no command caused, or not as the first one.
#[must_use]
pub fn encode(event: &Event, rules: &Rules) -> Vec<u8> {
    encode_entry(event, None, rules)
}

/// The stored bytes of an event, with the command that begins with it. Contracts are stored by
/// name, so the event's rules are needed.
#[must_use]
pub fn encode_entry(event: &Event, command: Option<Commanded>, rules: &Rules) -> Vec<u8> {
    let stored = match event {
        Event::Opened { setup, seats } => Stored::Opened(opened_to_wire(setup, seats)),
        Event::SeatTaken { seat, player } => Stored::SeatTaken(wire::SeatTaken {
            seat: seat.number().into(),
            player: Some(player_to_wire(player)),
        }),
        Event::SeatFreed { seat } => Stored::SeatFreed(wire::SeatFreed {
            seat: seat.number().into(),
        }),
        Event::SeatReady { seat, nonce, by } => Stored::SeatReady(wire::SeatReady {
            seat: seat.number().into(),
            nonce: nonce.clone(),
            by: (*by).into(),
        }),
        Event::DealStarted { number, dealer } => Stored::DealStarted(wire::DealStarted {
            number: *number,
            dealer: dealer.number().into(),
        }),
        Event::Acted { seat, action, by } => Stored::ActionTaken(wire::ActionTaken {
            seat: seat.number().into(),
            action: Some(action_to_wire(*action, rules)),
            by: (*by).into(),
        }),
        Event::DealScored(score) => Stored::DealScored(score.clone()),
        Event::MatchEnded(result) => Stored::MatchEnded(wire::MatchEnded {
            result: Some(result.clone()),
        }),
        Event::SeatAway { seat, left } => Stored::SeatAway(wire::SeatAway {
            seat: seat.number().into(),
            left: *left,
        }),
        Event::SeatReturned { seat } => Stored::SeatReturned(wire::SeatReturned {
            seat: seat.number().into(),
        }),
        Event::ClockRestarted => Stored::ClockRestarted(wire::ClockRestarted {}),
        Event::Restored => Stored::Restored(wire::TableRestored {}),
        Event::DealArchived { number } => {
            Stored::DealArchived(wire::DealArchived { number: *number })
        }
        Event::MatchArchived => Stored::MatchArchived(wire::MatchArchived {}),
        Event::MatchRated(changes) => Stored::MatchRated(wire::MatchRated {
            changes: changes.clone(),
        }),
        Event::Closed(reason) => Stored::Closed(wire::TableClosed {
            reason: (*reason).into(),
        }),
    };
    wire::LogEvent {
        event: Some(stored),
        command: command.map_or_else(Vec::new, |command| command.to_bytes().to_vec()),
    }
    .encode_to_vec()
}

/// The event in stored bytes. `rules` are those of the table's opening, which itself needs none.
///
/// # Errors
/// When the bytes are no event that this program knows.
pub fn decode(bytes: &[u8], rules: Option<&Rules>) -> Result<Event, BadEvent> {
    Ok(decode_entry(bytes, rules)?.0)
}

/// The event in stored bytes, and the command that begins with it.
///
/// # Errors
/// As [`decode`].
pub fn decode_entry(
    bytes: &[u8],
    rules: Option<&Rules>,
) -> Result<(Event, Option<Commanded>), BadEvent> {
    let stored = wire::LogEvent::decode(bytes).map_err(|_| BadEvent::Message)?;
    let command = match stored.command.as_slice() {
        [] => None,
        bytes => Some(Commanded::from_bytes(bytes).ok_or(BadEvent::Field("command"))?),
    };
    let event = event_from_wire(stored.event.ok_or(BadEvent::Message)?, rules)?;
    Ok((event, command))
}

fn event_from_wire(stored: Stored, rules: Option<&Rules>) -> Result<Event, BadEvent> {
    Ok(match stored {
        Stored::Opened(opened) => opened_from_wire(opened)?,
        Stored::SeatTaken(taken) => Event::SeatTaken {
            seat: seat_from_wire(taken.seat)?,
            player: player_from_wire(taken.player.ok_or(BadEvent::Field("player"))?)?,
        },
        Stored::SeatFreed(freed) => Event::SeatFreed {
            seat: seat_from_wire(freed.seat)?,
        },
        Stored::SeatReady(ready) => Event::SeatReady {
            seat: seat_from_wire(ready.seat)?,
            by: ready.by(),
            nonce: Some(ready.nonce)
                .filter(|nonce| nonce.len() <= NONCE_BYTES_MAX)
                .ok_or(BadEvent::Field("nonce"))?,
        },
        Stored::DealStarted(started) => Event::DealStarted {
            number: started.number,
            dealer: seat_from_wire(started.dealer)?,
        },
        Stored::ActionTaken(taken) => {
            let by = taken.by();
            let action = taken.action.and_then(|action| action.kind);
            let rules = rules.ok_or(BadEvent::Field("opening"))?;
            Event::Acted {
                seat: seat_from_wire(taken.seat)?,
                action: action_from_wire(&action.ok_or(BadEvent::Field("action"))?, rules)?
                    .ok_or(BadEvent::Field("action"))?,
                by,
            }
        }
        Stored::DealScored(score) => Event::DealScored(score),
        Stored::MatchEnded(ended) => {
            Event::MatchEnded(ended.result.ok_or(BadEvent::Field("result"))?)
        }
        Stored::SeatAway(away) => Event::SeatAway {
            seat: seat_from_wire(away.seat)?,
            left: away.left,
        },
        Stored::SeatReturned(back) => Event::SeatReturned {
            seat: seat_from_wire(back.seat)?,
        },
        Stored::ClockRestarted(_) => Event::ClockRestarted,
        Stored::Restored(_) => Event::Restored,
        Stored::DealArchived(archived) => Event::DealArchived {
            number: archived.number,
        },
        Stored::MatchArchived(_) => Event::MatchArchived,
        Stored::MatchRated(rated) => Event::MatchRated(rated.changes),
        Stored::Closed(closed) => Event::Closed(closed.reason()),
    })
}

fn opened_to_wire(setup: &Setup, seats: &[Option<Occupant>]) -> wire::TableOpened {
    wire::TableOpened {
        format: FORMAT,
        table_id: setup.id.to_string(),
        kind: setup.kind.into(),
        queue: setup.queue.clone(),
        rules: Some(rules_to_wire(&setup.rules)),
        time_control: Some(setup.time_control),
        server_seed: setup.server_seed.to_vec(),
        invite_code: setup.invite_code.clone(),
        seats: seats
            .iter()
            .map(|seat| occupant_to_wire(seat.as_ref()))
            .collect(),
        ladder: setup.ladder.clone(),
    }
}

fn opened_from_wire(opened: wire::TableOpened) -> Result<Event, BadEvent> {
    if opened.format > FORMAT {
        return Err(BadEvent::Format(opened.format));
    }
    let kind = opened.kind();
    let rules = opened.rules.unwrap_or_default();
    let seats = opened
        .seats
        .iter()
        .map(occupant_from_wire)
        .collect::<Result<_, _>>()?;
    Ok(Event::Opened {
        setup: Box::new(Setup {
            id: opened
                .table_id
                .parse()
                .map_err(|_| BadEvent::Field("table id"))?,
            kind,
            queue: opened.queue,
            ladder: opened.ladder,
            rules: rules_from_wire(&rules, Some(rules.version))?,
            time_control: opened.time_control.ok_or(BadEvent::Field("time control"))?,
            server_seed: opened
                .server_seed
                .try_into()
                .map_err(|_| BadEvent::Field("server seed"))?,
            invite_code: opened.invite_code,
        }),
        seats,
    })
}

/// Rules as the contract has them, every option included.
#[must_use]
pub fn rules_to_wire(rules: &Rules) -> wire::Rules {
    wire::Rules {
        ruleset: rules.set().id.to_owned(),
        version: rules.set().version,
        players: rules.players().into(),
        options: rules
            .option_values()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    }
}

/// Rules from the contract. With a version, only exactly that one will do.
///
/// # Errors
/// When there are no such rules.
pub fn rules_from_wire(rules: &wire::Rules, version: Option<u32>) -> Result<Rules, BadEvent> {
    let options = rules
        .options
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let players = u8::try_from(rules.players).unwrap_or(u8::MAX);
    Ok(match version {
        Some(version) => Rules::stored(&rules.ruleset, version, players, options)?,
        None => Rules::new(&rules.ruleset, players, options)?,
    })
}

pub(crate) fn occupant_to_wire(occupant: Option<&Occupant>) -> wire::Occupant {
    let kind = occupant.map(|occupant| match occupant {
        Occupant::Player(player) => Kind::Player(player_to_wire(player)),
        Occupant::Bot(level) => Kind::Bot(wire::Bot {
            level: level.to_string(),
        }),
    });
    wire::Occupant { kind }
}

pub(crate) fn occupant_from_wire(occupant: &wire::Occupant) -> Result<Option<Occupant>, BadEvent> {
    Ok(match &occupant.kind {
        None => None,
        Some(Kind::Player(player)) => Some(Occupant::Player(player_from_wire(player.clone())?)),
        Some(Kind::Bot(bot)) => Some(Occupant::Bot(
            bot.level
                .parse()
                .map_err(|_| BadEvent::Field("bot level"))?,
        )),
    })
}

pub(crate) fn player_to_wire(player: &Player) -> wire::Player {
    wire::Player {
        id: player.id.to_string(),
        name: player.name.clone(),
    }
}

pub(crate) fn player_from_wire(player: wire::Player) -> Result<Player, BadEvent> {
    let id = player
        .id
        .parse()
        .map_err(|_| BadEvent::Field("player id"))?;
    Ok(Player {
        id,
        name: player.name,
    })
}

fn seat_from_wire(number: u32) -> Result<Seat, BadEvent> {
    let seat = u8::try_from(number).ok().and_then(Seat::new);
    seat.ok_or(BadEvent::Field("seat"))
}

/// A card as the contract has it.
#[must_use]
pub fn card_to_wire(card: Card) -> i32 {
    // 0 is "unspecified"; the others are in the order of the unshuffled pack.
    card.index() as i32 + 1
}

/// A card from the contract.
#[must_use]
pub fn card_from_wire(card: i32) -> Option<Card> {
    let index = usize::try_from(card).ok()?.checked_sub(1)?;
    Card::from_index(index)
}

pub(crate) fn cards_to_wire(cards: CardSet) -> Vec<i32> {
    cards.map(card_to_wire).collect()
}

/// An action in a deal as the contract has it.
#[must_use]
pub fn action_to_wire(action: Action, rules: &Rules) -> wire::Action {
    use wire::action::Kind;
    let kind = match action {
        Action::Pass => Kind::Pass(wire::Pass {}),
        Action::Bid(contract) => Kind::Bid(wire::Bid {
            bid: rules.contract(contract).name.to_owned(),
        }),
        Action::Hold => Kind::Hold(wire::Hold {}),
        Action::Announce(contract) => Kind::Announce(wire::Announce {
            bid: rules.contract(contract).name.to_owned(),
        }),
        Action::DeclareTrump(suit) => Kind::DeclareTrump(wire::DeclareTrump {
            suit: suit.name().to_owned(),
        }),
        Action::Double => Kind::Double(wire::Double {}),
        Action::Redouble => Kind::Redouble(wire::Redouble {}),
        Action::Discard(cards) => Kind::Discard(wire::Discard {
            cards: cards_to_wire(cards),
            count: cards.len() as u32,
        }),
        Action::Play(card) => Kind::Play(wire::Play {
            card: card_to_wire(card),
        }),
    };
    wire::Action { kind: Some(kind) }
}

/// An action in a deal from the contract; `None` for the actions that are not of a deal.
///
/// # Errors
/// When a card or a contract does not exist, or a card is laid off twice.
pub fn action_from_wire(
    action: &wire::action::Kind,
    rules: &Rules,
) -> Result<Option<Action>, BadEvent> {
    use wire::action::Kind;
    let contract = |name| rules.contract_named(name).ok_or(BadEvent::Field("bid"));
    Ok(Some(match action {
        Kind::Pass(_) => Action::Pass,
        Kind::Bid(bid) => Action::Bid(contract(&bid.bid)?),
        Kind::Hold(_) => Action::Hold,
        Kind::Announce(announced) => Action::Announce(contract(&announced.bid)?),
        Kind::DeclareTrump(named) => {
            Action::DeclareTrump(Suit::named(&named.suit).ok_or(BadEvent::Field("suit"))?)
        }
        Kind::Double(_) => Action::Double,
        Kind::Redouble(_) => Action::Redouble,
        Kind::Discard(discard) => {
            let cards: Option<CardSet> = discard
                .cards
                .iter()
                .map(|&card| card_from_wire(card))
                .collect();
            let cards = cards.ok_or(BadEvent::Field("card"))?;
            if cards.len() != discard.cards.len() {
                return Err(BadEvent::Field("discard: a card is there twice"));
            }
            Action::Discard(cards)
        }
        Kind::Play(play) => Action::Play(card_from_wire(play.card).ok_or(BadEvent::Field("card"))?),
        Kind::Ready(_) | Kind::Return(_) | Kind::Leave(_) => return Ok(None),
    }))
}
