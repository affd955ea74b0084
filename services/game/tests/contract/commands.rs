//! A command is appended once.

use std::sync::Arc;

use game::log::{Append, Appended, Known, LogError, MAX_COMMAND_ID, Wake};
use tokio::task::JoinSet;

use super::stores::{Stores, append, command, done, event, table};

pub(crate) async fn a_command_is_appended_once(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    let first = Append {
        command: command(2, "c", u64::MAX),
        events: vec![event("b"), event("c")],
        ..append(table, 1, "")
    };
    assert_eq!(done(&stores.one, first.clone()).await, 3);
    let answer = stores.two.append(first).await.unwrap();
    let duplicate = Appended::Duplicate {
        version: 3,
        fingerprint: u64::MAX,
    };
    assert_eq!(answer, duplicate);
    assert_eq!(stores.one.head(table).await.unwrap().version, 3);
}

pub(crate) async fn a_command_is_looked_up_before_the_head(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    let first = Append {
        command: command(0, "c", 7),
        ..append(table, 1, "b")
    };
    done(&stores.one, first).await;
    done(&stores.one, append(table, 2, "c")).await;
    for expected in [1, 3, 99] {
        let again = Append {
            command: command(0, "c", 8),
            ..append(table, expected, "x")
        };
        let answer = stores.two.append(again).await.unwrap();
        let duplicate = Appended::Duplicate {
            version: 2,
            fingerprint: 7,
        };
        assert_eq!(answer, duplicate, "at {expected}");
    }
    assert_eq!(stores.one.head(table).await.unwrap().version, 3);
}

pub(crate) async fn two_writers_of_one_command_append_it_once(stores: &Stores) {
    for _ in 0..20 {
        let table = table(&stores.one, Wake::Never).await;
        let mut writers = JoinSet::new();
        for replica in [&stores.one, &stores.two] {
            let log = Arc::clone(replica);
            let append = Append {
                command: command(0, "c", 7),
                ..append(table, 1, "b")
            };
            writers.spawn(async move { log.append(append).await.unwrap() });
        }
        let answers = writers.join_all().await;
        let count = |test: fn(&Appended) -> bool| answers.iter().filter(|a| test(a)).count();
        assert_eq!(count(|a| matches!(a, Appended::Done { version: 2, .. })), 1);
        let duplicates = count(|a| matches!(a, Appended::Duplicate { version: 2, .. }));
        assert_eq!(duplicates, 1, "{answers:?}");
        assert_eq!(stores.one.head(table).await.unwrap().version, 2);
    }
}

pub(crate) async fn the_same_id_from_another_seat_or_table_is_another_command(stores: &Stores) {
    let here = table(&stores.one, Wake::Never).await;
    let there = table(&stores.one, Wake::Never).await;
    let sent = |table, seat, expected| Append {
        command: command(seat, "c", 1),
        ..append(table, expected, "b")
    };
    assert_eq!(done(&stores.one, sent(here, 0, 1)).await, 2);
    assert_eq!(done(&stores.one, sent(here, 1, 2)).await, 3);
    assert_eq!(done(&stores.one, sent(there, 0, 1)).await, 2);
}

pub(crate) async fn a_refused_command_may_come_again(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    let sent = |expected| Append {
        command: command(0, "c", 1),
        ..append(table, expected, "b")
    };
    let answer = stores.one.append(sent(5)).await.unwrap();
    assert_eq!(answer, Appended::Conflict { head: 1 });
    assert_eq!(stores.one.find_command(table, 0, "c").await.unwrap(), None);
    assert_eq!(done(&stores.one, sent(1)).await, 2);
}

pub(crate) async fn known_commands_are_found(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    for (version, fingerprint) in [(1, 0), (2, 1 << 63), (3, 0x0a0d_0000_2020_3131)] {
        let id = format!("c{version}");
        let sent = Append {
            command: command(3, &id, fingerprint),
            ..append(table, version, "b")
        };
        let version = done(&stores.one, sent).await;
        let found = stores.two.find_command(table, 3, &id).await.unwrap();
        let known = Known {
            version,
            fingerprint,
        };
        assert_eq!(found, Some(known));
        assert_eq!(stores.two.find_command(table, 2, &id).await.unwrap(), None);
    }
}

pub(crate) async fn ids_are_bounded(stores: &Stores) {
    let table = table(&stores.one, Wake::Never).await;
    let sent = |id: &str| Append {
        command: command(0, id, 1),
        ..append(table, 1, "b")
    };
    for wrong in [String::new(), "x".repeat(MAX_COMMAND_ID + 1)] {
        let answer = stores.one.append(sent(&wrong)).await;
        assert!(matches!(answer, Err(LogError::Invalid(_))), "{answer:?}");
    }
    assert_eq!(stores.one.head(table).await.unwrap().version, 1);
    // Characters, not bytes; and nothing in an id is special.
    let longest = "ß\0{ ".repeat(MAX_COMMAND_ID / 4);
    assert_eq!(done(&stores.one, sent(&longest)).await, 2);
    let found = stores.two.find_command(table, 0, &longest).await.unwrap();
    assert!(found.is_some());
}
