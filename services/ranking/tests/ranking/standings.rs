//! Standings against a model that sorts everybody.

use std::collections::HashMap;

use super::*;

on_both_stores! {
    pages_and_neighbours_agree_with_a_brute_force_model
    equal_ratings_share_a_rank_and_the_older_stands_higher
    the_inactive_are_not_listed_until_they_play_again
    a_future_end_does_not_keep_anybody_listed
    late_reports_do_not_turn_time_back
    ranks_are_right_when_players_move_between_pages
    bad_pages_are_refused
}

#[derive(Clone, Copy, Debug)]
struct Row {
    rating: i32,
    matches: u32,
    reached_ms: i64,
    last_ms: i64,
}

/// What the standings must be, worked out from the answers alone.
#[derive(Default)]
struct Model(HashMap<u32, Row>);

/// Rank, player, rating, matches.
type ModelLine = (u32, String, i32, u32);

impl Model {
    fn note(&mut self, who: u32, change: &RatingChange, at_ms: i64) {
        let row = self.0.entry(who).or_insert(Row {
            rating: 1200,
            matches: 0,
            reached_ms: at_ms,
            last_ms: at_ms,
        });
        assert_eq!(change.before, row.rating);
        if change.after != row.rating {
            row.reached_ms = at_ms;
        }
        row.rating = change.after;
        row.matches += 1;
        row.last_ms = at_ms;
    }

    fn lines(&self, min_matches: u32, active_since_ms: i64) -> Vec<(u32, ModelLine)> {
        let listed = self
            .0
            .iter()
            .filter(|(_, row)| row.matches >= min_matches && row.last_ms >= active_since_ms);
        let mut listed: Vec<(u32, Row)> = listed.map(|(&who, &row)| (who, row)).collect();
        listed.sort_by_key(|(who, row)| (-row.rating, row.reached_ms, player(*who)));
        let line = |&(who, row): &(u32, Row)| {
            let ahead = listed.iter().filter(|(_, o)| o.rating > row.rating).count();
            let id = player(who).to_string();
            (who, (ahead as u32 + 1, id, row.rating, row.matches))
        };
        listed.iter().map(line).collect()
    }
}

fn lines(response: &ListStandingsResponse) -> Vec<ModelLine> {
    let line = |s: &v1::Standing| (s.rank, s.player_id.clone(), s.rating, s.matches);
    response.standings.iter().map(line).collect()
}

async fn all_pages(world: &World, limit: u32) -> Vec<ModelLine> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = world.page(LADDER, &cursor, limit).await.expect("a page");
        assert!(page.standings.len() <= limit as usize);
        all.append(&mut lines(&page));
        if page.next.is_empty() {
            return all;
        }
        cursor = page.next;
    }
}

async fn pages_and_neighbours_agree_with_a_brute_force_model(db: Db) {
    const PLAYERS: u32 = 40;
    let config = Config {
        listed_after_matches: 2,
        inactive_after_days: 30,
        schedule: None,
    };
    let world = World::new(db, config);
    let mut model = Model::default();
    let mut seed = 2026_u32;
    let mut draw = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % below
    };
    for number in 0..80 {
        // Sixty days in all, so that some are inactive; several matches at one instant.
        world.wait(i64::from(draw(4)) * DAY_MS / 2);
        let first = draw(PLAYERS);
        let second = (first + 1 + draw(PLAYERS - 1)) % PLAYERS;
        let mut request = duel(number, first, second);
        request.ended_ms = world.now();
        let answer = world.record(request).await;
        model.note(first, &answer[0], world.now());
        model.note(second, &answer[1], world.now());
    }
    let expected = model.lines(2, world.now() - 30 * DAY_MS);
    let only_lines: Vec<ModelLine> = expected.iter().map(|(_, line)| line.clone()).collect();
    let shared = only_lines.windows(2).filter(|w| w[0].0 == w[1].0).count();
    assert!(shared > 3, "the model has too few ties: {only_lines:?}");
    assert!(
        (10..40).contains(&only_lines.len()),
        "too few or too many are listed"
    );
    for limit in [1, 2, 7, 100] {
        assert_eq!(all_pages(&world, limit).await, only_lines, "by {limit}");
    }
    for who in 0..PLAYERS {
        let place = expected.iter().position(|(number, _)| *number == who);
        for span in [1, 4] {
            let around = world.around(who, span).await;
            let Some(place) = place else {
                let failure = around.expect_err("not listed");
                assert_eq!(failure.code, ErrorCode::NotFound);
                continue;
            };
            let first = place.saturating_sub(span as usize);
            let last = (place + span as usize).min(only_lines.len() - 1);
            let window = lines(&around.expect("listed"));
            assert_eq!(window, only_lines[first..=last], "{who} by {span}");
        }
    }
}

