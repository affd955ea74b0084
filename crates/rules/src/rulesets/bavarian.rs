//! Bavarian Tarock with bidding and pot, for 3 players.

use super::{Booking, Contract, DEFAULTS, Lead, NextDealer, RuleSet, Scoring, THREE_HANDS, Target};
use crate::{
    auction::AuctionKind,
    card::Suit,
    options::{OptionKey, Options},
    trump::TrumpRule,
};

pub(super) static BAVARIAN: RuleSet = RuleSet {
    id: "bavarian",
    version: 1,
    name: "Bavarian Tarock",
    packets: &[(3, THREE_HANDS)],
    auction: AuctionKind::Holding,
    contracts: &[
        pickup("pickup:61", Target::Points(61), 1),
        pickup("pickup:66", Target::Points(66), 2),
        pickup("pickup:71", Target::Points(71), 3),
        pickup("pickup:76", Target::Points(76), 4),
        pickup("pickup:81", Target::Points(81), 5),
        pickup("pickup:86", Target::Points(86), 6),
        pickup("pickup:91", Target::Points(91), 7),
        pickup("pickup:96", Target::Points(96), 8),
        pickup("pickup:101", Target::Points(101), 9),
        pickup("pickup:106", Target::Points(106), 10),
        pickup("pickup:111", Target::Points(111), 11),
        pickup("pickup:116", Target::Points(116), 12),
        pickup("pickup:due", Target::EveryTrick, 13),
        hand("hand:61", Target::Points(61), 1),
        BETTEL,
        hand("hand:66", Target::Points(66), 2),
        hand("hand:71", Target::Points(71), 3),
        hand("hand:76", Target::Points(76), 4),
        hand("hand:81", Target::Points(81), 5),
        hand("hand:86", Target::Points(86), 6),
        hand("hand:91", Target::Points(91), 7),
        hand("hand:96", Target::Points(96), 8),
        hand("hand:101", Target::Points(101), 9),
        hand("hand:106", Target::Points(106), 10),
        hand("hand:111", Target::Points(111), 11),
        hand("hand:116", Target::Points(116), 12),
        hand("hand:due", Target::EveryTrick, 13),
    ],
    aces_need_trumps: false,
    lead: Lead::Forehand,
    next_dealer: NextDealer::Left,
    scoring: Scoring::Price { extra_at: &[] },
    spatz: None,
    lowest_pays_extra: None,
    options: &[
        OptionKey::LengthInRounds,
        OptionKey::PickupTrump,
        OptionKey::Stake,
    ],
    // A deal that is thrown in counts, and the next seat deals.
    defaults: Options {
        max_thrown_in: 1,
        ..DEFAULTS
    },
};

/// Pick-up (Aufnahme): paid through the pot.
const fn pickup(name: &'static str, target: Target, value: i32) -> Contract {
    Contract {
        name,
        takes_talon: true,
        trump: TrumpRule::ByOption,
        target,
        worth: value,
        booking: Some(Booking::Pot),
    }
}

/// A hand game: twice its value from each to each.
const fn hand(name: &'static str, target: Target, value: i32) -> Contract {
    Contract {
        name,
        takes_talon: false,
        trump: TrumpRule::Named(&Suit::ALL),
        target,
        worth: 2 * value,
        booking: Some(Booking::FromEach),
    }
}

const BETTEL: Contract = Contract {
    trump: TrumpRule::NoTrump,
    ..hand("bettel", Target::NoTrick, 2)
};
