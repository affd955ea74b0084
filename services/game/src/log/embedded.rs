//! Live tables in SQLite, for one process.
//!
//! Writers of this process take turns, so that notices go out in the order of the commits, and a
//! write is finished even when nobody waits for it any more, so that no commit goes unnoticed.

use std::sync::Arc;

use async_trait::async_trait;
use chassis::{
    db::{Db, Dialect},
    now_ms,
};
use sqlx::{Any, Transaction};
use tokio::sync::Mutex;
use uuid::Uuid;

use super::{
    Append, Appended, Due, Entry, Head, LogError, Notice, Restore, Subscription, TableLog, Wake,
    check_limit, delay, hub::Hub, outage::Seen,
};

/// Expired tables that one look for due ones drops, at most.
const SWEEP: i64 = 64;

/// Live tables in SQLite.
#[derive(Clone, Debug)]
pub struct EmbeddedLog(Arc<Store>);

#[derive(Debug)]
struct Store {
    db: Db,
    hub: Arc<Hub>,
    /// Held from before a transaction until after its notice.
    turn: Mutex<()>,
}

impl EmbeddedLog {
    /// The tables of a migrated database. Only one of these may be in use for a database: it
    /// notices its own appends only.
    ///
    /// # Errors
    /// When the database is not SQLite.
    pub fn new(db: Db) -> Result<Self, LogError> {
        if db.dialect != Dialect::Sqlite {
            return Err(LogError::Invalid("the embedded log needs SQLite"));
        }
        Ok(Self(Arc::new(Store {
            db,
            hub: Arc::default(),
            turn: Mutex::default(),
        })))
    }
}

/// Runs a write to its end, also when the caller is gone.
async fn finish<T, F>(write: F) -> Result<T, LogError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, LogError>> + Send + 'static,
{
    match tokio::spawn(write).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(LogError::Stopped),
        },
    }
}

/// A version as SQL has it. None that is stored comes near the end of the range.
fn version(stored: i64) -> Result<u64, LogError> {
    u64::try_from(stored).map_err(|_| LogError::Corrupt("version"))
}

/// A version for SQL.
fn column(version: u64) -> Result<i64, LogError> {
    i64::try_from(version).map_err(|_| LogError::Invalid("a version out of range"))
}

