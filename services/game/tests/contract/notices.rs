//! Subscriptions.

use std::sync::Arc;

use game::log::{Append, Appended, Notice, Wake};
use tokio::task::JoinSet;

use super::stores::{Stores, append, done, event, table};

pub(crate) async fn an_append_is_noticed_by_every_replica(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    let mut near = stores.one.subscribe(table).await.unwrap();
    let mut far = stores.two.subscribe(table).await.unwrap();
    let mut second_far = stores.two.subscribe(table).await.unwrap();
    done(&stores.one, append(table, 1, "b")).await;
    for subscription in [&mut near, &mut far, &mut second_far] {
        // A connection that is only just made says that heads may have moved, once.
        let notice = subscription.next().await;
        assert_eq!(
            stores.two.head(table).await.unwrap().version,
            2,
            "{notice:?}"
        );
    }
}

pub(crate) async fn a_notice_says_what_was_appended(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    let mut subscription = stores.two.subscribe(table).await.unwrap();
    let mut head = 1;
    loop {
        let sent = Append {
            events: vec![event("\n b\0"), event("")],
            ..append(table, head, "")
        };
        head = done(&stores.one, sent).await;
        // Until the connection is made, notices say nothing or are lost.
        let Notice::Appended { after, entries } = subscription.next().await else {
            continue;
        };
        // That of the opening may come late.
        if after.0 == 0 {
            continue;
        }
        let read = stores.one.read(table, after.0 - 1).await.unwrap();
        assert_eq!((read[0].version, read[0].at_ms), after);
        assert_eq!(entries[..], read[1..3]);
        break;
    }
}

pub(crate) async fn whoever_subscribes_and_reads_misses_nothing(stores: &Stores) {
    const APPENDS: u64 = 200;
    let table = table(&stores.one, Wake::Never).await;
    let mut readers = JoinSet::new();
    for reader in 0..8 {
        let replica = if reader % 2 == 0 {
            &stores.one
        } else {
            &stores.two
        };
        let log = Arc::clone(replica);
        readers.spawn(async move {
            let mut subscription = log.subscribe(table).await.unwrap();
            let mut seen = 0;
            loop {
                for entry in log.read(table, seen).await.unwrap() {
                    assert_eq!(entry.version, seen + 1);
                    seen = entry.version;
                }
                if seen > APPENDS {
                    break;
                }
                subscription.next().await;
            }
        });
    }
    let mut writers = JoinSet::new();
    for writer in 0..4 {
        let replica = if writer % 2 == 0 {
            &stores.one
        } else {
            &stores.two
        };
        let log = Arc::clone(replica);
        writers.spawn(async move {
            let mut left = APPENDS / 4;
            let mut head = 1;
            while left > 0 {
                match log.append(append(table, head, "x")).await.unwrap() {
                    Appended::Done { version, .. } => {
                        left -= 1;
                        head = version;
                    }
                    Appended::Conflict { head: now } => head = now,
                    other @ Appended::Outage { .. } => panic!("{other:?}"),
                }
            }
        });
    }
    writers.join_all().await;
    readers.join_all().await;
}

pub(crate) async fn only_appends_to_the_table_are_noticed(stores: &Stores) {
    let watched = table(&stores.one, Wake::Never).await;
    let other = table(&stores.one, Wake::Never).await;
    let mut subscription = stores.one.subscribe(watched).await.unwrap();
    done(&stores.one, append(other, 1, "b")).await;
    done(&stores.one, append(other, 2, "c")).await;
    done(&stores.one, append(watched, 1, "b")).await;
    loop {
        match subscription.next().await {
            // Never 3, the head of the other table.
            Notice::Appended { entries, .. } => break assert_eq!(entries[0].version, 2),
            Notice::Unknown if stores.one.head(watched).await.unwrap().version == 2 => break,
            Notice::Unknown => {}
        }
    }
}
