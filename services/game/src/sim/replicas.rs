//! The processes of a simulated world, how they die, and how they come back.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use chassis::{ErrorCode, Failure};
use tokio::{
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;

use super::{
    ends::{Ends, SimEnds},
    faults::Trouble,
    link::Link,
    store::{SimLog, Store},
    world::World,
};
use crate::{Config, Game, service::Service, wake};

/// How long a caller waits for an answer.
const CALL: Duration = Duration::from_secs(4);

/// A game service that runs.
#[derive(Clone, Debug)]
pub(super) struct Replica {
    pub(super) service: Service,
    link: Link,
}

impl Replica {
    /// Makes a call as over the network: it may take too long, and the replica may die during
    /// it. In both cases it is broken off wherever it was.
    pub(super) async fn call<T>(
        &self,
        call: impl Future<Output = Result<T, Status>>,
    ) -> Result<T, Failure> {
        let gone = Failure::new(ErrorCode::Unavailable, "the replica is gone");
        tokio::select! {
            biased;
            () = self.link.dead.cancelled() => Err(gone),
            answer = timeout(CALL, call) => match answer {
                Ok(answer) => answer.map_err(Failure::from),
                Err(_) => Err(Failure::new(ErrorCode::Timeout, "no answer in time")),
            }
        }
    }
}

/// All that run.
#[derive(Debug)]
pub(super) struct Replicas {
    pub(super) world: Arc<World>,
    pub(super) store: Arc<Store>,
    pub(super) ends: Arc<Ends>,
    running: Mutex<Vec<(Replica, JoinHandle<()>)>>,
    count: usize,
    started: AtomicUsize,
    away_until: Arc<AtomicU64>,
}

impl Replicas {
    pub(super) fn start(world: &Arc<World>, count: usize) -> Self {
        let this = Self {
            store: Arc::new(Store::new(Arc::clone(world))),
            ends: Arc::new(Ends::new(Arc::clone(world))),
            world: Arc::clone(world),
            running: Mutex::default(),
            count,
            started: AtomicUsize::new(0),
            away_until: Arc::default(),
        };
        for index in 0..count {
            let replica = this.start_one();
            this.running().insert(index, replica);
        }
        this
    }

    fn running(&self) -> MutexGuard<'_, Vec<(Replica, JoinHandle<()>)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_one(&self) -> (Replica, JoinHandle<()>) {
        let link = Link {
            world: Arc::clone(&self.world),
            process: self.started.fetch_add(1, Ordering::Relaxed),
            dead: CancellationToken::new(),
            stalled_until: Arc::default(),
            away_until: Arc::clone(&self.away_until),
        };
        let log = Arc::new(SimLog::connect(Arc::clone(&self.store), link.clone()));
        let ends = Arc::new(SimEnds {
            ends: Arc::clone(&self.ends),
            link: link.clone(),
        });
        let config = Config {
            // Few, so that tables are dropped from it.
            cached_tables: NonZeroUsize::new(3).expect("three"),
            heartbeat_ms: self.world.pick(2_000..15_000),
        };
        let game = Arc::new(Game::on(log, Arc::clone(&ends) as _, ends, config));
        let wake_ups = wake::run(Arc::clone(&game), link.dead.clone());
        let service = Service {
            game,
            shutdown: link.dead.clone(),
        };
        let wake_ups = tokio::spawn(wake_ups);
        (Replica { service, link }, wake_ups)
    }

    /// The replica that a call for a table goes to: mostly the same.
    pub(super) fn for_table(&self, table: Uuid) -> Replica {
        let world = &self.world;
        let home = table.as_bytes()[15] as usize;
        let index = if world.chance(world.faults.stray_calls) {
            world.pick(0..self.count as u64) as usize
        } else {
            home
        };
        self.running()[index % self.count].0.clone()
    }

    fn any(&self) -> usize {
        self.world.pick(0..self.count as u64) as usize
    }

    /// Lets happen what the world has in store.
    pub(super) async fn trouble(&self) {
        for (at_ms, trouble) in self.world.faults.troubles.clone() {
            let wait_ms = at_ms.saturating_sub(self.world.elapsed_ms());
            sleep(Duration::from_millis(wait_ms)).await;
            self.world.note(format_args!("{trouble:?}"));
            match trouble {
                Trouble::Kill => self.kill().await,
                Trouble::Stall => {
                    let until_ms = self.world.elapsed_ms() + self.world.pick(500..12_000);
                    let index = self.any();
                    let stalled = &self.running()[index].0.link.stalled_until;
                    stalled.store(until_ms, Ordering::Relaxed);
                }
                Trouble::Outage => {
                    let until_ms = self.world.elapsed_ms() + self.world.pick(1_000..40_000);
                    self.away_until.store(until_ms, Ordering::Relaxed);
                }
                Trouble::Loss => {
                    let tables: Vec<Uuid> = self.store.tables().keys().copied().collect();
                    for table in tables {
                        let appends = self.world.pick(0..6) as usize;
                        self.store.lose(table, appends);
                    }
                }
                Trouble::Wipe => self.store.lose_all(),
            }
        }
    }

    /// One dies, in the middle of whatever it does; another is started after a while.
    async fn kill(&self) {
        let index = self.any();
        {
            let running = self.running();
            let (replica, wake_ups) = &running[index];
            replica.link.dead.cancel();
            wake_ups.abort();
            self.store.disconnect(replica.link.process);
        }
        self.world.pause(100..6_000).await;
        let fresh = self.start_one();
        self.running()[index] = fresh;
    }
}
