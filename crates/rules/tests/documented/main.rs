//! The rule pages say what the code does: every table in them is recomputed.
//!
//! The English pages in `docs/rules` are checked against the rule sets, and their examples
//! against real deals and sessions; the German ones against the English.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests fail like tests; clippy.toml only exempts the tests themselves"
)]

mod deals;
mod examples;
mod page;

use std::collections::BTreeMap;

use rules::{
    Booking, Card, CardOrder, Doubling, Packet, RULE_SETS, Rank, RuleSet, Scoring, Seat, Suit,
    Target, TrumpRule,
};

use crate::page::{assert_same, code, column, folder, read, reckon, rows, tables};

/// The tables that are checked here or in `examples`.
const CHECKED: &[&str] = &[
    "Card",
    "Order",
    "Players",
    "Contract",
    "Stake",
    "Multiplier",
    "Spatz",
    "Addition",
    "Laid off",
    "Option",
    "Session",
    "Settlement",
    "Pot left",
    "Example",
];

#[test]
fn the_pages_of_both_languages_say_the_same_and_every_table_is_checked() {
    let mut words = BTreeMap::new();
    for page in RULE_SETS.iter().map(|set| set.id).chain(["cards"]) {
        assert_same(page, &mut words);
        let tables = tables(&format!("en/{page}.md"));
        let mut keys: Vec<&str> = tables.iter().map(|table| table[0][0].as_str()).collect();
        assert!(
            keys.iter().all(|key| CHECKED.contains(key)),
            "{page}: {keys:?}"
        );
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), tables.len(), "{page} has a table twice");
    }
}

#[test]
fn cards_rank_and_count_as_the_page_says() {
    let rank = |letter: &str| format!("S{letter}").parse::<Card>().unwrap().rank();
    let cards = rows("cards", "Card");
    assert_eq!(cards.len(), Rank::ALL.len());
    for row in cards {
        let points = rank(code(&row["Card"])).points();
        assert_eq!(reckon(&row["Card points"]), points.into(), "{row:?}");
    }
    let orders = [
        CardOrder::Trump(Suit::Bells),
        CardOrder::Trump(Suit::Hearts),
        CardOrder::NoTrump,
    ];
    let written = column(&rows("cards", "Order"), "High to low");
    for (ranks, order) in [0, 0, 1]
        .map(|row: usize| &written[row])
        .into_iter()
        .zip(orders)
    {
        let ranks: Vec<Rank> = code(ranks).split(' ').map(rank).collect();
        assert_eq!(ranks.len(), Rank::ALL.len());
        let card = |rank| Card::new(Suit::Bells, rank);
        assert!(
            ranks
                .windows(2)
                .all(|two| order.beats(card(two[0]), card(two[1])))
        );
    }
}

#[test]
fn cards_are_dealt_as_the_pages_say() {
    for set in RULE_SETS {
        let rows_of_game = rows(set.id, "Players");
        assert_eq!(rows_of_game.len(), set.packets.len());
        for (row, &(players, packets)) in rows_of_game.iter().zip(set.packets) {
            let (mut words, mut hand, mut talon) = (Vec::new(), 0, 0);
            for packet in packets {
                match *packet {
                    Packet::Hands(cards) => {
                        hand += i32::from(cards);
                        words.push(cards.to_string());
                    }
                    Packet::Talon(cards) => {
                        talon += i32::from(cards);
                        words.push(format!("talon {cards}"));
                    }
                }
            }
            assert_eq!(row["Packets"], words.join(", "), "{}", set.id);
            let shared = rows("cards", "Players");
            let shared = shared
                .iter()
                .find(|shared| shared["Players"] == row["Players"]);
            for row in [row, shared.unwrap()] {
                let numbers = ["Players", "Cards each", "Talon"].map(|cell| reckon(&row[cell]));
                assert_eq!(numbers, [players.into(), hand, talon], "{}", set.id);
            }
        }
    }
}

