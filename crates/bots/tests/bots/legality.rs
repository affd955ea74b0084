//! Whatever happens at the table, a bot's action is legal and a function of its view.

use bots::{Level, choose};
use rules::{Action, Deal, Deck, Rules, Said, Suit};

use crate::table::{Player, Random, act, deals, packs};

/// Every combination of values that bots could care about.
fn all_rules() -> impl Iterator<Item = Rules> {
    let combination = |n: usize| {
        let options = [
            ("discard_from", ["original_hand", "any"][n & 1]),
            ("spatz_multiplied", ["false", "true"][n >> 1 & 1]),
            ("matsch_factor", ["1", "2"][n >> 2 & 1]),
            ("length", ["points(100)", "rounds(2)"][n >> 3 & 1]),
        ];
        let players = 3 + (n >> 4 & 1) as u8;
        Rules::new("brixental", players, options).unwrap()
    };
    (0..32).map(combination)
}

/// Asks every bot at every turn, and then goes on as somebody random or a bot would.
fn watch(mut deal: Deal, random: &mut Random, mut check: impl FnMut(&Deal)) {
    // Some tables play wildly, some sensibly, most in between.
    let wildness = random.below(5);
    while deal.turn().is_some() {
        check(&deal);
        let player = if random.below(4) < wildness {
            Player::Random
        } else {
            Player::Bot(Level::Standard)
        };
        let action = act(player, &deal, random);
        deal.apply(action).unwrap();
    }
    check(&deal);
}

#[test]
fn every_action_is_legal_and_only_the_seat_in_turn_acts() {
    let mut random = Random::new(1);
    for rules in all_rules() {
        for deal in deals(rules, 100) {
            watch(deal, &mut random, |deal| {
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
            watch(deal, &mut random, |deal| {
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
    let mut compared = 0;
    for rules in all_rules() {
        for (dealer, deck) in packs(rules, 20) {
            watch(Deal::new(rules, dealer, &deck), &mut random, |deal| {
                let Some(other) = with_hidden_cards_swapped(deal, &deck) else {
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
    }
    assert!(compared > 10_000, "{compared}");
}

/// The same deal from a pack in which two cards have changed places that the seat in turn
/// does not see: of one suit, so that everybody could act as they did, and in two hands.
fn with_hidden_cards_swapped(deal: &Deal, deck: &Deck) -> Option<Deal> {
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
    // Who declares sees everything that was done.
    let all = deal.view(deal.declaration().map(|declared| declared.declarer));
    let calls = all.calls.iter().map(|call| match call.said {
        Said::Pass => Action::Pass,
        Said::Hold => Action::Hold,
        Said::Bid(id) => Action::Bid(id),
    });
    let discards = all.uncovered.discards.into_iter().map(Action::Discard);
    let cards = all.tricks.cards().iter().copied().map(Action::Play);
    for action in calls.chain(discards).chain(cards) {
        swapped.apply(action).unwrap();
    }
    Some(swapped)
}
