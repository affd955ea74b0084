//! The soft reset between seasons: half the way back to the start rating.
//!
//! Nobody's line is rewritten when a season opens. A player's first match of a season looks for
//! the latest earlier season that the player took part in; for every season since, the distance
//! to [`START`] is halved. So whoever pauses comes back nearer to the start, and opening a
//! season costs one row however large the ladder is.

use crate::elo::{FLOOR, START};

/// The rating with which a player enters a season, `seasons` after the one that ended for the
/// player with `rating`. Halves are rounded toward [`START`].
#[must_use]
pub const fn reset(rating: i32, seasons: u32) -> i32 {
    // 2^31 is more than any rating: nothing is left of the distance.
    let halvings = if seasons > 31 { 31 } else { seasons };
    let distance = (rating as i64 - START as i64) / (1_i64 << halvings);
    let entered = START as i64 + distance;
    if entered < FLOOR as i64 {
        FLOOR
    } else {
        entered as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_season_halves_the_distance_to_the_start() {
        assert_eq!(reset(1500, 0), 1500);
        assert_eq!(reset(1500, 1), 1350);
        assert_eq!(reset(1500, 2), 1275);
        assert_eq!(reset(900, 1), 1050);
        assert_eq!(reset(START, 1), START);
        assert_eq!(reset(1201, 1), START);
        assert_eq!(reset(1199, 1), START);
        assert_eq!(reset(i32::MAX, u32::MAX), START);
        assert_eq!(reset(FLOOR, u32::MAX), START);
    }
}
