//! History rated again, with and without some players.

use super::*;

on_both_stores! {
    history_rated_again_is_as_it_was
    without_a_player_the_others_are_rated_as_if_that_one_had_not_sat_there
    what_is_only_shown_changes_nothing
    later_matches_and_seasons_follow
    a_player_who_was_taken_out_comes_back
    duplicates_of_matches_are_still_known
    reports_wait_while_history_is_rated_again
}

/// Some matches of eight players over two seasons.
async fn played(db: Db) -> World {
    let world = World::new(db, ALL_LISTED);
    let mut random = Random(7);
    for number in 0..60 {
        if number == 40 {
            let next = world.ranking.close_season("brixental", true).await;
            next.expect("next season");
        }
        world.wait(i64::from(random.below(3)) * 500);
        let report = random.report(number, 8, world.now());
        world.record(report).await;
    }
    world
}

async fn recompute(
    world: &World,
    without: &[u32],
    with: &[u32],
    apply: bool,
) -> Vec<ranking::Moved> {
    let ids = |numbers: &[u32]| numbers.iter().map(|&n| player(n)).collect::<Vec<_>>();
    let (without, with) = (ids(without), ids(with));
    let done = world.ranking.recompute(&without, &with, apply);
    done.await.expect("recompute").moved
}

async fn history_rated_again_is_as_it_was(db: Db) {
    let world = played(db).await;
    world.check_history().await;
    // Somebody wrote a rating by hand: found, and put right.
    let wrong =
        sqlx::query("UPDATE ratings SET rating = rating + 1, peak = peak + 1 WHERE player_id = $1")
            .bind(player(3).to_string())
            .execute(&world.db.pool);
    wrong.await.expect("write by hand");
    let moved = recompute(&world, &[], &[], true).await;
    assert!(
        moved
            .iter()
            .all(|m| m.player == player(3) && m.after == m.before - 1)
    );
    assert_eq!(moved.len(), 2);
    world.check_history().await;
}

async fn without_a_player_the_others_are_rated_as_if_that_one_had_not_sat_there(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let first = report(1, &[(1, 1, 9, false), (2, 2, 5, false), (3, 3, 1, false)]);
    world.record(first).await;
    world.record(duel(2, 1, 3)).await;
    let moved = recompute(&world, &[1], &[], true).await;
    assert_eq!(world.ratings(&[1, 2, 3]).await, [1200, 1220, 1180]);
    assert_eq!(world.listed(LADDER).await, [player(2), player(3)]);
    let out: Vec<_> = moved
        .iter()
        .filter(|m| m.excluded)
        .map(|m| m.player)
        .collect();
    assert_eq!(out, [player(1)]);
    // A match with nobody else left does not count, and says so; neither do those to come.
    let history = &world.player(3).await[0].history;
    assert_eq!(history[0].reason, "does not count");
    assert_eq!(
        history[1].reason,
        "2nd of 2, against 1200: expected 0.5 wins, got 0, -20"
    );
    let out = &world.player(1).await[0];
    assert_eq!((out.rating, out.tier.clone()), (1200, None));
    let answer = world
        .record(report(
            3,
            &[(1, 1, 9, false), (2, 2, 5, false), (3, 3, 1, false)],
        ))
        .await;
    assert_eq!(answer[0].before, answer[0].after);
    assert!(answer[1].after > answer[1].before);
    world.check_history().await;
}

async fn what_is_only_shown_changes_nothing(db: Db) {
    let world = played(db).await;
    let before = world.ratings(&[1, 2, 3, 4, 5, 6, 7, 8]).await;
    let shown = recompute(&world, &[2, 5], &[], false).await;
    assert!(shown.len() > 4, "{shown:?}");
    assert_eq!(world.ratings(&[1, 2, 3, 4, 5, 6, 7, 8]).await, before);
    world.check_history().await;
    assert_eq!(recompute(&world, &[2, 5], &[], true).await, shown);
    assert_eq!(recompute(&world, &[2, 5], &[], true).await, []);
    // Players who never played.
    assert_eq!(recompute(&world, &[99], &[], true).await, []);
}

async fn later_matches_and_seasons_follow(db: Db) {
    let world = played(db).await;
    let moved = recompute(&world, &[4], &[], true).await;
    for ladder in [LADDER, "brixental-s2"] {
        assert!(
            moved.iter().filter(|m| m.ladder == ladder).count() > 3,
            "{moved:?}"
        );
        assert!(!world.listed(ladder).await.contains(&player(4)));
    }
    // Everybody's chain of ratings is unbroken, and the second season begins with the reset.
    for who in (1..=8).filter(|&who| who != 4) {
        let ratings = world.player(who).await;
        for rating in &ratings {
            let mut reached = rating.rating;
            for entry in &rating.history {
                assert_eq!(entry.after, reached, "player {who}");
                reached = entry.before;
            }
        }
        if let [second, first] = &ratings[..] {
            let entered = second.history.last().expect("a match").before;
            assert_eq!(
                entered,
                rating::season::reset(first.rating, 1),
                "player {who}"
            );
        }
    }
    world.check_history().await;
}

async fn a_player_who_was_taken_out_comes_back(db: Db) {
    let world = played(db).await;
    let all = [1, 2, 3, 4, 5, 6, 7, 8];
    let (before, standings) = (world.ratings(&all).await, world.page(LADDER, "", 100).await);
    recompute(&world, &[4, 6], &[], true).await;
    assert_ne!(world.ratings(&all).await, before);
    recompute(&world, &[], &[4], true).await;
    recompute(&world, &[], &[6], true).await;
    assert_eq!(world.ratings(&all).await, before);
    let again = world.page(LADDER, "", 100).await.expect("a page");
    assert_eq!(again, standings.expect("a page"));
}

async fn duplicates_of_matches_are_still_known(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let request = report(1, &[(1, 1, 9, false), (2, 2, 5, false), (3, 3, 1, false)]);
    world.record(request.clone()).await;
    recompute(&world, &[1], &[], true).await;
    let answer = world.record(request).await;
    assert_eq!(changes(&answer), [(1200, 1200), (1200, 1220), (1200, 1180)]);
    assert_eq!(world.player(2).await[0].matches, 1);
}

async fn reports_wait_while_history_is_rated_again(db: Db) {
    let world = played(db).await;
    let writers = (0..4_u32).map(|writer| {
        let world = world.clone();
        tokio::spawn(async move {
            let mut random = Random(writer.into());
            for i in 0..10 {
                let report = random.report(1000 + writer * 100 + i, 8, world.now());
                world.record(report).await;
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    recompute(&world, &[2], &[], true).await;
    recompute(&world, &[3], &[2], true).await;
    for writer in writers {
        writer.await.expect("a writer");
    }
    world.check_history().await;
    assert!(!world.listed("brixental-s2").await.contains(&player(3)));
}
