//! Seasons: which one counts, that a closed one stands still, and with what the next one begins.

use chassis::db::Dialect;

use super::*;

on_both_stores! {
    the_first_season_opens_with_the_first_match
    matches_count_for_the_open_season
    a_report_waits_for_a_season_that_is_closing
    without_an_open_season_reports_have_to_wait
    a_closed_season_lists_who_was_active_when_it_closed
    final_standings_do_not_follow_the_settings
    only_one_season_is_open
    ratings_are_reset_half_way_for_every_season
    the_first_match_of_a_season_begins_with_the_reset
    a_season_closes_on_time_whoever_notices
    seasons_follow_the_schedule_across_summer_time
    closing_under_load_counts_every_match_once
}

const SECOND: &str = "brixental-s2";
const RULESET: &str = "brixental";

async fn close_first(world: &World) {
    let closed = world.ranking.close_season(RULESET, false).await;
    let closed = closed.expect("close a season");
    assert_eq!(
        (closed.id.as_str(), closed.closed_ms),
        (LADDER, Some(world.now()))
    );
}

async fn next(world: &World) {
    let opened = world.ranking.close_season(RULESET, true).await;
    assert_eq!(opened.expect("open a season").closed_ms, None);
}

async fn the_first_season_opens_with_the_first_match(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let unknown = world.page(LADDER, "", 10).await.expect_err("no ladder yet");
    assert_eq!(unknown.code, ErrorCode::NotFound);
    world.record(duel(1, 1, 2)).await;
    let ladder = v1::Ladder {
        id: LADDER.to_owned(),
        ruleset: RULESET.to_owned(),
        season: 1,
        opened_ms: NOW_MS,
        closed_ms: None,
        closes_ms: None,
    };
    assert_eq!(world.ladders().await, [ladder]);
}

async fn matches_count_for_the_open_season(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let first = world.record(duel(1, 1, 2)).await;
    world.wait(DAY_MS);
    next(&world).await;
    // This one had ended before the season closed: the final standings stand still all the same.
    let answer = world.record(duel(2, 2, 1)).await;
    assert_eq!(changes(&answer), [(1190, 1211), (1210, 1189)]);
    assert_eq!(world.ratings(&[1, 2]).await, [1189, 1211]);
    assert_eq!(world.listed(LADDER).await, [player(1), player(2)]);
    assert_eq!(world.listed(SECOND).await, [player(2), player(1)]);
    // A late duplicate is answered from the season that it counted for.
    assert_eq!(world.record(duel(1, 1, 2)).await, first);
    let ids: Vec<_> = world.ladders().await.into_iter().map(|l| l.id).collect();
    assert_eq!(ids, [SECOND, LADDER]);
    world.check_history().await;
}

async fn a_report_waits_for_a_season_that_is_closing(db: Db) {
    let world = World::new(db, ALL_LISTED);
    world.record(duel(1, 1, 2)).await;
    let mut closing = world.db.begin().await.expect("begin");
    for sql in [
        "UPDATE ladders SET closed_ms = 1798848000000",
        "INSERT INTO ladders (id, ruleset, season, opened_ms)
         VALUES ('brixental-s2', 'brixental', 2, 1798848000000)",
    ] {
        let done = sqlx::query(sql).execute(&mut *closing).await;
        done.expect("close a season and open one");
    }
    let reporting = world.clone();
    let report = tokio::spawn(async move { reporting.record(duel(2, 1, 2)).await });
    if world.db.dialect == Dialect::Postgres {
        // SQLite has one writer, and that is taken: nothing to wait for.
        somebody_waits_for_a_lock(&world.db).await;
    }
    closing.commit().await.expect("commit");
    let answer = report.await.expect("join");
    assert_eq!(changes(&answer), [(1210, 1229), (1190, 1171)]);
    assert_eq!(world.listed(SECOND).await, [player(1), player(2)]);
}

