//! What the generator asks Redis, through its own tools: the memory of live tables, and its rate
//! with nothing but a compare-and-append.

use std::{collections::HashSet, process::Stdio};

use anyhow::{Context as _, ensure};
use tokio::{io::AsyncWriteExt as _, process::Command};

/// As small as an append can be that compares first: one entry, no command id, no wake-up, no
/// notification. The head is compared with itself, so that every call appends.
const BARE_APPEND: &str = "
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local head = last and tonumber(string.match(last[1], '^%d+')) or 0
if head < tonumber(ARGV[1]) then return 0 end
redis.call('XADD', KEYS[1], string.format('%.0f-0', head + 1), 'e', ARGV[2])
return head + 1";

/// Logs that the bare script appends to, at most 999,999.
const BARE_LOGS: &str = "2000";
/// Calls of the bare script.
pub const BARE_CALLS: u64 = 100_000;
/// An event of a played card has about this many bytes.
const BARE_EVENT: &str = "0123456789";

/// A Redis by its URL.
#[derive(Clone, Debug)]
pub struct Redis {
    url: String,
}

impl Redis {
    /// `redis://127.0.0.1:6379`.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
        }
    }

    async fn ask(&self, arguments: &[&str], input: &str) -> anyhow::Result<String> {
        let mut child = Command::new("redis-cli")
            .args(["-u", &self.url])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let mut stdin = child.stdin.take().context("stdin")?;
        let (written, output) = tokio::join!(
            async move { stdin.write_all(input.as_bytes()).await },
            child.wait_with_output()
        );
        written?;
        Ok(String::from_utf8(output?.stdout)?)
    }

    /// The answer to a command, a whole number.
    ///
    /// # Errors
    /// When Redis does not answer, or something else.
    pub async fn number(&self, command: &[&str]) -> anyhow::Result<i64> {
        let answer = self.ask(command, "").await?;
        answer.trim().parse().with_context(|| answer.clone())
    }

    /// A field of `INFO`.
    ///
    /// # Errors
    /// When Redis does not answer, or has no such field.
    pub async fn info(&self, field: &str) -> anyhow::Result<u64> {
        let info = self.ask(&["INFO"], "").await?;
        let mut lines = info.lines();
        let value = lines.find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        Ok(value.context("a field of INFO")?.trim().parse()?)
    }

    /// Bytes that each of these live tables takes: its log and its commands.
    ///
    /// # Errors
    /// When Redis does not answer.
    pub async fn memory_of(&self, tables: &[String]) -> anyhow::Result<Vec<u64>> {
        let wanted: HashSet<&str> = tables.iter().map(String::as_str).collect();
        let keys = self.ask(&["--scan"], "").await?;
        let table_of = |key: &str| key.rsplit_once(':').map(|(_, table)| table.to_owned());
        let keys: Vec<&str> = keys
            .lines()
            .filter(|key| table_of(key).is_some_and(|table| wanted.contains(table.as_str())))
            .collect();
        let questions: String = keys
            .iter()
            .map(|key| format!("MEMORY USAGE {key} SAMPLES 0\n"))
            .collect();
        let answers = self.ask(&[], &questions).await?;
        let mut bytes = std::collections::BTreeMap::<String, u64>::new();
        for (key, answer) in keys.iter().zip(answers.lines()) {
            // A key may expire in between.
            let size: u64 = answer.trim().parse().unwrap_or(0);
            *bytes.entry(table_of(key).unwrap_or_default()).or_default() += size;
        }
        Ok(bytes.into_values().collect())
    }

    /// Calls of the bare script each second, from 50 connections.
    ///
    /// # Errors
    /// When `redis-benchmark` fails.
    pub async fn bare_append_rate(&self) -> anyhow::Result<f64> {
        let sha = self.ask(&["SCRIPT", "LOAD", BARE_APPEND], "").await?;
        let sha = sha.trim();
        ensure!(sha.len() == 40, "SCRIPT LOAD answered {sha}");
        let (_, port) = self.url.rsplit_once(':').context("a port")?;
        let calls = BARE_CALLS.to_string();
        let output = Command::new("redis-benchmark")
            .args(["-p", port, "-n", &calls, "-c", "50", "-r", BARE_LOGS])
            .args(["--csv", "EVALSHA", sha, "1"])
            .args(["{bare}:__rand_int__", "0", BARE_EVENT])
            .output()
            .await?;
        let text = String::from_utf8(output.stdout)?;
        rate_in(&text).with_context(|| format!("redis-benchmark said {text}"))
    }
}

/// The rate in the last line: name, rate, latencies; quoted, between commas.
fn rate_in(csv: &str) -> Option<f64> {
    let row = csv.lines().rfind(|line| line.contains("EVALSHA"))?;
    let mut numbers = row.split("\",\"").skip(1);
    numbers.next()?.trim_matches('"').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_the_first_number_behind_the_command() {
        let csv = "\"test\",\"rps\",\"avg_latency_ms\"\n\
                   \"EVALSHA abc 1 {bare}:__rand_int__ 0 01\",\"56179.78\",\"0.46\"\n";
        assert_eq!(rate_in(csv), Some(56179.78));
        assert_eq!(rate_in("ERR"), None);
    }
}
