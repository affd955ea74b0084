//! Bauerntarock with doubling: one turn each, any cards laid off, doubling before the lead.

use rules::{Action, Deal, DealEnd, Illegal, Legal, Phase};

use crate::{
    games::found,
    kit::{action, call, cards, deal, outcome, play_out, points, seat, table},
};

fn four() -> Deal {
    deal(table("bauerntarock", 4, &[]), &[], "")
}

fn three() -> Deal {
    deal(table("bauerntarock", 3, &[]), &[], "")
}

/// After these words, from a fresh deal.
#[track_caller]
fn after(mut deal: Deal, words: &str) -> Deal {
    call(&mut deal, words);
    deal
}

/// The seats in the order in which they do these things.
#[track_caller]
fn turns(mut deal: Deal, words: &str) -> Vec<u8> {
    let one = |word| {
        let turn = deal.turn().expect("the deal is over").number();
        call(&mut deal, word);
        turn
    };
    words.split_whitespace().map(one).collect()
}

#[track_caller]
fn declared(deal: &Deal) -> (u8, &'static str) {
    let declaration = deal.declaration().expect("nobody is declarer");
    let contract = deal.rules().contract(declaration.contract);
    (declaration.declarer.number(), contract.name)
}

#[test]
fn each_has_one_turn_from_forehand() {
    assert_eq!(turns(four(), "pass look_in pass sumpern"), [0, 1, 2, 3]);
    assert_eq!(turns(three(), "look_in pass pass"), [0, 1, 2]);
    // A second turn would be a rising auction.
    let deal = after(four(), "look_in sumpern pass pass");
    assert_eq!(declared(&deal), (1, "sumpern"));
    assert_ne!(deal.phase(), Phase::Auction);
}

#[test]
fn sumpern_overcalls_look_in() {
    assert_eq!(
        declared(&after(three(), "look_in pass sumpern")),
        (2, "sumpern")
    );
}

#[test]
fn of_equal_bids_the_first_stands() {
    for bid in ["look_in", "sumpern"] {
        let mut deal = after(four(), bid);
        let refused = deal.apply(action(deal.rules(), bid));
        assert_eq!(refused, Err(Illegal::BidTooLow), "{bid}");
        call(&mut deal, "pass pass pass");
        assert_eq!(declared(&deal), (0, bid));
    }
    // Nor does look_in overcall sumpern.
    let mut deal = after(four(), "sumpern");
    assert_eq!(
        deal.apply(action(deal.rules(), "look_in")),
        Err(Illegal::BidTooLow)
    );
    assert_eq!(deal.legal().actions(), [Action::Pass]);
}

#[test]
fn all_pass_and_the_deal_is_thrown_in() {
    assert_eq!(
        after(three(), "pass pass pass").end(),
        Some(DealEnd::ThrownIn)
    );
    assert_eq!(
        after(four(), "pass pass pass pass").end(),
        Some(DealEnd::ThrownIn)
    );
}

#[test]
fn any_cards_may_be_laid_off() {
    let hands = ["EA EX E6 E7 G6 G7 S6 S7"];
    let rules = table("bauerntarock", 4, &[]);
    let deal = after(deal(rules, &hands, "HA HX H9 H8"), "look_in pass pass pass");
    assert_eq!(deal.legal().actions().len(), 495, "12 over 4");
    let back = after(deal, "discard(HA,HX,H9,H8)");
    assert_eq!(back.hand(seat(0)), cards(hands[0]));
}

#[test]
fn with_discard_from_original_hand_the_talon_may_not_go_back() {
    let rules = table("bauerntarock", 3, &[("discard_from", "original_hand")]);
    let mut deal = after(deal(rules, &[], "HA HX H9"), "look_in pass pass");
    let refused = deal.apply(Action::Discard(cards("H9 E6 E7")));
    assert!(
        matches!(refused, Err(Illegal::DiscardNotAllowed(_))),
        "{refused:?}"
    );
    assert_eq!(deal.legal().actions().len(), 165, "11 over 3");
}

#[test]
fn sumpern_is_played_without_an_exchange() {
    let deal = after(three(), "sumpern pass pass");
    assert_eq!(deal.phase(), Phase::Doubling);
    assert_eq!(deal.hand(seat(0)).len(), 11);
}

#[test]
fn the_declarer_leads() {
    for (calls, asked, declarer) in [
        ("sumpern pass pass pass", "pass pass pass", 0),
        ("pass pass sumpern pass", "pass pass pass", 2),
        ("look_in pass pass sumpern", "pass pass", 3),
    ] {
        let deal = after(after(four(), calls), asked);
        assert_eq!(deal.phase(), Phase::Play);
        assert_eq!(deal.turn(), Some(seat(declarer)), "{calls}");
    }
}

#[test]
fn defenders_are_asked_clockwise_from_the_declarers_left() {
    let deal = after(four(), "pass sumpern pass pass");
    assert_eq!(turns(deal, "pass pass pass"), [2, 3, 0]);
    let deal = after(three(), "pass pass sumpern");
    assert_eq!(turns(deal, "pass pass"), [0, 1]);
}

