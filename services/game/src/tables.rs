//! Live tables: load, decide, append.
//!
//! A replica keeps the states of the tables that it touched lately. That is only an
//! optimisation: an append with a stale state loses the comparison, reads what it missed and
//! decides again, so any replica can serve any table and nobody owns one.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

use chassis::{ErrorCode, Failure};
use lru::LruCache;
use rules::{Rules, Seat};
use table::{CommandTag, Commanded, Event, Table};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::{
    clock::{Outages, StoreClock},
    history::MatchArchive,
    log::{Append, Appended, Entry, TableLog, Wake},
    metrics,
    receipt::Receipt,
    reject,
};

/// How often a command is decided again because somebody else was faster. A table has at most
/// four players and few bookkeepers, so more would be a fault.
const ATTEMPTS_MAX: usize = 64;

/// The live tables of the log.
#[derive(Debug)]
pub(crate) struct Tables {
    log: Arc<dyn TableLog>,
    archive: Arc<dyn MatchArchive>,
    cache: Mutex<LruCache<Uuid, Arc<Table>>>,
    clock: StoreClock,
    outages: Outages,
    /// Rung when a table of this replica is due at once.
    pub(crate) due_now: Notify,
}

impl Tables {
    pub(crate) fn new(
        log: Arc<dyn TableLog>,
        archive: Arc<dyn MatchArchive>,
        cached_max: NonZeroUsize,
    ) -> Self {
        Self {
            outages: Outages::new(log.parts()),
            log,
            archive,
            cache: Mutex::new(LruCache::new(cached_max)),
            clock: StoreClock::default(),
            due_now: Notify::new(),
        }
    }

    pub(crate) fn log(&self) -> &dyn TableLog {
        &*self.log
    }

    pub(crate) fn archive(&self) -> &dyn MatchArchive {
        &*self.archive
    }

    /// Opens a table, unless it is there.
    pub(crate) async fn open(&self, id: Uuid, opening: &Event) -> Result<u64, Failure> {
        let Event::Opened { setup, .. } = opening else {
            return Err(Failure::internal("a table was opened without an opening"));
        };
        // Only how long after its opening the table is due counts here.
        let table = Table::open(1, 0, opening).map_err(Failure::internal)?;
        let append = Append {
            table: id,
            expected: 0,
            expected_at: None,
            events: vec![table::encode(opening, &setup.rules)],
            wake: wake_in(table.wake_ms(None, 0), 0),
            outage_ms: None,
        };
        match self.append(append).await? {
            Appended::Done { version, at_ms } => {
                self.learn_clock(at_ms);
                Ok(version)
            }
            Appended::Conflict { .. } | Appended::Outage { .. } => {
                let there = self.fresh(id).await?;
                let same = there.setup().rules == setup.rules && there.setup().kind == setup.kind;
                if same {
                    Ok(1)
                } else {
                    Err(Failure::new(
                        ErrorCode::Conflict,
                        "the table id was used for another table",
                    ))
                }
            }
        }
    }

    /// Decides a command and appends what follows, as often as it takes. Returns the version
    /// after it: for a command that was sent again, the one after the first time.
    pub(crate) async fn submit(
        &self,
        id: Uuid,
        command: &table::Command,
        receipt: Option<&Receipt>,
    ) -> Result<u64, Failure> {
        let tag = receipt.map(|receipt| receipt.tag);
        let mut base = self.cached_or_fresh(id).await?;
        for _ in 0..ATTEMPTS_MAX {
            if let Some(receipt) = receipt {
                match self.first_answer(id, &base, receipt).await? {
                    Some(Answer::Version(version)) => return Ok(version),
                    Some(Answer::Lost) => {
                        base = self.fresh(id).await?;
                        continue;
                    }
                    None => {}
                }
            }
            let now = table::Now {
                ms: self.now_ms(id).await?,
                outage_ms: self.outages.latest(self.log.part_of(id)),
            };
            let expected = receipt.and_then(|receipt| receipt.expected);
            let decided = match expected {
                Some(expected) if expected != base.version() => Err(stale(base.version())),
                _ => table::decide(&base, command, now).map_err(reject::failure),
            };
            let decision = match decided {
                Ok(decision) => decision,
                Err(refused) => {
                    // Refused by an old state, or because it was done before?
                    let fresh = self.fresh(id).await?;
                    if position(&fresh) == position(&base) {
                        return Err(refused);
                    }
                    base = fresh;
                    continue;
                }
            };
            if decision.events.is_empty() {
                return Ok(base.version());
            }
            let append = Append {
                table: id,
                expected: base.version(),
                expected_at: Some(base.last_ms()),
                events: encode_all(&decision.events, tag, base.rules()),
                wake: wake_in(decision.table.wake_ms(Some(&base), now.ms), now.ms),
                outage_ms: Some(now.outage_ms),
            };
            let at_once = matches!(append.wake, Wake::In(..=0));
            match self.append(append).await? {
                Appended::Done { version, at_ms } => {
                    self.learn_clock(at_ms);
                    self.keep(id, &base, decision, tag, now.ms, at_ms);
                    if at_once {
                        self.due_now.notify_one();
                    }
                    return Ok(version);
                }
                Appended::Conflict { .. } => base = self.fresh(id).await?,
                Appended::Outage { ended_ms } => {
                    self.learn_outage(self.log.part_of(id), ended_ms);
                }
            }
        }
        Err(Failure::unavailable("too many writers at one table"))
    }

