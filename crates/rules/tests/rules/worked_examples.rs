//! The worked examples of the rules for Brixental, each played to its result card by card.
//!
//! Every line of play goes through the oracle as well, so both engines have to agree with the
//! published result.

use rules::{Action, Card, DealOutcome};

use crate::{
    differential,
    kit::{Record, action, brixental, card, cards, deck, outcome, scored_session, seat},
};

/// A deal written down: the last seat deals, so seat 0 calls and leads first.
struct Line<'a> {
    /// By seat, as dealt.
    hands: &'a [&'a str],
    talon: &'a str,
    calls: &'a str,
    /// What the declarer lays off, if the contract takes up the talon.
    discard: &'a str,
    /// Each from its leader clockwise.
    tricks: &'a [&'a str],
}

impl Line<'_> {
    fn record(&self) -> Record {
        let players = self.hands.len();
        let rules = brixental(players as u8, &[]);
        let calls = self.calls.split_whitespace();
        let discard = (!self.discard.is_empty()).then(|| Action::Discard(cards(self.discard)));
        let tricks = self.tricks.iter().flat_map(|trick| trick.split(' '));
        let actions = calls.map(|call| action(&rules, call)).chain(discard);
        Record {
            rules,
            dealer: seat(players as u8 - 1),
            deck: deck(&rules, self.hands, self.talon),
            actions: actions
                .chain(tricks.map(|text| Action::Play(card(text))))
                .collect(),
        }
    }
}

/// Plays a line, in the engine and in the oracle, to what each seat's score changes by.
#[track_caller]
fn check(line: &Line<'_>, points: &[i32]) -> DealOutcome {
    let record = line.record();
    differential::agree(&record);
    let end = outcome(&record.last());
    assert_eq!(
        end.pay(record.rules.players(), 0)
            .points
            .first(record.rules.players()),
        points
    );
    end
}

/// In which tricks, counted from 1, the Spatz was the winning card, and whose it was.
fn spatz_wins(line: &Line<'_>) -> Vec<(usize, rules::Seat)> {
    let deal = line.record().last();
    let tricks = deal.tricks();
    let with_spatz = |trick: &rules::PlayedTrick<'_>| {
        let hearts = trick
            .cards
            .iter()
            .filter(|card| card.suit() == rules::Suit::Hearts);
        trick.cards.contains(&Card::SPATZ) && hearts.count() == 1
    };
    let numbered = (1..).zip(tricks.iter());
    let won = numbered.filter(|(_, trick)| with_spatz(trick));
    won.map(|(number, trick)| (number, trick.winner)).collect()
}

/// Row 1: look_in, A = 75.
const ROW_1: Line<'_> = Line {
    hands: &[
        "HK EK GX GK G9 SO S8 S7",
        "HA HX HO H6 EA EX G7 S9",
        "HU H9 H7 EU E7 GU SA S6",
        "H8 EO E8 E6 GA GO G8 SK",
    ],
    talon: "E9 G6 SX SU",
    calls: "pass look_in pass pass",
    discard: "EA EX G7 S9",
    tricks: &[
        "HK HA H9 H8",
        "SU SA SK SO",
        "EU EO EK E9",
        "G9 G6 GU GA",
        "E6 GX HX E7",
        "H6 H7 GO S7",
        "HU G8 GK HO",
        "SX S6 E8 S8",
    ],
};

#[test]
fn row_1_look_in_with_75() {
    let end = check(&ROW_1, &[0, 15, 0, 0]);
    assert_eq!((end.card_points, end.made), (Some(75), true));
}

/// Row 2: look_in, A = 60.
const ROW_2: Line<'_> = Line {
    hands: &[
        "HA HO EX EK E8 GK G6 S6",
        "H8 EU E9 GA GX GO G7 S9",
        "HX H9 EO E6 GU G8 SU S7",
        "HK H7 H6 E7 SA SX SO S8",
    ],
    talon: "HU EA G9 SK",
    calls: "look_in pass pass pass",
    discard: "EX EK E8 S6",
    tricks: &[
        "GK GA G8 HK",
        "SO SK S9 S7",
        "HO H8 HX H7",
        "E6 E7 EA E9",
        "HA G7 H9 H6",
        "G6 GX GU SA",
        "EU EO SX HU",
        "G9 GO SU S8",
    ],
};

