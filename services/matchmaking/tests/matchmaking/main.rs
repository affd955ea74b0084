//! Matchmaking from outside: the contract of the ticket store on both adapters, and the service
//! with the real matcher between fakes of the game and ranking services.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod fakes;
mod matching;
mod private_tables;
mod standing;
mod stores;
mod tickets;
mod world;
