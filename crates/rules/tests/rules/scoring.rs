//! Brixental, the score of a deal: made, not made, Matsch, every trick.

use rules::{Action, Deal, DealOutcome, Suit, Target};

use crate::kit::{Rng, brixental, call, cards, deal, outcome, play, play_out, points, seat};

/// All hearts but the six, which lies in the talon: no trick can be lost.
const ALL_TRUMPS: &str = "HA HX HK HO HU H9 H8 H7";

/// A deal in which seat 0 holds all trumps and `declarer` declares this, played to the end.
fn against_all_trumps(declarer: usize, contract: &str, options: &[(&str, &str)]) -> Deal {
    let mut deal = deal(brixental(4, options), &[ALL_TRUMPS], "H6 SA SX SK");
    let calls: Vec<&str> = (0..4)
        .map(|n| if n == declarer { contract } else { "pass" })
        .collect();
    call(&mut deal, &calls.join(" "));
    if contract == "look_in" {
        let discard = deal.legal().actions()[0];
        deal.apply(discard).unwrap();
    }
    play_out(&mut deal);
    deal
}

/// The contract's score, checked against the score of the deal.
#[track_caller]
fn value(deal: &Deal) -> i32 {
    let DealOutcome {
        value,
        spatz,
        declaration,
        ..
    } = outcome(deal);
    assert_eq!(spatz, None, "no trick was won with the Spatz");
    let mut alone = [0; 4];
    alone[declaration.declarer.index()] = value;
    assert_eq!(points(deal), alone, "to the declarer alone");
    value
}

/// The first of the random deals that forehand plays alone as `contract` with these card
/// points and without a Spatz.
fn found(contract: &str, card_points: u8) -> Deal {
    let mut rng = Rng::new(900);
    for _ in 0..10_000 {
        let mut deal = Deal::new(brixental(4, &[]), seat(3), &rng.deck());
        call(&mut deal, &format!("{contract} pass pass pass"));
        while deal.turn().is_some() {
            deal.apply(rng.action(&deal)).unwrap();
        }
        let outcome = outcome(&deal);
        if (outcome.card_points, outcome.spatz) == (Some(card_points), None) {
            return deal;
        }
    }
    panic!("no random deal of {contract} has {card_points}");
}

#[test]
fn sixty_one_wins_and_60_to_60_is_lost() {
    for (contract, card_points, made, expected) in [
        ("look_in", 59, false, -1),
        ("look_in", 60, false, 0),
        ("look_in", 61, true, 1),
        ("sumpern", 60, false, 0),
        ("sumpern", 61, true, 2),
    ] {
        let deal = found(contract, card_points);
        assert_eq!(outcome(&deal).made, made, "{contract} with {card_points}");
        assert_eq!(value(&deal), expected, "{contract} with {card_points}");
    }
}

#[test]
fn a_number_bid_is_made_with_that_number() {
    for (contract, card_points, made, expected) in [
        ("66", 65, false, 0),
        ("66", 66, true, 12),
        ("71", 70, false, 0),
        ("71", 71, true, 22),
        ("71", 61, false, -18),
    ] {
        let deal = found(contract, card_points);
        assert_eq!(outcome(&deal).made, made, "{contract} with {card_points}");
        assert_eq!(value(&deal), expected, "{contract} with {card_points}");
    }
}

#[test]
fn the_target_is_61_or_the_number_bid_or_every_trick_and_hand_games_count_double() {
    let rules = brixental(4, &[]);
    for contract in rules.contracts().map(|id| rules.contract(id)) {
        let target = match contract.name {
            "look_in" | "sumpern" => Target::Points(61),
            "all_tricks" => Target::EveryTrick,
            number => Target::Points(number.parse().unwrap()),
        };
        let multiplier = if contract.name == "look_in" { 1 } else { 2 };
        assert_eq!(contract.target, target, "{}", contract.name);
        assert_eq!(contract.worth, multiplier, "{}", contract.name);
    }
}

