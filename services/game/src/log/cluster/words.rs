//! What is said to Redis, and what it answers.

use std::sync::Arc;

use prost::Message as _;
use proto::v1::AppendedEvents;
use redis::{Cmd, cmd, streams::StreamRangeReply};
use uuid::Uuid;

use super::{
    super::{Append, Entry, LogError, Notice, OUTAGE_MS, Wake},
    keys::Keys,
};

impl Keys {
    /// The append script, called by its text or its digest.
    pub(super) fn append(&self, call: &str, script: &str, append: &Append) -> Cmd {
        let mut eval = cmd(call);
        eval.arg(script)
            .arg(4)
            .arg(&self.log)
            .arg(&self.wakes)
            .arg(&self.moved)
            .arg(&self.seen)
            .arg(append.table.to_string())
            .arg(append.expected)
            .arg(
                append
                    .expected_at
                    .map_or_else(String::new, |ms| ms.to_string()),
            )
            .arg(wake_argument(append.wake));
        match append.outage_ms {
            Some(ms) => eval.arg(ms),
            None => eval.arg(""),
        };
        // The notice has them in one piece, for scripts in Redis cannot encode bytes.
        let events = AppendedEvents {
            events: append.events.clone(),
        };
        eval.arg(OUTAGE_MS).arg(events.encode_to_vec());
        for event in &events.events {
            eval.arg(event.as_slice());
        }
        eval
    }
}

pub(super) fn wake_argument(wake: Wake) -> String {
    wake.delay_ms()
        .map_or_else(String::new, |ms| ms.to_string())
}

pub(super) fn number<T: std::str::FromStr>(text: &[u8]) -> Result<T, LogError> {
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or(LogError::Corrupt("number"))
}

/// What was published: the table, and unless it has to be read anew, version and time of the
/// entry before, time and events of what was appended.
pub(super) fn notice(message: &[u8]) -> Option<(Uuid, Notice)> {
    let end = message.iter().position(|&byte| byte == b'\n');
    let (head, events) = message.split_at(end.unwrap_or(message.len()));
    let mut words = std::str::from_utf8(head).ok()?.split(' ');
    let table = words.next()?.parse().ok()?;
    let numbers: Vec<&str> = words.collect();
    let [version, before_ms, at_ms] = numbers[..] else {
        // Restored, or told by the release before, which says the version only.
        return Some((table, Notice::Unknown));
    };
    let version: u64 = version.parse().ok()?;
    let before_ms = before_ms.parse().ok()?;
    let at_ms = at_ms.parse().ok()?;
    let events = AppendedEvents::decode(events.get(1..)?).ok()?.events;
    let entries: Arc<[Entry]> = (version + 1..)
        .zip(events)
        .map(|(version, event)| Entry {
            version,
            at_ms,
            event,
        })
        .collect();
    let after = (version, before_ms);
    Some((table, Notice::Appended { after, entries }))
}

/// Entries as a stream has them.
pub(super) fn entries(reply: StreamRangeReply) -> Result<Vec<Entry>, LogError> {
    reply
        .ids
        .into_iter()
        .map(|mut stored| {
            let (version, _) = stored
                .id
                .split_once('-')
                .ok_or(LogError::Corrupt("entry id"))?;
            let mut take = |field| {
                let value = stored.map.remove(field);
                value
                    .and_then(|value| redis::from_redis_value::<Vec<u8>>(value).ok())
                    .ok_or(LogError::Corrupt("entry"))
            };
            Ok(Entry {
                version: number(version.as_bytes())?,
                at_ms: number(&take("t")?)?,
                event: take("e")?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_says_what_was_appended_or_to_read() {
        let table = Uuid::from_u128(7);
        let events = AppendedEvents {
            events: vec![b"\n".to_vec(), Vec::new()],
        };
        let mut message = format!("{table} 8 70 71\n").into_bytes();
        message.extend(events.encode_to_vec());
        let entry = |version, event: &[u8]| Entry {
            version,
            at_ms: 71,
            event: event.to_vec(),
        };
        let appended = Notice::Appended {
            after: (8, 70),
            entries: [entry(9, b"\n"), entry(10, b"")].into(),
        };
        assert_eq!(notice(&message), Some((table, appended)));
        for short in [format!("{table}"), format!("{table} 9")] {
            let read = Some((table, Notice::Unknown));
            assert_eq!(notice(short.as_bytes()), read, "{short}");
        }
        for bad in ["", "x", "\n", " 1 2 3\n"] {
            assert_eq!(notice(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(notice(format!("{table} 8 70 x\n").as_bytes()), None);
        assert_eq!(notice(format!("{table} 8 70 71").as_bytes()), None);
        assert_eq!(notice(format!("{table} 8 70 71\n\x07").as_bytes()), None);
    }
}
