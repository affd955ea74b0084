//! Deals that are written down card by card.

use rules::{Deal, Rules};

use crate::{
    games_differential,
    kit::{Record, action, deck, seat, table},
    oracle::payment::Score,
};

/// A deal of one of the four games after Brixental.
pub(crate) struct Line<'a> {
    /// Id and number of players.
    pub(crate) game: (&'a str, u8),
    pub(crate) options: &'a [(&'a str, &'a str)],
    /// As dealt, from forehand clockwise.
    pub(crate) hands: &'a [&'a str],
    pub(crate) talon: &'a str,
    /// Everything that is done before the first card, in words.
    pub(crate) before: &'a str,
    /// Each from its leader clockwise.
    pub(crate) tricks: &'a [&'a str],
}

impl Line<'_> {
    pub(crate) fn rules(&self) -> Rules {
        let (id, players) = self.game;
        table(id, players, self.options)
    }

    /// The deal with the last seat as dealer, so that seat 0 is forehand.
    pub(crate) fn record(&self) -> Record {
        let rules = self.rules();
        let tricks = self.tricks.iter().flat_map(|trick| trick.split(' '));
        let words = self.before.split_whitespace().chain(tricks);
        Record {
            rules,
            dealer: seat(rules.players() - 1),
            deck: deck(&rules, self.hands, self.talon),
            actions: words.map(|word| action(&rules, word)).collect(),
        }
    }

    /// The deal when all before the first card is done.
    pub(crate) fn at_the_lead(&self) -> Deal {
        let mut deal = self.record().start();
        for word in self.before.split_whitespace() {
            deal.apply(action(deal.rules(), word)).unwrap();
        }
        deal
    }

    /// Plays it in the engine and in the oracle, with so much in the pot.
    #[track_caller]
    pub(crate) fn score(&self, pot: i32) -> Score {
        let scored = games_differential::agree(&self.record(), pot);
        scored.expect("the deal is not thrown in")
    }
}
