//! What can be bid in the four games after Brixental, by name.

/// What is said of a contract in the rules.
#[derive(Clone, Debug)]
pub(crate) struct Contract {
    pub(crate) name: String,
    /// The declarer takes up the talon and lays off.
    pub(crate) takes_talon: bool,
    /// Suits that the declarer may name; one when nothing is to be named; none without trump.
    pub(crate) trumps: Vec<&'static str>,
    /// Card points that are needed; none for `due` and Bettel.
    pub(crate) needs: Option<u32>,
    /// Multiplier, value or price.
    pub(crate) worth: i32,
    /// Paid by the pot, when there is one and the game does not say otherwise.
    pub(crate) from_pot: bool,
}

impl Contract {
    pub(crate) fn is_bettel(&self) -> bool {
        self.name == "bettel"
    }
}

const ALL: [&str; 4] = ["acorns", "leaves", "hearts", "bells"];

/// The ladder of a game, lowest first.
pub(crate) fn ladder(game: &str, pickup_trump: Option<&str>, pot: bool) -> Vec<Contract> {
    match game {
        "bauerntarock" => two_contracts("look_in", "sumpern"),
        "dobbm" => two_contracts("dobbm", "solo"),
        "bavarian" => bavarian(pickup_trump == Some("hearts")),
        "haferltarock" => haferltarock(pot),
        other => panic!("{other}"),
    }
}

fn two_contracts(simple: &str, double: &str) -> Vec<Contract> {
    let contract = |name: &str, worth| Contract {
        name: name.to_owned(),
        takes_talon: worth == 1,
        trumps: vec!["hearts"],
        needs: Some(61),
        worth,
        from_pot: false,
    };
    vec![contract(simple, 1), contract(double, 2)]
}

/// The ranking as the rules write it: pickup 61 < … < pickup due < hand 61 < bettel <
/// hand 66 < … < hand due.
fn bavarian(hearts_only: bool) -> Vec<Contract> {
    let levels = [61, 66, 71, 76, 81, 86, 91, 96, 101, 106, 111, 116];
    let level = |kind: &str, level: u32| Contract {
        name: format!("{kind}:{level}"),
        takes_talon: kind == "pickup",
        trumps: if kind == "pickup" && hearts_only {
            vec!["hearts"]
        } else {
            ALL.to_vec()
        },
        needs: Some(level),
        worth: 1 + (i32::try_from(level).unwrap() - 61) / 5,
        from_pot: kind == "pickup",
    };
    let due = |kind: &str| Contract {
        name: format!("{kind}:due"),
        needs: None,
        worth: 13,
        ..level(kind, 61)
    };
    let mut ladder: Vec<Contract> = levels.iter().map(|&n| level("pickup", n)).collect();
    ladder.push(due("pickup"));
    ladder.push(level("hand", 61));
    ladder.push(Contract {
        name: "bettel".to_owned(),
        takes_talon: false,
        trumps: Vec::new(),
        needs: None,
        worth: 2,
        from_pot: false,
    });
    ladder.extend(levels[1..].iter().map(|&n| level("hand", n)));
    ladder.push(due("hand"));
    ladder
}

fn haferltarock(pot: bool) -> Vec<Contract> {
    let contract = |name: &str, trumps: &[&'static str], worth| Contract {
        name: name.to_owned(),
        takes_talon: name == "herz_neischaugn",
        trumps: trumps.to_vec(),
        needs: (name != "bettel").then_some(61),
        worth,
        from_pot: pot,
    };
    vec![
        contract("herz_neischaugn", &["hearts"], 1),
        contract("solo", &["acorns", "leaves", "bells"], 2),
        contract("herzsolo", &["hearts"], 3),
        contract("bettel", &[], 4),
    ]
}
