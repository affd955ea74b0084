//! One scenario from start to verdict.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Context as _;
use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::{
    check,
    cluster::Cluster,
    crowd::{Crowd, Evening, Match},
    player::Manner,
    report::{Outcome, longest_pause},
    scenario::Scenario,
    stage::{HEARTBEAT, Live, Stage},
    transport::How,
};
use crate::{installation::Plan, play::Choices};

/// The longest that a scenario may take; more than its harm and everybody's patience.
const TIME_MAX: Duration = Duration::from_secs(480);
/// What an orderly restart may show to clients. A connection that waits for its next request is
/// closed; whoever sends one at that moment finds it broken.
const ORDERLY: [&str; 3] = ["connection refused", "connection broken", "503 unavailable"];
/// Broken promises of one scenario that are told.
const TOLD_MAX: usize = 20;

/// Who plays.
#[derive(Clone, Copy, Debug)]
pub struct Guests {
    /// How many; a multiple of four.
    pub count: usize,
    /// The longest time that one thinks about a move.
    pub think: Duration,
}

/// Runs one scenario. The same seed does the same, whatever other scenarios run.
pub async fn run(scenario: Scenario, guests: Guests, seed: u64) -> Outcome {
    let mut outcome = Outcome {
        scenario: scenario.name(),
        ..Outcome::default()
    };
    match needs(scenario).await {
        Ok((live, plan)) => {
            let ran = attempt(scenario, (live, plan), guests, seed, &mut outcome);
            let ran = timeout(TIME_MAX, ran).await;
            let ran = ran.unwrap_or_else(|_| anyhow::bail!("not over after {TIME_MAX:?}"));
            if let Err(error) = ran {
                outcome.broken.push(format!("{error:#}"));
            }
        }
        Err(error) => outcome.skipped = Some(format!("{error:#}")),
    }
    outcome.broken.truncate(TOLD_MAX);
    outcome
}

async fn needs(scenario: Scenario) -> anyhow::Result<(Live, Plan)> {
    Ok((live(scenario).await?, scenario.plan()?))
}

async fn live(scenario: Scenario) -> anyhow::Result<Live> {
    let Some(wait) = scenario.waits_for() else {
        return Ok(Live::Redis);
    };
    let cluster = match scenario {
        Scenario::Sentinel => Cluster::behind_sentinel().await?,
        _ => Cluster::from_environment()?,
    };
    let mut cluster = cluster.context("run this with scripts/chaos")?;
    // The scenario before may have left it without some.
    cluster.mend().await?;
    Ok(Live::Cluster(cluster, wait))
}

async fn attempt(
    scenario: Scenario,
    (live, plan): (Live, Plan),
    guests: Guests,
    seed: u64,
    outcome: &mut Outcome,
) -> anyhow::Result<()> {
    let mut stage = Stage::set(live, Choices::new(seed), plan).await?;
    let manner = Manner {
        how: How::Events,
        think: guests.think,
        silence: 3 * HEARTBEAT,
        patience: Duration::from_secs(90),
        rated: true,
    };
    let url = stage.installation.url().to_owned();
    let crowd = Crowd::start(&url, guests.count, manner, Choices::new(seed + 1)).await?;
    let begin = Instant::now();
    let harmed = scenario.harm(&mut stage).await;
    let end = Instant::now();
    let evenings = crowd.finish().await?;
    outcome.done.clone_from(&stage.done);
    let instants = evenings.iter().flat_map(|evening| &evening.matches);
    let instants = instants
        .flat_map(|one| &one.played.acknowledged)
        .map(|one| one.at);
    let instants = instants.filter(|at| *at < end).chain([begin, end]);
    outcome.pause = longest_pause(instants.collect());
    judge(scenario, evenings, outcome).await;
    if let Err(error) = harmed {
        outcome.broken.push(format!("{error:#}"));
    }
    if !outcome.broken.is_empty() {
        let folder = stage.installation.keep_logs();
        outcome
            .broken
            .push(format!("logs are in {}", folder.display()));
    }
    Ok(())
}

