//! SQL databases: one file with SQLite on a laptop, Postgres in a cluster.
//!
//! Queries are written once, in the SQL that both understand, with `$1` placeholders. Integers
//! are `BIGINT`, instants are milliseconds since 1970 UTC, bytes are `BYTEA` or `BLOB`. Where
//! the two differ, [`Dialect`] says so.

use std::{path::Path, sync::LazyLock, time::Instant};

use sqlx::{
    Any, AnyPool, ConnectOptions as _, Transaction,
    any::{AnyConnectOptions, AnyPoolOptions},
    migrate::{MigrateError, Migrator},
};
use tracing::Instrument as _;

use crate::{
    Failure,
    telemetry::metrics::{self, KeyValue},
    trace_span,
};

static POSTGRES: LazyLock<Migrator> =
    LazyLock::new(|| forward(sqlx::migrate!("../../migrations/postgres")));
static SQLITE: LazyLock<Migrator> =
    LazyLock::new(|| forward(sqlx::migrate!("../../migrations/sqlite")));

/// A newer release may have migrated further: whoever rolls back to this one has nothing to do.
fn forward(mut migrator: Migrator) -> Migrator {
    migrator.set_ignore_missing(true);
    migrator
}

/// Which database answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The embedded store.
    Sqlite,
    /// The cluster's store.
    Postgres,
}

impl Dialect {
    fn of(url: &str) -> Option<Self> {
        if url.starts_with("sqlite:") {
            Some(Self::Sqlite)
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            Some(Self::Postgres)
        } else {
            None
        }
    }

    /// Clause that locks selected rows until the transaction ends. SQLite has one writer at a
    /// time, so it needs none.
    #[must_use]
    pub const fn for_update(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " FOR UPDATE",
        }
    }
}

