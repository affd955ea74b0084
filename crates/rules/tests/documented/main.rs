//! The rule pages say what the code does: every table in them is recomputed.
//!
//! The English pages in `docs/rules` are checked against the rule sets, their examples against
//! real deals and sessions, and the German pages against the English ones.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests fail like tests; clippy.toml only exempts the tests themselves"
)]

mod deals;
mod page;

use std::collections::BTreeMap;

use rules::{
    Booking, Card, CardOrder, CardSet, DealEnd, DealOutcome, Declaration, DiscardChoice, Doubling,
    OptionKey, RULE_SETS, RuleSet, Rules, Scoring, Seat, Session, Suit, Target, TrumpRule,
};

use crate::{
    deals::Wanted,
    page::{Row, assert_same, folder, read, reckon, rows, tables},
};

/// The tables that are checked below.
const CHECKED: &str = "Card, Order, Players, Contract, Stake, Multiplier, Spatz, Addition, \
                       Laid off, Option, Session, Settlement, Pot left, Example";

fn rows_of(set: &RuleSet, key: &str) -> Vec<Row> {
    rows(&format!("en/{}.md", set.id), key)
}

fn find(id: &str) -> &'static RuleSet {
    RuleSet::find(id).unwrap()
}

/// Compares columns of a table, joined by bars, with what they must be.
#[track_caller]
fn check(rows: &[Row], columns: &[&str], expected: impl IntoIterator<Item = String>) {
    let cells = |row: &Row| columns.iter().map(|&column| row[column].clone()).collect();
    let written: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let written: Vec<String> = written.iter().map(|cells| cells.join("|")).collect();
    assert_eq!(written, expected.into_iter().collect::<Vec<_>>());
}

#[test]
fn the_pages_of_both_languages_say_the_same_and_every_table_is_checked() {
    let mut words = BTreeMap::new();
    for page in RULE_SETS.iter().map(|set| set.id).chain(["cards"]) {
        assert_same(page, &mut words);
        let tables = tables(&format!("en/{page}.md"));
        let keys: Vec<&String> = tables.iter().map(|table| &table[0][0]).collect();
        let once = |key| keys.iter().filter(|&&other| other == key).count() == 1;
        assert!(
            keys.iter()
                .all(|&key| CHECKED.split(", ").any(|known| known == key) && once(key)),
            "{page}: {keys:?}"
        );
    }
}

#[test]
fn cards_rank_and_count_as_the_page_says() {
    let letter = |card: Card| card.to_string()[1..].to_owned();
    let sorted = |order: CardOrder| {
        let mut cards: Vec<Card> = CardSet::FULL.of_suit(Suit::Hearts).collect();
        cards.sort_by_key(|&card| cards_beaten(order, card));
        cards.into_iter().rev()
    };
    let usual = CardOrder::Trump(Suit::Hearts);
    let points = sorted(usual).map(|card| format!("{}|{}", letter(card), card.points()));
    check(
        &rows("en/cards.md", "Card"),
        &["Card", "Card points"],
        points,
    );
    let orders = [usual, CardOrder::NoTrump];
    let orders = orders.map(|order| sorted(order).map(letter).collect::<Vec<_>>().join(" "));
    check(&rows("en/cards.md", "Order"), &["High to low"], orders);
}

fn cards_beaten(order: CardOrder, card: Card) -> usize {
    CardSet::FULL
        .filter(|&other| order.beats(card, other))
        .count()
}

#[test]
fn cards_are_dealt_as_the_pages_say() {
    for set in RULE_SETS {
        let expected = set.packets.iter().map(|&(players, packets)| {
            let packets = format!("{packets:?}")
                .replace("Hands(", "")
                .replace("Talon(", "talon ");
            let hand = Rules::new(set.id, players, []).unwrap().hand_size();
            let packets = packets.replace([')', '[', ']'], "");
            format!("{packets}|{players}|{hand}|{}", 36 - players * hand)
        });
        let rows_of_game = rows_of(set, "Players");
        check(
            &rows_of_game,
            &["Packets", "Players", "Cards each", "Talon"],
            expected,
        );
        let shared = rows("en/cards.md", "Players");
        for mut row in rows_of_game {
            row.remove("Packets");
            assert!(shared.contains(&row), "{row:?}");
        }
    }
}

