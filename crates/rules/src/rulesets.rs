//! Rule sets as data.

mod bauerntarock;
mod bavarian;
mod brixental;
mod dobbm;
mod haferltarock;

use crate::{
    auction::AuctionKind,
    card::Suit,
    options::{DiscardFrom, Length, OptionKey, Options, PayFrom, PickupTrump},
    rules::RulesError,
    seat::Seat,
    trump::TrumpRule,
};

/// Every rule set, by id.
pub static RULE_SETS: &[&RuleSet] = &[
    &brixental::BRIXENTAL,
    &bauerntarock::BAUERNTAROCK,
    &dobbm::DOBBM,
    &bavarian::BAVARIAN,
    &haferltarock::HAFERLTAROCK,
];

/// A game of the family. Everything in which games differ is a field.
#[derive(Debug, PartialEq, Eq)]
pub struct RuleSet {
    /// Stable id, such as `brixental`.
    pub id: &'static str,
    /// Counts up whenever a match of an older version would be played differently.
    pub version: u32,
    /// Name for people.
    pub name: &'static str,
    /// For each number of players that can play it: how the cards are dealt.
    pub packets: &'static [(u8, &'static [Packet])],
    /// How the declarer is found.
    pub auction: AuctionKind,
    /// What can be bid, lowest first.
    pub contracts: &'static [Contract],
    /// Whether each ace that is laid off needs a trump beside it.
    pub aces_need_trumps: bool,
    /// Who leads to the first trick.
    pub lead: Lead,
    /// Who deals after a deal that was played.
    pub next_dealer: NextDealer,
    /// What a deal is worth.
    pub scoring: Scoring,
    /// What the six of hearts (Spatz) brings, where the option `spatz` is on.
    pub spatz: Option<Spatz>,
    /// What the lowest pays on top in the settlement (Extrapönale); `None` when deals are paid
    /// at once and nothing is left to settle.
    pub lowest_pays_extra: Option<i32>,
    /// The options that a table can set.
    pub options: &'static [OptionKey],
    /// The values of options that are not set, or cannot be.
    pub defaults: Options,
}

/// One step of dealing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// So many cards to each seat, from forehand clockwise.
    Hands(u8),
    /// So many cards to the talon.
    Talon(u8),
}

/// The values of options that a rule set does not set otherwise.
const DEFAULTS: Options = Options {
    length: Length::Rounds(4),
    max_rounds: 12,
    max_thrown_in: 3,
    discard_from: DiscardFrom::Any,
    matsch_factor: 1,
    spatz: false,
    spatz_multiplied: false,
    doubling: false,
    pickup_trump: PickupTrump::Any,
    pay_from: PayFrom::Pocket,
    stake: 10,
};

/// 4–3–(talon 3)–4.
const THREE_HANDS: &[Packet] = &[
    Packet::Hands(4),
    Packet::Hands(3),
    Packet::Talon(3),
    Packet::Hands(4),
];

/// 4–(talon 4)–4.
const FOUR_HANDS: &[Packet] = &[Packet::Hands(4), Packet::Talon(4), Packet::Hands(4)];

/// Who leads to the first trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead {
    /// The seat on the dealer's left.
    Forehand,
    /// The declarer.
    Declarer,
}

/// Who deals after a deal that was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextDealer {
    /// The seat on the dealer's left.
    Left,
    /// The declarer.
    Declarer,
}

/// What a deal is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    /// The difference between the declarer's card points and 60, or what was needed, multiplied.
    Difference,
    /// A price, and one more for each of these card points that a made contract reaches.
    Price {
        /// Card points.
        extra_at: &'static [u8],
    },
}

/// Between whom an amount passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Booking {
    /// On the declarer's account alone.
    DeclarerAlone,
    /// To each of one party, from each of the other.
    EachParty,
    /// From each opponent to the declarer, or back.
    FromEach,
    /// From the pot to the declarer; or from the pot to one opponent and from the declarer to
    /// the other.
    Pot,
}

/// What the six of hearts (Spatz) brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spatz {
    /// When it counts.
    pub counts: SpatzCounts,
    /// Between whom its points pass.
    pub booking: Booking,
    /// Points before the last trick.
    pub early: i32,
    /// Points in the last trick.
    pub last: i32,
}

/// When the Spatz counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpatzCounts {
    /// For the side that wins a trick with it.
    WinningTheTrick,
    /// Against the side that loses it to the other, and for a side that wins the last trick
    /// with it.
    LostToTheOtherSide,
}

/// A contract of a rule set's ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Stable name, such as `look_in` or `71`.
    pub name: &'static str,
    /// Whether the declarer takes up the talon and lays off as many cards.
    pub takes_talon: bool,
    /// Its trump suit.
    pub trump: TrumpRule,
    /// What the declarer must reach.
    pub target: Target,
    /// Multiplies the difference, or is the price, as [`Scoring`] says.
    pub worth: i32,
    /// Between whom it passes; `None`: as the option `pay_from` says.
    pub booking: Option<Booking>,
}

/// What a declarer must reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// So many card points.
    Points(u8),
    /// Every trick.
    EveryTrick,
    /// No trick; the first one ends the deal.
    NoTrick,
}

/// How a contract comes to its trump suit under the options of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrumpChoice {
    /// It is this one, nothing is named.
    Fixed(Suit),
    /// The declarer names one of these.
    Named(&'static [Suit]),
    /// There is none.
    NoTrump,
}

/// Place of a contract in its rule set's ladder; a higher one overcalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContractId(pub(crate) u8);

/// Who plays what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The seat that plays against all others.
    pub declarer: Seat,
    /// What was bid.
    pub contract: ContractId,
}

impl RuleSet {
    /// The rule set with this id.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(id: &str) -> Result<&'static Self, RulesError> {
        RULE_SETS
            .iter()
            .copied()
            .find(|set| set.id == id)
            .ok_or_else(RulesError::unknown_rule_set)
    }

    /// The numbers of players that can play it.
    pub fn players(&self) -> impl Iterator<Item = u8> {
        self.packets.iter().map(|&(players, _)| players)
    }
}
