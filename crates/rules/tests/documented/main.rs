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

use std::{cmp::Reverse, collections::BTreeMap};

use rules::{
    Booking, Card, CardOrder, CardSet, DealEnd, DealOutcome, Declaration, DiscardChoice, RULE_SETS,
    RuleSet, Rules, Scoring, Seat, Session, Suit, Target, TrumpRule,
};

use crate::{
    deals::Wanted,
    page::{Row, assert_same, folder, read, reckon, rows, tables},
};

/// The tables that are checked below.
const CHECKED: &str = "Card, Order, Players, Contract, Stake, Multiplier, Spatz, Addition, \
                       Laid off, Option, Session, Settlement, Pot left, Example";

fn find(id: &str) -> &'static RuleSet {
    RuleSet::find(id).unwrap()
}

/// Compares columns of a table, joined by bars, with what they must be.
#[track_caller]
fn check(page: &str, columns: &[&str], expected: impl IntoIterator<Item = String>) {
    let cells = |row: &Row| columns.iter().map(|&column| row[column].clone()).collect();
    let written: Vec<Vec<String>> = rows(page, columns[0]).iter().map(cells).collect();
    let written: Vec<String> = written.iter().map(|cells| cells.join("|")).collect();
    assert_eq!(written, expected.into_iter().collect::<Vec<_>>(), "{page}");
}

/// Compares a cell with what it must be.
#[track_caller]
fn same(row: &Row, column: &str, expected: &dyn ToString) {
    assert_eq!(row[column], expected.to_string(), "{column} of {row:?}");
}

const fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

#[test]
fn the_pages_of_both_languages_say_the_same_and_every_table_is_checked() {
    let mut words = BTreeMap::new();
    for page in RULE_SETS.iter().map(|set| set.id).chain(["cards"]) {
        assert_same(page, &mut words);
        let tables = tables(&format!("en/{page}.md"));
        for table in &tables {
            let key = &table[0][0];
            let alike = tables.iter().filter(|other| other[0][0] == *key);
            assert_eq!(alike.count(), 1, "{page}: {key}");
            assert!(
                CHECKED.split(", ").any(|checked| checked == key),
                "{page}: {key}"
            );
        }
    }
}

#[test]
fn cards_rank_and_count_as_the_page_says() {
    let letter = |card: Card| card.to_string()[1..].to_owned();
    let sorted = |order: CardOrder| {
        let beaten = |card| {
            CardSet::FULL
                .filter(|&other| order.beats(card, other))
                .count()
        };
        let mut cards: Vec<Card> = CardSet::FULL.of_suit(Suit::Hearts).collect();
        cards.sort_by_key(|&card| Reverse(beaten(card)));
        cards.into_iter()
    };
    let usual = CardOrder::Trump(Suit::Hearts);
    let points = sorted(usual).map(|card| format!("{}|{}", letter(card), card.points()));
    check("cards", &["Card", "Card points"], points);
    let orders = ["usual", "Bettel"]
        .into_iter()
        .zip([usual, CardOrder::NoTrump]);
    let orders = orders.map(|(name, order)| {
        let letters: Vec<String> = sorted(order).map(letter).collect();
        format!("{name}|{}", letters.join(" "))
    });
    check("cards", &["Order", "High to low"], orders);
}

#[test]
fn cards_are_dealt_as_the_pages_say() {
    let shared = rows("cards", "Players");
    for set in RULE_SETS {
        let expected = set.packets.iter().map(|&(players, packets)| {
            let packets = format!("{packets:?}").replace("Talon(", "talon ");
            let packets = packets.replace("Hands(", "").replace([')', '[', ']'], "");
            let hand = Rules::new(set.id, players, []).unwrap().hand_size();
            format!("{players}|{packets}|{hand}|{}", 36 - players * hand)
        });
        check(
            set.id,
            &["Players", "Packets", "Cards each", "Talon"],
            expected,
        );
        for mut row in rows(set.id, "Players") {
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
            let talon = ["stays", "taken up"][usize::from(contract.takes_talon)];
            let worth = &contract.worth.to_string();
            [contract.name, talon, trump, target, worth].join("|")
        });
        let worth = match set.id {
            "bavarian" => "Amount",
            "haferltarock" => "Price",
            _ => "m",
        };
        check(
            set.id,
            &["Contract", "Talon", "Trump", "Target", worth],
            expected,
        );
    }
    let expected = find("bavarian").contracts.iter().map(|contract| {
        let pot = contract.booking == Some(Booking::Pot);
        let (value, paid) = if pot { (1, "pot") } else { (2, "each") };
        format!("{}|{}|{paid}", contract.name, contract.worth / value)
    });
    check("bavarian", &["Contract", "v", "Paid"], expected);
}

#[test]
fn options_are_those_of_the_rule_set() {
    for set in RULE_SETS {
        let expected = set.options.iter().map(|key| {
            let default = set.defaults.get(*key);
            [key.name(), key.expected(), &default].join("|")
        });
        check(set.id, &["Option", "Values", "Default"], expected);
    }
}

