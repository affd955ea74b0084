//! Sets of cards as bits.

use std::fmt;

use crate::card::{Card, Rank, Suit};

/// A set of cards.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CardSet(u64);

const LANE: u64 = 0x1ff;
const EACH_LANE: u64 = 0x0001_0001_0001_0001;

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
    pub fn get(self, n: usize) -> Option<Card> {
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

    /// The `n`-th card of more than `n`. Random play-outs do little else, and no processor guesses
    /// how often a loop turns: without one they run a third faster.
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[inline]
    fn nth(self, n: usize) -> Card {
        let nth = safe_arch::population_deposit_u64(1 << n, self.0);
        Card(nth.trailing_zeros() as u8)
    }

    /// The `n`-th card of more than `n`.
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    #[inline]
    fn nth(self, n: usize) -> Card {
        let above = (0..n).fold(self.0, |bits, _| bits & (bits - 1));
        Card(above.trailing_zeros() as u8)
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
