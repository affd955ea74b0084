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
    let Some(before) = words.next() else {
        return Some((table, Notice::Unknown));
    };
    let version: u64 = before.parse().ok()?;
    let before_ms = words.next()?.parse().ok()?;
    let at_ms = words.next()?.parse().ok()?;
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
