//! What a ticket tells while it waits: its place in the queue, and how long it may still take.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use chassis::Failure;
use proto::v1;

use super::Matchmaking;
use crate::{
    store::{StoreError, Ticket, TicketState},
    wire,
};

/// How long waits that were read are good for: everybody who follows a ticket asks for them.
const FRESH: Duration = Duration::from_secs(2);
/// Fewer recent waits than this tell nothing.
const WAITS_MIN: usize = 4;

/// Recent waits by queue, as last read, and when that was.
#[derive(Debug, Default)]
pub(super) struct Waits(Mutex<HashMap<String, (Instant, Vec<i64>)>>);

impl Waits {
    fn known(&self) -> MutexGuard<'_, HashMap<String, (Instant, Vec<i64>)>> {
        // The map is whole after every statement, so a panic elsewhere does not spoil it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fresh(&self, queue: &str, now: Instant) -> Option<Vec<i64>> {
        let known = self.known();
        let (read, waits) = known.get(queue)?;
        (now.duration_since(*read) < FRESH).then(|| waits.clone())
    }
}

/// How much longer a ticket waits that has waited so long, going by the waits of others: the
/// middle one of those that were at least as long, less the time that is over. Nothing when too
/// few are known, or when this ticket has waited longer than all of them.
fn expected(waits: &[i64], waited_ms: i64) -> Option<u32> {
    let mut longer: Vec<i64> = waits
        .iter()
        .copied()
        .filter(|&ms| ms >= waited_ms)
        .collect();
    if waits.len() < WAITS_MIN || longer.is_empty() {
        return None;
    }
    longer.sort_unstable();
    let left = longer[longer.len() / 2] - waited_ms;
    Some(u32::try_from(left).unwrap_or(u32::MAX))
}

impl Matchmaking {
    /// A ticket with everything that its player may know now.
    pub(super) async fn describe(&self, ticket: &Ticket) -> Result<v1::Ticket, Failure> {
        let mut told = wire::ticket(ticket);
        if ticket.state != TicketState::Waiting {
            return Ok(told);
        }
        let standing = self.store.standing(ticket).await?;
        told.position = standing.position;
        if let Some(party) = &mut told.party {
            party.joined = standing.joined;
            if party.joined < party.size {
                // Nobody is looked for until the friends are there.
                told.position = None;
                return Ok(told);
            }
        }
        let waits = self.waits(&ticket.queue).await?;
        let waited_ms = chassis::now_ms().saturating_sub(ticket.created_ms).max(0);
        told.expected_wait_ms = expected(&waits, waited_ms);
        Ok(told)
    }

    async fn waits(&self, queue: &str) -> Result<Vec<i64>, StoreError> {
        let now = Instant::now();
        if let Some(waits) = self.waits.fresh(queue, now) {
            return Ok(waits);
        }
        let waits = self.store.waits(queue).await?;
        let read = (now, waits.clone());
        self.waits.known().insert(queue.to_owned(), read);
        Ok(waits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_wait_is_what_the_middle_of_those_who_waited_as_long_had_left() {
        let waits = [1_000, 2_000, 9_000, 4_000, 3_000];
        assert_eq!(expected(&waits, 0), Some(3_000));
        assert_eq!(expected(&waits, 2_500), Some(1_500));
        assert_eq!(expected(&waits, 9_000), Some(0));
        assert_eq!(expected(&waits, 9_001), None);
        assert_eq!(expected(&waits[..3], 0), None);
    }
}
