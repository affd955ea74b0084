//! What a run can be told, by flag or by environment variable.

use std::time::Duration;

use anyhow::{Context as _, bail};

/// Says what there is.
pub const USAGE: &str = "load: measures a running Spatz on this machine
  --tables N       tables at once, of four guests each (SPATZ_LOAD_TABLES, 60)
  --seconds N      length of each measurement (SPATZ_LOAD_SECONDS, 20)
  --warm-up N      seconds before it (SPATZ_LOAD_WARM_UP, 3)
  --rate N         open loop: moves each second; 0: as many as go (SPATZ_LOAD_RATE, 0)
  --half 0|1       then measure at half of the rate that was reached (SPATZ_LOAD_HALF, 0)
  --queue ID       seat guests by this queue, not at private tables (SPATZ_LOAD_QUEUE)
  --length TEXT    of a private match (SPATZ_LOAD_LENGTH, rounds(2))
  --watchers N     idle streams whose memory is measured first (SPATZ_LOAD_WATCHERS, 1000)
  --replays N      finished matches that the engine plays again (SPATZ_LOAD_REPLAYS, 20)";

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Tables at once.
    pub tables: usize,
    /// How long each measurement takes.
    pub seconds: Duration,
    /// How long the load runs before it is measured.
    pub warm_up: Duration,
    /// Moves each second; `None`: everyone acts as soon as possible.
    pub rate: Option<f64>,
    /// Whether to measure again at half of the rate that was reached.
    pub half: bool,
    /// The queue that seats the guests; `None`: private tables.
    pub queue: Option<String>,
    /// Length of a private match.
    pub length: String,
    /// Idle streams whose memory is measured.
    pub watchers: usize,
    /// Finished matches that the engine plays again.
    pub replays: usize,
}

impl Options {
    /// Reads flags, which win, and the environment.
    ///
    /// # Errors
    /// When a flag is unknown or a value is no number.
    pub fn read(
        arguments: impl IntoIterator<Item = String>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> anyhow::Result<Self> {
        let names = [
            "tables", "seconds", "warm-up", "rate", "half", "queue", "length", "watchers",
            "replays",
        ];
        let mut values = names.map(|name| {
            let variable = name.replace('-', "_").to_uppercase();
            environment(&format!("SPATZ_LOAD_{variable}"))
        });
        let mut arguments = arguments.into_iter();
        while let Some(flag) = arguments.next() {
            let known = names
                .iter()
                .position(|name| flag.strip_prefix("--") == Some(name));
            let Some(place) = known else {
                bail!("unknown {flag}\n{USAGE}");
            };
            values[place] = Some(arguments.next().with_context(|| format!("{flag} what?"))?);
        }
        let [
            tables,
            seconds,
            warm_up,
            rate,
            half,
            queue,
            length,
            watchers,
            replays,
        ] = values;
        let options = Self {
            tables: number("tables", tables, 60)?,
            seconds: Duration::from_secs(number("seconds", seconds, 20)?),
            warm_up: Duration::from_secs(number("warm-up", warm_up, 3)?),
            rate: Some(number("rate", rate, 0.0)?).filter(|rate| *rate > 0.0),
            half: number("half", half, 0_u8)? != 0,
            queue: queue.filter(|queue| !queue.is_empty()),
            length: length.unwrap_or_else(|| "rounds(2)".to_owned()),
            watchers: number("watchers", watchers, 1000)?,
            replays: number("replays", replays, 20)?,
        };
        if !(1..=5_000).contains(&options.tables) {
            bail!("--tables: expected 1 to 5000");
        }
        if options.seconds.is_zero() || options.seconds > Duration::from_secs(600) {
            bail!("--seconds: expected 1 to 600, as long as an access token lasts");
        }
        Ok(options)
    }
}

fn number<T: std::str::FromStr>(name: &str, text: Option<String>, or: T) -> anyhow::Result<T> {
    let Some(text) = text else {
        return Ok(or);
    };
    let number = text.parse().ok();
    number.with_context(|| format!("--{name}: {text} is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str], environment: &[(&str, &str)]) -> anyhow::Result<Options> {
        let of = |name: &str| {
            let found = environment.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Options::read(arguments.iter().map(|text| (*text).to_owned()), of)
    }

    #[test]
    fn a_flag_wins_over_the_environment_and_both_over_the_default() {
        let environment = [("SPATZ_LOAD_TABLES", "7"), ("SPATZ_LOAD_WARM_UP", "1")];
        let options = read(&["--tables", "9"], &environment).unwrap();
        assert_eq!(options.tables, 9);
        assert_eq!(options.warm_up, Duration::from_secs(1));
        assert_eq!(options.rate, None);
        assert_eq!(read(&["--rate", "250"], &[]).unwrap().rate, Some(250.0));
    }

    #[test]
    fn what_is_no_option_is_refused() {
        for wrong in [
            &["--table", "9"][..],
            &["tables", "9"],
            &["--tables"],
            &["--tables", "many"],
            &["--tables", "0"],
            &["--seconds", "0"],
        ] {
            assert!(read(wrong, &[]).is_err(), "{wrong:?}");
        }
    }
}
