//! The pot (Haferl) and who deals: sessions of Bavarian Tarock and Haferltarock, and of Dobbm.

use rules::{Booking, DealEnd, DealOutcome, Declaration, Recorded, Session};

use crate::kit::{seat, table};

/// The games with a pot: id, and the option that gives it.
const GAMES: [(&str, Option<(&str, &str)>); 2] = [
    ("bavarian", None),
    ("haferltarock", Some(("pay_from", "pot"))),
];

fn bavarian(options: &[(&str, &str)], first_dealer: u8) -> Session {
    Session::new(table("bavarian", 3, options), seat(first_dealer))
}

/// Plays a deal that this seat declares and wins, or loses when the value is negative.
fn deal(session: &mut Session, declarer: u8, value: i32, booking: Booking) -> Recorded {
    let rules = *session.rules();
    session.start_deal();
    session.record(&DealEnd::Played(DealOutcome {
        declaration: Declaration {
            declarer: seat(declarer),
            contract: rules.contracts().next().unwrap(),
        },
        card_points: Some(60),
        tricks: 3,
        made: value > 0,
        value,
        booking,
        spatz: None,
    }))
}

fn pickup(session: &mut Session, declarer: u8, value: i32) {
    deal(session, declarer, value, Booking::Pot);
    let scores: i32 = session.scores().0.iter().sum();
    assert_eq!(scores + session.pot(), 0);
}

fn throw_in(session: &mut Session) -> Recorded {
    session.start_deal();
    session.record(&DealEnd::ThrownIn)
}

fn dealer(session: &Session) -> u8 {
    session
        .next_deal()
        .expect("the session is over")
        .dealer
        .number()
}

#[test]
fn everyone_pays_the_stake_at_the_start() {
    for (id, pot) in GAMES {
        let mut session = Session::new(table(id, 3, pot.as_slice()), seat(0));
        assert_eq!(session.pot(), 0);
        session.start_deal();
        assert_eq!((session.pot(), session.staked()), (30, 10), "{id}");
        assert_eq!(session.scores().first(3), [-10, -10, -10]);
    }
    let mut session = bavarian(&[("stake", "7")], 0);
    session.start_deal();
    assert_eq!(
        (session.pot(), session.scores().first(3)),
        (21, &[-7, -7, -7][..])
    );
}

#[test]
fn a_pot_that_is_not_empty_is_not_filled() {
    let mut session = bavarian(&[], 0);
    pickup(&mut session, 0, 12);
    session.start_deal();
    assert_eq!((session.pot(), session.staked()), (18, 0));
    assert_eq!(session.scores().first(3), [2, -10, -10]);
}

#[test]
fn an_empty_pot_is_filled_at_the_start_of_the_next_deal() {
    let mut session = bavarian(&[("stake", "1")], 0);
    pickup(&mut session, 1, 5);
    assert_eq!(
        (session.pot(), session.scores().first(3)),
        (0, &[-1, 2, -1][..])
    );
    session.start_deal();
    assert_eq!((session.pot(), session.staked()), (3, 1));
    assert_eq!(session.scores().first(3), [-2, 1, -2]);
}

#[test]
fn an_empty_pot_is_not_filled_after_the_last_deal() {
    let mut session = bavarian(&[("stake", "1"), ("length", "rounds(1)")], 0);
    for declarer in 0..3 {
        pickup(&mut session, declarer, 13);
    }
    assert!(session.is_over());
    assert_eq!(session.next_deal(), None);
    assert_eq!(session.pot(), 0);
    let settlement = session.settlement();
    assert_eq!(settlement.pot_shares.0, [0; 4]);
    assert_eq!(settlement.scores.first(3), [0, 0, 0]);
}

#[test]
fn what_is_left_in_the_pot_is_shared_equally() {
    let mut session = bavarian(&[("length", "rounds(1)")], 0);
    pickup(&mut session, 0, 12);
    pickup(&mut session, 1, -6);
    pickup(&mut session, 0, 3);
    assert_eq!(session.pot(), 9);
    let settlement = session.settlement();
    assert_eq!(settlement.pot_shares.first(3), [3, 3, 3]);
    assert_eq!(settlement.scores.0.iter().sum::<i32>(), 0);
}

#[test]
fn a_remainder_goes_one_each_to_those_nearest_after_the_first_dealer() {
    for (taken, shares) in [(1, [9, 10, 10]), (2, [9, 10, 9]), (3, [9, 9, 9])] {
        for first_dealer in 0..3 {
            let mut session = bavarian(&[], first_dealer);
            pickup(&mut session, 0, taken);
            let got = session.settlement().pot_shares;
            for n in 0..3 {
                let seat = seat((first_dealer + n) % 3);
                assert_eq!(got[seat], shares[usize::from(n)], "{taken} taken");
            }
        }
    }
}

#[test]
fn the_standing_is_by_score_after_sharing_the_pot_and_equal_scores_share_a_place() {
    // 29 in the pot: shares of 9, 10, 10 from the first dealer.
    let mut session = bavarian(&[], 0);
    pickup(&mut session, 0, 1);
    assert_eq!(session.scores().first(3), [-9, -10, -10]);
    let settlement = session.settlement();
    assert_eq!(settlement.scores.first(3), [0, 0, 0]);
    assert_eq!(settlement.places.first(3), [1, 1, 1]);
    let mut session = bavarian(&[], 0);
    deal(&mut session, 1, 4, Booking::FromEach);
    assert_eq!(session.settlement().scores.first(3), [-4, 8, -4]);
    assert_eq!(session.settlement().places.first(3), [2, 1, 2]);
}

