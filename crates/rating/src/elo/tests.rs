//! Hand-computed tables (`10^x` to 50 digits, rounded by hand) and properties.

use proptest::prelude::*;
use skillratings::{
    Outcomes,
    elo::{EloConfig, EloRating, elo},
};

use super::*;

/// Entries of one K; lots in order, so that the first of equals gets the point.
fn entries(ratings: &[i32], places: &[u32], k: i32) -> Vec<Entry> {
    assert_eq!(ratings.len(), places.len());
    let of = |(i, (&rating, &place))| Entry {
        rating,
        k,
        place,
        abandoned: false,
        lot: i as u128,
    };
    ratings.iter().zip(places).enumerate().map(of).collect()
}

#[track_caller]
fn check(ratings: &[i32], places: &[u32], k: i32, expected: &[i32]) {
    let changes = rate(&entries(ratings, places, k));
    assert_eq!(changes, expected, "{ratings:?} placed {places:?}, K {k}");
}

/// As [`check`] with K 20; `left` are the players who abandoned.
#[track_caller]
fn check_left(ratings: &[i32], places: &[u32], left: &[usize], expected: &[i32]) {
    let mut entries = entries(ratings, places, 20);
    for &i in left {
        entries[i].abandoned = true;
    }
    let changes = rate(&entries);
    assert_eq!(
        changes, expected,
        "{ratings:?} placed {places:?}, left {left:?}"
    );
}

#[test]
fn two_players() {
    check(&[1200, 1200], &[1, 2], 40, &[20, -20]);
    check(&[1200, 1200], &[1, 1], 40, &[0, 0]);
    // E of the favourite 0.759747: exact changes ∓15.1949.
    check(&[1400, 1200], &[2, 1], 20, &[-15, 15]);
}

#[test]
fn expected_scores_are_the_published_ones() {
    // The example that every introduction to Elo works through: 1613 against five opponents.
    let opponents = [
        (1609, 0.506),
        (1477, 0.686),
        (1388, 0.785),
        (1586, 0.539),
        (1720, 0.351),
    ];
    // And the usual table of differences.
    let table = [
        (0, 0.5),
        (50, 0.571),
        (100, 0.640),
        (200, 0.760),
        (300, 0.849),
    ];
    let table = table.map(|(difference, e)| (1613 - difference, e));
    for (opponent, published) in opponents.into_iter().chain(table).chain([(1213, 0.909)]) {
        let e = expected(1613, opponent) as f64 / POINT as f64;
        assert!((e - published).abs() < 0.0006, "{opponent}: {e}");
    }
    // Its end, with K 32: 2½ of 2.867 expected, so 1613 becomes 1601.
    let sum: i64 = opponents.iter().map(|&(r, _)| expected(1613, r)).sum();
    let points = 32.0 * (2.5 - sum as f64 / POINT as f64);
    assert_eq!(1613 + points.round() as i32, 1601);
}

#[test]
fn three_equal_players() {
    let equal = [1200; 3];
    check(&equal, &[1, 2, 3], 40, &[20, 0, -20]);
    check(&equal, &[1, 2, 2], 40, &[20, -10, -10]);
    check(&equal, &[1, 1, 3], 40, &[10, 10, -20]);
    check(&equal, &[1, 1, 1], 40, &[0, 0, 0]);
}

#[test]
fn three_unequal_players() {
    let ratings = [1500, 1400, 1300];
    // 6.0019, 0, -6.0019
    check(&ratings, &[1, 2, 3], 20, &[6, 0, -6]);
    // -13.9981, 0, 13.9981
    check(&ratings, &[3, 2, 1], 20, &[-14, 0, 14]);
    // -8.9981, 10, -1.0019
    check(&ratings, &[2, 1, 2], 20, &[-9, 10, -1]);
    // -3.9981, 0, 3.9981
    check(&ratings, &[1, 1, 1], 20, &[-4, 0, 4]);
}

#[test]
fn four_equal_players() {
    let equal = [1200; 4];
    // 20, 6.6667, -6.6667, -20
    check(&equal, &[1, 2, 3, 4], 40, &[20, 7, -7, -20]);
    check(&equal, &[1, 2, 2, 4], 40, &[20, 0, 0, -20]);
    // 20, three times -6.6667: the point over goes to the lowest lot.
    check(&equal, &[1, 2, 2, 2], 40, &[20, -6, -7, -7]);
    // 13.3333 twice, -13.3333 twice
    check(&equal, &[1, 1, 3, 3], 40, &[13, 13, -13, -13]);
    // Three times 6.6667, -20: two of the three get the points over.
    check(&equal, &[1, 1, 1, 4], 40, &[7, 7, 6, -20]);
    check(&equal, &[1, 1, 1, 1], 40, &[0, 0, 0, 0]);
}

