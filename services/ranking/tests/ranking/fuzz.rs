//! Leaderboards against brute force: random matches with ties, instants and leavers, seasons that
//! roll, players who are taken out, copies that are lost and made again. The standings of every
//! ladder are read in every way, from the copy and from the database, and compared with a sorted
//! list of the rows.

use chassis::testing::RedisKind;
use sqlx::Row as _;

use super::*;

const PLAYERS: u32 = 24;
const MIN_MATCHES: u32 = 2;
const INACTIVE_DAYS: i64 = 30;

const CONFIG: Config = Config {
    listed_after_matches: MIN_MATCHES,
    inactive_after_days: INACTIVE_DAYS as u32,
    schedule: None,
};

/// Rank, player, rating, matches.
type Line = (u32, String, i32, u32);

fn lines(response: &ListStandingsResponse) -> Vec<Line> {
    let line = |s: &v1::Standing| (s.rank, s.player_id.clone(), s.rating, s.matches);
    response.standings.iter().map(line).collect()
}

/// What the standings of a ladder must be: all rows, sorted.
async fn brute_force(world: &World, ladder: &v1::Ladder) -> Vec<Line> {
    let at_ms = ladder.closed_ms.unwrap_or(world.now());
    let rows = sqlx::query(
        "SELECT player_id, rating, matches, reached_ms, last_ms, excluded FROM ratings
         WHERE ladder_id = $1",
    )
    .bind(ladder.id.clone())
    .fetch_all(&world.db.pool)
    .await
    .expect("rows");
    let mut listed: Vec<(i64, i64, String, i64)> = Vec::new();
    for row in &rows {
        let get = |column: &str| row.get::<i64, _>(column);
        let active = get("last_ms") >= at_ms - INACTIVE_DAYS * DAY_MS;
        if active && get("matches") >= i64::from(MIN_MATCHES) && get("excluded") == 0 {
            let id: String = row.get("player_id");
            listed.push((-get("rating"), get("reached_ms"), id, get("matches")));
        }
    }
    listed.sort();
    let line = |(rating, _, id, matches): &(i64, i64, String, i64)| {
        let above = listed.iter().filter(|other| other.0 < *rating).count();
        (
            above as u32 + 1,
            id.clone(),
            -*rating as i32,
            *matches as u32,
        )
    };
    listed.iter().map(line).collect()
}

/// Reads a ladder in every way.
async fn check(world: &World, random: &mut Random, what: &str) {
    for ladder in world.ladders().await.iter().take(2) {
        let id = ladder.id.as_str();
        let expected = brute_force(world, ladder).await;
        for limit in [1 + random.below(4), 100] {
            let (mut all, mut cursor) = (Vec::new(), String::new());
            loop {
                let page = world.page(id, &cursor, limit).await.expect("a page");
                all.extend(lines(&page));
                if page.next.is_empty() {
                    break;
                }
                cursor = page.next;
            }
            assert_eq!(all, expected, "{what}: {id} by {limit}");
        }
        for who in 1..=PLAYERS {
            let span = random.below(5);
            let name = player(who).to_string();
            let place = expected.iter().position(|line| line.1 == name);
            let around = world.around_on(id, who, span).await;
            let Some(place) = place else {
                let code = around.expect_err("not listed").code;
                assert_eq!(code, ErrorCode::NotFound, "{what}: {id} {who}");
                continue;
            };
            let around = around.expect("listed");
            let first = place.saturating_sub(span as usize);
            let last = (place + span as usize).min(expected.len() - 1);
            assert_eq!(lines(&around), expected[first..=last], "{what}: {id} {who}");
            assert_eq!(around.next.is_empty(), last + 1 == expected.len());
        }
        let friends: Vec<Uuid> = (0..6)
            .map(|_| player(1 + random.below(PLAYERS + 3)))
            .collect();
        let among = world.among(id, &friends).await.expect("friends");
        let names: Vec<String> = friends.iter().map(Uuid::to_string).collect();
        let of = expected.iter().filter(|line| names.contains(&line.1));
        let of: Vec<Line> = of.cloned().collect();
        assert_eq!(lines(&among), of, "{what}: {id} {names:?}");
    }
}

async fn fuzz(db: Db, kv: Option<Kv>, seed: u64, steps: u32) {
    let plain = World::new(db, CONFIG);
    let world = kv
        .as_ref()
        .map_or_else(|| plain.clone(), |kv| plain.with_copies(kv));
    let mut random = Random(seed);
    let mut banned = Vec::new();
    for step in 0..steps {
        for i in 0..3 {
            let report = random.report(step * 3 + i, PLAYERS, world.now());
            world.record(report).await;
        }
        match random.below(12) {
            0..4 => world.wait(i64::from(random.below(4)) * DAY_MS * 2),
            4 => {
                let next = world.ranking.close_season("brixental", true).await;
                next.expect("next season");
            }
            5 if banned.len() < 3 => {
                banned.push(player(1 + random.below(PLAYERS)));
                let done = world.ranking.recompute(&banned, &[], true).await;
                done.expect("recompute");
            }
            6 => {
                if let Some(player) = banned.pop() {
                    let done = world.ranking.recompute(&[], &[player], true).await;
                    done.expect("recompute");
                }
            }
            7.. if kv.is_some() => {
                for ladder in world.ladders().await.iter().take(2) {
                    let made = world.ranking.rebuild_copy(&ladder.id).await;
                    assert!(made.expect("rebuild"));
                }
            }
            _ => {}
        }
        if step % 4 == 3 {
            check(&plain, &mut random, "database").await;
            if kv.is_some() {
                world.ranking.update_copies().await.expect("bring");
                check(&world, &mut random, "copy").await;
            }
        }
    }
    world.check_history().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_embedded_ladders_are_as_brute_force_says() {
    let store = chassis::testing::sqlite().await;
    fuzz(store.db.clone(), None, 1, 32).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ladders_and_copies_are_as_brute_force_says() {
    for (kind, seed) in [(RedisKind::Single, 2), (RedisKind::Cluster, 3)] {
        let db = chassis::testing::postgres().await;
        fuzz(db, Some(kind.connect().await), seed, 40).await;
    }
}
