//! The archive: finished matches, and the logs of their tables.
//!
//! A table's log arrives in segments, one after each deal and one at the end. Whatever is
//! archived once stays as it is: doing it again, by whichever replica, changes nothing. The
//! segments of a match make up its whole log, from version 1 and without a gap, save where a
//! table was restored.

use std::fmt::Debug;

use async_trait::async_trait;
use chassis::{ErrorCode, Failure, db::Db};
use prost::Message as _;
use proto::v1::{ArchivedEntry, ArchivedSegment, MatchSummary, Player, occupant};
use sqlx::{Any, Transaction};
use uuid::Uuid;

use crate::log::Entry;

mod cursor;

use cursor::Cursor;

/// Matches on one page, at most.
pub const MAX_PAGE: u32 = 100;
/// Number of the segment that follows the last deal's. Deals count from 1.
const CLOSING: u32 = 0;

/// Why the archive cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The cursor is none that [`MatchArchive::list`] gave out.
    #[error("expected a cursor as given in `next`")]
    Cursor,
    /// The size of the page is out of bounds.
    #[error("expected a limit of 1 to {MAX_PAGE}")]
    Limit,
    /// What was to be archived makes no sense.
    #[error("cannot archive {0}")]
    Invalid(&'static str),
    /// The database failed.
    #[error("database: {0}")]
    Sql(#[from] sqlx::Error),
    /// What is stored cannot be understood.
    #[error("unexpected {0} in the archive")]
    Corrupt(&'static str),
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Self {
        match error {
            HistoryError::Cursor | HistoryError::Limit => {
                Self::new(ErrorCode::BadRequest, error.to_string())
            }
            HistoryError::Sql(cause) => cause.into(),
            HistoryError::Invalid(_) | HistoryError::Corrupt(_) => Self::internal(error),
        }
    }
}

/// Some matches of a player.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Newest first.
    pub matches: Vec<MatchSummary>,
    /// Cursor of the next page, unless this is the last.
    pub next: Option<String>,
}

/// Where finished matches go and come from: what the service wants of the archive.
#[async_trait]
pub trait MatchArchive: Debug + Send + Sync {
    /// Archives the log of a deal (counted from 1): everything since the deal before, and for
    /// the first one also what came before it. A deal that is in the archive stays as it is, so
    /// where a segment ends must follow from the log alone.
    ///
    /// # Errors
    /// When the deal is 0 or the entries are none or not consecutive, or the database fails.
    async fn archive_deal(
        &self,
        match_id: Uuid,
        deal: u32,
        entries: &[Entry],
    ) -> Result<(), HistoryError>;

    /// Archives a finished match and what its log has after the last archived deal, all or
    /// nothing. A match that is in the archive stays as it is.
    ///
    /// # Errors
    /// When the summary lacks a valid id or result or the entries are not consecutive, or the
    /// database fails.
    async fn archive_match(
        &self,
        summary: &MatchSummary,
        last: &[Entry],
    ) -> Result<(), HistoryError>;

    /// A finished match, if it is in the archive.
    ///
    /// # Errors
    /// When the database fails.
    async fn summary(&self, match_id: Uuid) -> Result<Option<MatchSummary>, HistoryError>;

    /// The archived log of a match, in order from version 1: all of it once the match is in the
    /// archive, before that as far as deals are. Empty for an unknown match.
    ///
    /// # Errors
    /// When an entry is missing in the middle, or the database fails.
    async fn entries(&self, match_id: Uuid) -> Result<Vec<Entry>, HistoryError> {
        match self.beginning(match_id).await? {
            (entries, true) => Ok(entries),
            (_, false) => Err(HistoryError::Corrupt("gap")),
        }
    }

    /// The log of a match up to the first entry that is missing in the middle, and whether that
    /// is all that is archived. A database that was put back to an earlier state has such gaps.
    ///
    /// # Errors
    /// When the database fails.
    async fn beginning(&self, match_id: Uuid) -> Result<(Vec<Entry>, bool), HistoryError>;

    /// Matches of which deals are archived and that are not over, by id, after one id: up to
    /// `limit` of them.
    ///
    /// # Errors
    /// When the database fails.
    async fn unfinished(&self, after: Uuid, limit: u32) -> Result<Vec<Uuid>, HistoryError>;

    /// Matches that are in the archive, by id, after one id: up to `limit` of them.
    ///
    /// # Errors
    /// When the database fails.
    async fn finished(&self, after: Uuid, limit: u32) -> Result<Vec<MatchSummary>, HistoryError>;

    /// The matches of a player, newest first. `cursor` is `next` of the page before, or empty.
    ///
    /// # Errors
    /// When the cursor or the limit (1 to [`MAX_PAGE`]) makes no sense, or the database fails.
    async fn list(&self, player: Uuid, cursor: &str, limit: u32) -> Result<Page, HistoryError>;
}

/// The archive of matches, in SQL.
#[derive(Clone, Debug)]
pub struct History {
    db: Db,
}

impl History {
    /// The archive in a migrated database.
    #[must_use]
    pub const fn new(db: Db) -> Self {
        Self { db }
    }
}

#[async_trait]
impl MatchArchive for History {
    async fn archive_deal(
        &self,
        match_id: Uuid,
        deal: u32,
        entries: &[Entry],
    ) -> Result<(), HistoryError> {
        if deal == CLOSING {
            return Err(HistoryError::Invalid("a deal 0"));
        }
        let segment = Segment::new(entries)?.ok_or(HistoryError::Invalid("a deal without log"))?;
        let insert = async {
            let mut transaction = self.db.begin().await?;
            segment.insert(&mut transaction, match_id, deal).await?;
            transaction.commit().await?;
            Ok(())
        };
        self.db.observed("archive_deal", insert).await
    }

    async fn archive_match(
        &self,
        summary: &MatchSummary,
        last: &[Entry],
    ) -> Result<(), HistoryError> {
        let match_id = parse(&summary.match_id)?;
        let players = finishes(summary)?;
        let closing = Segment::new(last)?;
        let insert = async {
            let mut transaction = self.db.begin().await?;
            let inserted = sqlx::query(
                "INSERT INTO matches (match_id, ended_ms, summary) VALUES ($1, $2, $3)
                 ON CONFLICT (match_id) DO NOTHING",
            )
            .bind(match_id.to_string())
            .bind(summary.ended_ms)
            .bind(summary.encode_to_vec())
            .execute(&mut *transaction)
            .await?;
            if inserted.rows_affected() == 0 {
                return Ok(());
            }
            for player in players {
                sqlx::query(
                    "INSERT INTO match_players (match_id, seat, player_id, place, score, ended_ms)
                     VALUES ($1, $2, $3, $4, $5, $6)",
                )
                .bind(match_id.to_string())
                .bind(player.seat)
                .bind(player.id.to_string())
                .bind(i64::from(player.place))
                .bind(i64::from(player.score))
                .bind(summary.ended_ms)
                .execute(&mut *transaction)
                .await?;
            }
            if let Some(segment) = closing {
                segment.insert(&mut transaction, match_id, CLOSING).await?;
            }
            transaction.commit().await?;
            Ok(())
        };
        self.db.observed("archive_match", insert).await
    }

    async fn summary(&self, match_id: Uuid) -> Result<Option<MatchSummary>, HistoryError> {
        let found = sqlx::query_scalar("SELECT summary FROM matches WHERE match_id = $1")
            .bind(match_id.to_string())
            .fetch_optional(&self.db.pool);
        let found: Option<Vec<u8>> = self.db.observed("match_summary", found).await?;
        found.as_deref().map(decode_summary).transpose()
    }

    async fn beginning(&self, match_id: Uuid) -> Result<(Vec<Entry>, bool), HistoryError> {
        let segments = sqlx::query_scalar(
            "SELECT segment FROM match_segments WHERE match_id = $1
             ORDER BY first_version, deal",
        )
        .bind(match_id.to_string())
        .fetch_all(&self.db.pool);
        let segments: Vec<Vec<u8>> = self.db.observed("match_log", segments).await?;
        let mut log = Vec::new();
        let mut last = 0;
        for segment in segments {
            let segment = ArchivedSegment::decode(segment.as_slice())
                .map_err(|_| HistoryError::Corrupt("segment"))?;
            for stored in segment.entries {
                // Segments that were cut differently overlap in the same entries.
                if stored.version <= last {
                    continue;
                }
                if !follows(last, stored.version, &stored.event) {
                    return Ok((log, false));
                }
                last = stored.version;
                log.push(Entry {
                    version: stored.version,
                    at_ms: stored.at_ms,
                    event: stored.event,
                });
            }
        }
        Ok((log, true))
    }

    async fn unfinished(&self, after: Uuid, limit: u32) -> Result<Vec<Uuid>, HistoryError> {
        let found: Vec<String> = sqlx::query_scalar(
            "SELECT match_id FROM match_segments s
             WHERE match_id > $1 AND deal = 1
                AND NOT EXISTS (SELECT 1 FROM matches m WHERE m.match_id = s.match_id)
             ORDER BY match_id LIMIT $2",
        )
        .bind(after.to_string())
        .bind(i64::from(limit))
        .fetch_all(&self.db.pool)
        .await?;
        found
            .iter()
            .map(|id| id.parse().map_err(|_| HistoryError::Corrupt("match id")))
            .collect()
    }

    async fn finished(&self, after: Uuid, limit: u32) -> Result<Vec<MatchSummary>, HistoryError> {
        let found: Vec<Vec<u8>> = sqlx::query_scalar(
            "SELECT summary FROM matches WHERE match_id > $1 ORDER BY match_id LIMIT $2",
        )
        .bind(after.to_string())
        .bind(i64::from(limit))
        .fetch_all(&self.db.pool)
        .await?;
        found
            .iter()
            .map(|summary| decode_summary(summary))
            .collect()
    }

    async fn list(&self, player: Uuid, cursor: &str, limit: u32) -> Result<Page, HistoryError> {
        if !(1..=MAX_PAGE).contains(&limit) {
            return Err(HistoryError::Limit);
        }
        let before = if cursor.is_empty() {
            Cursor::START
        } else {
            Cursor::decode(cursor).ok_or(HistoryError::Cursor)?
        };
        let rows = sqlx::query_as(
            "SELECT p.ended_ms, p.match_id, m.summary
             FROM match_players p JOIN matches m ON m.match_id = p.match_id
             WHERE p.player_id = $1 AND (p.ended_ms, p.match_id) < ($2, $3)
             ORDER BY p.ended_ms DESC, p.match_id DESC LIMIT $4",
        )
        .bind(player.to_string())
        .bind(before.ended_ms)
        .bind(before.match_id.to_string())
        .bind(i64::from(limit) + 1)
        .fetch_all(&self.db.pool);
        let mut rows: Vec<(i64, String, Vec<u8>)> = self.db.observed("list_matches", rows).await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = match rows.last() {
            Some((ended_ms, match_id, _)) if more => Some(
                Cursor {
                    ended_ms: *ended_ms,
                    match_id: match_id
                        .parse()
                        .map_err(|_| HistoryError::Corrupt("match id"))?,
                }
                .encode(),
            ),
            _ => None,
        };
        let matches = rows
            .iter()
            .map(|(_, _, summary)| decode_summary(summary))
            .collect::<Result<_, _>>()?;
        Ok(Page { matches, next })
    }
}

fn parse(id: &str) -> Result<Uuid, HistoryError> {
    id.parse()
        .map_err(|_| HistoryError::Invalid("an id that is no UUID"))
}

fn decode_summary(stored: &[u8]) -> Result<MatchSummary, HistoryError> {
    MatchSummary::decode(stored).map_err(|_| HistoryError::Corrupt("summary"))
}

/// How a player finished.
struct Finish {
    id: Uuid,
    seat: i64,
    place: u32,
    score: i32,
}

/// The players of a match, without bots.
fn finishes(summary: &MatchSummary) -> Result<Vec<Finish>, HistoryError> {
    let missing = || HistoryError::Invalid("a match without result");
    let result = summary.result.as_ref().ok_or_else(missing)?;
    let mut finishes = Vec::new();
    for (index, occupant) in summary.seats.iter().enumerate() {
        if let Some(occupant::Kind::Player(Player { id, .. })) = &occupant.kind {
            finishes.push(Finish {
                id: parse(id)?,
                seat: i64::try_from(index).map_err(|_| HistoryError::Invalid("that many seats"))?,
                place: *result.places.get(index).ok_or_else(missing)?,
                score: *result.scores.get(index).ok_or_else(missing)?,
            });
        }
    }
    Ok(finishes)
}

/// Whether an entry comes right after a version. Where a table was restored, versions are missing.
fn follows(last: u64, version: u64, event: &[u8]) -> bool {
    last.checked_add(1) == Some(version)
        || (version > last && table::decode(event, None) == Ok(table::Event::Restored))
}

/// A part of a log, encoded.
struct Segment {
    first_version: i64,
    bytes: Vec<u8>,
}

impl Segment {
    /// `None` for no entries.
    fn new(entries: &[Entry]) -> Result<Option<Self>, HistoryError> {
        let Some(first) = entries.first() else {
            return Ok(None);
        };
        if entries
            .windows(2)
            .any(|pair| !follows(pair[0].version, pair[1].version, &pair[1].event))
        {
            return Err(HistoryError::Invalid("a log with gaps"));
        }
        let first_version = i64::try_from(first.version)
            .map_err(|_| HistoryError::Invalid("a version out of range"))?;
        let segment = ArchivedSegment {
            entries: entries
                .iter()
                .map(|entry| ArchivedEntry {
                    version: entry.version,
                    at_ms: entry.at_ms,
                    event: entry.event.clone(),
                })
                .collect(),
        };
        Ok(Some(Self {
            first_version,
            bytes: segment.encode_to_vec(),
        }))
    }

    async fn insert(
        self,
        transaction: &mut Transaction<'static, Any>,
        match_id: Uuid,
        number: u32,
    ) -> Result<(), HistoryError> {
        sqlx::query(
            "INSERT INTO match_segments (match_id, deal, first_version, segment)
             VALUES ($1, $2, $3, $4) ON CONFLICT (match_id, deal) DO NOTHING",
        )
        .bind(match_id.to_string())
        .bind(i64::from(number))
        .bind(self.first_version)
        .bind(self.bytes)
        .execute(&mut **transaction)
        .await?;
        Ok(())
    }
}
