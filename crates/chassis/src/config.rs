//! Configuration by flag and environment, with all errors reported at once.
//!
//! Flags are read as text; [`Problems`] turns them into values and collects what is wrong, so
//! that an operator mends a deployment in one round.

use std::{fmt::Display, str::FromStr};

/// Exit code for a bad configuration (`EX_USAGE` of `sysexits.h`).
pub const EXIT_USAGE: u8 = 64;

/// What is wrong with a configuration.
#[derive(Debug, Default, thiserror::Error)]
#[error("bad configuration:\n  {}", .0.join("\n  "))]
pub struct BadConfig(Vec<String>);

/// Collects what is wrong while a configuration is read.
#[derive(Debug, Default)]
pub struct Problems(Vec<String>);

impl Problems {
    /// Parses the text of one setting. On failure the problem is noted, naming the setting, and
    /// `fallback` stands in until [`Problems::finish`] refuses the whole.
    pub fn parse<T>(&mut self, setting: &str, text: &str, fallback: T) -> T
    where
        T: FromStr<Err: Display>,
    {
        self.note(
            setting,
            text.parse::<T>()
                .map_err(|error| format!("{error}, got {text:?}")),
            fallback,
        )
    }

    /// Takes a value that was checked elsewhere, or notes why it is none. Values that may be
    /// secret must not be part of the error's text.
    pub fn note<T, E: Display>(&mut self, setting: &str, result: Result<T, E>, fallback: T) -> T {
        match result {
            Ok(value) => value,
            Err(error) => {
                self.0.push(format!("{setting}: {error}"));
                fallback
            }
        }
    }

    /// # Errors
    /// When any problem was noted: all of them.
    pub fn finish(self) -> Result<(), BadConfig> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(BadConfig(self.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_are_reported_at_once() {
        let mut problems = Problems::default();
        assert_eq!(problems.parse("--good", "7", 0_u16), 7);
        problems.parse("--port", "x", 0_u16);
        problems.parse("--ratio", "-", 0.0_f64);
        let text = problems.finish().unwrap_err().to_string();
        assert!(
            text.contains("--port") && text.contains("--ratio"),
            "{text}"
        );
        assert!(!text.contains("--good"), "{text}");
    }
}
