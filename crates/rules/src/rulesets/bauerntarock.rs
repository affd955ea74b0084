//! Bauerntarock with doubling, for 3 or 4 players.

use super::{
    Booking, Contract, DEFAULTS, FOUR_HANDS, Lead, NextDealer, RuleSet, Scoring, Spatz,
    SpatzCounts, THREE_HANDS, Target,
};
use crate::{
    auction::AuctionKind,
    card::Suit,
    options::{Length, OptionKey, Options},
    trump::TrumpRule,
};

pub(super) static BAUERNTAROCK: RuleSet = RuleSet {
    id: "bauerntarock",
    version: 1,
    name: "Bauerntarock with doubling",
    packets: &[(3, THREE_HANDS), (4, FOUR_HANDS)],
    auction: AuctionKind::OneTurn,
    contracts: &[
        Contract {
            name: "look_in",
            takes_talon: true,
            worth: 1,
            ..SUMPERN
        },
        SUMPERN,
    ],
    aces_need_trumps: false,
    lead: Lead::Declarer,
    next_dealer: NextDealer::Left,
    scoring: Scoring::Difference,
    spatz: Some(Spatz {
        counts: SpatzCounts::LostToTheOtherSide,
        booking: Booking::DeclarerAlone,
        early: 5,
        last: 10,
    }),
    lowest_pays_extra: Some(20),
    options: &[
        OptionKey::Length,
        OptionKey::MaxRounds,
        OptionKey::MaxThrownIn,
        OptionKey::DiscardFrom,
        OptionKey::MatschFactor,
    ],
    defaults: Options {
        length: Length::Points(100),
        spatz: true,
        spatz_multiplied: true,
        doubling: true,
        ..DEFAULTS
    },
};

const SUMPERN: Contract = Contract {
    name: "sumpern",
    takes_talon: false,
    trump: TrumpRule::Fixed(Suit::Hearts),
    target: Target::Points(61),
    worth: 2,
    booking: Some(Booking::DeclarerAlone),
};
