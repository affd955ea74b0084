//! Elo over the standing of one match, pure: whole ratings in, whole changes out.
//!
//! Every pair of players counts as one game: S is 1, ½ or 0 by their places, and the expected
//! score of i against j is E = 1 / (1 + 10^((Rj − Ri) / 400)). A player's change is
//! K / (n − 1) · Σj (Sij − Eij), rounded to a whole number.
//!
//! **Rounding.** E is kept as a whole number of billionths with E(i, j) + E(j, i) = 1, so the
//! exact changes of players with one K add up to zero, not to almost zero. Those matches are
//! rounded by largest remainder: every change is rounded down, and what is missing to a sum of
//! zero goes, one point each, to the largest remainders; of equal remainders the lowest
//! [`Entry::lot`] goes first. Otherwise (unequal K, or somebody left) every change is rounded
//! by itself to the nearest whole number, halves away from zero.
//!
//! **Leavers.** Who abandoned the match is last of it, whatever the score; several share the
//! last place. Everybody else is rated twice, with the leavers counted last and among those who
//! stayed only, and gets the better of the two. So nobody pays for a leaver, and the changes of
//! such a match need not add up to zero.
//!
//! **Floor.** No rating falls below [`FLOOR`]; the points that it saves come from nowhere.
//!
//! The only floating-point operations are `*`, `+`, `/` and `round`, which IEEE 754 defines to
//! the last bit: every machine gives the same ratings, so history can be computed again.

use std::cmp::{Ordering, Reverse};

#[cfg(test)]
mod tests;

/// Rating of a player without a rated match.
pub const START: i32 = 1200;
/// Lowest possible rating.
pub const FLOOR: i32 = 100;
/// Rated matches that count with the provisional K.
pub const PROVISIONAL_MATCHES: i64 = 20;
/// Most players of a match.
pub const MAX_PLAYERS: usize = 4;

const PROVISIONAL_K: i32 = 40;
const USUAL_K: i32 = 20;
/// Above this rating K is [`TOP_K`].
const TOP_RATING: i32 = 2000;
const TOP_K: i32 = 10;

/// Parts of a pair's point.
const POINT: i64 = 1_000_000_000;
/// Parts of a rating point: divides by the 1, 2 or 3 opponents that a match can have.
const UNIT: i64 = 6 * POINT;
/// 10^(−1/400).
const STEP: f64 = 0.994_260_073_952_956_7;
/// Differences beyond this are counted as this: the favourite's E is 1 to the last part anyway.
const MAX_DIFFERENCE: i32 = 4000;

/// One player of a match that is to be rated.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Rating before the match.
    pub rating: i32,
    /// How much the match counts; see [`k_factor`].
    pub k: i32,
    /// Place in the match: less is better, equal places are shared. Not looked at when
    /// `abandoned`.
    pub place: u32,
    /// The player left the match.
    pub abandoned: bool,
    /// Who gets a point that cannot be split: the lowest. Make it of the ids of match and
    /// player, so that it is fair over many matches and the same in every computation; distinct
    /// within a match, or else the order of the entries decides.
    pub lot: u128,
}

/// How much a match counts for a player with this rating and this many rated matches before it.
#[must_use]
pub const fn k_factor(rating: i32, matches: i64) -> i32 {
    if matches < PROVISIONAL_MATCHES {
        PROVISIONAL_K
    } else if rating > TOP_RATING {
        TOP_K
    } else {
        USUAL_K
    }
}

/// What each player's rating changes by, in the order of the entries.
///
/// # Panics
/// With fewer than 2 or more than [`MAX_PLAYERS`] entries.
#[must_use]
pub fn rate(entries: &[Entry]) -> Vec<i32> {
    assert!(
        (2..=MAX_PLAYERS).contains(&entries.len()),
        "a match has 2 to {MAX_PLAYERS} players"
    );
    let exact: Vec<i64> = (0..entries.len()).map(|i| exact(entries, i)).collect();
    let zero_sum = entries
        .iter()
        .all(|entry| entry.k == entries[0].k && !entry.abandoned);
    let rounded = if zero_sum {
        round_to_zero_sum(&exact, entries)
    } else {
        exact.iter().map(|&change| nearest(change)).collect()
    };
    entries
        .iter()
        .zip(rounded)
        .map(|(entry, change)| {
            let change = i32::try_from(change).expect("no change is larger than K");
            change.max(FLOOR - entry.rating)
        })
        .collect()
}

