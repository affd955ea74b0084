//! Brixental, dealing: in packets from forehand clockwise, the talon between them.

use rules::{Card, CardSet, Deal, Deck};

use crate::kit::{brixental, call, deal, seat};

/// Which places of the deck, counted from 0, make up these cards.
fn places(cards: CardSet) -> Vec<usize> {
    cards.map(Card::index).collect()
}

/// The hands from forehand clockwise, and the talon, of a pack in its unshuffled order: a
/// card's index is its place in the deck.
fn dealt(players: u8, dealer: u8) -> (Vec<Vec<usize>>, Vec<usize>) {
    let order = std::array::from_fn(|i| Card::from_index(i).unwrap());
    let deck = Deck::from_order(order).unwrap();
    let deal = Deal::new(brixental(players, &[]), seat(dealer), &deck);
    let hand = |steps| places(deal.hand(seat((dealer + steps) % players)));
    ((1..=players).map(hand).collect(), places(deal.talon()))
}

fn join(ranges: &[std::ops::Range<usize>]) -> Vec<usize> {
    ranges.iter().cloned().flatten().collect()
}

#[test]
fn three_players_are_dealt_4_then_3_then_the_talon_of_3_then_4() {
    for dealer in 0..3 {
        let (hands, talon) = dealt(3, dealer);
        assert_eq!(hands[0], join(&[0..4, 12..15, 24..28]));
        assert_eq!(hands[1], join(&[4..8, 15..18, 28..32]));
        assert_eq!(hands[2], join(&[8..12, 18..21, 32..36]));
        assert_eq!(talon, (21..24).collect::<Vec<_>>());
    }
}

#[test]
fn four_players_are_dealt_4_then_the_talon_of_4_then_4() {
    for dealer in 0..4 {
        let (hands, talon) = dealt(4, dealer);
        assert_eq!(hands[0], join(&[0..4, 20..24]));
        assert_eq!(hands[1], join(&[4..8, 24..28]));
        assert_eq!(hands[2], join(&[8..12, 28..32]));
        assert_eq!(hands[3], join(&[12..16, 32..36]));
        assert_eq!(talon, (16..20).collect::<Vec<_>>());
    }
}

#[test]
fn a_seat_that_is_not_in_play_gets_no_cards() {
    let deal = deal(brixental(3, &[]), &[], "");
    assert!(deal.hand(seat(3)).is_empty());
}

#[test]
fn forehand_leads_whoever_is_declarer() {
    for (calls, declarer) in [
        ("sumpern pass pass pass", 0),
        ("pass sumpern pass pass", 1),
        ("pass pass sumpern pass", 2),
        ("pass pass pass sumpern", 3),
        ("look_in pass sumpern pass pass", 2),
    ] {
        let mut deal = deal(brixental(4, &[]), &[], "");
        call(&mut deal, calls);
        let declaration = deal.declaration().unwrap();
        assert_eq!(declaration.declarer, seat(declarer));
        assert_eq!(deal.turn(), Some(seat(0)), "{calls}");
    }
}

#[test]
fn a_deck_has_every_card_once() {
    let mut order = std::array::from_fn(|i| Card::from_index(i).unwrap());
    assert!(Deck::from_order(order).is_some());
    order[7] = order[8];
    assert_eq!(Deck::from_order(order), None);
}
