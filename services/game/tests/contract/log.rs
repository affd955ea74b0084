//! Appending and reading.

use std::sync::Arc;

use game::log::{Append, Appended, Entry, LogError, MAX_EVENT_BYTES, MAX_EVENTS, Wake};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::stores::{ALL, NONE, Stores, append, done, event, table};

fn versions(entries: &[Entry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.version).collect()
}

pub(crate) async fn an_append_at_the_head_is_read_back(stores: &Stores) {
    let table = Uuid::now_v7();
    let answer = stores.one.append(append(table, 0, "a")).await.unwrap();
    let Appended::Done { version: 1, at_ms } = answer else {
        panic!("{answer:?}");
    };
    let entry = Entry {
        version: 1,
        at_ms,
        event: event("a"),
    };
    assert_eq!(stores.two.read(table, 0).await.unwrap(), [entry]);
    assert_eq!(done(&stores.two, append(table, 1, "b")).await, 2);
    let head = stores.one.head(table).await.unwrap();
    assert_eq!(head.version, 2);
    assert!(head.now_ms >= at_ms);
}

pub(crate) async fn an_append_elsewhere_is_refused(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    for wrong in [0, 2, 1 << 53, u64::MAX] {
        let answer = stores.two.append(append(table, wrong, "x")).await.unwrap();
        assert_eq!(answer, Appended::Conflict { head: 1 }, "at {wrong}");
    }
    let absent = Uuid::now_v7();
    let answer = stores.two.append(append(absent, 1, "x")).await.unwrap();
    assert_eq!(answer, Appended::Conflict { head: 0 });
    assert_eq!(versions(&stores.one.read(table, 0).await.unwrap()), [1]);
    assert_eq!(stores.one.read(absent, 0).await.unwrap(), []);
}

pub(crate) async fn several_events_get_consecutive_versions_and_one_time(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    let three = Append {
        events: vec![event("b"), event("c"), event("d")],
        ..append(table, 1, "")
    };
    let answer = stores.one.append(three).await.unwrap();
    let Appended::Done { version: 4, at_ms } = answer else {
        panic!("{answer:?}");
    };
    let entries = stores.two.read(table, 1).await.unwrap();
    assert_eq!(versions(&entries), [2, 3, 4]);
    assert!(entries.iter().all(|entry| entry.at_ms == at_ms));
    let texts: Vec<_> = entries.into_iter().map(|entry| entry.event).collect();
    assert_eq!(texts, [event("b"), event("c"), event("d")]);
}

pub(crate) async fn reading_starts_after_a_version(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    done(&stores.one, append(table, 1, "b")).await;
    done(&stores.one, append(table, 2, "c")).await;
    for (after, expected) in [(0, vec![1, 2, 3]), (2, vec![3]), (3, vec![])] {
        let entries = stores.two.read(table, after).await.unwrap();
        assert_eq!(versions(&entries), expected, "after {after}");
    }
    for beyond in [4, 1 << 63, u64::MAX] {
        assert_eq!(stores.two.read(table, beyond).await.unwrap(), []);
    }
}

pub(crate) async fn a_long_log_is_read_whole(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    for round in 0..9 {
        let many = Append {
            events: vec![event("x"); MAX_EVENTS],
            ..append(table, 1 + round * MAX_EVENTS as u64, "")
        };
        done(&stores.one, many).await;
    }
    let head = 1 + 9 * MAX_EVENTS as u64;
    let entries = stores.two.read(table, 0).await.unwrap();
    assert_eq!(versions(&entries), (1..=head).collect::<Vec<_>>());
    // Also where the end is the end of a page.
    let entries = stores.two.read(table, head - 512).await.unwrap();
    assert_eq!(entries.len(), 512);
}

pub(crate) async fn the_times_of_a_table_never_run_backwards(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    for version in 1..20 {
        done(&stores.one, append(table, version, "x")).await;
    }
    let entries = stores.one.read(table, 0).await.unwrap();
    assert!(entries.is_sorted_by_key(|entry| entry.at_ms));
    let now_ms = stores.one.head(table).await.unwrap().now_ms;
    assert!(entries.last().unwrap().at_ms <= now_ms);
}

pub(crate) async fn an_absent_table_is_empty(stores: &Stores) {
    let absent = Uuid::now_v7();
    let head = stores.one.head(absent).await.unwrap();
    assert_eq!(head.version, 0);
    assert!(head.now_ms > 0);
    assert_eq!(stores.one.read(absent, 0).await.unwrap(), []);
    assert!(!stores.one.holds(absent, 1, 0).await.unwrap());
    assert!(!stores.one.set_wake(absent, 0, Wake::In(0)).await.unwrap());
    stores.one.expire(absent, 0).await.unwrap();
    assert_eq!(stores.one.claim_due(&ALL, 9, 0).await.unwrap().tables, NONE);
}

