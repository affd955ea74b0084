//! Brixental, a session: who deals, which deals count, when it is over.

use rules::{BySeat, DealEnd, NextDeal, Recorded, Session};

use crate::kit::{brixental, scored, seat};

/// A session in which seat 0 deals first.
fn session(players: u8, options: &[(&str, &str)]) -> Session {
    Session::new(brixental(players, options), seat(0))
}

/// Records a deal that brings one seat so many points.
fn score(session: &mut Session, declarer: u8, value: i32) -> Recorded {
    let outcome = scored(session.rules(), declarer, value);
    session.record(&DealEnd::Played(outcome))
}

fn throw_in(session: &mut Session) -> Recorded {
    session.record(&DealEnd::ThrownIn)
}

/// Who deals next.
#[track_caller]
fn dealer(session: &Session) -> u8 {
    session
        .next_deal()
        .expect("the session is over")
        .dealer
        .number()
}

/// How many deals without points are played until the session is over.
fn deals_until_over(mut session: Session) -> u32 {
    let mut deals = 0;
    while session.next_deal().is_some() {
        score(&mut session, 0, 0);
        deals += 1;
    }
    assert!(session.is_over());
    deals
}

#[test]
fn the_deal_moves_clockwise() {
    for players in [3, 4] {
        let mut session = session(players, &[]);
        for n in 0..10 {
            assert_eq!(dealer(&session), n % players);
            score(&mut session, 1, 1);
        }
    }
}

#[test]
fn deals_are_numbered_from_1_thrown_in_ones_included() {
    let mut session = Session::new(brixental(4, &[]), seat(2));
    let next = |session: &Session| session.next_deal().unwrap();
    let deal = |number, dealer| NextDeal {
        number,
        dealer: seat(dealer),
    };
    assert_eq!(next(&session), deal(1, 2));
    throw_in(&mut session);
    assert_eq!(next(&session), deal(2, 2));
    score(&mut session, 0, 1);
    assert_eq!(next(&session), deal(3, 3));
}

#[test]
fn a_score_is_the_sum_of_the_deals() {
    let mut session = session(4, &[]);
    let recorded = score(&mut session, 1, 15);
    assert_eq!(recorded.points.0, [0, 15, 0, 0]);
    assert!(recorded.counted);
    score(&mut session, 2, -24);
    score(&mut session, 1, -13);
    assert_eq!(session.scores().0, [0, 2, -24, 0]);
}

#[test]
fn after_a_thrown_in_deal_the_same_dealer_deals_again() {
    let mut session = session(4, &[]);
    score(&mut session, 0, 1);
    for _ in 0..2 {
        let recorded = throw_in(&mut session);
        assert!(!recorded.counted);
        assert_eq!(recorded.points.0, [0; 4]);
        assert_eq!(dealer(&session), 1);
    }
}

#[test]
fn the_third_thrown_in_deal_in_a_row_counts_as_dealt_without_a_score() {
    let mut session = session(4, &[("length", "rounds(1)")]);
    assert!(!throw_in(&mut session).counted);
    assert!(!throw_in(&mut session).counted);
    let third = throw_in(&mut session);
    assert!(third.counted);
    assert_eq!(third.points.0, [0; 4]);
    assert_eq!(dealer(&session), 1, "the deal moves on");
    // The count starts again.
    assert!(!throw_in(&mut session).counted);
    assert!(!throw_in(&mut session).counted);
    assert!(throw_in(&mut session).counted);
    // It counts towards the round as well.
    score(&mut session, 0, 5);
    assert!(!session.is_over());
    score(&mut session, 0, 5);
    assert!(session.is_over());
}

#[test]
fn a_deal_that_is_played_starts_the_count_of_thrown_in_deals_again() {
    let mut session = session(4, &[]);
    throw_in(&mut session);
    throw_in(&mut session);
    score(&mut session, 0, 1);
    assert!(!throw_in(&mut session).counted);
    assert!(!throw_in(&mut session).counted);
    assert_eq!(dealer(&session), 1);
    assert!(throw_in(&mut session).counted);
}

