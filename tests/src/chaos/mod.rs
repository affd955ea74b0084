//! Breaking things while people play, and looking at what was lost.
//!
//! A run is a list of scenarios. Each starts an installation of its own, lets guests play ranked
//! matches on it, does its harm, lets them finish, and then compares what every client was told
//! with the archive, the replays and the ratings.

pub mod check;
pub mod cluster;
pub mod crowd;
pub mod follower;
pub mod options;
pub mod player;
pub mod pods;
pub mod report;
pub mod run;
pub mod scenario;
pub mod stage;
pub mod transport;
mod upgrade;
