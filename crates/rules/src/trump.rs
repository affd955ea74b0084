//! Trumps, and which card beats which.

use crate::{
    card::{Card, Rank, Suit},
    card_set::CardSet,
};

/// How a contract comes to its trump suit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrumpRule {
    /// It is always this one.
    Fixed(Suit),
    /// The declarer names one of these.
    Named(&'static [Suit]),
    /// The option `pickup_trump` says: hearts, or any that the declarer names.
    ByOption,
    /// There is none, and tens rank between Unter and nine.
    NoTrump,
}

/// Which card beats which while a deal is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardOrder {
    /// A X K O U 9 8 7 6 in each suit, and this suit beats all others.
    Trump(Suit),
    /// A K O U X 9 8 7 6 in each suit, and no suit beats another.
    NoTrump,
}

impl CardOrder {
    /// Whether a card that is played later to the same trick beats the best one so far.
    #[inline]
    #[must_use]
    pub const fn beats(self, card: Card, best: Card) -> bool {
        match self {
            Self::Trump(trump) => card.beats(best, trump),
            Self::NoTrump => {
                card.suit() as u8 == best.suit() as u8
                    && rank_without_trump(card) > rank_without_trump(best)
            }
        }
    }

    /// The trumps among some cards.
    #[inline]
    #[must_use]
    pub const fn trumps(self, cards: CardSet) -> CardSet {
        match self {
            Self::Trump(trump) => cards.of_suit(trump),
            Self::NoTrump => CardSet::EMPTY,
        }
    }

    /// A number by which the cards of a trick compare, once a suit is led: the highest wins.
    #[inline]
    pub(crate) const fn strength(self, card: Card, led: Suit) -> u8 {
        let follows = (card.lane() == led as u8) as u8;
        match self {
            Self::Trump(trump) => {
                let trumps = (card.lane() == trump as u8) as u8;
                trumps << 5 | follows << 4 | card.height()
            }
            Self::NoTrump => follows << 4 | rank_without_trump(card),
        }
    }
}

/// The rank's height when the ten stands between nine and Unter.
const fn rank_without_trump(card: Card) -> u8 {
    const TEN: u8 = Rank::Ten as u8;
    const UNTER: u8 = Rank::Unter as u8;
    match card.height() {
        TEN => UNTER,
        height @ UNTER..TEN => height + 1,
        height => height,
    }
}
