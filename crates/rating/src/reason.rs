//! Why a match changed a rating: in numbers, and as a sentence such as
//! `2nd of 4, against 1310, 1255, 1190: expected 1.9 wins, got 2, +1`.

use std::fmt;

use crate::elo::{self, Entry, FLOOR};

/// Why a match changed a player's rating. Made of what is stored of the match.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The place that counted: leavers are last.
    pub place: usize,
    /// How many were rated, the player included; 0 when the match did not count.
    pub players: usize,
    /// Ratings before the match of those who counted as opponents, best first.
    pub against: Vec<i32>,
    /// Leavers who did not count, because that was better for the player.
    pub not_counted: usize,
    /// Wins over the opponents that the ratings let expect.
    pub expected: f64,
    /// Wins over them; an equal place is half a win.
    pub wins: f64,
    /// How much the match counted.
    pub k: i32,
    /// The player left the match.
    pub abandoned: bool,
    /// The rating before.
    pub before: i32,
    /// The rating after.
    pub after: i32,
}

impl Reason {
    /// The reason for the change of one of the entries of a match, to the rating `after`.
    #[must_use]
    pub fn new(entries: &[Entry], player: usize, after: i32) -> Self {
        let me = &entries[player];
        let opponents = elo::against(entries, player);
        let (mut wins, mut expected) = (0.0, 0.0);
        for &opponent in &opponents {
            let (s, e) = elo::pair(me, &entries[opponent]);
            wins += s;
            expected += e;
        }
        let mut against: Vec<i32> = opponents.iter().map(|&i| entries[i].rating).collect();
        against.sort_unstable_by(|a, b| b.cmp(a));
        let others = (0..entries.len()).filter(|&i| i != player);
        let ahead = others.filter(|&i| elo::pair(me, &entries[i]).0 == 0.0);
        Self {
            place: ahead.count() + 1,
            players: entries.len(),
            not_counted: entries.len() - 1 - against.len(),
            against,
            expected,
            wins,
            k: me.k,
            abandoned: me.abandoned,
            before: me.rating,
            after,
        }
    }

    /// The match did not count for the player: too few others did, or the player is taken out.
    #[must_use]
    pub const fn not_counted(rating: i32) -> Self {
        Self {
            place: 0,
            players: 0,
            against: Vec::new(),
            not_counted: 0,
            expected: 0.0,
            wins: 0.0,
            k: 0,
            abandoned: false,
            before: rating,
            after: rating,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.players == 0 {
            return f.write_str("does not count");
        }
        if self.abandoned {
            f.write_str("left: ")?;
        }
        let ending = match self.place {
            1 => "st",
            2 => "nd",
            3 => "rd",
            _ => "th",
        };
        write!(f, "{}{ending} of {}", self.place, self.players)?;
        for (i, rating) in self.against.iter().enumerate() {
            let before = if i == 0 { ", against " } else { ", " };
            write!(f, "{before}{rating}")?;
        }
        if self.not_counted > 0 {
            write!(f, " (without {} who left)", self.not_counted)?;
        }
        write!(
            f,
            ": expected {:.1} wins, got {}, {:+}",
            self.expected,
            self.wins,
            self.after - self.before
        )?;
        if self.after == FLOOR && self.wins < self.expected {
            write!(f, " (the floor is {FLOOR})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(players: &[(i32, u32, bool)]) -> Vec<Entry> {
        let entry = |&(rating, place, abandoned)| Entry {
            rating,
            k: 20,
            place,
            abandoned,
            lot: place.into(),
        };
        players.iter().map(entry).collect()
    }

    /// What everybody of a match is told.
    fn told(players: &[(i32, u32, bool)]) -> Vec<String> {
        let entries = entries(players);
        let changes = elo::rate(&entries);
        let told = changes
            .iter()
            .enumerate()
            .map(|(i, change)| Reason::new(&entries, i, entries[i].rating + change).to_string());
        told.collect()
    }

    #[test]
    fn a_reason_is_a_sentence() {
        let told = told(&[
            (1310, 1, false),
            (1345, 2, false),
            (1255, 3, false),
            (1190, 4, false),
        ]);
        assert_eq!(
            told[1],
            "2nd of 4, against 1310, 1255, 1190: expected 1.9 wins, got 2, +1"
        );
        assert!(told[0].starts_with("1st of 4, against 1345, 1255, 1190: expected"));
        assert!(told[3].contains("got 0, -"), "{}", told[3]);
    }

    #[test]
    fn equal_places_are_half_a_win() {
        let told = told(&[(1200, 1, false), (1200, 2, false), (1200, 2, false)]);
        assert_eq!(
            told[2],
            "2nd of 3, against 1200, 1200: expected 1.0 wins, got 0.5, -5"
        );
    }

    #[test]
    fn leavers_are_last_and_may_not_count() {
        let told = told(&[(1200, 1, true), (1200, 2, false), (1800, 3, false)]);
        assert!(told[0].starts_with("left: 3rd of 3, "), "{}", told[0]);
        assert!(
            told[1].starts_with("1st of 3, against 1800 (without 1 who left)"),
            "{}",
            told[1]
        );
        assert!(
            told[2].starts_with("2nd of 3, against 1200, 1200: expected 1.9 wins, got 1,"),
            "{}",
            told[2]
        );
    }

    #[test]
    fn the_floor_is_told() {
        let told = told(&[(105, 2, false), (100, 1, false)]);
        assert!(told[0].ends_with(", -5 (the floor is 100)"), "{}", told[0]);
    }

    #[test]
    fn a_match_without_effect_says_so() {
        assert_eq!(Reason::not_counted(1300).to_string(), "does not count");
    }
}
