//! The ranking service over its store: one suite, run on SQLite and on Postgres.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use chassis::{ErrorCode, Failure, db::Db};
use proto::v1::{
    self, GetPlayerRequest, GetRatingsRequest, ListAroundRequest, ListLaddersRequest,
    ListStandingsRequest, ListStandingsResponse, PlayerRating, RatingChange, RecordMatchRequest,
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
mod players;
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
        let request = ListAroundRequest {
            ladder_id: LADDER.to_owned(),
            player_id: player(number).to_string(),
            span,
        };
        let answer = self.ranking.list_around(Request::new(request)).await;
        Ok(answer?.into_inner())
    }

    /// The numbers of the players on the first page.
    async fn listed(&self, ladder: &str) -> Vec<Uuid> {
        let page = self.page(ladder, "", 100).await.expect("a page");
        let ids = page.standings.iter().map(|s| s.player_id.parse());
        ids.collect::<Result<_, _>>().expect("UUIDs")
    }
}
