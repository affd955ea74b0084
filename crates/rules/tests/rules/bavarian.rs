//! Bavarian Tarock, from the contract to what is paid: pick-up, hand, due.

use rules::{Action, Deal, DealEnd, Effect, Illegal, Phase, Session, Suit};

use crate::{
    games::{found, play_against},
    kit::{Rng, call, cards, deal, outcome, play, play_out, seat, table},
};

/// All leaves and the two highest acorns: with leaves as trump no trick can be lost.
const STRONG: &str = "GA GX GK GO GU G9 G8 G7 G6 EA EX";
/// No court card: with bells as trump no trick can be won.
const WEAK: &str = "E6 E7 E8 E9 G6 G7 G8 G9 H6 H7 H8";
const TALON: &str = "S6 S7 S8";

#[track_caller]
fn after(options: &[(&str, &str)], hand: &str, words: &str) -> Deal {
    let mut deal = deal(table("bavarian", 3, options), &[hand], TALON);
    call(&mut deal, words);
    deal
}

#[test]
fn a_pick_up_takes_three_lays_off_three_and_then_names_any_suit() {
    let mut deal = after(&[], STRONG, "pass pass announce(pickup:61)");
    assert_eq!((deal.phase(), deal.trump()), (Phase::Exchange, None));
    assert_eq!(deal.legal().actions().len(), 364, "14 over 3");
    for wrong in ["S6 S7", "S6 S7 S8 G6"] {
        let refused = deal.apply(Action::Discard(cards(wrong)));
        assert_eq!(refused, Err(Illegal::DiscardCount { expected: 3 }));
    }
    call(&mut deal, "discard(EA,GA,S6)");
    assert_eq!((deal.phase(), deal.turn()), (Phase::Trump, Some(seat(0))));
    assert_eq!(deal.legal().actions(), Suit::ALL.map(Action::DeclareTrump));
    for suit in Suit::ALL {
        let mut named = deal;
        assert_eq!(named.apply(Action::DeclareTrump(suit)), Ok(Effect::None));
        assert_eq!((named.phase(), named.trump()), (Phase::Play, Some(suit)));
    }
    assert_eq!(deal.apply(Action::Pass), Err(Illegal::WrongPhase));
}

#[test]
fn with_pickup_trump_hearts_nothing_is_named_in_a_pick_up() {
    let hearts = [("pickup_trump", "hearts")];
    let deal = after(
        &hearts,
        STRONG,
        "pass pass announce(pickup:61) discard(S6,S7,S8)",
    );
    assert_eq!(
        (deal.phase(), deal.trump()),
        (Phase::Play, Some(Suit::Hearts))
    );
    // The option is about pick-ups only.
    let hand = after(&hearts, STRONG, "pass pass announce(hand:61)");
    assert_eq!((hand.phase(), hand.trump()), (Phase::Trump, None));
    assert_eq!(hand.legal().actions().len(), 4);
}

#[test]
fn a_hand_game_names_the_trump_and_the_talon_stays_and_counts() {
    let mut deal = deal(table("bavarian", 3, &[]), &[STRONG], "SA SX SK");
    call(&mut deal, "pass pass announce(hand:61)");
    assert_eq!(
        (deal.phase(), deal.hand(seat(0))),
        (Phase::Trump, cards(STRONG))
    );
    call(&mut deal, "trump(leaves)");
    assert_eq!(deal.view(Some(seat(0))).uncovered.talon, None);
    assert_eq!(play_out(&mut deal).card_points, Some(120));
}

#[test]
fn forehand_leads_whoever_is_declarer() {
    let mut rng = Rng::new(960);
    for words in [
        "pickup:61 pass pass announce(hand:61) trump(acorns)",
        "pass pickup:61 pass announce(hand:61) trump(bells)",
        "pass bettel pass announce(bettel)",
    ] {
        for dealer in 0..3 {
            let rules = table("bavarian", 3, &[]);
            let mut deal = Deal::new(rules, seat(dealer), &rng.deck());
            call(&mut deal, words);
            assert_ne!(deal.declaration().unwrap().declarer, seat((dealer + 1) % 3));
            assert_eq!(deal.turn(), Some(seat((dealer + 1) % 3)), "{words}");
        }
    }
}

#[test]
fn the_suit_that_was_named_is_trump() {
    let hands = ["EA", "GX E6 E7 E8 E9 EX EK EO EU S9 SU", "G6"];
    let mut deal = deal(table("bavarian", 3, &[]), &hands, "");
    call(&mut deal, "pass pass announce(hand:61) trump(acorns)");
    play(&mut deal, "EA E6");
    assert_eq!(deal.tricks().running().unwrap().winner, seat(0));
    let mut bells = after(&[], "HA", "pass pass announce(hand:61) trump(bells)");
    play(&mut bells, "HA");
    assert_eq!(bells.trump(), Some(Suit::Bells));
}

#[test]
fn a_level_is_made_with_that_many_card_points_and_lost_with_one_less() {
    let strong = ["EA EX EK GA SA"];
    for (level, card_points, made) in [
        ("61", 61, true),
        ("61", 60, false),
        ("71", 71, true),
        ("71", 70, false),
    ] {
        let words = format!("pass pass announce(hand:{level}) trump(acorns)");
        let deal = found(table("bavarian", 3, &[]), &strong, &words, card_points);
        assert_eq!(outcome(&deal).made, made, "hand {level} with {card_points}");
    }
}

