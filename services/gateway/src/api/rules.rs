//! The rules a match is played by, and how long its players may think.

use std::collections::BTreeMap;

use chassis::{ErrorCode, Failure};
use proto::v1 as wire;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::convert::{broken, seconds};

const OPTIONS_MAX: usize = 16;
const OPTION_BYTES_MAX: usize = 64;

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum OptionValue {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// A name, or a name with a number: `rounds(2)`.
    Text(String),
}

impl From<&str> for OptionValue {
    fn from(text: &str) -> Self {
        match text {
            "true" => Self::Flag(true),
            "false" => Self::Flag(false),
            _ => text
                .parse()
                .map_or_else(|_| Self::Text(text.to_owned()), Self::Number),
        }
    }
}

impl From<OptionValue> for String {
    fn from(value: OptionValue) -> Self {
        match value {
            OptionValue::Flag(flag) => flag.to_string(),
            OptionValue::Number(number) => number.to_string(),
            OptionValue::Text(text) => text,
        }
    }
}

/// Options by name.
pub(crate) type Options = BTreeMap<String, OptionValue>;

/// Options as the services send them.
pub(crate) fn options(options: BTreeMap<String, String>) -> Options {
    let typed = |(name, value): (String, String)| (name, OptionValue::from(value.as_str()));
    options.into_iter().map(typed).collect()
}

/// Options that a client sent.
///
/// # Errors
/// When there are too many, or too long ones. What they mean is the services' matter.
pub(crate) fn sent_options(options: Options) -> Result<BTreeMap<String, String>, Failure> {
    let options = options
        .into_iter()
        .map(|(name, value)| (name, String::from(value)));
    let options: BTreeMap<_, _> = options.collect();
    let fits = |text: &String| text.len() <= OPTION_BYTES_MAX;
    if options.len() > OPTIONS_MAX || !options.iter().all(|(k, v)| fits(k) && fits(v)) {
        let detail = "options: expected names and values of the rule set";
        return Err(Failure::new(ErrorCode::InvalidRules, detail));
    }
    Ok(options)
}

/// The rules of a match.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Rules {
    /// Id of the rule set.
    #[schema(example = "brixental")]
    ruleset: String,
    /// Version of the rule set.
    version: u32,
    players: u32,
    /// Every option, defaults included.
    #[schema(value_type = BTreeMap<String, OptionValue>, example = json!({
        "length": "rounds(2)", "max_rounds": 12, "spatz_multiplied": false,
    }))]
    options: Options,
}

impl TryFrom<Option<wire::Rules>> for Rules {
    type Error = Failure;

    fn try_from(rules: Option<wire::Rules>) -> Result<Self, Failure> {
        let rules = super::convert::required(rules, "rules")?;
        Ok(Self {
            ruleset: rules.ruleset,
            version: rules.version,
            players: rules.players,
            options: options(rules.options),
        })
    }
}

/// How long players may think, in seconds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimeControl {
    /// For each move; what is left is lost.
    #[schema(example = 20.0)]
    move_seconds: f64,
    /// For the whole match, used when a move takes longer.
    #[schema(example = 60.0)]
    bank_seconds: f64,
    /// Between the score of a deal and the next deal.
    #[schema(example = 5.0)]
    pause_seconds: f64,
    /// How long a bot waits before it acts.
    #[schema(example = 1.0)]
    bot_seconds: f64,
}

impl TryFrom<Option<wire::TimeControl>> for TimeControl {
    type Error = Failure;

    fn try_from(times: Option<wire::TimeControl>) -> Result<Self, Failure> {
        let times = super::convert::required(times, "time control")?;
        Ok(Self {
            move_seconds: seconds(times.move_ms),
            bank_seconds: seconds(times.bank_ms),
            pause_seconds: seconds(times.pause_ms),
            bot_seconds: seconds(times.bot_ms),
        })
    }
}

/// How long players of a private table may think, in seconds. What is left out is as in the
/// default queues: 20, 60, 5 and 0.8.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeControlRequest {
    /// For each move, 1 to 3,600.
    move_seconds: Option<f64>,
    /// For the whole match, 0 to 86,400.
    bank_seconds: Option<f64>,
    /// Between two deals, 0 to 60.
    pause_seconds: Option<f64>,
    /// How long a bot waits before it acts, 0 to 10.
    bot_seconds: Option<f64>,
}

impl TryFrom<TimeControlRequest> for wire::TimeControl {
    type Error = Failure;

    fn try_from(times: TimeControlRequest) -> Result<Self, Failure> {
        Ok(Self {
            move_ms: millis("move_seconds", times.move_seconds, 20_000, 1.0, 3_600.0)?,
            bank_ms: millis("bank_seconds", times.bank_seconds, 60_000, 0.0, 86_400.0)?,
            pause_ms: millis("pause_seconds", times.pause_seconds, 5_000, 0.0, 60.0)?,
            bot_ms: millis("bot_seconds", times.bot_seconds, 800, 0.0, 10.0)?,
        })
    }
}

fn millis(
    name: &str,
    seconds: Option<f64>,
    default_ms: u32,
    min: f64,
    max: f64,
) -> Result<u32, Failure> {
    let Some(seconds) = seconds else {
        return Ok(default_ms);
    };
    if !(min..=max).contains(&seconds) {
        let detail = format!("time_control.{name}: expected {min} to {max}");
        return Err(Failure::new(ErrorCode::InvalidBody, detail));
    }
    Ok((seconds * 1000.0).round() as u32)
}

/// What a table is for.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TableKind {
    /// Rated.
    Ranked,
    /// From a queue, not rated.
    Casual,
    /// Opened by a player for invited ones.
    Private,
}

impl TryFrom<i32> for TableKind {
    type Error = Failure;

    fn try_from(kind: i32) -> Result<Self, Failure> {
        match wire::TableKind::try_from(kind) {
            Ok(wire::TableKind::Ranked) => Ok(Self::Ranked),
            Ok(wire::TableKind::Casual) => Ok(Self::Casual),
            Ok(wire::TableKind::Private) => Ok(Self::Private),
            Ok(wire::TableKind::Unspecified) | Err(_) => Err(broken("table kind")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_keep_their_type_and_text() {
        for (text, value) in [
            ("true", OptionValue::Flag(true)),
            ("12", OptionValue::Number(12)),
            ("rounds(2)", OptionValue::Text("rounds(2)".to_owned())),
        ] {
            assert_eq!(OptionValue::from(text), value);
            assert_eq!(String::from(value), text);
        }
    }

    #[test]
    fn options_are_bounded() {
        let many = (0..17).map(|n| (n.to_string(), OptionValue::Number(n)));
        let long = [("length".to_owned(), OptionValue::Text("x".repeat(65)))];
        assert!(sent_options(many.collect()).is_err());
        assert!(sent_options(long.into()).is_err());
    }

    #[test]
    fn a_subset_of_times_is_filled_up_and_all_are_bounded() {
        let times = TimeControlRequest {
            move_seconds: Some(0.0015 + 1.0),
            bank_seconds: Some(0.0),
            ..TimeControlRequest::default()
        };
        let times = wire::TimeControl::try_from(times).unwrap();
        assert_eq!((times.move_ms, times.bank_ms), (1_002, 0));
        assert_eq!((times.pause_ms, times.bot_ms), (5_000, 800));
        for bad in [-1.0, 0.5, 3_601.0, f64::NAN, f64::INFINITY] {
            let times = TimeControlRequest {
                move_seconds: Some(bad),
                ..TimeControlRequest::default()
            };
            assert!(wire::TimeControl::try_from(times).is_err(), "{bad}");
        }
    }
}
