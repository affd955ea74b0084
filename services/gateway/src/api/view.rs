//! A table as one player may see it.

use chassis::Failure;
use proto::v1 as wire;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    actions::LegalAction,
    cards::{self, Card, Suit},
    convert::{Instant, all, broken, hex_or_null, required, seconds, text_or_null},
    rules::{Rules, TableKind, TimeControl},
    scores::{DealScore, MatchResult, RatingChange},
    seats::{Occupant, occupant_or_null},
};

/// What you may see of a table, and what you may do.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TableView {
    #[schema(format = Uuid)]
    id: String,
    /// Counts the table's events. Also the `ETag`.
    #[schema(example = 57)]
    version: u64,
    kind: TableKind,
    /// Queue that made the table.
    #[schema(required)]
    queue_id: Option<String>,
    /// Ladder that the match counts for.
    #[schema(required)]
    ladder: Option<String>,
    /// Others join with it. Only while seats are open.
    #[schema(required)]
    invite_code: Option<String>,
    rules: Rules,
    time_control: TimeControl,
    phase: Phase,
    /// Null: you have no seat here.
    #[schema(required)]
    my_seat: Option<u32>,
    seats: Vec<Seat>,
    /// The running deal, or the last one.
    #[schema(required)]
    deal: Option<Deal>,
    /// Who is to act.
    #[schema(required)]
    turn: Option<Turn>,
    /// Everything that you may do now to go on. To leave is always possible and not listed.
    legal_actions: Vec<LegalAction>,
    /// What is in the pot. Null before and after the match, and in a game without.
    #[schema(required)]
    pot: Option<i32>,
    score_sheet: Vec<DealScore>,
    /// Null until the match has ended.
    #[schema(required)]
    result: Option<MatchResult>,
    /// Empty until the match is rated.
    rating_changes: Vec<RatingChange>,
    /// SHA-256 of the server seed, in hex: published before the first deal.
    seed_hash: String,
    /// In hex. Null until the match has ended.
    #[schema(required)]
    server_seed: Option<String>,
    /// The seats' parts of the shuffles, in hex, as far as they are known.
    nonces: Vec<Option<String>>,
    /// The server's time when it answered.
    now: Instant,
}

impl TableView {
    pub(crate) const fn version(&self) -> u64 {
        self.version
    }
}

impl TryFrom<wire::TableView> for TableView {
    type Error = Failure;

    fn try_from(view: wire::TableView) -> Result<Self, Failure> {
        let now_ms = view.now_ms;
        Ok(Self {
            id: view.table_id,
            version: view.version,
            kind: view.kind.try_into()?,
            queue_id: text_or_null(view.queue),
            ladder: text_or_null(view.ladder),
            invite_code: text_or_null(view.invite_code),
            rules: view.rules.try_into()?,
            time_control: view.time_control.try_into()?,
            phase: view.phase.try_into()?,
            my_seat: view.my_seat,
            seats: all(view.seats)?,
            deal: view.deal.map(Deal::try_from).transpose()?,
            turn: view.turn.map(|turn| Turn::at(&turn, now_ms)),
            legal_actions: all(view.legal_actions)?,
            pot: view.pot,
            score_sheet: all(view.score_sheet)?,
            result: view.result.map(MatchResult::from),
            rating_changes: view
                .rating_changes
                .into_iter()
                .map(RatingChange::from)
                .collect(),
            seed_hash: hex::encode(view.seed_hash),
            server_seed: hex_or_null(&view.server_seed),
            nonces: view.nonces.iter().map(|nonce| hex_or_null(nonce)).collect(),
            now: Instant(now_ms),
        })
    }
}

/// Where a table stands.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    /// Waiting for players to sit down and be ready.
    Seating,
    /// Bidding.
    Auction,
    /// The winner of the auction names the contract.
    Announcement,
    /// The declarer lays off.
    Exchange,
    /// The declarer names the trump suit.
    Trump,
    /// Defenders double, the declarer redoubles.
    Doubling,
    /// Playing tricks.
    Play,
    /// A deal was scored and the next has not started.
    BetweenDeals,
    /// The match is over.
    Ended,
    /// Ended without a match.
    Closed,
}

impl TryFrom<i32> for Phase {
    type Error = Failure;

    fn try_from(phase: i32) -> Result<Self, Failure> {
        match wire::Phase::try_from(phase) {
            Ok(wire::Phase::Seating) => Ok(Self::Seating),
            Ok(wire::Phase::Auction) => Ok(Self::Auction),
            Ok(wire::Phase::Announcement) => Ok(Self::Announcement),
            Ok(wire::Phase::Exchange) => Ok(Self::Exchange),
            Ok(wire::Phase::Trump) => Ok(Self::Trump),
            Ok(wire::Phase::Doubling) => Ok(Self::Doubling),
            Ok(wire::Phase::Play) => Ok(Self::Play),
            Ok(wire::Phase::BetweenDeals) => Ok(Self::BetweenDeals),
            Ok(wire::Phase::Ended) => Ok(Self::Ended),
            Ok(wire::Phase::Closed) => Ok(Self::Closed),
            Ok(wire::Phase::Unspecified) | Err(_) => Err(broken("phase")),
        }
    }
}

/// A seat. Seats are numbered clockwise from 0.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Seat {
    seat: u32,
    /// Null: open.
    #[schema(required)]
    occupant: Option<Occupant>,
    ready: bool,
    /// A bot plays for the player, who may return.
    away: bool,
    /// The player left and cannot return.
    left: bool,
    score: i32,
    /// Cards in hand.
    cards: u32,
    /// Tricks won in this deal.
    tricks: u32,
    /// What is left of the time bank.
    bank_seconds: f64,
}

