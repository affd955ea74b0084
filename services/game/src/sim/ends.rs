//! Where a simulated world's matches end: an archive and a ranking in memory.
//!
//! Both insist on once: what comes again must be what came before.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use chassis::Failure;
use proto::v1::{MatchSummary, RatingChange, RecordMatchRequest};
use uuid::Uuid;

use super::{
    link::Link,
    world::{World, short},
};
use crate::{
    history::{HistoryError, MatchArchive, Page},
    log::Entry,
    ratings::Ratings,
};

/// A match in the archive.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Archived {
    /// By number of the deal.
    pub(super) deals: BTreeMap<u32, Vec<Entry>>,
    /// Once the match has ended, with what follows the last deal.
    pub(super) end: Option<(MatchSummary, Vec<Entry>)>,
}

/// A rated match.
#[derive(Clone, Debug)]
pub(super) struct Rated {
    request: RecordMatchRequest,
    pub(super) changes: Vec<RatingChange>,
}

/// What all replicas share.
#[derive(Debug)]
pub(super) struct Ends {
    world: Arc<World>,
    archived: Mutex<BTreeMap<Uuid, Archived>>,
    rated: Mutex<BTreeMap<Uuid, Rated>>,
}

impl Ends {
    pub(super) fn new(world: Arc<World>) -> Self {
        Self {
            world,
            archived: Mutex::default(),
            rated: Mutex::default(),
        }
    }

    pub(super) fn archived(&self) -> MutexGuard<'_, BTreeMap<Uuid, Archived>> {
        self.archived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn rated(&self) -> MutexGuard<'_, BTreeMap<Uuid, Rated>> {
        self.rated.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same again changes nothing. Only a store that lost entries leads to another.
    fn insist<T: PartialEq>(&self, what: &str, id: Uuid, before: &T, again: &T) {
        if before != again && !self.world.faults.may_lose() {
            let id = short(id);
            self.world
                .violated(format!("another {what} of {id} than before"));
        }
    }

    fn archive_deal(&self, id: Uuid, deal: u32, entries: &[Entry]) {
        let mut archived = self.archived();
        let deals = &mut archived.entry(id).or_default().deals;
        let first = deals.entry(deal).or_insert_with(|| entries.to_vec());
        self.insist("deal", id, first, &entries.to_vec());
    }

    fn archive_match(&self, id: Uuid, summary: &MatchSummary, last: &[Entry]) {
        let end = (summary.clone(), last.to_vec());
        let mut archived = self.archived();
        let entry = archived.entry(id).or_default();
        let first = entry.end.get_or_insert_with(|| end.clone());
        self.insist("end", id, first, &end);
    }

    fn rate(&self, id: Uuid, request: &RecordMatchRequest) -> Vec<RatingChange> {
        let mut rated = self.rated();
        // What it is worth is of no interest here; that it stays the same is.
        let first = rated.entry(id).or_insert_with(|| Rated {
            changes: request
                .finishes
                .iter()
                .map(|finish| RatingChange {
                    before: self.world.pick(0..3_000) as i32,
                    after: finish.score,
                    ..RatingChange::default()
                })
                .collect(),
            request: request.clone(),
        });
        self.insist("rating", id, &first.request, request);
        first.changes.clone()
    }
}

/// The archive and the ranking as one replica reaches them.
#[derive(Debug)]
pub(super) struct SimEnds {
    pub(super) ends: Arc<Ends>,
    pub(super) link: Link,
}

fn failed() -> HistoryError {
    HistoryError::Sql(sqlx::Error::PoolTimedOut)
}

#[async_trait]
impl MatchArchive for SimEnds {
    async fn archive_deal(
        &self,
        match_id: Uuid,
        deal: u32,
        entries: &[Entry],
    ) -> Result<(), HistoryError> {
        let what = || format!("archive {} deal {deal}", short(match_id));
        let archive = || self.ends.archive_deal(match_id, deal, entries);
        let archived = self.link.ask(what, archive, |()| true).await;
        archived.map_err(|_| failed())
    }

    async fn archive_match(
        &self,
        summary: &MatchSummary,
        last: &[Entry],
    ) -> Result<(), HistoryError> {
        let id = summary.match_id.parse();
        let id: Uuid = id.map_err(|_| HistoryError::Invalid("an id that is no UUID"))?;
        let what = || format!("archive {}", short(id));
        let archive = || self.ends.archive_match(id, summary, last);
        let archived = self.link.ask(what, archive, |()| true).await;
        archived.map_err(|_| failed())
    }

    async fn summary(&self, match_id: Uuid) -> Result<Option<MatchSummary>, HistoryError> {
        let archived = self.ends.archived();
        let end = archived.get(&match_id).and_then(|one| one.end.as_ref());
        Ok(end.map(|(summary, _)| summary.clone()))
    }

    async fn beginning(&self, match_id: Uuid) -> Result<(Vec<Entry>, bool), HistoryError> {
        let archived = self.ends.archived();
        let Some(one) = archived.get(&match_id) else {
            return Ok((Vec::new(), true));
        };
        let deals = one.deals.values().flatten();
        let last = one.end.iter().flat_map(|(_, last)| last);
        Ok((deals.chain(last).cloned().collect(), true))
    }

    async fn unfinished(&self, after: Uuid, limit: u32) -> Result<Vec<Uuid>, HistoryError> {
        let archived = self.ends.archived();
        let running = archived.iter().filter(|(_, one)| one.end.is_none());
        let ids = running.map(|(id, _)| *id).filter(|id| *id > after);
        Ok(ids.take(limit as usize).collect())
    }

    async fn finished(&self, after: Uuid, limit: u32) -> Result<Vec<MatchSummary>, HistoryError> {
        let archived = self.ends.archived();
        let later = archived.iter().filter(|(id, _)| **id > after);
        let ended = later.filter_map(|(_, one)| one.end.as_ref());
        let summaries = ended.map(|(summary, _)| summary.clone());
        Ok(summaries.take(limit as usize).collect())
    }

    async fn list(&self, _: Uuid, _: &str, _: u32) -> Result<Page, HistoryError> {
        // Nobody here asks for it.
        Ok(Page::default())
    }
}

#[async_trait]
impl Ratings for SimEnds {
    async fn record(&self, finished: RecordMatchRequest) -> Result<Vec<RatingChange>, Failure> {
        let id: Uuid = finished.match_id.parse().map_err(Failure::internal)?;
        let what = || format!("rate {}", short(id));
        let rate = || self.ends.rate(id, &finished);
        let rated = self.link.ask(what, rate, |_| true).await;
        rated.map_err(|_| Failure::unavailable("a simulated fault"))
    }
}