async fn without_an_open_season_reports_have_to_wait(db: Db) {
    let world = World::new(db, ALL_LISTED);
    world.record(duel(1, 1, 2)).await;
    close_first(&world).await;
    assert_eq!(world.refused(duel(2, 1, 2)).await, ErrorCode::Unavailable);
    assert_eq!(world.player(1).await[0].matches, 1);
    // What somebody will enter the next season with.
    assert_eq!(world.ratings(&[1, 2, 3]).await, [1210, 1190, 1200]);
    let opened = world.ranking.open_season(RULESET, None).await;
    assert_eq!(opened.expect("open a season").id, SECOND);
    world.record(duel(2, 1, 2)).await;
    assert_eq!(world.player(1).await[0].ladder_id, SECOND);
}

async fn a_closed_season_lists_who_was_active_when_it_closed(db: Db) {
    let config = Config {
        listed_after_matches: 1,
        inactive_after_days: 90,
        schedule: None,
    };
    let world = World::new(db, config);
    world.record(duel(1, 1, 2)).await;
    world.wait(80 * DAY_MS);
    let mut later = duel(2, 3, 4);
    later.ended_ms = world.now();
    world.record(later).await;
    world.wait(20 * DAY_MS);
    close_first(&world).await;
    world.wait(400 * DAY_MS);
    assert_eq!(world.listed(LADDER).await, [player(3), player(4)]);
}

async fn final_standings_do_not_follow_the_settings(db: Db) {
    let world = World::new(db.clone(), ALL_LISTED);
    world.record(duel(1, 1, 2)).await;
    close_first(&world).await;
    let strict = World::new(
        db,
        Config {
            listed_after_matches: 20,
            inactive_after_days: 1,
            schedule: None,
        },
    );
    assert_eq!(strict.listed(LADDER).await, [player(1), player(2)]);
    assert!(!strict.player(1).await[0].provisional);
}

async fn only_one_season_is_open(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let opens = (0..8).map(|_| {
        let world = world.clone();
        tokio::spawn(async move { world.ranking.open_season(RULESET, None).await })
    });
    let mut opened = 0;
    for open in opens.collect::<Vec<_>>() {
        match open.await.expect("join") {
            Ok(ladder) => {
                assert_eq!(ladder.id, LADDER);
                opened += 1;
            }
            Err(failure) => assert_eq!(failure.code, ErrorCode::Conflict),
        }
    }
    assert_eq!(opened, 1);
    close_first(&world).await;
    let again = world.ranking.close_season(RULESET, true).await;
    assert_eq!(again.expect_err("none is open").code, ErrorCode::Conflict);
    let past = world.ranking.open_season(RULESET, Some(world.now())).await;
    assert_eq!(past.expect_err("over already").code, ErrorCode::BadRequest);
    let scheduled = world.ranking.schedule_season(RULESET, Some(i64::MAX)).await;
    assert_eq!(
        scheduled.expect_err("none is open").code,
        ErrorCode::Conflict
    );
}

async fn ratings_are_reset_half_way_for_every_season(db: Db) {
    let world = World::new(db, ALL_LISTED);
    for number in 0..10 {
        world.record(duel(number, 1, 2)).await;
    }
    let [high, low] = world.ratings(&[1, 2]).await[..] else {
        panic!("two ratings expected");
    };
    assert!(high > 1280 && low < 1120, "{high} {low}");
    for seasons in 1..3_u32 {
        world.wait(DAY_MS);
        next(&world).await;
        let expected = [high, low, 1200].map(|rating| rating::season::reset(rating, seasons));
        assert_eq!(world.ratings(&[1, 2, 3]).await, expected);
    }
}

async fn the_first_match_of_a_season_begins_with_the_reset(db: Db) {
    let world = World::new(db, ALL_LISTED);
    for number in 0..10 {
        world.record(duel(number, 1, 2)).await;
    }
    let before = world.ratings(&[1, 2]).await;
    next(&world).await;
    let entered = rating::season::reset(before[0], 1);
    let answer = world.record(duel(20, 1, 3)).await;
    assert_eq!(answer[0].before, entered);
    assert_eq!(answer[1].before, 1200);
    let ladder = &world.player(1).await[0];
    assert_eq!((ladder.matches, ladder.peak), (1, answer[0].after));
    // The other one has not played in this season, and is not on the ladder.
    assert_eq!(world.listed(SECOND).await.len(), 2);
    assert_eq!(world.player(2).await.len(), 1);
    world.check_history().await;
}

