//! What is said to Redis, and what it answers.

use redis::{Cmd, cmd, streams::StreamRangeReply};

use super::{
    super::{Append, Entry, LogError, OUTAGE_MS, Wake, command_key},
    keys::Keys,
};

impl Keys {
    /// The append script, called by its text or its digest.
    pub(super) fn append(&self, call: &str, script: &str, append: &Append) -> Cmd {
        let mut eval = cmd(call);
        eval.arg(script)
            .arg(5)
            .arg(&self.log)
            .arg(&self.commands)
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
        match &append.command {
            Some(command) => eval
                .arg(&command_key(command.seat, &command.id))
                .arg(&command.fingerprint.to_be_bytes()),
            None => eval.arg("").arg(""),
        };
        match append.outage_ms {
            Some(ms) => eval.arg(ms),
            None => eval.arg(""),
        };
        eval.arg(OUTAGE_MS);
        for event in &append.events {
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

pub(super) fn fingerprint(bytes: &[u8]) -> Result<u64, LogError> {
    Ok(u64::from_be_bytes(
        bytes
            .try_into()
            .map_err(|_| LogError::Corrupt("fingerprint"))?,
    ))
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
