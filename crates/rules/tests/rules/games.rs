//! Every game: where it is played, and random options for it.

use rules::Rules;

use crate::kit::{Rng, table};

/// Every game with each number of players.
pub(crate) const TABLES: [(&str, u8); 7] = [
    ("brixental", 3),
    ("brixental", 4),
    ("bauerntarock", 3),
    ("bauerntarock", 4),
    ("dobbm", 4),
    ("bavarian", 3),
    ("haferltarock", 3),
];

impl Rng {
    /// The rules of a Brixental match for so many players, with random options.
    pub(crate) fn rules(&mut self, players: u8) -> Rules {
        self.rules_of("brixental", players)
    }

    /// The rules of a match, with options drawn from a wide range.
    pub(crate) fn rules_of(&mut self, id: &str, players: u8) -> Rules {
        let mut options = vec![self.length(matches!(id, "brixental" | "bauerntarock"))];
        match id {
            "brixental" => {
                self.add_common(&mut options);
                options.push(("spatz_multiplied", self.percent(50).to_string()));
            }
            "bauerntarock" => self.add_common(&mut options),
            "dobbm" => {
                options.push(("max_thrown_in", self.number(3)));
                options.push(("doubling", self.percent(60).to_string()));
                let spatz = self.percent(60);
                options.push(("spatz", spatz.to_string()));
                let multiplied = spatz && self.percent(50);
                options.push(("spatz_multiplied", multiplied.to_string()));
            }
            "bavarian" => {
                options.push(("pickup_trump", self.pick(&["any", "hearts"]).to_owned()));
                options.push(("stake", self.number(20)));
            }
            "haferltarock" => {
                let pot = self.percent(60);
                let pay_from = if pot { "pot" } else { "pocket" };
                options.push(("pay_from", pay_from.to_owned()));
                if pot {
                    options.push(("stake", self.number(8)));
                }
            }
            _ => panic!("no random options for {id}"),
        }
        let options: Vec<(&str, &str)> = options.iter().map(|(n, v)| (*n, v.as_str())).collect();
        table(id, players, &options)
    }

    /// What Brixental and Bauerntarock have in common.
    fn add_common(&mut self, options: &mut Vec<(&'static str, String)>) {
        options.push(("max_rounds", self.number(4)));
        options.push(("max_thrown_in", self.number(3)));
        let discard_from = self.pick(&["original_hand", "any"]);
        options.push(("discard_from", discard_from.to_owned()));
        options.push(("matsch_factor", self.number(3)));
    }

    fn length(&mut self, may_be_points: bool) -> (&'static str, String) {
        let length = if may_be_points && self.percent(50) {
            format!("points({})", 1 + self.below(120))
        } else {
            format!("rounds({})", 1 + self.below(3))
        };
        ("length", length)
    }

    fn number(&mut self, max: usize) -> String {
        (1 + self.below(max)).to_string()
    }
}
