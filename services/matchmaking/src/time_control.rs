//! How long players may think at a table that matchmaking opens, and the bounds of that.
//!
//! Invariant: a [`TimeControl`] that [`TimeControl::check`] accepts leaves nobody without a
//! chance to move, and no table that never ends because its pauses do not.

use std::ops::RangeInclusive;

use proto::v1;

/// Milliseconds for one move: 1 s to 1 day.
pub const MOVE_MS: RangeInclusive<u32> = 1_000..=86_400_000;
/// Milliseconds of a match's time bank: none to 1 day.
pub const BANK_MS: RangeInclusive<u32> = 0..=86_400_000;
/// Milliseconds between two deals: none to 1 min.
pub const PAUSE_MS: RangeInclusive<u32> = 0..=60_000;
/// Milliseconds that a bot waits before it acts: none to 1 min.
pub const BOT_MS: RangeInclusive<u32> = 0..=60_000;

/// How long players may think, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// For each move, not carried over.
    pub move_ms: u32,
    /// For the whole match, used when a move takes longer than `move_ms`.
    pub bank_ms: u32,
    /// Between the score of a deal and the next deal.
    pub pause_ms: u32,
    /// How long a bot waits before it acts.
    pub bot_ms: u32,
}

impl Default for TimeControl {
    fn default() -> Self {
        Self {
            move_ms: 20_000,
            bank_ms: 60_000,
            pause_ms: 5_000,
            bot_ms: 800,
        }
    }
}

impl TimeControl {
    /// What is out of bounds, one text for each value; empty when all is well.
    #[must_use]
    pub fn check(&self) -> Vec<String> {
        [
            ("move_ms", self.move_ms, MOVE_MS),
            ("bank_ms", self.bank_ms, BANK_MS),
            ("pause_ms", self.pause_ms, PAUSE_MS),
            ("bot_ms", self.bot_ms, BOT_MS),
        ]
        .into_iter()
        .filter(|(_, value, bounds)| !bounds.contains(value))
        .map(|(name, value, bounds)| {
            let (low, high) = (bounds.start(), bounds.end());
            format!("expected {name} from {low} to {high}, got {value}")
        })
        .collect()
    }
}

impl From<TimeControl> for v1::TimeControl {
    fn from(control: TimeControl) -> Self {
        Self {
            move_ms: control.move_ms,
            bank_ms: control.bank_ms,
            pause_ms: control.pause_ms,
            bot_ms: control.bot_ms,
        }
    }
}

impl From<v1::TimeControl> for TimeControl {
    /// No time for a move cannot be meant, so 0 there is the default; bank, pause and the time
    /// of bots may well be 0.
    fn from(control: v1::TimeControl) -> Self {
        let move_ms = match control.move_ms {
            0 => Self::default().move_ms,
            given => given,
        };
        Self {
            move_ms,
            bank_ms: control.bank_ms,
            pause_ms: control.pause_ms,
            bot_ms: control.bot_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_out_of_bounds_is_named() {
        assert_eq!(TimeControl::default().check(), Vec::<String>::new());
        let bad = TimeControl {
            move_ms: 999,
            bank_ms: 86_400_001,
            pause_ms: 60_001,
            bot_ms: 60_001,
        };
        assert_eq!(bad.check().len(), 4);
    }

    #[test]
    fn pause_and_bot_time_may_be_zero_but_a_move_takes_time() {
        let control = TimeControl::from(v1::TimeControl::default());
        assert_eq!((control.move_ms, control.bank_ms), (20_000, 0));
        assert!(control.check().is_empty());
    }
}
