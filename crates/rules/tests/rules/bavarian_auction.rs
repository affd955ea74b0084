//! Bavarian Tarock, the auction by holding: two meet at a time, the earlier seat holds, and the
//! winner names the contract.

use rules::{Action, Deal, DealEnd, Effect, Illegal, Legal, Phase};

use crate::kit::{action, call, deal, seat, table, word};

fn fresh() -> Deal {
    deal(table("bavarian", 3, &[]), &[], "S6 S7 S8")
}

#[track_caller]
fn after(words: &str) -> Deal {
    let mut deal = fresh();
    call(&mut deal, words);
    deal
}

/// The seats in the order in which they say these things.
#[track_caller]
fn turns(words: &str) -> Vec<u8> {
    let mut deal = fresh();
    let one = |word| {
        let turn = deal.turn().expect("the deal is over").number();
        call(&mut deal, word);
        turn
    };
    words.split_whitespace().map(one).collect()
}

/// Who won the auction, and the lowest contract that may be announced.
#[track_caller]
fn won(words: &str) -> (u8, String) {
    let deal = after(words);
    assert_eq!(deal.phase(), Phase::Announcement, "{words}");
    let Legal::Announce {
        may_pass: false, ..
    } = deal.legal()
    else {
        panic!("somebody has bid: {:?}", deal.legal());
    };
    let lowest = word(deal.rules(), deal.legal().actions()[0]);
    (deal.turn().unwrap().number(), lowest)
}

#[track_caller]
fn refuses(deal: &Deal, text: &str, why: Illegal) {
    let mut copy = *deal;
    assert_eq!(copy.apply(action(deal.rules(), text)), Err(why), "{text}");
    assert_eq!(copy, *deal);
}

#[test]
fn contracts_rank_pickups_then_hand_61_then_bettel_then_the_other_hand_games() {
    let deal = after("pass pass");
    let listed = deal.legal().actions().into_iter().skip(1);
    let listed: Vec<String> = listed.map(|action| word(deal.rules(), action)).collect();
    let levels = [61, 66, 71, 76, 81, 86, 91, 96, 101, 106, 111, 116];
    let names = |kind: &str| {
        let levels = levels.iter().map(|level| format!("{kind}:{level}"));
        levels.chain([format!("{kind}:due")]).collect::<Vec<_>>()
    };
    let mut ladder = names("pickup");
    let mut hand = names("hand");
    hand.insert(1, "bettel".to_owned());
    ladder.extend(hand);
    let expected: Vec<String> = ladder
        .iter()
        .map(|name| format!("announce({name})"))
        .collect();
    assert_eq!(listed, expected);
}

#[test]
fn the_second_names_a_bid_and_forehand_holds_or_passes() {
    assert_eq!(turns("pickup:61 hold"), [1, 0]);
    let answering = after("pickup:61");
    assert_eq!(answering.legal().actions(), [Action::Pass, Action::Hold]);
    refuses(&answering, "pickup:66", Illegal::WrongPhase);
    // Nor does the one who bids hold.
    refuses(&fresh(), "hold", Illegal::WrongPhase);
    refuses(&after("pickup:61 hold"), "hold", Illegal::WrongPhase);
}

#[test]
fn then_the_second_goes_higher_or_passes() {
    assert_eq!(
        turns("pickup:61 hold pickup:71 hold hand:61 hold pass"),
        [1, 0, 1, 0, 1, 0, 1]
    );
    let held = after("pickup:66 hold");
    assert_eq!(held.turn(), Some(seat(1)));
    for too_low in ["pickup:61", "pickup:66"] {
        refuses(&held, too_low, Illegal::BidTooLow);
    }
    assert_eq!(held.legal().actions()[0], Action::Pass);
    assert_eq!(word(held.rules(), held.legal().actions()[1]), "pickup:71");
}

#[test]
fn the_survivor_holding_meets_the_third_in_the_same_way() {
    // Forehand has survived.
    assert_eq!(
        turns("pickup:61 hold pass pickup:66 hold pickup:71 pass"),
        [1, 0, 1, 2, 0, 2, 0]
    );
    assert_eq!(
        won("pickup:61 hold pass pickup:66 hold pickup:71 pass"),
        (2, "announce(pickup:71)".to_owned())
    );
    // The second has.
    assert_eq!(turns("pickup:61 pass pickup:66 hold pass"), [1, 0, 2, 1, 2]);
    assert_eq!(
        won("pickup:61 pass pickup:66 hold pass"),
        (1, "announce(pickup:66)".to_owned())
    );
    // The third must go higher than what was bid before.
    refuses(&after("pickup:71 pass"), "pickup:71", Illegal::BidTooLow);
}

