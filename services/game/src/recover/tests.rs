//! Tables of which the store loses some or all.

use std::sync::Arc;

use chassis::kv::Kv;
use proto::v1::table_update::Kind;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{
    archive,
    kit::{
        lose_all, lose_last, open, play, play_into_the_second_deal, read_to, start, table, table_on,
    },
    log::ClusterLog,
    wake::{self, look_after},
};

/// The parts of the store.
const ALL: [u16; 4] = [0, 1, 2, 3];

/// Plays to the end of the match, until it is in the archive.
async fn play_out(game: &Arc<Game>, id: Uuid) {
    for _ in 0..2_000 {
        if game.archive.summary(id).await.unwrap().is_some() {
            return;
        }
        play(game, id, 1).await;
        look_after(game, id).await.unwrap();
    }
    panic!("the match goes on for ever");
}

/// What a player is told who knows a version.
async fn told(game: &Arc<Game>, id: Uuid, after: u64) -> (u64, bool) {
    let mut stream = open(game, id, 0, after).await;
    let update = stream.recv().await.unwrap().unwrap();
    let resync = matches!(update.kind, Some(Kind::Resync(_)));
    assert!(!resync || stream.recv().await.is_none(), "the stream ends");
    (update.version, resync)
}

#[tokio::test]
async fn a_lost_table_goes_on_from_the_last_archived_deal() {
    let (game, id, store) = table().await;
    let (first, version) = play_into_the_second_deal(&game, id).await;
    let mut stream = open(&game, id, 1, first).await;
    read_to(&mut stream, first, version).await;
    lose_all(&store).await;

    let (restored, _) = game.tables.look(id).await.unwrap();
    assert_eq!(restored.version(), 1_000_000);
    assert_eq!(restored.score_sheet().len(), 1);
    assert!(restored.deal().is_none());

    let update = stream.recv().await.unwrap().unwrap();
    assert!(matches!(update.kind, Some(Kind::Resync(_))));
    for known in [first + 1, version, version + 7] {
        assert_eq!(told(&game, id, known).await, (1_000_000, true), "{known}");
    }
    assert_eq!(told(&game, id, first - 1).await, (first, false));

    play_out(&game, id).await;
    let summary = game.archive.summary(id).await.unwrap().unwrap();
    let entries = game.archive.entries(id).await.unwrap();
    let replay = archive::replay(summary, &entries).unwrap();
    let shuffles: Vec<u32> = replay.deals.iter().map(|deal| deal.shuffle).collect();
    assert_eq!(shuffles[..3], [0, 1_000_002, 1_000_003]);
}

#[tokio::test]
async fn an_archive_with_a_gap_is_good_up_to_the_gap() {
    let (game, id, store) = table().await;
    start(&game, id).await;
    while game.tables.look(id).await.unwrap().0.score_sheet().len() < 3 {
        play(&game, id, 1).await;
        look_after(&game, id).await.unwrap();
    }
    look_after(&game, id).await.unwrap();
    // The database was put back to the first deal, and later deals were archived after that.
    let done = sqlx::query("DELETE FROM match_segments WHERE deal = 2")
        .execute(&store.db.pool)
        .await;
    assert_eq!(done.unwrap().rows_affected(), 1);
    assert!(
        game.archive.entries(id).await.is_err(),
        "a replay is refused"
    );
    lose_all(&store).await;

    let (restored, _) = game.tables.look(id).await.unwrap();
    assert_eq!(restored.score_sheet().len(), 1);
    play(&game, id, 1).await;
}

#[tokio::test]
async fn a_table_that_lost_its_last_moves_goes_on_from_what_is_left() {
    let (game, id, store) = table().await;
    let (_, version) = play_into_the_second_deal(&game, id).await;
    lose_last(&store, version - 2).await;
    let next = play(&game, id, 1).await;
    assert_eq!(next, 1_000_001);
    let log = game.tables.log().read(id, version - 3).await.unwrap();
    let versions: Vec<u64> = log.iter().map(|entry| entry.version).collect();
    assert_eq!(versions, [version - 2, 1_000_000, 1_000_001]);
    assert_eq!(told(&game, id, version).await, (1_000_001, true));
    assert_eq!(told(&game, id, version - 2).await, (1_000_000, true));
    play_out(&game, id).await;
}

#[tokio::test]
async fn another_history_at_the_same_version_is_noticed() {
    let (game, id, store) = table().await;
    let (_, version) = play_into_the_second_deal(&game, id).await;
    let mut stream = open(&game, id, 0, version).await;
    // Another replica, which never saw what is lost, plays on.
    lose_last(&store, version - 2).await;
    let log = Arc::new(crate::log::EmbeddedLog::new(store.db.clone()).unwrap());
    let (other, _) = table_on(log, &store).await;
    play(&other, id, 4).await;

    let (table, _) = game.tables.look(id).await.unwrap();
    assert_eq!(table.version(), 1_000_000);
    let entries = game.tables.log().read(id, 0).await.unwrap();
    assert!(
        replay(&entries)
            .unwrap()
            .is_some_and(|whole| whole == *table)
    );
    let update = stream.recv().await.unwrap().unwrap();
    assert!(matches!(update.kind, Some(Kind::Resync(_))));
    play_out(&game, id).await;
}

