//! What holds at every step of every deal, however it is played.

use std::collections::HashSet;

use proptest::prelude::*;
use rules::{Action, Card, CardSet, Deal, DealEnd, Deck, PACK, Phase, Suit, Target};

use crate::{
    differential,
    games::{STUBBORN, TABLES, seeded},
    games_differential,
    kit::{Record, Rng, seat, table},
};

/// What the declarer has laid off; nothing before that and in hand games.
fn discards(deal: &Deal) -> CardSet {
    let declarer = deal.declaration().map(|declaration| declaration.declarer);
    deal.view(declarer).uncovered.discards.unwrap_or_default()
}

/// The talon while it lies on the table, or what was laid off for it.
fn set_aside(deal: &Deal) -> CardSet {
    let taken_up = deal
        .declaration()
        .is_some_and(|declared| deal.rules().contract(declared.contract).takes_talon);
    if taken_up {
        discards(deal)
    } else {
        deal.talon()
    }
}

/// Every card is in one place exactly.
#[track_caller]
fn conserves_cards(deal: &Deal) {
    let hands = deal.rules().seats().map(|seat| deal.hand(seat));
    let played: CardSet = deal.tricks().cards().iter().copied().collect();
    assert_eq!(played.len(), deal.tricks().cards().len());
    let places: Vec<CardSet> = hands.chain([played, set_aside(deal)]).collect();
    let cards: usize = places.iter().map(|place| CardSet::len(*place)).sum();
    assert_eq!(cards, PACK, "no card is in two places");
    let all = places.into_iter().fold(CardSet::EMPTY, CardSet::union);
    assert_eq!(all, CardSet::FULL, "no card is missing");
}

/// The 120 card points are the tricks' and those beside them.
#[track_caller]
fn accounts_for_120_points(deal: &Deal) {
    let Some(DealEnd::Played(outcome)) = deal.end() else {
        return;
    };
    let (mut declarer, mut defenders) = (0, 0);
    for trick in deal.tricks().iter() {
        if trick.winner == outcome.declaration.declarer {
            declarer += trick.points();
        } else {
            defenders += trick.points();
        }
    }
    let contract = deal.rules().contract(outcome.declaration.contract);
    if contract.target == Target::NoTrick {
        assert_eq!(outcome.card_points, None, "a Bettel has no card points");
        return;
    }
    let beside = set_aside(deal).points();
    if outcome.tricks == 0 {
        defenders += beside;
    } else {
        declarer += beside;
    }
    assert_eq!(declarer + defenders, 120);
    assert_eq!(outcome.card_points, Some(declarer));
}

/// Cards to try to lay off: all choices of the right number from the hand in an exchange, and
/// some of other sizes and from anywhere.
fn tries_to_discard(deal: &Deal, rng: &mut Rng) -> Vec<CardSet> {
    let mut tries = vec![CardSet::EMPTY, CardSet::FULL, deal.talon()];
    let hand = deal.turn().map_or(CardSet::EMPTY, |seat| deal.hand(seat));
    if deal.phase() == Phase::Exchange {
        tries.extend(hand.subsets(CardSet::len(deal.talon())));
    }
    for size in 1..=5 {
        tries.push(rng.subset(hand, size));
        tries.push(rng.subset(CardSet::FULL, size));
    }
    tries
}

/// The listed legal actions are exactly those that are accepted, and a refusal changes nothing.
#[track_caller]
fn lists_exactly_what_it_accepts(deal: &Deal, rng: &mut Rng) {
    // The longest ladder, so that most games are offered contracts that they do not have.
    let contracts = || table("bavarian", 3, &[]).contracts();
    let discards = tries_to_discard(deal, rng).into_iter().map(Action::Discard);
    let tries = [Action::Pass, Action::Hold, Action::Double, Action::Redouble]
        .into_iter()
        .chain(contracts().map(Action::Bid))
        .chain(contracts().map(Action::Announce))
        .chain(Suit::ALL.map(Action::DeclareTrump))
        .chain(CardSet::FULL.map(Action::Play))
        .chain(discards);
    let mut accepted = HashSet::new();
    for action in tries {
        let mut copy = *deal;
        if copy.apply(action).is_ok() {
            assert_ne!(copy, *deal, "{action:?} had no effect");
            accepted.insert(action);
        } else {
            assert_eq!(copy, *deal, "a refused {action:?} changed the deal");
        }
    }
    let listed: HashSet<Action> = deal.legal().actions().into_iter().collect();
    assert_eq!(listed, accepted);
    let over = deal.phase() == Phase::Done;
    assert_eq!(
        listed.is_empty(),
        over,
        "there is something to do until the end"
    );
    assert_eq!(deal.turn().is_none(), over);
    assert_eq!(deal.end().is_some(), over);
}

/// Playing the record again gives the same deal, and so do the views of all seats.
#[track_caller]
fn replays(record: &Record, live: &Deal) {
    let replayed = record.last();
    assert_eq!(replayed, *live);
    for seat in record.rules.seats().map(Some).chain([None]) {
        assert_eq!(replayed.view(seat), live.view(seat));
    }
    assert_eq!(replayed.end(), live.end());
}