#[test]
fn four_unequal_players() {
    let ratings = [1600, 1500, 1400, 1300];
    // 5.0078, 1.6017, -1.6017, -5.0078
    check(&ratings, &[1, 2, 3, 4], 20, &[5, 2, -2, -5]);
    // -14.9922, -5.0650, 5.0650, 14.9922
    check(&ratings, &[4, 3, 2, 1], 20, &[-15, -5, 5, 15]);
    // 5.0078, -1.7316, 1.7316, -5.0078
    check(&ratings, &[1, 2, 2, 4], 20, &[5, -2, 2, -5]);
    // -4.9922, -11.7316, 11.7316, 4.9922
    check(&ratings, &[2, 4, 1, 2], 20, &[-5, -12, 12, 5]);
}

#[test]
fn unequal_k_is_rounded_player_by_player() {
    let mut players = entries(&[2100, 1900, 1500, 1200], &[2, 1, 3, 4], 20);
    players[0].k = 10;
    players[3].k = 40;
    // -2.4117, 5.7875, 0.1961, -2.3206
    assert_eq!(rate(&players), [-2, 6, 0, -2]);
}

#[test]
fn k_is_40_for_twenty_matches_then_20_and_10_above_2000() {
    assert_eq!(k_factor(1200, 0), 40);
    assert_eq!(k_factor(2500, 19), 40);
    assert_eq!(k_factor(1200, 20), 20);
    assert_eq!(k_factor(2000, 20), 20);
    assert_eq!(k_factor(2001, 20), 10);
}

#[test]
fn nobody_falls_below_the_floor() {
    check(&[100, 100], &[1, 2], 40, &[20, 0]);
    // -20.5755 would lead to 89.
    check(&[110, 100], &[2, 1], 40, &[-10, 21]);
}

#[test]
fn hopeless_differences_move_nothing_but_upsets() {
    check(&[3000, 100], &[1, 2], 20, &[0, 0]);
    check(&[5000, 100], &[2, 1], 20, &[-20, 20]);
    check(&[i32::MAX, 100], &[1, 2], 20, &[0, 0]);
}

#[test]
fn a_leaver_is_last_whatever_the_place() {
    // As [1, 2, 3] with the first and the last changed over: -13.9981 for the leaver. The
    // winner of the others takes the better of 10 (all three) and 7.1987 (two), the other the
    // better of 3.9981 and -7.1987.
    check_left(&[1500, 1400, 1300], &[1, 2, 3], &[0], &[-14, 10, 4]);
    check_left(&[1500, 1400, 1300], &[3, 1, 2], &[0], &[-14, 10, 4]);
}

#[test]
fn a_win_over_strong_stayers_is_not_diluted_by_a_weak_leaver() {
    // Winner: 5.0990 with the leaver, 10 without. Second: -4.9010 with, -10 without.
    check_left(&[1800, 1800, 1000], &[1, 2, 3], &[2], &[10, -5, 0]);
}

#[test]
fn several_leavers_share_the_last_place() {
    // Stayers: 5.0078 or 7.1987; 1.6017 or -7.1987. Leavers: -4.9350 and -1.6745.
    let expected = [7, 2, -5, -2];
    check_left(&[1600, 1500, 1400, 1300], &[1, 2, 3, 3], &[2, 3], &expected);
    check_left(&[1600, 1500, 1400, 1300], &[1, 2, 4, 3], &[2, 3], &expected);
}

#[test]
fn the_only_one_who_stays_wins() {
    check_left(&[1200; 3], &[1, 2, 3], &[0, 1], &[-5, -5, 10]);
    check_left(&[1200; 3], &[1, 2, 3], &[0, 1, 2], &[0, 0, 0]);
}

/// Any match of players with one K and ratings clear of the floor.
fn any_match() -> impl Strategy<Value = Vec<Entry>> {
    let player = (200..3000_i32, 1..=4_u32, any::<u128>());
    let k = prop_oneof![Just(10), Just(20), Just(40)];
    (prop::collection::vec(player, 2..=MAX_PLAYERS), k).prop_map(|(players, k)| {
        let entry = |(rating, place, lot)| Entry {
            rating,
            k,
            place,
            abandoned: false,
            lot,
        };
        players.into_iter().map(entry).collect()
    })
}

fn distance(change: i32, exact: i64) -> i64 {
    (i64::from(change) * UNIT - exact).abs()
}

