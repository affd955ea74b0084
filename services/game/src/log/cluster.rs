//! Live tables in Redis 7 or newer, for any number of processes.
//!
//! A table belongs to a *shard*: a digest of its id, modulo their number. All keys of a shard
//! share a hash tag and so a slot of Redis Cluster, and every script touches one shard only:
//!
//! | key | what |
//! |---|---|
//! | `{prefix}:{s017}:t:<table>` | stream: entry `<version>-0`, fields `t` time and `e` event |
//! | `{prefix}:{s017}:wake` | sorted set: tables by the time they are due |
//! | `{prefix}:{s017}:moved` | channel: what was appended to which table |
//! | `{prefix}:{s017}:mark` | there unless the shard is new or lost everything |
//! | `{prefix}:{s017}:seen` | hash: `at` somebody looked for due tables, an `outage` ended |
//! | `{prefix}:{s017}:fence` | written before a `WAIT` (see [`confirm`]) |
//! | `{prefix}:replicas` | sorted set: replicas by the time they are taken to be dead |
//! | `{prefix}:shards` | the number of shards: it says where tables are, so it never changes |
//!
//! Redis must not evict keys (`maxmemory-policy noeviction`).

use std::{
    collections::VecDeque,
    num::NonZeroU8,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use chassis::kv::{self, Heard, Kv};
use futures::future::join_all;
use redis::{
    Cmd, ErrorKind, FromRedisValue, RedisResult, Script, ScriptInvocation, ServerErrorKind, Value,
    cmd, from_redis_value, pipe,
};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use super::{
    Append, Appended, Due, Entry, Head, LogError, OUTAGE_MS, Restore, SEEN_MS, Subscription,
    TableLog, Wake, check_limit, delay,
    hub::Hub,
    share::{LEASE, share},
};

mod confirm;
mod keys;
mod setup;
mod words;

use confirm::Confirming;
use keys::{Keys, key, shard_of};
use setup::{check_version, fix_shards};
use words::{entries, notice, number, wake_argument};

/// The script of an append.
const APPEND: &str = include_str!("cluster/append.lua");
/// Shards of a new installation.
pub const DEFAULT_SHARDS: u16 = 64;
/// Shards, at most: a process subscribes to a channel of each and asks each for due tables.
const MAX_SHARDS: u16 = 4096;
/// Shards that are asked for due tables at the same time.
const CLAIM_WIDTH: usize = 16;
/// How long a shard may take to say what is due: one that is gone must not hold up the others.
const CLAIM_IN: Duration = Duration::from_millis(500);
/// Entries in one answer, so that a long log does not hold up Redis.
const PAGE: usize = 256;

/// Live tables in Redis.
pub struct ClusterLog {
    kv: Kv,
    shards: u16,
    hub: Arc<Hub>,
    scripts: Scripts,
    /// Present when replicas are to confirm what is acknowledged.
    confirming: Option<Confirming>,
    /// The shard that is asked first for due tables, so that none is always last.
    first: AtomicUsize,
    _listener: AbortOnDropHandle<()>,
}

struct Scripts {
    append: Script,
    claim: Script,
    head: Script,
    set_wake: Script,
    restore: Script,
    lease: Script,
}

impl std::fmt::Debug for ClusterLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClusterLog")
            .field("kv", &self.kv)
            .field("shards", &self.shards)
            .finish_non_exhaustive()
    }
}

