//! Many writers at once: nothing is lost, nothing counts twice, nobody waits for ever.

use std::collections::HashMap;

use futures::future::join_all;

use super::*;

on_both_stores! {
    duplicates_of_sixteen_writers_count_once
    two_matches_of_one_player_at_once_both_count
    crossing_matches_of_sixteen_writers_all_count
    the_first_season_opens_once
    of_two_results_at_once_one_counts
}

/// Four different players of eight, in an order of their own for every match.
fn table_of(number: u32) -> [u32; 4] {
    let mut all: Vec<u32> = (1..=8).collect();
    let mut seed = number;
    [(); 4].map(|()| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        all.remove((seed >> 16) as usize % all.len())
    })
}

fn crossing(number: u32) -> RecordMatchRequest {
    let [a, b, c, d] = table_of(number);
    report(
        number,
        &[
            (a, 1, 9, false),
            (b, 2, 5, false),
            (c, 3, 1, false),
            (d, 4, 0, false),
        ],
    )
}

/// Checks that every player has every match once, in one unbroken chain of ratings.
async fn check_books(world: &World, matches: impl Iterator<Item = u32>) {
    let mut played: HashMap<u32, u32> = HashMap::new();
    for number in matches {
        for who in table_of(number) {
            *played.entry(who).or_default() += 1;
        }
    }
    for (&who, &count) in &played {
        let ratings = world.player(who).await;
        let [rating] = &ratings[..] else {
            panic!("one ladder expected: {ratings:?}");
        };
        assert_eq!(rating.matches, count, "player {who}");
        let mut reached = rating.rating;
        for entry in &rating.history {
            assert_eq!(entry.after, reached, "player {who}");
            reached = entry.before;
        }
        if rating.history.len() == count as usize {
            assert_eq!(reached, rating::elo::START);
        }
    }
    world.check_history().await;
}

async fn duplicates_of_sixteen_writers_count_once(db: Db) {
    const MATCHES: u32 = 12;
    let world = World::new(db, ALL_LISTED);
    let writers = (0..16).map(|writer| {
        let world = world.clone();
        tokio::spawn(async move {
            let mut answers = HashMap::new();
            for i in 0..MATCHES {
                // Everybody starts elsewhere, so that first and later reports mix.
                let number = (i + writer) % MATCHES;
                answers.insert(number, world.record(crossing(number)).await);
            }
            answers
        })
    });
    let answers = join_all(writers.collect::<Vec<_>>()).await;
    let answers: Vec<_> = answers.into_iter().map(|a| a.expect("a writer")).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    check_books(&world, 0..MATCHES).await;
    let sum: i32 = world.ratings(&[1, 2, 3, 4, 5, 6, 7, 8]).await.iter().sum();
    assert_eq!(sum, 8 * rating::elo::START);
}

async fn two_matches_of_one_player_at_once_both_count(db: Db) {
    let world = World::new(db, ALL_LISTED);
    for round in 0..10 {
        let first = world.record(duel(2 * round, 1, 2));
        let second = world.record(duel(2 * round + 1, 1, 3));
        tokio::join!(first, second);
    }
    let ratings = world.player(1).await;
    assert_eq!(ratings[0].matches, 20);
    assert_eq!(ratings[0].history.len(), 20);
    for pair in ratings[0].history.windows(2) {
        assert_eq!(pair[0].before, pair[1].after);
        assert!(pair[0].after > pair[1].after);
    }
    let sum: i32 = world.ratings(&[1, 2, 3]).await.iter().sum();
    assert_eq!(sum, 3 * rating::elo::START);
}

async fn crossing_matches_of_sixteen_writers_all_count(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let writers = (0..16).map(|writer| {
        let world = world.clone();
        tokio::spawn(async move {
            for i in 0..10 {
                world.record(crossing(writer * 10 + i)).await;
            }
        })
    });
    for writer in join_all(writers.collect::<Vec<_>>()).await {
        writer.expect("a writer");
    }
    check_books(&world, 0..160).await;
}

async fn the_first_season_opens_once(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let firsts = (0..16).map(|n| {
        let world = world.clone();
        tokio::spawn(async move { world.record(duel(n, 2 * n + 1, 2 * n + 2)).await })
    });
    for first in join_all(firsts.collect::<Vec<_>>()).await {
        first.expect("a writer");
    }
    let ladders = world.ladders().await;
    assert_eq!(ladders.len(), 1);
    assert_eq!(ladders[0].id, LADDER);
    assert_eq!(world.listed(LADDER).await.len(), 32);
}

async fn of_two_results_at_once_one_counts(db: Db) {
    let world = World::new(db, ALL_LISTED);
    for number in 0..10 {
        let one = world.try_record(duel(number, 1, 2));
        let other = world.try_record(duel(number, 2, 1));
        let (one, other) = tokio::join!(one, other);
        let refused = match (one, other) {
            (Ok(_), Err(refused)) | (Err(refused), Ok(_)) => refused,
            both => panic!("one of the two expected: {both:?}"),
        };
        assert_eq!(refused.code, ErrorCode::Conflict);
    }
    assert_eq!(world.player(1).await[0].matches, 10);
}

/// Where an operator made transactions stricter than they need to be.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_serialization_failure_is_tried_again() {
    let url = chassis::testing::postgres_url().await;
    let (_, name) = url.rsplit_once('/').expect("a URL that ends in /DATABASE");
    let db = Db::open(&url, 1).expect("open Postgres");
    db.migrate().await.expect("migrate");
    let strict = format!("ALTER DATABASE {name} SET default_transaction_isolation TO serializable");
    let strict = sqlx::query(sqlx::AssertSqlSafe(strict)).execute(&db.pool);
    strict.await.expect("make the database strict");

    let world = World::new(Db::open(&url, 4).expect("open Postgres"), ALL_LISTED);
    world.record(duel(1, 1, 2)).await;
    let mut other = world.db.begin().await.expect("begin");
    let touch = sqlx::query("UPDATE ratings SET peak = peak + 1 WHERE player_id = $1")
        .bind(player(1).to_string())
        .execute(&mut *other);
    touch.await.expect("touch a rating");
    let reporting = world.clone();
    let report = tokio::spawn(async move { reporting.record(duel(2, 1, 2)).await });
    somebody_waits_for_a_lock(&world.db).await;
    // The report's snapshot is older than this: it has to begin again.
    other.commit().await.expect("commit");
    report.await.expect("join");
    assert_eq!(world.player(1).await[0].matches, 2);
}