/// Deals of every game: random ones, and some that are played stubbornly.
fn records(seed: u64, random: usize, stubborn: usize) -> Vec<Record> {
    let mut rng = Rng::new(seed);
    let mut records = Vec::new();
    for (id, players) in TABLES {
        for _ in 0..random {
            let rules = rng.rules_of(id, players);
            records.push(Record::random(&mut rng, rules));
        }
        for choose in STUBBORN {
            for n in 0..stubborn {
                let rules = rng.rules_of(id, players);
                let dealer = seat((n % usize::from(players)) as u8);
                records.push(Record::played_by(&mut rng, rules, dealer, choose));
            }
        }
    }
    records
}

#[test]
fn every_card_is_in_one_place_and_the_points_add_up_to_120() {
    for record in records(100, 150, 15) {
        let states = record.states();
        states.iter().for_each(conserves_cards);
        accounts_for_120_points(states.last().unwrap());
    }
}

#[test]
fn the_legal_actions_are_exactly_those_that_are_accepted() {
    let mut rng = Rng::new(200);
    for record in records(201, 20, 2) {
        for deal in record.states() {
            lists_exactly_what_it_accepts(&deal, &mut rng);
        }
    }
}

#[test]
fn the_legal_plays_are_the_playable_cards() {
    for record in records(300, 40, 3) {
        for deal in record.states() {
            let play = |action| match action {
                Action::Play(card) => Some(card),
                _ => None,
            };
            let plays = deal.legal().actions().into_iter().filter_map(play);
            assert_eq!(plays.collect::<CardSet>(), deal.playable());
        }
    }
}

#[test]
fn every_game_says_the_same_in_stubborn_play_as_the_oracle() {
    for record in records(350, 0, 15) {
        scored_as_the_oracle_scores_it(&record);
    }
}

#[track_caller]
fn scored_as_the_oracle_scores_it(record: &Record) {
    if record.rules.set().id == "brixental" {
        differential::agree(record);
    } else {
        games_differential::agree(record, 7);
    }
}

/// A whole deal out of a shuffled pack and a list of choices, which shrink; with the deal as
/// it was when the last action had been recorded.
fn any_deal() -> impl Strategy<Value = (Record, Deal)> {
    let pack: Vec<Card> = CardSet::FULL.collect();
    // More choices than the longest auction and the cards need.
    let choices = prop::collection::vec(any::<u16>(), 110);
    let parts = (
        0..TABLES.len(),
        any::<u64>(),
        0_u8..4,
        Just(pack).prop_shuffle(),
        choices,
    );
    parts.prop_map(|(game, options, dealer, pack, choices)| {
        let (id, players) = TABLES[game];
        let record = Record {
            rules: Rng::new(options).rules_of(id, players),
            dealer: seat(dealer % players),
            deck: Deck::from_order(pack.try_into().unwrap()).unwrap(),
            actions: Vec::new(),
        };
        chosen(record, &choices)
    })
}

/// Plays to the end, each choice being the place of an action among the legal ones.
fn chosen(mut record: Record, choices: &[u16]) -> (Record, Deal) {
    let mut live = record.start();
    for &choice in choices {
        let legal = live.legal().actions();
        let Some(&action) = legal.get(usize::from(choice) % legal.len().max(1)) else {
            break;
        };
        live.apply(action).unwrap();
        record.actions.push(action);
    }
    (record, live)
}

proptest! {
    #![proptest_config(seeded(192))]

    #[test]
    fn any_deal_keeps_its_cards_and_points((record, live) in any_deal()) {
        record.states().iter().for_each(conserves_cards);
        prop_assert_eq!(live.phase(), Phase::Done);
        accounts_for_120_points(&live);
    }

    #[test]
    fn any_deal_replays_from_its_record((record, live) in any_deal()) {
        replays(&record, &live);
    }

    #[test]
    fn any_deal_is_scored_as_the_oracle_scores_it((record, _) in any_deal()) {
        scored_as_the_oracle_scores_it(&record);
    }

    #[test]
    fn what_a_contract_brings_has_the_sign_of_made((_, live) in any_deal()) {
        if let Some(DealEnd::Played(outcome)) = live.end() {
            prop_assert_eq!(outcome.made, outcome.value > 0);
        }
    }

    #[test]
    fn a_brixental_spatz_is_5_or_10_for_all_times_the_multiplier((record, live) in any_deal()) {
        if let Some(DealEnd::Played(outcome)) = live.end()
            && record.rules.set().id == "brixental"
        {
            let points = outcome.pay(record.rules.players(), 0).points;
            let declarer = outcome.declaration.declarer;
            let (spatz, value) = (outcome.spatz.unwrap_or_default(), outcome.value);
            prop_assert_eq!(points[declarer], spatz[declarer] + value);
            for seat in record.rules.seats().filter(|&seat| seat != declarer) {
                prop_assert_eq!(points[seat], -spatz[declarer]);
            }
            prop_assert!([0, 5, 10, 20].contains(&spatz[declarer].abs()));
        }
    }
}