#[test]
fn contracts_are_those_of_the_rule_set() {
    for set in RULE_SETS {
        let rows = rows(set.id, "Contract");
        assert_eq!(rows.len(), set.contracts.len(), "{}", set.id);
        for (row, contract) in rows.iter().zip(set.contracts) {
            let target = match contract.target {
                Target::Points(points) => points.to_string(),
                Target::EveryTrick => "every trick".to_owned(),
                Target::NoTrick => "no trick".to_owned(),
            };
            let trump = match contract.trump {
                TrumpRule::Fixed(suit) => suit.name(),
                TrumpRule::Named(suits) if suits == Suit::ALL => "any suit",
                TrumpRule::Named(suits) if !suits.contains(&Suit::Hearts) => {
                    "acorns, leaves or bells"
                }
                TrumpRule::Named(_) => "some suits",
                TrumpRule::ByOption => "any suit, by option",
                TrumpRule::NoTrump => "none",
            };
            let talon = if contract.takes_talon {
                "taken up"
            } else {
                "stays"
            };
            let cells = ["Contract", "Talon", "Trump", "Target"].map(|cell| row[cell].as_str());
            assert_eq!(
                cells,
                [&format!("`{}`", contract.name), talon, trump, &target]
            );
            let worth = ["m", "Price", "Amount"]
                .iter()
                .find_map(|&cell| row.get(cell));
            assert_eq!(reckon(worth.unwrap()), contract.worth, "{row:?}");
            if let Some(value) = row.get("v") {
                let pot = row["Paid"] == "pot";
                let (booking, times) = if pot {
                    (Booking::Pot, 1)
                } else {
                    (Booking::FromEach, 2)
                };
                assert_eq!(contract.booking, Some(booking), "{row:?}");
                assert_eq!(reckon(value) * times, contract.worth, "{row:?}");
            }
        }
    }
}

#[test]
fn options_are_those_of_the_rule_set() {
    for set in RULE_SETS {
        let rows = rows(set.id, "Option");
        let expected = set.options.iter().map(|&key| {
            let default = set.defaults.get(key);
            [
                format!("`{}`", key.name()),
                key.expected().to_owned(),
                format!("`{default}`"),
            ]
        });
        let written = rows.iter().map(|row| {
            [
                row["Option"].clone(),
                row["Values"].replace('`', ""),
                row["Default"].clone(),
            ]
        });
        assert!(written.eq(expected), "{}: {rows:?}", set.id);
    }
}

#[test]
fn doubling_multiplies_as_the_pages_say() {
    let by = |doubled_by, redoubled| {
        Doubling {
            doubled_by,
            redoubled,
        }
        .factor()
    };
    let someone = Some(Seat::default());
    let factors = [by(None, false), by(someone, false), by(someone, true)];
    for (game, key) in [("bauerntarock", "Stake"), ("dobbm", "Multiplier")] {
        for row in rows(game, key) {
            let name = row[key].strip_prefix("m in ");
            let unit = if name.is_some() { 1 } else { 120 };
            let name = code(name.unwrap_or(&row[key]));
            let mut contracts = RuleSet::find(game).unwrap().contracts.iter();
            let contract = contracts.find(|contract| contract.name == name).unwrap();
            let written = ["Not doubled", "Doubled", "Redoubled"].map(|cell| reckon(&row[cell]));
            assert_eq!(
                written,
                factors.map(|factor| unit * contract.worth * factor),
                "{row:?}"
            );
        }
    }
}

#[test]
fn the_spatz_and_additions_are_worth_what_the_pages_say() {
    let numbers = |game, key, heading| -> Vec<i32> {
        column(&rows(game, key), heading)
            .iter()
            .map(|cell| reckon(cell))
            .collect()
    };
    for set in RULE_SETS {
        if let Some(spatz) = set.spatz {
            assert_eq!(
                numbers(set.id, "Spatz", "Points"),
                [spatz.early, spatz.last]
            );
        }
        if let Scoring::Price {
            extra_at: at @ [_, ..],
        } = set.scoring
        {
            let at: Vec<i32> = at.iter().map(|&points| points.into()).collect();
            assert_eq!(numbers(set.id, "Addition", "A at least"), at);
            assert_eq!(
                numbers(set.id, "Addition", "Added to the price"),
                vec![1; at.len()]
            );
        }
    }
}

#[test]
fn the_index_has_every_game_and_no_link_leads_nowhere() {
    for (table, or) in tables("README.md").iter().zip([" or ", " oder "]) {
        let expected = RULE_SETS.iter().map(|set| {
            let players: Vec<String> = set.players().map(|players| players.to_string()).collect();
            [format!("`{}`", set.id), players.join(or)]
        });
        assert!(
            table[1..].iter().map(|row| &row[..2]).eq(expected),
            "{table:?}"
        );
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
