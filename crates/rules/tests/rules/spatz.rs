//! Brixental, the Spatz: who wins a trick with the six of hearts, before the last one or in it.

use rules::{Action, Card, Deal};

use crate::kit::{brixental, call, cards, deal, outcome, play, play_out, points, seat};

/// The six and all hearts above it but the seven.
const WITH_SPATZ: &str = "HA HX HK HO HU H9 H8 H6";
const OTHER_TRUMP: &str = "H7 SA SX SK";

/// Seat 0 holds the Spatz and all trumps; `declarer` has bid `contract` in a hand game.
fn spatz_at_forehand(declarer: usize, contract: &str, options: &[(&str, &str)]) -> Deal {
    let mut deal = deal(brixental(4, options), &[WITH_SPATZ], OTHER_TRUMP);
    let calls: Vec<&str> = (0..4)
        .map(|n| if n == declarer { contract } else { "pass" })
        .collect();
    call(&mut deal, &calls.join(" "));
    deal
}

/// What the Spatz brings each seat, apart from the contract's score.
#[track_caller]
fn spatz(deal: &Deal) -> Vec<i32> {
    let outcome = outcome(deal);
    let players = deal.rules().players();
    let mut rest = points(deal);
    rest[outcome.declaration.declarer.index()] -= outcome.value;
    let spatz = outcome.spatz.unwrap_or_default();
    assert_eq!(rest, spatz.first(players));
    rest
}

#[test]
fn the_declarer_gets_5_and_each_defender_loses_5_before_the_last_trick() {
    let mut deal = spatz_at_forehand(0, "sumpern", &[]);
    play(&mut deal, "H6");
    play_out(&mut deal);
    assert_eq!(spatz(&deal), [5, -5, -5, -5]);
    assert_eq!(points(&deal), [125, -5, -5, -5]);
}

#[test]
fn the_declarer_gets_10_and_each_defender_loses_10_in_the_last_trick() {
    let mut deal = spatz_at_forehand(0, "sumpern", &[]);
    play_out(&mut deal);
    assert_eq!(deal.tricks().last_finished().unwrap().winner, seat(0));
    assert_eq!(spatz(&deal), [10, -10, -10, -10]);
    assert_eq!(points(&deal), [130, -10, -10, -10]);
}

#[test]
fn the_last_but_one_trick_is_not_the_last() {
    let mut deal = spatz_at_forehand(0, "sumpern", &[]);
    while deal.tricks().finished() < 6 {
        let keep = deal.playable().without(Card::SPATZ);
        deal.apply(Action::Play(keep.lowest().unwrap())).unwrap();
    }
    play(&mut deal, "H6");
    play_out(&mut deal);
    assert_eq!(spatz(&deal), [5, -5, -5, -5]);
}

#[test]
fn a_defender_wins_it_for_each_of_the_defenders() {
    let mut early = spatz_at_forehand(2, "sumpern", &[]);
    play(&mut early, "H6");
    play_out(&mut early);
    assert_eq!(spatz(&early), [5, 5, -5, 5]);
    assert_eq!(points(&early), [5, 5, -125, 5]);
    let mut late = spatz_at_forehand(3, "sumpern", &[]);
    play_out(&mut late);
    assert_eq!(spatz(&late), [10, 10, 10, -10]);
}

#[test]
fn three_players_win_and_lose_it_in_the_same_way() {
    let hand = "HA HX HK HO HU H9 H8 H6 EA EX EK";
    let start = |calls: &str| {
        let mut deal = deal(brixental(3, &[]), &[hand], "H7 SA SX");
        call(&mut deal, calls);
        deal
    };
    let mut early = start("sumpern pass pass");
    play(&mut early, "H6");
    play_out(&mut early);
    assert_eq!(spatz(&early), [5, -5, -5]);
    let mut late = start("pass pass sumpern");
    play_out(&mut late);
    assert_eq!(spatz(&late), [10, 10, -10]);
}

#[test]
fn it_may_win_by_trumping() {
    let hands = ["EA", WITH_SPATZ, "EX", "EK"];
    let mut deal = deal(brixental(4, &[]), &hands, OTHER_TRUMP);
    call(&mut deal, "sumpern pass pass pass");
    play(&mut deal, "EA H6 EX EK");
    assert_eq!(deal.turn(), Some(seat(1)));
    play_out(&mut deal);
    assert_eq!(spatz(&deal), [-5, 5, 5, 5]);
}

#[test]
fn it_brings_nothing_when_it_merely_falls() {
    // Under a trump of the other party, and under one of its own.
    for declarer in ["sumpern pass pass pass", "pass pass pass sumpern"] {
        let hands = ["HA", "H6 E9 E8 E7 G9 G8 G7 S9"];
        let mut deal = deal(brixental(4, &[]), &hands, "");
        call(&mut deal, declarer);
        play(&mut deal, "HA H6");
        play_out(&mut deal);
        assert_eq!(outcome(&deal).spatz, None);
        assert_eq!(spatz(&deal), [0, 0, 0, 0]);
    }
}

#[test]
fn it_brings_nothing_in_the_talon_or_among_the_discards() {
    let mut talon = deal(brixental(4, &[]), &["HA"], "H6");
    call(&mut talon, "sumpern pass pass pass");
    play_out(&mut talon);
    assert_eq!(outcome(&talon).spatz, None);
    let mut laid_off = deal(brixental(4, &[]), &["HA H6 E6 E7 E8"], "");
    call(&mut laid_off, "look_in pass pass pass");
    let discard = cards("H6 E6 E7 E8");
    laid_off.apply(Action::Discard(discard)).unwrap();
    play_out(&mut laid_off);
    assert_eq!(outcome(&laid_off).spatz, None);
}

#[test]
fn it_is_not_multiplied_and_does_not_change_the_card_points() {
    for contract in ["sumpern", "71", "all_tricks"] {
        let mut deal = spatz_at_forehand(0, contract, &[]);
        play_out(&mut deal);
        assert_eq!(outcome(&deal).card_points, Some(120));
        assert_eq!(spatz(&deal), [10, -10, -10, -10], "{contract}");
    }
}

#[test]
fn spatz_multiplied_applies_the_multiplier_of_the_contract() {
    let multiplied = [("spatz_multiplied", "true")];
    let mut late = spatz_at_forehand(0, "sumpern", &multiplied);
    play_out(&mut late);
    assert_eq!(spatz(&late), [20, -20, -20, -20]);
    let mut early = spatz_at_forehand(1, "66", &multiplied);
    play(&mut early, "H6");
    play_out(&mut early);
    assert_eq!(spatz(&early), [10, -10, 10, 10]);
    // Looking in has the multiplier 1.
    let mut simple = spatz_at_forehand(0, "look_in", &multiplied);
    let discard = Action::Discard(cards("HA HX HK HO"));
    simple.apply(discard).unwrap();
    play(&mut simple, "H6");
    play_out(&mut simple);
    assert_eq!(spatz(&simple), [5, -5, -5, -5]);
}

#[test]
fn matsch_factor_never_multiplies_it() {
    let mut deal = spatz_at_forehand(2, "sumpern", &[("matsch_factor", "4")]);
    play_out(&mut deal);
    assert_eq!(outcome(&deal).tricks, 0);
    assert_eq!(outcome(&deal).value, -480);
    assert_eq!(points(&deal), [10, 10, -490, 10]);
}
