//! Bettel, in Bavarian Tarock and in Haferltarock: no trick, no trump, the ten low.

use rules::{Action, CardOrder, Deal, DealEnd, Phase};

use crate::kit::{call, cards, deal, outcome, play, play_out, seat, table};

/// Seat 1 declares Bettel with these hands.
#[track_caller]
fn bettel(id: &str, hands: &[&str], talon: &str) -> Deal {
    let mut deal = deal(table(id, 3, &[]), hands, talon);
    let words = match id {
        "bavarian" => "bettel pass pass announce(bettel)",
        _ => "pass bettel pass",
    };
    call(&mut deal, words);
    deal
}

const BOTH: [&str; 2] = ["bavarian", "haferltarock"];

#[test]
fn there_is_no_trump_and_nothing_is_named_or_taken_up() {
    for id in BOTH {
        let deal = bettel(id, &["", "E6 H6"], "");
        assert_eq!((deal.phase(), deal.trump()), (Phase::Play, None), "{id}");
        assert_eq!(deal.tricks().order(), CardOrder::NoTrump);
        assert_eq!(deal.hand(seat(1)).len(), 11);
        assert_eq!(deal.turn(), Some(seat(0)), "forehand leads");
    }
}

/// Who wins the first trick of these cards.
#[track_caller]
fn winner(trick: &str) -> u8 {
    let hands: Vec<&str> = trick.split(' ').collect();
    // Whoever cannot follow has only one suit besides.
    let mut deal = bettel("bavarian", &hands, "");
    play(&mut deal, trick);
    deal.tricks().last_finished().unwrap().winner.number()
}

#[test]
fn tens_rank_between_unter_and_nine() {
    for (trick, wins) in [
        ("EX EU E9", 1),
        ("EX E9 E8", 0),
        ("E9 EX E8", 1),
        ("EU EX E9", 0),
        ("EX EK EA", 2),
        ("EO EX EU", 0),
        ("EX EO E6", 1),
        ("E8 EX EU", 2),
        ("EX E6 E7", 0),
        ("EA EK EX", 0),
        ("EU EO EK", 2),
        ("EK EA EO", 1),
    ] {
        assert_eq!(winner(trick), wins, "{trick}");
    }
}

/// Seat 0 has no hearts but the ace, seat 1 no acorns, seat 2 neither acorns nor bells.
const VOIDS: [&str; 3] = [
    "EA EX EK EO EU E9 E8 E7 E6 HA SA",
    "HX HK HO HU H9 SX SK SO SU S9 G6",
    "GA GX GK GO GU G9 G8 G7 H8 H7 H6",
];

#[test]
fn suit_is_followed_and_who_is_void_plays_any_card() {
    let mut deal = bettel("bavarian", &VOIDS, "S8 S7 S6");
    play(&mut deal, "SA");
    assert_eq!(deal.playable(), cards("SX SK SO SU S9"));
    play(&mut deal, "SX");
    assert_eq!(deal.playable(), cards(VOIDS[2]), "no duty to play hearts");
    play(&mut deal, "GA EA");
    assert_eq!(deal.playable().len(), 10, "seat 1 has no acorns");
}

#[test]
fn hearts_beat_no_other_suit() {
    let mut deal = bettel("bavarian", &VOIDS, "S8 S7 S6");
    play(&mut deal, "E6 HX GA");
    assert_eq!(deal.tricks().last_finished().unwrap().winner, seat(0));
}

#[test]
fn it_is_over_and_lost_with_the_declarers_first_trick() {
    let hands = ["E6 E7", "EA E8", "EX E9"];
    for id in BOTH {
        let mut deal = bettel(id, &hands, "");
        play(&mut deal, "E6 E8 E9");
        assert_eq!((deal.phase(), deal.turn()), (Phase::Play, Some(seat(2))));
        play(&mut deal, "EX E7 EA");
        assert_eq!((deal.phase(), deal.turn()), (Phase::Done, None));
        let end = outcome(&deal);
        assert_eq!((end.tricks, end.made), (1, false), "{id}");
        assert_eq!(deal.tricks().finished(), 2);
        assert!(
            deal.apply(Action::Play(deal.hand(seat(0)).lowest().unwrap()))
                .is_err()
        );
    }
}

#[test]
fn no_other_contract_ends_early() {
    let hands = ["E6", "EA", "E9"];
    let mut deal = deal(table("haferltarock", 3, &[]), &hands, "");
    call(&mut deal, "pass herzsolo pass");
    play(&mut deal, "E6 EA E9");
    assert_eq!((deal.phase(), deal.turn()), (Phase::Play, Some(seat(1))));
}

#[test]
fn it_has_no_card_points_and_the_talon_counts_for_nobody() {
    for (hands, made) in [(["", LOW, ""], true), (["E6", "EA", "E7"], false)] {
        let mut deal = bettel("bavarian", &hands, if made { "HA SA GA" } else { "" });
        if !made {
            play(&mut deal, "E6 EA E7");
        }
        let end = match deal.end() {
            Some(DealEnd::Played(end)) => end,
            _ => play_out(&mut deal),
        };
        assert_eq!((end.made, end.card_points), (made, None));
    }
}

/// The lowest of each suit: no trick with it.
const LOW: &str = "E6 E7 E8 E9 G6 G7 G8 H6 H7 S6 S7";

#[test]
fn it_is_won_after_all_tricks_without_one() {
    for (id, each) in [("bavarian", 4), ("haferltarock", 4)] {
        let mut deal = bettel(id, &["", LOW, ""], "");
        play_out(&mut deal);
        let end = outcome(&deal);
        assert_eq!((end.tricks, end.made), (0, true), "{id}");
        assert_eq!(deal.tricks().finished(), 11);
        // 2 v with v = 2; the price 4.
        assert_eq!(end.pay(3, 30).points.first(3), [-each, 2 * each, -each]);
        assert_eq!(end.pay(3, 30).pot, 30);
    }
}

#[test]
fn a_lost_one_pays_each_opponent() {
    for id in BOTH {
        let mut deal = bettel(id, &["E6", "EA", "E9"], "");
        play(&mut deal, "E6 EA E9");
        assert_eq!(
            outcome(&deal).pay(3, 30).points.first(3),
            [4, -8, 4],
            "{id}"
        );
        assert_eq!(outcome(&deal).pay(3, 30).pot, 30);
    }
}
