//! The ratings of single players.

use std::collections::HashMap;

use rating::elo;
use sqlx::{AssertSqlSafe, Row as _, any::AnyRow};
use uuid::Uuid;

use super::{
    HistoryEntry, Store, entering,
    history::{self, COLUMNS, OTHERS},
    number, placeholders, uuid,
};

/// Latest matches that are told of each rating.
const MAX_HISTORY: i64 = 50;
/// Latest ladders of a player that are told.
const MAX_LADDERS: i64 = 50;

/// A player's rating on one ladder.
#[derive(Clone, Debug)]
pub(crate) struct PlayerRating {
    pub(crate) ladder_id: String,
    pub(crate) rating: i32,
    pub(crate) peak: i32,
    pub(crate) matches: u32,
    /// Not listed, and no match counts any more.
    pub(crate) excluded: bool,
    /// Fewest matches that were needed on a ladder that is closed.
    pub(crate) listed_matches: Option<i64>,
    /// Newest first.
    pub(crate) history: Vec<HistoryEntry>,
}

impl Store {
    /// The ratings of players on the open ladder of a rule set, in the order of `players`; for
    /// those who are not on it, and for everybody between two seasons, the rating with which
    /// they enter the next one.
    pub(crate) async fn ratings(
        &self,
        ruleset: &str,
        players: &[Uuid],
    ) -> Result<Vec<i32>, sqlx::Error> {
        if players.is_empty() {
            return Ok(Vec::new());
        }
        let mut snapshot = self.snapshot().await?;
        let sql = format!(
            "SELECT r.player_id, r.rating FROM ratings r
             JOIN ladders l ON l.id = r.ladder_id
             WHERE l.ruleset = $1 AND l.closed_ms IS NULL AND r.player_id IN ({})",
            placeholders(2, players.len()),
        );
        let mut query = sqlx::query(AssertSqlSafe(sql)).bind(ruleset.to_owned());
        for player in players {
            query = query.bind(player.to_string());
        }
        let rows = query.fetch_all(&mut *snapshot).await?;
        let read = |row: &AnyRow| Ok((uuid(row, "player_id")?, number(row, "rating")?));
        let known: Result<HashMap<Uuid, i32>, sqlx::Error> = rows.iter().map(read).collect();
        let mut known = known?;
        let mut new = players.to_vec();
        new.retain(|player| !known.contains_key(player));
        if !new.is_empty() {
            let season: i64 = sqlx::query_scalar(
                "SELECT COALESCE(MAX(CASE WHEN closed_ms IS NULL THEN season ELSE season + 1 END), 1)
                 FROM ladders WHERE ruleset = $1",
            )
            .bind(ruleset.to_owned())
            .fetch_one(&mut *snapshot)
            .await?;
            known.extend(entering::entering(&mut snapshot, ruleset, season, &new).await?);
        }
        let rating_of = |player| known.get(player).copied().unwrap_or(elo::START);
        Ok(players.iter().map(rating_of).collect())
    }

    /// A player's ratings, the newest ladder first, each with its latest matches.
    pub(crate) async fn player(&self, player: Uuid) -> Result<Vec<PlayerRating>, sqlx::Error> {
        // One statement, so that rating and history are of one moment.
        let sql = format!(
            "SELECT r.ladder_id, r.rating, r.peak, r.matches, r.excluded AS taken_out, r.listed_matches,
                    {COLUMNS}
             FROM (SELECT q.player_id, q.ladder_id, q.rating, q.peak, q.matches, q.excluded,
                          l.opened_ms, l.season,
                          l.listed_matches
                   FROM ratings q JOIN ladders l ON l.id = q.ladder_id
                   WHERE q.player_id = $1
                   ORDER BY l.opened_ms DESC, l.season DESC, q.ladder_id LIMIT $2) r
             LEFT JOIN rating_history h
               ON h.player_id = r.player_id AND h.ladder_id = r.ladder_id
              AND h.number > r.matches - $3
             {OTHERS}
             ORDER BY r.opened_ms DESC, r.season DESC, r.ladder_id, h.number DESC"
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(player.to_string())
            .bind(MAX_LADDERS)
            .bind(MAX_HISTORY)
            .fetch_all(&self.db.pool)
            .await?;
        let same_ladder = |a: &AnyRow, b: &AnyRow| ladder_of(a).ok() == ladder_of(b).ok();
        rows.chunk_by(same_ladder).map(rating).collect()
    }
}

fn ladder_of(row: &AnyRow) -> Result<&str, sqlx::Error> {
    row.try_get("ladder_id")
}

/// The rating of the rows of one ladder.
fn rating(rows: &[AnyRow]) -> Result<PlayerRating, sqlx::Error> {
    let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    Ok(PlayerRating {
        ladder_id: ladder_of(row)?.to_owned(),
        rating: number(row, "rating")?,
        peak: number(row, "peak")?,
        matches: number(row, "matches")?,
        excluded: row.try_get::<i64, _>("taken_out")? != 0,
        listed_matches: row.try_get("listed_matches")?,
        history: history::entries(rows.iter())?,
    })
}
