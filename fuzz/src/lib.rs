//! Fuzz targets: arbitrary bytes as commands and as stored logs. Nothing may panic, and nothing
//! that the rules do not allow may be accepted.
//!
//! The targets are plain functions. `make fuzz` runs them under libFuzzer; `make test` runs them
//! on some random bytes and on the bytes of real logs.

mod bytes;
mod commands;
mod logs;

pub use commands::commands;
pub use logs::logs;
