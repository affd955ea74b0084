//! Everything that time does: deadlines, bots, the next deal, bookkeeping.
//!
//! The wake-ups are in the store, not in this process: whoever claims a due table looks at it,
//! and doing so twice does no harm, because every append is conditional.

use std::{sync::Arc, time::Duration};

use chassis::{ErrorCode, Failure};
use table::{Chore, Table};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::{
    Game, archive,
    log::{RENEW, Wake},
    metrics, recover,
    tables::wake_in,
};

/// How often the store is asked for due tables.
const POLL: Duration = Duration::from_millis(100);
/// After how long a claimed table is due again, should this replica die or fail.
const HOLD_MS: i64 = 3_000;
/// How long to wait after a failure to restore what the store lost.
const RESTORE_AGAIN: Duration = Duration::from_secs(1);
/// Tables that one claim takes, and that one replica looks at at once.
const TABLES_MAX: usize = 64;
/// After this long nobody looks at an ended table any more.
const KEEP_ENDED_MS: i64 = 60 * 60 * 1000;

/// Looks at due tables until shutdown, and then finishes those in hand.
pub(crate) async fn run(game: Arc<Game>, shutdown: CancellationToken) {
    let mut waker = Waker {
        share: Share::new(),
        slots: Arc::new(Semaphore::new(TABLES_MAX)),
        restoring: Arc::new(Semaphore::new(1)),
        tracker: TaskTracker::new(),
        shutdown,
        game,
    };
    loop {
        let more = waker.claim().await;
        if waker.shutdown.is_cancelled() {
            break;
        }
        if !more {
            tokio::select! {
                biased;
                () = waker.shutdown.cancelled() => break,
                () = waker.game.tables.due_now.notified() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }
    waker.tracker.close();
    waker.tracker.wait().await;
    waker.share.end(&waker.game).await;
}

/// The parts of the store that this replica looks after.
struct Share {
    /// Tells this process from others on the same store.
    replica: Uuid,
    parts: Vec<u16>,
    renewed: Option<Instant>,
}

impl Share {
    fn new() -> Self {
        Self {
            replica: Uuid::new_v4(),
            parts: Vec::new(),
            renewed: None,
        }
    }

    /// The parts to look after now. When the others cannot be heard of, all: two replicas on one
    /// part do no harm.
    async fn parts(&mut self, game: &Game) -> &[u16] {
        let now = Instant::now();
        if self
            .renewed
            .is_none_or(|last| now.duration_since(last) >= RENEW)
        {
            let log = game.tables.log();
            self.parts = match log.lease(self.replica).await {
                Ok(parts) => parts,
                Err(error) => {
                    tracing::warn!(%error, "cannot share the tables with other replicas");
                    (0..log.parts()).collect()
                }
            };
            self.renewed = Some(now);
        }
        &self.parts
    }

    /// Leaves the parts to others.
    async fn end(&self, game: &Game) {
        if let Err(error) = game.tables.log().end_lease(self.replica).await {
            tracing::warn!(%error, "others take over only when the lease has ended");
        }
    }
}

/// What looks at due tables.
struct Waker {
    game: Arc<Game>,
    share: Share,
    /// One for each table that is looked at.
    slots: Arc<Semaphore>,
    /// One for the task that restores what the store lost.
    restoring: Arc<Semaphore>,
    tracker: TaskTracker,
    shutdown: CancellationToken,
}

impl Waker {
    /// Starts to look at tables that are due, and says whether there may be more.
    async fn claim(&mut self) -> bool {
        let free = self.slots.available_permits();
        if free == 0 {
            return false;
        }
        let parts = self.share.parts(&self.game).await;
        let claimed = self.game.tables.log().claim_due(parts, free, HOLD_MS).await;
        let due = match claimed {
            Ok(due) => due,
            Err(error) => {
                tracing::warn!(%error, "cannot claim due tables");
                return false;
            }
        };
        // Before the first decision: this machine's clock must not make a deadline.
        self.game.tables.learn_clock(due.now_ms);
        for (part, ended_ms) in due.outages {
            self.game.tables.learn_outage(part, ended_ms);
        }
        let more = due.tables.len() == free;
        self.restore(due.unmarked, due.now_ms);
        for id in due.tables {
            let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
                break;
            };
            let game = Arc::clone(&self.game);
            if let Some(due_ms) = game.tables.due_ms(id).filter(|&ms| ms <= due.now_ms) {
                metrics::woken(due.now_ms - due_ms);
            }
            let look = async move {
                if let Err(failure) = look_after(&game, id).await {
                    metrics::wake_failed();
                    tracing::warn!(table = %id, %failure, "wake-up failed");
                }
                drop(slot);
            };
            self.tracker.spawn(look.instrument(metrics::wake_span(id)));
        }
        more
    }

    fn restore(&self, parts: Vec<u16>, now_ms: i64) {
        if parts.is_empty() {
            return;
        }
        if let Ok(turn) = Arc::clone(&self.restoring).try_acquire_owned() {
            let restore = restore(Arc::clone(&self.game), parts, now_ms, turn);
            let shutdown = self.shutdown.clone();
            self.tracker
                .spawn(shutdown.run_until_cancelled_owned(restore));
        }
    }
}

/// Restores what parts of the store lost. The next claim says whether there is more to do.
async fn restore(game: Arc<Game>, parts: Vec<u16>, now_ms: i64, turn: OwnedSemaphorePermit) {
    if let Err(failure) = recover::restore_parts(&game, &parts, now_ms).await {
        tracing::warn!(%failure, "cannot restore what the store lost");
        tokio::time::sleep(RESTORE_AGAIN).await;
    }
    drop(turn);
}

/// Moves a table on if its time has come, and does its bookkeeping.
pub(crate) async fn look_after(game: &Game, id: Uuid) -> Result<(), Failure> {
    game.tables.submit(id, &table::Command::Wake, None).await?;
    let (table, now_ms) = game.tables.look(id).await?;
    // The next look, should the chore fail or there be none. A table that is due by now is
    // claimed again at once.
    let wake = wake_in(table.wake_ms(Some(&table), now_ms), now_ms);
    game.tables
        .log()
        .set_wake(id, table.version(), wake)
        .await?;
    if matches!(wake, Wake::In(..=0)) {
        game.tables.due_now.notify_one();
    }
    match table.chore() {
        Some(chore) => do_chore(game, id, &table, chore).await,
        None => Ok(()),
    }
}

/// Does one piece of bookkeeping; the next one is due at once after it.
async fn do_chore(game: &Game, id: Uuid, table: &Table, chore: Chore) -> Result<(), Failure> {
    let done = match chore {
        Chore::ArchiveDeal {
            number,
            after,
            upto,
        } => {
            let entries = game.segment(id, after, upto).await?;
            game.archive.archive_deal(id, number, &entries).await?;
            if let (Some(last), Ok(now_ms)) = (entries.last(), game.tables.now_ms(id).await) {
                metrics::archived(now_ms - last.at_ms);
            }
            table::Command::DealArchived(number)
        }
        Chore::ArchiveMatch { after, upto } => {
            let entries = game.segment(id, after, upto).await?;
            let summary = archive::summary(table);
            game.archive.archive_match(&summary, &entries).await?;
            table::Command::MatchArchived
        }
        Chore::Rate => table::Command::Rated(match game.rate(&archive::summary(table)).await {
            // The store lost the end of a match that was rated: what was rated stays.
            Err(failure) if failure.code == ErrorCode::Conflict => {
                tracing::error!(table = %id, %failure, "a match ended anew is not rated again");
                Vec::new()
            }
            rated => {
                let changes = rated?;
                if let Ok(now_ms) = game.tables.now_ms(id).await {
                    metrics::rated(now_ms - table.ended_ms());
                }
                changes
            }
        }),
        Chore::Expire => {
            game.tables.log().expire(id, KEEP_ENDED_MS).await?;
            game.tables.forget(id);
            return Ok(());
        }
    };
    game.tables.submit(id, &done, None).await?;
    Ok(())
}
