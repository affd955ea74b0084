//! The rules of one match: a rule set, a number of players, the options.

use crate::{
    action::Illegal,
    card::Suit,
    options::{OptionError, OptionKey, Options, PickupTrump},
    rulesets::{Booking, Contract, ContractId, Packet, RULE_SETS, RuleSet, TrumpChoice},
    seat::Seat,
    trump::TrumpRule,
};

/// The rules of one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    set: &'static RuleSet,
    players: u8,
    /// The options in force.
    pub options: Options,
}

/// Why rules cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// No such rule set.
    #[error("no such rule set; expected one of {expected}")]
    UnknownRuleSet {
        /// The rule sets that there are.
        expected: String,
    },
    /// The rule set has another version.
    #[error("rule set {id} has version {expected}")]
    Version {
        /// Id of the rule set.
        id: &'static str,
        /// The version that there is.
        expected: u32,
    },
    /// Not with so many players.
    #[error("{id} is played by {expected} players")]
    Players {
        /// Id of the rule set.
        id: &'static str,
        /// The numbers that there are.
        expected: String,
    },
    /// An option is refused.
    #[error("{0}")]
    Option(#[from] OptionError),
}

impl RulesError {
    pub(crate) fn unknown_rule_set() -> Self {
        Self::UnknownRuleSet {
            expected: list(RULE_SETS.iter().map(|set| set.id)),
        }
    }
}

fn list<T: ToString>(items: impl Iterator<Item = T>) -> String {
    items
        .map(|item| item.to_string())
        .collect::<Vec<_>>()
        .join(", ")
}

impl Rules {
    /// The rules of a match, with options by name.
    ///
    /// # Errors
    /// When there is no such rule set, number of players or option, an option does not take
    /// its value, or options do not go together.
    pub fn new<'a>(
        id: &str,
        players: u8,
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, RulesError> {
        let set = RuleSet::find(id)?;
        if !set.players().any(|n| n == players) {
            return Err(RulesError::Players {
                id: set.id,
                expected: list(set.players()).replace(", ", " or "),
            });
        }
        let mut rules = Self {
            set,
            players,
            options: set.defaults,
        };
        for (name, value) in options {
            let key = set
                .options
                .iter()
                .find(|key| key.name() == name)
                .ok_or_else(|| {
                    let expected = list(set.options.iter().map(|key| key.name()));
                    OptionError::Unknown { expected }
                })?;
            rules.options.set(*key, value)?;
        }
        rules.check_combination()?;
        Ok(rules)
    }

    /// Refuses what would have no effect: whoever sets it expects something else.
    fn check_combination(&self) -> Result<(), OptionError> {
        let options = &self.options;
        let has_key = |key| self.set.options.contains(&key);
        let defaults = &self.set.defaults;
        if !options.spatz && options.spatz_multiplied {
            return Err(OptionError::Needs {
                name: OptionKey::SpatzMultiplied.name(),
                needs: "spatz = true",
            });
        }
        if has_key(OptionKey::Stake) && !self.has_pot() && options.stake != defaults.stake {
            return Err(OptionError::Needs {
                name: OptionKey::Stake.name(),
                needs: "pay_from = pot",
            });
        }
        Ok(())
    }

    /// The rules that a match was stored with.
    ///
    /// # Errors
    /// As [`Rules::new`], and when this program knows only another version of the rule set.
    pub fn stored<'a>(
        id: &str,
        version: u32,
        players: u8,
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, RulesError> {
        let rules = Self::new(id, players, options)?;
        if rules.set.version != version {
            return Err(RulesError::Version {
                id: rules.set.id,
                expected: rules.set.version,
            });
        }
        Ok(rules)
    }

