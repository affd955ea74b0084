//! The store's time, as far as this replica knows it.
//!
//! Only the store's answers say what time it is; between them this machine's monotonic clock
//! counts on. Whatever happens to its wall clock changes nothing.

use std::sync::atomic::{AtomicI64, Ordering};

use tokio::time::Instant;

/// No answer has come yet.
const UNKNOWN: i64 = i64::MIN;

/// An estimate of the store's clock.
#[derive(Debug)]
pub(crate) struct StoreClock {
    origin: Instant,
    /// What to add to the time since the origin, as of the latest answer (ms).
    offset_ms: AtomicI64,
}

impl Default for StoreClock {
    fn default() -> Self {
        Self {
            origin: Instant::now(),
            offset_ms: AtomicI64::new(UNKNOWN),
        }
    }
}

impl StoreClock {
    fn elapsed_ms(&self) -> i64 {
        i64::try_from(self.origin.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// The store's time now (milliseconds since 1970 UTC), once it has told it.
    pub(crate) fn now_ms(&self) -> Option<i64> {
        let offset_ms = self.offset_ms.load(Ordering::Relaxed);
        (offset_ms != UNKNOWN).then(|| offset_ms.saturating_add(self.elapsed_ms()))
    }

    /// The store has just told its time.
    pub(crate) fn learn(&self, store_ms: i64) {
        let offset_ms = store_ms.saturating_sub(self.elapsed_ms());
        self.offset_ms.store(offset_ms, Ordering::Relaxed);
    }
}

/// When each part of the store was last looked after again after an outage, as far as this
/// replica knows it.
#[derive(Debug)]
pub(crate) struct Outages(Vec<AtomicI64>);

impl Outages {
    /// None known, in a store of so many parts.
    pub(crate) fn new(parts: u16) -> Self {
        Self((0..parts).map(|_| AtomicI64::new(0)).collect())
    }

    /// The end of a part's latest outage by the store's clock; 0 when none is known.
    pub(crate) fn latest(&self, part: u16) -> i64 {
        let of = self.0.get(usize::from(part));
        of.map_or(0, |ended_ms| ended_ms.load(Ordering::Relaxed))
    }

    /// The store has told of the latest outage, maybe of one that is known. Its clock may have
    /// been set back since an earlier one.
    pub(crate) fn learn(&self, part: u16, ended_ms: i64) {
        if let Some(latest) = self.0.get(usize::from(part)) {
            latest.store(ended_ms, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_store_tells_the_time_and_this_machine_counts_on() {
        let clock = StoreClock::default();
        assert_eq!(clock.now_ms(), None);
        clock.learn(1_000);
        tokio::time::advance(Duration::from_millis(250)).await;
        assert_eq!(clock.now_ms(), Some(1_250));
        // The store's clock was set back.
        clock.learn(7);
        assert_eq!(clock.now_ms(), Some(7));
    }
}
