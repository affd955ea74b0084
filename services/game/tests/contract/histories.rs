//! Stores that lost something, and logs that are put back.

use game::log::{Append, Appended, Entry, Restore, Wake};
use uuid::Uuid;

use super::stores::{ALL, LONG, Stores, append, done, event, table};

fn restore(table: Uuid, expected: u64, entries: Vec<Entry>) -> Restore {
    Restore {
        table,
        expected,
        entries,
        version: 1_000_000,
        event: event("restored"),
        wake: Wake::In(0),
    }
}

fn entry(version: u64, at_ms: i64) -> Entry {
    Entry {
        version,
        at_ms,
        event: event("put back"),
    }
}

pub(crate) async fn an_append_on_another_history_is_refused(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    let head = stores.two.head(table).await.unwrap();
    let at = |at_ms| Append {
        expected_at: Some(at_ms),
        ..append(table, 1, "next")
    };
    let refused = stores.two.append(at(head.at_ms - 1)).await.unwrap();
    assert_eq!(refused, Appended::Conflict { head: 1 });
    assert_eq!(done(&stores.two, at(head.at_ms)).await, 2);
}

pub(crate) async fn a_head_tells_the_time_of_its_entry(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    let entries = stores.one.read(table, 0).await.unwrap();
    assert_eq!(
        stores.two.head(table).await.unwrap().at_ms,
        entries[0].at_ms
    );
    assert_eq!(stores.two.head(Uuid::now_v7()).await.unwrap().at_ms, 0);
}

pub(crate) async fn a_lost_log_is_put_back(stores: &Stores) {
    let table = Uuid::now_v7();
    let lost = vec![entry(1, 5), entry(2, 7)];
    assert!(
        stores
            .one
            .restore(restore(table, 0, lost.clone()))
            .await
            .unwrap()
    );
    let entries = stores.two.read(table, 0).await.unwrap();
    assert_eq!(entries[..2], lost);
    assert_eq!(entries.len(), 3);
    assert_eq!(
        (entries[2].version, &entries[2].event),
        (1_000_000, &event("restored"))
    );
    let head = stores.two.head(table).await.unwrap();
    assert_eq!((head.version, head.at_ms), (1_000_000, entries[2].at_ms));
    assert!(head.at_ms > 7);
    assert_eq!(
        done(&stores.two, append(table, 1_000_000, "on")).await,
        1_000_001
    );
}

pub(crate) async fn a_log_goes_on_where_it_ends(stores: &Stores) {
    let table = table(&stores.one, Wake::In(LONG)).await;
    assert!(
        stores
            .two
            .restore(restore(table, 1, Vec::new()))
            .await
            .unwrap()
    );
    let entries = stores.one.read(table, 0).await.unwrap();
    let versions: Vec<u64> = entries.iter().map(|entry| entry.version).collect();
    assert_eq!(versions, [1, 1_000_000]);
}

pub(crate) async fn a_log_that_ends_elsewhere_is_not_touched(stores: &Stores) {
    let table = table(&stores.one, Wake::In(LONG)).await;
    for expected in [0, 2] {
        let done = stores
            .two
            .restore(restore(table, expected, vec![entry(3, 5)]));
        assert!(!done.await.unwrap(), "{expected}");
    }
    assert_eq!(stores.one.head(table).await.unwrap().version, 1);
}

pub(crate) async fn versions_that_do_not_rise_are_refused(stores: &Stores) {
    let table = Uuid::now_v7();
    for entries in [
        vec![entry(2, 5), entry(2, 5)],
        vec![entry(1_000_000, 5)],
        vec![entry(0, 5)],
    ] {
        assert!(
            stores
                .one
                .restore(restore(table, 0, entries))
                .await
                .is_err()
        );
    }
    assert_eq!(stores.one.head(table).await.unwrap().version, 0);
}

pub(crate) async fn a_restored_table_is_noticed_and_due(stores: &Stores) {
    let table = Uuid::now_v7();
    let mut subscription = stores.two.subscribe(table).await.unwrap();
    assert!(
        stores
            .one
            .restore(restore(table, 0, vec![entry(1, 5)]))
            .await
            .unwrap()
    );
    while stores.two.head(table).await.unwrap().version != 1_000_000 {
        subscription.next().await;
    }
    assert_eq!(
        stores.two.claim_due(&ALL, 9, LONG).await.unwrap().tables,
        [table]
    );
}

pub(crate) async fn parts_are_unmarked_until_they_are_marked(stores: &Stores) {
    let parts = stores.one.claim_due(&ALL, 9, 0).await.unwrap().unmarked;
    stores.two.mark(&parts).await.unwrap();
    let left = stores.one.claim_due(&ALL, 9, 0).await.unwrap().unmarked;
    assert_eq!(left, Vec::<u16>::new());
    let part = stores.one.part_of(Uuid::now_v7());
    assert!(parts.is_empty() || parts.contains(&part));
}
