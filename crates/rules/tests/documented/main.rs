//! The rule pages say what the code does: every table in them is recomputed.
//!
//! The English pages in `docs/rules` are checked against the rule sets, and their examples
//! against real deals and sessions; the German ones against the English.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests fail like tests; clippy.toml only exempts the tests themselves"
)]

mod deals;
mod page;

use std::collections::BTreeMap;

use rules::{
    Action, Booking, Card, CardOrder, Deal, DealEnd, DealOutcome, Declaration, Doubling, Packet,
    RULE_SETS, Rank, RuleSet, Rules, Scoring, Seat, Session, Shuffle, Suit, Target, TrumpRule,
};

use crate::{
    deals::{Wanted, stacked},
    page::{Row, folder, list, read, reckon, rows, tables},
};

/// The text between backticks.
fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`')
}

fn seat(cell: &str) -> Seat {
    Seat::new(cell.strip_prefix("seat ").unwrap().parse::<u8>().unwrap() - 1).unwrap()
}

/// A deal that brings seat 0 so much and has no other story.
fn scored(rules: &Rules, declarer: Seat, value: i32, booking: Booking) -> DealEnd {
    DealEnd::Played(DealOutcome {
        declaration: Declaration {
            declarer,
            contract: rules.contracts().next().unwrap(),
        },
        card_points: None,
        tricks: 0,
        made: value > 0,
        value,
        booking,
        spatz: None,
    })
}

/// A session with this in the pot, before its next deal.
fn session_with_pot(rules: Rules, first_dealer: Seat, pot: i32) -> Session {
    let mut session = Session::new(rules, first_dealer);
    session.start_deal();
    if session.pot() != pot {
        let surplus = session.pot() - pot;
        session.record(&scored(&rules, first_dealer, surplus, Booking::Pot));
    }
    assert_eq!(session.pot(), pot);
    session
}

/// Every page has the tables that are checked here and no other one.
#[test]
fn every_table_is_checked() {
    let common = ["Players", "Contract", "Session", "Option", "Example"];
    for set in RULE_SETS {
        let mut expected = common.to_vec();
        expected.extend(match set.id {
            "brixental" => &["Spatz", "Settlement"][..],
            "bauerntarock" => &["Spatz", "Settlement", "Stake"],
            "dobbm" => &["Spatz", "Laid off", "Multiplier"],
            "bavarian" => &["Pot left"],
            _ => &["Pot left", "Addition"],
        });
        expected.sort_unstable();
        let tables = tables(&format!("en/{}.md", set.id));
        let mut keys: Vec<&str> = tables.iter().map(|table| table[0][0].as_str()).collect();
        keys.sort_unstable();
        assert_eq!(keys, expected, "{}", set.id);
    }
}

#[test]
fn the_german_pages_say_the_same_as_the_english_ones() {
    let mut words = BTreeMap::new();
    for set in RULE_SETS {
        page::assert_same(set.id, &mut words);
    }
    page::assert_same("cards", &mut words);
}

#[test]
fn cards_rank_and_count_as_the_page_says() {
    let rank = |letter: &str| format!("S{letter}").parse::<Card>().unwrap().rank();
    let cards = rows("cards", "Card");
    assert_eq!(cards.len(), Rank::ALL.len());
    for row in &cards {
        let points = rank(code(&row["Card"]).unwrap()).points();
        assert_eq!(reckon(&row["Card points"]), points.into(), "{row:?}");
    }
    for (row, order) in rows("cards", "Order")
        .iter()
        .zip([CardOrder::Trump(Suit::Hearts), CardOrder::NoTrump])
    {
        let ranks: Vec<Rank> = code(&row["High to low"])
            .unwrap()
            .split(' ')
            .map(rank)
            .collect();
        assert_eq!(ranks.len(), Rank::ALL.len());
        for suit in Suit::ALL {
            let card = |rank: Rank| Card::new(suit, rank);
            let falls = |two: &[Rank]| order.beats(card(two[0]), card(two[1]));
            assert!(ranks.windows(2).all(falls), "{row:?}");
        }
    }
}

/// The number of cards in the packets of one kind.
fn dealt(packets: &[Packet], to_talon: bool) -> i32 {
    let cards = packets.iter().map(|packet| match *packet {
        Packet::Talon(cards) if to_talon => cards,
        Packet::Hands(cards) if !to_talon => cards,
        _ => 0,
    });
    cards.map(i32::from).sum()
}

#[test]
fn cards_are_dealt_as_the_pages_say() {
    for set in RULE_SETS {
        let rows_of_game = rows(set.id, "Players");
        assert_eq!(rows_of_game.len(), set.packets.len());
        for (row, &(players, packets)) in rows_of_game.iter().zip(set.packets) {
            let words = packets.iter().map(|packet| match packet {
                Packet::Hands(cards) => cards.to_string(),
                Packet::Talon(cards) => format!("talon {cards}"),
            });
            assert_eq!(
                row["Packets"],
                words.collect::<Vec<_>>().join(", "),
                "{}",
                set.id
            );
            let shared = rows("cards", "Players");
            let shared = shared
                .iter()
                .find(|shared| shared["Players"] == row["Players"]);
            for row in [row, shared.unwrap()] {
                assert_eq!(row["Players"], players.to_string());
                assert_eq!(reckon(&row["Cards each"]), dealt(packets, false));
                assert_eq!(reckon(&row["Talon"]), dealt(packets, true));
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
            let worth = ["m", "Price", "Amount"]
                .iter()
                .find_map(|&key| row.get(key))
                .unwrap();
            assert_eq!(code(&row["Contract"]), Some(contract.name));
            assert_eq!(reckon(worth), contract.worth, "{row:?}");
            assert_eq!(row["Talon"] == "taken up", contract.takes_talon, "{row:?}");
            let target = match contract.target {
                Target::Points(points) => points.to_string(),
                Target::EveryTrick => "every trick".to_owned(),
                Target::NoTrick => "no trick".to_owned(),
            };
            assert_eq!(row["Target"], target, "{row:?}");
            let trump = match contract.trump {
                TrumpRule::Fixed(suit) => suit.name(),
                TrumpRule::Named(suits) if suits == Suit::ALL => "any suit",
                TrumpRule::Named([Suit::Acorns, Suit::Leaves, Suit::Bells]) => {
                    "acorns, leaves or bells"
                }
                TrumpRule::Named(_) => "some suits",
                TrumpRule::ByOption => "any suit, by option",
                TrumpRule::NoTrump => "none",
            };
            assert_eq!(row["Trump"], trump, "{row:?}");
            if let Some(paid) = row.get("Paid") {
                let (booking, factor) = match paid.as_str() {
                    "pot" => (Booking::Pot, 1),
                    _ => (Booking::FromEach, 2),
                };
                assert_eq!(contract.booking, Some(booking), "{row:?}");
                assert_eq!(reckon(&row["v"]) * factor, contract.worth, "{row:?}");
            }
        }
    }
}

#[test]
fn options_are_those_of_the_rule_set() {
    for set in RULE_SETS {
        let rows = rows(set.id, "Option");
        assert_eq!(rows.len(), set.options.len(), "{}", set.id);
        for (row, &key) in rows.iter().zip(set.options) {
            let default = set.defaults.get(key);
            assert_eq!(code(&row["Option"]), Some(key.name()), "{}", set.id);
            assert_eq!(row["Values"].replace('`', ""), key.expected(), "{row:?}");
            assert_eq!(code(&row["Default"]), Some(default.as_str()), "{row:?}");
        }
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
    let columns = [
        ("Not doubled", by(None, false)),
        ("Doubled", by(someone, false)),
        ("Redoubled", by(someone, true)),
    ];
    for (game, key) in [("bauerntarock", "Stake"), ("dobbm", "Multiplier")] {
        for row in rows(game, key) {
            let (unit, name) = match row[key].strip_prefix("m in ") {
                Some(name) => (1, name),
                None => (120, row[key].as_str()),
            };
            let contracts = RuleSet::find(game).unwrap().contracts.iter();
            let contract = contracts
                .clone()
                .find(|c| Some(c.name) == code(name))
                .unwrap();
            for (column, factor) in columns {
                assert_eq!(
                    reckon(&row[column]),
                    unit * contract.worth * factor,
                    "{row:?}"
                );
            }
        }
    }
    for set in RULE_SETS {
        if let Some(spatz) = set.spatz {
            let points = rows(set.id, "Spatz")
                .into_iter()
                .map(|row| reckon(&row["Points"]));
            assert_eq!(
                points.collect::<Vec<_>>(),
                [spatz.early, spatz.last],
                "{}",
                set.id
            );
        }
        if let Scoring::Price {
            extra_at: at @ [_, ..],
        } = set.scoring
        {
            let rows = rows(set.id, "Addition");
            assert!(rows.iter().all(|row| row["Added to the price"] == "1"));
            let reached = rows.iter().map(|row| reckon(&row["A at least"]) as u8);
            assert_eq!(reached.collect::<Vec<_>>(), at, "{}", set.id);
        }
    }
}

