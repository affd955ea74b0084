//! The archive, on both databases.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use chassis::{ErrorCode, Failure, db::Db};
use game::{
    history::{History, HistoryError, MAX_PAGE, MatchArchive as _},
    log::Entry,
};
use proto::v1::{Bot, MatchResult, MatchSummary, Occupant, Player, occupant};
use uuid::Uuid;

macro_rules! on_both_databases {
    ($($check:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $check() {
                let sqlite = chassis::testing::sqlite().await;
                super::$check(&sqlite.db).await;
            })+
        }

        mod postgres {
            $(#[tokio::test]
            async fn $check() {
                super::$check(&chassis::testing::postgres().await).await;
            })+
        }
    };
}

on_both_databases! {
    a_deal_is_archived_once,
    deals_and_the_end_make_up_the_whole_log,
    segments_that_overlap_are_joined,
    a_gap_in_the_log_is_an_error,
    what_is_no_log_is_refused,
    a_match_is_archived_once,
    a_match_without_result_is_refused,
    replicas_may_archive_a_match_at_the_same_time,
    nothing_is_known_of_an_unknown_match,
    a_players_matches_come_newest_first_page_by_page,
    bots_have_no_list,
    what_is_no_cursor_or_limit_is_a_bad_request,
}

fn entries(versions: std::ops::RangeInclusive<u64>) -> Vec<Entry> {
    versions
        .map(|version| Entry {
            version,
            at_ms: 1_796_030_406_000 + i64::try_from(version).unwrap(),
            event: vec![0, 255, u8::try_from(version).unwrap()],
        })
        .collect()
}

fn seat(kind: occupant::Kind) -> Occupant {
    Occupant { kind: Some(kind) }
}

fn human(id: Uuid) -> Occupant {
    seat(occupant::Kind::Player(Player {
        id: id.to_string(),
        name: "Toni".to_owned(),
    }))
}

fn bot() -> Occupant {
    seat(occupant::Kind::Bot(Bot {
        level: "standard".to_owned(),
    }))
}

/// A match of three: the first player won, a bot came second.
fn summary(players: [Uuid; 2], ended_ms: i64) -> MatchSummary {
    MatchSummary {
        match_id: Uuid::now_v7().to_string(),
        ended_ms,
        seats: vec![human(players[0]), bot(), human(players[1])],
        result: Some(MatchResult {
            scores: vec![30, 20, -7],
            places: vec![1, 2, 3],
            ..MatchResult::default()
        }),
        ..MatchSummary::default()
    }
}

fn id(summary: &MatchSummary) -> Uuid {
    summary.match_id.parse().unwrap()
}

async fn a_deal_is_archived_once(db: &Db) {
    let history = History::new(db.clone());
    let match_id = Uuid::now_v7();
    history
        .archive_deal(match_id, 1, &entries(1..=9))
        .await
        .unwrap();
    history
        .archive_deal(match_id, 1, &entries(1..=9))
        .await
        .unwrap();
    let mut other = entries(1..=12);
    other[0].event.clear();
    history.archive_deal(match_id, 1, &other).await.unwrap();
    assert_eq!(history.entries(match_id).await.unwrap(), entries(1..=9));
    assert_eq!(history.summary(match_id).await.unwrap(), None);
}

async fn deals_and_the_end_make_up_the_whole_log(db: &Db) {
    let history = History::new(db.clone());
    let ended = summary([Uuid::now_v7(), Uuid::now_v7()], 1);
    // A retry may come after what follows.
    history
        .archive_deal(id(&ended), 2, &entries(10..=20))
        .await
        .unwrap();
    history
        .archive_deal(id(&ended), 1, &entries(1..=9))
        .await
        .unwrap();
    assert_eq!(history.entries(id(&ended)).await.unwrap(), entries(1..=20));
    history
        .archive_match(&ended, &entries(21..=22))
        .await
        .unwrap();
    assert_eq!(history.entries(id(&ended)).await.unwrap(), entries(1..=22));
    // A match may end with a deal.
    let other = summary([Uuid::now_v7(), Uuid::now_v7()], 1);
    history.archive_match(&other, &[]).await.unwrap();
    assert_eq!(history.entries(id(&other)).await.unwrap(), []);
}

async fn segments_that_overlap_are_joined(db: &Db) {
    let history = History::new(db.clone());
    let match_id = Uuid::now_v7();
    history
        .archive_deal(match_id, 1, &entries(1..=12))
        .await
        .unwrap();
    history
        .archive_deal(match_id, 2, &entries(10..=20))
        .await
        .unwrap();
    assert_eq!(history.entries(match_id).await.unwrap(), entries(1..=20));
}

async fn a_gap_in_the_log_is_an_error(db: &Db) {
    let history = History::new(db.clone());
    let (later, apart) = (Uuid::now_v7(), Uuid::now_v7());
    history
        .archive_deal(later, 1, &entries(2..=9))
        .await
        .unwrap();
    history
        .archive_deal(apart, 1, &entries(1..=9))
        .await
        .unwrap();
    history
        .archive_deal(apart, 2, &entries(11..=20))
        .await
        .unwrap();
    for match_id in [later, apart] {
        let read = history.entries(match_id).await;
        assert!(matches!(read, Err(HistoryError::Corrupt(_))), "{read:?}");
    }
}

