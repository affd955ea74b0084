//! Which replica looks after which parts of the store.
//!
//! Every replica that lives says so every [`RENEW`]; one that has not for [`LEASE`] is taken to be
//! dead. Parts go to the living by rendezvous hashing: each replica works out its own from the
//! list of all, and when one comes or goes, only parts that it gets or had change hands. For a
//! moment two may look after the same part, or none; the first does no harm, the second ends with
//! the next renewal.

use std::time::Duration;

use chassis::rendezvous::weight;
use uuid::Uuid;

/// How often a replica says that it lives.
pub const RENEW: Duration = Duration::from_secs(1);
/// After how long without that its parts go to others.
pub const LEASE: Duration = Duration::from_secs(3);

/// The parts of `count` that one of the living replicas is to look after.
pub(super) fn share(replica: Uuid, living: &[Uuid], count: u16) -> Vec<u16> {
    let best = |part: u16| {
        let part = part.to_be_bytes();
        living
            .iter()
            .max_by_key(|other| weight(other.as_bytes(), &part))
    };
    (0..count)
        .filter(|&part| best(part).is_none_or(|best| *best == replica))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replicas(count: u128) -> Vec<Uuid> {
        (0..count)
            .map(|n| Uuid::from_u128(n.wrapping_mul(0x0123_4567_89ab_cdef_1122_3344_5566_7788)))
            .collect()
    }

    #[test]
    fn every_part_has_one_replica() {
        for count in 1..6 {
            let living = replicas(count);
            let mut parts: Vec<u16> = living
                .iter()
                .flat_map(|&replica| share(replica, &living, 64))
                .collect();
            parts.sort_unstable();
            assert_eq!(parts, (0..64).collect::<Vec<u16>>());
        }
    }

    #[test]
    fn the_shares_are_about_equal() {
        let living = replicas(4);
        for &replica in &living {
            let parts = share(replica, &living, 1_024).len();
            assert!((200..312).contains(&parts), "{parts}");
        }
    }

    #[test]
    fn only_the_parts_of_who_goes_change_hands() {
        let living = replicas(4);
        for &replica in &living[1..] {
            let before = share(replica, &living, 64);
            let after = share(replica, &living[1..], 64);
            assert!(before.iter().all(|part| after.contains(part)));
        }
    }

    #[test]
    fn who_knows_of_nobody_looks_after_everything() {
        let alone = Uuid::from_u128(7);
        assert_eq!(share(alone, &[], 3), [0, 1, 2]);
        assert_eq!(share(alone, &[alone], 3), [0, 1, 2]);
    }
}
