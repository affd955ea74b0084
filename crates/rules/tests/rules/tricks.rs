//! Common to all, following and winning: suit, else trump, else any card; no duty to beat.

use rules::{Action, CardSet, Deal, Effect, Illegal, Legal, Phase, Suit};

use crate::kit::{brixental, call, card, cards, deal, list, play, play_out, seat};

/// Seat 0 leads acorns, seat 1 can follow, seat 2 can only trump, seat 3 can do neither.
const HANDS: [&str; 4] = [
    "EX E9 E8 E7 HX HO HU SK",
    "EA E6 H9 H8 GO GU SO SU",
    "HA H7 H6 GA GX GK SA SX",
    "G9 G8 G7 G6 S9 S8 S7 S6",
];
const TALON: &str = "EK EO EU HK";

/// In the middle of a trick: seat 0 is declarer of a hand game, these cards are played.
#[track_caller]
fn after(played: &str) -> Deal {
    let mut deal = deal(brixental(4, &[]), &HANDS, TALON);
    call(&mut deal, "sumpern pass pass pass");
    play(&mut deal, played);
    deal
}

#[track_caller]
fn may_play(deal: &Deal, expected: &str) {
    assert_eq!(deal.playable(), cards(expected));
    assert_eq!(deal.legal(), Legal::Play(cards(expected)));
}

#[track_caller]
fn refuses(deal: &Deal, text: &str, why: Illegal) {
    let mut copy = *deal;
    assert_eq!(copy.apply(Action::Play(card(text))), Err(why), "{text}");
    assert_eq!(copy, *deal, "a refused card changes nothing");
}

/// Who wins the trick of these cards, the first of which is led by seat 0.
#[track_caller]
fn winner(hands: &[&str], trick: &str) -> u8 {
    let mut deal = deal(brixental(4, &[]), hands, "");
    call(&mut deal, "sumpern pass pass pass");
    match play(&mut deal, trick) {
        Effect::TrickWon(winner) => {
            assert_eq!(deal.turn(), Some(winner), "the winner leads the next trick");
            assert_eq!(deal.tricks().last_finished().unwrap().winner, winner);
            assert_eq!(deal.tricks().won()[winner], 1);
            winner.number()
        }
        other => panic!("the trick is not finished: {other:?}"),
    }
}

#[test]
fn the_leader_may_lead_any_card() {
    may_play(&after(""), HANDS[0]);
}

#[test]
fn the_suit_led_must_be_followed() {
    let deal = after("EX");
    may_play(&deal, "EA E6");
    refuses(&deal, "H9", Illegal::MustFollow(Suit::Acorns));
    refuses(&deal, "GO", Illegal::MustFollow(Suit::Acorns));
}

#[test]
fn who_is_void_of_the_suit_led_must_trump() {
    let deal = after("EX E6");
    may_play(&deal, "HA H7 H6");
    refuses(&deal, "GA", Illegal::MustTrump);
}

#[test]
fn who_is_void_of_suit_and_trump_may_play_any_card() {
    may_play(&after("EX E6 HA"), HANDS[3]);
}

#[test]
fn when_trump_is_led_and_a_hand_has_none_any_card_may_be_played() {
    let deal = after("HX H9 HA");
    may_play(&deal, HANDS[3]);
    let deal = after("HX");
    may_play(&deal, "H9 H8");
    refuses(&deal, "GO", Illegal::MustFollow(Suit::Hearts));
}

/// Both seat 1 and seat 2 must trump the ace of acorns.
const TWO_TRUMP: [&str; 4] = [
    "EA",
    "HX H9 GA GX GK GO GU G9",
    "HA H6 SA SX SK SO SU S9",
    "E7",
];

#[test]
fn there_is_no_duty_to_beat() {
    assert!(after("EX").playable().contains(card("E6")), "under the ten");
    let mut deal = deal(brixental(4, &[]), &TWO_TRUMP, "");
    call(&mut deal, "sumpern pass pass pass");
    play(&mut deal, "EA HX");
    may_play(&deal, "HA H6");
}

