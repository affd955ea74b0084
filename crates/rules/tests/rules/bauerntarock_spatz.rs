//! Bauerntarock with doubling, the Spatz: it counts against the side that loses it to the other
//! side, and in the last trick for the side that wins with it.

use rules::Deal;

use crate::kit::{call, deal, outcome, play, play_out, points, table};

/// Two of each suit in every hand, so that everybody follows; forehand is highest in acorns,
/// leaves and bells.
const HANDS: [&str; 4] = [
    "EA EX GA GX SA SX H6 H7",
    "EK EO GK GO SK SO HA H9",
    "EU E9 GU G9 SU S9 HX H8",
    "E8 E7 G8 G7 S8 S7 HK HU",
];
const TALON: &str = "E6 G6 S6 HO";
/// The plain suits, led by forehand, but the first trick of acorns.
const PLAIN: &str = "EX EO E9 E7 GA GK GU G8 GX GO G9 G7 SA SK SU S8 SX SO S9 S7";

/// Seat `declarer` plays sumpern alone, undoubled.
fn sumpern(hands: &[&str], talon: &str, declarer: usize) -> Deal {
    let mut deal = deal(table("bauerntarock", 4, &[]), hands, talon);
    let calls: Vec<&str> = (0..4)
        .map(|n| if n == declarer { "sumpern" } else { "pass" })
        .collect();
    call(&mut deal, &calls.join(" "));
    call(&mut deal, "pass pass pass");
    deal
}

/// What the Spatz brings the declarer; checked to be all on the declarer's account.
#[track_caller]
fn spatz(deal: &Deal) -> i32 {
    let outcome = outcome(deal);
    let declarer = outcome.declaration.declarer.index();
    let mut rest = points(deal);
    let brings = rest[declarer] - outcome.value;
    rest[declarer] = 0;
    assert_eq!(rest, vec![0; rest.len()], "nobody else has an account");
    assert_eq!(brings, outcome.spatz.unwrap_or_default().0[declarer]);
    brings
}

#[track_caller]
fn after(mut deal: Deal, cards: &str) -> i32 {
    play(&mut deal, cards);
    play_out(&mut deal);
    spatz(&deal)
}

#[test]
fn a_declarer_who_loses_it_before_the_last_trick_has_5_against() {
    assert_eq!(after(sumpern(&HANDS, TALON, 0), "H6 H9 H8 HU"), -5 * 2);
}

#[test]
fn a_declarer_who_loses_it_in_the_last_trick_has_10_against() {
    let deal = sumpern(&HANDS, TALON, 0);
    let line = format!("EA EK EU E8 {PLAIN} H7 HA H8 HU H9 HX HK H6");
    assert_eq!(after(deal, &line), -10 * 2);
}

#[test]
fn defenders_who_lose_it_to_the_declarer_have_5_or_10_against() {
    assert_eq!(after(sumpern(&HANDS, TALON, 1), "HA H8 HU H6"), 5 * 2);
    let line = format!("EK EU E8 EA {PLAIN} H7 H9 HX HK H8 HU H6 HA");
    assert_eq!(after(sumpern(&HANDS, TALON, 1), &line), 10 * 2);
}

#[test]
fn falling_in_a_trick_of_ones_own_side_costs_nothing() {
    assert_eq!(after(sumpern(&HANDS, TALON, 2), "H8 HU H6 HA"), 0);
    // Nor in the last trick, won by another defender.
    let line = format!("E8 EA EK EU {PLAIN} H7 HA H8 HU H9 HX HK H6");
    assert_eq!(after(sumpern(&HANDS, TALON, 3), &line), 0);
}

const WITH_SPATZ: [&str; 1] = ["HA HX HK HO HU H9 H8 H6"];
const OTHER_TRUMP: &str = "H7 E6 G6 S6";

#[test]
fn a_side_that_wins_the_last_trick_with_it_has_10() {
    let mut won = sumpern(&WITH_SPATZ, OTHER_TRUMP, 0);
    play_out(&mut won);
    assert_eq!(spatz(&won), 10 * 2);
    let mut defended = sumpern(&WITH_SPATZ, OTHER_TRUMP, 2);
    play_out(&mut defended);
    assert_eq!(spatz(&defended), -10 * 2);
}

#[test]
fn winning_an_earlier_trick_with_it_earns_nothing() {
    assert_eq!(after(sumpern(&WITH_SPATZ, OTHER_TRUMP, 0), "H6"), 0);
    let mut defended = sumpern(&WITH_SPATZ, OTHER_TRUMP, 3);
    // The declarer leads; seat 0 trumps with it.
    let lead = defended.playable().lowest().unwrap();
    play(&mut defended, &format!("{lead} H6"));
    play_out(&mut defended);
    assert_eq!(spatz(&defended), 0);
}

#[test]
fn it_plays_no_part_in_the_talon_or_among_the_discards() {
    let mut talon = sumpern(&["HA"], "H6", 0);
    play_out(&mut talon);
    assert_eq!((spatz(&talon), outcome(&talon).spatz), (0, None));
    let mut laid_off = deal(table("bauerntarock", 4, &[]), &["HA H6 E6 E7 E8"], "");
    call(
        &mut laid_off,
        "look_in pass pass pass discard(H6,E6,E7,E8) pass pass pass",
    );
    play_out(&mut laid_off);
    assert_eq!(outcome(&laid_off).spatz, None);
}

#[test]
fn it_is_multiplied_like_the_score() {
    for (calls, m) in [
        (
            "look_in pass pass pass discard(E6,G6,S6,HO) pass pass pass",
            1,
        ),
        ("look_in pass pass pass discard(E6,G6,S6,HO) double pass", 2),
        (
            "look_in pass pass pass discard(E6,G6,S6,HO) double redouble",
            4,
        ),
        ("sumpern pass pass pass pass pass pass", 2),
        ("sumpern pass pass pass pass double pass", 4),
        ("sumpern pass pass pass double redouble", 8),
    ] {
        let mut deal = deal(table("bauerntarock", 4, &[]), &HANDS, TALON);
        call(&mut deal, calls);
        assert_eq!(after(deal, "H6 H9 H8 HU"), -5 * m, "{calls}");
    }
}

#[test]
fn matsch_factor_never_multiplies_it() {
    let tripled = table("bauerntarock", 4, &[("matsch_factor", "3")]);
    let mut deal = deal(tripled, &WITH_SPATZ, OTHER_TRUMP);
    call(&mut deal, "pass sumpern pass pass pass pass pass");
    play_out(&mut deal);
    assert_eq!(points(&deal), [0, -360 - 20, 0, 0]);
}
