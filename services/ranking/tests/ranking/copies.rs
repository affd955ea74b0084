//! Copies of ladders in Redis: nothing that was committed is missing for ever, whoever dies when.

use chassis::testing::RedisKind;
use tokio_util::sync::CancellationToken;

use super::*;

async fn world(kind: RedisKind) -> (World, Kv) {
    let db = chassis::testing::postgres().await;
    let kv = kind.connect().await;
    let world = World::new(db, ALL_LISTED).with_copies(&kv);
    world.record(duel(1, 1, 2)).await;
    (world, kv)
}

async fn rebuild(world: &World) {
    assert!(world.ranking.rebuild_copy(LADDER).await.expect("rebuild"));
}

/// The copy has every line as the database has it, and no other.
async fn check(world: &World) {
    let comparison = world.ranking.compare(LADDER).await.expect("compare");
    let comparison = comparison.expect("a copy");
    assert_eq!(comparison.differences, []);
    let page = world.page(LADDER, "", 100).await.expect("a page");
    assert_eq!(comparison.lines, page.standings.len());
}

/// Removes a copy's keys, as a Redis that is started empty.
async fn lose(kv: &Kv, number: u32) {
    for part in ["order", "last", "played", "state"] {
        let key = format!("{}:board:{{{LADDER}}}:{number}:{part}", kv.prefix);
        let mut del = redis::cmd("DEL");
        let connection = &mut kv.connection.clone();
        let lost = del.arg(key).query_async(connection).await;
        let lost: i64 = lost.expect("remove a key");
        assert_eq!(lost, 1, "{part}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_change_is_noted_by_its_own_transaction_and_brought_by_whoever_comes() {
    let (world, kv) = world(RedisKind::Single).await;
    rebuild(&world).await;
    check(&world).await;
    // Whoever rated this died before it could bring anything.
    world.record(duel(2, 3, 2)).await;
    assert_eq!(world.ranking.waiting_lines().await.expect("notes"), 2);
    let stale = world.page(LADDER, "", 100).await.expect("a page");
    assert_eq!(stale.standings.len(), 2, "the copy answers");
    let another = World::new(world.db.clone(), ALL_LISTED).with_copies(&kv);
    another.ranking.update_copies().await.expect("bring");
    assert_eq!(world.ranking.waiting_lines().await.expect("notes"), 0);
    assert_eq!(world.listed(LADDER).await.len(), 3);
    check(&world).await;
    // Whoever brought it died before the notes were taken away: they are brought again.
    let again = "INSERT INTO leaderboard_outbox (ladder_id, player_id)
        SELECT ladder_id, player_id FROM ratings";
    let again = sqlx::query(again).execute(&world.db.pool).await;
    again.expect("write notes");
    another.ranking.update_copies().await.expect("bring");
    check(&world).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_its_note_no_match_is_rated() {
    let (world, _) = world(RedisKind::Single).await;
    rebuild(&world).await;
    let before = world.ratings(&[1, 2]).await;
    let rename = async |from: &str, to: &str| {
        let sql = sqlx::AssertSqlSafe(format!("ALTER TABLE {from} RENAME TO {to}"));
        let renamed = sqlx::query(sql).execute(&world.db.pool).await;
        renamed.expect("rename a table");
    };
    rename("leaderboard_outbox", "lost").await;
    assert_eq!(world.refused(duel(2, 1, 2)).await, ErrorCode::Internal);
    assert_eq!(world.ratings(&[1, 2]).await, before);
    rename("lost", "leaderboard_outbox").await;
    world.record(duel(2, 1, 2)).await;
    assert_eq!(world.player(1).await[0].matches, 2);
    assert_eq!(world.ranking.waiting_lines().await.expect("notes"), 2);
    world.ranking.update_copies().await.expect("bring");
    check(&world).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn notes_come_back_when_redis_does_not_take_their_lines() {
    let (world, kv) = world(RedisKind::Single).await;
    rebuild(&world).await;
    world.record(duel(2, 3, 2)).await;
    // A key of another type, where the copy wants to write.
    let key = format!("{}:board:{{{LADDER}}}:1:last", kv.prefix);
    let connection = &mut kv.connection.clone();
    let mut set = redis::cmd("SET");
    let set = set.arg(&key).arg("x").query_async(connection).await;
    let () = set.expect("set");
    world.ranking.update_copies().await.expect_err("refused");
    assert_eq!(world.ranking.waiting_lines().await.expect("notes"), 2);
    // Readers get the database's answer meanwhile.
    assert_eq!(world.listed(LADDER).await.len(), 3);
    rebuild(&world).await;
    check(&world).await;
    assert_eq!(world.ranking.waiting_lines().await.expect("notes"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_line_that_changes_while_a_copy_is_made_is_brought_to_both() {
    let (world, kv) = world(RedisKind::Single).await;
    rebuild(&world).await;
    // Another process has begun one, and read no line yet.
    let begun = "UPDATE ladders SET building = 2, boards = 2";
    let begun = sqlx::query(begun).execute(&world.db.pool).await;
    begun.expect("begin a copy");
    let key = |number: u32, part: &str| format!("{}:board:{{{LADDER}}}:{number}:{part}", kv.prefix);
    let connection = &mut kv.connection.clone();
    let mut begin = redis::cmd("HSET");
    begin
        .arg(key(2, "state"))
        .arg(&["state", "building", "min", "0"]);
    let () = begin.query_async(connection).await.expect("begin a copy");
    world.record(duel(2, 3, 2)).await;
    world.ranking.update_copies().await.expect("bring");
    for (number, lines) in [(1, 3), (2, 2)] {
        let mut count = redis::cmd("ZCARD");
        let counted = count
            .arg(key(number, "order"))
            .query_async(connection)
            .await;
        let counted: i64 = counted.expect("count lines");
        assert_eq!(counted, lines, "copy {number}");
    }
}

async fn copies_under_load(kind: RedisKind) {
    let (world, _) = world(kind).await;
    let writers = (0..8_u32).map(|writer| {
        let world = world.clone();
        tokio::spawn(async move {
            let mut random = Random(writer.into());
            for i in 0..25 {
                let report = random.report(1000 + writer * 100 + i, 30, world.now());
                world.record(report).await;
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let stop = CancellationToken::new();
    let bringers = (0..3).map(|_| {
        let (world, stop) = (world.clone(), stop.clone());
        tokio::spawn(async move {
            while !stop.is_cancelled() {
                world.ranking.update_copies().await.expect("bring");
            }
        })
    });
    let bringers: Vec<_> = bringers.collect();
    for _ in 0..5 {
        rebuild(&world).await;
    }
    for writer in writers {
        writer.await.expect("a writer");
    }
    stop.cancel();
    for bringer in bringers {
        bringer.await.expect("a bringer");
    }
    check(&world).await;
    world.check_history().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_copy_made_while_matches_are_rated_misses_nothing() {
    copies_under_load(RedisKind::Single).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_copy_in_a_cluster_misses_nothing() {
    copies_under_load(RedisKind::Cluster).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_database_answers_when_the_copy_is_lost_and_the_service_makes_it_again() {
    let (world, kv) = world(RedisKind::Single).await;
    rebuild(&world).await;
    lose(&kv, 1).await;
    assert_eq!(world.listed(LADDER).await.len(), 2);
    assert_eq!(world.around(1, 0).await.expect("listed").standings.len(), 1);
    // Lines are not brought to a copy that is not there: it would look complete.
    world.record(duel(2, 3, 2)).await;
    world.ranking.update_copies().await.expect("bring");
    assert_eq!(world.listed(LADDER).await.len(), 3);

    let (listener, _channel) = chassis::rpc::in_process();
    let stop = CancellationToken::new();
    let serving = ranking::serve(world.ranking.clone(), listener, stop.clone());
    let serving = tokio::spawn(serving);
    // It looks when it starts.
    while world
        .ranking
        .compare(LADDER)
        .await
        .expect("compare")
        .is_none_or(|c| !c.differences.is_empty())
    {
        tokio::task::yield_now().await;
    }
    world.record(duel(3, 4, 2)).await;
    while world.ranking.waiting_lines().await.expect("notes") > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.around(4, 0).await.expect("listed").standings.len(), 1);
    stop.cancel();
    serving.await.expect("join").expect("serve");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_was_changed_by_hand_is_found() {
    let (world, kv) = world(RedisKind::Single).await;
    for number in 2..6 {
        world.record(duel(number, number, number + 10)).await;
    }
    rebuild(&world).await;
    let key = |part: &str| format!("{}:board:{{{LADDER}}}:1:{part}", kv.prefix);
    let connection = &mut kv.connection.clone();
    // One line is gone, one is of nobody, one has moved.
    let mut by_hand = redis::pipe();
    for part in ["order", "last"] {
        by_hand.cmd("ZREM").arg(key(part)).arg(player(1).as_bytes());
        by_hand
            .cmd("ZADD")
            .arg(key(part))
            .arg(NOW_MS)
            .arg(player(77).as_bytes());
    }
    by_hand
        .cmd("HDEL")
        .arg(key("played"))
        .arg(player(1).as_bytes());
    by_hand
        .cmd("HSET")
        .arg(key("played"))
        .arg(player(77).as_bytes())
        .arg(3);
    by_hand
        .cmd("ZADD")
        .arg(key("order"))
        .arg(-1)
        .arg(player(2).as_bytes());
    let () = by_hand
        .query_async(connection)
        .await
        .expect("write by hand");
    let found = world
        .ranking
        .compare(LADDER)
        .await
        .expect("compare")
        .expect("a copy");
    let players: Vec<Uuid> = found.differences.iter().map(|d| d.player).collect();
    assert_eq!(players, [player(1), player(2), player(77)]);
    assert_eq!(found.differences[0].copy, None);
    assert_eq!(found.differences[2].database, None);
    rebuild(&world).await;
    check(&world).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn history_rated_again_makes_the_copy_step_aside() {
    let (world, _) = world(RedisKind::Single).await;
    world
        .record(report(
            2,
            &[(1, 1, 9, false), (3, 2, 5, false), (4, 3, 1, false)],
        ))
        .await;
    rebuild(&world).await;
    let done = world.ranking.recompute(&[player(1)], &[], true).await;
    done.expect("recompute");
    assert_eq!(world.ranking.compare(LADDER).await.expect("compare"), None);
    assert!(!world.listed(LADDER).await.contains(&player(1)));
    rebuild(&world).await;
    assert_eq!(
        world.listed(LADDER).await,
        [player(3), player(2), player(4)]
    );
    check(&world).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_redis_there_are_no_copies() {
    let world = World::new(chassis::testing::postgres().await, ALL_LISTED);
    world.record(duel(1, 1, 2)).await;
    let refused = world.ranking.rebuild_copy(LADDER).await;
    assert_eq!(refused.expect_err("no Redis").code, ErrorCode::Conflict);
    assert_eq!(world.ranking.waiting_lines().await.expect("notes"), 0);
}
