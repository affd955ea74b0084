//! What matches did to a player's rating, and why: read together with the other players of each
//! match, from which the reason follows.

use rating::{
    elo::{self, Entry},
    line::{self, End},
    reason::Reason,
};
use sqlx::{Row as _, any::AnyRow};
use uuid::Uuid;

use super::{Store, number, uuid};

/// What one match did to a player's rating.
#[derive(Clone, Debug)]
pub(crate) struct HistoryEntry {
    /// The player's first, second, ... rated match on the ladder.
    pub(crate) number: u32,
    pub(crate) match_id: Uuid,
    pub(crate) at_ms: i64,
    /// As the table ended.
    pub(crate) place: u32,
    pub(crate) reason: Reason,
}

/// A page of a player's history on a ladder, newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct HistoryPage {
    pub(crate) entries: Vec<HistoryEntry>,
    pub(crate) more: bool,
}

/// The columns of the player's own row, and of another player of the same match; both may be
/// null after an outer join.
pub(super) const COLUMNS: &str = "h.player_id AS player_id, h.number, h.match_id, h.at_ms,
    h.rating_before, h.rating_after, h.place, h.abandoned, h.excluded,
    o.player_id AS other_id, o.rating_before AS other_before, o.place AS other_place,
    o.abandoned AS other_abandoned, o.excluded AS other_excluded";
pub(super) const OTHERS: &str =
    "LEFT JOIN rating_history o ON o.match_id = h.match_id AND o.player_id <> h.player_id";

/// The match of a player, while its rows are read.
struct Match {
    number: i64,
    id: Uuid,
    at_ms: i64,
    me: Seat,
    after: i32,
    others: Vec<Seat>,
}

/// A player of the match.
struct Seat {
    end: End,
    before: i32,
    excluded: bool,
}

impl Match {
    fn read(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            number: row.try_get("number")?,
            id: uuid(row, "match_id")?,
            at_ms: row.try_get("at_ms")?,
            me: Seat {
                end: End {
                    player: uuid(row, "player_id")?.as_u128(),
                    place: number(row, "place")?,
                    abandoned: row.try_get::<i64, _>("abandoned")? != 0,
                },
                before: number(row, "rating_before")?,
                excluded: row.try_get::<i64, _>("excluded")? != 0,
            },
            after: number(row, "rating_after")?,
            others: Vec::new(),
        })
    }

    fn read_other(row: &AnyRow) -> Result<Option<Seat>, sqlx::Error> {
        let other: Option<&str> = row.try_get("other_id")?;
        if other.is_none() {
            return Ok(None);
        }
        Ok(Some(Seat {
            end: End {
                player: uuid(row, "other_id")?.as_u128(),
                place: number(row, "other_place")?,
                abandoned: row.try_get::<i64, _>("other_abandoned")? != 0,
            },
            before: number(row, "other_before")?,
            excluded: row.try_get::<i64, _>("other_excluded")? != 0,
        }))
    }

    fn reason(&self) -> Reason {
        let others = self.others.iter().filter(|other| !other.excluded);
        // How often the others had played says only how much it counted for them.
        let entry = |seat: &Seat| line::entry(self.id.as_u128(), &seat.end, seat.before, 0);
        let mut entries = vec![Entry {
            k: elo::k_factor(self.me.before, self.number - 1),
            ..entry(&self.me)
        }];
        entries.extend(others.map(entry));
        if self.me.excluded || entries.len() < 2 {
            return Reason::not_counted(self.me.before);
        }
        Reason::new(&entries, 0, self.after)
    }

    fn entry(&self) -> HistoryEntry {
        HistoryEntry {
            number: u32::try_from(self.number).unwrap_or(u32::MAX),
            match_id: self.id,
            at_ms: self.at_ms,
            place: self.me.end.place,
            reason: self.reason(),
        }
    }
}

/// The matches of rows with [`COLUMNS`], in the order of the rows; the rows of a match follow
/// each other.
pub(super) fn entries<'a>(
    rows: impl Iterator<Item = &'a AnyRow>,
) -> Result<Vec<HistoryEntry>, sqlx::Error> {
    let mut matches: Vec<Match> = Vec::new();
    for row in rows {
        let number: Option<i64> = row.try_get("number")?;
        let Some(number) = number else { continue };
        if matches.last().is_none_or(|last| last.number != number) {
            matches.push(Match::read(row)?);
        }
        if let (Some(last), Some(other)) = (matches.last_mut(), Match::read_other(row)?) {
            last.others.push(other);
        }
    }
    Ok(matches.iter().map(Match::entry).collect())
}

impl Store {
    /// What the matches before the player's match number `before` did; the latest when none.
    pub(crate) async fn history(
        &self,
        player: Uuid,
        ladder: &str,
        before: Option<i64>,
        limit: usize,
    ) -> Result<HistoryPage, sqlx::Error> {
        // One more than asked for, to know whether there are more.
        let sql = format!(
            "SELECT {COLUMNS} FROM
               (SELECT * FROM rating_history
                WHERE player_id = $1 AND ladder_id = $2 AND number < $3
                ORDER BY number DESC LIMIT {}) h
             {OTHERS} ORDER BY h.number DESC",
            limit + 1
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(player.to_string())
            .bind(ladder.to_owned())
            .bind(before.unwrap_or(i64::MAX))
            .fetch_all(&self.db.pool)
            .await?;
        let mut entries = entries(rows.iter())?;
        let more = entries.len() > limit;
        entries.truncate(limit);
        Ok(HistoryPage { entries, more })
    }
}
