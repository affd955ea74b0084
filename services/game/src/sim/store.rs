//! The store of a simulated world: live tables in memory, as one replica reaches them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use tokio::time::sleep;
use uuid::Uuid;

use super::{
    link::Link,
    stored::Stored,
    world::{World, short},
};
use crate::log::{
    Append, Appended, Due, Entry, Head, LEASE, LogError, Notice, Restore, Subscription, TableLog,
    Wake, hub::Hub, outage::Seen,
};

/// Parts of the store, which replicas share.
const PARTS: u16 = 4;

fn part_of(table: Uuid) -> u16 {
    u16::from(table.as_bytes()[15]) % PARTS
}

/// What all replicas share.
#[derive(Debug)]
pub(super) struct Store {
    world: Arc<World>,
    tables: Mutex<BTreeMap<Uuid, Stored>>,
    /// One for each process that lives.
    hubs: Mutex<BTreeMap<usize, Arc<Hub>>>,
    /// Parts that have lost nothing since they were marked.
    marked: Mutex<BTreeSet<u16>>,
    /// Processes that look after parts, each until then (ms since the beginning).
    leases: Mutex<BTreeMap<usize, u64>>,
    /// What is remembered of each part.
    seen: Mutex<[Seen; PARTS as usize]>,
    /// Every look for due tables of each part, for the check.
    looks: Mutex<[Vec<i64>; PARTS as usize]>,
}

impl Store {
    pub(super) fn new(world: Arc<World>) -> Self {
        Self {
            world,
            tables: Mutex::default(),
            hubs: Mutex::default(),
            marked: Mutex::default(),
            leases: Mutex::default(),
            seen: Mutex::default(),
            looks: Mutex::default(),
        }
    }

    pub(super) fn tables(&self) -> MutexGuard<'_, BTreeMap<Uuid, Stored>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hubs(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<Hub>>> {
        self.hubs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn disconnect(&self, process: usize) {
        self.hubs().remove(&process);
    }

    /// The head of a table that is never appended to again.
    pub(super) fn last_head(&self, table: Uuid) -> Option<u64> {
        let tables = self.tables();
        let stored = tables.get(&table)?;
        stored.delete_at.map(|_| stored.head())
    }

    /// Tells every process what happened, as well as the world lets it.
    fn tell(&self, table: Uuid, notice: &Notice) {
        let world = &self.world;
        for hub in self.hubs().values() {
            if world.chance(world.faults.lost_notices) {
                continue;
            }
            let notice = notice.clone();
            if world.chance(world.faults.late_notices) {
                let hub = Arc::clone(hub);
                let late_ms = world.pick(1..2_000);
                tokio::spawn(async move {
                    sleep(Duration::from_millis(late_ms)).await;
                    hub.tell(table, || notice);
                });
                continue;
            }
            hub.tell(table, || notice);
        }
    }

    fn append(&self, append: &Append) -> Appended {
        let mut tables = self.tables();
        let stored = tables.entry(append.table).or_default();
        let head = stored.head();
        let moved = append
            .expected_at
            .is_some_and(|at_ms| at_ms != stored.last_ms());
        if append.expected != head || moved {
            return Appended::Conflict { head };
        }
        if let Some(known_ms) = append.outage_ms {
            let part = &mut self.seen()[usize::from(part_of(append.table))];
            part.notice(self.world.now_ms());
            if part.outage_ms != known_ms {
                let ended_ms = part.outage_ms;
                return Appended::Outage { ended_ms };
            }
        }
        let at_ms = stored.time(&self.world);
        let after = (head, stored.last_ms());
        let entries = append.entries(at_ms);
        stored.entries.extend_from_slice(&entries);
        let wake_at = stored.wake_at(append.wake, at_ms);
        let version = stored.append(head + 1, wake_at);
        drop(tables);
        let entries = entries.into();
        self.tell(append.table, &Notice::Appended { after, entries });
        Appended::Done { version, at_ms }
    }

    /// Goes on after a loss.
    fn restore(&self, restore: Restore) -> bool {
        let mut tables = self.tables();
        let stored = tables.entry(restore.table).or_default();
        if stored.head() != restore.expected {
            return false;
        }
        let first = restore
            .entries
            .first()
            .map_or(restore.version, |entry| entry.version);
        stored.entries.extend(restore.entries);
        let at_ms = stored.time(&self.world);
        stored.entries.push(Entry {
            version: restore.version,
            at_ms,
            event: restore.event,
        });
        let wake_at = stored.wake_at(restore.wake, at_ms);
        stored.append(first, wake_at);
        drop(tables);
        self.tell(restore.table, &Notice::Unknown);
        true
    }