/// The change of one player, in parts of a rating point.
fn exact(entries: &[Entry], player: usize) -> i64 {
    let me = &entries[player];
    change(
        me,
        against(entries, player).into_iter().map(|i| &entries[i]),
    )
}

/// Whom a player is rated against, as positions in `entries`: everybody else, or those who
/// stayed when that is better for a player who stayed.
#[must_use]
pub fn against(entries: &[Entry], player: usize) -> Vec<usize> {
    let me = &entries[player];
    let all: Vec<usize> = (0..entries.len()).filter(|&i| i != player).collect();
    if me.abandoned {
        return all;
    }
    let stayed = all.iter().copied();
    let stayed: Vec<usize> = stayed.filter(|&i| !entries[i].abandoned).collect();
    let change = |of: &[usize]| change(me, of.iter().map(|&i| &entries[i]));
    if change(&stayed) > change(&all) {
        stayed
    } else {
        all
    }
}

/// S and E of one player against another, in wins.
#[must_use]
pub fn pair(me: &Entry, other: &Entry) -> (f64, f64) {
    let wins = |parts: i64| parts as f64 / POINT as f64;
    (
        wins(score(me, other)),
        wins(expected(me.rating, other.rating)),
    )
}

/// K / (number of opponents) · Σ (S − E), in parts of a rating point; nothing without opponents.
fn change<'a>(me: &Entry, opponents: impl Iterator<Item = &'a Entry>) -> i64 {
    let (mut count, mut sum) = (0, 0);
    for other in opponents {
        count += 1;
        sum += score(me, other) - expected(me.rating, other.rating);
    }
    if count == 0 {
        return 0;
    }
    i64::from(me.k) * sum * (UNIT / POINT / count)
}

/// S of one player against another, in parts of a point.
fn score(me: &Entry, other: &Entry) -> i64 {
    let standing = |entry: &Entry| {
        (
            entry.abandoned,
            if entry.abandoned { 0 } else { entry.place },
        )
    };
    match standing(me).cmp(&standing(other)) {
        Ordering::Less => POINT,
        Ordering::Equal => POINT / 2,
        Ordering::Greater => 0,
    }
}

/// E of one rating against another, in parts of a point. The two sides add up to a whole point.
fn expected(mine: i32, other: i32) -> i64 {
    let difference = mine.saturating_sub(other);
    if difference < 0 {
        return POINT - expected(other, mine);
    }
    // 10^(−difference / 400) by squaring, not `powf`, whose last bits differ between machines.
    let (mut odds, mut power) = (1.0, STEP);
    let mut left = difference.min(MAX_DIFFERENCE);
    while left > 0 {
        if left & 1 == 1 {
            odds *= power;
        }
        power *= power;
        left >>= 1;
    }
    // Between half a point and a point: exact in both types.
    (POINT as f64 / (1.0 + odds)).round() as i64
}

/// To the nearest whole number of rating points, halves away from zero.
fn nearest(change: i64) -> i64 {
    (change.abs() + UNIT / 2) / UNIT * change.signum()
}

/// Rounds changes whose exact sum is zero so that the sum stays zero.
fn round_to_zero_sum(exact: &[i64], entries: &[Entry]) -> Vec<i64> {
    let mut rounded: Vec<i64> = exact.iter().map(|change| change.div_euclid(UNIT)).collect();
    let missing = -rounded.iter().sum::<i64>();
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by_key(|&i| (Reverse(exact[i].rem_euclid(UNIT)), entries[i].lot));
    let missing = usize::try_from(missing).expect("rounding down leaves a sum of at most zero");
    for &i in order.iter().take(missing) {
        rounded[i] += 1;
    }
    rounded
}