#[test]
fn row_2_look_in_with_60_is_lost() {
    let end = check(&ROW_2, &[0, 0, 0, 0]);
    assert_eq!((end.card_points, end.made), (Some(60), false));
}

/// Row 3: look_in, A = 52, a defender wins trick 5 with the six of hearts.
const ROW_3: Line<'_> = Line {
    hands: &[
        "HX HO EA GX GO G7 S7 S6",
        "HA H9 H6 E8 E7 E6 GK G9",
        "HU EX EK EO GA G6 SX S9",
        "H8 H7 EU GU G8 SO SU S8",
    ],
    talon: "HK E9 SA SK",
    calls: "pass pass look_in pass",
    discard: "EX EK EO S9",
    tricks: &[
        "HX HA HU H8",
        "H9 HK H7 HO",
        "E9 EU EA E8",
        "G7 GK GA GU",
        "SX SO S6 H6",
        "G9 G6 G8 GX",
        "GO E7 SK SU",
        "S7 E6 SA S8",
    ],
};

#[test]
fn row_3_look_in_with_52_and_the_spatz_of_a_defender() {
    let end = check(&ROW_3, &[5, 5, -13, 5]);
    assert_eq!((end.card_points, end.made), (Some(52), false));
    assert_eq!(spatz_wins(&ROW_3), [(5, seat(1))]);
}

/// Row 4, three players: sumpern, A = 74, the declarer wins the last trick with the Spatz.
const ROW_4: Line<'_> = Line {
    hands: &[
        "HU H9 EA E9 G9 G8 SA SX SU S7 S6",
        "HA HK HO H7 H6 EX EK E6 GO GU S8",
        "H8 EO EU E8 E7 GX GK G6 SK SO S9",
    ],
    talon: "HX GA G7",
    calls: "look_in sumpern pass pass",
    discard: "",
    tricks: &[
        "S6 S8 SK", "GX G9 GU", "G6 G8 GO", "HA H8 HU", "EK E7 EA", "E9 E6 EO", "EU H9 EX",
        "SA HK S9", "HO E8 S7", "H7 SO SU", "H6 GK SX",
    ],
};

#[test]
fn row_4_sumpern_with_74_and_the_last_trick_with_the_spatz() {
    let end = check(&ROW_4, &[-10, 38, -10]);
    assert_eq!((end.card_points, end.made, end.value), (Some(74), true, 28));
    assert_eq!(spatz_wins(&ROW_4), [(11, seat(1))]);
}

/// Row 5: bid 71, A = 70.
const ROW_5: Line<'_> = Line {
    hands: &[
        "HA H9 EA EO E9 G7 SX SU",
        "HK HU H6 GA GO SK SO S8",
        "H8 H7 EX EK EU E6 GK G9",
        "HX E8 E7 GU G6 S9 S7 S6",
    ],
    talon: "HO GX G8 SA",
    calls: "71 pass pass pass",
    discard: "",
    tricks: &[
        "HA H6 H7 HX",
        "SU SK H8 S9",
        "E6 E8 EA HK",
        "GA GK GU G7",
        "GO G9 G6 H9",
        "E9 HU EX E7",
        "S8 EK S7 SX",
        "EO SO EU S6",
    ],
};

#[test]
fn row_5_bid_71_with_70_is_lost_for_nothing() {
    let end = check(&ROW_5, &[0, 0, 0, 0]);
    assert_eq!((end.card_points, end.made), (Some(70), false));
}

/// Row 6: bid 71, A = 58.
const ROW_6: Line<'_> = Line {
    hands: &[
        "HK H8 EA E7 GX GO G8 G6",
        "HA HO EK GA G9 SU S9 S8",
        "HU H9 H7 EO GU SK S7 S6",
        "H6 EU E9 GK G7 SA SX SO",
    ],
    talon: "HX EX E8 E6",
    calls: "look_in pass sumpern pass 71 pass",
    discard: "",
    tricks: &[
        "HK HA HU H6",
        "S9 SK SA H8",
        "GX GA GU GK",
        "HO H9 SX E7",
        "G9 H7 G7 G6",
        "S7 SO G8 SU",
        "EU EA EK EO",
        "GO S8 S6 E9",
    ],
};

