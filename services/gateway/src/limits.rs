//! Token buckets by player or address, and streams by player.
//!
//! Each replica counts for itself. Memory is bounded: the bucket that was not used for longest
//! makes room, and it is the likeliest to be full again anyway.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    net::{IpAddr, Ipv6Addr},
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chassis::{ErrorCode, Failure};
use lru::LruCache;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::config::Rate;

const BUCKETS_MAX: NonZeroUsize = NonZeroUsize::new(100_000).expect("not zero");
/// What is told to wait when nothing ever comes back.
const WAIT_MAX: Duration = Duration::from_secs(3600);

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

/// Buckets of one rate.
pub(crate) struct Buckets<K> {
    rate: Rate,
    buckets: Mutex<LruCache<K, Bucket>>,
}

impl<K: Hash + Eq> Buckets<K> {
    pub(crate) fn new(rate: Rate) -> Self {
        Self {
            rate,
            buckets: Mutex::new(LruCache::new(BUCKETS_MAX)),
        }
    }

    /// Takes one token.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimited`], with the seconds until there is one again.
    pub(crate) fn take(&self, key: K, now: Instant) -> Result<(), Failure> {
        let full = f64::from(self.rate.burst);
        // A panic while the lock was held cannot have left half a bucket.
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.get_or_insert_mut(key, || Bucket {
            tokens: full,
            at: now,
        });
        let passed = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.tokens = (bucket.tokens + passed * self.rate.per_second).min(full);
        bucket.at = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Ok(());
        }
        let missing = (1.0 - bucket.tokens) / self.rate.per_second;
        let wait = Duration::try_from_secs_f64(missing).map_or(WAIT_MAX, |w| w.min(WAIT_MAX));
        let seconds = wait.as_secs_f64().ceil().max(1.0);
        Err(
            Failure::new(ErrorCode::RateLimited, "too many requests: wait a moment")
                .with("retry_after_seconds", seconds),
        )
    }
}

/// What an address is counted by: one home or server often has a whole IPv6 network of 64 bits.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// The open streams of every player.
pub(crate) struct Streams {
    per_player: usize,
    open: Mutex<HashMap<Uuid, VecDeque<(u64, CancellationToken)>>>,
    shutdown: CancellationToken,
}

/// One open stream. Dropping it makes room.
pub(crate) struct Slot {
    streams: Arc<Streams>,
    player: Uuid,
    id: u64,
    /// Cancelled when a newer stream took the place, or the server stops.
    pub(crate) end: CancellationToken,
}

impl Streams {
    pub(crate) fn new(per_player: usize, shutdown: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            per_player: per_player.max(1),
            open: Mutex::default(),
            shutdown,
        })
    }

    /// How many are open.
    pub(crate) fn count(&self) -> u64 {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.values().map(|mine| mine.len() as u64).sum()
    }

    /// Makes room for a stream. The player's oldest one ends when there are too many: most often
    /// its client is long gone, and a player who comes back must not be locked out.
    pub(crate) fn open(self: &Arc<Self>, player: Uuid) -> Slot {
        let end = self.shutdown.child_token();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = open.entry(player).or_default();
        if mine.len() >= self.per_player
            && let Some((_, oldest)) = mine.pop_front()
        {
            oldest.cancel();
        }
        let id = mine.back().map_or(0, |(id, _)| id + 1);
        mine.push_back((id, end.clone()));
        Slot {
            streams: Arc::clone(self),
            player,
            id,
            end,
        }
    }
}

impl Slot {
    /// Whether the stream ends because the server does.
    pub(crate) fn server_stops(&self) -> bool {
        self.streams.shutdown.is_cancelled()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let streams = &self.streams;
        let mut open = streams.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mine) = open.get_mut(&self.player) {
            mine.retain(|(id, _)| *id != self.id);
            if mine.is_empty() {
                open.remove(&self.player);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_its_burst_then_its_rate() {
        let buckets = Buckets::new(Rate::new(2, 0.5));
        let start = Instant::now();
        assert!(buckets.take("a", start).is_ok());
        assert!(buckets.take("a", start).is_ok());
        let refused = buckets.take("a", start).unwrap_err();
        assert_eq!(refused.code, ErrorCode::RateLimited);
        assert_eq!(refused.params["retry_after_seconds"], "2");
        assert!(buckets.take("b", start).is_ok());
        let later = start + Duration::from_secs(2);
        assert!(buckets.take("a", later).is_ok());
        assert!(buckets.take("a", later).is_err());
    }

    #[test]
    fn a_rate_of_zero_never_recovers_and_says_to_wait_an_hour() {
        let buckets = Buckets::new(Rate::new(0, 0.0));
        let refused = buckets.take("a", Instant::now()).unwrap_err();
        assert_eq!(refused.params["retry_after_seconds"], "3600");
    }

    #[test]
    fn addresses_of_one_network_are_one() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2:3::4"), of("2001:db8:1:2::9"));
        assert_ne!(of("2001:db8:1:2::"), of("2001:db8:1:3::"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }

    #[test]
    fn the_newest_streams_win() {
        let streams = Streams::new(2, CancellationToken::new());
        let [first, second, third] = [(); 3].map(|()| streams.open(Uuid::nil()));
        assert!(first.end.is_cancelled());
        assert!(!second.end.is_cancelled() && !third.end.is_cancelled());
        drop((first, second));
        let fourth = streams.open(Uuid::nil());
        assert!(!third.end.is_cancelled() && !fourth.end.is_cancelled());
        drop((third, fourth));
        assert!(streams.open.lock().unwrap().is_empty());
    }

    #[test]
    fn streams_end_with_the_server() {
        let shutdown = CancellationToken::new();
        let slot = Streams::new(2, shutdown.clone()).open(Uuid::nil());
        shutdown.cancel();
        assert!(slot.end.is_cancelled());
    }
}
