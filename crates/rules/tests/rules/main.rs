//! The rules of the game, each as a test that is named after it.
//!
//! `worked_examples` and its two neighbours play the published examples to their results; one
//! module per chapter of the rules follows, for Brixental under the chapter's name, for the
//! other games under theirs. `oracle` is a second, slow engine written from the text of the
//! rules alone, `differential` and `games_differential` play both against each other, `perft`
//! counts endings in two ways, `golden` keeps whole sessions as text. `properties`, `balances`
//! and `hidden_cards` hold whatever is played. `kit`, `games` and `line` have what the modules
//! share. `scripts/mutate-rules` tells whether all this notices a broken rule.

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
