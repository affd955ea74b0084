//! What every service does the same way: configuration, logs, errors, gRPC servers and channels,
//! TLS, databases, shutdown.
//!
//! A service crate holds its own logic and its storage port; everything about *being a service*
//! is here, once.

mod at_start;
mod clock;
pub mod config;
pub mod db;
mod error;
pub mod kv;
pub mod rendezvous;
pub mod rpc;
pub mod shutdown;
pub mod telemetry;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tls;

pub use at_start::AtStart;
pub use clock::{now_ms, rfc3339};
pub use error::{ErrorCode, Failure};
