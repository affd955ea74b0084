//! Names of keys, and the shard that a table belongs to.

use uuid::Uuid;

/// The keys of a table and of its shard.
pub(super) struct Keys {
    pub(super) shard: u16,
    pub(super) log: String,
    pub(super) commands: String,
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
            commands: key(prefix, shard, &format!("c:{table}")),
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
}