impl ClusterLog {
    /// The tables of an installation, which has the given number of shards from its first start
    /// on. Listens for changes on a connection of its own until this is dropped.
    ///
    /// # Errors
    /// When the number of shards is not 1 to 4,096 or another than before, when Redis is older
    /// than 7.0, or when it does not answer.
    pub async fn connect(kv: Kv, shards: u16) -> Result<Self, LogError> {
        if !(1..=MAX_SHARDS).contains(&shards) {
            return Err(LogError::Invalid("expected 1 to 4096 shards"));
        }
        check_version(&kv).await?;
        fix_shards(&kv, shards).await?;
        let hub = Arc::<Hub>::default();
        let channels = (0..shards).map(|shard| key(&kv.prefix, shard, "moved"));
        let hearing = Arc::clone(&hub);
        let listener = kv::listen(kv.address.clone(), channels.collect(), move |heard| {
            tell(&hearing, heard);
        });
        Ok(Self {
            kv,
            shards,
            hub,
            scripts: Scripts {
                append: Script::new(APPEND),
                claim: Script::new(include_str!("cluster/claim.lua")),
                head: Script::new(include_str!("cluster/head.lua")),
                set_wake: Script::new(include_str!("cluster/set_wake.lua")),
                restore: Script::new(include_str!("cluster/restore.lua")),
                lease: Script::new(include_str!("cluster/lease.lua")),
            },
            confirming: None,
            first: AtomicUsize::new(0),
            _listener: AbortOnDropHandle::new(tokio::spawn(listener)),
        })
    }

    /// Acknowledges nothing that so many replicas of its primary do not have.
    #[must_use]
    pub fn confirmed_by(mut self, replicas: NonZeroU8) -> Self {
        let fences = (0..self.shards).map(|shard| key(&self.kv.prefix, shard, "fence"));
        let confirming = Confirming::new(self.kv.clone(), replicas, fences.collect());
        self.confirming = Some(confirming);
        self
    }

    fn replicas(&self) -> String {
        format!("{}:replicas", self.kv.prefix)
    }

    fn keys(&self, table: Uuid) -> Keys {
        Keys::of(table, &self.kv.prefix, self.shards)
    }

    /// Asks Redis, and once more when the connection turns out to be lost: it may have been for
    /// long, and nobody noticed. Everything asked here may be asked twice, as its first answer
    /// may be what was lost.
    async fn ask<T, F>(&self, question: impl Fn(kv::Connection) -> F) -> Result<T, LogError>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let connection = &self.kv.connection;
        match question(connection.clone()).await {
            Err(error) if error.is_connection_dropped() => Ok(question(connection.clone()).await?),
            answer => Ok(answer?),
        }
    }

    async fn query<T: FromRedisValue>(&self, cmd: &Cmd) -> Result<T, LogError> {
        self.ask(|mut connection| async move { cmd.query_async(&mut connection).await })
            .await
    }

    async fn call<T: FromRedisValue>(&self, script: &ScriptInvocation<'_>) -> Result<T, LogError> {
        self.ask(|mut connection| async move { script.invoke_async(&mut connection).await })
            .await
    }

    /// Asks for what a caller will be told to be safe: an append, or that there was one.
    async fn settle<T: FromRedisValue>(&self, shard: u16, cmd: Cmd) -> Result<T, LogError> {
        let Some(confirming) = &self.confirming else {
            return self.query(&cmd).await;
        };
        let call = |cmd| kv::observed("WAIT", confirming.call(shard, cmd));
        let answer: Value = match call(cmd.clone()).await {
            // Once more, as in `ask`; by now another node may be the primary.
            Err(LogError::Redis(error)) if error.is_connection_dropped() => call(cmd).await?,
            answer => answer?,
        };
        from_redis_value(answer).map_err(|_| LogError::Corrupt("answer"))
    }

    async fn claim_in(&self, shard: u16, limit: usize, hold_ms: i64) -> Result<Due, LogError> {
        let mut claim = self.scripts.claim.key(key(&self.kv.prefix, shard, "wake"));
        claim
            .key(key(&self.kv.prefix, shard, "mark"))
            .key(key(&self.kv.prefix, shard, "seen"))
            .arg(limit)
            .arg(delay(hold_ms))
            .arg(OUTAGE_MS)
            .arg(SEEN_MS);
        let answer = timeout(CLAIM_IN, self.call(&claim)).await;
        let (now_ms, ids, marked, outage_ms): (i64, Vec<String>, bool, i64) =
            answer.unwrap_or(Err(LogError::Silent))?;
        let tables = ids
            .iter()
            .map(|id| id.parse().map_err(|_| LogError::Corrupt("table id")))
            .collect::<Result<_, _>>()?;
        Ok(Due {
            now_ms,
            tables,
            unmarked: if marked { Vec::new() } else { vec![shard] },
            outages: if outage_ms == 0 {
                Vec::new()
            } else {
                vec![(shard, outage_ms)]
            },
        })
    }
}

