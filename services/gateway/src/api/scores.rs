//! Score sheets, results, rating changes.

use chassis::Failure;
use proto::v1 as wire;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    cards::{self, Card, Suit},
    convert::required,
};

/// One line of the score sheet. Lists are by seat.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DealScore {
    /// Counted from 1, thrown-in deals included.
    number: u32,
    dealer: u32,
    /// Null: nobody bid, the deal was thrown in.
    #[schema(required)]
    declarer: Option<DeclarerScore>,
    /// What each seat's score changed by.
    points: Vec<i32>,
    /// Each seat's score of the match after this deal.
    totals: Vec<i32>,
    /// False: thrown in, and dealt again by the same dealer.
    counted: bool,
    /// What each seat paid into the pot at the start of the deal.
    stake: i32,
    /// What is in the pot after the deal; 0 in a game without.
    pot: i32,
}

/// How the declarer fared.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeclarerScore {
    seat: u32,
    #[schema(example = "look_in")]
    contract: String,
    /// With what counts of talon and discards. Null in a contract of no trick.
    #[schema(required)]
    card_points: Option<u32>,
    tricks: u32,
    made: bool,
    /// Null in a contract without trump.
    #[schema(required)]
    trump: Option<Suit>,
    /// The defender who doubled.
    #[schema(required)]
    doubled_by: Option<u32>,
    redoubled: bool,
    /// The contract's score or price, before the Spatz.
    value: i32,
    /// Each seat's part from the Spatz; empty when it brought nothing.
    spatz: Vec<i32>,
    /// As it was dealt.
    talon: Vec<Card>,
    /// What the declarer laid off.
    discards: Vec<Card>,
}

impl TryFrom<wire::DealScore> for DealScore {
    type Error = Failure;

    fn try_from(score: wire::DealScore) -> Result<Self, Failure> {
        Ok(Self {
            number: score.number,
            dealer: score.dealer,
            declarer: score.declarer.map(DeclarerScore::try_from).transpose()?,
            points: score.points,
            totals: score.totals,
            counted: score.counted,
            stake: score.stake,
            pot: score.pot,
        })
    }
}

impl TryFrom<wire::DeclarerScore> for DeclarerScore {
    type Error = Failure;

    fn try_from(score: wire::DeclarerScore) -> Result<Self, Failure> {
        Ok(Self {
            seat: score.seat,
            contract: score.contract,
            card_points: score.card_points,
            tricks: score.tricks,
            made: score.made,
            trump: cards::suit_or_null(score.trump)?,
            doubled_by: score.doubled_by,
            redoubled: score.redoubled,
            value: score.value,
            spatz: score.spatz,
            talon: cards::cards(score.talon)?,
            discards: cards::cards(score.discards)?,
        })
    }
}

/// The end of a match. Lists are by seat.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MatchResult {
    scores: Vec<i32>,
    /// Competition ranking by score.
    #[schema(example = json!([1, 2, 2, 4]))]
    places: Vec<u32>,
    /// What each seat gets, or pays when it is negative; empty in a game whose deals are paid at
    /// once.
    settlement: Vec<i32>,
    /// What each seat got from the pot at the end, part of its score; empty without a pot.
    pot_shares: Vec<i32>,
    /// Whose players were away at the end or had left.
    abandoned: Vec<bool>,
}

impl From<wire::MatchResult> for MatchResult {
    fn from(result: wire::MatchResult) -> Self {
        Self {
            scores: result.scores,
            places: result.places,
            settlement: result.settlement,
            pot_shares: result.pot_shares,
            abandoned: result.abandoned,
        }
    }
}

impl TryFrom<Option<wire::MatchResult>> for MatchResult {
    type Error = Failure;

    fn try_from(result: Option<wire::MatchResult>) -> Result<Self, Failure> {
        required(result, "result").map(Self::from)
    }
}

/// What a match did to a player's rating.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RatingChange {
    #[schema(format = Uuid)]
    player_id: String,
    #[schema(example = 1200)]
    before: i32,
    #[schema(example = 1213)]
    after: i32,
}

impl From<wire::RatingChange> for RatingChange {
    fn from(change: wire::RatingChange) -> Self {
        Self {
            player_id: change.player_id,
            before: change.before,
            after: change.after,
        }
    }
}