#[tokio::test]
async fn the_archive_is_put_back_when_it_knows_more() {
    let (game, id, store) = table().await;
    let (first, _) = play_into_the_second_deal(&game, id).await;
    lose_last(&store, first - 2).await;
    let (table, _) = game.tables.look(id).await.unwrap();
    assert_eq!(table.version(), 1_000_000);
    assert_eq!(table.score_sheet().len(), 1);
    let log = game.tables.log().read(id, first - 1).await.unwrap();
    let versions: Vec<u64> = log.iter().map(|entry| entry.version).collect();
    assert_eq!(versions, [first, 1_000_000]);
}

#[tokio::test]
async fn a_state_of_another_history_is_not_built_upon() {
    let (game, id, store) = table().await;
    let (_, version) = play_into_the_second_deal(&game, id).await;
    let stale = game.tables.look(id).await.unwrap().0;
    lose_last(&store, version - 2).await;
    let log = Arc::new(crate::log::EmbeddedLog::new(store.db.clone()).unwrap());
    let (other, _) = table_on(log, &store).await;
    while other.tables.look(id).await.unwrap().0.version() < version {
        play(&other, id, 1).await;
    }
    // As many events as were lost, so the version alone looks right.
    let seat = stale.deal().unwrap().turn().unwrap();
    let action = *stale.deal().unwrap().legal().actions().first().unwrap();
    let command = ::table::Command::Act {
        player: stale.player(seat).unwrap().id,
        action: ::table::SeatAction::Deal(action),
    };
    let _ = game.tables.submit(id, &command, None).await;
    let entries = game.tables.log().read(id, 0).await.unwrap();
    assert!(replay(&entries).is_ok());
    let restored = entries.iter().filter(|entry| entry.version == 1_000_000);
    assert_eq!(restored.count(), 1);
}

#[tokio::test]
async fn the_archive_of_another_history_is_not_put_back() {
    let (game, id, store) = table().await;
    let (first, _) = play_into_the_second_deal(&game, id).await;
    lose_last(&store, first - 5).await;
    let log = Arc::new(crate::log::EmbeddedLog::new(store.db.clone()).unwrap());
    let (other, _) = table_on(log, &store).await;
    let left = play(&other, id, 1).await;
    assert!(left < first);
    let (table, _) = game.tables.look(id).await.unwrap();
    assert_eq!(table.version(), 1_000_000);
    let entries = game.tables.log().read(id, first - 5).await.unwrap();
    let versions: Vec<u64> = entries.iter().map(|entry| entry.version).collect();
    assert_eq!(versions, [left, 1_000_000]);
}

#[tokio::test]
async fn a_table_in_its_first_deal_is_gone_with_its_store() {
    let (game, id, store) = table().await;
    start(&game, id).await;
    lose_all(&store).await;
    let gone = game.tables.look(id).await.unwrap_err();
    assert_eq!(gone.code, ErrorCode::TableNotFound);
}

#[tokio::test]
async fn a_finished_match_is_not_played_again() {
    let (game, id, store) = table().await;
    play_into_the_second_deal(&game, id).await;
    play_out(&game, id).await;
    lose_all(&store).await;
    let gone = game.tables.look(id).await.unwrap_err();
    assert_eq!(gone.code, ErrorCode::TableNotFound);
}

async fn flush(kv: &Kv) {
    let mut connection = kv.connection.clone();
    let pattern = format!("{}:*", kv.prefix);
    let keys: Vec<String> = redis::cmd("KEYS")
        .arg(pattern)
        .query_async(&mut connection)
        .await
        .unwrap();
    assert!(keys.len() > 2, "{keys:?}");
    let deleted = redis::cmd("DEL")
        .arg(keys)
        .exec_async(&mut connection)
        .await;
    deleted.unwrap();
}

#[tokio::test]
async fn tables_that_nobody_asks_for_are_restored_too() {
    let kv = chassis::testing::redis().await;
    let log = ClusterLog::connect(kv.clone(), 4).await.unwrap();
    let archive = chassis::testing::sqlite().await;
    let (game, id) = table_on(Arc::new(log), &archive).await;
    play_into_the_second_deal(&game, id).await;
    flush(&kv).await;

    let shutdown = CancellationToken::new();
    let wake_ups = tokio::spawn(wake::run(Arc::clone(&game), shutdown.clone()));
    let mut notices = game.tables.log().subscribe(id).await.unwrap();
    while game.tables.log().head(id).await.unwrap().version < 1_000_000 {
        notices.next().await;
    }
    while !game
        .tables
        .log()
        .claim_due(&ALL, 1, 0)
        .await
        .unwrap()
        .unmarked
        .is_empty()
    {
        tokio::task::yield_now().await;
    }
    shutdown.cancel();
    wake_ups.await.unwrap();
}

#[test]
fn recent_tables_are_after_the_oldest() {
    let now_ms = chassis::now_ms();
    let opened_now = Uuid::now_v7().to_string();
    assert!(oldest(now_ms).to_string() < opened_now);
    let in_ten_days = now_ms + 10 * 24 * 60 * 60 * 1000;
    assert!(oldest(in_ten_days).to_string() > opened_now);
    assert_eq!(oldest(0), Uuid::nil());
}
