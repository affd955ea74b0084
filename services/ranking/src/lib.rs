//! Ratings, ladders and seasons.
//!
//! A finished match is rated exactly once, in one database transaction, however often and by
//! however many it is reported. A ladder is one season of a rule set; the first season of a rule
//! set opens itself with its first rated match.
//!
//! - [`elo`]: the arithmetic, pure.
//! - `finished`: what a reported match must look like.
//! - `store`: the transactions, the same SQL for SQLite and Postgres.
//! - `service`: the gRPC service over them.

mod cursor;
pub mod elo;
mod finished;
mod service;
mod store;

pub use service::{Clock, Config, Ranking, SERVICE_NAME, routes};
