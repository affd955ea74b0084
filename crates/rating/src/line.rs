//! A player's line on a ladder, and what a match does to the lines of its players.

use crate::elo;

/// A player's line on a ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is now.
    pub rating: i32,
    /// The highest that it was.
    pub peak: i32,
    /// Rated matches.
    pub matches: i64,
    /// Since when the rating is what it is, in milliseconds since 1970: of equal ratings the
    /// older stands higher.
    pub reached_ms: i64,
    /// End of the latest rated match, in milliseconds since 1970.
    pub last_ms: i64,
    /// Taken out of the ladder: counts for nobody and is not listed.
    pub excluded: bool,
}

impl Line {
    /// The line of a player who enters a ladder with this rating.
    #[must_use]
    pub const fn new(rating: i32, at_ms: i64) -> Self {
        Self {
            rating,
            peak: rating,
            matches: 0,
            reached_ms: at_ms,
            last_ms: at_ms,
            excluded: false,
        }
    }

    /// The same line after a match that ended at `at_ms`. The instants of a line never go back,
    /// however late a match is reported.
    fn after(self, change: i32, at_ms: i64) -> Self {
        let last_ms = self.last_ms.max(at_ms);
        let rating = self.rating + change;
        Self {
            rating,
            peak: self.peak.max(rating),
            matches: self.matches + 1,
            reached_ms: if change == 0 {
                self.reached_ms
            } else {
                last_ms
            },
            last_ms,
            ..self
        }
    }
}

/// A player's end of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The player's id.
    pub player: u128,
    /// Place in the match: less is better, equal places are shared.
    pub place: u32,
    /// The player left the match.
    pub abandoned: bool,
}

/// What enters the arithmetic for a player with this line and this end of a match.
#[must_use]
pub fn entry(match_id: u128, end: &End, rating: i32, matches: i64) -> elo::Entry {
    elo::Entry {
        rating,
        k: elo::k_factor(rating, matches),
        place: end.place,
        abandoned: end.abandoned,
        // Ids begin with their time of birth; their ends are the random part.
        lot: (match_id ^ end.player).reverse_bits(),
    }
}

/// The lines of a match's players after it, in the order of the ends. Excluded players change
/// nobody's rating and keep their own; a match with fewer than two others changes none.
///
/// # Panics
/// When there are not as many lines as ends, or more than [`elo::MAX_PLAYERS`].
#[must_use]
pub fn after(match_id: u128, ends: &[End], before: &[Line], at_ms: i64) -> Vec<Line> {
    assert_eq!(ends.len(), before.len(), "every player has a line");
    let counted: Vec<usize> = (0..ends.len()).filter(|&i| !before[i].excluded).collect();
    let entries = counted.iter().map(|&i| {
        let line = &before[i];
        entry(match_id, &ends[i], line.rating, line.matches)
    });
    let entries: Vec<elo::Entry> = entries.collect();
    let mut changes = vec![0; ends.len()];
    if entries.len() > 1 {
        for (&i, change) in counted.iter().zip(elo::rate(&entries)) {
            changes[i] = change;
        }
    }
    let lines = before.iter().zip(changes);
    lines
        .map(|(line, change)| line.after(change, at_ms))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(places: &[u32]) -> Vec<End> {
        let end = |(i, &place)| End {
            player: i as u128,
            place,
            abandoned: false,
        };
        places.iter().enumerate().map(end).collect()
    }

    #[test]
    fn a_match_moves_ratings_and_counts_for_everybody() {
        let lines = after(7, &ends(&[1, 2, 2]), &[Line::new(1200, 5); 3], 9);
        let ratings: Vec<i32> = lines.iter().map(|line| line.rating).collect();
        assert_eq!(ratings, [1220, 1190, 1190]);
        assert_eq!(lines[0].peak, 1220);
        assert_eq!(lines[1].peak, 1200);
        assert!(lines.iter().all(|line| line.matches == 1));
        assert!(lines.iter().all(|l| (l.reached_ms, l.last_ms) == (9, 9)));
    }

    #[test]
    fn instants_never_go_back() {
        let late = after(7, &ends(&[1, 1]), &[Line::new(1200, 5); 2], 3);
        assert_eq!((late[0].reached_ms, late[0].last_ms), (5, 5));
        let late = after(7, &ends(&[1, 2]), &[Line::new(1200, 5); 2], 3);
        assert_eq!((late[0].reached_ms, late[0].last_ms), (5, 5));
    }

    #[test]
    fn the_others_are_rated_as_if_an_excluded_player_had_not_sat_there() {
        let mut before = [Line::new(1200, 0); 4];
        before[0].excluded = true;
        let lines = after(7, &ends(&[1, 2, 3, 4]), &before, 9);
        let alone = after(7, &ends(&[1, 2, 3, 4])[1..], &before[1..], 9);
        assert_eq!(lines[1..], alone);
        assert_eq!((lines[0].rating, lines[0].matches), (1200, 1));
        assert_eq!(alone[0].rating, 1220);
        before[1].excluded = true;
        before[2].excluded = true;
        let lines = after(7, &ends(&[1, 2, 3, 4]), &before, 9);
        assert!(lines.iter().all(|line| line.rating == 1200));
    }
}
