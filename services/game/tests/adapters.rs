//! What only one adapter of the storage port has to do.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod adapters {
    pub(crate) mod proxy;
}

use std::{sync::Arc, time::Duration};

use adapters::proxy::Proxy;
use chassis::{kv::Kv, now_ms, testing};
use futures::FutureExt as _;
use game::log::{Append, Appended, ClusterLog, EmbeddedLog, LogError, Notice, TableLog, Wake};
use uuid::Uuid;

const HOUR: i64 = 3_600_000;
/// Parts enough for every store here.
const ALL: [u16; 2] = [0, 1];
/// No tables.
const NONE: [Uuid; 0] = [];

fn append(table: Uuid, expected: u64) -> Append {
    Append {
        table,
        expected,
        expected_at: None,
        events: vec![b"x".to_vec()],
        wake: Wake::In(0),
        outage_ms: None,
    }
}

/// What must hold for a table whose last entry is an hour ahead of the store's clock.
async fn check_table_ahead_of_the_clock(log: &dyn TableLog, table: Uuid, ahead: i64) {
    assert_eq!(log.head(table).await.unwrap().now_ms, ahead);
    let answer = log.append(append(table, 1)).await.unwrap();
    let done = Appended::Done {
        version: 2,
        at_ms: ahead,
    };
    assert_eq!(answer, done);
    assert_eq!(log.claim_due(&ALL, 9, 0).await.unwrap().tables, NONE);
    assert!(log.set_wake(table, 2, Wake::In(-HOUR)).await.unwrap());
    assert_eq!(log.claim_due(&ALL, 9, 0).await.unwrap().tables, NONE);
}

#[tokio::test]
async fn sqlite_keeps_a_tables_time_when_the_clock_is_set_back() {
    let sqlite = testing::sqlite().await;
    let log = EmbeddedLog::new(sqlite.db.clone()).unwrap();
    let table = Uuid::now_v7();
    log.append(append(table, 0)).await.unwrap();
    let ahead = now_ms() + HOUR;
    sqlx::query("UPDATE live_tables SET last_ms = $1")
        .bind(ahead)
        .execute(&sqlite.db.pool)
        .await
        .unwrap();
    check_table_ahead_of_the_clock(&log, table, ahead).await;
}

#[tokio::test]
async fn redis_keeps_a_tables_time_when_the_clock_is_set_back() {
    let kv = testing::redis().await;
    let log = ClusterLog::connect(kv.clone(), 1).await.unwrap();
    let table = Uuid::now_v7();
    let ahead = now_ms() + HOUR;
    let _: String = redis::cmd("XADD")
        .arg(format!("{}:{{s000}}:t:{table}", kv.prefix))
        .arg(&["1-0", "t", &ahead.to_string(), "e", "x"])
        .query_async(&mut kv.connection.clone())
        .await
        .unwrap();
    check_table_ahead_of_the_clock(&log, table, ahead).await;
}

#[tokio::test]
async fn sqlite_finishes_and_announces_an_append_that_nobody_waits_for() {
    let sqlite = testing::sqlite().await;
    let log = EmbeddedLog::new(sqlite.db.clone()).unwrap();
    let table = Uuid::now_v7();
    for version in 0..20 {
        let mut subscription = log.subscribe(table).await.unwrap();
        let mut pending = log.append(append(table, version));
        assert!((&mut pending).now_or_never().is_none());
        drop(pending);
        let Notice::Appended { entries, .. } = subscription.next().await else {
            panic!("expected what was appended");
        };
        assert_eq!(entries[0].version, version + 1);
    }
}

#[tokio::test]
async fn sqlite_drops_expired_tables_whole() {
    let sqlite = testing::sqlite().await;
    let log = EmbeddedLog::new(sqlite.db.clone()).unwrap();
    let kept = Uuid::now_v7();
    log.append(append(kept, 0)).await.unwrap();
    for _ in 0..3 {
        let table = Uuid::now_v7();
        log.append(append(table, 0)).await.unwrap();
        log.expire(table, 0).await.unwrap();
    }
    log.claim_due(&ALL, 9, 0).await.unwrap();
    let left: Vec<String> = sqlx::query_scalar("SELECT table_id FROM live_events")
        .fetch_all(&sqlite.db.pool)
        .await
        .unwrap();
    assert_eq!(left, [kept.to_string()]);
}

#[tokio::test]
async fn sqlite_is_what_the_embedded_log_needs() {
    let refused = EmbeddedLog::new(testing::postgres().await);
    assert!(matches!(refused, Err(LogError::Invalid(_))));
}

#[tokio::test]
async fn the_number_of_shards_never_changes() {
    let kv = testing::redis().await;
    for wrong in [0, u16::MAX] {
        let refused = ClusterLog::connect(kv.clone(), wrong).await;
        assert!(matches!(refused, Err(LogError::Invalid(_))));
    }
    ClusterLog::connect(kv.clone(), 8).await.unwrap();
    ClusterLog::connect(kv.clone(), 8).await.unwrap();
    let refused = ClusterLog::connect(kv, 9).await;
    assert!(matches!(refused, Err(LogError::Invalid(_))));
}

#[tokio::test]
async fn redis_forgets_the_wake_up_of_a_lost_table() {
    let kv = testing::redis().await;
    let log = ClusterLog::connect(kv.clone(), 1).await.unwrap();
    let table = Uuid::now_v7();
    log.append(append(table, 0)).await.unwrap();
    let _: u64 = redis::cmd("DEL")
        .arg(format!("{}:{{s000}}:t:{table}", kv.prefix))
        .query_async(&mut kv.connection.clone())
        .await
        .unwrap();
    assert_eq!(log.claim_due(&ALL, 9, 0).await.unwrap().tables, [table]);
    assert!(!log.set_wake(table, 0, Wake::In(0)).await.unwrap());
    assert_eq!(log.claim_due(&ALL, 9, 0).await.unwrap().tables, NONE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subscribers_look_again_after_redis_was_out_of_reach() {
    let check = async {
        let (url, prefix) = testing::redis_url();
        let proxy = Proxy::to(url.strip_prefix("redis://").unwrap()).await;
        let near = Kv::connect(&proxy.url(), &prefix).await.unwrap();
        let near = ClusterLog::connect(near, 2).await.unwrap();
        let far = Kv::connect(&url, &prefix).await.unwrap();
        let far: Arc<dyn TableLog> = Arc::new(ClusterLog::connect(far, 2).await.unwrap());

        let table = Uuid::now_v7();
        let mut subscription = near.subscribe(table).await.unwrap();
        // Whatever comes first, a message shows that the connection is there.
        let mut head = 0;
        loop {
            far.append(append(table, head)).await.unwrap();
            head += 1;
            if subscription.next().await != Notice::Unknown {
                break;
            }
        }
        proxy.cut().await;
        far.append(append(table, head)).await.unwrap();
        proxy.mend();
        while subscription.next().await != Notice::Unknown {}
        assert_eq!(near.read(table, head).await.unwrap().len(), 1);
    };
    let hangs = Duration::from_secs(60);
    tokio::time::timeout(hangs, check).await.expect("hangs");
}