#[test]
fn an_all_passed_deal_counts_and_the_next_seat_deals() {
    for (id, _) in GAMES {
        let rules = table(id, 3, &[("length", "rounds(1)")]);
        let mut session = Session::new(rules, seat(1));
        for n in 1..=3 {
            assert_eq!(session.next_deal().unwrap().number, n);
            assert_eq!(u32::from(dealer(&session)), n % 3, "{id}");
            let recorded = throw_in(&mut session);
            assert!(recorded.counted);
            assert_eq!(recorded.points.0, [0; 4]);
        }
        assert!(session.is_over(), "three deals of the round");
    }
}

#[test]
fn a_thrown_in_deal_leaves_the_pot_as_it_is() {
    let mut session = bavarian(&[], 0);
    throw_in(&mut session);
    assert_eq!(
        (session.pot(), session.scores().first(3)),
        (30, &[-10, -10, -10][..])
    );
    session.start_deal();
    assert_eq!(session.pot(), 30);
}

#[test]
fn the_deal_moves_clockwise_whoever_was_declarer() {
    for (id, pot) in GAMES {
        let mut session = Session::new(table(id, 3, pot.as_slice()), seat(2));
        for n in 0..6 {
            assert_eq!(dealer(&session), (2 + n) % 3, "{id}");
            pickup(&mut session, 1, 1);
        }
    }
}

#[test]
fn rounds_n_is_n_times_the_players_counted_deals_and_4_by_default() {
    for (id, players, options, deals) in [
        ("bavarian", 3, None, 12),
        ("haferltarock", 3, None, 12),
        ("dobbm", 4, None, 16),
        ("bavarian", 3, Some("rounds(2)"), 6),
        ("haferltarock", 3, Some("rounds(1)"), 3),
        ("dobbm", 4, Some("rounds(3)"), 12),
    ] {
        let options: Vec<_> = options
            .map(|length| ("length", length))
            .into_iter()
            .collect();
        let mut session = Session::new(table(id, players, &options), seat(0));
        let mut played = 0;
        while session.next_deal().is_some() {
            deal(&mut session, 1, 200, Booking::FromEach);
            played += 1;
        }
        assert_eq!(played, deals, "{id} {options:?}");
    }
}

#[test]
fn in_dobbm_the_declarer_deals_the_next() {
    let mut session = Session::new(table("dobbm", 4, &[]), seat(3));
    assert_eq!(dealer(&session), 3, "the first dealer is drawn");
    for declarer in [2, 2, 0, 1, 3] {
        deal(&mut session, declarer, 5, Booking::FromEach);
        assert_eq!(dealer(&session), declarer);
    }
}

#[test]
fn in_dobbm_the_same_dealer_deals_again_and_after_three_thrown_in_the_next_seat() {
    let mut session = Session::new(table("dobbm", 4, &[]), seat(1));
    for _ in 0..2 {
        assert!(!throw_in(&mut session).counted);
        assert_eq!(dealer(&session), 1);
    }
    assert!(throw_in(&mut session).counted);
    assert_eq!(dealer(&session), 2);
    // The count starts again, and a deal that is played ends it.
    throw_in(&mut session);
    throw_in(&mut session);
    deal(&mut session, 0, 5, Booking::FromEach);
    for _ in 0..2 {
        assert!(!throw_in(&mut session).counted);
        assert_eq!(dealer(&session), 0);
    }
    assert!(throw_in(&mut session).counted);
    assert_eq!(dealer(&session), 1);
}

#[test]
fn in_bauerntarock_the_deal_moves_clockwise_and_three_thrown_in_count_as_one() {
    let mut session = Session::new(
        table("bauerntarock", 3, &[("length", "rounds(1)")]),
        seat(0),
    );
    deal(&mut session, 2, 5, Booking::DeclarerAlone);
    assert_eq!(dealer(&session), 1);
    let counted = [(); 3].map(|()| throw_in(&mut session).counted);
    assert_eq!((counted, dealer(&session)), ([false, false, true], 2));
    deal(&mut session, 2, 5, Booking::DeclarerAlone);
    assert!(session.is_over());
}

#[test]
fn bauerntarock_is_settled_as_brixental_with_ties() {
    let settled = |values: [i32; 4], first_dealer| {
        let mut session = Session::new(table("bauerntarock", 4, &[]), seat(first_dealer));
        for (declarer, value) in (0..).zip(values) {
            deal(&mut session, declarer, value, Booking::DeclarerAlone);
        }
        session.settlement().payments.unwrap().0
    };
    assert_eq!(settled([108, 74, 35, 12], 0), [223, -34, -73, -116]);
    assert_eq!(settled([105, 105, 40, 12], 0), [89, 89, -65, -113]);
    assert_eq!(settled([101, 50, 20, 20], 0), [253, -51, -101, -101]);
    assert_eq!(settled([7, 7, 7, 7], 0), [0, 0, 0, 0]);
    // 71 + 20 for three winners: one left over, to the nearest after the first dealer.
    assert_eq!(settled([101, 101, 101, 30], 1), [30, 30, 31, -91]);
}

#[test]
fn bauerntarock_ends_after_the_round_in_which_somebody_passes_100() {
    let mut session = Session::new(table("bauerntarock", 3, &[]), seat(0));
    for value in [100, 0, 0, 1, -50] {
        assert!(!session.is_over());
        deal(&mut session, 1, value, Booking::DeclarerAlone);
    }
    deal(&mut session, 2, 0, Booking::DeclarerAlone);
    assert!(session.is_over(), "101 in the second round");
}