/// A server that has not seen a script: a new one, or a replica that was promoted.
fn is_unknown_script(error: &redis::RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

/// Passes on what was published. Messages are lost while the connection is down, so whenever one
/// is made, every subscriber is told that heads may have moved unseen.
fn tell(hub: &Hub, heard: Heard<'_>) {
    match heard {
        Heard::Anew => hub.lost_track(),
        Heard::Message(message) => match notice(message) {
            Some((table, notice)) => hub.tell(table, || notice),
            None => tracing::warn!("unexpected message"),
        },
    }
}

#[async_trait]
impl TableLog for ClusterLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        append.check()?;
        let keys = self.keys(append.table);
        let known = keys.append("EVALSHA", self.scripts.append.get_hash(), &append);
        let (answer, version, third): (u8, u64, Vec<u8>) =
            match self.settle(keys.shard, known).await {
                Err(LogError::Redis(error)) if is_unknown_script(&error) => {
                    self.settle(keys.shard, keys.append("EVAL", APPEND, &append))
                        .await?
                }
                answer => answer?,
            };
        match answer {
            0 => Ok(Appended::Done {
                version,
                at_ms: number(&third)?,
            }),
            1 => Ok(Appended::Conflict { head: version }),
            2 => Ok(Appended::Outage {
                ended_ms: number(&third)?,
            }),
            _ => Err(LogError::Corrupt("answer")),
        }
    }

    async fn read(&self, table: Uuid, after: u64) -> Result<Vec<Entry>, LogError> {
        let log = self.keys(table).log;
        let mut all = Vec::new();
        let mut next = after.checked_add(1);
        while let Some(from) = next {
            let mut range = cmd("XRANGE");
            range.arg(&log).arg(from).arg("+").arg("COUNT").arg(PAGE);
            let page = entries(self.query(&range).await?)?;
            let last = page.last().map(|entry| entry.version);
            next = last.filter(|_| page.len() == PAGE).map(|last| last + 1);
            all.extend(page);
        }
        Ok(all)
    }

    async fn head(&self, table: Uuid) -> Result<Head, LogError> {
        let head = self.scripts.head.key(self.keys(table).log);
        let (version, at_ms, now_ms) = self.call(&head).await?;
        Ok(Head {
            version,
            at_ms,
            now_ms,
        })
    }

    async fn holds(&self, table: Uuid, version: u64, at_ms: i64) -> Result<bool, LogError> {
        let keys = self.keys(table);
        let mut range = cmd("XRANGE");
        range.arg(keys.log).arg(version).arg(version);
        let found = entries(self.settle(keys.shard, range).await?)?;
        Ok(found.first().is_some_and(|entry| entry.at_ms == at_ms))
    }

    async fn subscribe(&self, table: Uuid) -> Result<Subscription, LogError> {
        Ok(self.hub.subscribe(table))
    }

    async fn lease(&self, replica: Uuid) -> Result<Vec<u16>, LogError> {
        let mut lease = self.scripts.lease.key(self.replicas());
        lease.arg(replica.to_string()).arg(LEASE.as_millis());
        let living: Vec<String> = self.call(&lease).await?;
        let living: Vec<Uuid> = living.iter().filter_map(|id| id.parse().ok()).collect();
        Ok(share(replica, &living, self.shards))
    }

    async fn end_lease(&self, replica: Uuid) -> Result<(), LogError> {
        let mut remove = cmd("ZREM");
        remove.arg(self.replicas()).arg(replica.to_string());
        self.query(&remove).await
    }

    fn parts(&self) -> u16 {
        self.shards
    }

    async fn claim_due(&self, parts: &[u16], limit: usize, hold_ms: i64) -> Result<Due, LogError> {
        let mut wanted = usize::from(check_limit(limit)?);
        let mut to_ask: VecDeque<u16> = parts.iter().copied().collect();
        let first = self.first.fetch_add(CLAIM_WIDTH, Ordering::Relaxed);
        to_ask.rotate_left(first % to_ask.len().max(1));
        let mut due = Due {
            now_ms: 0,
            tables: Vec::new(),
            unmarked: Vec::new(),
            outages: Vec::new(),
        };
        let mut failed = None;
        while wanted > 0 && !to_ask.is_empty() {
            let width = CLAIM_WIDTH.min(to_ask.len()).min(wanted);
            let share = wanted / width;
            let asked: Vec<u16> = to_ask.drain(..width).collect();
            let answers = join_all(asked.iter().map(|&s| self.claim_in(s, share, hold_ms))).await;
            for (shard, answer) in asked.into_iter().zip(answers) {
                match answer {
                    Ok(found) => {
                        wanted -= found.tables.len();
                        if found.tables.len() == share {
                            // There may be more than its share.
                            to_ask.push_back(shard);
                        }
                        due.now_ms = due.now_ms.max(found.now_ms);
                        due.tables.extend(found.tables);
                        due.unmarked.extend(found.unmarked);
                        due.outages.extend(found.outages);
                    }
                    Err(error) => failed = Some(error),
                }
            }
        }
        // Held for less than this takes, a table may come up twice.
        due.tables.sort_unstable();
        due.tables.dedup();
        due.unmarked.sort_unstable();
        due.unmarked.dedup();
        match failed {
            // Shards that cannot be reached must not keep back the others.
            Some(error) if due.tables.is_empty() => return Err(error),
            Some(error) => tracing::warn!(%error, "some shards were not asked for due tables"),
            None => {}
        }
        Ok(due)
    }

    async fn set_wake(&self, table: Uuid, version: u64, wake: Wake) -> Result<bool, LogError> {
        let keys = self.keys(table);
        let mut set = self.scripts.set_wake.key(keys.log);
        set.key(keys.wakes)
            .arg(table.to_string())
            .arg(version)
            .arg(wake_argument(wake));
        self.call(&set).await
    }

    async fn restore(&self, restore: Restore) -> Result<bool, LogError> {
        restore.check()?;
        let keys = self.keys(restore.table);
        let mut call = self.scripts.restore.key(keys.log);
        call.key(keys.wakes)
            .key(keys.moved)
            .arg(restore.table.to_string())
            .arg(restore.expected)
            .arg(wake_argument(restore.wake))
            .arg(restore.version)
            .arg(restore.event);
        for entry in restore.entries {
            call.arg(entry.version).arg(entry.at_ms).arg(entry.event);
        }
        self.call(&call).await
    }

    fn part_of(&self, table: Uuid) -> u16 {
        shard_of(table, self.shards)
    }

    async fn mark(&self, parts: &[u16]) -> Result<(), LogError> {
        for &shard in parts {
            let mut set = cmd("SET");
            set.arg(key(&self.kv.prefix, shard, "mark")).arg("");
            self.query::<()>(&set).await?;
        }
        Ok(())
    }

    async fn expire(&self, table: Uuid, after_ms: i64) -> Result<(), LogError> {
        let keys = self.keys(table);
        let after_ms = delay(after_ms);
        let mut changes = pipe();
        changes
            .atomic()
            .cmd("ZREM")
            .arg(keys.wakes)
            .arg(table.to_string())
            .cmd("PEXPIRE")
            .arg(keys.log)
            .arg(after_ms);
        let changes = &changes;
        self.ask(|mut connection| async move { changes.exec_async(&mut connection).await })
            .await
    }
}