    /// The rule set.
    #[must_use]
    pub const fn set(&self) -> &'static RuleSet {
        self.set
    }

    /// How many play.
    #[must_use]
    pub const fn players(&self) -> u8 {
        self.players
    }

    /// The seats.
    pub fn seats(&self) -> impl Iterator<Item = Seat> + Clone + use<> {
        Seat::all(self.players)
    }

    /// Every option of the rule set with its value.
    pub fn option_values(&self) -> impl Iterator<Item = (&'static str, String)> {
        let keys = self.set.options.iter();
        keys.map(|key| (key.name(), self.options.get(*key)))
    }

    pub(crate) fn packets(&self) -> &'static [Packet] {
        let mut tables = self.set.packets.iter();
        tables
            .find(|(players, _)| *players == self.players)
            .map_or(&[], |&(_, packets)| packets)
    }

    /// Cards in each hand after dealing.
    #[must_use]
    pub fn hand_size(&self) -> u8 {
        let hands = self.packets().iter().map(|packet| match packet {
            Packet::Hands(cards) => *cards,
            Packet::Talon(_) => 0,
        });
        hands.sum()
    }

    /// The contract at a place of the ladder.
    #[must_use]
    pub fn contract(&self, id: ContractId) -> &'static Contract {
        &self.set.contracts[usize::from(id.0)]
    }

    /// Refuses the contract of another game.
    pub(crate) fn check(&self, contract: ContractId) -> Result<(), Illegal> {
        if usize::from(contract.0) < self.set.contracts.len() {
            Ok(())
        } else {
            Err(Illegal::NoSuchContract)
        }
    }

    /// The place of a contract in the ladder, by name.
    #[must_use]
    pub fn contract_named(&self, name: &str) -> Option<ContractId> {
        self.contracts().find(|&id| self.contract(id).name == name)
    }

    /// The whole ladder, lowest first.
    pub fn contracts(&self) -> impl Iterator<Item = ContractId> + use<> {
        (0..self.set.contracts.len() as u8).map(ContractId)
    }

    /// How a contract comes to its trump suit.
    #[must_use]
    pub fn trump_choice(&self, contract: ContractId) -> TrumpChoice {
        match (self.contract(contract).trump, self.options.pickup_trump) {
            (TrumpRule::Fixed(suit), _) => TrumpChoice::Fixed(suit),
            (TrumpRule::Named(suits), _) => TrumpChoice::Named(suits),
            (TrumpRule::ByOption, PickupTrump::Hearts) => TrumpChoice::Fixed(Suit::Hearts),
            (TrumpRule::ByOption, PickupTrump::Any) => TrumpChoice::Named(&Suit::ALL),
            (TrumpRule::NoTrump, _) => TrumpChoice::NoTrump,
        }
    }

    /// The trump suit that all contracts have, if there is one: known before the auction.
    #[must_use]
    pub fn only_trump(&self) -> Option<Suit> {
        let mut choices = self.contracts().map(|contract| self.trump_choice(contract));
        let first = choices.next()?;
        match first {
            TrumpChoice::Fixed(suit) if choices.all(|choice| choice == first) => Some(suit),
            _ => None,
        }
    }

    /// Between whom the value of a contract passes.
    #[must_use]
    pub fn booking(&self, contract: &Contract) -> Booking {
        contract.booking.unwrap_or(self.options.pay_from.into())
    }

    /// Whether the players fill a pot (Haferl).
    #[must_use]
    pub fn has_pot(&self) -> bool {
        let mut contracts = self.set.contracts.iter();
        contracts.any(|contract| self.booking(contract) == Booking::Pot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_set_deals_the_whole_pack() {
        for set in RULE_SETS {
            for players in set.players() {
                let rules = Rules::new(set.id, players, []).unwrap();
                let talon = |packet: &Packet| match packet {
                    Packet::Talon(cards) => *cards,
                    Packet::Hands(_) => 0,
                };
                let talon: u8 = rules.packets().iter().map(talon).sum();
                assert_eq!(
                    rules.hand_size() * players + talon,
                    36,
                    "{} {players}",
                    set.id
                );
            }
        }
    }

    #[test]
    fn rules_name_what_they_expect() {
        let error = |id, players, option| Rules::new(id, players, option).unwrap_err().to_string();
        assert!(error("skat", 3, None).contains("brixental"));
        assert!(error("brixental", 5, None).contains("3 or 4"));
        assert!(error("brixental", 4, Some(("speed", "1"))).contains("matsch_factor"));
        for (name, bad) in [
            ("length", "points(0)"),
            ("length", "rounds(101)"),
            ("length", "rounds(1"),
            ("length", "rounds(01)"),
            ("length", "forever"),
            ("max_rounds", "0"),
            ("max_rounds", "+3"),
            ("max_thrown_in", "70000"),
            ("discard_from", "talon"),
            ("matsch_factor", "1.5"),
            ("spatz_multiplied", "yes"),
        ] {
            assert!(
                error("brixental", 4, Some((name, bad))).contains("expected"),
                "{name}={bad}"
            );
        }
    }

    #[test]
    fn options_read_back_as_they_were_set() {
        let set = [
            ("length", "rounds(2)"),
            ("max_rounds", "7"),
            ("max_thrown_in", "2"),
            ("discard_from", "any"),
            ("matsch_factor", "2"),
            ("spatz_multiplied", "true"),
        ];
        let rules = Rules::new("brixental", 3, set).unwrap();
        let values: Vec<(&str, String)> = rules.option_values().collect();
        let expected = set.map(|(name, value)| (name, value.to_owned()));
        assert_eq!(values, expected);
        assert!(Rules::stored("brixental", 2, 3, set).is_err());
    }
}