#[test]
fn an_equal_level_belongs_to_the_earlier_seat() {
    assert_eq!(
        won("pickup:66 hold pass pass"),
        (0, "announce(pickup:66)".to_owned())
    );
    assert_eq!(
        won("pickup:61 pass hand:61 hold pass"),
        (1, "announce(hand:61)".to_owned())
    );
}

#[test]
fn if_the_second_passes_at_once_the_third_meets_forehand() {
    assert_eq!(turns("pass pickup:61 hold pickup:66 pass"), [1, 2, 0, 2, 0]);
    assert_eq!(
        won("pass pickup:61 hold pickup:66 pass"),
        (2, "announce(pickup:66)".to_owned())
    );
    assert_eq!(
        won("pass bettel hold pass"),
        (0, "announce(bettel)".to_owned())
    );
}

#[test]
fn if_nobody_has_bid_forehand_alone_names_a_contract_or_passes_in_one_turn() {
    let deal = after("pass pass");
    assert_eq!(
        (deal.phase(), deal.turn()),
        (Phase::Announcement, Some(seat(0)))
    );
    let actions = deal.legal().actions();
    assert_eq!(actions.len(), 28, "27 contracts or a pass");
    assert_eq!(actions[0], Action::Pass);
    refuses(&deal, "pickup:61", Illegal::WrongPhase);
    let mut named = deal;
    assert!(matches!(
        call(&mut named, "announce(hand:76)"),
        Effect::Declared(_)
    ));
    assert_eq!(named.declaration().unwrap().declarer, seat(0));
    assert_eq!(named.phase(), Phase::Trump);
}

#[test]
fn all_pass_and_the_deal_is_thrown_in() {
    let deal = after("pass pass pass");
    assert_eq!(turns("pass pass pass"), [1, 2, 0]);
    assert_eq!((deal.phase(), deal.turn()), (Phase::Done, None));
    assert_eq!(deal.end(), Some(DealEnd::ThrownIn));
    assert_eq!(deal.legal(), Legal::Nothing);
}

#[test]
fn the_auction_is_over_when_two_have_passed() {
    assert_eq!(
        won("pickup:61 pass pass"),
        (1, "announce(pickup:61)".to_owned())
    );
    refuses(&after("pickup:61 pass pass"), "pass", Illegal::MustAnnounce);
}

#[test]
fn the_winner_announces_the_highest_bid_or_a_higher_one_but_never_a_lower() {
    let deal = after("pickup:66 hold hand:61 hold pass pass");
    for too_low in ["pickup:61", "pickup:66", "pickup:due"] {
        refuses(
            &deal,
            &format!("announce({too_low})"),
            Illegal::AnnouncementTooLow,
        );
    }
    refuses(&deal, "pass", Illegal::MustAnnounce);
    for allowed in ["hand:61", "bettel", "hand:66", "hand:due"] {
        let mut named = deal;
        call(&mut named, &format!("announce({allowed})"));
        let declared = named.declaration().unwrap();
        assert_eq!(declared.declarer, seat(0));
        assert_eq!(named.rules().contract(declared.contract).name, allowed);
    }
    assert_eq!(deal.legal().actions().len(), 14);
}

#[test]
fn the_contract_is_named_before_looking_at_the_talon() {
    let mut deal = after("pickup:61 pass pass");
    let view = deal.view(Some(seat(1)));
    assert_eq!((view.hand.len(), view.uncovered.talon), (11, None));
    call(&mut deal, "announce(pickup:61)");
    let view = deal.view(Some(seat(1)));
    assert_eq!(
        (view.hand.len(), view.uncovered.talon),
        (14, Some(deal.talon()))
    );
    assert_eq!(deal.phase(), Phase::Exchange);
}

#[test]
fn nothing_is_higher_than_hand_due() {
    let deal = after("hand:due hold");
    assert_eq!(deal.turn(), Some(seat(1)));
    assert_eq!(deal.legal().actions(), [Action::Pass]);
    let won = after("hand:due hold pass pass");
    assert_eq!(
        won.legal().actions(),
        [action(won.rules(), "announce(hand:due)")]
    );
}

#[test]
fn the_longest_auction_bids_and_holds_every_contract() {
    let mut deal = fresh();
    assert!(deal.view(None).calls.is_empty());
    for contract in deal.rules().contracts() {
        deal.apply(Action::Bid(contract)).unwrap();
        deal.apply(Action::Hold).unwrap();
    }
    call(&mut deal, "pass pass");
    assert_eq!(deal.view(None).calls.len(), 27 * 2 + 2);
    assert!(!deal.view(None).calls.is_empty());
    assert_eq!(
        (deal.phase(), deal.turn()),
        (Phase::Announcement, Some(seat(0)))
    );
}
