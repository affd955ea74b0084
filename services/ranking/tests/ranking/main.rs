//! The ranking service over its store: one suite, run on SQLite and on Postgres.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use chassis::{ErrorCode, Failure, db::Db, kv::Kv};
use proto::v1::{
    self, GetPlayerRequest, GetRatingsRequest, ListAmongRequest, ListAroundRequest,
    ListLaddersRequest, ListRatingHistoryRequest, ListRatingHistoryResponse, ListStandingsRequest,
    ListStandingsResponse, PlayerRating, RatingChange, RecordMatchRequest,
    ranking_server::Ranking as _,
};
use ranking::{Config, Ranking};
use tonic::Request;
use uuid::Uuid;

/// Runs tests that take a migrated database of their own, on both adapters.
macro_rules! on_both_stores {
    ($($name:ident)+) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $name() {
                    let store = chassis::testing::sqlite().await;
                    super::$name(store.db.clone()).await;
                }
            )+
        }
        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $name() {
                    super::$name(chassis::testing::postgres().await).await;
                }
            )+
        }
    };
}

mod concurrency;
mod copies;
mod fuzz;
mod history;
mod players;
mod recompute;
mod record;
mod seasons;
mod standings;

/// 1 January 2027.
const NOW_MS: i64 = 1_798_761_600_000;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const LADDER: &str = "brixental-s1";

/// Everybody is listed at once and forever.
const ALL_LISTED: Config = Config {
    listed_after_matches: 0,
    inactive_after_days: 36_500,
    schedule: None,
};

/// A service on a clock that stands still until it is moved.
#[derive(Clone)]
struct World {
    db: Db,
    ranking: Ranking,
    now_ms: Arc<AtomicI64>,
}

/// A player's end of a match: number of the player, place, score, abandoned.
type End = (u32, u32, i32, bool);

fn player(number: u32) -> Uuid {
    // The number is in both ends: ids sort by it, lots differ by it.
    Uuid::from_u128(u128::from(number) << 96 | u128::from(number))
}

fn match_id(number: u32) -> Uuid {
    Uuid::from_u128(1 << 127 | u128::from(number))
}

/// A report; places as the scores say.
fn report(number: u32, ends: &[End]) -> RecordMatchRequest {
    let finish = |&(who, place, score, abandoned): &End| v1::Finish {
        player_id: player(who).to_string(),
        place,
        score,
        abandoned,
    };
    RecordMatchRequest {
        match_id: match_id(number).to_string(),
        ruleset: "brixental".to_owned(),
        ended_ms: NOW_MS,
        finishes: ends.iter().map(finish).collect(),
    }
}

/// A report of a match of two that the first one won.
fn duel(number: u32, winner: u32, loser: u32) -> RecordMatchRequest {
    report(number, &[(winner, 1, 9, false), (loser, 2, 4, false)])
}

fn changes(response: &[RatingChange]) -> Vec<(i32, i32)> {
    response.iter().map(|c| (c.before, c.after)).collect()
}

/// Returns when a transaction of this Postgres database waits for another one.
async fn somebody_waits_for_a_lock(db: &Db) {
    let waiting = "SELECT COUNT(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    for _ in 0..10_000 {
        let count = sqlx::query_scalar(waiting).fetch_one(&db.pool);
        let count: i64 = count.await.expect("ask for waiters");
        if count > 0 {
            return;
        }
    }
    panic!("nobody waits");
}

impl World {
    fn new(db: Db, config: Config) -> Self {
        let now_ms = Arc::new(AtomicI64::new(NOW_MS));
        let clock = Arc::clone(&now_ms);
        let ranking = Ranking::new(db.clone(), config)
            .with_clock(Arc::new(move || clock.load(Ordering::SeqCst)));
        Self {
            db,
            ranking,
            now_ms,
        }
    }

    /// The same world with copies of its ladders in a Redis.
    fn with_copies(&self, kv: &Kv) -> Self {
        Self {
            ranking: self.ranking.clone().with_copies(kv.clone()),
            ..self.clone()
        }
    }

    fn now(&self) -> i64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn wait(&self, ms: i64) {
        self.now_ms.fetch_add(ms, Ordering::SeqCst);
    }

    async fn try_record(&self, request: RecordMatchRequest) -> Result<Vec<RatingChange>, Failure> {
        let answer = self.ranking.record_match(Request::new(request)).await;
        Ok(answer?.into_inner().changes)
    }