async fn what_is_no_log_is_refused(db: &Db) {
    let history = History::new(db.clone());
    let match_id = Uuid::now_v7();
    let mut gap = entries(1..=3);
    gap.remove(1);
    let mut reverse = entries(1..=2);
    reverse.reverse();
    for (deal, log) in [(0, entries(1..=2)), (1, vec![]), (1, gap), (1, reverse)] {
        let answer = history.archive_deal(match_id, deal, &log).await;
        assert!(matches!(answer, Err(HistoryError::Invalid(_))), "{log:?}");
    }
    assert_eq!(history.entries(match_id).await.unwrap(), []);
}

async fn a_match_is_archived_once(db: &Db) {
    let history = History::new(db.clone());
    let players = [Uuid::now_v7(), Uuid::now_v7()];
    let ended = summary(players, 1);
    history
        .archive_match(&ended, &entries(1..=3))
        .await
        .unwrap();
    history
        .archive_match(&ended, &entries(1..=3))
        .await
        .unwrap();
    let other = MatchSummary {
        ended_ms: 9,
        ..ended.clone()
    };
    history
        .archive_match(&other, &entries(1..=4))
        .await
        .unwrap();
    assert_eq!(
        history.summary(id(&ended)).await.unwrap().as_ref(),
        Some(&ended)
    );
    assert_eq!(history.entries(id(&ended)).await.unwrap(), entries(1..=3));
    let rows: Vec<(i64, String, i64, i64, i64)> = sqlx::query_as(
        "SELECT seat, player_id, place, score, ended_ms FROM match_players ORDER BY seat",
    )
    .fetch_all(&db.pool)
    .await
    .unwrap();
    let [first, third] = players.map(|player| player.to_string());
    assert_eq!(rows, [(0, first, 1, 30, 1), (2, third, 3, -7, 1)]);
}

async fn a_match_without_result_is_refused(db: &Db) {
    let history = History::new(db.clone());
    let good = summary([Uuid::now_v7(), Uuid::now_v7()], 1);
    let mut none = good.clone();
    none.result = None;
    let mut short = good.clone();
    short.result.as_mut().unwrap().places.pop();
    let mut unnamed = good.clone();
    unnamed.match_id = "7".to_owned();
    for bad in [none, short, unnamed] {
        let answer = history.archive_match(&bad, &entries(1..=3)).await;
        assert!(matches!(answer, Err(HistoryError::Invalid(_))), "{bad:?}");
    }
    assert_eq!(history.summary(id(&good)).await.unwrap(), None);
    assert_eq!(history.entries(id(&good)).await.unwrap(), []);
}

async fn replicas_may_archive_a_match_at_the_same_time(db: &Db) {
    let ended = summary([Uuid::now_v7(), Uuid::now_v7()], 1);
    let archive = async || {
        let history = History::new(db.clone());
        history.archive_deal(id(&ended), 1, &entries(1..=9)).await?;
        history.archive_match(&ended, &entries(10..=12)).await
    };
    let (one, two, three) = tokio::join!(archive(), archive(), archive());
    one.and(two).and(three).unwrap();
    let log = History::new(db.clone()).entries(id(&ended)).await.unwrap();
    assert_eq!(log, entries(1..=12));
}

async fn nothing_is_known_of_an_unknown_match(db: &Db) {
    let history = History::new(db.clone());
    let nobody = Uuid::now_v7();
    assert_eq!(history.summary(nobody).await.unwrap(), None);
    assert_eq!(history.entries(nobody).await.unwrap(), []);
    let page = history.list(nobody, "", 9).await.unwrap();
    assert_eq!((page.matches, page.next), (vec![], None));
}

async fn a_players_matches_come_newest_first_page_by_page(db: &Db) {
    let history = History::new(db.clone());
    let [player, other, third] = [Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7()];
    let mut expected = Vec::new();
    // Some end in the same millisecond.
    for ended_ms in [5, 3, 3, 3, 8, i64::MAX, 0] {
        let ended = summary([other, player], ended_ms);
        history.archive_match(&ended, &[]).await.unwrap();
        expected.push(ended);
        let strange = summary([other, third], ended_ms);
        history.archive_match(&strange, &[]).await.unwrap();
    }
    let key = |m: &MatchSummary| std::cmp::Reverse((m.ended_ms, m.match_id.clone()));
    expected.sort_by_key(key);
    for limit in [1, 2, 3, 6, 7, MAX_PAGE] {
        let mut listed = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = history.list(player, &cursor, limit).await.unwrap();
            let left = expected.len() - listed.len();
            assert_eq!(page.matches.len(), left.min(limit as usize));
            listed.extend(page.matches);
            match page.next {
                Some(next) => cursor = next,
                None => break,
            }
        }
        assert_eq!(listed, expected, "by {limit}");
    }
}

async fn bots_have_no_list(db: &Db) {
    let history = History::new(db.clone());
    let mut ended = summary([Uuid::now_v7(), Uuid::now_v7()], 1);
    ended.seats = vec![bot(), bot(), bot()];
    history.archive_match(&ended, &[]).await.unwrap();
    let rows: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM match_players")
        .fetch_one(&db.pool)
        .await
        .unwrap();
    assert_eq!(rows, 0);
}

async fn what_is_no_cursor_or_limit_is_a_bad_request(db: &Db) {
    let history = History::new(db.clone());
    let player = Uuid::now_v7();
    for (cursor, limit) in [("x", 9), ("AQ", 9), ("ä", 9), ("", 0), ("", MAX_PAGE + 1)] {
        let refused = history.list(player, cursor, limit).await.unwrap_err();
        let failure = Failure::from(refused);
        assert_eq!(failure.code, ErrorCode::BadRequest, "{cursor:?} {limit}");
    }
}