#[test]
fn doubling_the_spatz_and_additions_are_worth_what_the_pages_say() {
    let stakes: &[(&str, i32)] = &[("", 120), ("m in ", 1)];
    for (game, key, units) in [
        ("bauerntarock", "Stake", stakes),
        ("dobbm", "Multiplier", &stakes[1..]),
    ] {
        let contracts = &find(game).contracts;
        let expected = units.iter().flat_map(|(text, unit)| {
            contracts.iter().map(move |contract| {
                let [one, two, four] = [1, 2, 4].map(|factor| unit * contract.worth * factor);
                format!("{text}{}|{one}|{two}|{four}", contract.name)
            })
        });
        check(
            game,
            &[key, "Not doubled", "Doubled", "Redoubled"],
            expected,
        );
    }
    for set in RULE_SETS {
        if let Some(spatz) = set.spatz {
            let (early, last) = (spatz.early, spatz.last);
            let expected = [("an earlier", early), ("the last", last)];
            let expected = expected.map(|(which, points)| format!("in {which} trick|{points}"));
            check(set.id, &["Spatz", "Points"], expected);
        }
    }
    let Scoring::Price { extra_at } = find("haferltarock").scoring else {
        panic!("Haferltarock has prices");
    };
    let additions = rows("haferltarock", "Addition");
    assert_eq!(additions.len(), extra_at.len());
    for (row, points) in additions.iter().zip(extra_at) {
        same(row, "A at least", points);
        same(row, "Added to the price", &1);
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
    for row in rows("dobbm", "Laid off") {
        let cards = row["Laid off"].split(' ').map(|card| card.parse().unwrap());
        same(&row, "Allowed", &yes(choice.covers_aces(cards.collect())));
    }
}

/// The rules of a row, with the options that a cell names.
fn rules_of(set: &RuleSet, row: &Row, options: &str) -> Rules {
    let players = row.get("Players").map(|players| players.parse().unwrap());
    let options = row[options].split(", ");
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
        for row in rows(set.id, "Example") {
            check_example(set, &row);
        }
    }
}

fn check_example(set: &RuleSet, row: &Row) {
    let rules = rules_of(set, row, "Contract");
    let outcome = Wanted::of(rules, row).find();
    let declarer = outcome.declaration.declarer;
    let pot = row.get("Pot before").map_or("0", String::as_str);
    let mut session = session_with_pot(rules, declarer, pot);
    let points = session.record(&DealEnd::Played(outcome)).points;
    same(row, "Won", &yes(outcome.made));
    same(row, "Declarer", &points[declarer]);
    assert_eq!(reckon(&row["Reckoning"]), points[declarer], "{row:?}");
    for steps in 1..rules.players() {
        let by_place = ["First opponent", "Other opponent"].get(usize::from(steps) - 1);
        let by_place = by_place.filter(|&&column| row.contains_key(column));
        let points = points[declarer.clockwise(steps, rules.players())];
        same(row, by_place.unwrap_or(&"Each defender"), &points);
    }
    if row.contains_key("Pot after") {
        same(row, "Pot after", &session.pot());
        let before = session.scores()[declarer];
        session.start_deal();
        same(row, "New stake", &(before - session.scores()[declarer]));
    }
}

#[test]
fn sessions_end_when_the_pages_say() {
    for set in RULE_SETS {
        for row in rows(set.id, "Session") {
            let passed = row.get("More than 100 after deal");
            let passed = passed.and_then(|deal| deal.parse().ok());
            let first = Seat::default();
            let mut session = Session::new(rules_of(set, &row, "Options"), first);
            let mut deals = 0;
            while !session.is_over() {
                deals += 1;
                // 100 from the first deal on, which is not yet more than 100.
                let value = i32::from(deals == 1) * 100 + i32::from(Some(deals) == passed);
                record(&mut session, first, value, Booking::DeclarerAlone);
            }
            same(&row, "Over after deal", &deals);
        }
    }
}

fn first_dealer(row: &Row) -> Seat {
    let number = row["First dealer"].strip_prefix("seat ").unwrap();
    Seat::new(number.parse::<u8>().unwrap() - 1).unwrap()
}

fn listed(numbers: &[i32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(i32::to_string).collect();
    numbers.join(" / ")
}

#[test]
fn settlements_pay_and_pots_are_shared_as_the_pages_say() {
    for game in ["brixental", "bauerntarock"] {
        for row in rows(game, "Settlement") {
            let scores: Vec<i32> = row["Scores"].split(" / ").map(reckon).collect();
            let rules = Rules::new(game, scores.len() as u8, []).unwrap();
            let mut session = Session::new(rules, first_dealer(&row));
            for (seat, &score) in rules.seats().zip(&scores) {
                record(&mut session, seat, score, Booking::DeclarerAlone);
            }
            let payments = session.settlement().payments.unwrap();
            same(&row, "Payments", &listed(payments.first(rules.players())));
        }
    }
    let with_pot = [
        ("bavarian", None),
        ("haferltarock", Some(("pay_from", "pot"))),
    ];
    for (game, options) in with_pot {
        let rules = Rules::new(game, 3, options).unwrap();
        for row in rows(game, "Pot left") {
            let session = session_with_pot(rules, first_dealer(&row), &row["Pot left"]);
            let settlement = session.settlement();
            same(&row, "Shares", &listed(settlement.pot_shares.first(3)));
            assert_eq!(settlement.payments, None);
        }
    }
}

#[test]
fn the_index_has_every_game_and_no_link_leads_nowhere() {
    for columns in [["Game", "Players"], ["Spiel", "Spieler"]] {
        let or = if columns[0] == "Game" {
            " or "
        } else {
            " oder "
        };
        let expected = RULE_SETS.iter().map(|set| {
            let players: Vec<String> = set.players().map(|players| players.to_string()).collect();
            format!("{}|{}", set.id, players.join(or))
        });
        check("README", &columns, expected);
    }
    let pages = RULE_SETS.iter().map(|set| set.id).chain(["cards"]);
    let pages = pages.flat_map(|page| ["en", "de"].map(|lang| format!("{lang}/{page}.md")));
    for page in pages.chain(["README.md".to_owned()]) {
        for link in read(&page).split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            let target = folder().join(&page).with_file_name(link);
            assert!(target.is_file(), "{page}: {link}");
        }
    }
}
