//! A whole run: sign in, measure idle watchers, play, measure, check.

use std::{
    collections::BTreeMap,
    io,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use anyhow::Context as _;
use chassis::testing::processes::{Part, postgres, ticks_per_second};
use futures::future::join_all;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep, sleep_until, timeout_at},
};

use super::{
    options::Options,
    pace::Pace,
    player::{self, Record},
    redis::{BARE_CALLS, Redis},
    report::{Bare, Measured, Report},
    seating,
    stream::Stream,
};
use crate::{
    client::{BACK_OFF, Client, PATIENCE},
    installation::Installation,
    play::Choices,
    replay,
};

const SEATS: usize = 4;
/// Fewer than a player's streams are limited to.
const WATCHERS_OF_ONE: usize = 7;
/// Tables whose memory in Redis is asked for.
const SIZED_TABLES: usize = 200;
/// How long nothing happens while that is measured.
const IDLE: Duration = Duration::from_secs(5);
/// Messages of failures that are kept.
const MESSAGES: usize = 10;

/// What all guests share in one phase.
struct Phase {
    options: Options,
    pace: Pace,
    deadline: Instant,
    /// Tables in play, and those that were played to the end, each with one who sat there.
    tables: Mutex<BTreeMap<String, (Client, bool)>>,
    messages: Mutex<Vec<String>>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Phase {
    fn complain(&self, error: &anyhow::Error) {
        let mut messages = locked(&self.messages);
        if messages.len() < MESSAGES {
            messages.push(format!("{error:#}"));
        }
    }

    /// Seats guests, again and again, until the time is over.
    async fn keep_playing(&self, guests: &[Client], seed: u64) -> Record {
        let mut record = Record::default();
        let seeds = (0_u64..).map(|seat| Choices::new(seed * 10 + seat));
        let mut choices: Vec<Choices> = seeds.take(guests.len()).collect();
        while Instant::now() < self.deadline {
            match timeout_at(self.deadline, self.seat(guests)).await {
                Err(_) => break,
                Ok(Ok(table)) => {
                    self.play(&table, guests, &mut choices, &mut record).await;
                }
                Ok(Err(error)) => {
                    record.fail("seating");
                    self.complain(&error);
                    sleep(BACK_OFF).await;
                }
            }
        }
        record
    }

    async fn seat(&self, guests: &[Client]) -> anyhow::Result<String> {
        match &self.options.queue {
            None => seating::private_table(guests, &self.options.length).await,
            Some(queue) => seating::matched(&guests[0], queue).await,
        }
    }

    /// Plays one match, to its end or until the time is over.
    async fn play(
        &self,
        table: &str,
        guests: &[Client],
        choices: &mut [Choices],
        record: &mut Record,
    ) {
        locked(&self.tables).insert(table.to_owned(), (guests[0].clone(), false));
        let mut seats = Vec::new();
        for (guest, choices) in guests.iter().zip(choices) {
            seats.push(self.play_seat(table, guest, choices));
        }
        for (ended, own) in join_all(seats).await {
            record.add(own);
            match ended {
                Ok(true) => {
                    locked(&self.tables).insert(table.to_owned(), (guests[0].clone(), true));
                }
                Ok(false) => {}
                Err(error) => {
                    record.fail("a player gave up");
                    self.complain(&error);
                }
            }
        }
    }

    async fn play_seat(
        &self,
        table: &str,
        guest: &Client,
        choices: &mut Choices,
    ) -> (anyhow::Result<bool>, Record) {
        let mut own = Record::default();
        let (pace, deadline) = (&self.pace, self.deadline);
        let ended = player::play(guest, table, choices, pace, deadline, &mut own).await;
        (ended, own)
    }
}

/// The processes of an installation, and the stores that they use.
fn parts(installation: &Installation, redis_pid: u32) -> anyhow::Result<Vec<Part>> {
    let mut parts = Vec::new();
    for name in ["gateway", "game", "matchmaking", "ranking"] {
        let pid = installation.pid_of(name).context(name)?;
        parts.push(Part::process(name, pid));
    }
    parts.push(Part::process("redis", redis_pid));
    let url = std::env::var("SPATZ_TEST_POSTGRES_URL")?;
    if let Some(pid) = postgres(&url) {
        parts.push(Part::family("postgres", pid));
    }
    // It started the services, which are parts of their own.
    parts.push(Part::process("generator", std::process::id()));
    Ok(parts)
}

/// Measures a fresh installation.
///
/// # Errors
/// When it cannot be started or reached. What goes wrong under load is counted instead.
pub async fn run(options: &Options) -> anyhow::Result<Report> {
    let installation = Installation::cluster().await?;
    let redis = Redis::new(&std::env::var("SPATZ_TEST_REDIS_URL")?);
    let pid = u32::try_from(redis.info("process_id").await?)?;
    let parts = parts(&installation, pid)?;
    let guests = seating::guests(installation.url(), options.tables * SEATS).await?;
    let watcher_bytes = watchers(options, &guests, &parts).await?;
    let idle_cpu = idle(&parts).await?;
    let first = phase(options, options.rate, &guests, &parts, &redis).await?;
    let mut finished = first.1;
    let mut measured = vec![first.0];
    if options.half {
        let rate = measured[0].moves_per_second() / 2.0;
        let (half, more) = phase(options, Some(rate), &guests, &parts, &redis).await?;
        measured.push(half);
        finished.extend(more);
    }
    let (replays, bad_replays) = check_replays(options, &finished).await;
    let bare = bare(&redis, &parts).await?;
    Ok(Report {
        options: options.clone(),
        measured,
        watcher_bytes,
        idle_cpu,
        replays,
        bad_replays,
        bare,
    })
}

/// Milliseconds of processor time that each part takes in a second without any move.
async fn idle(parts: &[Part]) -> anyhow::Result<Vec<(&'static str, f64)>> {
    let (begin, before) = (Instant::now(), ticks(parts)?);
    sleep(IDLE).await;
    let (after, seconds) = (ticks(parts)?, begin.elapsed().as_secs_f64());
    let scale = 1000.0 / ticks_per_second()? as f64 / seconds;
    let grown = before
        .iter()
        .zip(after)
        .map(|(before, after)| after - before);
    let each = grown.map(|ticks| ticks as f64 * scale);
    Ok(parts.iter().map(|part| part.name).zip(each).collect())
}

/// Resident memory of the services for each idle stream.
async fn watchers(
    options: &Options,
    guests: &[Client],
    parts: &[Part],
) -> anyhow::Result<Vec<(&'static str, f64)>> {
    let mut watched = Vec::new();
    for four in guests.chunks(SEATS) {
        if watched.len() * WATCHERS_OF_ONE >= options.watchers {
            break;
        }
        let table = seating::private_table(four, &options.length).await?;
        for guest in four {
            let version = guest.table(&table).await?["version"].as_u64();
            watched.push((guest, table.clone(), version.context("version")?));
        }
    }
    let services: Vec<&Part> = parts
        .iter()
        .filter(|part| ["gateway", "game"].contains(&part.name))
        .collect();
    let resident = || {
        services
            .iter()
            .map(|part| part.resident())
            .collect::<io::Result<Vec<u64>>>()
    };
    let before = resident()?;
    let mut streams = Vec::new();
    for _ in 0..WATCHERS_OF_ONE {
        for (guest, table, version) in &watched {
            if streams.len() < options.watchers {
                streams.push(Stream::open(guest, table, *version).await?);
            }
        }
    }
    let after = resident()?;
    if streams.is_empty() {
        return Ok(Vec::new());
    }
    let grown = before
        .iter()
        .zip(after)
        .map(|(before, after)| after.saturating_sub(*before));
    let each = grown.map(|bytes| bytes as f64 / streams.len() as f64);
    Ok(services.iter().map(|part| part.name).zip(each).collect())
}

type Finished = Vec<(String, Client)>;

/// Plays for a while and measures after the warm-up.
async fn phase(
    options: &Options,
    rate: Option<f64>,
    guests: &[Client],
    parts: &[Part],
    redis: &Redis,
) -> anyhow::Result<(Measured, Finished)> {
    let start = Instant::now();
    let begin = start + options.warm_up;
    let end = begin + options.seconds;
    let phase = std::sync::Arc::new(Phase {
        options: options.clone(),
        pace: Pace::new(rate),
        deadline: end,
        tables: Mutex::default(),
        messages: Mutex::default(),
    });
    let together = if options.queue.is_some() { 1 } else { SEATS };
    let mut groups = JoinSet::new();
    for (seed, group) in (1_u64..).zip(guests.chunks(together)) {
        let (phase, group) = (phase.clone(), group.to_vec());
        groups.spawn(async move { phase.keep_playing(&group, seed).await });
    }
    sleep_until(begin).await;
    let before = ticks(parts)?;
    sleep_until(end).await;
    let after = ticks(parts)?;
    let window = begin.elapsed();
    let mut record = Record::default();
    while let Some(group) = groups.join_next().await {
        record.add(group?);
    }
    let tables = locked(&phase.tables).clone();
    let live = tables.iter().filter(|(_, (_, ended))| !ended);
    let live: Vec<String> = live
        .map(|(table, _)| table.clone())
        .take(SIZED_TABLES)
        .collect();
    let table_bytes = redis.memory_of(&live).await?;
    let finished: Finished = tables
        .into_iter()
        .filter(|(_, (_, ended))| *ended)
        .map(|(table, (client, _))| (table, client))
        .collect();
    let per_second = ticks_per_second()?;
    let cpu = parts.iter().zip(before.iter().zip(&after));
    let cpu = cpu.map(|(part, (before, after))| {
        let micros = (after - before) * 1_000_000 / per_second;
        (part.name, micros)
    });
    record.moves.retain(|one| one.at >= begin);
    record.views.retain(|at| *at >= begin);
    Ok((
        Measured {
            rate,
            window,
            record,
            cpu: cpu.collect(),
            late: phase.pace.late(),
            table_bytes,
            finished: finished.len(),
            messages: std::mem::take(&mut *locked(&phase.messages)),
        },
        finished,
    ))
}

fn ticks(parts: &[Part]) -> io::Result<Vec<u64>> {
    parts.iter().map(Part::ticks).collect()
}

/// Has the engine play finished matches again. Returns how many it did, and what was wrong.
async fn check_replays(options: &Options, finished: &Finished) -> (usize, Vec<String>) {
    let mut bad = Vec::new();
    let step = finished.len().div_ceil(options.replays.max(1)).max(1);
    let mut checked = 0;
    for (table, client) in finished.iter().step_by(step).take(options.replays) {
        if let Err(error) = check_replay(table, client).await {
            bad.push(format!("{table}: {error:#}"));
        }
        checked += 1;
    }
    (checked, bad)
}

async fn check_replay(table: &str, client: &Client) -> anyhow::Result<()> {
    let path = format!("/v1/matches/{table}/replay");
    let deadline = Instant::now() + PATIENCE;
    loop {
        // A match is archived a moment after its end.
        let answer = client.get(&path).await?;
        if answer.status.is_success() {
            return replay::check(&answer.body);
        }
        if Instant::now() > deadline {
            anyhow::bail!("{}: {}", answer.status, answer.body);
        }
        sleep(10 * BACK_OFF).await;
    }
}

async fn bare(redis: &Redis, parts: &[Part]) -> anyhow::Result<Bare> {
    let part = parts
        .iter()
        .find(|part| part.name == "redis")
        .context("redis")?;
    let before = part.ticks()?;
    let rate = redis.bare_append_rate().await?;
    let micros = (part.ticks()? - before) * 1_000_000 / ticks_per_second()?;
    let micros_each = micros as f64 / BARE_CALLS as f64;
    Ok(Bare { rate, micros_each })
}