    fn read(&self, table: Uuid, after: u64) -> Vec<Entry> {
        let tables = self.tables();
        let entries = tables.get(&table).map_or(&[][..], |stored| &stored.entries);
        let known = entries.partition_point(|entry| entry.version <= after);
        entries[known..].to_vec()
    }

    fn head(&self, table: Uuid) -> Head {
        let tables = self.tables();
        let stored = tables.get(&table);
        Head {
            version: stored.map_or(0, Stored::head),
            at_ms: stored.map_or(0, Stored::last_ms),
            now_ms: stored.map_or_else(|| self.world.now_ms(), |it| it.time(&self.world)),
        }
    }

    fn holds(&self, table: Uuid, version: u64, at_ms: i64) -> bool {
        let entries = self.read(table, version - 1);
        let first = entries.first();
        first.is_some_and(|entry| (entry.version, entry.at_ms) == (version, at_ms))
    }

    /// The parts of a process, which its number tells from others: the id that it gives itself
    /// does not come from the seed.
    fn lease(&self, process: usize) -> Vec<u16> {
        let now_ms = self.world.elapsed_ms();
        let mut leases = self.leases();
        let lease_ms = u64::try_from(LEASE.as_millis()).unwrap_or(u64::MAX);
        leases.insert(process, now_ms + lease_ms);
        leases.retain(|_, until_ms| *until_ms > now_ms);
        let index = leases.keys().position(|living| *living == process);
        let mine = |part: &u16| Some(usize::from(*part) % leases.len()) == index;
        (0..PARTS).filter(mine).collect()
    }

    fn leases(&self) -> MutexGuard<'_, BTreeMap<usize, u64>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn marked(&self) -> MutexGuard<'_, BTreeSet<u16>> {
        self.marked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, [Seen; PARTS as usize]> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When somebody looked for the due tables of a table's part, in order.
    pub(super) fn looks(&self, table: Uuid) -> Vec<i64> {
        let looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        looks[usize::from(part_of(table))].clone()
    }

    fn look(&self, part: u16, now_ms: i64) -> (u16, i64) {
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        looks[usize::from(part)].push(now_ms);
        let seen = &mut self.seen()[usize::from(part)];
        seen.look(now_ms);
        (part, seen.outage_ms)
    }

    fn claim(&self, parts: &[u16], limit: usize, hold_ms: i64) -> Due {
        let now_ms = self.world.now_ms();
        let mut tables = self.tables();
        let mut due: Vec<(i64, Uuid)> = tables
            .iter()
            .filter_map(|(id, stored)| Some((stored.wake_at?, *id)))
            .filter(|(wake_at, id)| *wake_at <= now_ms && parts.contains(&part_of(*id)))
            .collect();
        due.sort_unstable();
        due.truncate(limit);
        let twice = self.world.faults.double_claims;
        for (_, id) in &due {
            if let Some(stored) = tables.get_mut(id)
                && !self.world.chance(twice)
            {
                stored.wake_at = Some(now_ms + hold_ms);
            }
        }
        Due {
            now_ms,
            tables: due.into_iter().map(|(_, id)| id).collect(),
            unmarked: parts
                .iter()
                .copied()
                .filter(|part| !self.marked().contains(part))
                .collect(),
            outages: parts.iter().map(|part| self.look(*part, now_ms)).collect(),
        }
    }

    fn set_wake(&self, table: Uuid, version: u64, wake: Wake) -> bool {
        let mut tables = self.tables();
        let Some(stored) = tables.get_mut(&table) else {
            return false;
        };
        if stored.head() != version {
            return false;
        }
        let now_ms = stored.time(&self.world);
        stored.wake_at = stored.wake_at(wake, now_ms);
        true
    }

    fn expire(&self, table: Uuid, after_ms: i64) {
        if let Some(stored) = self.tables().get_mut(&table) {
            stored.wake_at = None;
            stored.delete_at = Some(self.world.now_ms() + after_ms);
        }
    }

    /// Loses the last appends of a table, as a primary does that dies before its replica has
    /// them. A table that has ended is left alone.
    pub(super) fn lose(&self, table: Uuid, appends: usize) {
        let mut tables = self.tables();
        let Some(stored) = tables.get_mut(&table) else {
            return;
        };
        if stored.delete_at.is_some() {
            return;
        }
        let kept = stored.applied.len().saturating_sub(appends);
        stored.lost += stored.applied.len() - kept;
        stored.applied.truncate(kept);
        let last = stored.applied.last();
        stored.wake_at = last.and_then(|last| last.wake_at);
        let head = last.map_or(0, |last| last.last);
        stored.entries.retain(|entry| entry.version <= head);
        self.world
            .note(format_args!("{} lost all after {head}", short(table)));
    }

    /// Loses everything.
    pub(super) fn lose_all(&self) {
        let ids: Vec<Uuid> = self.tables().keys().copied().collect();
        for id in ids {
            self.lose(id, usize::MAX);
        }
        self.marked().clear();
        *self.seen() = Default::default();
    }
}

/// The store as one replica reaches it.
#[derive(Debug)]
pub(super) struct SimLog {
    store: Arc<Store>,
    hub: Arc<Hub>,
    link: Link,
}

impl SimLog {
    pub(super) fn connect(store: Arc<Store>, link: Link) -> Self {
        let hub = Arc::<Hub>::default();
        store.hubs().insert(link.process, Arc::clone(&hub));
        Self { store, hub, link }
    }

