//! What a run can be told.

use std::time::Duration;

use anyhow::{Context as _, bail};

use super::{run::Guests, scenario::Scenario};

/// A run.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is done, in order.
    pub scenarios: Vec<Scenario>,
    /// Who plays.
    pub guests: Guests,
    /// For everything that is left to chance.
    pub seed: u64,
}

/// Says what there is.
#[must_use]
pub fn usage() -> String {
    let names = Scenario::ALL.map(Scenario::name).join(" ");
    format!(
        "chaos [SCENARIO…]: breaks a running Spatz and says what was lost\n  \
         scenarios: {names}; all when none is named\n  \
         SPATZ_CHAOS_SEED    repeats what a run did that printed this seed\n  \
         SPATZ_CHAOS_GUESTS  how many play (24)"
    )
}

impl Options {
    /// Reads the names of scenarios and the environment; `chance` is the seed when none is set.
    ///
    /// # Errors
    /// When there is no such scenario, or a value is no number.
    pub fn read(
        arguments: impl IntoIterator<Item = String>,
        environment: impl Fn(&str) -> Option<String>,
        chance: u64,
    ) -> anyhow::Result<Self> {
        let mut scenarios = Vec::new();
        for name in arguments {
            let mut all = Scenario::ALL.into_iter();
            let Some(scenario) = all.find(|scenario| scenario.name() == name) else {
                bail!("no scenario {name}\n{}", usage());
            };
            scenarios.push(scenario);
        }
        if scenarios.is_empty() {
            scenarios.extend(Scenario::ALL);
        }
        let number = |name: &str, or: u64| match environment(name) {
            Some(text) => text
                .parse()
                .with_context(|| format!("{name}: expected a number")),
            None => Ok(or),
        };
        let count = usize::try_from(number("SPATZ_CHAOS_GUESTS", 24)?)?;
        if count == 0 || !count.is_multiple_of(4) {
            bail!("SPATZ_CHAOS_GUESTS: expected a multiple of 4");
        }
        Ok(Self {
            scenarios,
            guests: Guests {
                count,
                think: Duration::from_millis(150),
            },
            seed: number("SPATZ_CHAOS_SEED", chance)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(names: &[&str], seed: Option<&str>) -> anyhow::Result<Options> {
        let of = |name: &str| {
            seed.filter(|_| name == "SPATZ_CHAOS_SEED")
                .map(str::to_owned)
        };
        Options::read(names.iter().map(|name| (*name).to_owned()), of, 5)
    }

    #[test]
    fn names_select_scenarios_and_none_means_all() {
        let options = read(&["rolling", "kill"], None).unwrap();
        assert_eq!(options.scenarios, [Scenario::Rolling, Scenario::Kill]);
        assert_eq!(options.seed, 5);
        assert_eq!(read(&[], Some("9")).unwrap().scenarios, Scenario::ALL);
        assert_eq!(read(&[], Some("9")).unwrap().seed, 9);
        assert!(read(&["flood"], None).is_err());
        assert!(read(&[], Some("nine")).is_err());
    }
}
