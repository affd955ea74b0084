//! The queues that players can wait in: what is played, by whom, how fast.
//!
//! Queues are configuration (a JSON list). Everything that is wrong with it is reported at once.
//! Invariant: queues in a [`Queues`] are valid and their ids differ.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use chassis::config::Problems;
use rules::{RULE_SETS, RuleSet, Rules, RulesError};
use serde::Deserialize;

use crate::time_control::TimeControl;

/// The longest id of a queue, rule set or ladder, in bytes.
pub const ID_BYTES_MAX: usize = 64;
/// The most queues of one installation: every pass asks for each of them.
pub const QUEUES_MAX: usize = 64;
/// The longest wait before bots fill a casual table.
pub const BOTS_AFTER_MAX: Duration = Duration::from_secs(3_600);

/// Whether the matches of a queue are rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueKind {
    /// Rated: people only.
    Ranked,
    /// Not rated: bots may fill empty seats.
    Casual,
}

/// What is played in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Such as `ranked-brixental-4`.
    pub id: String,
    /// Whether its matches are rated.
    pub kind: QueueKind,
    /// The rule set, the number of players, the options.
    pub rules: Rules,
    /// How long players may think.
    pub time_control: TimeControl,
    /// How long the oldest ticket waits before bots fill the seats; never when absent.
    pub bots_after: Option<Duration>,
    /// The ladder that matches count for; of a ranked queue only.
    pub ladder: Option<String>,
}

/// A queue as it is written in the configuration.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    kind: EntryKind,
    ruleset: String,
    players: u8,
    #[serde(default)]
    options: BTreeMap<String, String>,
    #[serde(default)]
    time_control: EntryTime,
    bots_after_ms: Option<u64>,
    ladder: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EntryKind {
    Ranked,
    Casual,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct EntryTime {
    move_ms: u32,
    bank_ms: u32,
    pause_ms: u32,
    bot_ms: u32,
}

impl Default for EntryTime {
    fn default() -> Self {
        let TimeControl {
            move_ms,
            bank_ms,
            pause_ms,
            bot_ms,
        } = TimeControl::default();
        Self {
            move_ms,
            bank_ms,
            pause_ms,
            bot_ms,
        }
    }
}

/// Whether a text can be an id: lower-case letters, digits, `-` and `_`, not empty, not long.
#[must_use]
pub fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= ID_BYTES_MAX
        && text
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
}

impl Queue {
    /// The queue of a configuration's entry, or everything that is wrong with it.
    fn read(entry: Entry) -> Result<Self, Vec<String>> {
        let rules = rules(&entry.ruleset, entry.players, &entry.options);
        let kind = match entry.kind {
            EntryKind::Ranked => QueueKind::Ranked,
            EntryKind::Casual => QueueKind::Casual,
        };
        let ladder = match kind {
            QueueKind::Ranked => entry.ladder.or(Some(entry.ruleset)),
            QueueKind::Casual => entry.ladder,
        };
        let time = entry.time_control;
        let time_control = TimeControl {
            move_ms: time.move_ms,
            bank_ms: time.bank_ms,
            pause_ms: time.pause_ms,
            bot_ms: time.bot_ms,
        };
        let bots_after = entry.bots_after_ms.map(Duration::from_millis);
        let mut wrong = time_control.check();
        if !is_id(&entry.id) {
            wrong.push("expected an id of 1 to 64 of a-z, 0-9, - and _".to_owned());
        }
        if ladder.as_deref().is_some_and(|id| !is_id(id)) {
            wrong.push("expected a ladder of 1 to 64 of a-z, 0-9, - and _".to_owned());
        }
        if bots_after.is_some_and(|after| after > BOTS_AFTER_MAX) {
            wrong.push("expected bots_after_ms of at most an hour".to_owned());
        }
        match kind {
            QueueKind::Ranked if bots_after.is_some() => {
                wrong.push("bots never play in a ranked queue".to_owned());
            }
            QueueKind::Casual if ladder.is_some() => {
                wrong.push("a casual queue has no ladder".to_owned());
            }
            QueueKind::Ranked | QueueKind::Casual => {}
        }
        match rules {
            Ok(rules) if wrong.is_empty() => Ok(Self {
                id: entry.id,
                kind,
                rules,
                time_control,
                bots_after,
                ladder,
            }),
            rules => {
                wrong.extend(rules.err().map(|error| error.to_string()));
                Err(wrong)
            }
        }
    }

    fn built_in(kind: QueueKind, set: &RuleSet, players: u8) -> Result<Self, RulesError> {
        let (word, options, bots_after, ladder) = match kind {
            QueueKind::Ranked => {
                let options = Some(("length", "rounds(2)"));
                ("ranked", options, None, Some(set.id.to_owned()))
            }
            QueueKind::Casual => ("casual", None, Some(Duration::from_secs(15)), None),
        };
        Ok(Self {
            id: format!("{word}-{}-{players}", set.id),
            kind,
            rules: Rules::new(set.id, players, options)?,
            time_control: TimeControl::default(),
            bots_after,
            ladder,
        })
    }
}

