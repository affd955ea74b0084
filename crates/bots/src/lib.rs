//! Players made of code. They see what a seat may see ([`rules::DealView`]) and nothing else.
//!
//! Pure: no I/O, no clock, no randomness. What a bot does is a function of its view.

mod bidding;
mod danger;
mod doubling;
mod estimate;
mod exchange;
mod gain;
mod knowledge;
mod no_trick;
mod pick;
mod play;
mod strength;
mod trick;
mod weights;
mod worth;

#[cfg(test)]
mod testing;

use std::{fmt, str::FromStr};

use rules::{Action, DealView, Legal};

/// How strong a bot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Plays sensibly by simple rules.
    Standard,
}

impl Level {
    /// Every level, weakest first.
    pub const ALL: [Self; 1] = [Self::Standard];

    /// The stable name in requests and in stored tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such level; expected standard")]
pub struct UnknownLevel;

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|level| level.name() == name)
            .ok_or(UnknownLevel)
    }
}

/// The action a bot of this level takes. None iff it is not the turn of the view's seat.
#[must_use]
pub fn choose(level: Level, view: &DealView) -> Option<Action> {
    match level {
        Level::Standard => match view.legal {
            Legal::Call { from, to } => Some(bidding::call(view, from, to)),
            Legal::Hold => Some(bidding::hold(view)),
            Legal::Announce { from, to, may_pass } => {
                Some(bidding::announce(view, from, to, may_pass))
            }
            Legal::Discard(choice) => exchange::discard(view, choice).map(Action::Discard),
            Legal::DeclareTrump(suits) => bidding::trump(view, suits),
            Legal::Double => Some(doubling::double(view)),
            Legal::Redouble => Some(doubling::redouble(view)),
            Legal::Play(cards) => play::card(view, cards).map(Action::Play),
            Legal::Nothing => None,
        },
    }
}
