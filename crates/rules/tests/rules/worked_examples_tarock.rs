//! The worked examples of the rules for Bauerntarock with doubling and for Dobbm, each played
//! to its result card by card, in the engine and in the oracle.

use rules::{Action, Card, Deal, Illegal, Phase};

use crate::{
    kit::{action, cards, seat},
    line::Line,
};

/// The trick in which the six of hearts lies, counted from 1, who played it and who won it.
fn spatz_trick(deal: &Deal) -> (usize, u8, u8) {
    let players = deal.rules().players();
    let numbered = (1..).zip(deal.tricks().iter());
    let mut found = numbered.filter_map(|(number, trick)| {
        let place = trick.cards.iter().position(|&card| card == Card::SPATZ)?;
        let played_by = trick.leader.clockwise(place as u8, players);
        Some((number, played_by.number(), trick.winner.number()))
    });
    found.next().expect("the six of hearts is played")
}

/// Row 11: look_in doubled, A = 52, the declarer's six of hearts falls in trick 3 to a defender.
const ROW_11: Line<'_> = Line {
    game: ("bauerntarock", 3),
    options: &[],
    hands: &[
        "SA SK SU S7 HX HK HU GU G9 G6 EO",
        "SO S9 S8 S6 HA H6 GA GX GK GO G7",
        "SX HO H8 H7 G8 EA EX EK EU E9 E6",
    ],
    talon: "H9 E8 E7",
    before: "pass look_in pass discard(GA,HA,S9) pass double pass",
    tricks: &[
        "G7 G8 GU", "G6 GX H7", "H8 HX H6", "G9 GO HO", "E9 EO E8", "HK H9 E6", "SU S6 SX",
        "EU HU E7", "SK SO EX", "S7 S8 EK", "GK EA SA",
    ],
};

#[test]
fn row_11_look_in_doubled_with_52_and_the_spatz_lost() {
    let score = ROW_11.score(0);
    assert_eq!((score.declarer, score.card_points), (1, Some(52)));
    assert_eq!(score.points, [0, -26, 0]);
    assert_eq!(spatz_trick(&ROW_11.record().last()), (3, 1, 0));
}

/// Row 12: sumpern redoubled, A = 66, the declarer wins the last trick with the six of hearts.
const ROW_12: Line<'_> = Line {
    game: ("bauerntarock", 4),
    options: &[],
    hands: &[
        "SX S7 S6 H9 GX G6 EK E9",
        "HO HU H7 G9 G8 G7 EU E6",
        "SU HA HX H8 H6 GO EX EO",
        "SA SO S8 HK GU EA E8 E7",
    ],
    talon: "GK GA SK S9",
    before: "look_in pass sumpern pass double redouble",
    tricks: &[
        "SU SO SX HO",
        "G8 GO GU G6",
        "H8 HK H9 HU",
        "E8 EK EU EO",
        "S6 H7 HX SA",
        "HA E7 S7 G9",
        "EX EA E9 E6",
        "S8 GX G7 H6",
    ],
};

#[test]
fn row_12_sumpern_redoubled_with_66_and_the_last_trick_with_the_spatz() {
    let score = ROW_12.score(0);
    assert_eq!((score.declarer, score.card_points), (2, Some(66)));
    assert_eq!(score.points, [0, 0, 128, 0]);
    assert_eq!(spatz_trick(&ROW_12.record().last()), (8, 2, 2));
}

/// Row 13: solo, A = 75.
const ROW_13: Line<'_> = Line {
    game: ("dobbm", 4),
    options: &[],
    hands: &[
        "SA S8 GK GU G6 EO EU E9",
        "SU HO HU GA GX G7 EA EK",
        "SK S9 S6 HK H6 GO G9 E7",
        "SX SO S7 HX H8 H7 EX E8",
    ],
    talon: "G8 H9 HA E6",
    before: "dobbm pass pass solo",
    tricks: &[
        "HX EU HU H6",
        "S7 SA SU S9",
        "GK G7 GO H8",
        "SX S8 HO SK",
        "EK E7 EX EO",
        "E8 E9 EA HK",
        "S6 SO GU GX",
        "H7 G6 GA G9",
    ],
};

#[test]
fn row_13_solo_with_75() {
    let score = ROW_13.score(0);
    assert_eq!(
        (score.contract.as_str(), score.card_points),
        ("solo", Some(75))
    );
    assert_eq!(score.points, [-30, -30, -30, 90]);
}

/// Row 14: the discards HA, EA, H7, H6 are allowed: two aces, two other hearts.
const ROW_14: Line<'_> = Line {
    game: ("dobbm", 4),
    options: &[],
    hands: &[
        "SA S7 HA HX H9 H7 GX E8",
        "SX SO H8 GA GU G6 EK EO",
        "SK SU GO G9 G8 G7 EU E7",
        "S8 S6 HK HO HU GK EX E9",
    ],
    talon: "EA H6 E6 S9",
    before: "dobbm pass pass pass discard(EA,H6,H7,HA)",
    tricks: &[
        "GX GU G9 GK",
        "E8 EK EU EX",
        "HK HX H8 G7",
        "E6 EO E7 E9",
        "SX SU S8 S7",
        "SO SK S6 SA",
        "H9 GA G8 HO",
        "HU S9 G6 GO",
    ],
};

#[test]
fn row_14_two_aces_go_with_two_other_hearts() {
    assert_eq!(ROW_14.at_the_lead().phase(), Phase::Play);
    let score = ROW_14.score(0);
    // Discards count to the declarer: 22 of the 70.
    assert_eq!(
        (score.card_points, score.points),
        (Some(70), vec![30, -10, -10, -10])
    );
}

/// Row 15: the discards HA, H7, G6, S7 are allowed: one ace, one other heart.
const ROW_15: Line<'_> = Line {
    game: ("dobbm", 4),
    options: &[],
    hands: &[
        "S8 HX GK GU G9 G7 EK E7",
        "HA HO HU H8 H7 GA G6 EA",
        "SA SO S9 GX G8 EX EO E9",
        "SX SK SU S6 HK H9 H6 E6",
    ],
    talon: "S7 EU GO E8",
    before: "pass dobbm pass pass discard(G6,H7,HA,S7)",
    tricks: &[
        "EA E9 E6 EK",
        "HO SA H6 HX",
        "E7 E8 EO HK",
        "H9 G9 H8 S9",
        "SU S8 HU SO",
        "GA G8 SX GK",
        "GO GX SK GU",
        "EX S6 G7 EU",
    ],
};

#[test]
fn row_15_one_ace_goes_with_one_other_heart_and_two_aces_do_not() {
    let score = ROW_15.score(0);
    assert_eq!(
        (score.card_points, score.points),
        (Some(58), vec![2, -6, 2, 2])
    );
    let mut exchange = ROW_15.record().start();
    for word in ["pass", "dobbm", "pass", "pass"] {
        exchange.apply(action(exchange.rules(), word)).unwrap();
    }
    assert_eq!(
        (exchange.phase(), exchange.turn()),
        (Phase::Exchange, Some(seat(1)))
    );
    let refused = cards("HA EA H7 G6");
    let before = exchange;
    assert_eq!(
        exchange.apply(Action::Discard(refused)),
        Err(Illegal::AcesNeedTrumps)
    );
    assert_eq!(exchange, before);
    let listed = exchange.legal().actions();
    assert!(!listed.contains(&Action::Discard(refused)));
    assert!(listed.contains(&Action::Discard(cards("HA H7 G6 S7"))));
}