impl Store {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        let _turn = self.turn.lock().await;
        let mut transaction = self.db.begin().await?;
        let table = append.table.to_string();
        let (head, last_ms) = last(&mut *transaction, &table).await?;
        let another = append.expected_at.is_some_and(|at_ms| at_ms != last_ms);
        if version(head)? != append.expected || another {
            return Ok(Appended::Conflict {
                head: version(head)?,
            });
        }
        let now_ms = now_ms();
        if let Some(known_ms) = append.outage_ms {
            let mut part = seen(&mut *transaction).await?;
            if part.notice(now_ms) {
                remember(&mut transaction, part).await?;
            }
            if part.outage_ms != known_ms {
                transaction.commit().await?;
                return Ok(Appended::Outage {
                    ended_ms: part.outage_ms,
                });
            }
        }
        let at_ms = now_ms.max(last_ms);
        let entries = append.entries(at_ms);
        let head = entries.last().map_or(append.expected, |last| last.version);
        set_head(&mut transaction, &table, head, at_ms, append.wake).await?;
        for entry in &entries {
            put(&mut transaction, &table, entry).await?;
        }
        transaction.commit().await?;
        self.hub.tell(append.table, || Notice::Appended {
            after: (append.expected, last_ms),
            entries: entries.into(),
        });
        Ok(Appended::Done {
            version: head,
            at_ms,
        })
    }

    async fn restore(&self, restore: Restore) -> Result<bool, LogError> {
        let _turn = self.turn.lock().await;
        let mut transaction = self.db.begin().await?;
        let table = restore.table.to_string();
        let (head, last_ms) = last(&mut *transaction, &table).await?;
        if version(head)? != restore.expected {
            return Ok(false);
        }
        let times = restore.entries.iter().map(|entry| entry.at_ms);
        let at_ms = times.fold(now_ms().max(last_ms), i64::max);
        let last = Entry {
            version: restore.version,
            at_ms,
            event: restore.event,
        };
        set_head(&mut transaction, &table, last.version, at_ms, restore.wake).await?;
        for entry in restore.entries.iter().chain([&last]) {
            put(&mut transaction, &table, entry).await?;
        }
        transaction.commit().await?;
        self.hub.tell(restore.table, || Notice::Unknown);
        Ok(true)
    }

    async fn claim_due(&self, limit: u16, hold_ms: i64) -> Result<Due, LogError> {
        let _turn = self.turn.lock().await;
        let mut transaction = self.db.begin().await?;
        let now_ms = now_ms();
        let mut part = seen(&mut *transaction).await?;
        if part.look(now_ms) {
            remember(&mut transaction, part).await?;
        }
        let claimed: Vec<String> = sqlx::query_scalar(
            "UPDATE live_tables SET wake_at = $2 WHERE table_id IN (
                SELECT table_id FROM live_tables WHERE wake_at <= $1 ORDER BY wake_at LIMIT $3
             ) RETURNING table_id",
        )
        .bind(now_ms)
        .bind(now_ms + delay(hold_ms))
        .bind(i64::from(limit))
        .fetch_all(&mut *transaction)
        .await?;
        sqlx::query(
            "DELETE FROM live_tables WHERE table_id IN (
                SELECT table_id FROM live_tables WHERE delete_at <= $1 LIMIT $2
             )",
        )
        .bind(now_ms)
        .bind(SWEEP)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        let tables = claimed
            .iter()
            .map(|id| id.parse().map_err(|_| LogError::Corrupt("table id")))
            .collect::<Result<_, _>>()?;
        Ok(Due {
            now_ms,
            tables,
            unmarked: Vec::new(),
            outages: outages(part),
        })
    }

    async fn set_wake(&self, table: Uuid, expected: u64, wake: Wake) -> Result<bool, LogError> {
        let Ok(expected) = i64::try_from(expected) else {
            return Ok(false);
        };
        let _turn = self.turn.lock().await;
        let changed = sqlx::query(
            "UPDATE live_tables SET wake_at = CASE
                WHEN delete_at IS NULL THEN MAX($3, last_ms) + $4
             END
             WHERE table_id = $1 AND head = $2",
        )
        .bind(table.to_string())
        .bind(expected)
        .bind(now_ms())
        .bind(wake.delay_ms())
        .execute(&self.db.pool)
        .await?;
        Ok(changed.rows_affected() == 1)
    }

    async fn expire(&self, table: Uuid, after_ms: i64) -> Result<(), LogError> {
        let _turn = self.turn.lock().await;
        sqlx::query("UPDATE live_tables SET wake_at = NULL, delete_at = $2 WHERE table_id = $1")
            .bind(table.to_string())
            .bind(now_ms() + delay(after_ms))
            .execute(&self.db.pool)
            .await?;
        Ok(())
    }
}

/// When somebody looked for due tables.
async fn seen<'e>(executor: impl sqlx::Executor<'e, Database = Any>) -> Result<Seen, LogError> {
    let row: Option<(i64, i64)> = sqlx::query_as("SELECT at_ms, outage_ms FROM live_seen")
        .fetch_optional(executor)
        .await?;
    Ok(row.map_or_else(Seen::default, |(at_ms, outage_ms)| Seen {
        at_ms: Some(at_ms),
        outage_ms,
    }))
}

async fn remember(transaction: &mut Transaction<'static, Any>, seen: Seen) -> Result<(), LogError> {
    sqlx::query(
        "INSERT INTO live_seen (part, at_ms, outage_ms) VALUES (0, $1, $2)
         ON CONFLICT (part) DO UPDATE SET
            at_ms = excluded.at_ms, outage_ms = excluded.outage_ms",
    )
    .bind(seen.at_ms)
    .bind(seen.outage_ms)
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

fn outages(part: Seen) -> Vec<(u16, i64)> {
    if part.outage_ms == 0 {
        Vec::new()
    } else {
        vec![(0, part.outage_ms)]
    }
}

/// Version and time of a table's last entry; zeros for none.
async fn last<'e>(
    executor: impl sqlx::Executor<'e, Database = Any>,
    table: &str,
) -> Result<(i64, i64), LogError> {
    let found = sqlx::query_as("SELECT head, last_ms FROM live_tables WHERE table_id = $1")
        .bind(table)
        .fetch_optional(executor)
        .await?;
    Ok(found.unwrap_or((0, 0)))
}

