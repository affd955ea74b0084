//! Cards, and sets of cards as bits.

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
/// [`CardSet`] and cards of a suit compare by rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

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

/// A set of cards.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CardSet(u64);

const LANE: u64 = 0x1ff;
const EACH_LANE: u64 = 0x0001_0001_0001_0001;

/// For each set of cards of one suit: the n-th of them from the lowest, and in place 9 how many
/// there are.
static LANES: [[u8; 16]; 512] = {
    let mut table = [[0; 16]; 512];
    let mut lane = 0;
    while lane < table.len() {
        let (mut place, mut n) = (0, 0);
        while place < 9 {
            if lane >> place & 1 == 1 {
                table[lane][n] = place as u8;
                n += 1;
            }
            place += 1;
        }
        table[lane][9] = n as u8;
        lane += 1;
    }
    table
};

impl CardSet {
    /// No card.
    pub const EMPTY: Self = Self(0);
    /// The whole pack.
    pub const FULL: Self = Self(LANE * EACH_LANE);

    /// Whether there is no card.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many cards.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether a card is in it.
    #[must_use]
    pub const fn contains(self, card: Card) -> bool {
        self.0 >> card.0 & 1 == 1
    }

    /// Whether all cards of another set are in it.
    #[must_use]
    pub const fn includes(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// With one more card.
    #[must_use]
    pub const fn with(self, card: Card) -> Self {
        Self(self.0 | 1 << card.0)
    }

    /// Without a card.
    #[must_use]
    pub const fn without(self, card: Card) -> Self {
        Self(self.0 & !(1 << card.0))
    }

    /// The cards of either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The cards of both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The cards that are not in another set.
    #[must_use]
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The cards of one suit.
    #[must_use]
    pub const fn of_suit(self, suit: Suit) -> Self {
        Self(self.0 & LANE << (16 * suit as u8))
    }

    /// The cards of one rank.
    #[must_use]
    pub const fn of_rank(self, rank: Rank) -> Self {
        Self(self.0 & EACH_LANE << rank as u8)
    }

    /// The card points (Augen) of all.
    #[must_use]
    pub fn points(self) -> u8 {
        let count = |rank| self.of_rank(rank).len();
        let points: usize = [Rank::Ace, Rank::Ten, Rank::King, Rank::Ober, Rank::Unter]
            .into_iter()
            .map(|rank| count(rank) * rank.points() as usize)
            .sum();
        // At most the 120 of a pack.
        points as u8
    }

    /// The highest card, suits counting as bells over hearts over leaves over acorns.
    #[must_use]
    pub const fn highest(self) -> Option<Card> {
        if self.0 == 0 {
            None
        } else {
            Some(Card(63 - self.0.leading_zeros() as u8))
        }
    }

    /// The lowest card, in the same order.
    #[must_use]
    pub const fn lowest(self) -> Option<Card> {
        if self.0 == 0 {
            None
        } else {
            Some(Card(self.0.trailing_zeros() as u8))
        }
    }

    /// The `n`-th card from the lowest, counted from 0.
    #[inline]
    #[must_use]
    pub const fn get(self, n: usize) -> Option<Card> {
        if n < self.len() {
            Some(self.nth(n))
        } else {
            None
        }
    }

    /// The card at a place that is chosen by the number of cards, such as by
    /// `|cards| random_below(cards)`; a place that there is not gives the highest card. `None`
    /// when there is no card.
    #[inline]
    pub fn choose(self, place: impl FnOnce(u32) -> u32) -> Option<Card> {
        let cards = self.len() as u32;
        if cards == 0 {
            return None;
        }
        let place = place(cards).min(cards - 1);
        Some(self.nth(place as usize))
    }

    /// The `n`-th card of more than `n`. A loop that drops n cards would be simpler, and slower:
    /// no processor guesses how often it turns, and random play-outs do little else. This one
    /// mostly turns once, for most choices are among the cards of a suit.
    #[inline]
    const fn nth(self, n: usize) -> Card {
        let mut n = n;
        let mut shift = self.0.trailing_zeros() & 48;
        loop {
            let lane = &LANES[(self.0 >> shift & LANE) as usize];
            let cards = lane[9] as usize;
            if n < cards || shift == 48 {
                return Card(shift as u8 + lane[n % 16]);
            }
            n -= cards;
            shift += 16;
        }
    }

    /// Every subset with exactly `n` cards.
    pub fn subsets(self, n: usize) -> impl Iterator<Item = Self> {
        let cards: Vec<Card> = self.into_iter().collect();
        let last = 1_u64 << cards.len().min(63);
        // Gosper's hack: the next number with as many ones.
        let first = (n <= cards.len()).then(|| (1_u64 << n) - 1);
        std::iter::successors(first, |&pick| {
            if pick == 0 {
                return None;
            }
            let low = pick & pick.wrapping_neg();
            let ripple = pick + low;
            Some(ripple | (((pick ^ ripple) >> 2) / low))
        })
        .take_while(move |&pick| pick < last)
        .map(move |pick| {
            let chosen = |&(place, _): &(usize, &Card)| pick >> place & 1 == 1;
            cards
                .iter()
                .enumerate()
                .filter(chosen)
                .map(|(_, &card)| card)
                .collect()
        })
    }
}

impl Iterator for CardSet {
    type Item = Card;

    fn next(&mut self) -> Option<Card> {
        let card = self.lowest()?;
        self.0 &= self.0 - 1;
        Some(card)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let cards = CardSet::len(*self);
        (cards, Some(cards))
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        cards.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl From<Card> for CardSet {
    fn from(card: Card) -> Self {
        Self::EMPTY.with(card)
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn the_nth_card_is_the_one_after_n_lower_ones() {
        let mut bits = 0x0123_4567_89ab_cdef_u64;
        for _ in 0..2_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let cards = CardSet(bits).intersection(CardSet::FULL);
            let by_order: Vec<Card> = cards.collect();
            let by_place: Vec<Card> = (0..).map_while(|n| cards.get(n)).collect();
            assert_eq!(by_place, by_order);
            let chosen = cards.choose(|n| u32::try_from(bits % u64::from(n)).unwrap());
            assert_eq!(
                chosen,
                cards.get((bits % by_order.len().max(1) as u64) as usize)
            );
            assert_eq!(cards.choose(|n| n + 7), cards.highest());
        }
        assert_eq!(CardSet::EMPTY.get(0), None);
        assert_eq!(CardSet::EMPTY.choose(|_| 0), None);
        assert_eq!(
            CardSet::FULL.get(35),
            Some(Card::new(Suit::Bells, Rank::Ace))
        );
        assert_eq!(CardSet::FULL.get(36), None);
    }

    #[test]
    fn subsets_are_all_and_distinct() {
        let hand: CardSet = CardSet::FULL.of_suit(Suit::Bells);
        let subsets: std::collections::HashSet<CardSet> = hand.subsets(4).collect();
        assert_eq!(subsets.len(), 126);
        assert!(subsets.iter().all(|s| s.len() == 4 && hand.includes(*s)));
        assert_eq!(hand.subsets(9).count(), 1);
        assert_eq!(hand.subsets(10).count(), 0);
        assert_eq!(hand.subsets(0).collect::<Vec<_>>(), [CardSet::EMPTY]);
    }
}