    async fn append(&self, append: Append) -> Result<Appended, Failure> {
        let table = append.table;
        let answer = self.log.append(append).await;
        metrics::appended(table, &answer);
        Ok(answer?)
    }

    /// The version after a command that is in the log of this state, if the store still has it.
    async fn first_answer(
        &self,
        id: Uuid,
        base: &Table,
        receipt: &Receipt,
    ) -> Result<Option<Answer>, Failure> {
        let Some(applied) = base.command(receipt.tag.key) else {
            return Ok(None);
        };
        if !self.log.holds(id, applied.first, applied.at_ms).await? {
            return Ok(Some(Answer::Lost));
        }
        metrics::sent_again();
        if applied.tag == receipt.tag {
            Ok(Some(Answer::Version(applied.last)))
        } else {
            Err(Failure::new(
                ErrorCode::CommandIdReused,
                "this command_id was used for another action; make a new one for each",
            ))
        }
    }

    /// The table as of now, and the store's time.
    pub(crate) async fn look(&self, id: Uuid) -> Result<(Arc<Table>, i64), Failure> {
        let head = self.log.head(id).await?;
        self.learn_clock(head.now_ms);
        let cached = self.cached(id);
        let table = match cached {
            Some(table) if position(&table) == (head.version, head.at_ms) => table,
            _ => self.fresh(id).await?,
        };
        Ok((table, head.now_ms))
    }

    /// The table and the seat of a player who sits there, possibly not as of now.
    pub(crate) async fn seated(
        &self,
        id: Uuid,
        player: Uuid,
    ) -> Result<(Arc<Table>, Seat), Failure> {
        let table = self.cached_or_fresh(id).await?;
        if let Some(seat) = table.seat_of(player) {
            return Ok((table, seat));
        }
        let table = self.fresh(id).await?;
        let seat = table.seat_of(player).ok_or_else(not_found)?;
        Ok((table, seat))
    }

    /// The table with everything that is in the log now.
    pub(crate) async fn fresh(&self, id: Uuid) -> Result<Arc<Table>, Failure> {
        let cached = self.cached(id);
        if let Some(cached) = &cached
            && let Some(table) = self.catch_up(id, cached).await?
        {
            return Ok(table);
        }
        let entries = self.whole_log(id, cached.as_deref()).await?;
        let table = replay(&entries)?.ok_or_else(not_found)?;
        Ok(self.put(id, table))
    }

    /// A cached state brought up to date; `None` when the log does not continue it.
    async fn catch_up(&self, id: Uuid, cached: &Arc<Table>) -> Result<Option<Arc<Table>>, Failure> {
        let Some(new) = self.after(id, cached).await? else {
            return Ok(None);
        };
        if new.is_empty() {
            return Ok(Some(Arc::clone(cached)));
        }
        let mut table = Table::clone(cached);
        for entry in &new {
            let (event, command) = decode(entry, Some(table.rules()))?;
            if table.evolve(entry.version, entry.at_ms, &event).is_err() {
                return Ok(None);
            }
            if let Some(command) = command {
                table.note_command(command, entry.version);
            }
        }
        Ok(Some(self.put(id, table)))
    }

    /// The entries after a state of a table; `None` when the log does not continue it.
    pub(crate) async fn after(
        &self,
        id: Uuid,
        known: &Table,
    ) -> Result<Option<Vec<Entry>>, Failure> {
        let mut entries = self.log.read(id, known.version() - 1).await?;
        let goes_on = entries
            .first()
            .is_some_and(|first| (first.version, first.at_ms) == position(known));
        Ok(goes_on.then(|| entries.split_off(1)))
    }

    async fn cached_or_fresh(&self, id: Uuid) -> Result<Arc<Table>, Failure> {
        let cached = self.cached(id);
        metrics::looked_up(cached.is_some());
        match cached {
            Some(table) => Ok(table),
            None => self.fresh(id).await,
        }
    }

    /// When a table was due, as far as its state is in memory.
    pub(crate) fn due_ms(&self, id: Uuid) -> Option<i64> {
        let table = self.cached(id)?;
        let chore_ms = table.chore().map(|_| table.last_ms());
        table.due_ms().into_iter().chain(chore_ms).min()
    }