#[test]
fn contracts_are_those_of_the_rule_set() {
    for set in RULE_SETS {
        let expected = set.contracts.iter().map(|contract| {
            let target = match contract.target {
                Target::Points(points) => &points.to_string(),
                Target::EveryTrick => "every trick",
                Target::NoTrick => "no trick",
            };
            let trump = match contract.trump {
                TrumpRule::Fixed(suit) => suit.name(),
                TrumpRule::Named([_, _, _]) => "acorns, leaves or bells",
                TrumpRule::Named(_) => "any suit",
                TrumpRule::ByOption => "any suit, by option",
                TrumpRule::NoTrump => "none",
            };
            let talon = if contract.takes_talon {
                "taken up"
            } else {
                "stays"
            };
            let worth = &contract.worth.to_string();
            [contract.name, talon, trump, target, worth].join("|")
        });
        let rows = rows_of(set, "Contract");
        let mut worth = ["m", "Price", "Amount"].into_iter();
        let worth = worth.find(|&column| rows[0].contains_key(column)).unwrap();
        check(
            &rows,
            &["Contract", "Talon", "Trump", "Target", worth],
            expected,
        );
    }
    let bavarian = find("bavarian");
    let expected = bavarian
        .contracts
        .iter()
        .map(|contract| match contract.booking {
            Some(Booking::Pot) => format!("{}|pot", contract.worth),
            _ => format!("{}|each", contract.worth / 2),
        });
    check(&rows_of(bavarian, "Contract"), &["v", "Paid"], expected);
}

#[test]
fn options_are_those_of_the_rule_set() {
    for set in RULE_SETS {
        let option =
            |key: &OptionKey| [key.name(), key.expected(), &set.defaults.get(*key)].join("|");
        let expected = set.options.iter().map(option);
        check(
            &rows_of(set, "Option"),
            &["Option", "Values", "Default"],
            expected,
        );
    }
}

#[test]
fn doubling_the_spatz_and_additions_are_worth_what_the_pages_say() {
    let by = |doubled_by, redoubled| {
        Doubling {
            doubled_by,
            redoubled,
        }
        .factor()
    };
    let someone = Some(Seat::default());
    let factors = [by(None, false), by(someone, false), by(someone, true)];
    for (game, key, base) in [
        ("bauerntarock", "Stake", Some(120)),
        ("dobbm", "Multiplier", None),
    ] {
        let units = base
            .map(|base| ("", base))
            .into_iter()
            .chain([("m in ", 1)]);
        let expected = units.flat_map(|(text, unit)| {
            find(game).contracts.iter().map(move |contract| {
                let [one, two, four] = factors.map(|factor| unit * contract.worth * factor);
                format!("{text}{}|{one}|{two}|{four}", contract.name)
            })
        });
        let columns = [key, "Not doubled", "Doubled", "Redoubled"];
        check(&rows_of(find(game), key), &columns, expected);
    }
    for set in RULE_SETS {
        if let Some(spatz) = set.spatz {
            let expected = [spatz.early, spatz.last].map(|points| points.to_string());
            check(&rows_of(set, "Spatz"), &["Points"], expected);
        }
        if let Scoring::Price {
            extra_at: at @ [_, ..],
        } = set.scoring
        {
            let expected = at.iter().map(|points| format!("{points}|1"));
            check(
                &rows_of(set, "Addition"),
                &["A at least", "Added to the price"],
                expected,
            );
        }
    }
}

#[test]
fn dobbm_allows_the_discards_that_the_page_allows() {
    let dobbm = find("dobbm");
    let choice = DiscardChoice {
        from: CardSet::FULL,
        count: 4,
        aces_need_trumps: dobbm.aces_need_trumps.then_some(Suit::Hearts),
    };
    for row in rows_of(dobbm, "Laid off") {
        let cards = row["Laid off"]
            .split(' ')
            .map(|card| card.parse::<Card>().unwrap());
        let allowed = choice.covers_aces(cards.collect());
        assert_eq!(
            row["Allowed"],
            if allowed { "yes" } else { "no" },
            "{row:?}"
        );
    }
}