async fn equal_ratings_share_a_rank_and_the_older_stands_higher(db: Db) {
    let world = World::new(db, ALL_LISTED);
    // Two pairs that end alike; the pair with the higher ids was first.
    world.record(duel(1, 3, 4)).await;
    world.wait(1000);
    let mut later = duel(2, 1, 2);
    later.ended_ms = world.now();
    world.record(later).await;
    let page = world.page(LADDER, "", 0).await.expect("a page");
    let order: Vec<_> = lines(&page).into_iter().map(|l| (l.0, l.1)).collect();
    let expected = [(1, 3), (1, 1), (3, 4), (3, 2)];
    assert_eq!(
        order,
        expected.map(|(rank, n)| (rank, player(n).to_string()))
    );
}

async fn the_inactive_are_not_listed_until_they_play_again(db: Db) {
    let config = Config {
        listed_after_matches: 1,
        inactive_after_days: 90,
        schedule: None,
    };
    let world = World::new(db, config);
    world.record(duel(1, 1, 2)).await;
    world.wait(90 * DAY_MS);
    assert_eq!(
        world.listed(LADDER).await.len(),
        2,
        "90 days are not more than 90"
    );
    world.wait(1);
    assert_eq!(world.listed(LADDER).await.len(), 0);
    let mut again = duel(2, 3, 1);
    again.ended_ms = world.now();
    world.record(again).await;
    assert_eq!(world.listed(LADDER).await, [player(3), player(1)]);
}

async fn a_future_end_does_not_keep_anybody_listed(db: Db) {
    let config = Config {
        listed_after_matches: 1,
        inactive_after_days: 90,
        schedule: None,
    };
    let world = World::new(db, config);
    let mut request = duel(1, 1, 2);
    request.ended_ms = i64::MAX;
    world.record(request).await;
    assert_eq!(world.player(1).await[0].history[0].at_ms, NOW_MS);
    world.wait(91 * DAY_MS);
    assert_eq!(world.listed(LADDER).await.len(), 0);
}

async fn late_reports_do_not_turn_time_back(db: Db) {
    let world = World::new(db, ALL_LISTED);
    // 1 and 3 win now. Then yesterday's matches are reported, one of them lost by 1 to 5.
    world.record(duel(1, 1, 2)).await;
    world.record(duel(2, 3, 4)).await;
    world.wait(1000);
    let mut late = report(3, &[(5, 1, 1, false), (6, 1, 1, false)]);
    late.ended_ms = NOW_MS - DAY_MS;
    world.record(late).await;
    let mut late = duel(4, 5, 1);
    late.ended_ms = NOW_MS - DAY_MS;
    world.record(late).await;
    let reached = "SELECT reached_ms FROM ratings WHERE player_id = $1";
    for (who, expected) in [(1, NOW_MS), (5, NOW_MS - DAY_MS)] {
        let row = sqlx::query_scalar(reached).bind(player(who).to_string());
        let found: i64 = row.fetch_one(&world.db.pool).await.expect("a rating");
        assert_eq!(found, expected, "player {who}");
    }
}

async fn ranks_are_right_when_players_move_between_pages(db: Db) {
    let world = World::new(db, ALL_LISTED);
    for pair in 0..4 {
        world.record(duel(pair, 2 * pair + 1, 2 * pair + 2)).await;
    }
    // Four share rank 1, four rank 5. Read the first two, then let the last two climb.
    let page = world.page(LADDER, "", 2).await.expect("a page");
    assert_eq!(page.standings[1].player_id, player(3).to_string());
    for number in 10..13 {
        world
            .record(report(number, &[(8, 1, 1, false), (6, 2, 0, false)]))
            .await;
    }
    let page = world.page(LADDER, &page.next, 2).await.expect("a page");
    // Player 8 has overtaken all: 5 and 7 share rank 2 with 1 and 3.
    let order: Vec<_> = lines(&page).into_iter().map(|l| (l.0, l.1)).collect();
    assert_eq!(
        order,
        [(2, player(5).to_string()), (2, player(7).to_string())]
    );
}

async fn bad_pages_are_refused(db: Db) {
    let world = World::new(db, ALL_LISTED);
    world.record(duel(1, 1, 2)).await;
    let code = |answer: Result<ListStandingsResponse, Failure>| answer.expect_err("bad").code;
    assert_eq!(
        code(world.page(LADDER, "xyz", 10).await),
        ErrorCode::BadRequest
    );
    assert_eq!(
        code(world.page(LADDER, "", 101).await),
        ErrorCode::BadRequest
    );
    assert_eq!(
        code(world.page("brixental-s2", "", 10).await),
        ErrorCode::NotFound
    );
    assert_eq!(code(world.page("", "", 10).await), ErrorCode::NotFound);
    assert_eq!(code(world.around(1, 51).await), ErrorCode::BadRequest);
    assert_eq!(code(world.around(9, 5).await), ErrorCode::NotFound);
    let first = world.page(LADDER, "", 1).await.expect("a page");
    let last = world.page(LADDER, &first.next, 1).await.expect("a page");
    assert_eq!((last.standings.len(), last.next.as_str()), (1, ""));
}
