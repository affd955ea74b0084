//! Who stands where on a ladder.
//!
//! The order is rating, best first; of equal ratings who got there first; then id. Equal ratings
//! share a rank: 1, 2, 2, 4. Pages are read by position, not by offset, and ranks are counted at
//! the moment of the read, so they are right on every page, whoever moved since the last one.

use sqlx::{Any, AssertSqlSafe, Row as _, Transaction, any::AnyRow, query::Query};
use uuid::Uuid;

use super::{Store, number, placeholders, uuid};
use crate::cursor::Position;

type AnyQuery = Query<'static, Any, <Any as sqlx::Database>::Arguments>;

/// Ladder, and who is listed there.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) ladder: String,
    /// Fewest rated matches.
    pub(crate) min_matches: i64,
    /// Earliest end of the latest rated match.
    pub(crate) active_since_ms: i64,
}

/// One line of the standings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) rank: u32,
    pub(crate) matches: u32,
    pub(crate) position: Position,
}

impl Standing {
    /// The ranks of lines that stand in a row. `above` of the listed have a higher rating than
    /// the first one, `ahead` stand before it.
    pub(crate) fn in_a_row(rows: Vec<Row>, above: u32, ahead: u32) -> Vec<Self> {
        let mut standings: Vec<Self> = Vec::with_capacity(rows.len());
        for (number, row) in (ahead..).zip(rows) {
            let rank = match standings.last() {
                Some(last) if last.position.rating == row.position.rating => last.rank,
                Some(_) => number + 1,
                None => above + 1,
            };
            standings.push(Self::new(row, rank));
        }
        standings
    }

    pub(crate) fn new(row: Row, rank: u32) -> Self {
        Self {
            rank,
            matches: row.matches,
            position: row.position,
        }
    }
}

/// Some lines in a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub(crate) standings: Vec<Standing>,
    /// Whether there are lines after these.
    pub(crate) more: bool,
}

/// A line before its rank is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) matches: u32,
    pub(crate) position: Position,
}

impl Row {
    fn read(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            matches: number(row, "matches")?,
            position: Position {
                rating: number(row, "rating")?,
                reached_ms: row.try_get("reached_ms")?,
                player: uuid(row, "player_id")?,
            },
        })
    }
}

/// Which of the listed lines.
#[derive(Clone, Copy)]
enum Range<'a> {
    Top,
    /// Those after a position, best first.
    After(&'a Position),
    /// Those before a position, the nearest first.
    Before(&'a Position),
}

const LISTED: &str = "ladder_id = $1 AND matches >= $2 AND last_ms >= $3 AND excluded = 0";
const COLUMNS: &str = "player_id, rating, matches, reached_ms";
const BEST_FIRST: &str = "rating DESC, reached_ms, player_id";
const WORST_FIRST: &str = "rating, reached_ms DESC, player_id DESC";
/// `rating <= $4` is said twice so that the index is entered at the position.
const AFTER: &str = "rating <= $4 AND (rating < $4 OR reached_ms > $5
    OR (reached_ms = $5 AND player_id > $6))";
const BEFORE: &str = "rating >= $4 AND (rating > $4 OR reached_ms < $5
    OR (reached_ms = $5 AND player_id < $6))";

impl Store {
    /// The first `limit` lines, or those after a position.
    pub(crate) async fn standings(
        &self,
        listing: &Listing,
        after: Option<&Position>,
        limit: usize,
    ) -> Result<Page, sqlx::Error> {
        let mut snapshot = self.snapshot().await?;
        let range = after.map_or(Range::Top, Range::After);
        // One more than asked for, to know whether there are more.
        let mut lines = lines(&mut snapshot, listing, range, limit + 1).await?;
        let more = lines.len() > limit;
        lines.truncate(limit);
        let standings = ranked(&mut snapshot, listing, lines).await?;
        Ok(Page { standings, more })
    }

    /// The line of a player with up to `span` lines on each side; nothing when the player is
    /// not listed.
    pub(crate) async fn around(
        &self,
        listing: &Listing,
        player: Uuid,
        span: usize,
    ) -> Result<Option<Page>, sqlx::Error> {
        let mut snapshot = self.snapshot().await?;
        let sql = format!("SELECT {COLUMNS} FROM ratings WHERE {LISTED} AND player_id = $4");
        let query = bind_listing(sql, listing).bind(player.to_string());
        let Some(row) = query.fetch_optional(&mut *snapshot).await? else {
            return Ok(None);
        };
        let me = Row::read(&row)?;
        let before = Range::Before(&me.position);
        let mut window = lines(&mut snapshot, listing, before, span).await?;
        window.reverse();
        let after = Range::After(&me.position);
        let mut behind = lines(&mut snapshot, listing, after, span + 1).await?;
        let more = behind.len() > span;
        behind.truncate(span);
        window.push(me);
        window.append(&mut behind);
        let standings = ranked(&mut snapshot, listing, window).await?;
        Ok(Some(Page { standings, more }))
    }