#[test]
fn they_are_asked_after_the_exchange_and_before_the_lead() {
    let mut deal = after(three(), "pass look_in pass");
    assert_eq!(deal.phase(), Phase::Exchange);
    for early in [Action::Double, Action::Pass] {
        assert_eq!(deal.apply(early), Err(Illegal::WrongPhase));
    }
    let discard = deal.legal().actions()[0];
    deal.apply(discard).unwrap();
    assert_eq!(
        (deal.phase(), deal.turn()),
        (Phase::Doubling, Some(seat(2)))
    );
    call(&mut deal, "pass pass");
    assert_eq!((deal.phase(), deal.turn()), (Phase::Play, Some(seat(1))));
    assert_eq!(deal.apply(Action::Double), Err(Illegal::WrongPhase));
}

#[test]
fn a_defender_who_bid_and_was_overcalled_may_not_double() {
    // Seat 0 has bid: 2 and 3 are asked, then the lead is due.
    let deal = after(four(), "look_in sumpern pass pass");
    assert_eq!(turns(deal, "pass pass"), [2, 3]);
    let deal = after(deal, "pass pass");
    assert_eq!(deal.phase(), Phase::Play);
    // With three, only seat 0 is left to ask.
    let deal = after(three(), "pass look_in sumpern");
    assert_eq!(turns(deal, "pass"), [0]);
    assert_eq!(after(deal, "pass").phase(), Phase::Play);
}

#[test]
fn the_first_double_ends_the_asking_and_the_declarer_redoubles_or_passes() {
    let mut deal = after(four(), "pass sumpern pass pass");
    assert_eq!(deal.legal(), Legal::Double);
    assert_eq!(deal.apply(Action::Redouble), Err(Illegal::WrongPhase));
    call(&mut deal, "pass double");
    assert_eq!(deal.doubling().doubled_by, Some(seat(3)));
    assert_eq!(
        (deal.turn(), deal.legal()),
        (Some(seat(1)), Legal::Redouble)
    );
    assert_eq!(deal.apply(Action::Double), Err(Illegal::WrongPhase));
    for (answer, redoubled) in [("redouble", true), ("pass", false)] {
        let deal = after(deal, answer);
        assert_eq!(deal.doubling().redoubled, redoubled);
        assert_eq!((deal.phase(), deal.turn()), (Phase::Play, Some(seat(1))));
    }
}

/// All trumps but the six, which lies in the talon: A is 120.
const ALL_TRUMPS: &str = "HA HX HK HO HU H9 H8 H7";

/// Forehand holds all trumps; after these words the deal is played out.
fn against_all_trumps(words: &str, options: &[(&str, &str)]) -> Deal {
    let rules = table("bauerntarock", 4, options);
    let mut deal = deal(rules, &[ALL_TRUMPS], "H6 SA SX SK");
    call(&mut deal, words);
    play_out(&mut deal);
    deal
}

#[test]
fn the_stakes_are_120_240_480_and_240_480_960() {
    // Twice m × 60, as A is 120.
    let look_in = "look_in pass pass pass discard(H6,SA,SX,SK)";
    for (calls, doubling, stake) in [
        (look_in, "pass pass pass", 120),
        (look_in, "double pass", 240),
        (look_in, "pass double redouble", 480),
        ("sumpern pass pass pass", "pass pass pass", 240),
        ("sumpern pass pass pass", "pass pass double pass", 480),
        ("sumpern pass pass pass", "double redouble", 960),
    ] {
        let deal = against_all_trumps(&format!("{calls} {doubling}"), &[]);
        assert_eq!(outcome(&deal).card_points, Some(120));
        assert_eq!(points(&deal), [stake / 2, 0, 0, 0], "{calls} {doubling}");
    }
}

#[test]
fn sixty_one_wins_and_60_to_60_is_lost() {
    for (card_points, made, value) in [(61, true, 2), (60, false, 0), (59, false, -2)] {
        let rules = table("bauerntarock", 4, &[]);
        let deal = found(
            rules,
            &["HA HX HK"],
            "sumpern pass pass pass pass pass pass",
            card_points,
        );
        assert_eq!((outcome(&deal).made, outcome(&deal).value), (made, value));
    }
}

#[test]
fn a_declarer_without_a_trick_loses_m_times_60_and_the_talon() {
    let words = "pass sumpern pass pass double pass";
    let deal = against_all_trumps(&words.replace("double pass", "double redouble"), &[]);
    assert_eq!(
        (outcome(&deal).tricks, outcome(&deal).card_points),
        (0, Some(0))
    );
    assert_eq!(points(&deal), [0, -480, 0, 0]);
    let tripled = against_all_trumps(words, &[("matsch_factor", "3")]);
    assert_eq!(points(&tripled), [0, -3 * 240, 0, 0]);
}
