//! Rating a rule set's whole history again, as if some players had not taken part.
//!
//! Every match is rated again from its stored places, season after season, in an order in which
//! everybody plays their first, second, ... match in turn: so without any change to who takes
//! part it ends exactly where the ladder is. Matches stay what they are, also for those who are
//! taken out; the others of a match are rated among themselves.
//!
//! It is applied in one transaction that holds the rule set's ladders against reports and
//! closing; reports wait, and come again. Lines are written in the order of the players' ids.

use std::collections::{BTreeMap, HashMap, HashSet};

use rating::{elo, line::Line, season};
use sqlx::{Any, AssertSqlSafe, Row as _, Transaction};
use uuid::Uuid;

use super::{Store, number, placeholders, record::RATING, record::Rating, uuid, value_rows};

mod replay;

use replay::{HistoryRow, Replay, Replayed};

/// Rows that are written at once.
const CHUNK: usize = 500;

type Tx = Transaction<'static, Any>;

/// A rating that is another one after the recomputation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The ladder.
    pub ladder: String,
    /// The player.
    pub player: Uuid,
    /// The rating as it is.
    pub before: i32,
    /// The rating as it would be, or is now.
    pub after: i32,
    /// Taken out of the ladder.
    pub excluded: bool,
}

/// What a recomputation changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recomputed {
    /// By ladder and player: other ratings, and players who are taken out or come back.
    pub moved: Vec<Moved>,
    /// Matches that were rated again.
    pub matches: u64,
}

/// Why history cannot be rated again.
#[derive(Debug)]
pub(crate) enum RecomputeError {
    /// Somebody's matches are not numbered through.
    Gap(String),
    /// The database failed.
    Sql(sqlx::Error),
}

impl From<sqlx::Error> for RecomputeError {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

/// Who takes part, other than now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Participation {
    /// Taken out.
    pub(crate) without: HashSet<Uuid>,
    /// Taken in again.
    pub(crate) with: HashSet<Uuid>,
}

/// A ladder, and what is written to it.
struct Rewritten {
    ladder: String,
    lines: Vec<(Uuid, Line)>,
    rows: Vec<HistoryRow>,
}

impl Store {
    /// Rates the history of some rule sets again, those in which the players took part, or all
    /// when there are no players; and stores it if `apply`.
    pub(crate) async fn recompute(
        &self,
        participation: &Participation,
        apply: bool,
    ) -> Result<Recomputed, RecomputeError> {
        let mut tx = if apply {
            self.db.begin().await?
        } else {
            self.snapshot().await?
        };
        let lock = if apply {
            self.db.dialect.for_update()
        } else {
            ""
        };
        let rulesets = rulesets(&mut tx, participation).await?;
        let ladders = ladders(&mut tx, &rulesets, lock).await?;
        let mut recomputed = Recomputed::default();
        for seasons in ladders.values() {
            // How each player left the latest season, and which one that was.
            let mut left: HashMap<Uuid, (u32, i32)> = HashMap::new();
            for (&season_number, ladder) in seasons {
                let lines = read_lines(&mut tx, ladder).await?;
                let out = |player: &Uuid, line: &Line| {
                    let out = line.excluded || participation.without.contains(player);
                    out && !participation.with.contains(player)
                };
                let excluded = lines.iter().filter(|(player, line)| out(player, line));
                let excluded: HashSet<Uuid> = excluded.map(|(&player, _)| player).collect();
                let start = |player: Uuid| {
                    let entered = left.get(&player).filter(|_| !excluded.contains(&player));
                    entered.map_or(elo::START, |&(last, rating)| {
                        season::reset(rating, season_number - last)
                    })
                };
                let replay = Replay::new(&excluded, start);
                let replayed = replay.run(&mut tx, ladder).await?;
                recomputed.matches += replayed.matches;
                for (&player, line) in &replayed.lines {
                    if !line.excluded {
                        left.insert(player, (season_number, line.rating));
                    }
                }
                let rewritten = compare(ladder, &lines, replayed, &mut recomputed.moved);
                if apply {
                    rewrite(&mut tx, rewritten).await?;
                }
            }
        }
        if apply {
            tx.commit().await?;
        } else {
            tx.rollback().await?;
        }
        Ok(recomputed)
    }
}

