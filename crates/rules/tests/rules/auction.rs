//! Brixental, the auction: clockwise from forehand, a pass is final, each bid is higher.

use rules::{Action, Deal, DealEnd, Effect, Illegal, Legal, Phase};

use crate::kit::{action, brixental, call, deal, seat};

fn four_players() -> Deal {
    deal(brixental(4, &[]), &[], "")
}

/// The seats in the order in which they make these calls.
#[track_caller]
fn turns(mut deal: Deal, calls: &str) -> Vec<u8> {
    let one = |text| {
        let turn = deal.turn().expect("the auction is over").number();
        call(&mut deal, text);
        turn
    };
    calls.split_whitespace().map(one).collect()
}

/// The declarer's seat and contract after these calls, the last of which ends the auction.
#[track_caller]
fn declared(mut deal: Deal, calls: &str) -> (u8, &'static str) {
    match call(&mut deal, calls) {
        Effect::Declared(declaration) => {
            assert_eq!(deal.declaration(), Some(declaration));
            let contract = deal.rules().contract(declaration.contract);
            (declaration.declarer.number(), contract.name)
        }
        other => panic!("nobody is declarer: {other:?}"),
    }
}

/// The names of the contracts that may be bid now.
fn biddable(deal: &Deal) -> Vec<&'static str> {
    let Legal::Call { .. } = deal.legal() else {
        panic!("no auction runs");
    };
    let rules = deal.rules();
    let name = |action| match action {
        Action::Bid(contract) => Some(rules.contract(contract).name),
        _ => None,
    };
    let actions = deal.legal().actions();
    assert!(actions.contains(&Action::Pass), "a pass is always allowed");
    actions.into_iter().filter_map(name).collect()
}

#[test]
fn contracts_rank_from_look_in_to_all_tricks() {
    let ladder = [
        "look_in",
        "sumpern",
        "66",
        "71",
        "76",
        "81",
        "86",
        "91",
        "96",
        "101",
        "106",
        "111",
        "116",
        "all_tricks",
    ];
    assert_eq!(biddable(&four_players()), ladder);
}

#[test]
fn the_auction_goes_clockwise_from_forehand() {
    for players in [3, 4] {
        for dealer in 0..players {
            let rules = brixental(players, &[]);
            let mut rng = crate::kit::Rng::new(1);
            let deal = Deal::new(rules, seat(dealer), &rng.deck());
            let clockwise: Vec<u8> = (1..=players).map(|n| (dealer + n) % players).collect();
            let calls = "pass ".repeat(players.into());
            assert_eq!(turns(deal, &calls), clockwise, "{dealer} deals");
        }
    }
}

#[test]
fn the_auction_takes_as_many_rounds_as_needed() {
    let rounds = "look_in sumpern 66 71 76 81 86 91 96 101 106 111";
    let seats = [0, 1, 2, 3].repeat(3);
    assert_eq!(turns(four_players(), rounds), seats);
}

#[test]
fn a_pass_is_final() {
    let calls = "look_in pass sumpern pass 66 71 76 pass";
    assert_eq!(turns(four_players(), calls), [0, 1, 2, 3, 0, 2, 0, 2]);
    assert_eq!(declared(four_players(), calls), (0, "76"));
}

#[test]
fn each_bid_must_be_higher() {
    let mut deal = four_players();
    call(&mut deal, "71");
    for too_low in ["look_in", "sumpern", "66", "71"] {
        let before = deal;
        let refused = deal.apply(action(before.rules(), too_low));
        assert_eq!(refused, Err(Illegal::BidTooLow), "{too_low}");
        assert_eq!(deal, before);
    }
    assert_eq!(biddable(&deal)[0], "76");
}

#[test]
fn bids_may_jump() {
    assert_eq!(
        declared(four_players(), "sumpern 101 pass pass pass"),
        (1, "101")
    );
    assert_eq!(declared(four_players(), "116 pass pass pass"), (0, "116"));
}

#[test]
fn the_last_bidder_standing_is_declarer() {
    assert_eq!(
        declared(four_players(), "look_in pass pass pass"),
        (0, "look_in")
    );
    assert_eq!(
        declared(four_players(), "pass pass look_in sumpern pass"),
        (3, "sumpern")
    );
    let three = deal(brixental(3, &[]), &[], "");
    assert_eq!(declared(three, "pass sumpern 66 71 pass"), (1, "71"));
}

#[test]
fn nobody_raises_a_bid_of_their_own_that_stands() {
    // When it comes round to the bidder, the auction is over.
    assert_eq!(
        declared(four_players(), "pass pass pass look_in"),
        (3, "look_in")
    );
    assert_eq!(declared(four_players(), "pass 66 pass pass"), (1, "66"));
    let mut deal = four_players();
    call(&mut deal, "pass 66 pass pass");
    assert_eq!(
        deal.apply(action(&brixental(4, &[]), "71")),
        Err(Illegal::WrongPhase)
    );
}

#[test]
fn a_second_player_who_wants_to_look_in_must_bid_sumpern() {
    let mut deal = four_players();
    call(&mut deal, "look_in");
    assert_eq!(
        deal.apply(action(&brixental(4, &[]), "look_in")),
        Err(Illegal::BidTooLow)
    );
    assert_eq!(biddable(&deal)[0], "sumpern");
    call(&mut deal, "sumpern pass pass pass");
    assert_eq!(
        deal.phase(),
        Phase::Play,
        "a hand game: nobody takes up the talon"
    );
}

#[test]
fn a_bid_of_66_needs_no_earlier_sumpern() {
    assert_eq!(declared(four_players(), "66 pass pass pass"), (0, "66"));
    assert_eq!(
        declared(four_players(), "look_in 66 pass pass pass"),
        (1, "66")
    );
}

#[test]
fn all_tricks_is_higher_than_116_and_nothing_is_higher_than_all_tricks() {
    let mut deal = four_players();
    call(&mut deal, "116");
    assert_eq!(biddable(&deal), ["all_tricks"]);
    call(&mut deal, "all_tricks");
    assert!(biddable(&deal).is_empty());
}

#[test]
fn a_turn_with_a_single_legal_action_is_still_a_turn() {
    let mut deal = four_players();
    call(&mut deal, "all_tricks");
    assert_eq!(deal.turn(), Some(seat(1)));
    assert_eq!(deal.legal().actions(), [Action::Pass]);
    assert_eq!(declared(deal, "pass pass pass"), (0, "all_tricks"));
}

#[test]
fn bids_from_sumpern_up_are_hand_games() {
    for contract in brixental(4, &[]).contracts() {
        let name = brixental(4, &[]).contract(contract).name;
        let mut deal = four_players();
        call(&mut deal, &format!("{name} pass pass pass"));
        let exchange = name == "look_in";
        assert_eq!(deal.phase() == Phase::Exchange, exchange, "{name}");
    }
}

#[test]
fn all_pass_and_the_deal_is_thrown_in() {
    for players in [3, 4] {
        let mut deal = deal(brixental(players, &[]), &[], "");
        call(&mut deal, &"pass ".repeat(usize::from(players) - 1));
        assert_eq!(deal.end(), None);
        call(&mut deal, "pass");
        assert_eq!(deal.phase(), Phase::Done);
        assert_eq!(deal.turn(), None);
        assert_eq!(deal.legal(), Legal::Nothing);
        assert_eq!(deal.end(), Some(DealEnd::ThrownIn));
    }
}