/// Makes an entry the last of its table, and sets the wake-up.
async fn set_head(
    transaction: &mut Transaction<'static, Any>,
    table: &str,
    head: u64,
    at_ms: i64,
    wake: Wake,
) -> Result<(), LogError> {
    sqlx::query(
        "INSERT INTO live_tables (table_id, head, last_ms, wake_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (table_id) DO UPDATE SET
            head = excluded.head,
            last_ms = excluded.last_ms,
            wake_at = CASE WHEN delete_at IS NULL THEN excluded.wake_at END",
    )
    .bind(table)
    .bind(column(head)?)
    .bind(at_ms)
    .bind(wake.delay_ms().map(|delay| at_ms + delay))
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

async fn put(
    transaction: &mut Transaction<'static, Any>,
    table: &str,
    entry: &Entry,
) -> Result<(), LogError> {
    sqlx::query(
        "INSERT INTO live_events (table_id, version, at_ms, event) VALUES ($1, $2, $3, $4)",
    )
    .bind(table)
    .bind(column(entry.version)?)
    .bind(entry.at_ms)
    .bind(entry.event.as_slice())
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

#[async_trait]
impl TableLog for EmbeddedLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        append.check()?;
        let store = Arc::clone(&self.0);
        finish(async move { store.append(append).await }).await
    }

    async fn read(&self, table: Uuid, after: u64) -> Result<Vec<Entry>, LogError> {
        let Ok(after) = i64::try_from(after) else {
            return Ok(Vec::new());
        };
        let rows: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(
            "SELECT version, at_ms, event FROM live_events
             WHERE table_id = $1 AND version > $2 ORDER BY version",
        )
        .bind(table.to_string())
        .bind(after)
        .fetch_all(&self.0.db.pool)
        .await?;
        rows.into_iter()
            .map(|(stored, at_ms, event)| {
                Ok(Entry {
                    version: version(stored)?,
                    at_ms,
                    event,
                })
            })
            .collect()
    }

    async fn head(&self, table: Uuid) -> Result<Head, LogError> {
        let (head, last_ms) = last(&self.0.db.pool, &table.to_string()).await?;
        Ok(Head {
            version: version(head)?,
            at_ms: last_ms,
            now_ms: now_ms().max(last_ms),
        })
    }

    async fn holds(&self, table: Uuid, version: u64, at_ms: i64) -> Result<bool, LogError> {
        let found: Option<i64> = sqlx::query_scalar(
            "SELECT version FROM live_events WHERE table_id = $1 AND version = $2 AND at_ms = $3",
        )
        .bind(table.to_string())
        .bind(column(version)?)
        .bind(at_ms)
        .fetch_optional(&self.0.db.pool)
        .await?;
        Ok(found.is_some())
    }

    async fn subscribe(&self, table: Uuid) -> Result<Subscription, LogError> {
        Ok(self.0.hub.subscribe(table))
    }

    async fn lease(&self, _: Uuid) -> Result<Vec<u16>, LogError> {
        Ok(vec![0])
    }

    async fn end_lease(&self, _: Uuid) -> Result<(), LogError> {
        Ok(())
    }

    fn parts(&self) -> u16 {
        1
    }

    async fn claim_due(&self, parts: &[u16], limit: usize, hold_ms: i64) -> Result<Due, LogError> {
        let limit = check_limit(limit)?;
        let now_ms = now_ms();
        // Most looks find nothing; those need not wait for writers.
        let due: Option<i64> = sqlx::query_scalar(
            "SELECT head FROM live_tables WHERE wake_at <= $1 OR delete_at <= $1 LIMIT 1",
        )
        .bind(now_ms)
        .fetch_optional(&self.0.db.pool)
        .await?;
        let part = seen(&self.0.db.pool).await?;
        let known = due.is_none() && !Seen::clone(&part).look(now_ms);
        if known || !parts.contains(&0) {
            return Ok(Due {
                now_ms,
                tables: Vec::new(),
                unmarked: Vec::new(),
                outages: outages(part),
            });
        }
        let store = Arc::clone(&self.0);
        finish(async move { store.claim_due(limit, hold_ms).await }).await
    }

    async fn set_wake(&self, table: Uuid, version: u64, wake: Wake) -> Result<bool, LogError> {
        self.0.set_wake(table, version, wake).await
    }

    async fn restore(&self, restore: Restore) -> Result<bool, LogError> {
        restore.check()?;
        let store = Arc::clone(&self.0);
        finish(async move { store.restore(restore).await }).await
    }

    fn part_of(&self, _: Uuid) -> u16 {
        0
    }

    async fn mark(&self, _: &[u16]) -> Result<(), LogError> {
        // One file holds all of it, and the archive as well.
        Ok(())
    }

    async fn expire(&self, table: Uuid, after_ms: i64) -> Result<(), LogError> {
        self.0.expire(table, after_ms).await
    }
}
