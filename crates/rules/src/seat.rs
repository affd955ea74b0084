//! Seats at a table.

use std::{
    fmt,
    ops::{Index, IndexMut},
};

/// The most players that a game of the family has.
pub const PLAYERS_MAX: usize = 4;

/// A seat, numbered clockwise from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// The seat with this number, if there can be one.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < PLAYERS_MAX {
            Some(Self(number))
        } else {
            None
        }
    }

    /// The seats of a table with so many players.
    pub fn all(players: u8) -> impl Iterator<Item = Self> + Clone {
        (0..players.min(PLAYERS_MAX as u8)).map(Self)
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its number, to index with.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The next seat clockwise.
    #[inline]
    #[must_use]
    pub const fn left(self, players: u8) -> Self {
        // A division would cost more than all else that a move does.
        let next = self.0 + 1;
        Self(if next < players { next } else { 0 })
    }

    /// The seat so many places on, clockwise.
    #[must_use]
    pub const fn clockwise(self, steps: u8, players: u8) -> Self {
        Self((self.0 + steps) % players)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A value for each seat; those beyond the number of players stay at their default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BySeat<T>(pub [T; PLAYERS_MAX]);

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    #[inline]
    fn index(&self, seat: Seat) -> &T {
        // A seat is always less than 4; the mask saves the check.
        &self.0[seat.index() & 3]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    #[inline]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index() & 3]
    }
}

impl<T> BySeat<T> {
    /// The values of the seats in play, in order.
    #[must_use]
    pub fn first(&self, players: u8) -> &[T] {
        &self.0[..usize::from(players).min(PLAYERS_MAX)]
    }
}