async fn rulesets(tx: &mut Tx, participation: &Participation) -> Result<Vec<String>, sqlx::Error> {
    let of = participation.without.union(&participation.with);
    let players: Vec<String> = of.map(Uuid::to_string).collect();
    let (join, condition) = if players.is_empty() {
        ("", String::new())
    } else {
        let places = placeholders(1, players.len());
        (
            "JOIN ratings r ON r.ladder_id = l.id",
            format!("WHERE r.player_id IN ({places})"),
        )
    };
    let sql = format!("SELECT DISTINCT l.ruleset FROM ladders l {join} {condition}");
    let mut query = sqlx::query_scalar(AssertSqlSafe(sql));
    for player in players {
        query = query.bind(player);
    }
    query.fetch_all(&mut **tx).await
}

/// The ladders of rule sets by season, locked in the order of their ids.
async fn ladders(
    tx: &mut Tx,
    rulesets: &[String],
    lock: &str,
) -> Result<BTreeMap<String, BTreeMap<u32, String>>, sqlx::Error> {
    let mut ladders: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
    if rulesets.is_empty() {
        return Ok(ladders);
    }
    let sql = format!(
        "SELECT id, ruleset, season FROM ladders WHERE ruleset IN ({}) ORDER BY id{lock}",
        placeholders(1, rulesets.len())
    );
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for ruleset in rulesets {
        query = query.bind(ruleset.clone());
    }
    for row in &query.fetch_all(&mut **tx).await? {
        let seasons = ladders.entry(row.try_get("ruleset")?).or_default();
        seasons.insert(number(row, "season")?, row.try_get("id")?);
    }
    Ok(ladders)
}

async fn read_lines(tx: &mut Tx, ladder: &str) -> Result<BTreeMap<Uuid, Line>, sqlx::Error> {
    let sql = format!("SELECT {RATING} FROM ratings WHERE ladder_id = $1");
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(ladder.to_owned())
        .fetch_all(&mut **tx)
        .await?;
    let lines = rows.iter().map(|row| {
        let Rating { player, line } = Rating::read(row)?;
        Ok((player, line))
    });
    lines.collect()
}

/// What is other than it is stored. A line without a match is as it was.
fn compare(
    ladder: &str,
    stored: &BTreeMap<Uuid, Line>,
    replayed: Replayed,
    moved: &mut Vec<Moved>,
) -> Rewritten {
    let mut lines = Vec::new();
    for (&player, before) in stored {
        let Some(after) = replayed.lines.get(&player).filter(|after| *after != before) else {
            continue;
        };
        if after.rating != before.rating || after.excluded != before.excluded {
            moved.push(Moved {
                ladder: ladder.to_owned(),
                player,
                before: before.rating,
                after: after.rating,
                excluded: after.excluded,
            });
        }
        lines.push((player, *after));
    }
    Rewritten {
        ladder: ladder.to_owned(),
        lines,
        rows: replayed.changed,
    }
}

/// Stores lines and history over rows that are there, and lets the database answer for the
/// ladder until there is a new copy of it.
async fn rewrite(tx: &mut Tx, rewritten: Rewritten) -> Result<(), sqlx::Error> {
    let Rewritten {
        ladder,
        lines,
        rows,
    } = rewritten;
    for chunk in lines.chunks(CHUNK) {
        let sql = format!(
            "INSERT INTO ratings
                 (player_id, ladder_id, rating, peak, matches, reached_ms, last_ms, excluded)
             VALUES {} ON CONFLICT (player_id, ladder_id) DO UPDATE SET
                 rating = excluded.rating, peak = excluded.peak, matches = excluded.matches,
                 reached_ms = excluded.reached_ms, last_ms = excluded.last_ms,
                 excluded = excluded.excluded",
            value_rows(chunk.len(), 8)
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for (player, line) in chunk {
            query = query
                .bind(player.to_string())
                .bind(ladder.clone())
                .bind(i64::from(line.rating))
                .bind(i64::from(line.peak))
                .bind(line.matches)
                .bind(line.reached_ms)
                .bind(line.last_ms)
                .bind(i64::from(line.excluded));
        }
        query.execute(&mut **tx).await?;
    }
    for chunk in rows.chunks(CHUNK) {
        replay::write(tx, &ladder, chunk).await?;
    }
    if !lines.is_empty() {
        sqlx::query("UPDATE ladders SET board = NULL, building = NULL WHERE id = $1")
            .bind(ladder)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}
