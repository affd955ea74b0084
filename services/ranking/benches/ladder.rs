//! A ladder of a million players: how long ranks, pages and updates take, and what the copy
//! weighs. `scripts/load-ladder` starts the stores; JSON lines go to the file that
//! `SPATZ_LOAD_JSONL` names.

use std::{
    env, fs,
    io::Write as _,
    process::Command,
    time::{Duration, Instant},
};

use chassis::{
    db::{Db, Dialect},
    kv::Kv,
    testing::processes::{Part, postgres, ticks_per_second},
};
use proto::v1::{
    self, ListAmongRequest, ListAroundRequest, ListStandingsRequest, ListStandingsResponse,
    RecordMatchRequest, ranking_server::Ranking as _,
};
use ranking::{Config, Ranking};
use tonic::Request;
use uuid::Uuid;

const LADDER: &str = "brixental-s1";
const CALLS: usize = 3000;
/// The database counts, which takes longer.
const COUNTED_CALLS: usize = 200;
const FRIENDS: u64 = 50;
const WRITERS: u64 = 16;
const MATCHES: u64 = 200;
/// Of each writer, when they all write.
const MATCHES_AT_ONCE: u64 = 500;

/// The player with a number; ids in no order, as real ones nearly are.
fn player(number: u64) -> Uuid {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9) & 0xffff_ffff;
    Uuid::from_u128(u128::from(mixed) << 96 | u128::from(number))
}

/// [`player`], for `bare.sql`.
const PLAYER: &str = "CREATE FUNCTION player(number BIGINT) RETURNS TEXT IMMUTABLE LANGUAGE SQL AS
    $$ SELECT lpad(to_hex((number + 1) * 2654435769 & 4294967295), 8, '0')
           || '-0000-0000-0000-' || lpad(to_hex(number), 12, '0') $$";

/// For whoever watches.
#[allow(clippy::print_stdout)]
fn say(line: &str) {
    println!("{line}");
}

struct Bench {
    players: u64,
    lines: Vec<serde_json::Value>,
    random: fastrand::Rng,
}

impl Bench {
    fn tell(&mut self, metric: &str, value: f64, unit: &str) {
        say(&format!("{metric}: {value:.3} {unit}"));
        let metric = format!("ladder/{metric}");
        let line = serde_json::json!({
            "metric": metric, "value": value, "unit": unit, "players": self.players,
        });
        self.lines.push(line);
    }

    fn tell_times(&mut self, metric: &str, mut times: Vec<Duration>) {
        times.sort_unstable();
        let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
        for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
            let ms = at(part).as_secs_f64() * 1000.0;
            self.tell(&format!("{metric}_{name}"), ms, "ms");
        }
    }

    fn anybody(&mut self) -> Uuid {
        player(self.random.u64(..self.players))
    }
}

/// Lines of everybody, ratings around 1,200, and the open season.
async fn fill(db: &Db, players: u64) {
    let opened =
        "INSERT INTO ladders (id, ruleset, season, opened_ms) VALUES ($1, 'brixental', 1, 0)";
    let opened = sqlx::query(opened).bind(LADDER).execute(&db.pool).await;
    opened.expect("open a season");
    let now_ms = chassis::now_ms();
    let mut random = fastrand::Rng::with_seed(7);
    let mut transaction = db.begin().await.expect("begin");
    for first in (0..players).step_by(1000) {
        let mut rows = Vec::new();
        for number in first..players.min(first + 1000) {
            let rating = 1200 + (0..12).map(|_| random.i64(-60..=60)).sum::<i64>();
            let reached = now_ms - random.i64(0..80 * 86_400_000);
            rows.push(format!(
                "('{}','{LADDER}',{rating},{rating},{},{reached},{reached},0)",
                player(number),
                random.i64(20..200)
            ));
        }
        let sql = format!(
            "INSERT INTO ratings
             (player_id, ladder_id, rating, peak, matches, reached_ms, last_ms, excluded)
             VALUES {}",
            rows.join(",")
        );
        let done = sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut *transaction);
        done.await.expect("insert");
    }
    transaction.commit().await.expect("commit");
    if db.dialect == Dialect::Postgres {
        let done = sqlx::query("VACUUM ANALYZE ratings")
            .execute(&db.pool)
            .await;
        done.expect("analyze");
    }
}

async fn around(ranking: &Ranking, player: Uuid) -> ListStandingsResponse {
    let request = ListAroundRequest {
        ladder_id: LADDER.to_owned(),
        player_id: player.to_string(),
        span: Some(5),
    };
    let answer = ranking.list_around(Request::new(request)).await;
    answer.expect("neighbours").into_inner()
}

