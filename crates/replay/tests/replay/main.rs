//! The examples of `docs/replay.md`: each fits the schema and is right, and no longer so once
//! anything in it is changed.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests fail like tests; clippy.toml only exempts the tests themselves"
)]

use std::fs;

use replay::{BadReplay, REPLAY_BYTES_MAX, Replay, Sheet};
use rules::RULE_SETS;
use serde_json::{Value, json};

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

fn example(ruleset: &str) -> Value {
    let json = fs::read(format!("{DOCS}/replay/{ruleset}.json")).unwrap();
    serde_json::from_slice(&json).unwrap()
}

fn parse(replay: &Value) -> Result<Replay, BadReplay> {
    Replay::parse(&serde_json::to_vec(replay).unwrap())
}

fn difference(replay: &Value) -> String {
    match parse(replay) {
        Err(error) => error.to_string(),
        Ok(replay) => replay.verify().unwrap_err().to_string(),
    }
}

#[test]
fn every_game_has_an_example_that_fits_the_schema_and_is_right() {
    let schema = fs::read(format!("{DOCS}/replay.schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for set in RULE_SETS {
        let example = example(set.id);
        let errors: Vec<String> = validator
            .iter_errors(&example)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", set.id);
        assert_eq!(example["match"]["rules"]["ruleset"], set.id);
        let verified = parse(&example).unwrap().verify().unwrap();
        assert!(verified.finished && verified.deals >= 3, "{}", set.id);
    }
}

#[test]
fn the_schema_refuses_what_is_no_replay() {
    let schema = fs::read(format!("{DOCS}/replay.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let good = example("bavarian");
    for (pointer, bad) in [
        ("/format", json!(2)),
        ("/server_seed", json!("00")),
        ("/deals/0/hands/0/0", json!("HZ")),
        ("/deals/0/actions/0/action/type", json!("fly")),
        ("/deals/0/score/declarer", json!({})),
        ("/match/rules/players", json!(5)),
    ] {
        let mut changed = good.clone();
        *changed.pointer_mut(pointer).unwrap() = bad;
        assert!(!validator.is_valid(&changed), "{pointer}");
    }
}

/// The places of all numbers, texts and truths in a document.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                leaves(member, &format!("{path}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                leaves(item, &format!("{path}/{place}"), found);
            }
        }
        Value::Null => {}
        _ => found.push(path.to_owned()),
    }
}

/// What a replay says besides what follows from the rules.
fn is_told_only(path: &str) -> bool {
    let ends = |end: &str| path.ends_with(end);
    path.starts_with("/match/id")
        || path.starts_with("/match/seats")
        || path.starts_with("/match/kind")
        || path.contains("/abandoned")
        || ["/at", "/by", "/version", "_at"].into_iter().any(ends)
        // Options that this match did not come to need.
        || path.starts_with("/match/rules/options")
}

#[test]
fn any_change_of_what_follows_from_the_rules_is_found() {
    for set in RULE_SETS {
        let good = example(set.id);
        let mut paths = Vec::new();
        leaves(&good, "", &mut paths);
        let mut changed_paths = 0;
        for path in paths.iter().filter(|path| !is_told_only(path)).step_by(3) {
            let mut changed = good.clone();
            let leaf = changed.pointer_mut(path).unwrap();
            *leaf = match &*leaf {
                Value::Number(number) => json!(number.as_i64().unwrap() + 1),
                Value::Bool(flag) => json!(!flag),
                Value::String(text) if text.len() == 2 => {
                    json!(if text == "EA" { "S6" } else { "EA" })
                }
                // Another value of the same kind, also for an empty nonce.
                Value::String(text) if text.is_empty() => json!("00"),
                Value::String(text) => json!(format!("{}0", &text[..text.len() - 1])),
                _ => unreachable!(),
            };
            if changed == good {
                continue;
            }
            changed_paths += 1;
            let found = parse(&changed).is_err()
                || parse(&changed).is_ok_and(|replay| replay.verify().is_err());
            assert!(found, "{}: {path} was changed unnoticed", set.id);
        }
        assert!(changed_paths > 100, "{}: {changed_paths}", set.id);
    }
}

#[test]
fn a_difference_says_where_and_what() {
    let mut replay = example("brixental");
    replay["deals"][1]["score"]["points"][0] = json!(1000);
    assert!(difference(&replay).starts_with("deal 2: score: expected"));
    let mut replay = example("brixental");
    replay["deals"][0]["actions"][0]["seat"] = json!(3);
    replay["deals"][0]["actions"][1]["seat"] = json!(3);
    assert!(difference(&replay).starts_with("deal 1: action "));
    let mut replay = example("brixental");
    replay["server_seed"] = json!("00".repeat(32));
    assert!(difference(&replay).contains("promised"));
    let mut replay = example("dobbm");
    replay["deals"].as_array_mut().unwrap().pop();
    assert!(difference(&replay).contains("score_sheet"));
    let sheet = &mut replay["match"]["score_sheet"];
    sheet.as_array_mut().unwrap().pop();
    assert!(difference(&replay).contains("scores: expected"));
    let mut replay = example("dobbm");
    let deal = replay["deals"][0].clone();
    replay["deals"].as_array_mut().unwrap().push(deal);
    assert!(difference(&replay).contains("follows the end"));
    let mut replay = example("dobbm");
    replay["match"]["rules"]["version"] = json!(2);
    assert!(difference(&replay).contains("version 1"));
    let mut replay = example("dobbm");
    replay["format"] = json!(2);
    assert!(difference(&replay).contains("format 1"));
    let mut replay = example("brixental");
    replay["deals"][1]["shuffle"] = json!(3);
    assert!(difference(&replay).contains("shuffle: 3 is not for deal 2"));
    replay["deals"][1]["shuffle"] = json!(1_000_002);
    assert!(difference(&replay).contains("not what the shuffle gives"));
}

#[test]
fn what_is_no_replay_is_refused() {
    for json in [&b""[..], b"{}", b"[]", b"null", b"{\"format\":1}", b"\xff"] {
        assert!(Replay::parse(json).is_err());
    }
    let long = vec![b' '; REPLAY_BYTES_MAX + 1];
    assert!(matches!(Replay::parse(&long), Err(BadReplay::TooLong)));
}

#[test]
fn a_sheet_shows_every_card_of_a_deal() {
    for set in RULE_SETS {
        let replay = parse(&example(set.id)).unwrap();
        let sheet = Sheet::new(&replay, Some(1)).unwrap().to_string();
        for card in rules::CardSet::FULL {
            assert!(sheet.contains(&card.to_string()), "{}: {card}", set.id);
        }
        assert!(sheet.contains("Deal 1") && !sheet.contains("Deal 2"));
        assert!(Sheet::new(&replay, Some(99)).is_err());
    }
}
