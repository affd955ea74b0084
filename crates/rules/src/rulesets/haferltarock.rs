//! Haferltarock without bidding, at fixed prices, for 3 players.

use super::{Contract, DEFAULTS, Lead, NextDealer, RuleSet, Scoring, THREE_HANDS, Target};
use crate::{
    auction::AuctionKind,
    card::Suit,
    options::{OptionKey, Options},
    trump::TrumpRule,
};

pub(super) static HAFERLTAROCK: RuleSet = RuleSet {
    id: "haferltarock",
    version: 1,
    name: "Haferltarock",
    packets: &[(3, THREE_HANDS)],
    auction: AuctionKind::OneTurn,
    contracts: &[
        Contract {
            takes_talon: true,
            ..hand("herz_neischaugn", HEARTS, 1)
        },
        hand(
            "solo",
            TrumpRule::Named(&[Suit::Acorns, Suit::Leaves, Suit::Bells]),
            2,
        ),
        hand("herzsolo", HEARTS, 3),
        Contract {
            target: Target::NoTrick,
            ..hand("bettel", TrumpRule::NoTrump, 4)
        },
    ],
    aces_need_trumps: false,
    lead: Lead::Forehand,
    next_dealer: NextDealer::Left,
    // Schneider and Matsch.
    scoring: Scoring::Price {
        extra_at: &[91, 120],
    },
    spatz: None,
    lowest_pays_extra: None,
    options: &[
        OptionKey::LengthInRounds,
        OptionKey::PayFrom,
        OptionKey::Stake,
    ],
    // A deal that is thrown in counts, and the next seat deals.
    defaults: Options {
        max_thrown_in: 1,
        ..DEFAULTS
    },
};

const HEARTS: TrumpRule = TrumpRule::Fixed(Suit::Hearts);

const fn hand(name: &'static str, trump: TrumpRule, price: i32) -> Contract {
    Contract {
        name,
        takes_talon: false,
        trump,
        target: Target::Points(61),
        worth: price,
        booking: None,
    }
}
