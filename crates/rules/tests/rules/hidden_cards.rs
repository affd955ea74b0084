//! No card that a seat may not see reaches its view.
//!
//! The proof is by exchange: cards that are hidden from a seat change places, the public record
//! stays the same and legal, and the view must not change by anything.

use rules::{Action, Card, CardSet, Deal, DealView, Deck, Legal, Phase, Seat};

use crate::{
    games::TABLES,
    kit::{Record, Rng},
};

/// The cards that a seat knows where they are: its own, those played, and as declarer the talon
/// that it took up. Worked out from the rules, not from the view.
fn known(deal: &Deal, viewer: Option<Seat>, original: CardSet) -> CardSet {
    let played = deal.tricks().cards().iter().copied().collect::<CardSet>();
    let looked_in = deal.declaration().filter(|declaration| {
        deal.rules().contract(declaration.contract).takes_talon
            && viewer == Some(declaration.declarer)
    });
    let over = deal.phase() == Phase::Done;
    let talon = if looked_in.is_some() || over {
        deal.talon()
    } else {
        CardSet::EMPTY
    };
    played.union(original).union(talon)
}

/// The hand that a seat was dealt.
fn dealt(record: &Record, viewer: Option<Seat>) -> CardSet {
    viewer.map_or(CardSet::EMPTY, |seat| record.start().hand(seat))
}

/// Every card that a view names.
fn named(view: &DealView) -> CardSet {
    let legal = match view.legal {
        Legal::Discard(choice) => choice.from,
        Legal::Play(cards) => cards,
        _ => CardSet::EMPTY,
    };
    let played: CardSet = view.tricks.cards().iter().copied().collect();
    let beside = [view.uncovered.talon, view.uncovered.discards];
    let beside = beside.map(Option::unwrap_or_default);
    [view.hand, legal, played]
        .into_iter()
        .chain(beside)
        .fold(CardSet::EMPTY, CardSet::union)
}

/// The record in which two cards change places.
fn swapped(record: &Record, a: Card, b: Card) -> Record {
    let other = |card| match card {
        _ if card == a => b,
        _ if card == b => a,
        _ => card,
    };
    let mut swapped = record.clone();
    swapped.deck = Deck::from_order(record.deck.cards().map(other)).unwrap();
    for action in &mut swapped.actions {
        if let Action::Discard(cards) = action {
            *action = Action::Discard(cards.map(other).collect());
        }
    }
    swapped
}

/// The deal after these actions, if they are legal.
fn replay(record: &Record, actions: usize) -> Option<Deal> {
    let mut deal = record.start();
    for &action in &record.actions[..actions] {
        deal.apply(action).ok()?;
    }
    Some(deal)
}

/// Swaps hidden cards again and again, as far as what was done stays legal; returns how often.
fn shuffle_hidden(record: &Record, at: usize, viewer: Option<Seat>, rng: &mut Rng) -> u32 {
    let deal = replay(record, at).unwrap();
    let view = deal.view(viewer);
    let hidden = CardSet::FULL.difference(known(&deal, viewer, dealt(record, viewer)));
    let mut current = record.clone();
    let mut swaps = 0;
    for _ in 0..12 {
        let two: Vec<Card> = rng.subset(hidden, 2).collect();
        let [a, b] = two[..] else { break };
        let next = swapped(&current, a, b);
        if let Some(other) = replay(&next, at) {
            assert_eq!(other.view(viewer), view, "{viewer:?} sees {a} or {b}");
            current = next;
            swaps += 1;
        }
    }
    swaps
}

/// A number of actions after which to look; every other time before the first card.
fn moment(record: &Record, rng: &mut Rng) -> usize {
    let plays = |action: &&Action| matches!(action, Action::Play(_));
    let before = record.actions.len() - record.actions.iter().filter(plays).count();
    let up_to = if rng.percent(50) {
        before
    } else {
        record.actions.len()
    };
    rng.below(up_to + 1)
}

/// The phases that a game has besides its end.
fn phases_of(id: &str) -> &'static [Phase] {
    match id {
        "brixental" => &[Phase::Auction, Phase::Exchange, Phase::Play],
        "bauerntarock" | "dobbm" => &[
            Phase::Auction,
            Phase::Exchange,
            Phase::Doubling,
            Phase::Play,
        ],
        "bavarian" => &[
            Phase::Auction,
            Phase::Announcement,
            Phase::Exchange,
            Phase::Trump,
            Phase::Play,
        ],
        _ => &[Phase::Auction, Phase::Exchange, Phase::Trump, Phase::Play],
    }
}

#[test]
fn deals_that_differ_in_hidden_cards_only_look_the_same() {
    for (id, players) in TABLES {
        let mut rng = Rng::new(400 + u64::from(players));
        let (mut swaps, mut states) = (0, 0);
        let mut seen = Vec::new();
        for _ in 0..120 {
            let rules = rng.rules_of(id, players);
            let record = Record::random(&mut rng, rules);
            for viewer in rules.seats().map(Some).chain([None]) {
                let at = moment(&record, &mut rng);
                let legal = shuffle_hidden(&record, at, viewer, &mut rng);
                let phase = replay(&record, at).unwrap().phase();
                seen.push((phase, legal));
                swaps += legal;
                states += 1;
            }
        }
        assert!(
            swaps > 4 * states,
            "{id}: too few swaps were legal: {swaps} in {states}"
        );
        for phase in phases_of(id) {
            let there = seen.iter().filter(|(at, _)| at == phase);
            let legal: u32 = there.map(|(_, legal)| legal).sum();
            assert!(legal > 20, "{id} {players}: {legal} swaps in {phase:?}");
        }
    }
}

#[test]
fn a_view_names_no_card_that_is_hidden_from_the_seat() {
    for (id, players) in TABLES {
        let mut rng = Rng::new(500 + u64::from(players));
        for _ in 0..80 {
            let rules = rng.rules_of(id, players);
            let record = Record::random(&mut rng, rules);
            for deal in record.states() {
                for viewer in rules.seats().map(Some).chain([None]) {
                    let known = known(&deal, viewer, dealt(&record, viewer));
                    let beyond = named(&deal.view(viewer)).difference(known);
                    let discards = match deal.phase() {
                        Phase::Done => deal.view(viewer).uncovered.discards,
                        _ => None,
                    };
                    assert_eq!(
                        beyond.difference(discards.unwrap_or_default()),
                        CardSet::EMPTY
                    );
                }
            }
        }
    }
}

#[test]
fn a_seat_sees_its_own_hand_and_how_many_cards_the_others_hold() {
    let mut rng = Rng::new(600);
    for _ in 0..150 {
        let rules = rng.any_rules();
        for deal in Record::random(&mut rng, rules).states() {
            let nobody = deal.view(None);
            assert!(nobody.hand.is_empty());
            assert_eq!(nobody.legal, Legal::Nothing);
            for seat in rules.seats() {
                let view = deal.view(Some(seat));
                assert_eq!(view.hand, deal.hand(seat));
                assert_eq!(usize::from(view.cards[seat]), CardSet::len(deal.hand(seat)));
                assert_eq!(view.cards, nobody.cards);
                let my_turn = deal.turn() == Some(seat);
                let legal = if my_turn {
                    deal.legal()
                } else {
                    Legal::Nothing
                };
                assert_eq!(view.legal, legal);
            }
        }
    }
}
