//! Ratings of single players, and ladders.

use super::*;

on_both_stores! {
    ratings_come_in_the_order_of_the_request
    a_player_has_the_latest_fifty_changes_of_every_ladder
    a_rating_is_provisional_until_it_is_listed
    requests_are_bounded
}

async fn ratings_come_in_the_order_of_the_request(db: Db) {
    let world = World::new(db, ALL_LISTED);
    assert_eq!(world.ratings(&[]).await, [0; 0]);
    assert_eq!(world.ratings(&[1, 2]).await, [1200, 1200]);
    world.record(duel(1, 1, 2)).await;
    assert_eq!(world.ratings(&[2, 9, 1, 2]).await, [1180, 1200, 1220, 1180]);
}

async fn a_player_has_the_latest_fifty_changes_of_every_ladder(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let mut answers = Vec::new();
    for number in 0..53 {
        world.wait(1000);
        let mut request = duel(number, 1, 2);
        request.ended_ms = world.now();
        answers.push(world.record(request).await[1].clone());
    }
    world.wait(1000);
    let mut dobbm = duel(100, 2, 1);
    dobbm.ruleset = "dobbm".to_owned();
    world.record(dobbm).await;

    let ratings = world.player(2).await;
    let ladders: Vec<_> = ratings.iter().map(|r| r.ladder_id.as_str()).collect();
    assert_eq!(ladders, ["dobbm-s1", LADDER], "the newest ladder first");
    let brixental = &ratings[1];
    assert_eq!(brixental.matches, 53);
    assert_eq!(brixental.history.len(), 50);
    for (entry, number) in brixental.history.iter().zip((3..53).rev()) {
        let answer: &RatingChange = &answers[number as usize];
        assert_eq!(entry.match_id, match_id(number).to_string());
        assert_eq!((entry.before, entry.after), (answer.before, answer.after));
        assert_eq!(entry.at_ms, NOW_MS + (i64::from(number) + 1) * 1000);
        assert_eq!(entry.place, 2);
    }
    assert_eq!(brixental.rating, brixental.history[0].after);
}

async fn a_rating_is_provisional_until_it_is_listed(db: Db) {
    let config = Config {
        listed_after_matches: 2,
        ..ALL_LISTED
    };
    let world = World::new(db, config);
    world.record(duel(1, 1, 2)).await;
    assert!(world.player(1).await[0].provisional);
    assert!(world.listed(LADDER).await.is_empty());
    world.record(duel(2, 1, 3)).await;
    assert!(!world.player(1).await[0].provisional);
    assert_eq!(world.listed(LADDER).await, [player(1)]);
}

async fn requests_are_bounded(db: Db) {
    let world = World::new(db, ALL_LISTED);
    let request = |ruleset: &str, player_ids| GetRatingsRequest {
        ruleset: ruleset.to_owned(),
        player_ids,
    };
    let some = player(1).to_string();
    for request in [
        request("brixental", vec![some.clone(); 101]),
        request("brixental", vec!["toni".to_owned()]),
        request("Brixental!", vec![some]),
    ] {
        let answer = world.ranking.get_ratings(Request::new(request)).await;
        let failure = Failure::from(answer.expect_err("a refusal"));
        assert_eq!(failure.code, ErrorCode::BadRequest);
    }
    let player_id = "toni".to_owned();
    let request = Request::new(GetPlayerRequest { player_id });
    let answer = world.ranking.get_player(request).await;
    let failure = Failure::from(answer.expect_err("a refusal"));
    assert_eq!(failure.code, ErrorCode::BadRequest);
}