#[test]
fn a_card_that_is_not_in_the_hand_is_refused() {
    let deal = after("EX");
    refuses(&deal, "E9", Illegal::NotHeld(card("E9")));
    refuses(&deal, "EX", Illegal::NotHeld(card("EX")));
    refuses(&deal, "EK", Illegal::NotHeld(card("EK")));
}

#[test]
fn the_highest_card_of_the_suit_led_wins_without_a_trump() {
    let hands = ["EX", "EK", "EA", "EO"];
    assert_eq!(winner(&hands, "EX EK EA EO"), 2);
    assert_eq!(winner(&["E9", "E8", "E7", "E6"], "E9 E8 E7 E6"), 0);
    assert_eq!(winner(&["E6", "EU", "E9", "EO"], "E6 EU E9 EO"), 3);
}

#[test]
fn a_higher_card_of_another_suit_does_not_win() {
    let hands = [
        "E6",
        "GA GX GK GO GU G9 G8 G7",
        "SA SX SK SO SU S9 S8 S7",
        "E7",
    ];
    assert_eq!(winner(&hands, "E6 GA SA E7"), 3);
}

#[test]
fn the_highest_trump_wins() {
    // Over the ace of the suit led, over lower trumps led, over a lower trump played before.
    assert_eq!(winner(&HANDS, "EX EA H6 G6"), 2);
    assert_eq!(winner(&HANDS, "HX H9 HA G6"), 2);
    assert_eq!(winner(&HANDS, "HX H9 H7 G6"), 0);
    assert_eq!(winner(&TWO_TRUMP, "EA H9 H6 E7"), 1);
    assert_eq!(winner(&TWO_TRUMP, "EA H9 HA E7"), 2);
}

#[test]
fn cards_are_played_in_their_phase_only() {
    let mut deal = deal(brixental(4, &[]), &HANDS, TALON);
    assert!(deal.playable().is_empty());
    assert_eq!(
        deal.apply(Action::Play(card("EX"))),
        Err(Illegal::WrongPhase)
    );
    call(&mut deal, "look_in pass pass pass");
    assert!(deal.playable().is_empty());
    assert_eq!(
        deal.apply(Action::Play(card("EX"))),
        Err(Illegal::WrongPhase)
    );
    let mut deal = after("EX");
    assert_eq!(deal.apply(Action::Pass), Err(Illegal::WrongPhase));
    let discard = Action::Discard(cards("EA E6 H9 H8"));
    assert_eq!(deal.apply(discard), Err(Illegal::WrongPhase));
}

#[test]
fn a_deal_ends_with_the_last_card() {
    for (players, tricks) in [(3, 11), (4, 8)] {
        let mut deal = deal(brixental(players, &[]), &[], "");
        call(&mut deal, "sumpern");
        call(&mut deal, &"pass ".repeat(usize::from(players) - 1));
        play_out(&mut deal);
        assert_eq!(deal.phase(), Phase::Done);
        assert_eq!(deal.tricks().finished(), tricks);
        assert_eq!(deal.tricks().iter().count(), usize::from(tricks));
        assert_eq!(deal.playable(), CardSet::EMPTY);
    }
}

#[test]
fn a_running_trick_shows_its_leader_its_cards_and_who_is_winning() {
    let deal = after("EX EA H6");
    let trick = deal.tricks().running().unwrap();
    assert_eq!(trick.leader, seat(0));
    assert_eq!(trick.cards, list("EX EA H6"));
    assert_eq!(trick.winner, seat(2));
    assert_eq!(trick.points(), 21);
    assert_eq!(deal.tricks().last_finished(), None);
    assert_eq!(after("").tricks().running(), None);
}

#[test]
fn the_same_cards_led_by_another_seat_are_other_tricks() {
    let mut one = deal(brixental(4, &[]), &HANDS, TALON);
    let deck = crate::kit::deck(one.rules(), &HANDS, TALON);
    let mut other = Deal::new(*one.rules(), seat(0), &deck);
    for deal in [&mut one, &mut other] {
        call(deal, "sumpern pass pass pass");
        play(deal, "EX EA H6 G9");
    }
    assert_eq!(one.tricks().cards(), other.tricks().cards());
    assert_ne!(one.tricks(), other.tricks());
}
