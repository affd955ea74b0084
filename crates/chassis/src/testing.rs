//! Fresh stores for tests: nothing is shared, nothing is left of an earlier run.
//!
//! `make test` starts Postgres and Redis and says in the environment where they are.

use tempfile::TempDir;
use uuid::Uuid;

mod certificates;
pub mod processes;

pub use certificates::Certificates;

use crate::{
    db::{Db, DbError},
    kv::Kv,
};

/// An embedded database in a temporary folder that goes when this is dropped.
#[derive(Debug)]
pub struct Sqlite {
    /// The database, migrated.
    pub db: Db,
    _folder: TempDir,
}

fn from_environment(variable: &str) -> String {
    std::env::var(variable)
        .unwrap_or_else(|_| panic!("{variable} is not set: run this test with `make test`"))
}

/// A migrated SQLite database of its own.
///
/// # Panics
/// When it cannot be made.
pub async fn sqlite() -> Sqlite {
    let folder = TempDir::new().expect("make a temporary folder");
    // A name that has a meaning in URLs, as a user's folder may have.
    let db = Db::open_file(&folder.path().join("sp%41 a?tz.db"), 4).expect("open SQLite");
    db.migrate().await.expect("migrate SQLite");
    Sqlite {
        db,
        _folder: folder,
    }
}

/// The URL of an empty database of its own on the Postgres of `SPATZ_TEST_POSTGRES_URL`.
///
/// # Panics
/// When it cannot be made.
pub async fn postgres_url() -> String {
    let server = from_environment("SPATZ_TEST_POSTGRES_URL");
    let admin = Db::open(&server, 1).expect("open Postgres");
    let name = format!("spatz_{}", Uuid::new_v4().simple());
    let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
    sqlx::query(create)
        .execute(&admin.pool)
        .await
        .expect("create a database");
    let (base, _) = server
        .rsplit_once('/')
        .expect("a URL that ends in /DATABASE");
    format!("{base}/{name}")
}

/// A migrated Postgres database of its own.
///
/// # Panics
/// When it cannot be made.
pub async fn postgres() -> Db {
    let url = postgres_url().await;
    let opened: Result<Db, DbError> = async {
        let db = Db::open(&url, 8)?;
        db.migrate().await?;
        Ok(db)
    }
    .await;
    opened.expect("migrate Postgres")
}

/// The ways in which Redis is run for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedisKind {
    /// One server.
    Single,
    /// A primary with a replica, found by a Sentinel.
    Sentinel,
    /// Three primaries with a replica each.
    Cluster,
}

impl RedisKind {
    /// The URL of a Redis, and a key prefix of its own.
    ///
    /// # Panics
    /// When the environment does not say where it is.
    #[must_use]
    pub fn url(self) -> (String, String) {
        let url = from_environment(match self {
            Self::Single => "SPATZ_TEST_REDIS_URL",
            Self::Sentinel => "SPATZ_TEST_REDIS_SENTINEL_URL",
            Self::Cluster => "SPATZ_TEST_REDIS_CLUSTER_URL",
        });
        (url, format!("test-{}", Uuid::new_v4().simple()))
    }

    /// A Redis, with a key prefix of its own.
    ///
    /// # Panics
    /// When it does not answer.
    pub async fn connect(self) -> Kv {
        let (url, prefix) = self.url();
        Kv::connect(&url, &prefix).await.expect("connect to Redis")
    }
}

/// The URL of the Redis of `SPATZ_TEST_REDIS_URL`, and a prefix of its own.
///
/// # Panics
/// When the variable is missing.
#[must_use]
pub fn redis_url() -> (String, String) {
    RedisKind::Single.url()
}

/// The Redis of `SPATZ_TEST_REDIS_URL`, with a key prefix of its own.
///
/// # Panics
/// When it does not answer.
pub async fn redis() -> Kv {
    RedisKind::Single.connect().await
}
