//! Wake-ups, and the end of a table.

use std::{collections::HashSet, sync::Arc, time::Duration};

use game::log::{Append, Appended, OUTAGE_MS, TableLog, Wake};
use uuid::Uuid;

use super::stores::{ALL, LONG, NONE, Stores, append, done, table};

/// All that is due, held for long.
async fn due(log: &Arc<dyn TableLog>) -> Vec<Uuid> {
    log.claim_due(&ALL, 1000, LONG).await.unwrap().tables
}

pub(crate) async fn a_table_is_due_when_its_time_has_come(stores: &Stores) {
    let now = table(&stores.one, Wake::In(0)).await;
    let past = table(&stores.one, Wake::In(-LONG)).await;
    let _later = table(&stores.one, Wake::In(LONG)).await;
    let _never = table(&stores.one, Wake::Never).await;
    let claimed = stores.two.claim_due(&ALL, 1000, LONG).await.unwrap();
    let tables: HashSet<_> = claimed.tables.into_iter().collect();
    assert_eq!(tables, HashSet::from([now, past]));
    assert!(claimed.now_ms >= stores.one.read(now, 0).await.unwrap()[0].at_ms);
}

pub(crate) async fn an_append_replaces_the_wake_up(stores: &Stores) {
    let table = table(&stores.one, Wake::In(0)).await;
    let next = |expected, wake| Append {
        wake,
        ..append(table, expected, "x")
    };
    done(&stores.one, next(1, Wake::In(LONG))).await;
    assert_eq!(due(&stores.two).await, NONE);
    done(&stores.one, next(2, Wake::In(0))).await;
    assert_eq!(due(&stores.two).await, [table]);
    done(&stores.one, next(3, Wake::In(0))).await;
    assert_eq!(due(&stores.two).await, [table], "held no longer");
    done(&stores.one, next(4, Wake::Never)).await;
    assert_eq!(due(&stores.two).await, NONE);
    // One that is refused leaves it as it is.
    let refused = stores.one.append(next(1, Wake::In(0))).await.unwrap();
    assert_eq!(refused, Appended::Conflict { head: 5 });
    assert_eq!(due(&stores.two).await, NONE);
}

pub(crate) async fn a_claimed_table_is_held(stores: &Stores) {
    let table = table(&stores.one, Wake::In(0)).await;
    assert_eq!(due(&stores.one).await, [table]);
    assert_eq!(due(&stores.two).await, NONE);
    assert_eq!(due(&stores.one).await, NONE);
    assert!(stores.one.set_wake(table, 1, Wake::In(0)).await.unwrap());
    assert_eq!(due(&stores.two).await, [table]);
}

pub(crate) async fn a_hold_ends(stores: &Stores) {
    let table = table(&stores.one, Wake::In(0)).await;
    for hold_ms in [0, -LONG, 0] {
        let claimed = stores.one.claim_due(&ALL, 9, hold_ms).await.unwrap();
        assert_eq!(claimed.tables, [table]);
    }
    assert_eq!(due(&stores.two).await, [table]);
}

pub(crate) async fn replicas_share_the_due_tables(stores: &Stores) {
    let mut all = HashSet::new();
    for _ in 0..60 {
        all.insert(table(&stores.one, Wake::In(0)).await);
    }
    let claim = async |log: &Arc<dyn TableLog>| {
        let mut claimed = Vec::new();
        loop {
            let found = log.claim_due(&ALL, 7, LONG).await.unwrap().tables;
            if found.is_empty() {
                return claimed;
            }
            claimed.extend(found);
        }
    };
    let (one, two) = tokio::join!(claim(&stores.one), claim(&stores.two));
    let together: Vec<_> = one.into_iter().chain(two).collect();
    assert_eq!(together.len(), 60, "none is claimed twice");
    assert_eq!(HashSet::from_iter(together), all);
}

