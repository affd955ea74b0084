//! The worked examples of the rules for Bavarian Tarock and Haferltarock, each played to its
//! result card by card, in the engine and in the oracle; those with a pot in a session.

use rules::{DealEnd, Session};

use crate::{
    games_differential,
    kit::{Record, action, deck, play_out, seat},
    line::Line,
    oracle::payment::Score,
};

/// A session in which seat 0 is forehand in the first deal.
fn session(line: &Line<'_>) -> Session {
    Session::new(line.rules(), seat(2))
}

/// Plays a deal in a session; what it brings, by the oracle and by the session.
#[track_caller]
fn play_in(session: &mut Session, record: &Record) -> Score {
    assert_eq!(
        session.next_deal().map(|next| next.dealer),
        Some(record.dealer)
    );
    session.start_deal();
    let score = games_differential::agree(record, session.pot()).unwrap();
    let DealEnd::Played(outcome) = record.end() else {
        panic!("the deal is not thrown in");
    };
    let recorded = session.record(&DealEnd::Played(outcome));
    assert_eq!(recorded.points.first(3), score.points);
    assert_eq!(session.pot(), score.pot);
    let scores = session.scores().first(3).iter().sum::<i32>();
    assert_eq!(scores + session.pot(), 0);
    score
}

/// Row 16: pickup 66 lost with 65.
const ROW_16: Line<'_> = Line {
    game: ("bavarian", 3),
    options: &[],
    hands: &[
        "SK S9 S8 S7 HA HK GO EA EK EU E7",
        "SA SO HX HO HU H6 GU G9 G8 EX EO",
        "SU S6 H9 H7 GX GK G7 G6 E9 E8 E6",
    ],
    talon: "SX H8 GA",
    before: "pickup:61 hold pass pass announce(pickup:66) discard(E7,H8,HA) trump(leaves)",
    tricks: &[
        "EK EO E9", "S7 SO SU", "H6 H7 HK", "EA EX E6", "GA G9 GK", "S8 SA S6", "G8 G6 GO",
        "S9 GU G7", "HX H9 SK", "HO GX SX", "E8 EU HU",
    ],
};

#[test]
fn row_16_pickup_66_lost_with_30_in_the_pot() {
    let mut session = session(&ROW_16);
    let score = play_in(&mut session, &ROW_16.record());
    assert_eq!(
        (score.declarer, score.card_points, score.made),
        (0, Some(65), false)
    );
    assert_eq!(score.points, [-2, 2, 2]);
    assert_eq!(session.pot(), 28);
    assert_eq!(session.scores().first(3), [-12, -8, -8]);
}

/// Row 17: hand 71 won.
const ROW_17: Line<'_> = Line {
    game: ("bavarian", 3),
    options: &[],
    hands: &[
        "S9 S7 HA HX HO H7 H6 EX EK EU E8",
        "HK HU H8 GA GX GK GO G9 G8 EA E7",
        "SA SX SK SO SU S8 H9 GU G7 G6 EO",
    ],
    talon: "E9 S6 E6",
    before: "pickup:61 pass hand:61 hold hand:71 pass announce(hand:71) trump(bells)",
    tricks: &[
        "EK EA EO", "HU H9 HO", "S9 G8 SA", "SO S7 E7", "SK EU GK", "GU H6 GA", "H8 S8 HX",
        "G6 EX G9", "GO G7 H7", "GX SU HA", "SX E8 HK",
    ],
};

#[test]
fn row_17_hand_71_won() {
    let mut session = session(&ROW_17);
    let score = play_in(&mut session, &ROW_17.record());
    assert_eq!(
        (score.declarer, score.card_points, score.made),
        (2, Some(71), true)
    );
    assert_eq!(score.points, [-6, -6, 12]);
    assert_eq!(session.pot(), 30, "without the pot");
}

/// Row 18: herzsolo won with A = 95.
const ROW_18: Line<'_> = Line {
    game: ("haferltarock", 3),
    options: &[],
    hands: &[
        "S8 S7 H7 H6 GA GO G9 G8 G6 EK EO",
        "SA SK S6 HA HX HK HO H8 GU EA E8",
        "SX SO SU S9 H9 GX GK G7 E9 E7 E6",
    ],
    talon: "HU EX EU",
    before: "solo herzsolo pass",
    tricks: &[
        "S8 SK SO", "HO H9 H7", "S6 SX S7", "E6 EO E8", "G9 GU GX", "GK GO H8", "HX E9 H6",
        "SA SU EK", "HA S9 G6", "EA E7 GA", "HK G7 G8",
    ],
};

#[test]
fn row_18_herzsolo_won_with_95() {
    let score = ROW_18.score(0);
    assert_eq!(
        (score.declarer, score.card_points, score.made),
        (1, Some(95), true)
    );
    assert_eq!(score.points, [-4, 8, -4]);
}

/// Row 19: solo won with A = 120.
const ROW_19: Line<'_> = Line {
    game: ("haferltarock", 3),
    options: &[],
    hands: &[
        "HK GA GX GK GO GU G9 G8 G7 EA EX",
        "SA SK SU S9 HO H8 G6 EK EO E9 E6",
        "SX SO S8 S7 S6 HX HU H9 H7 E8 E7",
    ],
    talon: "H6 HA EU",
    before: "solo pass pass trump(leaves)",
    tricks: &[
        "G9 G6 S8", "EX EO E8", "GA H8 S6", "GX SU S7", "EA E6 E7", "GU SK H7", "G8 SA H9",
        "HK HO HU", "G7 S9 HX", "GO EK SO", "GK E9 SX",
    ],
};

