//! The JSON format. Members that this program does not know are ignored, so that later formats
//! may add some.

use std::collections::BTreeMap;

use rules::{Action, Card, CardSet, Rules, SEED_BYTES, Seat, Shuffle, Suit};
use serde::Deserialize;
use serde_json::Value;

/// The format that this program reads.
pub const FORMAT: u32 = 1;
/// The longest replay that is read, in bytes: several times that of 2,000 deals.
pub const REPLAY_BYTES_MAX: usize = 64 << 20;

/// What is no replay.
#[derive(Debug, thiserror::Error)]
pub enum BadReplay {
    /// More than [`REPLAY_BYTES_MAX`].
    #[error("expected at most {REPLAY_BYTES_MAX} bytes")]
    TooLong,
    /// Not the JSON of a replay.
    #[error("expected the JSON of a replay: {0}")]
    Json(String),
    /// Written by a later program.
    #[error("expected format {FORMAT}, found {0}")]
    Format(u32),
    /// A value that cannot be.
    #[error("{0}")]
    Value(String),
}

/// The replay of a match.
#[derive(Debug, Deserialize)]
pub struct Replay {
    format: u32,
    #[serde(rename = "match")]
    pub(crate) summary: Summary,
    server_seed: String,
    seed_hash: String,
    nonces: Vec<String>,
    pub(crate) deals: Vec<DealRecord>,
}

/// What is known of the match as a whole.
#[derive(Debug, Deserialize)]
pub(crate) struct Summary {
    pub(crate) id: String,
    rules: RulesRecord,
    pub(crate) seats: Vec<Occupant>,
    pub(crate) result: ResultRecord,
    pub(crate) score_sheet: Vec<ScoreRecord>,
}

#[derive(Debug, Deserialize)]
struct RulesRecord {
    ruleset: String,
    version: u32,
    players: u8,
    options: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Occupant {
    Player { name: String },
    Bot { level: String },
}

#[derive(Debug, Deserialize)]
pub(crate) struct ResultRecord {
    pub(crate) scores: Vec<i32>,
    pub(crate) places: Vec<u8>,
    pub(crate) settlement: Vec<i32>,
    pub(crate) pot_shares: Vec<i32>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct DealRecord {
    pub(crate) number: u32,
    pub(crate) dealer: u8,
    pub(crate) hands: Vec<Vec<String>>,
    pub(crate) talon: Vec<String>,
    pub(crate) actions: Vec<Taken>,
    pub(crate) score: Option<ScoreRecord>,
    /// What went into the shuffle, where that was not the number.
    pub(crate) shuffle: Option<u32>,
}

/// An action and whose it was.
#[derive(Debug, Deserialize)]
pub(crate) struct Taken {
    pub(crate) seat: u8,
    action: ActionRecord,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ActionRecord {
    Pass,
    Bid { bid: String },
    Hold,
    Announce { bid: String },
    Discard { count: usize, cards: Vec<String> },
    DeclareTrump { suit: String },
    Double,
    Redouble,
    Play { card: String },
}

#[derive(Debug, PartialEq, Deserialize)]
pub(crate) struct ScoreRecord {
    pub(crate) number: u32,
    pub(crate) dealer: u8,
    pub(crate) declarer: Option<DeclarerRecord>,
    pub(crate) points: Vec<i32>,
    pub(crate) totals: Vec<i32>,
    pub(crate) counted: bool,
    pub(crate) stake: i32,
    pub(crate) pot: i32,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(crate) struct DeclarerRecord {
    pub(crate) seat: u8,
    pub(crate) contract: String,
    pub(crate) card_points: Option<u8>,
    pub(crate) tricks: u8,
    pub(crate) made: bool,
    pub(crate) trump: Option<String>,
    pub(crate) doubled_by: Option<u8>,
    pub(crate) redoubled: bool,
    pub(crate) value: i32,
    pub(crate) spatz: Vec<i32>,
    pub(crate) talon: Vec<String>,
    pub(crate) discards: Vec<String>,
}

impl Replay {
    /// Reads a replay.
    ///
    /// # Errors
    /// When it is none, or of a later format.
    pub fn parse(json: &[u8]) -> Result<Self, BadReplay> {
        if json.len() > REPLAY_BYTES_MAX {
            return Err(BadReplay::TooLong);
        }
        let replay: Self =
            serde_json::from_slice(json).map_err(|error| BadReplay::Json(error.to_string()))?;
        if replay.format != FORMAT {
            return Err(BadReplay::Format(replay.format));
        }
        Ok(replay)
    }

