//! Rendezvous hashing: who of several is best for something, so that all who know the same
//! several agree without talking, and little changes when one comes or goes.

/// How good a candidate is for a thing; the best has the highest weight.
#[must_use]
pub fn weight(candidate: &[u8], thing: &[u8]) -> u64 {
    // FNV-1a, and the finalizer of SplitMix64 because FNV leaves high bits alike.
    let bytes = candidate.iter().chain(thing);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
