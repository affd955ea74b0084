//! Names of keys, and the shard that a table belongs to.

use uuid::Uuid;

/// The keys of a table and of its shard.
pub(super) struct Keys {
    pub(super) shard: u16,
    pub(super) log: String,
    pub(super) wakes: String,
    pub(super) moved: String,
    pub(super) seen: String,
}

impl Keys {
    /// Those of a table.
    pub(super) fn of(table: Uuid, prefix: &str, shards: u16) -> Self {
        let shard = shard_of(table, shards);
        Self {
            shard,
            log: key(prefix, shard, &format!("t:{table}")),
            wakes: key(prefix, shard, "wake"),
            moved: key(prefix, shard, "moved"),
            seen: key(prefix, shard, "seen"),
        }
    }
}

pub(super) fn key(prefix: &str, shard: u16, name: &str) -> String {
    format!("{prefix}:{{s{shard:03}}}:{name}")
}

/// The shard of a table: FNV-1a of its id, folded to 32 bits, modulo their number. Stored tables
/// depend on it.
pub(super) fn shard_of(table: Uuid, shards: u16) -> u16 {
    let hash = table
        .as_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    let folded = (hash >> 32) ^ (hash & 0xffff_ffff);
    u16::try_from(folded % u64::from(shards)).expect("less than the number of shards")
}

#[cfg(test)]
mod tests {
    use super::{super::DEFAULT_SHARDS, *};

    #[test]
    fn a_table_stays_in_its_shard() {
        let shard = |n| shard_of(Uuid::from_u128(n), DEFAULT_SHARDS);
        assert_eq!([shard(0), shard(1), shard(u128::MAX)], [28, 11, 29]);
        assert_eq!(key("spatz", 17, "wake"), "spatz:{s017}:wake");
    }

    #[test]
    fn tables_spread_over_all_shards() {
        let mut tables = [0_u32; 64];
        for n in 0..6_400 {
            let id = Uuid::from_u128(0x0193_7000_0000_7000_8000_0000_0000_0000 + n);
            tables[usize::from(shard_of(id, 64))] += 1;
        }
        assert!(tables.iter().all(|&count| count > 50), "{tables:?}");
    }

    /// The slot of Redis Cluster of a key with this hash tag (CRC-16/XMODEM).
    fn slot_of(tag: &str) -> u16 {
        let crc = tag.bytes().fold(0_u16, |crc, byte| {
            (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
                let shifted = crc << 1;
                if crc & 0x8000 == 0 {
                    shifted
                } else {
                    shifted ^ 0x1021
                }
            })
        });
        crc % 16_384
    }

    /// As docs/capacity.md tells operators.
    #[test]
    fn shards_spread_over_primaries() {
        // An example of the specification of Redis Cluster.
        assert_eq!(slot_of("123456789"), 12_739);
        let fullest = [3_usize, 4, 6, 8, 12, 16].map(|primaries| {
            let mut shards = vec![0_u16; primaries];
            for shard in 0..DEFAULT_SHARDS {
                let slot = usize::from(slot_of(&format!("s{shard:03}")));
                shards[slot * primaries / 16_384] += 1;
            }
            shards.into_iter().max()
        });
        assert_eq!(fullest, [23, 16, 13, 10, 7, 5].map(Some));
    }

    #[test]
    fn no_shard_has_much_more_than_its_share_of_tables() {
        let mut tables = [0_u32; DEFAULT_SHARDS as usize];
        for n in 0..100_000_u128 {
            // Ids of version 7: tables of one millisecond, and of many.
            let id = Uuid::from_u128(
                ((0x0193_7000_0000_u128 + n / 3) << 80) | (0x7 << 76) | (n * 7_919),
            );
            tables[usize::from(shard_of(id, DEFAULT_SHARDS))] += 1;
        }
        let most = tables.iter().max().copied().unwrap_or_default();
        assert!(most < 100_000 / 64 * 110 / 100, "{tables:?}");
    }
}
