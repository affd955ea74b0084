//! Settings of the operator's commands, which work on an installation beside its processes.

use std::{num::NonZeroU32, path::PathBuf};

use chassis::config::{BadConfig, Problems};

use super::{Postgres, Redis, listing};
use crate::cli;

/// Where the ratings are that a command works on.
#[derive(Debug)]
pub(crate) enum RatingStore {
    /// The folder of a `spatz serve`.
    Folder(PathBuf),
    /// A cluster's.
    Postgres(Postgres),
}

impl RatingStore {
    fn read(postgres: &cli::PostgresArgs, data: &str, problems: &mut Problems) -> Self {
        let url = postgres.postgres_url.as_ref();
        if url.is_some_and(|url| !url.is_empty()) {
            Self::Postgres(Postgres::read(postgres, problems))
        } else {
            Self::Folder(PathBuf::from(data))
        }
    }
}

/// `spatz signals`.
#[derive(Debug)]
pub(crate) struct Signals {
    pub(crate) store: RatingStore,
    /// How far back to look.
    pub(crate) days: NonZeroU32,
}

impl Signals {
    pub(crate) fn read(args: &cli::SignalsArgs, mut problems: Problems) -> Result<Self, BadConfig> {
        let settings = Self {
            store: RatingStore::read(&args.postgres, &args.data, &mut problems),
            days: problems.parse("--days", &args.days, NonZeroU32::MIN),
        };
        problems.finish()?;
        Ok(settings)
    }
}

/// `spatz season` and `spatz ratings`.
#[derive(Debug)]
pub(crate) struct Ladders {
    pub(crate) store: RatingStore,
    /// With the copies of ladders.
    pub(crate) redis: Option<Redis>,
    pub(crate) config: ranking::Config,
}

impl Ladders {
    pub(crate) fn read(args: &cli::StoreArgs, mut problems: Problems) -> Result<Self, BadConfig> {
        let settings = Self {
            store: RatingStore::read(&args.postgres, &args.data, &mut problems),
            redis: Redis::read_optional(&args.redis, &mut problems),
            config: listing(&args.listing, &mut problems),
        };
        problems.finish()?;
        Ok(settings)
    }
}
