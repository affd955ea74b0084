//! With which rating players enter a season: the soft reset from their latest earlier one.

use std::collections::HashMap;

use rating::{elo, season};
use sqlx::{Any, AssertSqlSafe, Row as _, Transaction};
use uuid::Uuid;

use super::{number, placeholders, uuid};

/// The ratings with which those of the players enter a season who took part in an earlier one;
/// the others enter with the start rating. Who was taken out of a season did not take part.
pub(super) async fn entering(
    tx: &mut Transaction<'static, Any>,
    ruleset: &str,
    into: i64,
    players: &[Uuid],
) -> Result<HashMap<Uuid, i32>, sqlx::Error> {
    let mut ratings = HashMap::new();
    if players.is_empty() || into <= 1 {
        return Ok(ratings);
    }
    let sql = format!(
        "SELECT r.player_id, r.rating, l.season FROM ladders l
         JOIN ratings r ON r.ladder_id = l.id
         WHERE l.ruleset = $1 AND l.season < $2 AND r.excluded = 0 AND r.player_id IN ({})
         ORDER BY l.season DESC",
        placeholders(3, players.len()),
    );
    let mut query = sqlx::query(AssertSqlSafe(sql))
        .bind(ruleset.to_owned())
        .bind(into);
    for player in players {
        query = query.bind(player.to_string());
    }
    for row in &query.fetch_all(&mut **tx).await? {
        let of: i64 = row.try_get("season")?;
        let passed = u32::try_from(into - of).unwrap_or(u32::MAX);
        let rating = season::reset(number(row, "rating")?, passed);
        // The latest season comes first and stays.
        ratings.entry(uuid(row, "player_id")?).or_insert(rating);
    }
    Ok(ratings)
}

/// As [`entering`], for one player.
pub(super) fn start(entering: &HashMap<Uuid, i32>, player: Uuid) -> i32 {
    entering.get(&player).copied().unwrap_or(elo::START)
}
