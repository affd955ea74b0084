//! Brixental, the settlement of a session, and its places.

use proptest::prelude::*;
use rules::{BySeat, Settlement, places};

use crate::{games::seeded, kit::scored_session};

fn settlement(scores: &[i32], first_dealer: u8) -> Settlement {
    scored_session(scores, first_dealer).settlement()
}

#[track_caller]
fn pays(scores: &[i32], first_dealer: u8, expected: &[i32]) {
    let payments = settlement(scores, first_dealer).payments.unwrap();
    assert_eq!(payments.first(scores.len() as u8), expected);
}

#[test]
fn each_pays_the_winner_the_difference_and_the_lowest_20_more() {
    pays(&[108, 74, 35, 12], 0, &[223, -34, -73, -116]);
    pays(&[-10, 30, 101], 0, &[-131, -71, 202]);
}

#[test]
fn several_winners_share_equally() {
    pays(&[105, 105, 40, 12], 0, &[89, 89, -65, -113]);
    pays(&[40, 105, 12, 105], 2, &[-65, 89, -113, 89]);
}

#[test]
fn each_of_several_lowest_pays_the_20() {
    pays(&[101, 50, 20, 20], 0, &[253, -51, -101, -101]);
    pays(&[101, 50, 50, 50], 0, &[3 * 71, -71, -71, -71]);
    pays(&[110, 110, 0, 0], 0, &[130, 130, -130, -130]);
}

#[test]
fn if_all_are_equal_nobody_pays() {
    pays(&[30, 30, 30, 30], 0, &[0, 0, 0, 0]);
    pays(&[0, 0, 0], 0, &[0, 0, 0]);
    pays(&[-7, -7, -7], 0, &[0, 0, 0]);
}

#[test]
fn what_is_left_over_goes_to_the_winners_nearest_after_the_first_dealer() {
    // 71 + 20 for three winners: 30 each, one left over.
    let scores = [101, 101, 101, 30];
    pays(&scores, 0, &[30, 31, 30, -91]);
    pays(&scores, 1, &[30, 30, 31, -91]);
    // Seat 3 after the dealer is no winner, so it goes to seat 0.
    pays(&scores, 2, &[31, 30, 30, -91]);
    pays(&scores, 3, &[31, 30, 30, -91]);
    // 72 + 20: two left over.
    let scores = [101, 101, 101, 29];
    pays(&scores, 0, &[30, 31, 31, -92]);
    pays(&scores, 1, &[31, 30, 31, -92]);
    pays(&scores, 2, &[31, 31, 30, -92]);
    // Two winners of three players.
    pays(&[10, 101, 101], 1, &[-111, 55, 56]);
    pays(&[10, 101, 101], 2, &[-111, 56, 55]);
}

#[test]
fn equal_scores_share_a_place() {
    let place = |scores: [i32; 4]| places(&BySeat(scores), 4).0;
    assert_eq!(place([108, 74, 35, 12]), [1, 2, 3, 4]);
    assert_eq!(place([12, 74, 74, 108]), [4, 2, 2, 1]);
    assert_eq!(place([50, 50, 7, 7]), [1, 1, 3, 3]);
    assert_eq!(place([9, 9, 9, -9]), [1, 1, 1, 4]);
    assert_eq!(place([0, 0, 0, 0]), [1, 1, 1, 1]);
    assert_eq!(places(&BySeat([5, 9, 5, 0]), 3).0, [2, 1, 2, 0]);
    assert_eq!(settlement(&[12, 74, 74, 108], 1).places.0, [4, 2, 2, 1]);
}

proptest! {
    #![proptest_config(seeded(256))]

    /// Scores in a narrow range, so that ties are common.
    #[test]
    fn a_settlement_adds_up_to_zero_and_takes_from_all_but_the_winners(
        scores in prop::collection::vec(-4_i32..5, 3..=4),
        first_dealer in 0_u8..3,
    ) {
        let settlement = settlement(&scores, first_dealer);
        let payments = settlement.payments.unwrap();
        let payments = payments.first(scores.len() as u8);
        prop_assert_eq!(payments.iter().sum::<i32>(), 0);
        let highest = *scores.iter().max().unwrap();
        let lowest = *scores.iter().min().unwrap();
        let mut shares = Vec::new();
        for (&score, &payment) in scores.iter().zip(payments) {
            if score == highest {
                shares.push(payment);
            } else {
                let extra = if score == lowest { 20 } else { 0 };
                prop_assert_eq!(payment, score - highest - extra);
            }
        }
        let spread = shares.iter().max().unwrap() - shares.iter().min().unwrap();
        prop_assert!(spread <= 1, "winners share equally: {shares:?}");
    }
}