#[test]
fn dobbm_allows_the_discards_that_the_page_allows() {
    let rules = Rules::new("dobbm", 4, []).unwrap();
    let (dealer, forehand) = (Seat::default(), Seat::default().left(4));
    for row in rows("dobbm", "Laid off") {
        let cards = code(&row["Laid off"]).unwrap().split(' ');
        let cards: Vec<Card> = cards.map(|card| card.parse().unwrap()).collect();
        let deck = Shuffle::new([0; 32], vec![Vec::new()]).unwrap().deck(1);
        let mut deal = Deal::new(
            rules,
            dealer,
            &stacked(&rules, deck, dealer, forehand, &cards),
        );
        let bid = Action::Bid(rules.contract_named("dobbm").unwrap());
        for call in [bid, Action::Pass, Action::Pass, Action::Pass] {
            deal.apply(call).unwrap();
        }
        let allowed = deal
            .apply(Action::Discard(cards.into_iter().collect()))
            .is_ok();
        assert_eq!(allowed, row["Allowed"] == "yes", "{row:?}");
    }
}

/// The rules of a row, with the options that it names.
fn rules_of(set: &RuleSet, row: &Row, options: &str) -> Rules {
    let players = row.get("Players").map(|players| reckon(players) as u8);
    let options = row[options].split(", ").filter_map(code);
    let options = options.filter_map(|option| option.split_once(" = "));
    Rules::new(set.id, players.unwrap_or(set.packets[0].0), options).unwrap()
}

