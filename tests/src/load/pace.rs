//! When the next move may be sent.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

/// A move that leaves this long after its time was held up by the generator itself.
const LATE: Duration = Duration::from_millis(20);

/// Moves at a fixed rate (open loop), or without waiting (closed loop). All players share one.
#[derive(Debug)]
pub struct Pace {
    start: Instant,
    rate: Option<f64>,
    next: AtomicU64,
    late: AtomicU64,
}

impl Pace {
    /// So many moves each second from now on.
    #[must_use]
    pub fn new(rate: Option<f64>) -> Self {
        Self {
            start: Instant::now(),
            rate,
            next: AtomicU64::new(0),
            late: AtomicU64::new(0),
        }
    }

    /// Waits for the next free moment.
    pub async fn wait(&self) {
        let Some(rate) = self.rate else {
            return;
        };
        let slot = self.next.fetch_add(1, Ordering::Relaxed);
        let due = self.start + Duration::from_secs_f64(slot as f64 / rate);
        sleep_until(due).await;
        if due.elapsed() > LATE {
            self.late.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many moves left too late: nobody was free to make them, or the machine was full. The
    /// rate was not kept then.
    pub fn late(&self) -> u64 {
        self.late.load(Ordering::Relaxed)
    }
}