async fn page(ranking: &Ranking, cursor: String) -> ListStandingsResponse {
    let request = ListStandingsRequest {
        ladder_id: LADDER.to_owned(),
        cursor,
        limit: 50,
    };
    let answer = ranking.list_standings(Request::new(request)).await;
    answer.expect("a page").into_inner()
}

/// Reads the ladder in every way.
async fn read(bench: &mut Bench, ranking: &Ranking, name: &str, calls: usize) {
    let mut times = Vec::new();
    let mut cursors = Vec::new();
    for _ in 0..calls {
        let who = bench.anybody();
        let began = Instant::now();
        let found = around(ranking, who).await;
        times.push(began.elapsed());
        assert!(found.standings.len() > 5, "neighbours of {who}");
        cursors.push(found.next);
    }
    bench.tell_times(&format!("{name}/around"), times);
    let mut times = Vec::new();
    for cursor in cursors {
        let began = Instant::now();
        page(ranking, cursor).await;
        times.push(began.elapsed());
    }
    bench.tell_times(&format!("{name}/page"), times);
    let mut times = Vec::new();
    for _ in 0..calls.min(500) {
        let friends = (0..FRIENDS).map(|_| bench.anybody().to_string());
        let request = ListAmongRequest {
            ladder_id: LADDER.to_owned(),
            player_ids: friends.collect(),
        };
        let began = Instant::now();
        let found = ranking.list_among(Request::new(request)).await;
        times.push(began.elapsed());
        found.expect("friends");
    }
    bench.tell_times(&format!("{name}/friends_{FRIENDS}"), times);
}

fn report(number: u64, players: &[Uuid]) -> RecordMatchRequest {
    let finish = |(place, player): (usize, &Uuid)| v1::Finish {
        player_id: player.to_string(),
        place: place as u32 + 1,
        score: 10 - place as i32,
        abandoned: false,
    };
    RecordMatchRequest {
        match_id: Uuid::from_u128(u128::from(number)).to_string(),
        ruleset: "brixental".to_owned(),
        ended_ms: chassis::now_ms(),
        finishes: players.iter().enumerate().map(finish).collect(),
    }
}

/// Transactions a second that pgbench does of `bare.sql`, with as many clients as there are
/// writers.
fn bare_transactions(players: u64, url: &str) -> Option<f64> {
    let pgbench = env::var_os("SPATZ_TEST_PGBENCH")?;
    let done = Command::new(pgbench)
        .args(["--no-vacuum", "--protocol=prepared", "--time=5", "--jobs=2"])
        .args(["--max-tries=5", &format!("--client={WRITERS}")])
        .arg(format!("--define=players={players}"))
        .arg("--file=benches/bare.sql")
        .arg(url)
        .output()
        .expect("run pgbench");
    let (said, complained) = (
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr),
    );
    assert!(done.status.success(), "pgbench: {complained}");
    let rate = said.lines().find_map(|line| line.strip_prefix("tps = "));
    let rate = rate.and_then(|rate| rate.split(' ').next()?.parse().ok());
    Some(rate.unwrap_or_else(|| panic!("no rate in {said}")))
}

/// Rates matches one after the other, and brings them to the copy.
async fn write(bench: &mut Bench, ranking: &Ranking) {
    let (mut rated, mut brought) = (Vec::new(), Vec::new());
    for number in 0..MATCHES {
        let players: Vec<Uuid> = (0..4).map(|_| bench.anybody()).collect();
        let began = Instant::now();
        let done = ranking
            .record_match(Request::new(report(number, &players)))
            .await;
        rated.push(began.elapsed());
        done.expect("rate");
        let began = Instant::now();
        ranking.update_copies().await.expect("bring");
        brought.push(began.elapsed());
    }
    bench.tell_times("rate_a_match", rated);
    bench.tell_times("bring_a_match", brought);
}

/// CPU time so far, in microseconds: of this process, and of Postgres.
fn cpu_micros(url: &str) -> [f64; 2] {
    let postgres = postgres(url).expect("a Postgres on this machine");
    let parts = [
        Part::process("ranking", std::process::id()),
        Part::family("postgres", postgres),
    ];
    let tick = 1e6 / ticks_per_second().expect("clock ticks") as f64;
    parts.map(|part| part.ticks().expect("a process that runs") as f64 * tick)
}

