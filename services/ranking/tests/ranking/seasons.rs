//! Seasons: which one counts, and that a closed one stands still. Nothing closes or opens
//! later seasons yet, so the tests write the rows.

use chassis::db::Dialect;

use super::*;

on_both_stores! {
    the_first_season_opens_with_the_first_match
    matches_count_for_the_open_season
    a_report_waits_for_a_season_that_is_closing
    without_an_open_season_reports_have_to_wait
    a_closed_season_lists_who_was_active_when_it_closed
}

const OPEN_SECOND: &str = "INSERT INTO ladders (id, ruleset, season, opened_ms)
    VALUES ('brixental-s2', 'brixental', 2, 1798848000000)";

async fn close_first(world: &World) {
    let closed = close(world.now()).execute(&world.db.pool).await;
    assert_eq!(closed.expect("close a season").rows_affected(), 1);
}

fn close(now_ms: i64) -> sqlx::query::Query<'static, sqlx::Any, sqlx::any::AnyArguments> {
    sqlx::query("UPDATE ladders SET closed_ms = $1 WHERE id = $2")
        .bind(now_ms)
        .bind(LADDER)
}

async fn the_first_season_opens_with_the_first_match(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let unknown = world.page(LADDER, "", 10).await.expect_err("no ladder yet");
    assert_eq!(unknown.code, ErrorCode::NotFound);
    world.record(duel(1, 1, 2)).await;
    let ladder = v1::Ladder {
        id: LADDER.to_owned(),
        ruleset: "brixental".to_owned(),
        season: 1,
        opened_ms: NOW_MS,
        closed_ms: None,
    };
    assert_eq!(world.ladders().await, [ladder]);
}

async fn matches_count_for_the_open_season(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let first = world.record(duel(1, 1, 2)).await;
    world.wait(DAY_MS);
    close_first(&world).await;
    let opened = sqlx::query(OPEN_SECOND).execute(&world.db.pool).await;
    opened.expect("open a season");
    let answer = world.record(duel(2, 2, 1)).await;
    assert_eq!(changes(&answer), [(1200, 1220), (1200, 1180)]);
    assert_eq!(world.ratings(&[1, 2]).await, [1180, 1220]);
    assert_eq!(world.listed(LADDER).await, [player(1), player(2)]);
    assert_eq!(world.listed("brixental-s2").await, [player(2), player(1)]);
    // A late duplicate is answered from the season that it counted for.
    assert_eq!(world.record(duel(1, 1, 2)).await, first);
    let ids: Vec<_> = world.ladders().await.into_iter().map(|l| l.id).collect();
    assert_eq!(ids, ["brixental-s2", LADDER]);
}

async fn a_report_waits_for_a_season_that_is_closing(db: Db) {
    let world = World::new(db, ALL_LISTED);
    world.record(duel(1, 1, 2)).await;
    let mut closing = world.db.begin().await.expect("begin");
    let closed = close(world.now()).execute(&mut *closing).await;
    closed.expect("close a season");
    let opened = sqlx::query(OPEN_SECOND).execute(&mut *closing).await;
    opened.expect("open a season");
    let reporting = world.clone();
    let report = tokio::spawn(async move { reporting.record(duel(2, 1, 2)).await });
    if world.db.dialect == Dialect::Postgres {
        // SQLite has one writer, and that is taken: nothing to wait for.
        somebody_waits_for_a_lock(&world.db).await;
    }
    closing.commit().await.expect("commit");
    assert_eq!(
        changes(&report.await.expect("join")),
        [(1200, 1220), (1200, 1180)]
    );
    assert_eq!(world.listed("brixental-s2").await, [player(1), player(2)]);
}

async fn without_an_open_season_reports_have_to_wait(db: Db) {
    let world = World::new(db, ALL_LISTED);
    world.record(duel(1, 1, 2)).await;
    close_first(&world).await;
    assert_eq!(world.refused(duel(2, 1, 2)).await, ErrorCode::Unavailable);
    assert_eq!(world.player(1).await[0].matches, 1);
}

async fn a_closed_season_lists_who_was_active_when_it_closed(db: Db) {
    let config = Config {
        listed_after_matches: 1,
        inactive_after_days: 90,
    };
    let world = World::new(db, config);
    world.record(duel(1, 1, 2)).await;
    close_first(&world).await;
    world.wait(400 * DAY_MS);
    assert_eq!(world.listed(LADDER).await, [player(1), player(2)]);
}