/// Compares what everybody did and saw with the archive.
async fn judge(scenario: Scenario, evenings: Vec<Evening>, outcome: &mut Outcome) {
    let mut tables: BTreeMap<String, Vec<Match>> = BTreeMap::new();
    let mut clients = Vec::new();
    for evening in evenings {
        outcome.count(&evening.errors);
        outcome.broken.extend(evening.gave_up);
        clients.extend(evening.matches.first().map(|one| one.client.clone()));
        for one in evening.matches {
            outcome.add(&one);
            let gave_up = one.played.gave_up.clone();
            outcome
                .broken
                .extend(gave_up.map(|why| format!("a player gave up: {why}")));
            tables.entry(one.table.clone()).or_default().push(one);
        }
    }
    let mut finished: BTreeMap<String, usize> = BTreeMap::new();
    for (table, seats) in &tables {
        if scenario.may_lose() && is_gone(seats) {
            outcome.gone += 1;
            continue;
        }
        for one in seats.iter().filter(|one| one.played.gave_up.is_none()) {
            *finished.entry(one.client.player.clone()).or_default() += 1;
        }
        match judge_match(scenario, table, seats, outcome).await {
            Ok(()) => outcome.matches += 1,
            Err(error) => outcome.broken.push(format!("{table}: {error:#}")),
        }
    }
    for client in clients {
        let finished = finished.get(&client.player).copied().unwrap_or_default();
        if let Err(error) = check::rated_once(&client, finished).await {
            outcome.broken.push(format!("{error:#}"));
        }
    }
    promises(scenario, outcome);
}

/// Whether a table was lost before any of its deals was archived, and all were told so.
fn is_gone(seats: &[Match]) -> bool {
    let archived = |event: &Value| event["type"] == "archived";
    seats
        .iter()
        .all(|one| one.played.gone && !one.played.events.iter().any(archived))
}

async fn judge_match(
    scenario: Scenario,
    table: &str,
    seats: &[Match],
    outcome: &mut Outcome,
) -> anyhow::Result<()> {
    let first = seats.first().context("nobody")?;
    let replay = check::replay_of(&first.client, table).await?;
    for one in seats {
        let seat = check::seat_of(&replay, &one.client.player)?;
        let logged = check::actions_of(&replay, seat);
        let compared = check::compare(&one.played.acknowledged, &logged);
        outcome.compared.lost += compared.lost;
        outcome.compared.told += compared.told;
        outcome.compared.repeated += compared.repeated;
        if one.played.gave_up.is_none() {
            check::events(&one.played, &replay, true)?;
        }
        let twice = one.played.story.repeated;
        anyhow::ensure!(twice == 0, "seat {seat}: {twice} events told twice");
        // Who saw a move that was lost before a replica had it may have built on it.
        let told = scenario.may_resync() && !one.played.story.resyncs.is_empty();
        if !told {
            let refused = one.played.refused.first();
            anyhow::ensure!(refused.is_none(), "refused: {refused:?}");
        }
    }
    Ok(())
}

fn promises(scenario: Scenario, outcome: &mut Outcome) {
    let lost = outcome.compared.lost;
    let untold = lost - outcome.compared.told;
    let mut broken = Vec::new();
    if lost > 0 && !scenario.may_lose() {
        broken.push(format!("{lost} acknowledged moves are lost"));
    } else if untold > 0 {
        broken.push(format!("{untold} moves are lost and nobody was told"));
    }
    if outcome.compared.repeated > 0 {
        let repeated = outcome.compared.repeated;
        broken.push(format!(
            "{repeated} moves are in replays more often than sent"
        ));
    }
    if outcome.resyncs > 0 && !scenario.may_resync() {
        broken.push(format!(
            "{} resyncs though nothing may be lost",
            outcome.resyncs
        ));
    }
    if outcome.missed > 0 && !scenario.may_lose() {
        broken.push(format!("open streams left out {} events", outcome.missed));
    }
    if outcome.matches == 0 {
        broken.push("no match was played to its end".to_owned());
    }
    if scenario.is_orderly() {
        let other = outcome.errors.iter();
        let other = other.filter(|(kind, _)| !ORDERLY.contains(&kind.as_str()));
        broken.extend(other.map(|(kind, count)| format!("{count} answers: {kind}")));
    }
    outcome.broken.extend(broken);
}
