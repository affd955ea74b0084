//! `spatz signals`: what looks like collusion, with the evidence, for a person to judge.
//!
//! Each part is asked of the code that owns it: who met whom of matchmaking, results of the game
//! service's archive, traces of sign-ins of the gateway's accounts.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
    io::{Write as _, stdout},
};

use anyhow::Context as _;
use chassis::{db::Db, now_ms, rfc3339};
use game::history::{History, MatchArchive as _};
use gateway::accounts::{Accounts, SharedTrace};
use matchmaking::{
    Pairings,
    signals::{self, Pair},
};
use proto::v1::{MatchSummary, occupant::Kind};
use uuid::Uuid;

use crate::{ladders, settings};

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// Matches that are looked at, the newest; more do not fit a laptop's patience.
const MATCHES_MAX: u32 = 200_000;
/// Pairs of which results are read, those who met most.
const PAIRS_MAX: usize = 200;
/// Pairs that are listed of accounts that sign in from one place.
const SHARED_MAX: u32 = 100;
/// Matches that are named as evidence, the newest.
const NAMED_MAX: usize = 5;

/// Lists the signals.
///
/// # Errors
/// When the stores cannot be asked.
pub(crate) async fn run(settings: settings::Signals) -> anyhow::Result<()> {
    let db = ladders::open_store(&settings.store).await?;
    let accounts = Accounts::new(db.clone());
    let since_ms = now_ms().saturating_sub(i64::from(settings.days.get()) * DAY_MS);
    let pairings = Pairings::new(db.clone())
        .since(since_ms, MATCHES_MAX)
        .await?;
    let mut pairs = signals::pairs(&pairings);
    pairs.truncate(PAIRS_MAX);
    let scores = scores(&db, &pairs).await?;
    let shared = accounts.shared_traces(SHARED_MAX).await?;
    let names = names(&accounts, &pairs, &shared).await?;
    let mut text = format!(
        "{} matches of the last {} days\n",
        pairings.len(),
        settings.days
    );
    met_too_often(&mut text, &pairs, &names)?;
    one_sided(&mut text, &pairs, &scores, &names)?;
    same_place(&mut text, &shared, &names)?;
    stdout().write_all(text.as_bytes()).context("output")
}

type Names = HashMap<Uuid, String>;
type Scores = HashMap<Uuid, HashMap<Uuid, i32>>;

/// The points of the pairs' matches that are in the archive.
async fn scores(db: &Db, pairs: &[Pair]) -> anyhow::Result<Scores> {
    let history = History::new(db.clone());
    let matches: BTreeSet<Uuid> = pairs
        .iter()
        .flat_map(|pair| pair.matches.iter().map(|met| met.match_id))
        .collect();
    let mut scores = Scores::new();
    for id in matches {
        if let Some(summary) = history.summary(id).await? {
            scores.insert(id, points(&summary));
        }
    }
    Ok(scores)
}

/// The points of a match by player.
fn points(summary: &MatchSummary) -> HashMap<Uuid, i32> {
    let result = summary.result.clone().unwrap_or_default();
    let seats = summary.seats.iter().zip(result.scores);
    let player = |(seat, score): (&proto::v1::Occupant, i32)| match &seat.kind {
        Some(Kind::Player(player)) => Some((player.id.parse().ok()?, score)),
        Some(Kind::Bot(_)) | None => None,
    };
    seats.filter_map(player).collect()
}

async fn names(
    accounts: &Accounts,
    pairs: &[Pair],
    shared: &[SharedTrace],
) -> anyhow::Result<Names> {
    let pairs = pairs.iter().map(|pair| pair.players);
    let both = pairs.chain(shared.iter().map(|shared| shared.players));
    let ids: BTreeSet<Uuid> = both.flat_map(|(one, other)| [one, other]).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    Ok(accounts.names(&ids).await?)
}

fn who(names: &Names, id: Uuid) -> String {
    let name = names.get(&id).map_or("?", String::as_str);
    format!("{name} ({id})")
}

/// The newest matches of a pair.
fn evidence(pair: &Pair) -> String {
    let ids = pair.matches.iter().take(NAMED_MAX);
    let ids: Vec<String> = ids.map(|met| met.match_id.to_string()).collect();
    ids.join(" ")
}

fn met_too_often(text: &mut String, pairs: &[Pair], names: &Names) -> anyhow::Result<()> {
    writeln!(text, "\nPairs that met more often than chance explains:")?;
    let found: Vec<&Pair> = pairs.iter().filter(|pair| pair.is_too_often()).collect();
    for pair in &found {
        let (one, other) = pair.players;
        let (met, expected) = (pair.matches.len(), pair.expected);
        let (one, other) = (who(names, one), who(names, other));
        writeln!(
            text,
            "  {one} and {other}: {met} times, {expected:.1} expected"
        )?;
        writeln!(text, "    newest matches: {}", evidence(pair))?;
    }
    none_if(text, found.is_empty())
}

fn one_sided(
    text: &mut String,
    pairs: &[Pair],
    scores: &Scores,
    names: &Names,
) -> anyhow::Result<()> {
    writeln!(
        text,
        "\nPairs of whom one is ahead more often than ratings explain:"
    )?;
    let mut found = 0;
    for pair in pairs {
        let Some(flow) = pair.flow(scores) else {
            continue;
        };
        found += 1;
        let (winner, loser) = (who(names, flow.winner), who(names, flow.loser));
        writeln!(
            text,
            "  {winner} ahead of {loser} in {:.1} of {} matches, {:.1} expected; {:+} points",
            flow.ahead, flow.matches, flow.expected, flow.points
        )?;
        writeln!(text, "    newest matches: {}", evidence(pair))?;
    }
    none_if(text, found == 0)
}

fn same_place(text: &mut String, shared: &[SharedTrace], names: &Names) -> anyhow::Result<()> {
    writeln!(
        text,
        "\nPairs of accounts that signed in with the same kind of client from the same network:"
    )?;
    for shared_trace in shared {
        let (one, other) = shared_trace.players;
        let (one, other) = (who(names, one), who(names, other));
        let last = rfc3339(shared_trace.last_ms);
        let places = shared_trace.traces;
        writeln!(text, "  {one} and {other}: in {places} places, last {last}")?;
    }
    none_if(text, shared.is_empty())
}

fn none_if(text: &mut String, none: bool) -> anyhow::Result<()> {
    if none {
        writeln!(text, "  none")?;
    }
    Ok(())
}