proptest! {
    #[test]
    fn two_players_are_rated_as_by_skillratings(
        a in 200..3000_i32,
        b in 200..3000_i32,
        places in prop_oneof![Just([1, 2]), Just([2, 1]), Just([1, 1])],
        k in prop_oneof![Just(10), Just(20), Just(40)],
    ) {
        let rating = |rating: i32| EloRating { rating: rating.into() };
        let outcome = match places[0].cmp(&places[1]) {
            Ordering::Less => Outcomes::WIN,
            Ordering::Equal => Outcomes::DRAW,
            Ordering::Greater => Outcomes::LOSS,
        };
        let theirs = elo(&rating(a), &rating(b), &outcome, &EloConfig { k: k.into() });
        let players = entries(&[a, b], &places, k);
        let change = |i: usize| exact(&players, i) as f64 / UNIT as f64;
        prop_assert!((theirs.0.rating - f64::from(a) - change(0)).abs() < 1e-6);
        prop_assert!((theirs.1.rating - f64::from(b) - change(1)).abs() < 1e-6);
        for (i, rounded) in rate(&players).into_iter().enumerate() {
            prop_assert!((f64::from(rounded) - change(i)).abs() <= 0.5 + 1e-6);
        }
    }

    #[test]
    fn changes_with_one_k_add_up_to_zero(players in any_match()) {
        prop_assert_eq!(rate(&players).iter().sum::<i32>(), 0);
    }

    #[test]
    fn rounding_moves_nobody_by_a_whole_point(players in any_match()) {
        for (i, change) in rate(&players).into_iter().enumerate() {
            prop_assert!(distance(change, exact(&players, i)) < UNIT);
        }
    }

    #[test]
    fn a_better_place_never_pays_less(mut players in any_match(), rating in 200..3000_i32) {
        // Players of one rating: the changes follow the places.
        for player in &mut players {
            player.rating = rating;
        }
        let changes = rate(&players);
        for (a, x) in players.iter().zip(&changes) {
            for (b, y) in players.iter().zip(&changes) {
                prop_assert!(a.place >= b.place || x >= y, "{changes:?} for {players:?}");
            }
        }
    }

    #[test]
    fn climbing_past_others_never_costs(players in any_match(), who in 0..MAX_PLAYERS) {
        let who = who % players.len();
        let mut better = players.clone();
        better[who].place -= 1;
        prop_assert!(exact(&better, who) >= exact(&players, who));
    }

    #[test]
    fn the_order_of_the_players_does_not_matter(
        players in any_match(),
        left in any::<[bool; MAX_PLAYERS]>(),
        k in any::<[bool; MAX_PLAYERS]>(),
        turn in 1..MAX_PLAYERS,
    ) {
        let mut players = players;
        for (i, player) in players.iter_mut().enumerate() {
            player.abandoned = left[i];
            player.k = if k[i] { 40 } else { 20 };
        }
        let mut turned = players.clone();
        let turn = turn % players.len();
        turned.rotate_left(turn);
        turned.swap(0, 1);
        let mut changes = rate(&players);
        changes.rotate_left(turn);
        changes.swap(0, 1);
        prop_assert_eq!(rate(&turned), changes);
    }

    #[test]
    fn nobody_who_stays_is_punished_for_a_leaver(
        players in any_match(),
        left in any::<[bool; MAX_PLAYERS]>(),
    ) {
        let mut players = players;
        for (i, player) in players.iter_mut().enumerate() {
            player.abandoned = left[i];
        }
        let stayed: Vec<Entry> = players.iter().copied().filter(|p| !p.abandoned).collect();
        let all = players.iter().map(|p| Entry {
            place: if p.abandoned { u32::MAX } else { p.place },
            abandoned: false,
            ..*p
        });
        let last: Vec<Entry> = all.collect();
        for (i, change) in rate(&players).into_iter().enumerate() {
            if !players[i].abandoned && stayed.len() < players.len() {
                let alone = change_of(&stayed, players[i].lot);
                let with_leavers = exact(&last, i);
                prop_assert_eq!(i64::from(change), nearest(alone.max(with_leavers)));
            }
        }
    }

    #[test]
    fn both_sides_of_a_pair_expect_one_point(a in 100..6000_i32, b in 100..6000_i32) {
        prop_assert_eq!(expected(a, b) + expected(b, a), POINT);
        let float = 1.0 / (1.0 + 10_f64.powf(f64::from(b - a) / 400.0));
        prop_assert!((expected(a, b) as f64 / POINT as f64 - float).abs() < 1e-9);
    }
}

/// Exact change of the player with this lot; nothing when alone.
fn change_of(players: &[Entry], lot: u128) -> i64 {
    let me = players.iter().position(|player| player.lot == lot);
    exact(players, me.expect("a player of the match"))
}