fn check_example(set: &RuleSet, row: &Row) {
    let rules = rules_of(set, row, "Contract");
    let words: Vec<&str> = row["Contract"].split(", ").collect();
    let (card_points, tricks) = row["A"].split_once(", ").unwrap_or((&row["A"], ""));
    let wanted = Wanted {
        rules,
        contract: rules.contract_named(code(words[0]).unwrap()).unwrap(),
        doublings: u8::from(words.contains(&"doubled"))
            + 2 * u8::from(words.contains(&"redoubled")),
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
    let players = rules.players();
    let declarer = outcome.declaration.declarer;
    let pot = row.get("Pot before").map_or(0, |pot| reckon(pot));
    let mut session = session_with_pot(rules, declarer, pot);
    let points = session.record(&DealEnd::Played(outcome)).points;
    assert_eq!(reckon(&row["Declarer"]), points[declarer], "{row:?}");
    assert_eq!(reckon(&row["Reckoning"]), points[declarer], "{row:?}");
    for steps in 1..players {
        let column = [
            "Each defender",
            ["Other opponent", "First opponent"][usize::from(steps) % 2],
        ];
        let defender = column.iter().find_map(|&column| row.get(column)).unwrap();
        let got = points[declarer.clockwise(steps, players)];
        assert_eq!(reckon(defender), got, "{row:?}");
    }
    if row.contains_key("Pot after") {
        assert_eq!(reckon(&row["Pot after"]), session.pot(), "{row:?}");
        let before = session.scores()[declarer];
        session.start_deal();
        let paid = before - session.scores()[declarer];
        assert_eq!(reckon(&row["New stake"]), paid, "{row:?}");
    }
}

#[test]
fn deals_end_as_the_examples_say() {
    for set in RULE_SETS {
        let rows = rows(set.id, "Example");
        assert!(rows.len() >= 8, "{}", set.id);
        for row in rows {
            check_example(set, &row);
        }
    }
}

#[test]
fn sessions_end_when_the_pages_say() {
    const PASSED: &str = "More than 100 after deal";
    for set in RULE_SETS {
        for row in rows(set.id, "Session") {
            let rules = rules_of(set, &row, "Options");
            let passed = row.get(PASSED).and_then(|deal| deal.parse().ok());
            let mut session = Session::new(rules, Seat::default());
            let mut deals = 0;
            while !session.is_over() {
                deals += 1;
                // 100 from the first deal on, which is not yet more than 100.
                let value = i32::from(deals == 1) * 100 + i32::from(Some(deals) == passed);
                let end = scored(&rules, Seat::default(), value, Booking::DeclarerAlone);
                session.record(&end);
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
            let players = scores.len() as u8;
            let rules = Rules::new(set.id, players, []).unwrap();
            let mut session = Session::new(rules, seat(&row["First dealer"]));
            for (seat, &score) in Seat::all(players).zip(&scores) {
                session.record(&scored(&rules, seat, score, Booking::DeclarerAlone));
            }
            let payments = session.settlement().payments.unwrap();
            assert_eq!(payments.first(players), list(&row["Payments"]), "{row:?}");
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
            let dealer = seat(&row["First dealer"]);
            let settlement = session_with_pot(rules, dealer, reckon(&row["Pot left"])).settlement();
            assert_eq!(
                settlement.pot_shares.first(3),
                list(&row["Shares"]),
                "{row:?}"
            );
            assert_eq!(settlement.payments, None);
        }
    }
}

#[test]
fn the_index_has_every_game_and_no_link_leads_nowhere() {
    let index = tables("README.md");
    for (table, or) in index.iter().zip([" or ", " oder "]) {
        assert_eq!(table.len(), 1 + RULE_SETS.len());
        for (row, set) in table[1..].iter().zip(RULE_SETS) {
            let players: Vec<String> = set.players().map(|n| n.to_string()).collect();
            assert_eq!((code(&row[0]), &row[1]), (Some(set.id), &players.join(or)));
        }
    }
    let pages = RULE_SETS.iter().map(|set| set.id).chain(["cards"]);
    let pages = pages.flat_map(|page| ["en", "de"].map(|lang| format!("{lang}/{page}.md")));
    for page in pages.chain(["README.md".to_owned()]) {
        let text = read(&page);
        let links = text
            .split("](")
            .skip(1)
            .map(|rest| rest.split(')').next().unwrap());
        for link in links {
            let file = folder().join(&page).with_file_name(link);
            assert!(file.is_file(), "{page}: {link}");
        }
    }
}
