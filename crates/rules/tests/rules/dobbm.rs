//! Dobbm: one turn each, aces among the discards, a payment in each deal.

use rules::{Action, Card, CardSet, Deal, DealEnd, Deck, Effect, Illegal, Phase, Rank, Suit};

use crate::{
    games::found,
    kit::{action, call, cards, deal, outcome, play, play_out, points, seat, table},
};

fn dobbm(options: &[(&str, &str)]) -> rules::Rules {
    table("dobbm", 4, options)
}

#[track_caller]
fn after(hands: &[&str], talon: &str, words: &str) -> Deal {
    let mut deal = deal(dobbm(&[]), hands, talon);
    call(&mut deal, words);
    deal
}

#[test]
fn cards_are_dealt_in_fours_and_the_last_four_are_the_talon() {
    let order = std::array::from_fn(|i| Card::from_index(i).unwrap());
    let deck = Deck::from_order(order).unwrap();
    let places = |cards: CardSet| cards.map(Card::index).collect::<Vec<_>>();
    for dealer in 0..4 {
        let deal = Deal::new(dobbm(&[]), seat(dealer), &deck);
        for n in 0..4 {
            let hand = places(deal.hand(seat((dealer + 1 + n) % 4)));
            let first = usize::from(n) * 4;
            let fours = (first..first + 4).chain(first + 16..first + 20);
            assert_eq!(hand, fours.collect::<Vec<_>>());
        }
        assert_eq!(places(deal.talon()), [32, 33, 34, 35]);
    }
}

#[test]
fn each_has_one_turn_and_solo_overcalls_dobbm() {
    let deal = after(&[], "", "dobbm pass solo pass");
    let declared = deal.declaration().unwrap();
    assert_eq!(declared.declarer, seat(2));
    assert_eq!(deal.rules().contract(declared.contract).name, "solo");
}

#[test]
fn of_equal_bids_the_first_stands() {
    for bid in ["dobbm", "solo"] {
        let mut deal = after(&[], "", &format!("pass {bid}"));
        assert_eq!(
            deal.apply(action(deal.rules(), bid)),
            Err(Illegal::BidTooLow)
        );
        call(&mut deal, "pass pass");
        assert_eq!(deal.declaration().unwrap().declarer, seat(1));
    }
    let mut deal = after(&[], "", "solo");
    assert_eq!(
        deal.apply(action(deal.rules(), "dobbm")),
        Err(Illegal::BidTooLow)
    );
}

#[test]
fn all_pass_and_the_deal_is_thrown_in() {
    let deal = after(&[], "", "pass pass pass pass");
    assert_eq!(deal.end(), Some(DealEnd::ThrownIn));
}

/// Seat 1 has taken the talon.
fn exchange(hand: &str, talon: &str) -> Deal {
    after(&["", hand], talon, "pass dobbm pass pass")
}

#[track_caller]
fn lays_off(deal: &Deal, text: &str) -> Result<Effect, Illegal> {
    let mut copy = *deal;
    let result = copy.apply(Action::Discard(cards(text)));
    let listed = deal
        .legal()
        .actions()
        .contains(&Action::Discard(cards(text)));
    assert_eq!(result.is_ok(), listed, "{text}");
    result
}

#[test]
fn any_four_of_the_twelve_may_be_laid_off() {
    let deal = exchange("HX HK HO HU EX E6 GX G6", "H9 H8 S7 S6");
    assert_eq!(
        (deal.phase(), deal.turn()),
        (Phase::Exchange, Some(seat(1)))
    );
    assert_eq!(deal.legal().actions().len(), 495, "12 over 4");
    for four in ["H9 H8 S7 S6", "HX HK HO HU", "EX GX S7 H8"] {
        assert_eq!(lays_off(&deal, four), Ok(Effect::None), "{four}");
    }
    for wrong in ["", "EX GX S7", "EX GX S7 H8 H9"] {
        let refused = lays_off(&deal, wrong);
        assert_eq!(
            refused,
            Err(Illegal::DiscardCount { expected: 4 }),
            "{wrong}"
        );
    }
    assert!(matches!(
        lays_off(&deal, "EX GX S7 SA"),
        Err(Illegal::NotHeld(_))
    ));
}

