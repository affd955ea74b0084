//! The reason of every change, and its pages.

use super::*;

on_both_stores! {
    every_change_has_its_reason
    leavers_and_those_they_left_are_told
    history_has_pages
}

async fn every_change_has_its_reason(db: Db) {
    let world = World::new(db, ALL_LISTED);
    world.record(duel(1, 1, 2)).await;
    let ends = [
        (1, 2, 4, false),
        (2, 1, 9, false),
        (3, 4, -9, false),
        (4, 2, 4, false),
    ];
    let answer = world.record(report(2, &ends)).await;
    for (end, change) in ends.iter().zip(answer) {
        let history = world.player(end.0).await[0].history[0].clone();
        assert_eq!(
            (history.before, history.after),
            (change.before, change.after)
        );
        assert_eq!((history.place, history.rated_place), (end.1, end.1));
        assert_eq!((history.players, history.k), (4, 40));
        let exact = 40.0 / 3.0 * (history.wins - history.expected);
        let told = f64::from(history.after - history.before);
        assert!((exact - told).abs() < 1.0, "{history:?}");
    }
    let history = &world.player(1).await[0].history;
    let reasons: Vec<_> = history.iter().map(|entry| entry.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "2nd of 4, against 1200, 1200, 1180: expected 1.6 wins, got 1.5, -2",
            "1st of 2, against 1200: expected 0.5 wins, got 1, +20",
        ]
    );
    assert_eq!(history[0].against, [1200, 1200, 1180]);
    assert_eq!((history[0].number, history[1].number), (2, 1));
}

async fn leavers_and_those_they_left_are_told(db: Db) {
    let world = World::new(db, ALL_LISTED);
    for number in 0..3 {
        world.record(duel(number, 3, 4)).await;
    }
    // The leaver is weak: without it the winner gets more, the last one less.
    let ends = [(1, 1, 9, false), (3, 2, 5, false), (4, 3, 1, true)];
    world.record(report(10, &ends)).await;
    let latest = |ratings: Vec<PlayerRating>| ratings[0].history[0].clone();
    let winner = latest(world.player(1).await);
    assert_eq!(winner.against.len(), 1);
    assert!(
        winner.reason.contains("(without 1 who left)"),
        "{}",
        winner.reason
    );
    let stayed = latest(world.player(3).await);
    assert_eq!(stayed.against.len(), 2);
    let left = latest(world.player(4).await);
    assert!(
        left.abandoned && left.reason.starts_with("left: 3rd of 3"),
        "{}",
        left.reason
    );
}

async fn history_has_pages(db: Db) {
    let world = World::new(db, ALL_LISTED);
    for number in 0..7 {
        world.record(duel(number, 1, 2)).await;
    }
    let (mut numbers, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = world.history(1, &cursor, 3).await.expect("a page");
        assert!(page.history.len() <= 3);
        numbers.extend(page.history.iter().map(|entry| entry.number));
        if page.next.is_empty() {
            break;
        }
        cursor = page.next;
    }
    assert_eq!(numbers, [7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(world.history(9, "", 3).await.expect("a page").history, []);
    for (cursor, limit) in [("x", 3), ("", 101)] {
        let refused = world.history(1, cursor, limit).await;
        assert_eq!(refused.expect_err("bad").code, ErrorCode::BadRequest);
    }
    // A cursor of the standings is none of the history.
    let other = world.page(LADDER, "", 1).await.expect("a page").next;
    let refused = world.history(1, &other, 3).await;
    assert_eq!(refused.expect_err("bad").code, ErrorCode::BadRequest);
}
