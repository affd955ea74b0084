//! Haferltarock without bidding: four wishes at fixed prices, Schneider and Matsch.

use rules::{Action, Deal, DealEnd, Illegal, Phase, Session, Suit};

use crate::{
    games::{found, play_against},
    kit::{action, call, cards, deal, outcome, play_out, points, seat, table},
};

/// All leaves and the two highest acorns: with leaves as trump no trick can be lost.
const STRONG: &str = "GA GX GK GO GU G9 G8 G7 G6 EA EX";
/// The same in hearts.
const HEARTS: &str = "HA HX HK HO HU H9 H8 H7 H6 EA EX";
/// No court card: no trick with bells or hearts as trump.
const WEAK: &str = "E6 E7 E8 E9 G6 G7 G8 G9 H6 S7 S6";
const POT: [(&str, &str); 1] = [("pay_from", "pot")];

fn rules(options: &[(&str, &str)]) -> rules::Rules {
    table("haferltarock", 3, options)
}

#[track_caller]
fn after(hand: &str, words: &str) -> Deal {
    let mut deal = deal(rules(&[]), &[hand], "");
    call(&mut deal, words);
    deal
}

#[test]
fn each_has_one_turn_and_a_higher_wish_overcalls() {
    let wishes = ["herz_neischaugn", "solo", "herzsolo", "bettel"];
    for (low, wish) in wishes.iter().enumerate() {
        let mut deal = after("", wish);
        assert_eq!(deal.turn(), Some(seat(1)));
        for (high, other) in wishes.iter().enumerate() {
            let mut copy = deal;
            let result = copy.apply(action(deal.rules(), other));
            if high > low {
                call(&mut copy, "pass");
                assert_eq!(copy.declaration().unwrap().declarer, seat(1));
            } else {
                assert_eq!(result, Err(Illegal::BidTooLow), "{other} over {wish}");
            }
        }
        // Of equals the first stands.
        call(&mut deal, "pass pass");
        assert_eq!(deal.declaration().unwrap().declarer, seat(0));
    }
}

#[test]
fn all_pass_and_the_deal_is_thrown_in() {
    assert_eq!(after("", "pass pass pass").end(), Some(DealEnd::ThrownIn));
}

#[test]
fn herz_neischaugn_takes_up_the_talon_and_hearts_are_trump() {
    let mut deal = after(STRONG, "herz_neischaugn pass pass");
    assert_eq!(
        (deal.phase(), deal.trump()),
        (Phase::Exchange, Some(Suit::Hearts))
    );
    assert_eq!(deal.legal().actions().len(), 364, "14 over 3");
    assert_eq!(
        deal.apply(Action::Discard(cards("GA GX"))),
        Err(Illegal::DiscardCount { expected: 3 })
    );
    call(&mut deal, "discard(GA,GX,EX)");
    assert_eq!((deal.phase(), deal.turn()), (Phase::Play, Some(seat(0))));
}

#[test]
fn solo_names_acorns_leaves_or_bells() {
    let deal = after(STRONG, "solo pass pass");
    let suits = [Suit::Acorns, Suit::Leaves, Suit::Bells];
    assert_eq!((deal.phase(), deal.turn()), (Phase::Trump, Some(seat(0))));
    assert_eq!(deal.legal().actions(), suits.map(Action::DeclareTrump));
    let mut hearts = deal;
    let refused = hearts.apply(Action::DeclareTrump(Suit::Hearts));
    assert_eq!(refused, Err(Illegal::TrumpNotAllowed(Suit::Hearts)));
    for suit in suits {
        let mut named = deal;
        named.apply(Action::DeclareTrump(suit)).unwrap();
        assert_eq!((named.phase(), named.trump()), (Phase::Play, Some(suit)));
        assert_eq!(named.hand(seat(0)), cards(STRONG), "a hand game");
    }
}

#[test]
fn herzsolo_is_a_hand_game_with_hearts() {
    let deal = after(STRONG, "herzsolo pass pass");
    assert_eq!(
        (deal.phase(), deal.trump()),
        (Phase::Play, Some(Suit::Hearts))
    );
    assert_eq!(deal.hand(seat(0)), cards(STRONG));
}

#[test]
fn forehand_leads_whoever_is_declarer() {
    for words in [
        "pass herzsolo pass",
        "pass pass herzsolo",
        "herzsolo bettel pass",
    ] {
        let deal = after("", words);
        assert_ne!(deal.declaration().unwrap().declarer, seat(0));
        assert_eq!(deal.turn(), Some(seat(0)), "{words}");
    }
}

/// Words by which forehand comes to play this, with the price.
const CONTRACTS: [(&str, &str, i32); 3] = [
    (
        "HA HX HK EA",
        "herz_neischaugn pass pass discard(E6,G6,S6)",
        1,
    ),
    ("EA EX EK GA SA", "solo pass pass trump(acorns)", 2),
    ("HA HX HK GA SA", "herzsolo pass pass", 3),
];

