//! The load generator: many guests at many tables, over REST and server-sent events alone.
//!
//! Every client checks that its stream tells each event once and in order, and finished matches
//! are played again by the engine, so that a high rate of wrong moves counts for nothing.

pub mod options;
pub mod pace;
pub mod percentile;
pub mod player;
pub mod redis;
pub mod report;
pub mod run;
pub mod seating;
pub mod sequence;
pub mod stream;
