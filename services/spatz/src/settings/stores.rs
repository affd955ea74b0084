//! Settings of stores: where they are, and how long to wait for them.

use std::{num::NonZeroU32, time::Duration};

use chassis::{config::Problems, db::Db, kv::Kv};

use super::required;
use crate::cli;

/// Postgres.
#[derive(Debug)]
pub(crate) struct Postgres {
    pub(crate) url: String,
    pub(crate) connections: u32,
}

impl Postgres {
    pub(super) fn read(args: &cli::PostgresArgs, problems: &mut Problems) -> Self {
        let setting = "--postgres-url (SPATZ_POSTGRES_URL)";
        let url = required(problems, setting, args.postgres_url.as_ref());
        let good = url.is_empty() || (url.starts_with("postgres") && Db::check_url(&url).is_ok());
        let checked = if good {
            Ok(())
        } else {
            Err("expected a URL such as postgres://user@host:5432/database")
        };
        problems.note(setting, checked, ());
        let connections = problems.parse(
            "--postgres-connections (SPATZ_POSTGRES_CONNECTIONS)",
            &args.postgres_connections,
            NonZeroU32::MIN,
        );
        Self {
            url,
            connections: connections.get(),
        }
    }
}

/// Redis.
#[derive(Debug)]
pub(crate) struct Redis {
    pub(crate) url: String,
    pub(crate) prefix: String,
}

impl Redis {
    pub(super) fn read(args: &cli::RedisArgs, problems: &mut Problems) -> Self {
        let setting = "--redis-url (SPATZ_REDIS_URL)";
        let url = required(problems, setting, args.redis_url.as_ref());
        let good = url.is_empty() || Kv::check_url(&url);
        let checked = if good {
            Ok(())
        } else {
            Err(
                "expected a URL such as redis://host:6379, redis-sentinel://host:26379#name or \
                 redis-cluster://host:6379",
            )
        };
        problems.note(setting, checked, ());
        let prefix = args.redis_prefix.clone();
        let plain = !prefix.is_empty()
            && prefix.len() <= 64
            && prefix
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let checked = if plain {
            Ok(())
        } else {
            Err("expected 1 to 64 letters, digits or dashes")
        };
        problems.note("--redis-prefix (SPATZ_REDIS_PREFIX)", checked, ());
        Self { url, prefix }
    }

    /// None when there is no URL.
    pub(super) fn read_optional(args: &cli::RedisArgs, problems: &mut Problems) -> Option<Self> {
        let given = args.redis_url.as_ref().is_some_and(|url| !url.is_empty());
        given.then(|| Self::read(args, problems))
    }
}

/// How long to wait for stores.
pub(super) fn wait(args: &cli::WaitArgs, problems: &mut Problems) -> Duration {
    let setting = "--wait-for-stores (SPATZ_WAIT_FOR_STORES)";
    let seconds: u32 = problems.parse(setting, &args.wait_for_stores, 0);
    Duration::from_secs(seconds.into())
}
