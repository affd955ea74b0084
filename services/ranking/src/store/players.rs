//! The ratings of single players.

use sqlx::{AssertSqlSafe, Row as _, any::AnyRow};
use uuid::Uuid;

use super::{Store, number, placeholders, uuid};
use crate::elo;

/// Latest matches that are told of each rating.
const MAX_HISTORY: i64 = 50;
/// Latest ladders of a player that are told.
const MAX_LADDERS: i64 = 50;

/// What one match did to a player's rating.
#[derive(Clone, Debug)]
pub(crate) struct HistoryEntry {
    pub(crate) match_id: String,
    pub(crate) at_ms: i64,
    pub(crate) before: i32,
    pub(crate) after: i32,
    pub(crate) place: u32,
}

/// A player's rating on one ladder.
#[derive(Clone, Debug)]
pub(crate) struct PlayerRating {
    pub(crate) ladder_id: String,
    pub(crate) rating: i32,
    pub(crate) matches: u32,
    /// Newest first.
    pub(crate) history: Vec<HistoryEntry>,
}

impl Store {
    /// The ratings of players on the open ladder of a rule set, in the order of `players`; the
    /// start rating for those who have none.
    pub(crate) async fn ratings(
        &self,
        ruleset: &str,
        players: &[Uuid],
    ) -> Result<Vec<i32>, sqlx::Error> {
        if players.is_empty() {
            return Ok(Vec::new());
        }
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
        let rows = query.fetch_all(&self.db.pool).await?;
        let read = |row| Ok((uuid(row, "player_id")?, number(row, "rating")?));
        let known: Vec<(Uuid, i32)> = rows.iter().map(read).collect::<Result<_, sqlx::Error>>()?;
        let rating_of = |player: &Uuid| {
            let found = known.iter().find(|(id, _)| id == player);
            found.map_or(elo::START, |&(_, rating)| rating)
        };
        Ok(players.iter().map(rating_of).collect())
    }

    /// A player's ratings, the newest ladder first, each with its latest matches.
    pub(crate) async fn player(&self, player: Uuid) -> Result<Vec<PlayerRating>, sqlx::Error> {
        // One statement, so that rating and history are of one moment.
        let rows = sqlx::query(
            "SELECT r.ladder_id, r.rating, r.matches,
                    h.match_id, h.at_ms, h.rating_before, h.rating_after, h.place
             FROM (SELECT q.player_id, q.ladder_id, q.rating, q.matches, l.opened_ms
                   FROM ratings q JOIN ladders l ON l.id = q.ladder_id
                   WHERE q.player_id = $1
                   ORDER BY l.opened_ms DESC, q.ladder_id LIMIT $2) r
             LEFT JOIN rating_history h
               ON h.player_id = r.player_id AND h.ladder_id = r.ladder_id
              AND h.number > r.matches - $3
             ORDER BY r.opened_ms DESC, r.ladder_id, h.number DESC",
        )
        .bind(player.to_string())
        .bind(MAX_LADDERS)
        .bind(MAX_HISTORY)
        .fetch_all(&self.db.pool)
        .await?;
        let mut ratings: Vec<PlayerRating> = Vec::new();
        for row in &rows {
            let ladder_id: &str = row.try_get("ladder_id")?;
            if ratings
                .last()
                .is_none_or(|last| last.ladder_id != ladder_id)
            {
                ratings.push(PlayerRating {
                    ladder_id: ladder_id.to_owned(),
                    rating: number(row, "rating")?,
                    matches: number(row, "matches")?,
                    history: Vec::new(),
                });
            }
            if let (Some(rating), Some(entry)) = (ratings.last_mut(), history(row)?) {
                rating.history.push(entry);
            }
        }
        Ok(ratings)
    }
}

/// The history columns of a row, if it has any.
fn history(row: &AnyRow) -> Result<Option<HistoryEntry>, sqlx::Error> {
    let match_id: Option<String> = row.try_get("match_id")?;
    let Some(match_id) = match_id else {
        return Ok(None);
    };
    Ok(Some(HistoryEntry {
        match_id,
        at_ms: row.try_get("at_ms")?,
        before: number(row, "rating_before")?,
        after: number(row, "rating_after")?,
        place: number(row, "place")?,
    }))
}
