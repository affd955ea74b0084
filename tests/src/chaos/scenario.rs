//! What is broken in each scenario, and what must hold nevertheless.

use std::{path::PathBuf, time::Duration};

use anyhow::Context as _;
use tokio::time::sleep;

use super::{
    pods,
    stage::{Live, Part, Stage},
    upgrade,
};
use crate::installation::{Plan, role_of};

/// For guests to get going before anything breaks, and to recover afterwards.
pub(super) const CALM: Duration = Duration::from_secs(6);
/// How long a primary is apart from its replica before it dies.
const APART: Duration = Duration::from_millis(600);

/// A kind of harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// `kill -9` of the processes at random.
    Kill,
    /// Each process and store hangs for 5 s.
    Hang,
    /// Each process and store hangs for 30 s.
    HangLong,
    /// Postgres is gone for a minute.
    NoPostgres,
    /// All processes are restarted in good order, twice.
    Rolling,
    /// Each process is replaced as Kubernetes does it, with the times of the chart.
    Termination,
    /// The previous release is replaced by this one, service after service, both on one store.
    Upgrade,
    /// Each Redis primary is killed; moves wait for its replica.
    ClusterWait,
    /// The same without waiting.
    Cluster,
    /// The Redis primary behind a Sentinel is killed; moves wait for its replica.
    Sentinel,
    /// Everything in Redis is deleted.
    Emptied,
}

/// The binary of the previous release.
const PREVIOUS: &str = "SPATZ_CHAOS_PREVIOUS";

/// All processes.
pub(super) const PROCESSES: [&str; 5] = ["gateway", "game", "game-2", "matchmaking", "ranking"];

impl Scenario {
    /// All of them. [`Self::Upgrade`] is run only where `SPATZ_CHAOS_PREVIOUS` names a binary.
    pub const ALL: [Self; 11] = [
        Self::Kill,
        Self::Hang,
        Self::HangLong,
        Self::NoPostgres,
        Self::Rolling,
        Self::Termination,
        Self::Upgrade,
        Self::ClusterWait,
        Self::Cluster,
        Self::Sentinel,
        Self::Emptied,
    ];

    /// What it is called on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Hang => "hang",
            Self::HangLong => "hang-long",
            Self::NoPostgres => "no-postgres",
            Self::Rolling => "rolling",
            Self::Termination => "termination",
            Self::Upgrade => "upgrade",
            Self::ClusterWait => "cluster-wait",
            Self::Cluster => "cluster",
            Self::Sentinel => "sentinel",
            Self::Emptied => "emptied",
        }
    }

    /// How many replicas a move waits for, when live tables are in a Redis that has some.
    #[must_use]
    pub const fn waits_for(self) -> Option<u8> {
        match self {
            Self::ClusterWait | Self::Sentinel => Some(1),
            Self::Cluster => Some(0),
            _ => None,
        }
    }

    /// Whether moves may be lost, if their players are told.
    #[must_use]
    pub const fn may_lose(self) -> bool {
        matches!(self, Self::Cluster | Self::Emptied)
    }

    /// Whether clients may be told that events which they saw are lost: a move is seen by others
    /// before a replica has it, and then it is not acknowledged.
    #[must_use]
    pub const fn may_resync(self) -> bool {
        self.may_lose() || matches!(self, Self::ClusterWait | Self::Sentinel)
    }

    /// Whether all that clients may notice are connections that are closed or refused, and
    /// answers that the server is not available.
    #[must_use]
    pub const fn is_orderly(self) -> bool {
        matches!(self, Self::Rolling | Self::Termination | Self::Upgrade)
    }

    /// What the installation is like.
    ///
    /// # Errors
    /// When there is no binary of the previous release.
    pub fn plan(self) -> anyhow::Result<Plan> {
        let program = if self == Self::Upgrade {
            let path = std::env::var_os(PREVIOUS);
            Some(PathBuf::from(path.with_context(|| {
                format!("{PREVIOUS} is not set: run this with scripts/upgrade-test")
            })?))
        } else {
            None
        };
        Ok(Plan {
            two_games: true,
            fronts: matches!(self, Self::Termination | Self::Upgrade),
            program,
            ..Plan::default()
        })
    }

    /// Does the harm.
    ///
    /// # Errors
    /// When it cannot be done; what follows from it is seen by the guests.
    pub async fn harm(self, stage: &mut Stage) -> anyhow::Result<()> {
        sleep(CALM).await;
        match self {
            Self::Kill => kill(stage).await?,
            Self::Hang => hang(stage, Duration::from_secs(5)).await?,
            Self::HangLong => hang(stage, Duration::from_secs(30)).await?,
            Self::NoPostgres => {
                stage.note("Postgres cut off for 60 s");
                stage.postgres.cut().await;
                sleep(Duration::from_secs(60)).await;
                stage.postgres.mend().await?;
            }
            Self::Rolling => {
                for _ in 0..2 {
                    for name in PROCESSES.into_iter().rev() {
                        stage.restart(name).await?;
                        sleep(CALM / 6).await;
                    }
                }
            }
            Self::Termination => {
                for name in PROCESSES.into_iter().rev() {
                    stage.start_beside(name).await?;
                    stage.leave(name, pods::leaving(role_of(name))?).await?;
                }
            }
            Self::Upgrade => upgrade::roll(stage).await?,
            Self::ClusterWait | Self::Cluster | Self::Sentinel => lose_primaries(stage).await?,
            Self::Emptied => {
                // By now most tables have a deal in the archive.
                sleep(CALM).await;
                stage.empty_redis().await?;
                sleep(CALM).await;
            }
        }
        sleep(CALM).await;
        Ok(())
    }
}

/// Each process once, in random order, and three more.
async fn kill(stage: &mut Stage) -> anyhow::Result<()> {
    let mut left = PROCESSES.to_vec();
    for _ in 0..PROCESSES.len() + 3 {
        let name = if left.is_empty() {
            PROCESSES[stage.choices.below(PROCESSES.len())]
        } else {
            left.remove(stage.choices.below(left.len()))
        };
        stage.crash(name, 2000).await?;
        stage.pause(3000).await;
    }
    Ok(())
}

async fn hang(stage: &mut Stage, time: Duration) -> anyhow::Result<()> {
    let parts: [&[Part]; 6] = [
        &[Part::Process("gateway")],
        &[Part::Process("game")],
        &[Part::Process("game-2")],
        &[Part::Process("matchmaking"), Part::Process("ranking")],
        &[Part::Redis],
        &[Part::Postgres],
    ];
    for part in parts {
        stage.hang(part, time).await?;
        stage.pause(4000).await;
    }
    Ok(())
}

/// One primary after the other, each when all are whole again.
async fn lose_primaries(stage: &mut Stage) -> anyhow::Result<()> {
    for _ in 0..3 {
        let Live::Cluster(cluster, _) = &stage.live else {
            return Ok(());
        };
        let pairs = cluster.pairs().await?;
        anyhow::ensure!(!pairs.is_empty(), "no primary has a replica");
        let pair = pairs[stage.choices.below(pairs.len())];
        cluster.lose(pair, APART).await?;
        stage.note(format_args!("Redis primary {} killed", pair.primary));
        sleep(CALM).await;
        if let Live::Cluster(cluster, _) = &mut stage.live {
            cluster.mend().await?;
        }
        stage.note("Redis is whole again");
        stage.pause(3000).await;
    }
    Ok(())
}
