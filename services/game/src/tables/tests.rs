//! A command is done once, however often and wherever it is sent.

use std::sync::Arc;

use table::SeatAction;

use super::*;
use crate::{
    Config, Game,
    history::History,
    kit::{
        act, lose_all, lose_last, play, play_into_the_second_deal, player, receipt, send, table,
        table_on,
    },
    log::EmbeddedLog,
};

fn ready() -> SeatAction {
    SeatAction::Ready(vec![7])
}

#[tokio::test]
async fn a_command_that_comes_again_gets_the_first_answer() {
    let (game, id, _store) = table().await;
    let first = receipt();
    let version = send(&game, id, player(0), ready(), first).await.unwrap();
    for n in 1..3 {
        act(&game, id, player(n), ready()).await;
    }
    play(&game, id, 3).await;
    let head = game.tables.look(id).await.unwrap().0.version();
    // Also for a replica that has to read the log first.
    for _ in 0..2 {
        let again = send(&game, id, player(0), ready(), first).await;
        assert_eq!(again.unwrap(), version);
        game.tables.forget(id);
    }
    assert_eq!(game.tables.look(id).await.unwrap().0.version(), head);
}

#[tokio::test]
async fn an_id_that_is_used_for_something_else_is_refused() {
    let (game, id, _store) = table().await;
    let first = receipt();
    send(&game, id, player(0), ready(), first).await.unwrap();
    let mut other = first;
    other.tag.fingerprint += 1;
    let refused = send(&game, id, player(0), SeatAction::Leave, other).await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::CommandIdReused);
    let mut another = first;
    another.tag.key += 1;
    let left = send(&game, id, player(0), SeatAction::Leave, another).await;
    assert!(left.is_ok());
}

#[tokio::test]
async fn a_refused_command_may_come_again() {
    let (game, id, _store) = table().await;
    let mut sent = receipt();
    sent.expected = Some(9);
    let refused = send(&game, id, player(0), ready(), sent).await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::StaleVersion);
    sent.expected = Some(1);
    assert_eq!(send(&game, id, player(0), ready(), sent).await.unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_replicas_do_one_command_once() {
    let sqlite = chassis::testing::sqlite().await;
    let log = Arc::new(EmbeddedLog::new(sqlite.db.clone()).unwrap());
    let (one, id) = table_on(Arc::clone(&log) as _, &sqlite).await;
    let ranking = tonic::transport::Endpoint::from_static("http://127.0.0.1:1").connect_lazy();
    let archive = History::new(sqlite.db.clone());
    let two = Game::new(log, archive, ranking.into(), Config::default());
    for n in 0..3 {
        let sent = receipt();
        let before = one.tables.look(id).await.unwrap().0.version();
        let (first, second) = tokio::join!(
            send(&one, id, player(n), ready(), sent),
            send(&two, id, player(n), ready(), sent),
        );
        assert_eq!(first.as_ref().unwrap(), second.as_ref().unwrap());
        // The last one to be ready starts the first deal, with the same append.
        let after = before + if n == 2 { 2 } else { 1 };
        assert_eq!(first.unwrap(), after);
        assert_eq!(one.tables.look(id).await.unwrap().0.version(), after);
    }
}

#[tokio::test]
async fn a_command_that_the_store_lost_is_done_anew() {
    let (game, id, store) = table().await;
    let sent = receipt();
    assert_eq!(send(&game, id, player(0), ready(), sent).await.unwrap(), 2);
    lose_last(&store, 1).await;
    // The state in memory has it; the store decides.
    let version = send(&game, id, player(0), ready(), sent).await.unwrap();
    let (table, _) = game.tables.look(id).await.unwrap();
    assert!(version > 1_000_000, "{version}");
    assert_eq!(table.version(), version);
}

#[tokio::test]
async fn a_command_that_came_back_from_the_archive_is_known() {
    let (game, id, store) = table().await;
    play_into_the_second_deal(&game, id).await;
    let archived = game.archive.entries(id).await.unwrap();
    let rules = *game.tables.look(id).await.unwrap().0.rules();
    let last = archived.iter().rev().find_map(|entry| {
        let (_, command) = decode(entry, Some(&rules)).unwrap();
        Some((entry.version, command?))
    });
    let (first, command) = last.unwrap();
    // The last card of the deal; what else it caused is archived with the next deal.
    let version = first + u64::from(command.following);
    assert!(version > archived.last().unwrap().version);
    lose_all(&store).await;
    let sent = Receipt {
        tag: command.tag,
        ..receipt()
    };
    let again = send(&game, id, player(0), SeatAction::Return, sent).await;
    assert_eq!(again.unwrap(), version);
    let (table, _) = game.tables.look(id).await.unwrap();
    assert_eq!(table.version(), 1_000_000);
}
