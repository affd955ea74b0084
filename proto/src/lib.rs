//! The contracts between the services, and the format of a table's log: `spatz/v1/*.proto`,
//! compiled.

mod codec;

/// Version 1 of the contracts.
#[allow(
    missing_docs,
    unreachable_pub,
    missing_debug_implementations,
    clippy::all,
    clippy::too_many_lines
)]
pub mod v1 {
    tonic::include_proto!("spatz.v1");
}

/// The compiled descriptors, for server reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