/// Forehand's deal with so many card points.
#[track_caller]
fn with(hand: &str, words: &str, card_points: u8) -> Deal {
    let hand = hand.to_owned()
        + if words.contains("E6") {
            " E6 G6 S6"
        } else {
            ""
        };
    found(rules(&[]), &[&hand], words, card_points)
}

#[test]
fn each_opponent_pays_the_price_to_the_declarer_or_gets_it() {
    for (hand, words, price) in CONTRACTS {
        let won = with(hand, words, 70);
        assert_eq!(points(&won), [2 * price, -price, -price], "{words}");
        let lost = with(hand, words, 60);
        assert!(!outcome(&lost).made);
        assert_eq!(points(&lost), [-2 * price, price, price], "{words}");
    }
}

#[test]
fn sixty_one_wins_and_60_is_lost() {
    let (hand, words, _) = CONTRACTS[2];
    assert!(outcome(&with(hand, words, 61)).made);
    assert!(!outcome(&with(hand, words, 60)).made);
}

#[test]
fn schneider_with_91_adds_one_and_90_does_not() {
    let strong = ["HA HX HK HO HU SA SX GA"];
    for (card_points, price) in [(90, 3), (91, 4), (95, 4)] {
        let deal = found(rules(&[]), &strong, "herzsolo pass pass", card_points);
        assert_eq!(points(&deal), [2 * price, -price, -price], "{card_points}");
    }
}

#[test]
fn matsch_with_120_adds_another_one() {
    for (hand, words, price) in [
        (STRONG, "solo pass pass trump(leaves)", 2),
        (HEARTS, "herzsolo pass pass", 3),
    ] {
        let mut deal = after(hand, words);
        assert_eq!(play_out(&mut deal).card_points, Some(120));
        assert_eq!(
            points(&deal),
            [2 * (price + 2), -price - 2, -price - 2],
            "{words}"
        );
    }
}

#[test]
fn matsch_counts_even_if_a_trick_without_points_was_lost() {
    // The six of acorns falls to the seven, all points are the declarer's.
    let hand = "HA HX HK HO HU H9 H8 EA EX EK E6";
    let hands = [hand, "E7 E8 E9 EO SA SX SK SO SU S9 S8", ""];
    let mut deal = deal(rules(&[]), &hands, "H7 H6 EU");
    call(&mut deal, "herzsolo pass pass");
    play_against(&mut deal, hand);
    let end = outcome(&deal);
    assert_eq!((end.tricks, end.card_points), (10, Some(120)));
    assert_eq!(points(&deal), [10, -5, -5]);
}

#[test]
fn there_is_no_addition_when_the_contract_is_lost() {
    // The defenders have 120.
    let mut deal = after(WEAK, "solo pass pass trump(bells)");
    play_out(&mut deal);
    assert!(outcome(&deal).card_points.unwrap() < 30);
    assert_eq!(points(&deal), [-4, 2, 2]);
}

#[test]
fn with_pocket_there_is_no_pot_and_no_stake() {
    let mut session = Session::new(rules(&[]), seat(0));
    session.start_deal();
    assert_eq!((session.pot(), session.staked()), (0, 0));
    assert_eq!(session.scores().0, [0; 4]);
    let end = after(STRONG, "solo pass pass trump(leaves)");
    let mut end = end;
    let paid = play_out(&mut end).pay(3, 0);
    assert_eq!((paid.points.0, paid.pot), ([8, -4, -4, 0], 0));
}

/// What each gets with so much in the pot, and what is left.
#[track_caller]
fn by_pot(hand: &str, words: &str, pot: i32) -> ([i32; 4], i32) {
    let mut deal = deal(rules(&POT), &[hand], "");
    call(&mut deal, words);
    let paid = play_out(&mut deal).pay(3, pot);
    (paid.points.0, paid.pot)
}

#[test]
fn with_pot_every_contract_is_paid_like_a_pick_up_with_the_additions() {
    let solo = "solo pass pass trump(leaves)";
    assert_eq!(by_pot(STRONG, solo, 30), ([4, 0, 0, 0], 26));
    assert_eq!(by_pot(STRONG, solo, 3), ([3, 0, 0, 0], 0));
    assert_eq!(by_pot(HEARTS, "herzsolo pass pass", 30), ([5, 0, 0, 0], 25));
    let neischaugn = "herz_neischaugn pass pass discard(HA,EA,EX)";
    assert_eq!(by_pot(HEARTS, neischaugn, 30), ([3, 0, 0, 0], 27));
    let lost = "solo pass pass trump(bells)";
    assert_eq!(by_pot(WEAK, lost, 30), ([-2, 2, 2, 0], 28));
    assert_eq!(by_pot(WEAK, lost, 1), ([-2, 1, 2, 0], 0));
    let low = "E6 E7 E8 E9 G6 G7 G8 H6 H7 S6 S7";
    assert_eq!(by_pot(low, "bettel pass pass", 30), ([4, 0, 0, 0], 26));
}
