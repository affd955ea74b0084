//! The engine and the oracle play the same deals: at every step the same seat may do the same
//! things, and the deal ends with the same score.

use std::collections::BTreeSet;

use rules::{Action, Card, Deal, DealEnd, Legal, Rules};

use crate::{
    kit::{Record, Rng, brixental},
    oracle,
};

fn texts(cards: impl IntoIterator<Item = Card>) -> Vec<String> {
    cards.into_iter().map(|card| card.to_string()).collect()
}

/// An action in the words of the oracle.
fn words(rules: &Rules, action: Action) -> String {
    match action {
        Action::Pass => "pass".to_owned(),
        Action::Bid(contract) => rules.contract(contract).name.to_owned(),
        Action::Discard(cards) => oracle::text(&texts(cards)),
        Action::Play(card) => card.to_string(),
        other => panic!("brixental has no {other:?}"),
    }
}

/// The same deal for the oracle.
pub(crate) fn game(record: &Record) -> oracle::Game {
    let options = record.rules.option_values();
    oracle::Game::new(
        record.rules.players().into(),
        record.dealer.index(),
        &texts(*record.deck.cards()),
        options
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

#[track_caller]
fn same_choice(deal: &Deal, game: &oracle::Game) {
    let turn = deal.turn().map(|seat| seat.index());
    assert_eq!(turn, game.turn());
    let actions = deal.legal().actions();
    let count = actions.len();
    let legal: BTreeSet<String> = actions
        .into_iter()
        .map(|action| words(deal.rules(), action))
        .collect();
    assert_eq!(legal.len(), count, "no action is listed twice");
    assert_eq!(legal, game.legal().into_iter().collect());
}

/// The oracle plays a recorded deal and scores it as the engine did.
#[track_caller]
pub(crate) fn agree(record: &Record) {
    let mut game = game(record);
    let mut deal = record.start();
    for &action in &record.actions {
        same_choice(&deal, &game);
        game.act(&words(&record.rules, action));
        deal.apply(action).unwrap();
    }
    same_choice(&deal, &game);
    assert_eq!(deal.legal(), Legal::Nothing);
    let scored = match deal.end().expect("the record is of a whole deal") {
        DealEnd::ThrownIn => None,
        DealEnd::Played(outcome) => Some(oracle::Score {
            declarer: outcome.declaration.declarer.index(),
            card_points: outcome.card_points.unwrap().into(),
            tricks: outcome.tricks.into(),
            made: outcome.made,
            points: outcome
                .pay(record.rules.players(), 0)
                .points
                .first(record.rules.players())
                .to_vec(),
        }),
    };
    assert_eq!(scored, game.score());
}

#[test]
fn the_oracle_agrees_on_thousands_of_random_deals() {
    for players in [3, 4] {
        let mut rng = Rng::new(u64::from(players));
        for _ in 0..500 {
            let rules = rng.rules(players);
            agree(&Record::random(&mut rng, rules));
        }
    }
}

/// What happened at least so often in the random deals that all tests here draw from.
#[test]
fn random_deals_reach_the_rare_ends() {
    let mut rng = Rng::new(4);
    let (mut thrown_in, mut matsch, mut spatz, mut late_spatz) = (0, 0, 0, 0);
    let mut contracts = BTreeSet::new();
    for _ in 0..3000 {
        let record = Record::random(&mut rng, brixental(4, &[]));
        match record.end() {
            DealEnd::ThrownIn => thrown_in += 1,
            DealEnd::Played(outcome) => {
                contracts.insert(outcome.declaration.contract);
                matsch += u32::from(outcome.tricks == 0);
                if let Some(points) = outcome.spatz {
                    spatz += 1;
                    late_spatz += u32::from(points.0[0].abs() == 10);
                }
            }
        }
    }
    assert_eq!(contracts.len(), 14, "every contract is played");
    for (what, times) in [
        ("thrown in", thrown_in),
        ("Matsch", matsch),
        ("Spatz", spatz),
        ("Spatz in the last trick", late_spatz),
    ] {
        assert!(times >= 30, "{what}: {times} times");
    }
}