    /// The lines of those of the players who are listed, best first.
    pub(crate) async fn among(
        &self,
        listing: &Listing,
        players: &[Uuid],
    ) -> Result<Page, sqlx::Error> {
        if players.is_empty() {
            return Ok(Page::default());
        }
        let mut snapshot = self.snapshot().await?;
        let sql = format!(
            "SELECT {COLUMNS} FROM ratings WHERE {LISTED} AND player_id IN ({})
             ORDER BY {BEST_FIRST}",
            placeholders(4, players.len())
        );
        let mut query = bind_listing(sql, listing);
        for player in players {
            query = query.bind(player.to_string());
        }
        let rows = query.fetch_all(&mut *snapshot).await?;
        let mut standings: Vec<Standing> = Vec::with_capacity(rows.len());
        // Each count begins where the last one ended, so that together they read the ladder once.
        let (mut above, mut counted_to) = (0, i64::MAX);
        for row in &rows {
            let row = Row::read(row)?;
            let rating = i64::from(row.position.rating);
            if rating < counted_to {
                let between = "rating > $4 AND rating <= $5";
                let between = count(&mut snapshot, listing, between, |query| {
                    query.bind(rating).bind(counted_to)
                });
                above += between.await?;
                counted_to = rating;
            }
            standings.push(Standing::new(row, above + 1));
        }
        Ok(Page {
            standings,
            more: false,
        })
    }
}

fn bind_listing(sql: String, listing: &Listing) -> AnyQuery {
    sqlx::query(AssertSqlSafe(sql))
        .bind(listing.ladder.clone())
        .bind(listing.min_matches)
        .bind(listing.active_since_ms)
}

fn bind_position(query: AnyQuery, position: &Position) -> AnyQuery {
    query
        .bind(i64::from(position.rating))
        .bind(position.reached_ms)
        .bind(position.player.to_string())
}

async fn lines(
    snapshot: &mut Transaction<'static, Any>,
    listing: &Listing,
    range: Range<'_>,
    limit: usize,
) -> Result<Vec<Row>, sqlx::Error> {
    let (bounds, position, order) = match range {
        Range::Top => (String::new(), None, BEST_FIRST),
        Range::After(position) => (format!(" AND {AFTER}"), Some(position), BEST_FIRST),
        Range::Before(position) => (format!(" AND {BEFORE}"), Some(position), WORST_FIRST),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM ratings WHERE {LISTED}{bounds} ORDER BY {order} LIMIT {limit}"
    );
    let mut query = bind_listing(sql, listing);
    if let Some(position) = position {
        query = bind_position(query, position);
    }
    let rows = query.fetch_all(&mut **snapshot).await?;
    rows.iter().map(Row::read).collect()
}

/// Gives lines that stand in a row their ranks.
async fn ranked(
    snapshot: &mut Transaction<'static, Any>,
    listing: &Listing,
    lines: Vec<Row>,
) -> Result<Vec<Standing>, sqlx::Error> {
    let Some(first) = lines.first() else {
        return Ok(Vec::new());
    };
    let above = "rating > $4";
    let above = count(snapshot, listing, above, |query| {
        query.bind(i64::from(first.position.rating))
    });
    let above = above.await?;
    // The first line may share its rating with lines before it.
    let tied = format!("rating = $4 AND {BEFORE}");
    let tied = count(snapshot, listing, &tied, |query| {
        bind_position(query, &first.position)
    });
    let ahead = above + tied.await?;
    Ok(Standing::in_a_row(lines, above, ahead))
}

/// How many listed lines fulfil a condition.
async fn count(
    snapshot: &mut Transaction<'static, Any>,
    listing: &Listing,
    condition: &str,
    bind: impl FnOnce(AnyQuery) -> AnyQuery,
) -> Result<u32, sqlx::Error> {
    let sql = format!("SELECT COUNT(*) AS lines FROM ratings WHERE {LISTED} AND {condition}");
    let query = bind(bind_listing(sql, listing));
    let row = query.fetch_one(&mut **snapshot).await?;
    number(&row, "lines")
}