/// The rules of a row, with the options that a cell names.
fn rules_of(set: &RuleSet, row: &Row, options: &str) -> Rules {
    let players = row.get("Players").map(|players| players.parse().unwrap());
    let options = row[options]
        .split(", ")
        .filter_map(|option| option.split_once(" = "));
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
fn session_with_pot(rules: Rules, first_dealer: Seat, pot: &str) -> Session {
    let mut session = Session::new(rules, first_dealer);
    session.start_deal();
    let surplus = session.pot() - reckon(pot);
    record(&mut session, first_dealer, surplus, Booking::Pot);
    assert_eq!(session.pot(), reckon(pot));
    session
}

#[test]
fn deals_end_as_the_examples_say() {
    for set in RULE_SETS {
        rows_of(set, "Example")
            .iter()
            .for_each(|row| check_example(set, row));
    }
}

fn check_example(set: &RuleSet, row: &Row) {
    let rules = rules_of(set, row, "Contract");
    let outcome = Wanted::of(rules, row).find();
    let declarer = outcome.declaration.declarer;
    let pot = row.get("Pot before").map_or("0", String::as_str);
    let mut session = session_with_pot(rules, declarer, pot);
    let points = session.record(&DealEnd::Played(outcome)).points;
    assert_eq!(
        row["Won"],
        if outcome.made { "yes" } else { "no" },
        "{row:?}"
    );
    assert_eq!(reckon(&row["Reckoning"]), points[declarer], "{row:?}");
    for steps in 0..rules.players() {
        let single = ["Declarer", "First opponent", "Other opponent"].get(usize::from(steps));
        let single = single.and_then(|&column| row.get(column));
        let cell = single.unwrap_or_else(|| &row["Each defender"]);
        let points = points[declarer.clockwise(steps, rules.players())];
        assert_eq!(*cell, points.to_string(), "{row:?}");
    }
    if let Some(pot) = row.get("Pot after") {
        assert_eq!(*pot, session.pot().to_string(), "{row:?}");
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
fn sessions_end_when_the_pages_say() {
    for set in RULE_SETS {
        for row in rows_of(set, "Session") {
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
            assert_eq!(
                row["Over after deal"],
                deals.to_string(),
                "{} {row:?}",
                set.id
            );
        }
    }
}

fn first_dealer(row: &Row) -> Seat {
    let number = row["First dealer"].strip_prefix("seat ").unwrap();
    Seat::new(number.parse::<u8>().unwrap() - 1).unwrap()
}

fn listed(numbers: &[i32]) -> String {
    numbers
        .iter()
        .map(i32::to_string)
        .collect::<Vec<_>>()
        .join(" / ")
}

#[test]
fn settlements_pay_and_pots_are_shared_as_the_pages_say() {
    for set in RULE_SETS
        .iter()
        .filter(|set| set.lowest_pays_extra.is_some())
    {
        for row in rows_of(set, "Settlement") {
            let scores: Vec<i32> = row["Scores"].split(" / ").map(reckon).collect();
            let rules = Rules::new(set.id, scores.len() as u8, []).unwrap();
            let mut session = Session::new(rules, first_dealer(&row));
            for (seat, &score) in rules.seats().zip(&scores) {
                record(&mut session, seat, score, Booking::DeclarerAlone);
            }
            let payments = session.settlement().payments.unwrap();
            assert_eq!(
                row["Payments"],
                listed(payments.first(rules.players())),
                "{row:?}"
            );
        }
    }
    for (game, options) in [
        ("bavarian", None),
        ("haferltarock", Some(("pay_from", "pot"))),
    ] {
        let rules = Rules::new(game, 3, options).unwrap();
        for row in rows_of(find(game), "Pot left") {
            let session = session_with_pot(rules, first_dealer(&row), &row["Pot left"]);
            let settlement = session.settlement();
            assert_eq!(
                row["Shares"],
                listed(settlement.pot_shares.first(3)),
                "{row:?}"
            );
            assert_eq!(settlement.payments, None);
        }
    }
}

#[test]
fn the_index_has_every_game_and_no_link_leads_nowhere() {
    for (key, or) in [("Game", " or "), ("Spiel", " oder ")] {
        let players = if key == "Game" { "Players" } else { "Spieler" };
        let expected = RULE_SETS.iter().map(|set| {
            let players: Vec<String> = set.players().map(|players| players.to_string()).collect();
            format!("{}|{}", set.id, players.join(or))
        });
        check(&rows("README.md", key), &[key, players], expected);
    }
    let pages = RULE_SETS.iter().map(|set| set.id).chain(["cards"]);
    let pages = pages.flat_map(|page| ["en", "de"].map(|lang| format!("{lang}/{page}.md")));
    for page in pages.chain(["README.md".to_owned()]) {
        for link in read(&page).split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            assert!(
                folder().join(&page).with_file_name(link).is_file(),
                "{page}: {link}"
            );
        }
    }
}
