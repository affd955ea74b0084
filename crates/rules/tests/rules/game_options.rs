//! The options of each game: what it knows, its defaults, and combinations without effect.

use rules::{OptionError, Rules, RulesError};

use crate::kit::table;

/// Names and values.
type Named<'a> = &'a [(&'a str, &'a str)];

fn refused(id: &str, players: u8, options: &[(&str, &str)]) -> OptionError {
    match Rules::new(id, players, options.iter().copied()) {
        Err(RulesError::Option(why)) => why,
        other => panic!("{id} {options:?}: {other:?}"),
    }
}

#[test]
fn each_game_has_these_options_with_these_defaults() {
    let games: [(&str, u8, Named<'_>); 4] = [
        (
            "bauerntarock",
            3,
            &[
                ("length", "points(100)"),
                ("max_rounds", "12"),
                ("max_thrown_in", "3"),
                ("discard_from", "any"),
                ("matsch_factor", "1"),
            ],
        ),
        (
            "dobbm",
            4,
            &[
                ("length", "rounds(4)"),
                ("max_thrown_in", "3"),
                ("doubling", "false"),
                ("spatz", "false"),
                ("spatz_multiplied", "false"),
            ],
        ),
        (
            "bavarian",
            3,
            &[
                ("length", "rounds(4)"),
                ("pickup_trump", "any"),
                ("stake", "10"),
            ],
        ),
        (
            "haferltarock",
            3,
            &[
                ("length", "rounds(4)"),
                ("pay_from", "pocket"),
                ("stake", "10"),
            ],
        ),
    ];
    for (id, players, expected) in games {
        let rules = table(id, players, &[]);
        let values: Vec<(&str, String)> = rules.option_values().collect();
        let expected = expected
            .iter()
            .map(|&(name, value)| (name, value.to_owned()));
        assert_eq!(values, expected.collect::<Vec<_>>(), "{id}");
    }
}

#[test]
fn an_option_of_another_game_is_refused() {
    for (id, players, name, value) in [
        ("bauerntarock", 4, "spatz_multiplied", "true"),
        ("bauerntarock", 4, "spatz", "true"),
        ("bauerntarock", 4, "doubling", "true"),
        ("bauerntarock", 3, "stake", "10"),
        ("dobbm", 4, "max_rounds", "3"),
        ("dobbm", 4, "matsch_factor", "2"),
        ("dobbm", 4, "discard_from", "any"),
        ("dobbm", 4, "pay_from", "pot"),
        ("bavarian", 3, "max_thrown_in", "3"),
        ("bavarian", 3, "pay_from", "pot"),
        ("bavarian", 3, "spatz", "true"),
        ("haferltarock", 3, "pickup_trump", "hearts"),
        ("haferltarock", 3, "max_thrown_in", "1"),
        ("haferltarock", 3, "doubling", "true"),
        ("brixental", 3, "doubling", "true"),
        ("brixental", 3, "stake", "10"),
        ("brixental", 3, "speed", "1"),
    ] {
        let why = refused(id, players, &[(name, value)]);
        assert!(
            matches!(why, OptionError::Unknown { .. }),
            "{id} {name}: {why:?}"
        );
    }
}

#[test]
fn only_brixental_and_bauerntarock_are_played_to_a_score() {
    for (id, players) in [("dobbm", 4), ("bavarian", 3), ("haferltarock", 3)] {
        let why = refused(id, players, &[("length", "points(100)")]);
        assert!(
            matches!(why, OptionError::Value { name: "length", .. }),
            "{id}: {why:?}"
        );
        table(id, players, &[("length", "rounds(7)")]);
    }
    for id in ["brixental", "bauerntarock"] {
        table(id, 3, &[("length", "points(50)")]);
        table(id, 3, &[("length", "rounds(2)")]);
    }
}

#[test]
fn spatz_multiplied_without_spatz_is_refused() {
    let needs_spatz = OptionError::Needs {
        name: "spatz_multiplied",
        needs: "spatz = true",
    };
    assert_eq!(
        refused("dobbm", 4, &[("spatz_multiplied", "true")]),
        needs_spatz
    );
    let both_ways = [("spatz_multiplied", "true"), ("spatz", "false")];
    assert_eq!(refused("dobbm", 4, &both_ways), needs_spatz);
    table(
        "dobbm",
        4,
        &[("spatz_multiplied", "true"), ("spatz", "true")],
    );
    table(
        "dobbm",
        4,
        &[("spatz", "true"), ("spatz_multiplied", "false")],
    );
}

#[test]
fn a_stake_without_a_pot_is_refused() {
    let needs_pot = OptionError::Needs {
        name: "stake",
        needs: "pay_from = pot",
    };
    assert_eq!(refused("haferltarock", 3, &[("stake", "5")]), needs_pot);
    let pocket = [("stake", "5"), ("pay_from", "pocket")];
    assert_eq!(refused("haferltarock", 3, &pocket), needs_pot);
    table("haferltarock", 3, &[("stake", "5"), ("pay_from", "pot")]);
    table("bavarian", 3, &[("stake", "5")]);
}

#[test]
fn number_options_are_whole_numbers_from_1() {
    for bad in ["0", "-1", "101", "1.5", "", "ten"] {
        let why = refused("bavarian", 3, &[("stake", bad)]);
        assert!(
            matches!(why, OptionError::Value { name: "stake", .. }),
            "{bad}: {why:?}"
        );
    }
    table("bavarian", 3, &[("stake", "1")]);
    table("bavarian", 3, &[("stake", "100")]);
    let why = refused("dobbm", 4, &[("length", "rounds(0)")]);
    assert!(matches!(why, OptionError::Value { name: "length", .. }));
}

#[test]
fn each_game_is_played_by_so_many() {
    for (id, players) in [
        ("brixental", &[3, 4][..]),
        ("bauerntarock", &[3, 4]),
        ("dobbm", &[4]),
        ("bavarian", &[3]),
        ("haferltarock", &[3]),
    ] {
        for number in 0..=6 {
            let allowed = Rules::new(id, number, []).is_ok();
            assert_eq!(allowed, players.contains(&number), "{id} with {number}");
        }
    }
}

#[test]
fn a_stored_match_reads_back_as_it_was_set() {
    let set = [("length", "rounds(2)"), ("pay_from", "pot"), ("stake", "7")];
    let rules = table("haferltarock", 3, &set);
    let values: Vec<(&str, String)> = rules.option_values().collect();
    let stored = values.iter().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(
        Rules::stored("haferltarock", rules.set().version, 3, stored),
        Ok(rules)
    );
    assert_eq!(values, set.map(|(name, value)| (name, value.to_owned())));
}
