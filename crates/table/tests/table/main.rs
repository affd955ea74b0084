//! What holds for tables: their logs, clocks, seats, chores, and who may see what.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod abuse;
mod chores;
mod clocks;
mod ending;
mod garbage;
mod golden;
mod grace;
mod kit;
mod legal;
mod redaction;
mod replay;
mod restored;
mod seating;
mod strict;
mod traverse;