pub(crate) async fn a_hundred_writers_leave_no_gap_and_lose_nothing(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    let mut writers = JoinSet::new();
    for writer in 0..100 {
        let replica = if writer % 2 == 0 {
            &stores.one
        } else {
            &stores.two
        };
        let log = Arc::clone(replica);
        writers.spawn(async move {
            let mut head = 1;
            loop {
                let id = format!("w{writer}");
                match log.append(append(table, head, &id)).await.unwrap() {
                    Appended::Done { .. } => break,
                    Appended::Conflict { head: now } => {
                        assert!(now > head);
                        head = now;
                    }
                    other @ Appended::Outage { .. } => panic!("{other:?}"),
                }
            }
        });
    }
    writers.join_all().await;
    let entries = stores.one.read(table, 0).await.unwrap();
    assert_eq!(versions(&entries), (1..=101).collect::<Vec<_>>());
    let mut written: Vec<_> = entries[1..].iter().map(|entry| &entry.event).collect();
    written.sort();
    written.dedup();
    assert_eq!(written.len(), 100);
}

pub(crate) async fn other_tables_are_untouched(stores: &Stores) {
    let mut others = Vec::new();
    for _ in 0..12 {
        others.push(table(&stores.one, Wake::In(i64::MAX)).await);
    }
    let busy = table(&stores.one, Wake::In(0)).await;
    done(&stores.one, append(busy, 1, "b")).await;
    assert!(stores.one.set_wake(busy, 2, Wake::In(0)).await.unwrap());
    assert_eq!(
        stores.one.claim_due(&ALL, 99, 0).await.unwrap().tables,
        [busy]
    );
    stores.one.expire(busy, 0).await.unwrap();
    stores.one.claim_due(&ALL, 99, 0).await.unwrap();
    for other in others {
        let entries = stores.two.read(other, 0).await.unwrap();
        assert_eq!(versions(&entries), [1]);
        assert!(stores.two.set_wake(other, 1, Wake::In(0)).await.unwrap());
    }
    assert_eq!(
        stores
            .two
            .claim_due(&ALL, 99, 0)
            .await
            .unwrap()
            .tables
            .len(),
        12
    );
}

pub(crate) async fn inputs_are_bounded(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    let with = |events| Append {
        events,
        ..append(table, 1, "")
    };
    let too_many = with(vec![event("x"); MAX_EVENTS + 1]);
    let too_long = with(vec![vec![0; MAX_EVENT_BYTES + 1]]);
    for huge in [too_many, too_long] {
        let answer = stores.one.append(huge).await;
        assert!(matches!(answer, Err(LogError::TooLarge(_))), "{answer:?}");
    }
    let answer = stores.one.append(with(Vec::new())).await;
    assert!(matches!(answer, Err(LogError::Invalid(_))), "{answer:?}");
    let answer = stores.one.claim_due(&ALL, 0, 0).await;
    assert!(matches!(answer, Err(LogError::Invalid(_))), "{answer:?}");
    assert_eq!(stores.one.head(table).await.unwrap().version, 1);

    let largest = with(vec![vec![0xff; MAX_EVENT_BYTES]; MAX_EVENTS]);
    assert_eq!(done(&stores.one, largest).await, 1 + MAX_EVENTS as u64);
    assert_eq!(stores.two.read(table, 1).await.unwrap().len(), MAX_EVENTS);
}

pub(crate) async fn bytes_are_kept_as_they_are(stores: &Stores) {
    let table = Uuid::now_v7();
    let every_byte: Vec<u8> = (0..=255).collect();
    let events = vec![
        every_byte,
        Vec::new(),
        event("\r\n"),
        event("1796030406123"),
    ];
    let odd = Append {
        events: events.clone(),
        ..append(table, 0, "")
    };
    done(&stores.one, odd).await;
    let entries = stores.two.read(table, 0).await.unwrap();
    let read: Vec<_> = entries.into_iter().map(|entry| entry.event).collect();
    assert_eq!(read, events);
}

pub(crate) async fn of_two_writers_at_one_head_one_wins(stores: &Stores) {
    for _ in 0..20 {
        let table = table(&stores.one, Wake::Never).await;
        let mut writers = JoinSet::new();
        for replica in [&stores.one, &stores.two] {
            let log = Arc::clone(replica);
            writers.spawn(async move { log.append(append(table, 1, "b")).await.unwrap() });
        }
        let answers = writers.join_all().await;
        let count = |test: fn(&Appended) -> bool| answers.iter().filter(|a| test(a)).count();
        assert_eq!(count(|a| matches!(a, Appended::Done { version: 2, .. })), 1);
        let conflicts = count(|a| matches!(a, Appended::Conflict { head: 2 }));
        assert_eq!(conflicts, 1, "{answers:?}");
    }
}

pub(crate) async fn an_entry_is_held_in_its_history_only(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    done(&stores.one, append(table, 1, "b")).await;
    let entries = stores.two.read(table, 0).await.unwrap();
    for entry in &entries {
        let (version, at_ms) = (entry.version, entry.at_ms);
        assert!(stores.two.holds(table, version, at_ms).await.unwrap());
        assert!(!stores.two.holds(table, version, at_ms + 1).await.unwrap());
    }
    assert!(!stores.two.holds(table, 3, entries[1].at_ms).await.unwrap());
}
