//! Everything that time does: deadlines, bots, the next deal, bookkeeping.
//!
//! The wake-ups are in the store, not in this process: whoever claims a due table looks at it,
//! and doing so twice does no harm, because every append is conditional.

use std::{sync::Arc, time::Duration};

use chassis::Failure;
use table::{Chore, Table};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

use crate::{Game, archive, log::Wake, recover, tables::wake_in};

/// How often the store is asked for due tables.
const POLL: Duration = Duration::from_millis(100);
/// After how long a claimed table is due again, should this replica die.
const HOLD_MS: i64 = 10_000;
/// How long to wait after a failure to restore what the store lost.
const RESTORE_AGAIN: Duration = Duration::from_secs(1);
/// Tables that one claim takes, and that one replica looks at at once.
const TABLES_MAX: usize = 64;
/// After this long nobody looks at an ended table any more.
const KEEP_ENDED_MS: i64 = 60 * 60 * 1000;

/// Looks at due tables until shutdown, and then finishes those in hand.
pub(crate) async fn run(game: Arc<Game>, shutdown: CancellationToken) {
    let slots = Arc::new(Semaphore::new(TABLES_MAX));
    let restoring = Arc::new(Semaphore::new(1));
    let tracker = TaskTracker::new();
    loop {
        let free = slots.available_permits();
        let mut more = false;
        if free > 0 {
            match game.tables.log().claim_due(free, HOLD_MS).await {
                Ok(due) => {
                    // Before the first decision: this machine's clock must not make a deadline.
                    game.tables.learn_clock(due.now_ms);
                    more = due.tables.len() == free;
                    if !due.unmarked.is_empty()
                        && let Ok(turn) = Arc::clone(&restoring).try_acquire_owned()
                    {
                        let game = Arc::clone(&game);
                        let restore = restore(game, due.unmarked, due.now_ms, turn);
                        tracker.spawn(shutdown.clone().run_until_cancelled_owned(restore));
                    }
                    for id in due.tables {
                        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else {
                            break;
                        };
                        let game = Arc::clone(&game);
                        tracker.spawn(async move {
                            if let Err(failure) = look_after(&game, id).await {
                                tracing::warn!(table = %id, %failure, "wake-up failed");
                            }
                            drop(slot);
                        });
                    }
                }
                Err(error) => tracing::warn!(%error, "cannot claim due tables"),
            }
        }
        if shutdown.is_cancelled() {
            break;
        }
        if !more {
            tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                () = game.tables.due_now.notified() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }
    tracker.close();
    tracker.wait().await;
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
            table::Command::DealArchived(number)
        }
        Chore::ArchiveMatch { after, upto } => {
            let entries = game.segment(id, after, upto).await?;
            let summary = archive::summary(table);
            game.archive.archive_match(&summary, &entries).await?;
            table::Command::MatchArchived
        }
        Chore::Rate => table::Command::Rated(game.rate(table).await?),
        Chore::Expire => {
            game.tables.log().expire(id, KEEP_ENDED_MS).await?;
            game.tables.forget(id);
            return Ok(());
        }
    };
    game.tables.submit(id, &done, None).await?;
    Ok(())
}
