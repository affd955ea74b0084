//! The named options of a match, so that a village can play its own way.

use std::{fmt, str::FromStr};

use crate::rulesets::Booking;

/// Declares an option of a few words: the enum, and its text both ways.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$word_doc])* $word,)*
        }

        impl FromStr for $name {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, ()> {
                match text {
                    $($text => Ok(Self::$word),)*
                    _ => Err(()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$word => $text,)*
                })
            }
        }
    };
}

words! {
    /// Which cards may be laid off after taking up the talon (`discard_from`).
    DiscardFrom {
        /// Only cards of the original hand, none of the talon.
        OriginalHand = "original_hand",
        /// Any cards.
        Any = "any",
    }
}

words! {
    /// Which suits can be trump after taking up the talon (`pickup_trump`).
    PickupTrump {
        /// Any that the declarer names.
        Any = "any",
        /// Hearts, without naming it.
        Hearts = "hearts",
    }
}

words! {
    /// Out of what fixed prices are paid (`pay_from`).
    PayFrom {
        /// By each opponent to the declarer, or back.
        Pocket = "pocket",
        /// From a pot (Haferl).
        Pot = "pot",
    }
}

impl From<PayFrom> for Booking {
    fn from(pay_from: PayFrom) -> Self {
        match pay_from {
            PayFrom::Pocket => Self::FromEach,
            PayFrom::Pot => Self::Pot,
        }
    }
}

/// How long a session is (`length`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Until somebody has more than so many points; that round is finished.
    Points(u16),
    /// So many rounds, of as many counted deals as there are players.
    Rounds(u16),
}

/// The options of a match. Which of them a table can set is [`crate::RuleSet::options`].
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
    /// Whether the six of hearts brings points.
    pub spatz: bool,
    /// Whether the contract's multiplier applies to the Spatz.
    pub spatz_multiplied: bool,
    /// Whether defenders can double.
    pub doubling: bool,
    /// Which suits can be trump after taking up the talon.
    pub pickup_trump: PickupTrump,
    /// Out of what fixed prices are paid.
    pub pay_from: PayFrom,
    /// What everyone pays into the pot when it is empty.
    pub stake: u16,
}

/// The name of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptionKey {
    /// `length`
    Length,
    /// `length`, of a game that is never played to a score
    LengthInRounds,
    /// `max_rounds`
    MaxRounds,
    /// `max_thrown_in`
    MaxThrownIn,
    /// `discard_from`
    DiscardFrom,
    /// `matsch_factor`
    MatschFactor,
    /// `spatz`
    Spatz,
    /// `spatz_multiplied`
    SpatzMultiplied,
    /// `doubling`
    Doubling,
    /// `pickup_trump`
    PickupTrump,
    /// `pay_from`
    PayFrom,
    /// `stake`
    Stake,
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
    /// The option has no effect without another.
    #[error("option {name}: expected together with {needs}, without which it has no effect")]
    Needs {
        /// Name of the option.
        name: &'static str,
        /// The other option and its value.
        needs: &'static str,
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
            Self::Length | Self::LengthInRounds => "length",
            Self::MaxRounds => "max_rounds",
            Self::MaxThrownIn => "max_thrown_in",
            Self::DiscardFrom => "discard_from",
            Self::MatschFactor => "matsch_factor",
            Self::Spatz => "spatz",
            Self::SpatzMultiplied => "spatz_multiplied",
            Self::Doubling => "doubling",
            Self::PickupTrump => "pickup_trump",
            Self::PayFrom => "pay_from",
            Self::Stake => "stake",
        }
    }

    /// What values it takes, in words.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Length => "points(1) to points(10000) or rounds(1) to rounds(100)",
            Self::LengthInRounds => "rounds(1) to rounds(100)",
            Self::MaxRounds | Self::MaxThrownIn | Self::MatschFactor | Self::Stake => {
                "a whole number from 1 to 100"
            }
            Self::DiscardFrom => "original_hand or any",
            Self::Spatz | Self::SpatzMultiplied | Self::Doubling => "true or false",
            Self::PickupTrump => "any or hearts",
            Self::PayFrom => "pocket or pot",
        }
    }
}

/// The field that an option sets, as text both ways.
trait Field {
    fn text(&self) -> String;
    /// Whether the text was taken.
    fn take(&mut self, text: &str) -> bool;
}

impl<T: FromStr + fmt::Display> Field for T {
    fn text(&self) -> String {
        self.to_string()
    }

    fn take(&mut self, text: &str) -> bool {
        text.parse().map(|value| *self = value).is_ok()
    }
}

impl Options {
    /// Sets an option from its text.
    ///
    /// # Errors
    /// When the option does not take the value.
    pub fn set(&mut self, key: OptionKey, value: &str) -> Result<(), OptionError> {
        let in_range = match key {
            OptionKey::LengthInRounds => matches!(value.parse(), Ok(Length::Rounds(_))),
            OptionKey::MaxRounds
            | OptionKey::MaxThrownIn
            | OptionKey::MatschFactor
            | OptionKey::Stake => number(value, NUMBER_MAX).is_some(),
            _ => true,
        };
        if in_range && self.field(key).take(value) {
            return Ok(());
        }
        Err(OptionError::Value {
            name: key.name(),
            expected: key.expected(),
        })
    }

    /// The text of an option, as [`Options::set`] takes it.
    #[must_use]
    pub fn get(&self, key: OptionKey) -> String {
        let mut options = *self;
        options.field(key).text()
    }

    fn field(&mut self, key: OptionKey) -> &mut dyn Field {
        match key {
            OptionKey::Length | OptionKey::LengthInRounds => &mut self.length,
            OptionKey::MaxRounds => &mut self.max_rounds,
            OptionKey::MaxThrownIn => &mut self.max_thrown_in,
            OptionKey::DiscardFrom => &mut self.discard_from,
            OptionKey::MatschFactor => &mut self.matsch_factor,
            OptionKey::Spatz => &mut self.spatz,
            OptionKey::SpatzMultiplied => &mut self.spatz_multiplied,
            OptionKey::Doubling => &mut self.doubling,
            OptionKey::PickupTrump => &mut self.pickup_trump,
            OptionKey::PayFrom => &mut self.pay_from,
            OptionKey::Stake => &mut self.stake,
        }
    }
}

/// A whole number from 1 to `max`, in plain digits.
fn number(text: &str, max: u16) -> Option<u16> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
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
