//! The way from one replica to a store: where calls are slow, fail, and are cut off.

use std::{
    fmt::Debug,
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::world::World;

/// How long a caller waits in vain for a store that answers nobody.
const NO_ANSWER_MS: u64 = 1_000;

/// A process, as far as stores notice it.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) world: Arc<World>,
    /// Each replica that is started has a number of its own.
    pub(super) process: usize,
    /// Once cancelled, nothing of the process happens any more.
    pub(super) dead: CancellationToken,
    /// Until then (ms since the beginning) the process does nothing.
    pub(super) stalled_until: Arc<AtomicU64>,
    /// Until then (ms since the beginning) the store answers nobody.
    pub(super) away_until: Arc<AtomicU64>,
}

/// A call that failed, made or not.
#[derive(Debug)]
pub(super) struct Failed;

impl Link {
    /// A step of this process: when it is dead it never comes.
    async fn step(&self) {
        if self.dead.is_cancelled() {
            pending::<()>().await;
        }
        loop {
            let now_ms = self.world.elapsed_ms();
            let until_ms = self.stalled_until.load(Ordering::Relaxed);
            if until_ms <= now_ms {
                return;
            }
            sleep(Duration::from_millis(until_ms - now_ms)).await;
            if self.dead.is_cancelled() {
                pending::<()>().await;
            }
        }
    }

    /// The time that a message takes; most take none that counts.
    async fn travel(&self) {
        let world = &self.world;
        if world.chance(world.faults.slow) {
            world.pause(10..1_500).await;
        } else if world.chance(200) {
            world.pause(1..4).await;
        } else {
            return;
        }
        self.step().await;
    }

    /// Asks a store, whose answer is made at one instant between question and answer. What is
    /// not worth a note leaves none.
    pub(super) async fn ask<T: Debug>(
        &self,
        what: impl Fn() -> String,
        answer: impl FnOnce() -> T,
        noted: impl Fn(&T) -> bool,
    ) -> Result<T, Failed> {
        let (world, process) = (&self.world, self.process);
        self.step().await;
        self.travel().await;
        if world.elapsed_ms() < self.away_until.load(Ordering::Relaxed) {
            world.pause(1..NO_ANSWER_MS).await;
            self.step().await;
            return Err(Failed);
        }
        if world.chance(world.faults.before) {
            world.note(format_args!("p{process} {} FAILS", what()));
            return Err(Failed);
        }
        let answer = answer();
        let lost = world.chance(world.faults.after);
        if lost || noted(&answer) {
            let end = if lost { " LOST" } else { "" };
            world.note(format_args!("p{process} {} -> {answer:?}{end}", what()));
        }
        self.travel().await;
        if lost { Err(Failed) } else { Ok(answer) }
    }
}