/// What is paid for a contract that forehand names, in the first deal of a session: what each
/// score changes by, and the pot before and after.
#[track_caller]
fn paid(deal: &mut Deal, stake: i32) -> (Vec<i32>, i32) {
    let mut session = Session::new(*deal.rules(), seat(2));
    session.start_deal();
    assert_eq!(session.pot(), 3 * stake);
    play_out(deal);
    let recorded = session.record(&deal.end().unwrap());
    let from_pot = 3 * stake - session.pot();
    assert_eq!(recorded.points.0.iter().sum::<i32>(), from_pot);
    (recorded.points.first(3).to_vec(), from_pot)
}

/// Every level with its value v.
fn values() -> impl Iterator<Item = (String, i32)> {
    let levels = (1..=12).map(|v| ((61 + 5 * (v - 1)).to_string(), v));
    levels.chain([("due".to_owned(), 13)])
}

#[test]
fn a_pick_up_won_takes_its_value_from_the_pot() {
    for (level, v) in values() {
        let words = format!("pass pass announce(pickup:{level}) discard(S6,S7,S8) trump(leaves)");
        let mut deal = after(&[], STRONG, &words);
        assert_eq!(paid(&mut deal, 10), (vec![v, 0, 0], v), "{level}");
        assert!(outcome(&deal).made);
    }
}

#[test]
fn a_pick_up_lost_takes_it_from_the_pot_for_the_first_opponent_and_pays_the_other() {
    for (level, v) in values() {
        let words = format!("pass pass announce(pickup:{level}) discard(S6,S7,S8) trump(bells)");
        let mut deal = after(&[], WEAK, &words);
        assert_eq!(paid(&mut deal, 10), (vec![-v, v, v], v), "{level}");
        assert_eq!(outcome(&deal).card_points, Some(0));
    }
}

#[test]
fn a_hand_game_pays_twice_its_value_from_each_to_each_without_the_pot() {
    for (level, v) in values() {
        let words = |suit| format!("pass pass announce(hand:{level}) trump({suit})");
        let mut won = after(&[], STRONG, &words("leaves"));
        assert_eq!(
            paid(&mut won, 10),
            (vec![4 * v, -2 * v, -2 * v], 0),
            "{level}"
        );
        let mut lost = after(&[], WEAK, &words("bells"));
        assert_eq!(
            paid(&mut lost, 10),
            (vec![-4 * v, 2 * v, 2 * v], 0),
            "{level}"
        );
    }
}

#[test]
fn the_first_opponent_is_the_next_clockwise_from_the_declarer() {
    for (words, points) in [
        ("pass pass announce(pickup:66)", [-2, 2, 2]),
        ("pickup:66 pass pass announce(pickup:66)", [2, -2, 2]),
        ("pass pickup:66 pass announce(pickup:66)", [2, 2, -2]),
    ] {
        // Three in the pot, so 1 is missing when it pays 3.
        let rules = table("bavarian", 3, &[("stake", "1")]);
        let mut hands = [""; 3];
        let declarer = points.iter().position(|&points| points < 0).unwrap();
        hands[declarer] = WEAK;
        let mut deal = deal(rules, &hands, TALON);
        call(
            &mut deal,
            &format!("{words} discard(S6,S7,S8) trump(bells)"),
        );
        let paid = outcome_after(&mut deal, 1);
        let mut expected = points;
        expected[(declarer + 1) % 3] = 1;
        assert_eq!(paid, (expected.to_vec(), 0), "{words}");
    }
}

/// What each gets with so much in the pot, and what is left in it.
fn outcome_after(deal: &mut Deal, pot: i32) -> (Vec<i32>, i32) {
    let paid = play_out(deal).pay(3, pot);
    (paid.points.first(3).to_vec(), paid.pot)
}

#[test]
fn the_pot_pays_at_most_what_it_holds() {
    let words = "pass pass announce(pickup:81) discard(S6,S7,S8)";
    let mut won = after(&[], STRONG, &format!("{words} trump(leaves)"));
    assert_eq!(outcome_after(&mut won, 3), (vec![3, 0, 0], 0));
    let mut lost = after(&[], WEAK, &format!("{words} trump(bells)"));
    assert_eq!(outcome_after(&mut lost, 3), (vec![-5, 3, 5], 0));
    assert_eq!(outcome_after(&mut lost, 0), (vec![-5, 0, 5], 0));
    assert_eq!(outcome_after(&mut lost, 5), (vec![-5, 5, 5], 0));
}

#[test]
fn due_is_made_with_every_trick_and_lost_with_a_trick_of_no_points() {
    // The last trick goes to the seven of acorns.
    let hand = "GA GX GK GO GU G8 G7 EA EX EK E6";
    let hands = [hand, "E7 E8 E9 EO SA SX SK SO SU S9 S8", ""];
    for (contract, made) in [("hand:due", false), ("hand:116", true)] {
        let mut deal = deal(table("bavarian", 3, &[]), &hands, "G6 G9 EU");
        call(
            &mut deal,
            &format!("pass pass announce({contract}) trump(leaves)"),
        );
        play_against(&mut deal, hand);
        let end = outcome(&deal);
        assert_eq!((end.tricks, end.card_points), (10, Some(120)), "{contract}");
        assert_eq!(end.made, made, "{contract}");
    }
}

#[test]
fn a_deal_that_is_paid_at_once_leaves_nothing_to_settle() {
    for (id, players) in [("dobbm", 4), ("bavarian", 3), ("haferltarock", 3)] {
        let session = Session::new(table(id, players, &[]), seat(0));
        assert_eq!(session.settlement().payments, None, "{id}");
    }
    let end = after(&[], WEAK, "pass pass pass").end();
    assert_eq!(end, Some(DealEnd::ThrownIn));
}
