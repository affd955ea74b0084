//! Streams of a table that three people watch.

use table::SeatAction;

use super::*;
use crate::kit::{act, open, play, player, read_to, start, table};

#[tokio::test]
async fn all_who_watch_get_every_event_and_their_own_cards() {
    let (game, id, _store) = table().await;
    let mut streams = Vec::new();
    for n in 0..3 {
        streams.push(open(&game, id, n, 0).await);
    }
    start(&game, id).await;
    let version = play(&game, id, 12).await;
    let mut hands = Vec::new();
    for stream in &mut streams {
        for update in read_to(stream, 0, version).await {
            if let Some(Kind::DealStarted(deal)) = update.kind {
                hands.push(deal.hand);
            }
        }
    }
    assert_eq!(hands.len(), 3);
    hands.sort();
    hands.dedup();
    assert_eq!(hands.len(), 3, "each sees another hand");
}

#[tokio::test]
async fn who_comes_later_gets_what_was_missed_and_then_the_rest() {
    let (game, id, _store) = table().await;
    let started = start(&game, id).await;
    let mut early = open(&game, id, 0, started).await;
    let middle = play(&game, id, 5).await;
    let mut late = open(&game, id, 1, 2).await;
    let version = play(&game, id, 5).await;
    read_to(&mut early, started, version).await;
    read_to(&mut late, 2, version).await;
    assert!(middle < version);
}

#[tokio::test]
async fn a_slow_reader_misses_nothing_and_holds_up_nobody() {
    let (game, id, _store) = table().await;
    let mut slow = open(&game, id, 0, 0).await;
    let mut quick = open(&game, id, 1, 0).await;
    start(&game, id).await;
    let version = play(&game, id, 1_000).await;
    // More than the stream and the follower keep together.
    assert!(version > 3 * BUFFERED_MAX as u64, "{version}");
    read_to(&mut quick, 0, version).await;
    read_to(&mut slow, 0, version).await;
}

#[tokio::test]
async fn who_is_ahead_of_the_table_is_told_to_start_again() {
    let (game, id, _store) = table().await;
    let mut stream = open(&game, id, 0, 99).await;
    let update = stream.recv().await.unwrap().unwrap();
    assert_eq!(update.version, 1);
    assert!(matches!(update.kind, Some(Kind::Resync(_))));
    assert!(stream.recv().await.is_none(), "the stream ends");
}

#[tokio::test]
async fn a_table_that_nobody_watches_is_not_followed() {
    let (game, id, _store) = table().await;
    let streams = [open(&game, id, 0, 0).await, open(&game, id, 1, 0).await];
    assert_eq!(game.followers.count(), 1);
    drop(streams);
    // Those who watch end at the next event, and the follower after them.
    let mut n = 0;
    while game.followers.count() > 0 {
        act_or_wait(&game, id, &mut n).await;
    }
}

/// Something happens at the table, as often as it takes; the test hangs if nobody notices.
async fn act_or_wait(game: &Game, id: Uuid, n: &mut u128) {
    if *n < 3 {
        act(game, id, player(*n), SeatAction::Ready(Vec::new())).await;
    } else {
        play(game, id, 1).await;
    }
    *n += 1;
    tokio::task::yield_now().await;
}