    async fn record(&self, request: RecordMatchRequest) -> Vec<RatingChange> {
        self.try_record(request).await.expect("rate a match")
    }

    async fn refused(&self, request: RecordMatchRequest) -> ErrorCode {
        let answer = self.try_record(request).await;
        answer.expect_err("a refusal").code
    }

    async fn ratings(&self, numbers: &[u32]) -> Vec<i32> {
        let request = GetRatingsRequest {
            ruleset: "brixental".to_owned(),
            player_ids: numbers.iter().map(|&n| player(n).to_string()).collect(),
        };
        let answer = self.ranking.get_ratings(Request::new(request)).await;
        answer.expect("ratings").into_inner().ratings
    }

    async fn player(&self, number: u32) -> Vec<PlayerRating> {
        let player_id = player(number).to_string();
        let request = Request::new(GetPlayerRequest { player_id });
        let answer = self.ranking.get_player(request).await;
        answer.expect("a player").into_inner().ratings
    }

    async fn ladders(&self) -> Vec<v1::Ladder> {
        let request = Request::new(ListLaddersRequest {});
        let answer = self.ranking.list_ladders(request).await;
        answer.expect("ladders").into_inner().ladders
    }

    async fn page(
        &self,
        ladder: &str,
        cursor: &str,
        limit: u32,
    ) -> Result<ListStandingsResponse, Failure> {
        let request = ListStandingsRequest {
            ladder_id: ladder.to_owned(),
            cursor: cursor.to_owned(),
            limit,
        };
        let answer = self.ranking.list_standings(Request::new(request)).await;
        Ok(answer?.into_inner())
    }

    async fn around(&self, number: u32, span: u32) -> Result<ListStandingsResponse, Failure> {
        self.around_on(LADDER, number, span).await
    }

    async fn around_on(
        &self,
        ladder: &str,
        number: u32,
        span: u32,
    ) -> Result<ListStandingsResponse, Failure> {
        let request = ListAroundRequest {
            ladder_id: ladder.to_owned(),
            player_id: player(number).to_string(),
            span: Some(span),
        };
        let answer = self.ranking.list_around(Request::new(request)).await;
        Ok(answer?.into_inner())
    }

    async fn among(
        &self,
        ladder: &str,
        players: &[Uuid],
    ) -> Result<ListStandingsResponse, Failure> {
        let request = ListAmongRequest {
            ladder_id: ladder.to_owned(),
            player_ids: players.iter().map(Uuid::to_string).collect(),
        };
        let answer = self.ranking.list_among(Request::new(request)).await;
        Ok(answer?.into_inner())
    }

    async fn history(
        &self,
        number: u32,
        cursor: &str,
        limit: u32,
    ) -> Result<ListRatingHistoryResponse, Failure> {
        let request = ListRatingHistoryRequest {
            player_id: player(number).to_string(),
            ladder_id: LADDER.to_owned(),
            cursor: cursor.to_owned(),
            limit,
        };
        let answer = self
            .ranking
            .list_rating_history(Request::new(request))
            .await;
        Ok(answer?.into_inner())
    }

    /// Rates all history again, which must change nothing.
    async fn check_history(&self) {
        let recomputed = self.ranking.recompute(&[], &[], false).await;
        assert_eq!(recomputed.expect("recompute").moved, []);
    }

    /// The numbers of the players on the first page.
    async fn listed(&self, ladder: &str) -> Vec<Uuid> {
        let page = self.page(ladder, "", 100).await.expect("a page");
        let ids = page.standings.iter().map(|s| s.player_id.parse());
        ids.collect::<Result<_, _>>().expect("UUIDs")
    }
}

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    /// A match of two to four of some players, with ties, late ends and leavers.
    fn report(&mut self, number: u32, players: u32, now_ms: i64) -> RecordMatchRequest {
        let mut all: Vec<u32> = (1..=players).collect();
        let size = 2 + self.below(3);
        let mut ends = Vec::new();
        for _ in 0..size {
            let who = all.swap_remove(self.below(all.len() as u32) as usize);
            ends.push((who, self.below(4) as i32, self.below(8) == 0));
        }
        let place = |score: i32| 1 + ends.iter().filter(|e| e.1 > score).count() as u32;
        let ends: Vec<End> = ends.iter().map(|e| (e.0, place(e.1), e.1, e.2)).collect();
        RecordMatchRequest {
            ended_ms: now_ms - i64::from(self.below(3)) * 1000,
            ..report(number, &ends)
        }
    }
}