pub(crate) async fn a_claim_is_limited_and_fewer_means_no_more(stores: &Stores) {
    for _ in 0..40 {
        table(&stores.one, Wake::In(0)).await;
    }
    let mut claimed = HashSet::new();
    for limit in [1, 2, 3, 30] {
        let found = stores
            .one
            .claim_due(&ALL, limit, LONG)
            .await
            .unwrap()
            .tables;
        assert_eq!(found.len(), limit);
        claimed.extend(found);
    }
    let rest = stores.one.claim_due(&ALL, 1000, LONG).await.unwrap().tables;
    assert_eq!(rest.len(), 4);
    claimed.extend(rest);
    assert_eq!(claimed.len(), 40);
    assert_eq!(due(&stores.one).await, NONE);
}

pub(crate) async fn a_wake_up_is_set_at_the_head_only(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    done(&stores.one, append(table, 1, "b")).await;
    for stale in [0, 1, 3, u64::MAX] {
        let set = stores.two.set_wake(table, stale, Wake::In(0)).await;
        assert!(!set.unwrap(), "at {stale}");
    }
    assert_eq!(due(&stores.one).await, NONE);
    assert!(stores.two.set_wake(table, 2, Wake::In(0)).await.unwrap());
    assert_eq!(due(&stores.one).await, [table]);
    assert!(stores.two.set_wake(table, 2, Wake::In(0)).await.unwrap());
    assert!(stores.two.set_wake(table, 2, Wake::In(LONG)).await.unwrap());
    assert!(stores.two.set_wake(table, 2, Wake::In(0)).await.unwrap());
    assert!(stores.two.set_wake(table, 2, Wake::Never).await.unwrap());
    assert_eq!(due(&stores.one).await, NONE);
}

pub(crate) async fn extreme_delays_are_harmless(stores: &Stores) {
    let table = table(&stores.one, Wake::In(i64::MAX)).await;
    assert_eq!(due(&stores.one).await, NONE);
    assert!(
        stores
            .one
            .set_wake(table, 1, Wake::In(i64::MIN))
            .await
            .unwrap()
    );
    let claimed = stores.one.claim_due(&ALL, 9, i64::MAX).await.unwrap();
    assert_eq!(claimed.tables, [table]);
    assert_eq!(due(&stores.one).await, NONE);
    assert!(
        stores
            .one
            .set_wake(table, 1, Wake::In(i64::MAX))
            .await
            .unwrap()
    );
    stores.one.expire(table, i64::MAX).await.unwrap();
    assert_eq!(stores.one.head(table).await.unwrap().version, 1);
}

pub(crate) async fn an_expired_table_is_gone(stores: &Stores) {
    let table = table(&stores.one, Wake::In(0)).await;
    let sent = Append {
        wake: Wake::In(0),
        ..append(table, 1, "b")
    };
    done(&stores.one, sent).await;
    stores.one.expire(table, i64::MIN).await.unwrap();
    // Some stores drop tables when they look for due ones.
    assert_eq!(due(&stores.two).await, NONE);
    assert_eq!(stores.two.head(table).await.unwrap().version, 0);
    assert_eq!(stores.two.read(table, 0).await.unwrap(), []);
    let answer = stores.two.append(append(table, 2, "x")).await.unwrap();
    assert_eq!(answer, Appended::Conflict { head: 0 });
}

pub(crate) async fn an_expiring_table_is_kept_and_never_due(stores: &Stores) {
    let table = table(&stores.one, Wake::In(0)).await;
    stores.one.expire(table, LONG).await.unwrap();
    assert_eq!(due(&stores.two).await, NONE);
    let sent = Append {
        wake: Wake::In(0),
        ..append(table, 1, "b")
    };
    assert_eq!(done(&stores.one, sent).await, 2);
    assert!(stores.one.set_wake(table, 2, Wake::In(0)).await.unwrap());
    assert_eq!(due(&stores.two).await, NONE);
    assert_eq!(stores.two.read(table, 0).await.unwrap().len(), 2);
    // What was appended late goes with the rest.
    stores.one.expire(table, 0).await.unwrap();
    assert_eq!(due(&stores.two).await, NONE);
    assert_eq!(stores.two.read(table, 0).await.unwrap(), []);
}