#[test]
fn row_19_solo_won_with_120() {
    let score = ROW_19.score(0);
    assert_eq!((score.card_points, score.made), (Some(120), true));
    assert_eq!(score.points, [8, -4, -4]);
}

/// Row 20: pickup 71 lost with 70.
const ROW_20: Line<'_> = Line {
    game: ("bavarian", 3),
    options: &[],
    hands: &[
        "SA SO S7 S6 HK HO H6 GK GO GU E8",
        "SK S8 HA H9 GX G8 EO EU E9 E7 E6",
        "SX S9 HX HU H7 G9 G7 G6 EA EX EK",
    ],
    talon: "GA H8 SU",
    before: "pass pickup:61 hold pickup:66 pass announce(pickup:71) \
             discard(EA,G6,GA) trump(acorns)",
    tricks: &[
        "GU G8 G7", "SO SK SX", "G9 GO GX", "S8 S9 S6", "HX HO H9", "EX E8 E6", "H8 H6 HA",
        "E9 EK HK", "H7 S7 EO", "E7 HU GK", "EU SU SA",
    ],
};

/// A pick-up of this level that a hand without a court card loses, dealt by this seat; its
/// declarer is forehand.
fn lost_pickup(dealer: u8, level: &str) -> Record {
    let rules = ROW_20.rules();
    let hand = "E6 E7 E8 E9 G6 G7 G8 G9 H6 H7 H8";
    let deck = deck(&rules, &[hand], "S6 S7 S8");
    let announce = format!("announce({level})");
    let words = [
        "pass",
        "pass",
        &announce,
        "discard(S6,S7,S8)",
        "trump(bells)",
    ];
    let mut record = Record {
        rules,
        dealer: seat(dealer),
        deck,
        actions: words.iter().map(|word| action(&rules, word)).collect(),
    };
    let mut played = record.last();
    play_out(&mut played);
    let cards = played.tricks().cards().iter();
    record
        .actions
        .extend(cards.map(|&card| rules::Action::Play(card)));
    record
}

#[test]
fn row_20_pickup_71_lost_with_1_in_the_pot() {
    let mut session = session(&ROW_20);
    // 13, 12 and 4 leave 1 of the 30.
    for (dealer, level) in [(2, "pickup:due"), (0, "pickup:116"), (1, "pickup:76")] {
        assert!(!play_in(&mut session, &lost_pickup(dealer, level)).made);
    }
    assert_eq!(session.pot(), 1);
    let score = play_in(&mut session, &ROW_20.record());
    assert_eq!((score.declarer, score.contract.as_str()), (2, "pickup:71"));
    assert_eq!((score.card_points, score.made), (Some(70), false));
    assert_eq!(score.points, [1, 3, -3]);
    assert_eq!((session.pot(), session.staked()), (0, 0));
    let before = *session.scores();
    session.start_deal();
    assert_eq!((session.pot(), session.staked()), (30, 10));
    for seat in session.rules().seats() {
        assert_eq!(session.scores()[seat], before[seat] - 10);
    }
}

/// Row 21: bettel lost.
const ROW_21: Line<'_> = Line {
    game: ("haferltarock", 3),
    options: &[("pay_from", "pot")],
    hands: &[
        "SX SK S6 HX HK HO H9 G6 EK EO E6",
        "SA SO SU S7 H6 GX GO GU G7 EA E9",
        "S8 HA HU H8 H7 GA G9 G8 EX E8 E7",
    ],
    talon: "GK EU S9",
    before: "herz_neischaugn pass bettel",
    tricks: &["E6 EA E8", "E9 EX EO", "SX SO S8", "S7 GA S6", "G7 G8 G6"],
};

#[test]
fn row_21_bettel_lost_with_30_in_the_pot() {
    let mut session = session(&ROW_21);
    let score = play_in(&mut session, &ROW_21.record());
    assert_eq!(
        (score.declarer, score.card_points, score.made),
        (2, None, false)
    );
    assert_eq!(score.points, [4, 4, -4]);
    assert_eq!(session.pot(), 26);
}

/// Row 22: hand 61 lost with 60.
const ROW_22: Line<'_> = Line {
    game: ("bavarian", 3),
    options: &[],
    hands: &[
        "SA SO HA HK HO H9 H6 GO G8 G6 E8",
        "SX SK S8 HX HU GK GU EK EO EU E6",
        "SU S7 H8 H7 GA G9 G7 EA EX E9 E7",
    ],
    talon: "S6 S9 GX",
    before: "pass pass announce(hand:61) trump(hearts)",
    tricks: &[
        "H9 HU H7", "EO EA E8", "H8 HK HX", "GK G9 G8", "SX S7 SO", "S8 SU SA", "G6 GU GA",
        "E7 H6 EK", "HA EU EX", "HO E6 G7", "GO SK E9",
    ],
};

#[test]
fn row_22_hand_61_lost() {
    let mut session = session(&ROW_22);
    let score = play_in(&mut session, &ROW_22.record());
    assert_eq!(
        (score.declarer, score.card_points, score.made),
        (0, Some(60), false)
    );
    assert_eq!(score.points, [-4, 2, 2]);
    assert_eq!(session.pot(), 30);
}
