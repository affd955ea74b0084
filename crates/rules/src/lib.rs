//! The rules: cards, rule sets, the deal as a state machine, series of deals, shuffling, views.
//!
//! Pure: no I/O, no clock, no async, no randomness of its own. What happened is a function of
//! what went in, so a deal can be replayed anywhere to the same result.
//!
//! A rule set is data ([`RuleSet`]); nothing here asks which game it is playing. The way in is
//! [`Rules`], which fixes a rule set, the number of players and the options of a match; a
//! [`Session`] plays [`Deal`]s by it.

mod action;
mod auction;
mod card;
mod card_set;
mod deal;
mod doubling;
mod options;
mod rules;
mod rulesets;
mod score;
mod seat;
mod session;
mod settlement;
mod shuffle;
mod tricks;
mod trump;
mod view;

pub use action::{Action, DiscardChoice, Effect, Illegal, Legal};
pub use auction::{AuctionKind, Call, Calls, Said};
pub use card::{Card, PACK, Rank, Suit, UnknownCard};
pub use card_set::CardSet;
pub use deal::{Deal, Phase};
pub use doubling::Doubling;
pub use options::{DiscardFrom, Length, OptionError, OptionKey, Options, PayFrom, PickupTrump};
pub use rules::{Rules, RulesError};
pub use rulesets::{
    Booking, Contract, ContractId, Declaration, Lead, NextDealer, Packet, RULE_SETS, RuleSet,
    Scoring, Spatz, SpatzCounts, Target, TrumpChoice,
};
pub use score::{DealEnd, DealOutcome, Paid};
pub use seat::{BySeat, PLAYERS_MAX, Seat};
pub use session::{NextDeal, Recorded, Session};
pub use settlement::{Settlement, places};
pub use shuffle::{Deck, NONCE_BYTES_MAX, SEED_BYTES, Shuffle, seed_hash};
pub use tricks::{PlayedTrick, Tricks};
pub use trump::{CardOrder, TrumpRule};
pub use view::{DealView, Uncovered};
