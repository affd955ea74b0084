//! Brixental, looking in: the declarer takes up the talon and lays off as many cards.

use rules::{Action, CardSet, Deal, Effect, Illegal, Legal, Phase, Rules};

use crate::kit::{brixental, call, card, cards, deal, outcome, play_out, seat};

const HAND: &str = "HA HX HK HO EX E6 GX G6";
const TALON: &str = "HU H9 SA S6";

/// Seat 1 has looked in and holds twelve cards.
fn looked_in(rules: Rules) -> Deal {
    let mut deal = deal(rules, &["", HAND], TALON);
    call(&mut deal, "pass look_in pass pass");
    deal
}

#[track_caller]
fn discards(deal: &mut Deal, text: &str) -> Result<Effect, Illegal> {
    let before = *deal;
    let result = deal.apply(Action::Discard(cards(text)));
    assert_eq!(result.is_err(), *deal == before);
    result
}

#[test]
fn the_declarer_takes_up_the_talon() {
    let deal = looked_in(brixental(4, &[]));
    assert_eq!(deal.phase(), Phase::Exchange);
    assert_eq!(deal.turn(), Some(seat(1)));
    assert_eq!(deal.hand(seat(1)), cards(HAND).union(cards(TALON)));
}

#[test]
fn as_many_cards_are_laid_off_as_were_taken() {
    let mut deal = looked_in(brixental(4, &[]));
    for wrong in ["", "EX", "EX E6 GX", "EX E6 GX G6 HO"] {
        let refused = discards(&mut deal, wrong);
        assert_eq!(
            refused,
            Err(Illegal::DiscardCount { expected: 4 }),
            "{wrong}"
        );
    }
    assert_eq!(discards(&mut deal, "EX E6 GX G6"), Ok(Effect::None));
    assert_eq!(deal.hand(seat(1)), cards("HA HX HK HO HU H9 SA S6"));
    assert_eq!(deal.phase(), Phase::Play);
    assert_eq!(deal.turn(), Some(seat(0)), "forehand leads");
}

#[test]
fn three_players_lay_off_three() {
    let mut deal = deal(brixental(3, &[]), &["HA EX E6 G6"], "HU SA S6");
    call(&mut deal, "look_in pass pass");
    assert_eq!(deal.hand(seat(0)).len(), 14);
    let refused = discards(&mut deal, "EX E6");
    assert_eq!(refused, Err(Illegal::DiscardCount { expected: 3 }));
    assert_eq!(discards(&mut deal, "EX E6 G6"), Ok(Effect::None));
    assert_eq!(deal.hand(seat(0)).len(), 11);
}

#[test]
fn discards_are_from_the_original_hand() {
    let mut deal = looked_in(brixental(4, &[]));
    let Legal::Discard(choice) = deal.legal() else {
        panic!("an exchange is due");
    };
    assert_eq!((choice.from, choice.count), (cards(HAND), 4));
    assert_eq!(deal.legal().actions().len(), 70, "8 over 4");
    let refused = discards(&mut deal, "EX E6 GX S6");
    assert_eq!(refused, Err(Illegal::DiscardNotAllowed(card("S6"))));
    // Even the whole talon back again.
    assert!(discards(&mut deal, TALON).is_err());
}

#[test]
fn with_discard_from_any_the_talon_may_go_back() {
    let any = brixental(4, &[("discard_from", "any")]);
    let mut deal = looked_in(any);
    assert_eq!(deal.legal().actions().len(), 495, "12 over 4");
    assert_eq!(discards(&mut deal, TALON), Ok(Effect::None));
    assert_eq!(deal.hand(seat(1)), cards(HAND));
    let mut deal = looked_in(any);
    assert_eq!(discards(&mut deal, "EX E6 GX S6"), Ok(Effect::None));
}

#[test]
fn trumps_and_aces_may_be_laid_off() {
    let mut deal = looked_in(brixental(4, &[]));
    assert_eq!(discards(&mut deal, "HA HX HK HO"), Ok(Effect::None));
}

#[test]
fn cards_of_others_cannot_be_laid_off() {
    let mut deal = looked_in(brixental(4, &[]));
    let refused = discards(&mut deal, "EX E6 GX E7");
    assert_eq!(refused, Err(Illegal::NotHeld(card("E7"))));
}

#[test]
fn in_a_hand_game_nobody_takes_up_the_talon() {
    let mut deal = deal(brixental(4, &[]), &["", HAND], TALON);
    call(&mut deal, "pass sumpern pass pass");
    assert_eq!(deal.hand(seat(1)), cards(HAND));
    assert_eq!(discards(&mut deal, "EX E6 GX G6"), Err(Illegal::WrongPhase));
    for number in 0..4 {
        assert_eq!(deal.view(Some(seat(number))).uncovered.talon, None);
    }
}

/// The card points of the tricks that seat 1 won.
fn tricks_of_declarer(deal: &Deal) -> u8 {
    let won = deal.tricks().iter().filter(|trick| trick.winner == seat(1));
    won.map(|trick| trick.points()).sum()
}

#[test]
fn discards_count_to_the_declarer() {
    let mut deal = looked_in(brixental(4, &[]));
    discards(&mut deal, "EX E6 GX G6").unwrap();
    let outcome = play_out(&mut deal);
    assert!(outcome.tricks > 0);
    assert_eq!(outcome.card_points, Some(tricks_of_declarer(&deal) + 20));
}

#[test]
fn an_untouched_talon_counts_to_the_declarer() {
    let mut deal = deal(brixental(4, &[]), &["", HAND], TALON);
    call(&mut deal, "pass sumpern pass pass");
    play_out(&mut deal);
    let outcome = outcome(&deal);
    assert!(outcome.tricks > 0);
    // HU 2, SA 11: the Legage.
    assert_eq!(outcome.card_points, Some(tricks_of_declarer(&deal) + 13));
}

#[test]
fn only_the_declarer_sees_talon_and_discards_before_the_end() {
    let mut deal = looked_in(brixental(4, &[]));
    let seen = |deal: &Deal, number: Option<u8>| deal.view(number.map(seat)).uncovered;
    assert_eq!(seen(&deal, Some(1)).talon, Some(cards(TALON)));
    assert_eq!(seen(&deal, Some(1)).discards, None, "not yet laid off");
    discards(&mut deal, "EX E6 GX G6").unwrap();
    while deal.turn().is_some() {
        for other in [Some(0), Some(2), Some(3), None] {
            assert_eq!(seen(&deal, other).talon, None);
            assert_eq!(seen(&deal, other).discards, None);
        }
        assert_eq!(seen(&deal, Some(1)).talon, Some(cards(TALON)));
        assert_eq!(seen(&deal, Some(1)).discards, Some(cards("EX E6 GX G6")));
        let card = deal.playable().lowest().unwrap();
        deal.apply(Action::Play(card)).unwrap();
    }
    for anybody in [Some(0), Some(1), Some(2), Some(3), None] {
        assert_eq!(seen(&deal, anybody).talon, Some(cards(TALON)));
        assert_eq!(seen(&deal, anybody).discards, Some(cards("EX E6 GX G6")));
    }
}

#[test]
fn a_thrown_in_deal_has_no_discards() {
    let mut deal = deal(brixental(4, &[]), &[], TALON);
    call(&mut deal, "pass pass pass pass");
    let uncovered = deal.view(None).uncovered;
    assert_eq!(uncovered.talon, Some(cards(TALON)));
    assert_eq!(uncovered.discards, None::<CardSet>);
}
