//! The examples of the pages, each as a real deal or session.

use rules::{
    Booking, CardSet, DealEnd, DealOutcome, Declaration, DiscardChoice, RULE_SETS, RuleSet, Rules,
    Seat, Session, Suit,
};

use crate::{
    deals::Wanted,
    page::{Row, code, list, reckon, rows},
};

fn seat(cell: &str) -> Seat {
    Seat::new(cell.strip_prefix("seat ").unwrap().parse::<u8>().unwrap() - 1).unwrap()
}

/// The rules of a row, with the options that a cell names.
fn rules_of(set: &RuleSet, row: &Row, options: &str) -> Rules {
    let players = row.get("Players").map(|players| reckon(players) as u8);
    let options = row[options]
        .split(", ")
        .map(|option| option.trim_matches('`'));
    let options = options.filter_map(|option| option.split_once(" = "));
    Rules::new(set.id, players.unwrap_or(set.packets[0].0), options).unwrap()
}

/// Records a deal that brings the declarer so much and has no other story.
fn record(session: &mut Session, declarer: Seat, value: i32, booking: Booking) {
    let contract = session.rules().contracts().next().unwrap();
    session.record(&DealEnd::Played(DealOutcome {
        declaration: Declaration { declarer, contract },
        card_points: None,
        tricks: 0,
        made: value > 0,
        value,
        booking,
        spatz: None,
    }));
}

/// A session with this in the pot, before its next deal.
fn session_with_pot(rules: Rules, first_dealer: Seat, pot: i32) -> Session {
    let mut session = Session::new(rules, first_dealer);
    session.start_deal();
    let surplus = session.pot() - pot;
    if surplus > 0 {
        record(&mut session, first_dealer, surplus, Booking::Pot);
    }
    assert_eq!(session.pot(), pot);
    session
}

fn check_example(set: &RuleSet, row: &Row) {
    let rules = rules_of(set, row, "Contract");
    let words: Vec<&str> = row["Contract"].split(", ").collect();
    let (card_points, tricks) = row["A"].split_once(", ").unwrap_or((&row["A"], ""));
    let doublings = ["doubled", "redoubled"]
        .iter()
        .position(|word| words.contains(word));
    let wanted = Wanted {
        rules,
        contract: rules.contract_named(code(words[0])).unwrap(),
        doublings: doublings.map_or(0, |place| place as u8 + 1),
        card_points: card_points.parse().ok(),
        tricks,
        spatz: row.get("Spatz").map_or("–", String::as_str),
    };
    let outcome = wanted.find();
    assert_eq!(outcome.card_points, wanted.card_points, "{row:?}");
    assert_eq!(
        row["Won"],
        if outcome.made { "yes" } else { "no" },
        "{row:?}"
    );
    let (players, declarer) = (rules.players(), outcome.declaration.declarer);
    let pot = row.get("Pot before").map_or(0, |pot| reckon(pot));
    let mut session = session_with_pot(rules, declarer, pot);
    let points = session.record(&DealEnd::Played(outcome)).points;
    for cell in ["Declarer", "Reckoning"] {
        assert_eq!(reckon(&row[cell]), points[declarer], "{row:?}");
    }
    for steps in 1..players {
        let opponent = if steps == 1 {
            "First opponent"
        } else {
            "Other opponent"
        };
        let cell = row.get("Each defender").unwrap_or_else(|| &row[opponent]);
        assert_eq!(
            reckon(cell),
            points[declarer.clockwise(steps, players)],
            "{row:?}"
        );
    }
    if let Some(pot) = row.get("Pot after") {
        assert_eq!(reckon(pot), session.pot(), "{row:?}");
        let before = session.scores()[declarer];
        session.start_deal();
        assert_eq!(
            reckon(&row["New stake"]),
            before - session.scores()[declarer],
            "{row:?}"
        );
    }
}

#[test]
fn deals_end_as_the_examples_say() {
    for set in RULE_SETS {
        let rows = rows(set.id, "Example");
        assert!(rows.len() >= 8, "{}", set.id);
        rows.iter().for_each(|row| check_example(set, row));
    }
}

#[test]
fn dobbm_allows_the_discards_that_the_page_allows() {
    let set = RuleSet::find("dobbm").unwrap();
    let choice = DiscardChoice {
        from: CardSet::FULL,
        count: 4,
        aces_need_trumps: set.aces_need_trumps.then_some(Suit::Hearts),
    };
    for row in rows("dobbm", "Laid off") {
        let cards = code(&row["Laid off"])
            .split(' ')
            .map(|card| card.parse().unwrap());
        let cards: CardSet = cards.collect();
        let allowed = choice.choices().any(|allowed| allowed == cards);
        assert_eq!(
            row["Allowed"],
            if allowed { "yes" } else { "no" },
            "{row:?}"
        );
    }
}

#[test]
fn sessions_end_when_the_pages_say() {
    for set in RULE_SETS {
        for row in rows(set.id, "Session") {
            let passed = row
                .get("More than 100 after deal")
                .and_then(|deal| deal.parse().ok());
            let first = Seat::default();
            let mut session = Session::new(rules_of(set, &row, "Options"), first);
            let mut deals = 0;
            while !session.is_over() {
                deals += 1;
                // 100 from the first deal on, which is not yet more than 100.
                let value = i32::from(deals == 1) * 100 + i32::from(Some(deals) == passed);
                record(&mut session, first, value, Booking::DeclarerAlone);
            }
            assert_eq!(reckon(&row["Over after deal"]), deals, "{} {row:?}", set.id);
        }
    }
}

#[test]
fn settlements_pay_what_the_pages_say() {
    for set in RULE_SETS
        .iter()
        .filter(|set| set.lowest_pays_extra.is_some())
    {
        for row in rows(set.id, "Settlement") {
            let scores = list(&row["Scores"]);
            let rules = Rules::new(set.id, scores.len() as u8, []).unwrap();
            let mut session = Session::new(rules, seat(&row["First dealer"]));
            for (seat, &score) in rules.seats().zip(&scores) {
                record(&mut session, seat, score, Booking::DeclarerAlone);
            }
            let payments = session.settlement().payments.unwrap();
            assert_eq!(
                payments.first(rules.players()),
                list(&row["Payments"]),
                "{row:?}"
            );
        }
    }
}

#[test]
fn the_pot_is_shared_as_the_pages_say() {
    for (game, options) in [
        ("bavarian", None),
        ("haferltarock", Some(("pay_from", "pot"))),
    ] {
        let rules = Rules::new(game, 3, options).unwrap();
        for row in rows(game, "Pot left") {
            let session =
                session_with_pot(rules, seat(&row["First dealer"]), reckon(&row["Pot left"]));
            let settlement = session.settlement();
            assert_eq!(
                settlement.pot_shares.first(3),
                list(&row["Shares"]),
                "{row:?}"
            );
            assert_eq!(settlement.payments, None);
        }
    }
}
