//! Bots at whole tables: what they do is legal and a function of what they see, and it is good.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod doubling;
mod legality;
mod no_trick;
mod sessions;
mod strength;
mod table;