impl TryFrom<wire::SeatView> for Seat {
    type Error = Failure;

    fn try_from(seat: wire::SeatView) -> Result<Self, Failure> {
        Ok(Self {
            seat: seat.seat,
            occupant: occupant_or_null(seat.occupant)?,
            ready: seat.ready,
            away: seat.away,
            left: seat.left,
            score: seat.score,
            cards: seat.cards,
            tricks: seat.tricks,
            bank_seconds: seconds(seat.bank_ms),
        })
    }
}

/// A deal as you may see it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Deal {
    /// Counted from 1.
    number: u32,
    dealer: u32,
    forehand: u32,
    /// Null while it is not known, and in a contract without.
    #[schema(required)]
    trump: Option<Suit>,
    /// In order, as far as it has gone.
    auction: Vec<AuctionCall>,
    /// What is played. Null: not decided yet.
    #[schema(required)]
    declaration: Option<Declaration>,
    /// The defender who doubled.
    #[schema(required)]
    doubled_by: Option<u32>,
    redoubled: bool,
    /// Your cards, sorted for display.
    hand: Vec<Card>,
    /// What the declarer took up: only for the declarer.
    #[schema(required)]
    talon: Option<Vec<Card>>,
    /// What the declarer laid off: only for the declarer.
    #[schema(required)]
    discards: Option<Vec<Card>>,
    /// The running trick.
    #[schema(required)]
    trick: Option<Trick>,
    #[schema(required)]
    last_trick: Option<WonTrick>,
}

impl TryFrom<wire::DealView> for Deal {
    type Error = Failure;

    fn try_from(deal: wire::DealView) -> Result<Self, Failure> {
        Ok(Self {
            number: deal.number,
            dealer: deal.dealer,
            forehand: deal.forehand,
            trump: cards::suit_or_null(deal.trump)?,
            auction: deal.auction.into_iter().map(AuctionCall::from).collect(),
            declaration: deal.declaration.map(Declaration::try_from).transpose()?,
            doubled_by: deal.doubled_by,
            redoubled: deal.redoubled,
            hand: cards::cards(deal.hand)?,
            talon: cards::cards_or_null(deal.talon)?,
            discards: cards::cards_or_null(deal.discards)?,
            trick: deal.trick.map(Trick::try_from).transpose()?,
            last_trick: deal.last_trick.map(WonTrick::try_from).transpose()?,
        })
    }
}

/// What a seat said in the auction.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuctionCall {
    seat: u32,
    /// Null: passed, or held.
    #[schema(required)]
    bid: Option<String>,
    /// Held the level that was just bid.
    hold: bool,
}

impl From<wire::AuctionCall> for AuctionCall {
    fn from(call: wire::AuctionCall) -> Self {
        Self {
            seat: call.seat,
            bid: text_or_null(call.bid),
            hold: call.hold,
        }
    }
}

/// Who plays what against all others.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Declaration {
    declarer: u32,
    #[schema(example = "look_in")]
    contract: String,
    goal: Goal,
    /// Card points to reach, when that is the goal.
    #[schema(required)]
    target: Option<u32>,
}

impl TryFrom<wire::Declaration> for Declaration {
    type Error = Failure;

    fn try_from(declaration: wire::Declaration) -> Result<Self, Failure> {
        Ok(Self {
            goal: declaration.goal().try_into()?,
            declarer: declaration.declarer,
            contract: declaration.contract,
            target: (declaration.target > 0).then_some(declaration.target),
        })
    }
}

/// What a declarer must reach.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Goal {
    /// `target` card points.
    CardPoints,
    /// Every trick.
    EveryTrick,
    /// No trick.
    NoTrick,
}

impl TryFrom<wire::Goal> for Goal {
    type Error = Failure;

    fn try_from(goal: wire::Goal) -> Result<Self, Failure> {
        match goal {
            wire::Goal::CardPoints => Ok(Self::CardPoints),
            wire::Goal::EveryTrick => Ok(Self::EveryTrick),
            wire::Goal::NoTrick => Ok(Self::NoTrick),
            wire::Goal::Unspecified => Err(broken("goal")),
        }
    }
}

/// A running trick.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Trick {
    leader: u32,
    /// From the leader clockwise.
    cards: Vec<Card>,
}

impl TryFrom<wire::TrickView> for Trick {
    type Error = Failure;

    fn try_from(trick: wire::TrickView) -> Result<Self, Failure> {
        Ok(Self {
            leader: trick.leader,
            cards: cards::cards(trick.cards)?,
        })
    }
}

/// A finished trick.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WonTrick {
    leader: u32,
    /// From the leader clockwise.
    cards: Vec<Card>,
    winner: u32,
    /// Its card points.
    points: u32,
}

impl TryFrom<wire::TrickView> for WonTrick {
    type Error = Failure;

    fn try_from(trick: wire::TrickView) -> Result<Self, Failure> {
        Ok(Self {
            leader: trick.leader,
            cards: cards::cards(trick.cards)?,
            winner: required(trick.winner, "winner")?,
            points: trick.points,
        })
    }
}

/// Who is to act, and until when.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Turn {
    seat: u32,
    started_at: Instant,
    /// When the server acts for the player, time bank included.
    deadline: Instant,
    /// Time until then: no clock but the server's is needed.
    remaining_ms: u64,
}

impl Turn {
    pub(super) fn at(turn: &wire::Turn, now_ms: i64) -> Self {
        let remaining_ms = turn.deadline_ms.saturating_sub(now_ms);
        Self {
            seat: turn.seat,
            started_at: Instant(turn.started_ms),
            deadline: Instant(turn.deadline_ms),
            remaining_ms: u64::try_from(remaining_ms).unwrap_or(0),
        }
    }
}