async fn a_season_closes_on_time_whoever_notices(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let at = NOW_MS + DAY_MS;
    let opened = world.ranking.open_season(RULESET, Some(at)).await;
    assert_eq!(opened.expect("open a season").closes_ms, Some(at));
    world.record(duel(1, 1, 2)).await;
    world.wait(DAY_MS - 1);
    let mut last = duel(2, 1, 2);
    last.ended_ms = world.now();
    world.record(last).await;
    // The season's last instant is over, and nobody has looked yet.
    world.wait(1);
    let mut first = duel(3, 1, 2);
    first.ended_ms = world.now();
    world.record(first).await;
    let ladders = world.ladders().await;
    assert_eq!((ladders[0].id.as_str(), ladders[0].opened_ms), (SECOND, at));
    assert_eq!(ladders[1].closed_ms, Some(at));
    let matches: Vec<u32> = world.player(1).await.iter().map(|r| r.matches).collect();
    assert_eq!(matches, [1, 2]);

    let at = at + DAY_MS;
    let scheduled = world.ranking.schedule_season(RULESET, Some(at)).await;
    scheduled.expect("schedule a season");
    world.wait(DAY_MS + 17);
    for _ in 0..2 {
        world.ranking.follow_schedule().await.expect("follow");
    }
    let ladders = world.ladders().await;
    assert_eq!(ladders.len(), 3);
    assert_eq!((ladders[0].opened_ms, ladders[0].closes_ms), (at, None));
}

async fn seasons_follow_the_schedule_across_summer_time(db: Db) {
    let config = Config {
        schedule: Some("monthly 1 04:00 Europe/Vienna".parse().expect("a schedule")),
        ..ALL_LISTED
    };
    let world = World::new(db, config);
    // 1 January 2027 is just over, and the season without an end: winter time until April.
    world.record(duel(1, 1, 2)).await;
    let instants = [
        1_801_450_800_000, // 2027-02-01T03:00:00Z
        1_803_870_000_000, // 2027-03-01T03:00:00Z
        1_806_544_800_000, // 2027-04-01T02:00:00Z
        1_809_136_800_000, // 2027-05-01T02:00:00Z
    ];
    // The first match is before four o'clock on the first day.
    let first = 1_798_772_400_000;
    assert_eq!(world.ladders().await[0].closes_ms, Some(first));
    let mut opened = first;
    for at in instants {
        world.wait(opened - world.now());
        world.ranking.follow_schedule().await.expect("follow");
        let newest = world.ladders().await.remove(0);
        assert_eq!((newest.opened_ms, newest.closes_ms), (opened, Some(at)));
        opened = at;
    }
    // Nobody looked for months: no season without a day.
    world.wait(100 * DAY_MS);
    world.ranking.follow_schedule().await.expect("follow");
    let ladders = world.ladders().await;
    assert_eq!(ladders.len(), 6);
    assert!(ladders[0].closes_ms > Some(world.now()));
}

async fn closing_under_load_counts_every_match_once(db: Db) {
    let world = World::new(db, ALL_LISTED);
    world.record(duel(1000, 1, 2)).await;
    let writers = (0..8_u32).map(|writer| {
        let world = world.clone();
        tokio::spawn(async move {
            for i in 0..10 {
                let number = writer * 10 + i;
                let who = 1 + number % 7;
                world.record(duel(number, who, who + 1)).await;
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for _ in 0..4 {
        next(&world).await;
    }
    for writer in writers {
        writer.await.expect("a writer");
    }
    let mut matches = 0;
    for who in 1..=8 {
        for rating in world.player(who).await {
            assert_eq!(rating.history.len(), rating.matches as usize);
            matches += rating.matches;
        }
    }
    assert_eq!(matches, 2 * 81);
    world.check_history().await;
}
