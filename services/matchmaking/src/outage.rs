//! Something that fails now and then: when to try again, and what to log of it.
//!
//! The first failure of a row is logged, and that it works again; what is between is only for
//! those who debug. The pause between attempts doubles.

use std::{
    fmt,
    time::{Duration, Instant},
};

const PAUSE_MIN: Duration = Duration::from_millis(250);
const PAUSE_MAX: Duration = Duration::from_secs(8);

/// Failures in a row.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    running: Option<(Instant, Duration)>,
}

impl Outage {
    /// Whether it is too early to try again.
    pub(crate) fn is_pausing(&self, now: Instant) -> bool {
        self.running.is_some_and(|(retry_at, _)| now < retry_at)
    }

    /// It failed. Several failures before the next attempt is due count as one.
    pub(crate) fn failed(&mut self, now: Instant, what: &str, error: &impl fmt::Display) {
        if self.is_pausing(now) {
            tracing::debug!(%error, "{what} fails");
            return;
        }
        let pause = match self.running {
            None => {
                tracing::warn!(%error, "{what} failed, trying again");
                PAUSE_MIN
            }
            Some((_, pause)) => {
                tracing::debug!(%error, "{what} still fails");
                (pause * 2).min(PAUSE_MAX)
            }
        };
        self.running = Some((now + pause, pause));
    }

    /// It worked.
    pub(crate) fn worked(&mut self, what: &str) {
        if self.running.take().is_some() {
            tracing::info!("{what} works again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_until_it_works() {
        let start = Instant::now();
        let mut outage = Outage::default();
        assert!(!outage.is_pausing(start));
        outage.failed(start, "it", &"so");
        assert!(outage.is_pausing(start));
        let second = start + PAUSE_MIN;
        assert!(!outage.is_pausing(second));
        outage.failed(second, "it", &"so");
        outage.failed(second, "it", &"in the same attempt");
        assert!(outage.is_pausing(second + PAUSE_MIN));
        assert!(!outage.is_pausing(second + PAUSE_MIN * 2));
        outage.worked("it");
        assert!(!outage.is_pausing(second));
    }
}
