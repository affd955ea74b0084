//! Authoritative tables: live ones as append-only logs, finished ones in the archive.

pub mod history;
pub mod log;
