//! Matchmaking: tickets wait in queues until they become tables, and friends meet at private
//! tables by invite code.
//!
//! [`pass`] decides who plays with whom and knows nothing else; [`store`] keeps tickets so that
//! each step happens once; the matcher joins the two with the game service; [`pairings`] keeps
//! why a match was made, and [`signals`] finds pairs in it that met too often; [`Matchmaking`] is
//! the gRPC service, and [`serve`] runs it and the matcher.

mod config;
mod entropy;
mod invite;
mod matcher;
mod metrics;
mod outage;
pub mod pairings;
pub mod pass;
pub mod queue;
mod service;
pub mod signals;
pub mod store;
pub mod time_control;
mod wire;

pub use config::{Config, PROTOCOLS};
pub use pairings::Pairings;
pub use service::{Matchmaking, SERVICE_NAME, serve};
pub use store::{ClusterTickets, EmbeddedTickets};
