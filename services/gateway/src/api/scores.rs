//! Score sheets, results, rating changes.

use chassis::Failure;
use proto::v1 as wire;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    cards::{self, Card},
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
}

/// How the declarer fared.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeclarerScore {
    seat: u32,
    #[schema(example = "look_in")]
    contract: String,
    /// With what counts of talon and discards.
    card_points: u32,
    tricks: u32,
    made: bool,
    /// The contract's part of the score, before the Spatz.
    value: i32,
    /// Each seat's part from the Spatz; empty when nobody won a trick with it.
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
    /// What each seat gets, or pays when it is negative.
    settlement: Vec<i32>,
    /// Whose players were away at the end or had left.
    abandoned: Vec<bool>,
}

impl From<wire::MatchResult> for MatchResult {
    fn from(result: wire::MatchResult) -> Self {
        Self {
            scores: result.scores,
            places: result.places,
            settlement: result.settlement,
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
