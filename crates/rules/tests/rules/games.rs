//! Every game: where it is played, and random options for it.

use proptest::test_runner::{Config as ProptestConfig, RngSeed};
use rules::{Action, CardSet, Deal, Legal, Rules};

use crate::kit::{Rng, call, card, cards, deal, outcome, table};

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

/// So many cases, the same in every run.
pub(crate) fn seeded(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Ways to choose an action, besides [`Rng::action`], that push a deal to its ends.
pub(crate) const STUBBORN: [fn(&mut Rng, &Deal) -> Action; 3] = [
    // Bids the lowest that there is, plays the lowest card.
    |_, deal| {
        let mut actions = deal.legal().actions().into_iter();
        let first = actions.next().unwrap();
        if first == Action::Pass {
            actions.next().unwrap_or(first)
        } else {
            first
        }
    },
    // Bids the highest, holds, doubles, plays the highest card.
    |_, deal| deal.legal().actions().pop().unwrap(),
    // Bids the highest and plays anything.
    |rng, deal| match deal.legal() {
        Legal::Call { .. } | Legal::Hold | Legal::Announce { .. } => {
            deal.legal().actions().pop().unwrap()
        }
        _ => rng.action(deal),
    },
];

impl Rng {
    /// The rules of a match of any game, with random options.
    pub(crate) fn any_rules(&mut self) -> Rules {
        let (id, players) = self.pick(&TABLES);
        self.rules_of(id, players)
    }

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

    /// Hands filled up with random cards.
    fn filled(&mut self, rules: &Rules, hands: &[&str]) -> Vec<String> {
        let named = cards(&hands.join(" "));
        let mut rest = CardSet::FULL.difference(named);
        let hands = rules
            .seats()
            .map(|seat| hands.get(seat.index()).unwrap_or(&""));
        let mut fill = |hand: &str| {
            let short = usize::from(rules.hand_size()) - CardSet::len(cards(hand));
            let cards = self.subset(rest, short);
            rest = rest.difference(cards);
            let cards = cards.map(|card| card.to_string()).collect::<Vec<_>>();
            format!("{hand} {}", cards.join(" "))
        };
        hands.map(|hand| fill(hand)).collect()
    }

    fn number(&mut self, max: usize) -> String {
        (1 + self.below(max)).to_string()
    }
}

/// The first of the random deals with these cards in these hands that, after these words and
/// random play, ends with so many card points. The last seat deals.
#[track_caller]
pub(crate) fn found(rules: Rules, hands: &[&str], before: &str, card_points: u8) -> Deal {
    let mut rng = Rng::new(950);
    for _ in 0..4000 {
        let mut deal = deal(rules, &texts(&rng.filled(&rules, hands)), "");
        call(&mut deal, before);
        while deal.turn().is_some() {
            deal.apply(rng.action(&deal)).unwrap();
        }
        if outcome(&deal).card_points == Some(card_points) {
            return deal;
        }
    }
    panic!("no random deal has {card_points}");
}

fn texts(owned: &[String]) -> Vec<&str> {
    owned.iter().map(String::as_str).collect()
}

/// Seat 0 plays these cards in order; the others throw their points first and keep low acorns.
#[track_caller]
pub(crate) fn play_against(deal: &mut Deal, order: &str) {
    let mut order = order.split(' ').map(card);
    while let Some(turn) = deal.turn() {
        let playable = deal.playable();
        let loose = playable.difference(cards("E7 E8 E9 EO"));
        let thrown = loose
            .max_by_key(|card| card.points())
            .or(playable.highest());
        let next = if turn.number() == 0 {
            order.next()
        } else {
            thrown
        };
        deal.apply(Action::Play(next.unwrap())).unwrap();
    }
}
