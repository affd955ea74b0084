//! One match after the other: what it changes, and that it changes it once.

use proto::v1::{RecordMatchRequest, ranking_client::RankingClient};
use ranking::SERVICE_NAME;
use rating::elo;
use tokio_util::sync::CancellationToken;

use super::*;

on_both_stores! {
    a_match_moves_everybody_once
    reporting_again_returns_the_stored_answer
    another_result_under_the_same_id_is_a_conflict
    a_refused_report_leaves_nothing
    a_leaver_is_rated_last_and_nobody_pays_for_it
    k_is_halved_after_twenty_matches
    failures_cross_the_wire
}

async fn a_match_moves_everybody_once(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let ends = [
        (3, 2, 4, false),
        (1, 1, 9, false),
        (4, 4, -9, false),
        (2, 2, 4, false),
    ];
    let answer = world.record(report(1, &ends)).await;
    // In the order of the report.
    let ids: Vec<_> = answer.iter().map(|c| c.player_id.clone()).collect();
    assert_eq!(ids, [3, 1, 4, 2].map(|n| player(n).to_string()));
    let expected = [(1200, 1200), (1200, 1220), (1200, 1180), (1200, 1200)];
    assert_eq!(changes(&answer), expected);
    assert_eq!(world.ratings(&[1, 2, 3, 4]).await, [1220, 1200, 1200, 1180]);
}

async fn reporting_again_returns_the_stored_answer(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let first = world.record(duel(1, 1, 2)).await;
    world.record(duel(2, 2, 1)).await;
    world.wait(DAY_MS);
    assert_eq!(world.record(duel(1, 1, 2)).await, first);
    // The instant and the order of the players are not part of the result.
    let mut again = duel(1, 1, 2);
    again.ended_ms += 17;
    again.finishes.reverse();
    let reversed: Vec<_> = first.into_iter().rev().collect();
    assert_eq!(world.record(again).await, reversed);
    assert_eq!(world.player(1).await[0].matches, 2);
}

async fn another_result_under_the_same_id_is_a_conflict(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let ends = [(1, 1, 9, false), (2, 2, 4, false), (3, 3, 1, false)];
    let stored = report(1, &ends);
    let answer = world.record(stored.clone()).await;
    let others = [
        report(1, &[(1, 1, 8, false), (2, 2, 4, false), (3, 3, 1, false)]),
        report(1, &[(1, 1, 9, false), (2, 2, 4, true), (3, 3, 1, false)]),
        report(1, &[(2, 1, 9, false), (1, 2, 4, false), (3, 3, 1, false)]),
        report(1, &[(1, 1, 9, false), (2, 2, 4, false), (4, 3, 1, false)]),
        report(1, &[(1, 1, 9, false), (2, 2, 4, false)]),
        report(
            1,
            &[
                (1, 1, 9, false),
                (2, 2, 4, false),
                (3, 3, 1, false),
                (4, 4, 0, false),
            ],
        ),
        RecordMatchRequest {
            ruleset: "dobbm".to_owned(),
            ..stored.clone()
        },
    ];
    for other in others {
        assert_eq!(world.refused(other).await, ErrorCode::Conflict);
    }
    assert_eq!(world.record(stored).await, answer);
    assert_eq!(world.ratings(&[4]).await, [elo::START]);
    assert_eq!(world.player(4).await, []);
}

async fn a_refused_report_leaves_nothing(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let no_ranking = report(1, &[(1, 1, 9, false), (2, 3, 4, false)]);
    assert_eq!(world.refused(no_ranking).await, ErrorCode::BadRequest);
    assert_eq!(world.ladders().await, []);
    assert_eq!(world.player(1).await, []);
}

async fn a_leaver_is_rated_last_and_nobody_pays_for_it(db: Db) {
    let world = World::new(db, ALL_LISTED);
    // The leaver is ahead by points, but last of the match.
    let ends = [(1, 1, 9, true), (2, 2, 4, false), (3, 3, 1, false)];
    let answer = world.record(report(1, &ends)).await;
    assert_eq!(changes(&answer), [(1200, 1180), (1200, 1220), (1200, 1200)]);
    assert_eq!(world.record(report(1, &ends)).await, answer);
}

async fn k_is_halved_after_twenty_matches(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let mut ratings = [elo::START; 2];
    for number in 0..24 {
        let entry = |(rating, place)| elo::Entry {
            rating,
            k: if number < 20 { 40 } else { 20 },
            place,
            abandoned: false,
            lot: u128::from(place),
        };
        let expected = elo::rate(&[entry((ratings[0], 1)), entry((ratings[1], 2))]);
        let answer = world.record(duel(number, 1, 2)).await;
        let before = ratings;
        ratings = [ratings[0] + expected[0], ratings[1] + expected[1]];
        let moves = [(before[0], ratings[0]), (before[1], ratings[1])];
        assert_eq!(changes(&answer), moves, "match {number}");
    }
}

async fn failures_cross_the_wire(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let (listener, channel) = chassis::rpc::in_process();
    let mut routes = tonic::service::Routes::builder();
    ranking::routes(world.ranking.clone(), &mut routes);
    let shutdown = CancellationToken::new();
    let server = chassis::rpc::serve(routes, &[SERVICE_NAME], listener, shutdown.clone());
    let server = tokio::spawn(server);
    let mut client = RankingClient::new(channel);
    let rated = client.record_match(duel(1, 1, 2)).await.expect("rate");
    let moves = changes(&rated.into_inner().changes);
    assert_eq!(moves, [(1200, 1220), (1200, 1180)]);
    let refused = client.record_match(duel(1, 2, 1)).await;
    let failure = Failure::from(refused.expect_err("a conflict"));
    assert_eq!(failure.code, ErrorCode::Conflict);
    drop(client);
    shutdown.cancel();
    server.await.expect("join").expect("serve");
}
