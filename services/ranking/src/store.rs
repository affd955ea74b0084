//! Ratings in the database: SQL that SQLite and Postgres both understand.
//!
//! Tables: `ladders`, `rated_matches`, `ratings`, `rating_history`, `leaderboard_outbox`
//! (`migrations/*/0003_ratings.sql`, `0006`, `0007`). Only this service reads or writes them. Ids are bound as
//! the lower-case text of a UUID, whose order is the order of the bytes.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use chassis::{
    Failure,
    db::{Db, Dialect},
};
use sqlx::{Any, Row as _, Transaction, any::AnyRow};
use uuid::Uuid;

use crate::service::Config;

mod boards;
mod entering;
mod history;
mod ladders;
mod outbox;
mod players;
mod recompute;
mod record;
mod standings;

pub(crate) use history::{HistoryEntry, HistoryPage};
pub use ladders::Ladder;
pub(crate) use ladders::SeasonChange;
pub(crate) use outbox::Changed;
pub(crate) use players::PlayerRating;
pub use recompute::{Moved, Recomputed};
pub(crate) use recompute::{Participation, RecomputeError};
pub(crate) use record::{Change, Recorded};
pub(crate) use standings::{Listing, Page, Row, Standing};

/// How often a write is tried when the database says that it lost against another one.
const MAX_ATTEMPTS: u32 = 5;

/// All that the ranking service keeps.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    db: Db,
    config: Arc<Config>,
}

impl Store {
    pub(crate) fn new(db: Db, config: Config) -> Self {
        Self {
            db,
            config: Arc::new(config),
        }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Whether the database answers.
    pub(crate) async fn check(&self) -> Result<(), Failure> {
        self.db.check().await
    }

    /// A transaction in which all reads see one moment.
    async fn snapshot(&self) -> Result<Transaction<'static, Any>, sqlx::Error> {
        match self.db.dialect {
            Dialect::Sqlite => self.db.pool.begin().await,
            Dialect::Postgres => {
                let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
                self.db.pool.begin_with(begin).await
            }
        }
    }
}

/// Whether the same transaction may succeed when it is simply tried again: Postgres'
/// serialization failure and deadlock, SQLite's "busy" and its kinds.
fn is_transient(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    matches!(
        code.as_deref(),
        Some("40001" | "40P01" | "5" | "261" | "517")
    )
}

/// What the caller is told of an error: to try again when that may help.
pub(crate) fn failure(error: sqlx::Error) -> Failure {
    if is_transient(&error) {
        Failure::unavailable(error)
    } else {
        error.into()
    }
}

/// A short wait before the next attempt: longer each time, and random in part, so that two who
/// collided do not collide again.
async fn back_off(attempt: u32) {
    let jitter = Uuid::new_v4().as_u128() as u64 % 10;
    tokio::time::sleep(Duration::from_millis(u64::from(attempt) * 5 + jitter)).await;
}

/// `($1, $2), ($3, $4)`: the values of `rows` rows of `width` columns.
fn value_rows(rows: usize, width: usize) -> String {
    let mut text = String::new();
    for row in 0..rows {
        let open = if row == 0 { "(" } else { ", (" };
        text.push_str(open);
        text.push_str(&placeholders(row * width + 1, width));
        text.push(')');
    }
    text
}

/// `$3, $4, $5`: `count` placeholders from number `first` on.
fn placeholders(first: usize, count: usize) -> String {
    let mut text = String::new();
    for number in first..first + count {
        let comma = if number == first { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}${number}");
    }
    text
}

/// Reads the UUID of a column.
fn uuid(row: &AnyRow, column: &str) -> Result<Uuid, sqlx::Error> {
    let text: &str = row.try_get(column)?;
    text.parse().map_err(|error| sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: Box::new(error),
    })
}

/// Reads a `BIGINT` that holds a smaller number.
fn number<T>(row: &AnyRow, column: &str) -> Result<T, sqlx::Error>
where
    T: TryFrom<i64, Error: std::error::Error + Send + Sync + 'static>,
{
    let wide: i64 = row.try_get(column)?;
    T::try_from(wide).map_err(|error| sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: Box::new(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered_through() {
        assert_eq!(placeholders(3, 2), "$3, $4");
        assert_eq!(value_rows(2, 3), "($1, $2, $3), ($4, $5, $6)");
    }
}
