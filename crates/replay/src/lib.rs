//! The replay of a finished match: everything that is needed to play it again, anywhere.
//!
//! [`Replay`] is the JSON that the gateway hands out and `docs/replay.md` describes. [`verify`]
//! plays it again by the rules it names and compares every card, turn and number; [`Sheet`]
//! shows it to people. Pure, as the rules are.
//!
//! [`verify`]: Replay::verify

mod format;
mod sheet;
mod verify;

pub use format::{BadReplay, FORMAT, REPLAY_BYTES_MAX, Replay};
pub use sheet::Sheet;
pub use verify::{Difference, Verified};
