//! Dobbm of the Stubai valley, for 4 players.

use super::{
    Booking, Contract, DEFAULTS, Lead, NextDealer, Packet, RuleSet, Scoring, Spatz, SpatzCounts,
    Target,
};
use crate::{auction::AuctionKind, card::Suit, options::OptionKey, trump::TrumpRule};

pub(super) static DOBBM: RuleSet = RuleSet {
    id: "dobbm",
    version: 1,
    name: "Dobbm",
    packets: &[(4, &[Packet::Hands(4), Packet::Hands(4), Packet::Talon(4)])],
    auction: AuctionKind::OneTurn,
    contracts: &[
        Contract {
            name: "dobbm",
            takes_talon: true,
            worth: 1,
            ..SOLO
        },
        SOLO,
    ],
    aces_need_trumps: true,
    lead: Lead::Declarer,
    next_dealer: NextDealer::Declarer,
    scoring: Scoring::Difference,
    spatz: Some(Spatz {
        counts: SpatzCounts::WinningTheTrick,
        booking: Booking::FromEach,
        early: 5,
        last: 10,
    }),
    lowest_pays_extra: None,
    options: &[
        OptionKey::LengthInRounds,
        OptionKey::MaxThrownIn,
        OptionKey::Doubling,
        OptionKey::Spatz,
        OptionKey::SpatzMultiplied,
    ],
    defaults: DEFAULTS,
};

/// Solo (Alleinspiel).
const SOLO: Contract = Contract {
    name: "solo",
    takes_talon: false,
    trump: TrumpRule::Fixed(Suit::Hearts),
    target: Target::Points(61),
    worth: 2,
    booking: Some(Booking::FromEach),
};
