//! Stores to check, and short ways to use them.

use std::{num::NonZeroU8, sync::Arc, time::Duration};

use chassis::testing::{self, RedisKind};
use game::log::{Append, Appended, ClusterLog, EmbeddedLog, TableLog, Wake};
use uuid::Uuid;

/// Longer than any check takes; nothing passes or fails by how long it takes otherwise.
const HANGS: Duration = Duration::from_secs(60);
/// A delay that does not pass during a test.
pub(crate) const LONG: i64 = 3_600_000;

/// The parts of every store here.
pub(crate) const ALL: [u16; 5] = [0, 1, 2, 3, 4];

/// No tables.
pub(crate) const NONE: [Uuid; 0] = [];

/// Two replicas on the same tables; the embedded store has only one.
#[derive(Debug)]
pub(crate) struct Stores {
    pub(crate) one: Arc<dyn TableLog>,
    pub(crate) two: Arc<dyn TableLog>,
    _sqlite: Option<testing::Sqlite>,
}

pub(crate) async fn embedded() -> Stores {
    let sqlite = testing::sqlite().await;
    let log: Arc<dyn TableLog> = Arc::new(EmbeddedLog::new(sqlite.db.clone()).unwrap());
    Stores {
        one: Arc::clone(&log),
        two: log,
        _sqlite: Some(sqlite),
    }
}

/// Redis, with or without waiting for replicas.
pub(crate) async fn redis(kind: RedisKind, replicas: Option<NonZeroU8>) -> Stores {
    let (url, prefix) = kind.url();
    let connect = async || {
        let kv = chassis::kv::Kv::connect(&url, &prefix).await.unwrap();
        let log = ClusterLog::connect(kv, 5).await.unwrap();
        match replicas {
            Some(replicas) => log.confirmed_by(replicas),
            None => log,
        }
    };
    Stores {
        one: Arc::new(connect().await),
        two: Arc::new(connect().await),
        _sqlite: None,
    }
}

/// Fails a test that hangs.
pub(crate) async fn in_time<T>(check: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANGS, check).await.expect("hangs")
}

pub(crate) fn event(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

/// One event on top of `expected`, never due.
pub(crate) fn append(table: Uuid, expected: u64, text: &str) -> Append {
    Append {
        table,
        expected,
        expected_at: None,
        events: vec![event(text)],
        wake: Wake::Never,
        outage_ms: None,
    }
}

/// Appends what must not be refused, and returns the new head.
pub(crate) async fn done(log: &Arc<dyn TableLog>, append: Append) -> u64 {
    match log.append(append).await.unwrap() {
        Appended::Done { version, .. } => version,
        other => panic!("expected the append to be done, got {other:?}"),
    }
}

/// A new table with one event.
pub(crate) async fn table(log: &Arc<dyn TableLog>, wake: Wake) -> Uuid {
    let table = Uuid::now_v7();
    let opened = Append {
        wake,
        ..append(table, 0, "opened")
    };
    assert_eq!(done(log, opened).await, 1);
    table
}