    async fn ask<T: Debug>(
        &self,
        what: impl Fn() -> String,
        answer: impl FnOnce(&Store) -> T,
        noted: impl Fn(&T) -> bool,
    ) -> Result<T, LogError> {
        let asked = self.link.ask(what, || answer(&self.store), noted).await;
        asked.map_err(|_| LogError::Redis((redis::ErrorKind::Io, "a simulated fault").into()))
    }
}

#[async_trait]
impl TableLog for SimLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        let table = short(append.table);
        let (expected, count, wake) = (append.expected, append.events.len(), append.wake);
        let what = || format!("append {table} on {expected} {count} events {wake:?}");
        self.ask(what, |store| store.append(&append), |_| true)
            .await
    }

    async fn read(&self, table: Uuid, after: u64) -> Result<Vec<Entry>, LogError> {
        let mut entries = Vec::new();
        let what = || format!("read {} after {after}", short(table));
        let read = |store: &Store| {
            entries = store.read(table, after);
            entries.len()
        };
        self.ask(what, read, |_| true).await?;
        Ok(entries)
    }

    async fn head(&self, table: Uuid) -> Result<Head, LogError> {
        let what = || format!("head {}", short(table));
        self.ask(what, |store| store.head(table), |_| true).await
    }

    async fn holds(&self, table: Uuid, version: u64, at_ms: i64) -> Result<bool, LogError> {
        let what = || format!("holds {} {version}", short(table));
        let holds = |store: &Store| store.holds(table, version, at_ms);
        self.ask(what, holds, |_| true).await
    }

    async fn subscribe(&self, table: Uuid) -> Result<Subscription, LogError> {
        let what = || format!("subscribe {}", short(table));
        self.ask(what, |_| (), |()| true).await?;
        Ok(self.hub.subscribe(table))
    }

    async fn lease(&self, _: Uuid) -> Result<Vec<u16>, LogError> {
        let process = self.link.process;
        let lease = |store: &Store| store.lease(process);
        self.ask(|| "lease".to_owned(), lease, |_| false).await
    }

    async fn end_lease(&self, _: Uuid) -> Result<(), LogError> {
        let process = self.link.process;
        let end = |store: &Store| {
            store.leases().remove(&process);
        };
        self.ask(|| "end lease".to_owned(), end, |()| true).await
    }

    fn parts(&self) -> u16 {
        PARTS
    }

    async fn claim_due(&self, parts: &[u16], limit: usize, hold_ms: i64) -> Result<Due, LogError> {
        // Most claims find nothing.
        let noted = |due: &Due| !due.tables.is_empty();
        let what = || format!("claim in {parts:?}");
        let claim = |store: &Store| store.claim(parts, limit, hold_ms);
        self.ask(what, claim, noted).await
    }

    async fn set_wake(&self, table: Uuid, version: u64, wake: Wake) -> Result<bool, LogError> {
        let what = || format!("wake {} at {version} {wake:?}", short(table));
        let set = |store: &Store| store.set_wake(table, version, wake);
        self.ask(what, set, |_| true).await
    }

    async fn restore(&self, restore: Restore) -> Result<bool, LogError> {
        let (table, expected) = (short(restore.table), restore.expected);
        let (version, count) = (restore.version, restore.entries.len());
        let what = || format!("restore {table} on {expected} {count} entries {version}");
        self.ask(what, |store| store.restore(restore), |_| true)
            .await
    }

    fn part_of(&self, table: Uuid) -> u16 {
        part_of(table)
    }

    async fn mark(&self, parts: &[u16]) -> Result<(), LogError> {
        let what = || format!("mark {parts:?}");
        let mark = |store: &Store| store.marked().extend(parts);
        self.ask(what, mark, |()| true).await
    }

    async fn expire(&self, table: Uuid, after_ms: i64) -> Result<(), LogError> {
        let what = || format!("expire {}", short(table));
        self.ask(what, |store| store.expire(table, after_ms), |()| true)
            .await
    }
}
