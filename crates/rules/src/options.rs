//! The named options of a match, so that a village can play its own way.

use std::{fmt, str::FromStr};

/// How long a session is (`length`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Until somebody has more than so many points; that round is finished.
    Points(u16),
    /// So many rounds, in each of which everybody deals once.
    Rounds(u16),
}

/// Which cards may be laid off after taking up the talon (`discard_from`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiscardFrom {
    /// Only cards of the original hand, none of the talon.
    OriginalHand,
    /// Any cards.
    Any,
}

/// The options of a match. Which of them a rule set has is [`crate::RuleSet::options`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// How long a session is.
    pub length: Length,
    /// A session by points ends at the latest after so many rounds.
    pub max_rounds: u16,
    /// After so many thrown-in deals in a row the deal moves on.
    pub max_thrown_in: u16,
    /// Which cards may be laid off.
    pub discard_from: DiscardFrom,
    /// Multiplies the loss of a declarer without a trick, never the Spatz.
    pub matsch_factor: u16,
    /// Whether the contract's multiplier applies to the Spatz.
    pub spatz_multiplied: bool,
}

/// The name of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptionKey {
    /// `length`
    Length,
    /// `max_rounds`
    MaxRounds,
    /// `max_thrown_in`
    MaxThrownIn,
    /// `discard_from`
    DiscardFrom,
    /// `matsch_factor`
    MatschFactor,
    /// `spatz_multiplied`
    SpatzMultiplied,
}

/// Why an option is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The rule set has no such option.
    #[error("no such option; expected one of {expected}")]
    Unknown {
        /// The options that there are.
        expected: String,
    },
    /// The option does not take this value.
    #[error("option {name}: expected {expected}")]
    Value {
        /// Name of the option.
        name: &'static str,
        /// What it takes.
        expected: &'static str,
    },
}

/// The highest value of a number option: a table must end.
const NUMBER_MAX: u16 = 100;
/// The highest score to play for.
const POINTS_MAX: u16 = 10_000;

impl OptionKey {
    /// The name in requests and in stored matches.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::MaxRounds => "max_rounds",
            Self::MaxThrownIn => "max_thrown_in",
            Self::DiscardFrom => "discard_from",
            Self::MatschFactor => "matsch_factor",
            Self::SpatzMultiplied => "spatz_multiplied",
        }
    }

    /// What values it takes, in words.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Length => "points(1) to points(10000) or rounds(1) to rounds(100)",
            Self::MaxRounds | Self::MaxThrownIn | Self::MatschFactor => {
                "a whole number from 1 to 100"
            }
            Self::DiscardFrom => "original_hand or any",
            Self::SpatzMultiplied => "true or false",
        }
    }
}

impl Options {
    /// Sets an option from its text.
    ///
    /// # Errors
    /// When the option does not take the value.
    pub fn set(&mut self, key: OptionKey, value: &str) -> Result<(), OptionError> {
        let refused = OptionError::Value {
            name: key.name(),
            expected: key.expected(),
        };
        let done = match key {
            OptionKey::Length => value.parse().ok().map(|v| self.length = v),
            OptionKey::MaxRounds => number(value, NUMBER_MAX).map(|v| self.max_rounds = v),
            OptionKey::MaxThrownIn => number(value, NUMBER_MAX).map(|v| self.max_thrown_in = v),
            OptionKey::DiscardFrom => value.parse().ok().map(|v| self.discard_from = v),
            OptionKey::MatschFactor => number(value, NUMBER_MAX).map(|v| self.matsch_factor = v),
            OptionKey::SpatzMultiplied => value.parse().ok().map(|v| self.spatz_multiplied = v),
        };
        done.ok_or(refused)
    }

    /// The text of an option, as [`Options::set`] takes it.
    #[must_use]
    pub fn get(&self, key: OptionKey) -> String {
        match key {
            OptionKey::Length => self.length.to_string(),
            OptionKey::MaxRounds => self.max_rounds.to_string(),
            OptionKey::MaxThrownIn => self.max_thrown_in.to_string(),
            OptionKey::DiscardFrom => self.discard_from.to_string(),
            OptionKey::MatschFactor => self.matsch_factor.to_string(),
            OptionKey::SpatzMultiplied => self.spatz_multiplied.to_string(),
        }
    }
}

/// A whole number from 1 to `max`, in plain digits.
fn number(text: &str, max: u16) -> Option<u16> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let value = text.parse().ok().filter(|_| plain)?;
    (1..=max).contains(&value).then_some(value)
}

impl FromStr for Length {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let argument = |name: &str| {
            text.strip_prefix(name)?
                .strip_prefix('(')?
                .strip_suffix(')')
        };
        let points = argument("points").and_then(|n| number(n, POINTS_MAX));
        let rounds = argument("rounds").and_then(|n| number(n, NUMBER_MAX));
        points
            .map(Self::Points)
            .or(rounds.map(Self::Rounds))
            .ok_or(())
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Points(n) => write!(f, "points({n})"),
            Self::Rounds(n) => write!(f, "rounds({n})"),
        }
    }
}

impl FromStr for DiscardFrom {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "original_hand" => Ok(Self::OriginalHand),
            "any" => Ok(Self::Any),
            _ => Err(()),
        }
    }
}

impl fmt::Display for DiscardFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OriginalHand => "original_hand",
            Self::Any => "any",
        })
    }
}