#[test]
fn each_ace_among_the_discards_needs_a_heart_that_is_no_ace() {
    let deal = exchange("HA EA GA SA H9 H8 E6 G6", "H7 H6 S7 S6");
    for allowed in [
        "E6 G6 S7 S6",
        "EA H9 E6 G6",
        "HA H9 E6 G6",
        "EA GA H9 H8",
        "HA EA H7 H6",
        "HA H7 G6 S7",
        "SA H9 H8 H7",
    ] {
        assert_eq!(lays_off(&deal, allowed), Ok(Effect::None), "{allowed}");
    }
    for refused in [
        "EA E6 G6 S7",
        "HA E6 G6 S7",
        // The ace of hearts is an ace and no trump for another one.
        "HA EA E6 G6",
        "HA EA H7 G6",
        "EA GA H9 E6",
    ] {
        assert_eq!(
            lays_off(&deal, refused),
            Err(Illegal::AcesNeedTrumps),
            "{refused}"
        );
    }
}

#[test]
fn three_aces_cannot_be_laid_off() {
    let deal = exchange("HA EA GA SA H9 H8 H7 H6", "HX HK HO HU");
    for choice in deal.legal().actions() {
        if let Action::Discard(cards) = choice {
            assert!(cards.of_rank(Rank::Ace).len() <= 2, "{cards:?}");
        }
    }
    for refused in ["HA EA GA H9", "EA GA SA H9", "HA EA GA SA"] {
        assert_eq!(
            lays_off(&deal, refused),
            Err(Illegal::AcesNeedTrumps),
            "{refused}"
        );
    }
    // 8 over 4 without an ace, 4 × 8 over 3 with one, 6 × 8 over 2 with two.
    assert_eq!(deal.legal().actions().len(), 70 + 4 * 56 + 6 * 28);
}

#[test]
fn solo_is_played_without_an_exchange_and_the_talon_counts_to_the_declarer() {
    let hand = "HA HX HK HO HU H9 H8 H7";
    let mut deal = after(&["", hand], "SA SX SK H6", "pass solo pass pass");
    assert_eq!(
        (deal.phase(), deal.hand(seat(1))),
        (Phase::Play, cards(hand))
    );
    assert_eq!(play_out(&mut deal).card_points, Some(120));
}

#[test]
fn a_declarer_without_a_trick_has_no_card_points() {
    let hand = "HA HX HK HO HU H9 H8 H7";
    let mut deal = after(&["", hand], "SA SX SK H6", "solo pass pass pass");
    assert_eq!(play_out(&mut deal).card_points, Some(0));
    assert_eq!(points(&deal), [-360, 120, 120, 120]);
}

#[test]
fn the_declarer_leads_and_hearts_are_trump() {
    for (calls, declarer) in [("pass pass pass solo", 3), ("dobbm solo pass pass", 1)] {
        let deal = after(&[], "", calls);
        assert_eq!(deal.turn(), Some(seat(declarer)), "{calls}");
        assert_eq!(deal.trump(), Some(Suit::Hearts));
    }
    assert_eq!(
        after(&[], "", "").trump(),
        Some(Suit::Hearts),
        "known at once"
    );
}

#[test]
fn each_opponent_pays_m_times_the_difference_to_60_or_gets_it() {
    for (contract, card_points, m) in [
        ("solo", 61, 2),
        ("solo", 59, 2),
        ("solo", 72, 2),
        ("dobbm", 61, 1),
        ("dobbm", 48, 1),
    ] {
        let calls = format!("{contract} pass pass pass");
        let deal = found(dobbm(&[]), &["HA HX HK"], &calls, card_points);
        let each = m * (i32::from(card_points) - 60);
        assert_eq!(
            points(&deal),
            [3 * each, -each, -each, -each],
            "{contract} {card_points}"
        );
        assert_eq!(outcome(&deal).made, card_points > 60);
    }
}

#[test]
fn sixty_to_60_is_lost_and_nobody_pays() {
    let deal = found(dobbm(&[]), &["HA HX HK"], "solo pass pass pass", 60);
    assert!(!outcome(&deal).made);
    assert_eq!(points(&deal), [0; 4]);
}