    /// Id of the match.
    #[must_use]
    pub fn match_id(&self) -> &str {
        &self.summary.id
    }

    /// The rules that the match was played by.
    pub(crate) fn rules(&self) -> Result<Rules, BadReplay> {
        let record = &self.summary.rules;
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let options: Vec<(&str, String)> = record
            .options
            .iter()
            .map(|(name, value)| (name.as_str(), text(value)))
            .collect();
        let options = options.iter().map(|(name, value)| (*name, value.as_str()));
        Rules::stored(&record.ruleset, record.version, record.players, options)
            .map_err(|error| BadReplay::Value(format!("rules: {error}")))
    }

    /// The randomness of the match; its seed must be the one that was promised.
    pub(crate) fn shuffle(&self) -> Result<Shuffle, BadReplay> {
        let bad = |what: &str| BadReplay::Value(what.to_owned());
        let seed: Option<[u8; SEED_BYTES]> = hex::decode(&self.server_seed)
            .ok()
            .and_then(|bytes| bytes.try_into().ok());
        let seed = seed.ok_or_else(|| bad("server_seed: expected 32 bytes in hex"))?;
        if hex::encode(rules::seed_hash(&seed)) != self.seed_hash {
            return Err(bad(
                "seed_hash: the server seed is not the one that was promised before the match",
            ));
        }
        let nonces = self.nonces.iter().map(hex::decode);
        let nonces = nonces
            .collect::<Result<_, _>>()
            .map_err(|_| bad("nonces: expected bytes in hex"))?;
        Shuffle::new(seed, nonces)
            .ok_or_else(|| bad("nonces: expected one short one for each seat"))
    }
}

impl Taken {
    /// The action in terms of the rules.
    pub(crate) fn action(&self, rules: &Rules) -> Result<Action, BadReplay> {
        let contract = |name: &str| {
            rules
                .contract_named(name)
                .ok_or_else(|| BadReplay::Value(format!("no contract {name:?} in this game")))
        };
        Ok(match &self.action {
            ActionRecord::Pass => Action::Pass,
            ActionRecord::Bid { bid } => Action::Bid(contract(bid)?),
            ActionRecord::Hold => Action::Hold,
            ActionRecord::Announce { bid } => Action::Announce(contract(bid)?),
            ActionRecord::Discard { count, cards } if *count == cards.len() => {
                Action::Discard(card_set(cards)?)
            }
            ActionRecord::Discard { count, cards } => {
                let cards = cards.len();
                let what = format!("discard: {cards} cards, but a count of {count}");
                return Err(BadReplay::Value(what));
            }
            ActionRecord::DeclareTrump { suit } => Action::DeclareTrump(
                Suit::named(suit).ok_or_else(|| BadReplay::Value(format!("no suit {suit:?}")))?,
            ),
            ActionRecord::Double => Action::Double,
            ActionRecord::Redouble => Action::Redouble,
            ActionRecord::Play { card } => Action::Play(self::card(card)?),
        })
    }
}

fn card(text: &str) -> Result<Card, BadReplay> {
    text.parse()
        .map_err(|error| BadReplay::Value(format!("{text:?}: {error}")))
}

/// Cards of which none is there twice.
pub(crate) fn card_set(texts: &[String]) -> Result<CardSet, BadReplay> {
    let cards: CardSet = texts
        .iter()
        .map(|text| card(text))
        .collect::<Result<_, _>>()?;
    if cards.len() == texts.len() {
        Ok(cards)
    } else {
        Err(BadReplay::Value("a card is there twice".to_owned()))
    }
}

/// A seat by its number.
pub(crate) fn seat(number: u8) -> Result<Seat, BadReplay> {
    Seat::new(number).ok_or_else(|| BadReplay::Value(format!("no seat {number}")))
}