#[test]
fn max_thrown_in_sets_how_many_are_thrown_in_before_the_deal_moves_on() {
    let mut once = session(3, &[("max_thrown_in", "1")]);
    assert!(throw_in(&mut once).counted);
    assert_eq!(dealer(&once), 1);
    let mut five = session(3, &[("max_thrown_in", "5")]);
    let counted: Vec<bool> = (0..10).map(|_| throw_in(&mut five).counted).collect();
    let fifth = [false, false, false, false, true];
    assert_eq!(counted, fifth.repeat(2));
}

#[test]
fn more_than_100_ends_the_session_and_100_does_not() {
    for (points, over) in [(99, false), (100, false), (101, true)] {
        let mut session = session(4, &[]);
        score(&mut session, 2, points);
        for _ in 1..4 {
            score(&mut session, 0, 0);
        }
        assert_eq!(session.is_over(), over, "{points}");
    }
}

#[test]
fn the_round_is_finished_so_that_all_have_dealt_equally_often() {
    for players in [3, 4] {
        for nth in 1..=2 * players {
            let mut session = session(players, &[]);
            let mut dealt = vec![0; players.into()];
            for n in 1.. {
                let Some(next) = session.next_deal() else {
                    break;
                };
                dealt[next.dealer.index()] += 1;
                score(&mut session, 1, if n == nth { 101 } else { 0 });
            }
            let rounds = if nth <= players { 1 } else { 2 };
            assert_eq!(dealt, vec![rounds; players.into()], "101 in deal {nth}");
        }
    }
}

#[test]
fn the_session_ends_with_that_round_whatever_happens_in_it() {
    let mut session = session(4, &[]);
    score(&mut session, 2, 101);
    score(&mut session, 2, -60);
    assert_eq!(session.scores().0, [0, 0, 41, 0]);
    score(&mut session, 0, 0);
    score(&mut session, 0, 0);
    assert!(session.is_over());
}

#[test]
fn a_spatz_can_bring_a_defender_over_100() {
    let mut session = session(4, &[]);
    score(&mut session, 3, 96);
    let mut outcome = scored(session.rules(), 0, 2);
    outcome.spatz = Some(BySeat([-5, 5, 5, 5]));
    session.record(&DealEnd::Played(outcome));
    assert_eq!(session.scores().0, [-3, 5, 5, 101]);
    score(&mut session, 0, 0);
    score(&mut session, 0, 0);
    assert!(session.is_over());
}

#[test]
fn a_session_by_points_ends_at_the_latest_after_max_rounds() {
    assert_eq!(deals_until_over(session(4, &[])), 12 * 4);
    assert_eq!(deals_until_over(session(3, &[])), 12 * 3);
    let two = [("max_rounds", "2"), ("length", "points(20)")];
    assert_eq!(deals_until_over(session(4, &two)), 2 * 4);
}

#[test]
fn a_session_by_points_may_be_to_another_number() {
    let mut session = session(3, &[("length", "points(20)")]);
    score(&mut session, 0, 20);
    score(&mut session, 0, 0);
    score(&mut session, 0, 0);
    assert!(!session.is_over());
    score(&mut session, 0, 1);
    score(&mut session, 0, 0);
    score(&mut session, 0, 0);
    assert!(session.is_over());
}

#[test]
fn rounds_n_is_n_deals_of_each_player_whatever_the_scores() {
    for (players, rounds) in [(3, 1), (4, 1), (4, 2), (3, 20)] {
        let length = format!("rounds({rounds})");
        // Neither max_rounds nor a high score ends it.
        let mut session = session(players, &[("length", &length), ("max_rounds", "1")]);
        let mut deals = 0;
        while session.next_deal().is_some() {
            score(&mut session, 0, 200);
            deals += 1;
        }
        assert_eq!(deals, rounds * u32::from(players));
    }
}

#[test]
fn thrown_in_deals_that_do_not_count_do_not_shorten_a_session() {
    let mut session = session(3, &[("length", "rounds(1)")]);
    for _ in 0..3 {
        throw_in(&mut session);
        throw_in(&mut session);
        assert!(!session.is_over());
        score(&mut session, 0, 0);
    }
    assert!(session.is_over());
    assert_eq!(session.next_deal(), None);
}

#[test]
fn a_new_session_is_not_over() {
    for length in ["points(1)", "rounds(1)"] {
        let session = session(3, &[("length", length), ("max_rounds", "1")]);
        assert!(!session.is_over());
        assert_eq!(session.scores().0, [0; 4]);
    }
}
