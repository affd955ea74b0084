//! What `spatz season` and `spatz ratings` work on.

use std::path::PathBuf;

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
        let postgres = args.postgres.postgres_url.as_ref();
        let settings = Self {
            store: if postgres.is_some_and(|url| !url.is_empty()) {
                RatingStore::Postgres(Postgres::read(&args.postgres, &mut problems))
            } else {
                RatingStore::Folder(PathBuf::from(&args.data))
            },
            redis: Redis::read_optional(&args.redis, &mut problems),
            config: listing(&args.listing, &mut problems),
        };
        problems.finish()?;
        Ok(settings)
    }
}