fn rules(
    ruleset: &str,
    players: u8,
    options: &BTreeMap<String, String>,
) -> Result<Rules, RulesError> {
    let options = options.iter().map(|(k, v)| (k.as_str(), v.as_str()));
    Rules::new(ruleset, players, options)
}

/// The queues of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queues(Vec<Queue>);

impl Default for Queues {
    /// For every game and number of players a ranked queue of two rounds and a casual one.
    fn default() -> Self {
        let kinds = [QueueKind::Ranked, QueueKind::Casual];
        let queues = kinds.into_iter().flat_map(|kind| {
            RULE_SETS.iter().flat_map(move |set| {
                set.players()
                    .map(move |players| Queue::built_in(kind, set, players))
            })
        });
        let queues: Result<Vec<Queue>, RulesError> = queues.collect();
        Self(queues.expect("every rule set plays by rounds with its numbers of players"))
    }
}

impl Queues {
    /// Reads a JSON list of queues. What is wrong is noted in `problems`, naming the setting and
    /// the place in the list; the result is only good when nothing was.
    pub fn parse(setting: &str, json: &str, problems: &mut Problems) -> Self {
        let entries = serde_json::from_str(json)
            .map_err(|error| error.to_string())
            .and_then(|entries: Vec<serde_json::Value>| match entries.len() {
                1..=QUEUES_MAX => Ok(entries),
                found => Err(format!("expected 1 to {QUEUES_MAX} queues, got {found}")),
            });
        let mut queues = Vec::new();
        let mut ids = BTreeSet::new();
        let entries = problems.note(setting, entries, Vec::new());
        for (place, entry) in entries.into_iter().enumerate() {
            let setting = format!("{setting}[{place}]");
            let entry = serde_json::from_value::<Entry>(entry).map(Some);
            let Some(entry) = problems.note(&setting, entry, None) else {
                continue;
            };
            if !ids.insert(entry.id.clone()) {
                let wrong = format!("the id {:?} is taken", entry.id);
                problems.note(&setting, Err(wrong), ());
            }
            match Queue::read(entry) {
                Ok(queue) => queues.push(queue),
                Err(wrong) => {
                    for text in wrong {
                        problems.note(&setting, Err(text), ());
                    }
                }
            }
        }
        Self(queues)
    }

    /// The queue with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Queue> {
        self.0.iter().find(|queue| queue.id == id)
    }

    /// All queues, in the order of the configuration.
    pub fn iter(&self) -> impl Iterator<Item = &Queue> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<Queues, String> {
        let mut problems = Problems::default();
        let queues = Queues::parse("--queues", json, &mut problems);
        problems.finish().map_err(|error| error.to_string())?;
        Ok(queues)
    }

    #[test]
    fn every_game_has_a_ranked_and_a_casual_queue() {
        let queues = Queues::default();
        let games = [
            "brixental-3",
            "brixental-4",
            "bauerntarock-3",
            "bauerntarock-4",
            "dobbm-4",
            "bavarian-3",
            "haferltarock-3",
        ];
        let ids: Vec<&str> = queues.iter().map(|queue| queue.id.as_str()).collect();
        let expected: Vec<String> = ["ranked", "casual"]
            .iter()
            .flat_map(|kind| games.map(|game| format!("{kind}-{game}")))
            .collect();
        assert_eq!(ids, expected);
        for queue in queues.iter() {
            assert_eq!(queue.kind == QueueKind::Ranked, queue.ladder.is_some());
            assert_eq!(queue.kind == QueueKind::Casual, queue.bots_after.is_some());
        }
    }

    #[test]
    fn what_is_left_out_gets_its_default() {
        let queues = parse(
            r#"[{"id": "ranked-brixental-4", "kind": "ranked", "ruleset": "brixental",
                 "players": 4, "options": {"length": "rounds(2)"}}]"#,
        );
        let built_in = Queues::default();
        let expected = built_in.get("ranked-brixental-4").cloned();
        assert_eq!(queues, Ok(Queues(Vec::from_iter(expected))));
    }

    #[test]
    fn all_problems_of_all_queues_are_reported() {
        let text = parse(
            r#"[{"id": "A b", "kind": "ranked", "ruleset": "brixental", "players": 1,
                 "bots_after_ms": 5, "time_control": {"move_ms": 1}},
                {"id": "x", "kind": "casual", "ruleset": "brixental", "players": 4,
                 "ladder": "brixental"},
                {"id": "x", "kind": "casual", "ruleset": "brixental", "players": 4},
                {"id": "y", "kind": "casual", "ruleset": "brixental", "player": 4}]"#,
        )
        .unwrap_err();
        for part in [
            "[0]: expected move_ms",
            "[0]: expected an id",
            "[0]: bots never play",
            "[0]: brixental is played by 3 or 4",
            "[1]: a casual queue has no ladder",
            "[2]: the id \"x\" is taken",
            "[3]: unknown field `player`",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn a_list_without_queues_is_refused() {
        assert!(parse("[]").is_err());
        assert!(parse("{}").is_err());
        assert!(parse("[").is_err());
    }
}
