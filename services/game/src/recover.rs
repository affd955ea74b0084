//! Goes on with tables after the store lost the end of their logs, or all.
//!
//! A primary of Redis that fails without `WAIT` takes the last moves with it; a Redis that is lost
//! takes everything. What is left is the truth then: the log as it is, or the deals that are in
//! the archive. The table goes on after an event that says so, with a version that nobody can
//! have seen, so that whoever knows lost events is told to look anew, now or whenever they come
//! back. A table whose first deal was not over is gone.

use chassis::{ErrorCode, Failure};
use table::{Event, Table, restored_version};
use uuid::Uuid;

use crate::{
    Game,
    log::{Entry, Restore},
    tables::{Tables, not_found, replay, wake_in},
};

/// How often to begin anew because somebody else was faster.
const ATTEMPTS_MAX: usize = 8;
/// Matches that are looked at in one go.
const PAGE: u32 = 256;
/// Matches that began longer ago than this are not played any more (ms).
const OLD_MS: u64 = 2 * 24 * 60 * 60 * 1000;

impl Tables {
    /// The log of a table, made good if the store lost some of it. `known` is an earlier state.
    ///
    /// # Errors
    /// When there is no such table, or a store fails.
    pub(crate) async fn whole_log(
        &self,
        id: Uuid,
        known: Option<&Table>,
    ) -> Result<Vec<Entry>, Failure> {
        for _ in 0..ATTEMPTS_MAX {
            let entries = self.log().read(id, 0).await?;
            if !entries.is_empty() && known.is_none_or(|known| contains(&entries, known)) {
                return Ok(entries);
            }
            self.restore(id, known, &entries).await?;
        }
        Err(Failure::unavailable("the table is being restored"))
    }

    async fn restore(
        &self,
        id: Uuid,
        known: Option<&Table>,
        left: &[Entry],
    ) -> Result<(), Failure> {
        let expected = left.last().map_or(0, |entry| entry.version);
        let archived = self.archived(id, left.last()).await?;
        let (mut table, entries) = match replay(&[left, &archived].concat()) {
            Ok(table) => (table, archived),
            // What is left went on by another way than the archive.
            Err(_) => (replay(left)?, Vec::new()),
        };
        let table = table.as_mut().ok_or_else(not_found)?;
        let seen = known.map_or(0, Table::version).max(table.version());
        let version = restored_version(seen);
        let now_ms = self.now_ms(id).await?.max(table.last_ms());
        table
            .evolve(version, now_ms, &Event::Restored)
            .map_err(Failure::internal)?;
        let restore = Restore {
            table: id,
            expected,
            entries,
            version,
            event: table::encode(&Event::Restored, table.rules()),
            wake: wake_in(table.wake_ms(None, now_ms), now_ms),
        };
        if self.log().restore(restore).await? {
            tracing::warn!(table = %id, expected, seen, version, "restored a table");
        }
        Ok(())
    }

    /// What the archive has of a match that is not over after the last entry that is left, up to
    /// the first gap. None when that is of another history.
    async fn archived(&self, id: Uuid, last: Option<&Entry>) -> Result<Vec<Entry>, Failure> {
        if self.archive().summary(id).await?.is_some() {
            return Ok(Vec::new());
        }
        let (mut entries, _) = self.archive().beginning(id).await?;
        let Some(last) = last else {
            return Ok(entries);
        };
        let Some(at) = entries.iter().position(|entry| entry == last) else {
            return Ok(Vec::new());
        };
        Ok(entries.split_off(at + 1))
    }
}

/// Whether a log goes on from a state of its table, or was restored since.
fn contains(log: &[Entry], known: &Table) -> bool {
    let restored = restored_version(known.version());
    log.iter()
        .rev()
        .take_while(|entry| entry.version >= known.version())
        .any(|entry| {
            entry.version >= restored
                || (entry.version, entry.at_ms) == (known.version(), known.last_ms())
        })
}

/// Restores every table that parts of the store lost, and marks the parts. `now_ms` is the
/// store's time.
///
/// # Errors
/// When a store fails; what was not done is done the next time.
pub(crate) async fn restore_parts(game: &Game, parts: &[u16], now_ms: i64) -> Result<(), Failure> {
    let log = game.tables.log();
    let lost = |id: Uuid| parts.contains(&log.part_of(id));
    let mut after = oldest(now_ms);
    loop {
        let page = game.archive.unfinished(after, PAGE).await?;
        for &id in page.iter().filter(|&&id| lost(id)) {
            only_this(id, game.tables.fresh(id).await)?;
        }
        match page.last() {
            Some(&last) if page.len() == PAGE as usize => after = last,
            _ => break,
        }
    }
    let mut after = oldest(now_ms);
    loop {
        let page = game.archive.finished(after, PAGE).await?;
        for finished in &page {
            after = finished.match_id.parse().map_err(Failure::internal)?;
            // Whether it was rated was in the log; rating it again changes nothing.
            if lost(after) && !finished.ladder.is_empty() {
                only_this(after, game.rate(finished).await)?;
            }
        }
        if page.len() < PAGE as usize {
            break;
        }
    }
    log.mark(parts).await?;
    Ok(())
}

/// Passes on a failure that may be over soon. Any other is one of a single table.
fn only_this<T>(id: Uuid, done: Result<T, Failure>) -> Result<(), Failure> {
    match done {
        Ok(_) => Ok(()),
        Err(failure) if failure.code == ErrorCode::Unavailable => Err(failure),
        Err(failure) => {
            tracing::error!(table = %id, %failure, "cannot restore a table");
            Ok(())
        }
    }
}

/// Below the ids (version 7) of tables that were opened lately.
fn oldest(now_ms: i64) -> Uuid {
    let millis = u64::try_from(now_ms).unwrap_or(0).saturating_sub(OLD_MS);
    Uuid::from_u64_pair(millis << 16, 0)
}

#[cfg(test)]
mod tests;