#[test]
fn every_trick_made_pays_twice_the_difference_to_60() {
    let deal = against_all_trumps(0, "all_tricks", &[]);
    let outcome = outcome(&deal);
    assert_eq!((outcome.card_points, outcome.tricks), (Some(120), 8));
    assert!(outcome.made);
    assert_eq!(value(&deal), 120);
}

#[test]
fn a_number_bid_pays_by_the_card_points_and_not_by_the_bid() {
    for contract in ["sumpern", "66", "91", "116"] {
        let deal = against_all_trumps(0, contract, &[]);
        assert!(outcome(&deal).made);
        assert_eq!(value(&deal), 120, "{contract}");
    }
    // Looking in is simple.
    let hand = "HA HX HK HO E9 E8 E7 E6";
    let mut deal = deal(brixental(4, &[]), &[hand], "HU H9 H8 H7");
    call(&mut deal, "look_in pass pass pass");
    deal.apply(Action::Discard(cards("E9 E8 E7 E6"))).unwrap();
    play_out(&mut deal);
    assert_eq!(value(&deal), 60);
}

#[test]
fn all_tricks_lost_costs_twice_what_is_missing_to_120() {
    // Seat 0 leads seven trumps, then an ober that seat 1 beats with the ace.
    let hands = ["HA HX HK HO HU H9 H8 EO", "EA", "", ""];
    let mut deal = deal(brixental(4, &[]), &hands, "H7 H6 EX EK");
    call(&mut deal, "all_tricks pass pass pass");
    while deal.tricks().finished() < 7 {
        let lead = deal.turn() == Some(seat(0));
        let playable = deal.playable().difference(cards("EA"));
        let card = if lead {
            playable.of_suit(Suit::Hearts).highest()
        } else {
            playable.lowest()
        };
        deal.apply(Action::Play(card.unwrap())).unwrap();
    }
    let last = play_out(&mut deal);
    assert_eq!(last.tricks, 7);
    assert!(!last.made);
    let lost = deal.tricks().last_finished().unwrap().points();
    assert_eq!(last.card_points, Some(120 - lost));
    assert!(lost >= 14);
    assert_eq!(value(&deal), -2 * i32::from(lost));
}

#[test]
fn a_declarer_without_a_trick_has_no_card_points() {
    for (contract, loss) in [
        ("look_in", -60),
        ("sumpern", -120),
        ("66", -2 * 65),
        ("116", -2 * 115),
        ("all_tricks", -2 * 120),
    ] {
        let deal = against_all_trumps(2, contract, &[]);
        let outcome = outcome(&deal);
        assert_eq!(
            (outcome.card_points, outcome.tricks),
            (Some(0), 0),
            "{contract}"
        );
        assert!(!outcome.made);
        assert_eq!(value(&deal), loss, "{contract}");
    }
}

#[test]
fn matsch_factor_multiplies_the_loss_of_a_declarer_without_a_trick() {
    for (contract, loss) in [("look_in", -180), ("sumpern", -360), ("71", -3 * 140)] {
        let deal = against_all_trumps(2, contract, &[("matsch_factor", "3")]);
        assert_eq!(value(&deal), loss, "{contract}");
    }
}

#[test]
fn matsch_factor_does_not_touch_other_results() {
    let won = against_all_trumps(0, "sumpern", &[("matsch_factor", "3")]);
    assert_eq!(value(&won), 120);
    // One trick, with the ace of trumps, is no Matsch.
    let lost = |options: &[(&str, &str)]| {
        let hands = ["HA E9 E8 E7 G9 G8 G7 E6", "HX HK HO HU H9 H8 H7 EA"];
        let mut deal = deal(brixental(4, options), &hands, "H6 SA SX SK");
        call(&mut deal, "sumpern pass pass pass");
        play(&mut deal, "HA H7");
        play_out(&mut deal);
        assert_eq!(outcome(&deal).tricks, 1);
        value(&deal)
    };
    assert!(lost(&[]) < 0);
    assert_eq!(lost(&[("matsch_factor", "3")]), lost(&[]));
}