pub(crate) async fn the_living_share_the_parts(stores: &Stores) {
    let [one, two] = [Uuid::from_u128(1), Uuid::from_u128(2)];
    let alone = stores.one.lease(one).await.unwrap();
    assert_eq!(alone.len(), usize::from(stores.one.parts()));
    if stores.one.parts() == 1 {
        // The embedded store has one replica.
        return;
    }
    let second = stores.two.lease(two).await.unwrap();
    let first = stores.one.lease(one).await.unwrap();
    let mut all = [first, second].concat();
    all.sort_unstable();
    assert_eq!(all, alone);
    stores.two.end_lease(two).await.unwrap();
    assert_eq!(stores.one.lease(one).await.unwrap(), alone);
}

pub(crate) async fn only_the_tables_of_the_asked_parts_are_claimed(stores: &Stores) {
    let table = table(&stores.one, Wake::In(0)).await;
    let part = stores.one.part_of(table);
    let others: Vec<u16> = ALL.into_iter().filter(|&other| other != part).collect();
    assert_eq!(
        stores.two.claim_due(&others, 9, LONG).await.unwrap().tables,
        NONE
    );
    assert_eq!(
        stores.two.claim_due(&[part], 9, LONG).await.unwrap().tables,
        [table]
    );
}

/// Waits until the store's clock says that nobody has looked for long enough.
async fn outage(log: &Arc<dyn TableLog>, table: Uuid) {
    let begin_ms = log.head(table).await.unwrap().now_ms;
    while log.head(table).await.unwrap().now_ms <= begin_ms + OUTAGE_MS {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn latest_outage(log: &Arc<dyn TableLog>, table: Uuid) -> i64 {
    let due = log.claim_due(&ALL, 9, LONG).await.unwrap();
    let mut of = due.outages.iter();
    of.find_map(|(part, ended_ms)| (*part == log.part_of(table)).then_some(*ended_ms))
        .unwrap_or(0)
}

pub(crate) async fn nothing_is_appended_that_does_not_know_of_an_outage(stores: &Stores) {
    let (one, two) = (&stores.one, &stores.two);
    let table = table(one, Wake::In(0)).await;
    let knowing = |expected, outage_ms| Append {
        outage_ms: Some(outage_ms),
        ..append(table, expected, "x")
    };
    assert_eq!(latest_outage(one, table).await, 0, "a new part");
    assert_eq!(done(two, knowing(1, 0)).await, 2);
    outage(one, table).await;

    let before_ms = two.head(table).await.unwrap().now_ms;
    let Appended::Outage { ended_ms } = two.append(knowing(2, 0)).await.unwrap() else {
        panic!("expected to be told of the outage");
    };
    assert!(ended_ms >= before_ms);
    let indifferent = append(table, 2, "x");
    assert_eq!(done(one, indifferent).await, 3);
    assert_eq!(done(one, knowing(3, ended_ms)).await, 4);

    // It ends when somebody looks again.
    let looked_ms = latest_outage(two, table).await;
    assert!(looked_ms >= ended_ms);
    assert_eq!(latest_outage(one, table).await, looked_ms);
    assert_eq!(done(one, knowing(4, looked_ms)).await, 5);
    let refused = one.append(knowing(5, looked_ms - 1)).await.unwrap();
    let told = Appended::Outage {
        ended_ms: looked_ms,
    };
    assert_eq!(refused, told);
    // What is known to be done, or done otherwise, is said first.
    let conflict = one.append(knowing(4, 0)).await.unwrap();
    assert_eq!(conflict, Appended::Conflict { head: 5 });
}
