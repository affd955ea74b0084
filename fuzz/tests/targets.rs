//! The fuzz targets on random bytes, and on the bytes of every kind of stored event.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests fail like tests; clippy.toml only exempts the tests themselves"
)]

use proptest::prelude::*;

/// Stored events as records: a byte for the length, the bytes, a time.
fn golden() -> Vec<u8> {
    let lines = include_str!("../../crates/table/tests/data/log-v1.txt").lines();
    let events = lines.map(|line| hex::decode(line.split_once(' ').unwrap().1).unwrap());
    let mut bytes = Vec::new();
    for (n, event) in events.enumerate() {
        let Ok(length) = u8::try_from(event.len()) else {
            continue;
        };
        bytes.push(length);
        bytes.extend(event);
        bytes.push(n as u8);
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_commands_that_do_no_harm(data in prop::collection::vec(any::<u8>(), 0..1_500)) {
        fuzz::commands(&data);
    }

    #[test]
    fn any_bytes_are_logs_that_do_no_harm(data in prop::collection::vec(any::<u8>(), 0..1_000)) {
        fuzz::logs(&data);
    }

    #[test]
    fn changed_logs_do_no_harm(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
    ) {
        let mut data = golden();
        for (at, byte) in changes {
            let at = at.index(data.len());
            data[at] = byte;
        }
        fuzz::logs(&data);
    }
}
