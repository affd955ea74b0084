//! One ladder's matches, rated again one after the other.

use std::collections::{HashMap, HashSet};

use futures::TryStreamExt as _;
use rating::line::{self, End, Line};
use sqlx::{Any, AssertSqlSafe, Row as _, Transaction, any::AnyRow};
use uuid::Uuid;

use super::{RecomputeError, number, uuid, value_rows};

/// A row of `rating_history`.
#[derive(Clone, Debug)]
pub(super) struct HistoryRow {
    match_id: Uuid,
    at_ms: i64,
    /// The player's first, second, ... match on the ladder.
    number: i64,
    end: End,
    score: i64,
    before: i32,
    after: i32,
    excluded: bool,
}

impl HistoryRow {
    fn read(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            match_id: uuid(row, "match_id")?,
            at_ms: row.try_get("at_ms")?,
            number: row.try_get("number")?,
            end: End {
                player: uuid(row, "player_id")?.as_u128(),
                place: number(row, "place")?,
                abandoned: row.try_get::<i64, _>("abandoned")? != 0,
            },
            score: row.try_get("score")?,
            before: number(row, "rating_before")?,
            after: number(row, "rating_after")?,
            excluded: row.try_get::<i64, _>("excluded")? != 0,
        })
    }

    const fn player(&self) -> Uuid {
        Uuid::from_u128(self.end.player)
    }
}

/// How a ladder ends when its matches are rated again.
pub(super) struct Replayed {
    pub(super) lines: HashMap<Uuid, Line>,
    /// Rows that are other than they are stored.
    pub(super) changed: Vec<HistoryRow>,
    pub(super) matches: u64,
}

/// A ladder on which some take no part and everybody enters with a rating.
pub(super) struct Replay<'a, F> {
    excluded: &'a HashSet<Uuid>,
    start: F,
    done: Replayed,
    /// Matches that wait for an earlier match of one of their players.
    waiting: HashMap<Uuid, Vec<HistoryRow>>,
    /// Which of them is a player's next one.
    next: HashMap<(Uuid, i64), Uuid>,
}

impl<'a, F: Fn(Uuid) -> i32> Replay<'a, F> {
    pub(super) fn new(excluded: &'a HashSet<Uuid>, start: F) -> Self {
        Self {
            excluded,
            start,
            done: Replayed {
                lines: HashMap::new(),
                changed: Vec::new(),
                matches: 0,
            },
            waiting: HashMap::new(),
            next: HashMap::new(),
        }
    }

    /// Reads the matches in about the order in which they were rated, which keeps few waiting.
    pub(super) async fn run(
        mut self,
        tx: &mut Transaction<'static, Any>,
        ladder: &str,
    ) -> Result<Replayed, RecomputeError> {
        let mut rows = sqlx::query(
            "SELECT h.match_id, h.player_id, h.number, h.at_ms, h.place, h.score, h.abandoned,
                    h.rating_before, h.rating_after, h.excluded
             FROM rated_matches m JOIN rating_history h ON h.match_id = m.id
             WHERE m.ladder_id = $1 ORDER BY m.recorded_ms, m.id, h.player_id",
        )
        .bind(ladder.to_owned())
        .fetch(&mut **tx);
        let mut current: Vec<HistoryRow> = Vec::new();
        while let Some(row) = rows.try_next().await? {
            let row = HistoryRow::read(&row)?;
            if current
                .first()
                .is_some_and(|first| first.match_id != row.match_id)
            {
                self.take(std::mem::take(&mut current));
            }
            current.push(row);
        }
        if !current.is_empty() {
            self.take(current);
        }
        if self.waiting.is_empty() {
            Ok(self.done)
        } else {
            Err(RecomputeError::Gap(ladder.to_owned()))
        }
    }

    /// Takes the rows of a match, and rates all matches whose turn it is then.
    fn take(&mut self, rows: Vec<HistoryRow>) {
        let Some(id) = rows.first().map(|row| row.match_id) else {
            return;
        };
        for row in &rows {
            self.next.insert((row.player(), row.number), id);
        }
        self.waiting.insert(id, rows);
        let mut candidates = vec![id];
        while let Some(id) = candidates.pop() {
            let due = self.waiting.get(&id).is_some_and(|rows| self.is_due(rows));
            let Some(rows) = due.then(|| self.waiting.remove(&id)).flatten() else {
                continue;
            };
            for row in &rows {
                self.next.remove(&(row.player(), row.number));
                candidates.extend(self.next.get(&(row.player(), row.number + 1)));
            }
            self.rate(rows);
        }
    }

    fn is_due(&self, rows: &[HistoryRow]) -> bool {
        rows.iter().all(|row| {
            let line = self.done.lines.get(&row.player());
            line.map_or(0, |line| line.matches) + 1 == row.number
        })
    }

    fn rate(&mut self, rows: Vec<HistoryRow>) {
        let Some(first) = rows.first() else { return };
        let (id, at_ms) = (first.match_id.as_u128(), first.at_ms);
        let ends: Vec<End> = rows.iter().map(|row| row.end).collect();
        let before = rows.iter().map(|row| self.line(row.player(), at_ms));
        let before: Vec<Line> = before.collect();
        let after = line::after(id, &ends, &before, at_ms);
        for ((row, before), after) in rows.into_iter().zip(before).zip(after) {
            self.done.lines.insert(row.player(), after);
            let now = (before.rating, after.rating, before.excluded);
            if (row.before, row.after, row.excluded) != now {
                self.done.changed.push(HistoryRow {
                    before: before.rating,
                    after: after.rating,
                    excluded: before.excluded,
                    ..row
                });
            }
        }
        self.done.matches += 1;
    }

    fn line(&self, player: Uuid, at_ms: i64) -> Line {
        let known = self.done.lines.get(&player).copied();
        known.unwrap_or_else(|| Line {
            excluded: self.excluded.contains(&player),
            ..Line::new((self.start)(player), at_ms)
        })
    }
}

/// Stores rows over those that are there.
pub(super) async fn write(
    tx: &mut Transaction<'static, Any>,
    ladder: &str,
    rows: &[HistoryRow],
) -> Result<(), sqlx::Error> {
    let sql = format!(
        "INSERT INTO rating_history
             (player_id, ladder_id, number, match_id, at_ms, rating_before, rating_after,
              place, score, abandoned, excluded)
         VALUES {} ON CONFLICT (player_id, ladder_id, number) DO UPDATE SET
             rating_before = excluded.rating_before, rating_after = excluded.rating_after,
             excluded = excluded.excluded",
        value_rows(rows.len(), 11)
    );
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for row in rows {
        query = query
            .bind(row.player().to_string())
            .bind(ladder.to_owned())
            .bind(row.number)
            .bind(row.match_id.to_string())
            .bind(row.at_ms)
            .bind(i64::from(row.before))
            .bind(i64::from(row.after))
            .bind(i64::from(row.end.place))
            .bind(row.score)
            .bind(i64::from(row.end.abandoned))
            .bind(i64::from(row.excluded));
    }
    query.execute(&mut **tx).await?;
    Ok(())
}
