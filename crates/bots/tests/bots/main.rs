//! Bots at whole tables: what they do is legal and a function of what they see, and it is good.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod legality;
mod strength;
mod table;