/// Rates matches by many at once, beside pgbench.
async fn write_at_once(bench: &mut Bench, ranking: &Ranking, url: &str) {
    // Before and after: the better of the two counts, so that a busy moment does not flatter us.
    let bare = bare_transactions(bench.players, url);
    let (cpu_before, began) = (cpu_micros(url), Instant::now());
    let writers = (0..WRITERS).map(|writer| {
        let ranking = ranking.clone();
        let mut random = fastrand::Rng::with_seed(writer);
        let count = bench.players;
        tokio::spawn(async move {
            for i in 0..MATCHES_AT_ONCE {
                let players: Vec<Uuid> = (0..4).map(|_| player(random.u64(..count))).collect();
                let number = (writer + 1) << 32 | i;
                let done = ranking
                    .record_match(Request::new(report(number, &players)))
                    .await;
                done.expect("rate");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("a writer");
    }
    let took = began.elapsed().as_secs_f64();
    let cpu_after = cpu_micros(url);
    let matches = (WRITERS * MATCHES_AT_ONCE) as f64;
    let rate = matches / took;
    bench.tell("rated_by_16_writers", rate, "matches/s");
    for (name, after, before) in [
        ("ranking", cpu_after[0], cpu_before[0]),
        ("postgres", cpu_after[1], cpu_before[1]),
    ] {
        let micros = (after - before) / matches;
        bench.tell(&format!("cpu_{name}_per_match"), micros, "us");
    }
    match bare.zip(bare_transactions(bench.players, url)) {
        Some((before, after)) => {
            let bare = f64::max(before, after);
            bench.tell("bare_transactions", bare, "transactions/s");
            bench.tell("rated_to_bare", rate / bare, "times");
        }
        None => say("rated_to_bare: not compared, for want of SPATZ_TEST_PGBENCH"),
    }
    // Those of pgbench, too, which noted the same.
    let began = Instant::now();
    ranking.update_copies().await.expect("bring");
    bench.tell("bring_them_all", began.elapsed().as_secs_f64(), "s");
    let differences = ranking
        .compare(LADDER)
        .await
        .expect("compare")
        .expect("a copy");
    assert_eq!(differences.differences, []);
}

async fn memory(kv: &Kv) -> f64 {
    let info = kv.info("memory").await.expect("INFO");
    let used = info.iter().flat_map(|text| text.lines());
    let used = used.filter_map(|line| line.strip_prefix("used_memory:"));
    used.map(|bytes| bytes.trim().parse::<f64>().unwrap_or(0.0))
        .sum()
}

async fn run(bench: &mut Bench) {
    let kv = chassis::testing::redis().await;
    let url = chassis::testing::postgres_url().await;
    let db = Db::open(&url, 8).expect("open Postgres");
    db.migrate().await.expect("migrate Postgres");
    let done = sqlx::query(PLAYER).execute(&db.pool).await;
    done.expect("make the function");
    fill(&db, bench.players).await;
    let plain = Ranking::new(db.clone(), Config::default());
    let ranking = plain.clone().with_copies(kv.clone());
    let (before, began) = (memory(&kv).await, Instant::now());
    assert!(ranking.rebuild_copy(LADDER).await.expect("rebuild"));
    bench.tell("rebuild", began.elapsed().as_secs_f64(), "s");
    let bytes = (memory(&kv).await - before) / bench.players as f64;
    bench.tell("copy_bytes_per_player", bytes, "bytes");
    read(bench, &ranking, "copy", CALLS).await;
    let began = Instant::now();
    let compared = ranking
        .compare(LADDER)
        .await
        .expect("compare")
        .expect("a copy");
    bench.tell("compare", began.elapsed().as_secs_f64(), "s");
    assert_eq!(compared.differences, []);
    write(bench, &ranking).await;
    write_at_once(bench, &ranking, &url).await;
    read(bench, &plain, "postgres", COUNTED_CALLS).await;
    let sqlite = chassis::testing::sqlite().await;
    fill(&sqlite.db, bench.players).await;
    let embedded = Ranking::new(sqlite.db.clone(), Config::default());
    read(bench, &embedded, "sqlite", COUNTED_CALLS).await;
}

#[tokio::main]
async fn main() {
    // `cargo test --benches` only wants to know whether it starts.
    let players = env::var("SPATZ_LADDER_PLAYERS").ok();
    let Some(players) = players.and_then(|players| players.parse().ok()) else {
        say("SPATZ_LADDER_PLAYERS says how large the ladder is: see scripts/load-ladder");
        return;
    };
    let mut bench = Bench {
        players,
        lines: Vec::new(),
        random: fastrand::Rng::with_seed(1),
    };
    run(&mut bench).await;
    if let Ok(path) = env::var("SPATZ_LOAD_JSONL") {
        let file = fs::OpenOptions::new().create(true).append(true).open(path);
        let mut file = file.expect("open the file of results");
        for line in &bench.lines {
            writeln!(file, "{line}").expect("write a result");
        }
    }
}
