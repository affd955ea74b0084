//! The rules of the game, each as a test that is named after it.
//!
//! `worked_examples` plays the published examples to their results; one module per chapter of
//! the rules follows. `oracle` is a second, slow engine written from the text of the rules
//! alone, `differential` plays both against each other, `properties` and `hidden_cards` hold
//! whatever is played. `kit` has what the modules share.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests fail like tests; clippy.toml only exempts the tests themselves"
)]

mod allocation;
mod auction;
mod balances;
mod bauerntarock;
mod bauerntarock_spatz;
mod bavarian;
mod bavarian_auction;
mod bettel;
mod dealing;
mod differential;
mod dobbm;
mod exchange;
mod fair_cards;
mod game_options;
mod games;
mod games_differential;
mod golden;
mod haferltarock;
mod hidden_cards;
mod kit;
mod line;
mod oracle;
mod perft;
mod pot;
mod properties;
mod scoring;
mod session;
mod session_properties;
mod settlement;
mod spatz;
mod tricks;
mod worked_examples;
mod worked_examples_haferl;
mod worked_examples_tarock;