/// A pool of connections to a database.
#[derive(Clone, Debug)]
pub struct Db {
    /// The connections.
    pub pool: AnyPool,
    /// What they speak.
    pub dialect: Dialect,
}

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// The URL names no database that Spatz knows. The URL is not repeated: it may hold a
    /// password.
    #[error("expected a URL that starts with postgres:// or sqlite:")]
    Url,
    /// Connecting or asking failed.
    #[error("database: {0}")]
    Sqlx(#[from] sqlx::Error),
    /// A migration failed.
    #[error("migration: {0}")]
    Migrate(#[from] MigrateError),
    /// The schema is older than this program.
    #[error("the schema is at version {found}, this program needs {needed}: run `spatz migrate`")]
    Outdated {
        /// Version of the database's schema.
        found: i64,
        /// Version that this program was built with.
        needed: i64,
    },
}

/// How long a migration may wait for a lock.
const LOCK_TIMEOUT: &str = "SET lock_timeout = '3s'";
/// SQLSTATE of a table that does not exist.
const UNDEFINED_TABLE: &str = "42P01";

impl Db {
    /// Says whether a URL names a database that Spatz knows.
    ///
    /// # Errors
    /// When it does not.
    pub fn check_url(url: &str) -> Result<(), DbError> {
        sqlx::any::install_default_drivers();
        let known = Dialect::of(url).is_some() && url.parse::<AnyConnectOptions>().is_ok();
        if known { Ok(()) } else { Err(DbError::Url) }
    }

    /// Opens a pool on a SQLite file, which is made if it is not there.
    ///
    /// # Errors
    /// When the path is not understood.
    pub fn open_file(path: &Path, max_connections: u32) -> Result<Self, DbError> {
        // The path is part of a URL: what has a meaning there is escaped.
        let bytes = path.as_os_str().as_encoded_bytes();
        let escaped: String = bytes
            .iter()
            .map(|&byte| match byte {
                b'/' | b'.' | b'-' | b'_' | b'~' => char::from(byte).to_string(),
                byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
                byte => format!("%{byte:02X}"),
            })
            .collect();
        Self::open(&format!("sqlite://{escaped}?mode=rwc"), max_connections)
    }

    /// Opens a pool, without connecting yet.
    ///
    /// # Errors
    /// When the URL is not understood.
    pub fn open(url: &str, max_connections: u32) -> Result<Self, DbError> {
        sqlx::any::install_default_drivers();
        let dialect = Dialect::of(url).ok_or(DbError::Url)?;
        let pool = AnyPoolOptions::new()
            .max_connections(max_connections)
            .acquire_timeout(std::time::Duration::from_secs(5))
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if dialect == Dialect::Sqlite {
                        // A move that was acknowledged survives a loss of power: FULL.
                        for pragma in [
                            "PRAGMA busy_timeout = 10000",
                            "PRAGMA journal_mode = WAL",
                            "PRAGMA synchronous = FULL",
                            "PRAGMA foreign_keys = ON",
                        ] {
                            sqlx::query(pragma).execute(&mut *connection).await?;
                        }
                    }
                    Ok(())
                })
            })
            .connect_lazy(url)
            .map_err(|_| DbError::Url)?;
        Ok(Self { pool, dialect })
    }

    /// Starts a transaction that writes. SQLite takes its write lock at once, so that two
    /// writers wait for each other instead of failing half-way.
    ///
    /// # Errors
    /// When no connection is to be had.
    pub async fn begin(&self) -> Result<Transaction<'static, Any>, sqlx::Error> {
        match self.dialect {
            Dialect::Sqlite => self.pool.begin_with("BEGIN IMMEDIATE").await,
            Dialect::Postgres => self.pool.begin().await,
        }
    }

    fn migrator(&self) -> &'static Migrator {
        match self.dialect {
            Dialect::Sqlite => &SQLITE,
            Dialect::Postgres => &POSTGRES,
        }
    }

    /// Connects once, outside of the pool: a pool tells only that time ran out, not why.
    async fn reach(&self) -> Result<(), DbError> {
        let mut connection = self.pool.connect_options().connect().await?;
        if self.dialect == Dialect::Sqlite {
            // Reads the file, which opening it does not.
            sqlx::query("PRAGMA schema_version")
                .execute(&mut connection)
                .await?;
        }
        Ok(())
    }

    /// Brings the schema up to date. Several at once are safe: one works, the others wait.
    ///
    /// # Errors
    /// When a migration fails, or does not get a lock for seconds; what was done before stays.
    pub async fn migrate(&self) -> Result<(), DbError> {
        self.reach().await?;
        let mut connection = self.pool.acquire().await?;
        if self.dialect == Dialect::Postgres {
            connection.close_on_drop();
            // Everybody else queues behind a migration that waits for its lock: better it fails.
            sqlx::query(LOCK_TIMEOUT).execute(&mut *connection).await?;
        }
        Ok(self.migrator().run(&mut *connection).await?)
    }

    /// Does something with the database, and tells how long it took.
    ///
    /// # Errors
    /// Those of what is done.
    pub async fn observed<T, E>(
        &self,
        operation: &'static str,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let system = match self.dialect {
            Dialect::Sqlite => "sqlite",
            Dialect::Postgres => "postgresql",
        };
        let span = trace_span!(
            "sql",
            otel.name = operation,
            otel.kind = "client",
            db.system.name = system,
            db.operation.name = operation,
        );
        let started = Instant::now();
        let answer = work.instrument(span).await;
        metrics::store_asked(system, operation, answer.is_ok(), started.elapsed());
        answer
    }

    /// Tells in metrics how many connections there are, from now on.
    pub fn count_connections(&self) {
        let pool = self.pool.clone();
        metrics::meter()
            .i64_observable_up_down_counter("db.client.connection.count")
            .with_description("Connections to the database")
            .with_callback(move |observer| {
                let idle = i64::try_from(pool.num_idle()).unwrap_or(0);
                let all = i64::from(pool.size());
                let state = |state| [KeyValue::new("state", state)];
                observer.observe(idle, &state("idle"));
                observer.observe((all - idle).max(0), &state("used"));
            })
            .build();
        let max = i64::from(self.pool.options().get_max_connections());
        metrics::meter()
            .i64_observable_up_down_counter("db.client.connection.max")
            .with_description("Connections to the database at most")
            .with_callback(move |observer| observer.observe(max, &[]))
            .build();
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn check(&self) -> Result<(), Failure> {
        let answer = sqlx::query("SELECT 1").execute(&self.pool).await;
        answer.map(drop).map_err(Failure::unavailable)
    }

    /// Refuses a schema that is older than this program. A newer one is fine: migrations only
    /// expand what the previous release needs.
    ///
    /// # Errors
    /// [`DbError::Outdated`], or when the database cannot be asked.
    pub async fn check_schema(&self) -> Result<(), DbError> {
        self.reach().await?;
        let needed = self.migrator().iter().map(|m| m.version).max().unwrap_or(0);
        let found: i64 = sqlx::query_scalar(
            "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations WHERE success",
        )
        .fetch_one(&self.pool)
        .await
        .or_else(|error| match error {
            // Nobody has migrated it yet.
            sqlx::Error::Database(cause) if cause.code().as_deref() == Some(UNDEFINED_TABLE) => {
                Ok(0)
            }
            other => Err(other),
        })?;
        if found < needed {
            return Err(DbError::Outdated { found, needed });
        }
        Ok(())
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use crate::testing;

    #[tokio::test]
    async fn a_schema_of_a_newer_release_needs_no_migration() {
        let postgres = testing::postgres().await;
        let sqlite = testing::sqlite().await;
        for db in [&postgres, &sqlite.db] {
            let newer = "INSERT INTO _sqlx_migrations
                (version, description, success, checksum, execution_time)
                SELECT 9999, 'newer', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";
            let done = sqlx::query(newer).execute(&db.pool).await;
            done.expect("note a migration");
            db.migrate().await.expect("nothing to do");
            db.check_schema().await.expect("a good schema");
        }
    }

    #[tokio::test]
    async fn a_migration_does_not_queue_for_a_lock_that_somebody_keeps() {
        let db = testing::postgres().await;
        let mut keeper = db.begin().await.expect("begin");
        sqlx::query("LOCK TABLE _sqlx_migrations IN ACCESS EXCLUSIVE MODE")
            .execute(&mut *keeper)
            .await
            .expect("lock");
        let error = db.migrate().await.expect_err("a failure").to_string();
        assert!(error.contains("lock timeout"), "{error}");
        keeper.rollback().await.expect("roll back");
        db.migrate().await.expect("migrate");
    }
}
