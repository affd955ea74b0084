//! Whatever happens at the table, a bot's action is legal and a function of its view.

use bots::{Level, choose};
use rules::{Action, Deal, Deck, Suit};

use crate::table::{Player, Random, act, all_rules, deals, packs};

/// Asks every bot at every turn, and then goes on as somebody random or a bot would. The check
/// is also told what was done so far.
fn watch(mut deal: Deal, random: &mut Random, mut check: impl FnMut(&Deal, &[Action])) {
    // Some tables play wildly, some sensibly, most in between.
    let wildness = random.below(5);
    let mut done = Vec::new();
    while deal.turn().is_some() {
        check(&deal, &done);
        let player = if random.below(4) < wildness {
            Player::Random
        } else {
            Player::Bot(Level::Standard)
        };
        let action = act(player, &deal, random);
        deal.apply(action).unwrap();
        done.push(action);
    }
    check(&deal, &done);
}

#[test]
fn every_action_is_legal_in_every_game_and_only_the_seat_in_turn_acts() {
    let mut random = Random::new(1);
    for rules in all_rules() {
        for deal in deals(rules, 20) {
            watch(deal, &mut random, |deal, _| {
                for level in Level::ALL {
                    assert_eq!(choose(level, &deal.view(None)), None);
                    for seat in rules.seats() {
                        let action = choose(level, &deal.view(Some(seat)));
                        if deal.turn() == Some(seat) {
                            assert!(deal.clone().apply(action.unwrap()).is_ok(), "{action:?}");
                        } else {
                            assert_eq!(action, None);
                        }
                    }
                }
            });
        }
    }
}

#[test]
fn every_action_is_among_those_that_are_listed() {
    let mut random = Random::new(2);
    for rules in all_rules() {
        for deal in deals(rules, 5) {
            watch(deal, &mut random, |deal, _| {
                for level in Level::ALL {
                    let action = choose(level, &deal.view(deal.turn()));
                    let legal = deal.legal().actions();
                    assert!(action.map_or(legal.is_empty(), |action| legal.contains(&action)));
                }
            });
        }
    }
}

#[test]
fn equal_views_give_equal_actions() {
    let mut random = Random::new(3);
    for rules in all_rules() {
        let mut compared = 0;
        for (dealer, deck) in packs(rules, 10) {
            let start = Deal::new(rules, dealer, &deck);
            watch(start, &mut random, |deal, done| {
                let Some(other) = with_hidden_cards_swapped(deal, &deck, done) else {
                    return;
                };
                let (view, same) = (deal.view(deal.turn()), other.view(deal.turn()));
                assert_eq!(view, same);
                for level in Level::ALL {
                    assert_eq!(choose(level, &view), choose(level, &same));
                }
                compared += 1;
            });
        }
        assert!(compared > 100, "{}: {compared}", rules.set().id);
    }
}

/// The same deal from a pack in which two cards have changed places that the seat in turn
/// does not see: of one suit, so that everybody could act as they did, and in two hands.
fn with_hidden_cards_swapped(deal: &Deal, deck: &Deck, done: &[Action]) -> Option<Deal> {
    let (rules, me) = (*deal.rules(), deal.turn()?);
    let left = deal.hand(me.left(rules.players()));
    let right = deal.hand(me.clockwise(2, rules.players()));
    let (one, other) = Suit::ALL.into_iter().find_map(|suit| {
        left.of_suit(suit)
            .lowest()
            .zip(right.of_suit(suit).highest())
    })?;
    let cards = deck.cards().map(|card| match card {
        card if card == one => other,
        card if card == other => one,
        card => card,
    });
    let mut swapped = Deal::new(rules, deal.dealer(), &Deck::from_order(cards)?);
    for &action in done {
        swapped.apply(action).unwrap();
    }
    Some(swapped)
}
