//! What a match does to ratings, without I/O: the arithmetic, a player's line on a ladder, the
//! reason of a change, the reset between seasons, and tiers. Time and ids come in as data, so
//! the service, the recomputation of history and the simulation run the same code.
//!
//! - [`elo`]: Elo over the standing of one match.
//! - [`line`](mod@line): a player's line on a ladder, and what a match does to the lines.
//! - [`reason`]: why a rating changed, in numbers and in words.
//! - [`season`]: the soft reset.
//! - [`tier`]: the names for parts of a ladder.

pub mod elo;
pub mod line;
pub mod reason;
pub mod season;
pub mod tier;