#[test]
fn nobody_doubles_unless_the_option_says_so() {
    assert_eq!(after(&[], "", "solo pass pass pass").phase(), Phase::Play);
}

/// All hearts but the seven.
const WITH_SPATZ: &str = "HA HX HK HO HU H9 H8 H6";

/// Forehand holds the Spatz and all trumps, the talon the seven.
#[track_caller]
fn with_spatz(options: &[(&str, &str)], words: &str) -> Vec<i32> {
    let mut deal = deal(dobbm(options), &[WITH_SPATZ], "H7 SA SX SK");
    call(&mut deal, words);
    play_out(&mut deal);
    points(&deal)
}

#[test]
fn with_doubling_defenders_who_passed_are_asked_and_each_double_doubles_m() {
    let doubling = [("doubling", "true")];
    for (words, each) in [
        ("solo pass pass pass pass pass pass", 120),
        ("solo pass pass pass double pass", 240),
        ("solo pass pass pass pass double redouble", 480),
        (
            "dobbm pass pass pass discard(H7,SA,SX,SK) double redouble",
            240,
        ),
    ] {
        assert_eq!(
            with_spatz(&doubling, words),
            [3 * each, -each, -each, -each],
            "{words}"
        );
    }
    let mut overcalled = deal(dobbm(&doubling), &[], "");
    call(&mut overcalled, "pass dobbm solo pass");
    assert_eq!(
        (overcalled.phase(), overcalled.turn()),
        (Phase::Doubling, Some(seat(3)))
    );
    call(&mut overcalled, "pass");
    assert_eq!(overcalled.turn(), Some(seat(0)), "seat 1 has bid");
    call(&mut overcalled, "pass");
    assert_eq!(
        (overcalled.phase(), overcalled.turn()),
        (Phase::Play, Some(seat(2)))
    );
}

#[test]
fn the_spatz_brings_nothing_unless_the_option_says_so() {
    assert_eq!(
        with_spatz(&[], "solo pass pass pass"),
        [360, -120, -120, -120]
    );
}

#[test]
fn with_spatz_each_opponent_pays_10_in_the_last_trick_and_5_before() {
    let spatz = [("spatz", "true")];
    assert_eq!(
        with_spatz(&spatz, "solo pass pass pass"),
        [390, -130, -130, -130]
    );
    let mut early = deal(dobbm(&spatz), &[WITH_SPATZ], "H7 SA SX SK");
    call(&mut early, "solo pass pass pass");
    play(&mut early, "H6");
    play_out(&mut early);
    assert_eq!(points(&early), [375, -125, -125, -125]);
}

#[test]
fn with_spatz_each_opponent_gets_it_when_a_defender_wins_with_it() {
    let spatz = [("spatz", "true")];
    let words = "pass pass solo pass";
    assert_eq!(with_spatz(&spatz, words), [130, 130, -390, 130]);
}

#[test]
fn a_spatz_that_merely_falls_brings_nothing() {
    let hands = ["HA", "H6 E9 E8 E7 G9 G8 G7 S9"];
    let mut deal = deal(dobbm(&[("spatz", "true")]), &hands, "");
    call(&mut deal, "solo pass pass pass");
    play(&mut deal, "HA H6");
    play_out(&mut deal);
    assert_eq!(outcome(&deal).spatz, None);
}

#[test]
fn spatz_multiplied_multiplies_it_by_m_with_doubling() {
    let multiplied = [("spatz", "true"), ("spatz_multiplied", "true")];
    assert_eq!(
        with_spatz(&multiplied, "solo pass pass pass"),
        [420, -140, -140, -140]
    );
    let simple = "dobbm pass pass pass discard(H7,SA,SX,SK)";
    assert_eq!(with_spatz(&multiplied, simple), [210, -70, -70, -70]);
    let doubled = [
        ("spatz", "true"),
        ("spatz_multiplied", "true"),
        ("doubling", "true"),
    ];
    let words = "solo pass pass pass double redouble";
    assert_eq!(with_spatz(&doubled, words), [3 * 560, -560, -560, -560]);
}
