//! Ratings, ladders and seasons.
//!
//! A finished match is rated exactly once, in one database transaction, however often and by
//! however many it is reported. A ladder is one season of a rule set; the first season of a rule
//! set opens itself with its first rated match.
//!
//! The arithmetic is in the crate `rating`.
//!
//! - `finished`: what a reported match must look like.
//! - `store`: the transactions, the same SQL for SQLite and Postgres.
//! - `board`, `copy`: the copies of ladders in Redis, and how they are kept.
//! - `schedule`: when seasons close by themselves.
//! - `service`: the gRPC service over them; `wire` makes its messages.
//! - `upkeep`: what the service does by itself. `operator`: what is done by command.

mod board;
mod copy;
mod cursor;
mod finished;
mod operator;
mod schedule;
mod service;
mod store;
mod upkeep;
mod wire;

pub use copy::{Comparison, Difference};
pub use schedule::{BadSchedule, Schedule};
pub use service::{Clock, Config, Ranking, SERVICE_NAME, routes};
pub use store::{Ladder, Moved, Recomputed};
pub use upkeep::serve;
