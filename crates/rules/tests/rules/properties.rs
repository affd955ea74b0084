//! What holds at every step of every deal, however it is played.

use std::collections::HashSet;

use proptest::prelude::*;
use rules::{Action, Card, CardSet, Deal, DealEnd, Deck, PACK, Phase, Rules};

use crate::kit::{Record, Rng, brixental, seat};

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
    let bids = deal.rules().contracts().map(Action::Bid);
    let plays = CardSet::FULL.map(Action::Play);
    let discards = tries_to_discard(deal, rng).into_iter().map(Action::Discard);
    let tries = [Action::Pass]
        .into_iter()
        .chain(bids)
        .chain(plays)
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

#[test]
fn every_card_is_in_one_place_and_the_points_add_up_to_120() {
    for players in [3, 4] {
        let mut rng = Rng::new(100 + u64::from(players));
        for _ in 0..1000 {
            let rules = rng.rules(players);
            let states = Record::random(&mut rng, rules).states();
            states.iter().for_each(conserves_cards);
            accounts_for_120_points(states.last().unwrap());
        }
    }
}

#[test]
fn the_legal_actions_are_exactly_those_that_are_accepted() {
    for players in [3, 4] {
        let mut rng = Rng::new(200 + u64::from(players));
        for _ in 0..200 {
            let rules = rng.rules(players);
            for deal in Record::random(&mut rng, rules).states() {
                lists_exactly_what_it_accepts(&deal, &mut rng);
            }
        }
    }
}

#[test]
fn the_legal_plays_are_the_playable_cards() {
    let mut rng = Rng::new(300);
    for _ in 0..200 {
        for deal in Record::random(&mut rng, brixental(4, &[])).states() {
            let plays = deal
                .legal()
                .actions()
                .into_iter()
                .filter_map(|action| match action {
                    Action::Play(card) => Some(card),
                    _ => None,
                });
            assert_eq!(plays.collect::<CardSet>(), deal.playable());
        }
    }
}

/// A whole deal out of a shuffled pack and a list of choices, which shrink; with the deal as
/// it was when the last action had been recorded.
fn any_deal() -> impl Strategy<Value = (Record, Deal)> {
    let pack: Vec<Card> = CardSet::FULL.collect();
    let rules = (3_u8..=4, any::<bool>(), 1_u8..4, any::<bool>()).prop_map(options_of);
    let choices = prop::collection::vec(any::<u16>(), 80);
    let parts = (rules, 0_u8..4, Just(pack).prop_shuffle(), choices);
    parts.prop_map(|(rules, dealer, pack, choices)| {
        let record = Record {
            rules,
            dealer: seat(dealer % rules.players()),
            deck: Deck::from_order(pack.try_into().unwrap()).unwrap(),
            actions: Vec::new(),
        };
        chosen(record, &choices)
    })
}

fn options_of((players, any_discard, factor, multiplied): (u8, bool, u8, bool)) -> Rules {
    let discard_from = if any_discard { "any" } else { "original_hand" };
    let options = [
        ("discard_from", discard_from),
        ("matsch_factor", &factor.to_string()),
        ("spatz_multiplied", &multiplied.to_string()),
    ];
    brixental(players, &options)
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
    #![proptest_config(ProptestConfig::with_cases(128))]

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
        crate::differential::agree(&record);
    }

    #[test]
    fn a_spatz_is_5_or_10_for_all_times_the_multiplier((record, live) in any_deal()) {
        if let Some(DealEnd::Played(outcome)) = live.end() {
            let points = outcome.pay(record.rules.players(), 0).points;
            let declarer = outcome.declaration.declarer;
            let (spatz, value) = (outcome.spatz.unwrap_or_default(), outcome.value);
            prop_assert_eq!(points[declarer], spatz[declarer] + value);
            for seat in record.rules.seats().filter(|&seat| seat != declarer) {
                prop_assert_eq!(points[seat], -spatz[declarer]);
            }
            prop_assert!([0, 5, 10, 20].contains(&spatz[declarer].abs()));
            prop_assert!(outcome.made || value <= 0);
        }
    }
}