#[test]
fn row_6_bid_71_with_58() {
    let end = check(&ROW_6, &[-24, 0, 0, 0]);
    assert_eq!((end.card_points, end.made), (Some(58), false));
}

/// Row 7: all tricks, all taken.
const ROW_7: Line<'_> = Line {
    hands: &[
        "HA HX HK HO HU EA EX GA",
        "H6 E9 E7 E6 GU SK SU S9",
        "H7 EU GX G9 G8 G7 SX S7",
        "H9 H8 EK E8 SA SO S8 S6",
    ],
    talon: "EO GK GO G6",
    calls: "all_tricks pass pass pass",
    discard: "",
    tricks: &[
        "HA H6 H7 H8",
        "HX E6 G7 H9",
        "HK E7 G8 S8",
        "HO E9 G9 E8",
        "HU SK S7 EK",
        "GA GU GX S6",
        "EX S9 EU SO",
        "EA SU SX SA",
    ],
};

#[test]
fn row_7_all_tricks_taken() {
    let end = check(&ROW_7, &[120, 0, 0, 0]);
    assert_eq!(
        (end.card_points, end.tricks, end.made),
        (Some(120), 8, true)
    );
}

/// Row 8: all tricks, one trick of 0 points lost.
const ROW_8: Line<'_> = Line {
    hands: &[
        "HA HX HK HO HU H9 H8 E6",
        "H7 EU E7 G9 G8 SU S9 S8",
        "H6 E8 GX GK GU G7 SK SO",
        "E9 GA GO G6 SA SX S7 S6",
    ],
    talon: "EA EX EK EO",
    calls: "all_tricks pass pass pass",
    discard: "",
    tricks: &[
        "E6 E7 E8 E9",
        "S7 HA SU SO",
        "HO H7 H6 G6",
        "H8 G8 G7 SX",
        "HU G9 GK S6",
        "H9 S8 GU GA",
        "HX S9 SK GO",
        "HK EU GX SA",
    ],
};

#[test]
fn row_8_all_tricks_with_an_empty_trick_lost() {
    let end = check(&ROW_8, &[0, 0, 0, 0]);
    assert_eq!(
        (end.card_points, end.tricks, end.made),
        (Some(120), 7, false)
    );
}

/// Row 9: sumpern, no trick, 21 points in the talon.
const ROW_9: Line<'_> = Line {
    hands: &[
        "HA HX HO EA EO EU SO SU",
        "H9 H7 H6 EX EK GA GU SK",
        "HK HU H8 GX GK GO S9 S8",
        "E8 E7 E6 G8 G7 G6 S7 S6",
    ],
    talon: "E9 G9 SA SX",
    calls: "pass pass pass sumpern",
    discard: "",
    tricks: &[
        "EU EK HK E6",
        "S9 S6 SO SK",
        "EX HU E7 EA",
        "GX G6 HA GU",
        "EO H7 H8 E8",
        "S8 S7 SU H9",
        "GA GK G7 HX",
        "HO H6 GO G8",
    ],
};

#[test]
fn row_9_sumpern_without_a_trick() {
    let end = check(&ROW_9, &[0, 0, 0, -120]);
    assert_eq!((end.card_points, end.tricks, end.made), (Some(0), 0, false));
    assert_eq!(cards(ROW_9.talon).points(), 21);
}

/// Row 10: a session that ends 108, 74, 35, 12.
#[test]
fn row_10_settlement() {
    let payments = scored_session(&[108, 74, 35, 12], 0)
        .settlement()
        .payments
        .unwrap();
    assert_eq!(payments.0, [223, -34, -73, -116]);
}

/// Row 23: a session that ends 105, 105, 40, 12.
#[test]
fn row_23_settlement_with_two_winners() {
    let payments = scored_session(&[105, 105, 40, 12], 0)
        .settlement()
        .payments
        .unwrap();
    assert_eq!(payments.0, [89, 89, -65, -113]);
}
