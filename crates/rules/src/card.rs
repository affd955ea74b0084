//! Suits, ranks and cards.

use std::{fmt, str::FromStr};

/// A suit (Farbe).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Suit {
    /// Acorns (Eichel).
    Acorns,
    /// Leaves (Gras, Blatt).
    Leaves,
    /// Hearts (Herz).
    Hearts,
    /// Bells (Schellen).
    Bells,
}

impl Suit {
    /// All suits, in the order of the pack.
    pub const ALL: [Self; 4] = [Self::Acorns, Self::Leaves, Self::Hearts, Self::Bells];

    const fn letter(self) -> char {
        match self {
            Self::Acorns => 'E',
            Self::Leaves => 'G',
            Self::Hearts => 'H',
            Self::Bells => 'S',
        }
    }

    /// The suit of this English name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|suit| suit.name() == name)
    }

    /// English name: `acorns`, `leaves`, `hearts`, `bells`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Acorns => "acorns",
            Self::Leaves => "leaves",
            Self::Hearts => "hearts",
            Self::Bells => "bells",
        }
    }
}

/// A rank; a higher one beats a lower one of the same suit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Rank {
    /// 6, no points.
    Six,
    /// 7, no points.
    Seven,
    /// 8, no points.
    Eight,
    /// 9, no points.
    Nine,
    /// Unter, 2 points.
    Unter,
    /// Ober, 3 points.
    Ober,
    /// King, 4 points.
    King,
    /// Ten, 10 points.
    Ten,
    /// Ace (Daus, Sau, Ass), 11 points.
    Ace,
}

impl Rank {
    /// All ranks, lowest first.
    pub const ALL: [Self; 9] = [
        Self::Six,
        Self::Seven,
        Self::Eight,
        Self::Nine,
        Self::Unter,
        Self::Ober,
        Self::King,
        Self::Ten,
        Self::Ace,
    ];

    /// Card points (Augen).
    #[must_use]
    pub const fn points(self) -> u8 {
        match self {
            Self::Ace => 11,
            Self::Ten => 10,
            Self::King => 4,
            Self::Ober => 3,
            Self::Unter => 2,
            Self::Nine | Self::Eight | Self::Seven | Self::Six => 0,
        }
    }

    const fn letter(self) -> char {
        match self {
            Self::Ace => 'A',
            Self::Ten => 'X',
            Self::King => 'K',
            Self::Ober => 'O',
            Self::Unter => 'U',
            Self::Nine => '9',
            Self::Eight => '8',
            Self::Seven => '7',
            Self::Six => '6',
        }
    }
}

/// A card, written as suit letter and rank letter: `HA`, `EX`, `S6`.
///
/// The number inside is `16 × suit + rank`, so that each suit has a lane of its own in a
/// [`crate::CardSet`] and cards of a suit compare by rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(pub(crate) u8);

/// How many cards a pack has.
pub const PACK: usize = 36;

impl Card {
    /// The six of hearts (Spatz).
    pub const SPATZ: Self = Self::new(Suit::Hearts, Rank::Six);

    /// The card of a suit and a rank.
    #[must_use]
    pub const fn new(suit: Suit, rank: Rank) -> Self {
        Self((suit as u8) << 4 | rank as u8)
    }

    /// Number of its suit.
    #[inline]
    pub(crate) const fn lane(self) -> u8 {
        self.0 >> 4
    }

    /// Number of its rank.
    #[inline]
    pub(crate) const fn height(self) -> u8 {
        self.0 & 15
    }

    /// Its suit.
    #[must_use]
    pub const fn suit(self) -> Suit {
        Suit::ALL[(self.0 >> 4) as usize]
    }

    /// Its rank.
    #[must_use]
    pub const fn rank(self) -> Rank {
        Rank::ALL[(self.0 & 15) as usize]
    }

    /// Its card points (Augen).
    #[must_use]
    pub const fn points(self) -> u8 {
        self.rank().points()
    }

    /// Its place in the unshuffled pack, 0 to 35: acorns, leaves, hearts, bells, each from six
    /// to ace.
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 >> 4) as usize * Rank::ALL.len() + (self.0 & 15) as usize
    }

    /// The card at a place of the unshuffled pack.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < PACK {
            Some(Self::new(Suit::ALL[index / 9], Rank::ALL[index % 9]))
        } else {
            None
        }
    }

    /// Whether this card, played later to the same trick, beats `best`.
    #[must_use]
    pub const fn beats(self, best: Self, trump: Suit) -> bool {
        if self.0 >> 4 == best.0 >> 4 {
            self.0 > best.0
        } else {
            self.0 >> 4 == trump as u8
        }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.suit().letter(), self.rank().letter())
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that names no card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a card: a suit letter of E, G, H, S and a rank letter of A, X, K, O, U, 9, 8, 7, 6"
)]
pub struct UnknownCard;

impl FromStr for Card {
    type Err = UnknownCard;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut letters = text.chars();
        let (Some(suit), Some(rank), None) = (letters.next(), letters.next(), letters.next())
        else {
            return Err(UnknownCard);
        };
        let suit = Suit::ALL.into_iter().find(|s| s.letter() == suit);
        let rank = Rank::ALL.into_iter().find(|r| r.letter() == rank);
        suit.zip(rank)
            .map(|(suit, rank)| Self::new(suit, rank))
            .ok_or(UnknownCard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CardSet;

    #[test]
    fn the_pack_has_36_cards_and_120_points() {
        assert_eq!(CardSet::FULL.len(), PACK);
        assert_eq!(CardSet::FULL.points(), 120);
        let by_index: CardSet = (0..PACK).filter_map(Card::from_index).collect();
        assert_eq!(by_index, CardSet::FULL);
        assert_eq!(Card::from_index(PACK), None);
    }

    #[test]
    fn cards_are_written_as_two_letters() {
        for card in CardSet::FULL {
            assert_eq!(card.to_string().parse(), Ok(card));
            assert_eq!(Card::from_index(card.index()), Some(card));
        }
        for bad in ["", "H", "HAA", "AH", "h6", "H10", "€€", "Z9"] {
            assert_eq!(bad.parse::<Card>(), Err(UnknownCard), "{bad}");
        }
    }

    #[test]
    fn the_rank_order_is_a_x_k_o_u_9_8_7_6_and_trumps_beat_other_suits() {
        let card = |text: &str| text.parse::<Card>().unwrap();
        let order = [
            "E6", "E7", "E8", "E9", "EU", "EO", "EK", "EX", "EA", "H6", "H7", "HA",
        ];
        for (i, low) in order.iter().enumerate() {
            for high in &order[i + 1..] {
                assert!(card(high).beats(card(low), Suit::Hearts), "{high} {low}");
                assert!(!card(low).beats(card(high), Suit::Hearts), "{low} {high}");
            }
        }
        assert!(!card("GA").beats(card("E6"), Suit::Hearts));
        assert!(!card("SA").beats(card("H6"), Suit::Hearts));
    }
}