    /// How many states are in memory.
    pub(crate) fn cached_count(&self) -> usize {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.len()
    }

    fn cached(&self, id: Uuid) -> Option<Arc<Table>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get(&id).map(Arc::clone)
    }

    fn put(&self, id: Uuid, table: Table) -> Arc<Table> {
        let table = Arc::new(table);
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.put(id, Arc::clone(&table));
        table
    }

    pub(crate) fn forget(&self, id: Uuid) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.pop(&id);
    }

    /// Keeps the state after an append. The decision was stamped with a guess of the store's
    /// time; if that was off, the events are taken again with the time they really got.
    fn keep(
        &self,
        id: Uuid,
        base: &Table,
        decision: table::Decision,
        command: Option<CommandTag>,
        guessed_ms: i64,
        at_ms: i64,
    ) {
        let mut table = decision.table;
        if guessed_ms != at_ms {
            table = base.clone();
            for event in &decision.events {
                if table.evolve(table.version() + 1, at_ms, event).is_err() {
                    self.forget(id);
                    return;
                }
            }
        }
        if let Some(command) = commanded(command, &decision.events) {
            table.note_command(command, base.version() + 1);
        }
        self.put(id, table);
    }

    /// The store's time, as far as this replica knows it; asks when it does not know it at all.
    pub(crate) async fn now_ms(&self, id: Uuid) -> Result<i64, Failure> {
        if let Some(now_ms) = self.clock.now_ms() {
            return Ok(now_ms);
        }
        let head = self.log.head(id).await?;
        self.learn_clock(head.now_ms);
        Ok(head.now_ms)
    }

    pub(crate) fn learn_clock(&self, store_ms: i64) {
        self.clock.learn(store_ms);
    }

    pub(crate) fn learn_outage(&self, part: u16, ended_ms: i64) {
        self.outages.learn(part, ended_ms);
    }
}

/// What came of a command that the log of a state has.
enum Answer {
    /// This is the version after it.
    Version(u64),
    /// The store lost it.
    Lost,
}

/// Version and time of a table's last event: the same in one history only.
pub(crate) fn position(table: &Table) -> (u64, i64) {
    (table.version(), table.last_ms())
}

fn stale(head: u64) -> Failure {
    Failure::new(
        ErrorCode::StaleVersion,
        format!("the table is at version {head}"),
    )
    .with("version", head)
}

pub(crate) fn not_found() -> Failure {
    Failure::new(ErrorCode::TableNotFound, "no such table")
}

/// A command as the log has it that caused these events.
fn commanded(command: Option<CommandTag>, events: &[Event]) -> Option<Commanded> {
    let following = events.len().saturating_sub(1);
    Some(Commanded {
        tag: command?,
        following: u8::try_from(following).unwrap_or(u8::MAX),
    })
}

/// The events as they are stored, the first one with the command that caused them.
fn encode_all(events: &[Event], command: Option<CommandTag>, rules: &Rules) -> Vec<Vec<u8>> {
    let command = commanded(command, events);
    let command = |index| command.filter(|_| index == 0);
    let events = events.iter().enumerate();
    events
        .map(|(index, event)| table::encode_entry(event, command(index), rules))
        .collect()
}

pub(crate) fn wake_in(wake_ms: Option<i64>, now_ms: i64) -> Wake {
    wake_ms.map_or(Wake::Never, |wake_ms| Wake::In((wake_ms - now_ms).max(0)))
}

/// The event in a stored entry, and the command that begins with it. A log that cannot be read is
/// this table's fault alone.
pub(crate) fn decode(
    entry: &Entry,
    rules: Option<&Rules>,
) -> Result<(Event, Option<Commanded>), Failure> {
    table::decode_entry(&entry.event, rules).map_err(Failure::internal)
}

/// The state after these entries.
pub(crate) fn replay(entries: &[Entry]) -> Result<Option<Table>, Failure> {
    let mut table: Option<Table> = None;
    for entry in entries {
        take(&mut table, entry)?;
    }
    Ok(table)
}

/// Takes the next entry of a log that is read from its beginning. Returns its event, and the
/// table after it.
pub(crate) fn take<'a>(
    table: &'a mut Option<Table>,
    entry: &Entry,
) -> Result<(Event, &'a Table), Failure> {
    let (event, command) = decode(entry, table.as_ref().map(Table::rules))?;
    let after = match table {
        Some(table) => {
            let evolved = table.evolve(entry.version, entry.at_ms, &event);
            evolved.map_err(Failure::internal)?;
            table
        }
        None => {
            let opened = Table::open(entry.version, entry.at_ms, &event);
            table.insert(opened.map_err(Failure::internal)?)
        }
    };
    if let Some(command) = command {
        after.note_command(command, entry.version);
    }
    Ok((event, after))
}

#[cfg(test)]
mod tests;
