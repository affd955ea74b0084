//! Tricks: the cards played, in order, and who won what.

use std::hint::select_unpredictable;

use crate::{
    card::{Card, PACK, Suit},
    card_set::CardSet,
    seat::{BySeat, Seat},
    trump::CardOrder,
};

const TRICKS_MAX: usize = 12;

/// A trick as it was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedTrick<'a> {
    /// Who led.
    pub leader: Seat,
    /// The cards, from the leader clockwise; fewer than players while the trick runs.
    pub cards: &'a [Card],
    /// Who holds the best card so far.
    pub winner: Seat,
}

impl PlayedTrick<'_> {
    /// Card points in it.
    #[must_use]
    pub fn points(&self) -> u8 {
        self.cards.iter().map(|card| card.points()).sum()
    }
}

/// The tricks of a deal.
#[derive(Clone, Copy, Debug)]
pub struct Tricks {
    cards: [Card; PACK],
    played: u8,
    leaders: [Seat; TRICKS_MAX],
    finished: u8,
    /// Cards that the running trick still needs.
    missing: u8,
    /// The suit led to the running trick, if a card lies in it.
    led: Suit,
    /// The cards that follow it; any card when none lies.
    following: CardSet,
    /// The cards of the running trick.
    pile: CardSet,
    /// Strength of the best card of the running trick, and who played it.
    best: u8,
    winner: Seat,
    won: BySeat<u8>,
    /// The cards of the tricks that each seat has won.
    taken: BySeat<CardSet>,
    turn: Seat,
    players: u8,
    order: CardOrder,
}

impl Tricks {
    pub(crate) fn new(leader: Seat, players: u8, order: CardOrder) -> Self {
        let mut leaders = [Seat::default(); TRICKS_MAX];
        leaders[0] = leader;
        Self {
            cards: [Card::SPATZ; PACK],
            played: 0,
            leaders,
            finished: 0,
            missing: players,
            led: Suit::Hearts,
            following: CardSet::FULL,
            pile: CardSet::EMPTY,
            best: 0,
            winner: leader,
            won: BySeat::default(),
            taken: BySeat::default(),
            turn: leader,
            players,
            order,
        }
    }

    /// Which card beats which.
    #[must_use]
    pub const fn order(&self) -> CardOrder {
        self.order
    }

    /// Whose turn it is to play.
    #[must_use]
    pub const fn turn(&self) -> Seat {
        self.turn
    }

    /// How many tricks are finished.
    #[must_use]
    pub const fn finished(&self) -> u8 {
        self.finished
    }

    /// How many tricks each seat has won.
    #[must_use]
    pub const fn won(&self) -> &BySeat<u8> {
        &self.won
    }

    /// Every card played, in order.
    #[must_use]
    pub fn cards(&self) -> &[Card] {
        &self.cards[..usize::from(self.played)]
    }

    /// Every trick, the running one included once a card lies in it.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = PlayedTrick<'_>> {
        let size = usize::from(self.players.max(1));
        self.cards()
            .chunks(size)
            .enumerate()
            .map(move |(n, cards)| {
                let leader = self.leaders[n];
                PlayedTrick {
                    leader,
                    cards,
                    winner: self.winner(n, leader, cards),
                }
            })
    }

    /// The running trick, if a card lies in it.
    #[must_use]
    pub fn running(&self) -> Option<PlayedTrick<'_>> {
        self.iter().nth(usize::from(self.finished))
    }

    /// The last finished trick.
    #[must_use]
    pub fn last_finished(&self) -> Option<PlayedTrick<'_>> {
        self.iter().nth(usize::from(self.finished).checked_sub(1)?)
    }

    fn winner(&self, n: usize, leader: Seat, cards: &[Card]) -> Seat {
        if n + 1 < usize::from(self.finished) {
            return self.leaders[n + 1];
        }
        let mut best = 0;
        for (i, card) in cards.iter().enumerate() {
            if self.order.beats(*card, cards[best]) {
                best = i;
            }
        }
        leader.clockwise(best as u8, self.players)
    }

    /// Of these cards, those that may be played now: of the suit led; if void, trumps; if void
    /// of both, any. There is no duty to beat.
    #[inline]
    pub(crate) fn playable(&self, hand: CardSet) -> CardSet {
        let following = hand.intersection(self.following);
        let trumps = self.order.trumps(hand);
        // Which of the three it is, no processor guesses; a wrong guess costs more than all else.
        let when_void = select_unpredictable(trumps.is_empty(), hand, trumps);
        select_unpredictable(following.is_empty(), when_void, following)
    }

    /// The suit led to the running trick.
    pub(crate) fn led(&self) -> Option<Suit> {
        (self.missing < self.players).then_some(self.led)
    }

    /// Plays a card for the seat whose turn it is. When that finishes the trick: who won it.
    #[inline]
    pub(crate) fn play(&mut self, card: Card) -> Option<Seat> {
        self.cards[usize::from(self.played)] = card;
        self.played += 1;
        self.pile = self.pile.with(card);
        if self.missing == self.players {
            self.led = card.suit();
            self.following = CardSet::FULL.of_suit(self.led);
            self.best = 0;
        }
        // Every card led is stronger than 0.
        let strength = self.order.strength(card, self.led);
        let better = strength > self.best;
        self.best = select_unpredictable(better, strength, self.best);
        self.winner = select_unpredictable(better, self.turn, self.winner);
        self.missing -= 1;
        if self.missing > 0 {
            self.turn = self.turn.left(self.players);
            return None;
        }
        Some(self.finish())
    }

    #[inline]
    fn finish(&mut self) -> Seat {
        let winner = self.winner;
        self.taken[winner] = self.taken[winner].union(self.pile);
        self.pile = CardSet::EMPTY;
        self.won[winner] += 1;
        self.finished += 1;
        if usize::from(self.finished) < TRICKS_MAX {
            self.leaders[usize::from(self.finished)] = winner;
        }
        self.missing = self.players;
        self.following = CardSet::FULL;
        self.turn = winner;
        winner
    }

    /// The card points of the tricks that a seat has won.
    pub(crate) fn points_of(&self, seat: Seat) -> u8 {
        self.taken[seat].points()
    }
}

impl PartialEq for Tricks {
    fn eq(&self, other: &Self) -> bool {
        // All else follows from the cards played and the first leader.
        self.cards() == other.cards()
            && self.leaders[0] == other.leaders[0]
            && self.players == other.players
            && self.order == other.order
    }
}

impl Eq for Tricks {}
