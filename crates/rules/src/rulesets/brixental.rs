//! Brixentaler Bauerntarock, for 3 or 4 players.

use super::{
    Booking, Contract, DEFAULTS, FOUR_HANDS, Lead, NextDealer, RuleSet, Scoring, Spatz,
    SpatzCounts, THREE_HANDS, Target,
};
use crate::{
    auction::AuctionKind,
    card::Suit,
    options::{DiscardFrom, Length, OptionKey, Options},
    trump::TrumpRule,
};

pub(super) static BRIXENTAL: RuleSet = RuleSet {
    id: "brixental",
    version: 1,
    name: "Brixentaler Bauerntarock",
    packets: &[(3, THREE_HANDS), (4, FOUR_HANDS)],
    auction: AuctionKind::Rising,
    contracts: &[
        Contract {
            takes_talon: true,
            worth: 1,
            ..hand_game("look_in", Target::Points(61))
        },
        hand_game("sumpern", Target::Points(61)),
        hand_game("66", Target::Points(66)),
        hand_game("71", Target::Points(71)),
        hand_game("76", Target::Points(76)),
        hand_game("81", Target::Points(81)),
        hand_game("86", Target::Points(86)),
        hand_game("91", Target::Points(91)),
        hand_game("96", Target::Points(96)),
        hand_game("101", Target::Points(101)),
        hand_game("106", Target::Points(106)),
        hand_game("111", Target::Points(111)),
        hand_game("116", Target::Points(116)),
        hand_game("all_tricks", Target::EveryTrick),
    ],
    aces_need_trumps: false,
    lead: Lead::Forehand,
    next_dealer: NextDealer::Left,
    scoring: Scoring::Difference,
    spatz: Some(Spatz {
        counts: SpatzCounts::WinningTheTrick,
        booking: Booking::EachParty,
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
        OptionKey::SpatzMultiplied,
    ],
    defaults: Options {
        length: Length::Points(100),
        discard_from: DiscardFrom::OriginalHand,
        spatz: true,
        ..DEFAULTS
    },
};

/// Sumpern and what raises it: the talon stays.
const fn hand_game(name: &'static str, target: Target) -> Contract {
    Contract {
        name,
        takes_talon: false,
        trump: TrumpRule::Fixed(Suit::Hearts),
        target,
        worth: 2,
        booking: Some(Booking::DeclarerAlone),
    }
}
