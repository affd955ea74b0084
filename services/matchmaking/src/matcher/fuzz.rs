//! Two replicas of the matcher over one store, SQLite or Redis, in virtual time, while players
//! queue, give up, and do both from two devices: one replica is stopped between any two steps, past its lease or for
//! ever, and the game service refuses, is away, or opens a table and loses the answer.
//!
//! Whatever happens, no player sits at two tables, players who block each other never meet, and
//! no ticket is lost or stuck.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use chassis::{ErrorCode, Failure, rpc, testing};
use fastrand::Rng;
use proto::v1::{self, TicketState, matchmaking_server::Matchmaking as _, party_request::Kind};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Matcher;
use crate::{
    Config, EmbeddedTickets, Matchmaking, Pairings,
    store::{ClusterTickets, TicketStore},
};

#[allow(
    dead_code,
    reason = "shared with the tests of the service, which use all of it"
)]
#[path = "../../tests/matchmaking/fakes.rs"]
mod fakes;
mod gate;

use fakes::{FakeGame, FakeRanking, Mood, players};
use gate::{Gate, Gated, Stop};

const QUEUES: [&str; 3] = [
    "ranked-brixental-4",
    "casual-brixental-4",
    "casual-brixental-3",
];
const PLAYERS: u128 = 30;
const STEPS: u32 = 300;
const SEEDS: u64 = 10;
/// Nothing is forgotten while a world lasts.
const KEEP: Duration = Duration::from_secs(100 * 3_600);
/// Long enough for every lease, repair and pause after a failure.
const A_WHILE_MS: i64 = 30_000;

/// One of two replicas; the first can be stopped.
enum Replica {
    Ready(Box<Matcher>),
    /// In the middle of a round. Since when.
    Stopped(JoinHandle<Box<Matcher>>, i64),
}

/// What all worlds together have seen: a fuzz test that meets nothing proves nothing.
#[derive(Debug, Default)]
struct Seen {
    tables: usize,
    stops: usize,
    outlived_leases: usize,
    crashes: usize,
    second_devices: usize,
    cancelled: usize,
    parties: usize,
}

/// Where the tickets of a world are.
#[derive(Clone, Copy, Debug)]
enum Place {
    Sqlite,
    Redis,
}

struct World {
    random: Rng,
    clock: Arc<AtomicI64>,
    /// To be told the time, which SQLite reads from the clock.
    redis: Option<Arc<ClusterTickets>>,
    store: Arc<dyn TicketStore>,
    pairings: Pairings,
    game: FakeGame,
    service: Matchmaking,
    config: Arc<Config>,
    gate: Arc<Gate>,
    first: Option<Replica>,
    second: Option<Box<Matcher>>,
    /// Every ticket that was made, and whose it is.
    tickets: BTreeMap<Uuid, Uuid>,
    /// Those of which a player was told that they are cancelled.
    cancelled: BTreeSet<Uuid>,
    ended: BTreeSet<String>,
    /// Codes of parties, with their queue.
    codes: Vec<(String, &'static str)>,
    _sqlite: testing::Sqlite,
}

fn player(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// Every third player blocks the next one.
fn blocked_by(player: Uuid) -> Option<Uuid> {
    let number = player.as_u128();
    number
        .is_multiple_of(3)
        .then(|| Uuid::from_u128(number + 1))
}

impl World {
    async fn new(seed: u64, place: Place) -> Self {
        let sqlite = testing::sqlite().await;
        let clock = Arc::new(AtomicI64::new(1_000_000));
        let mut redis = None;
        let store: Arc<dyn TicketStore> = match place {
            Place::Sqlite => {
                let time = Arc::clone(&clock);
                let store = EmbeddedTickets::with_keep(sqlite.db.clone(), KEEP);
                Arc::new(store.at(move || time.load(Ordering::SeqCst)))
            }
            Place::Redis => {
                let store = ClusterTickets::with_keep(testing::redis().await, KEEP);
                let store = Arc::new(store.at_own_time());
                redis = Some(Arc::clone(&store));
                store
            }
        };
        let pairings = Pairings::new(sqlite.db.clone());
        let game = FakeGame::default();
        let config = Config::default();
        let service = Matchmaking::new(
            Arc::clone(&store),
            pairings.clone(),
            game.serve().into(),
            FakeRanking::default().serve(),
            config.clone(),
        );
        let mut world = Self {
            random: Rng::with_seed(seed),
            clock,
            redis,
            store,
            pairings,
            game,
            service,
            config: Arc::new(config),
            gate: Arc::default(),
            first: None,
            second: None,
            tickets: BTreeMap::new(),
            cancelled: BTreeSet::new(),
            ended: BTreeSet::new(),
            codes: Vec::new(),
            _sqlite: sqlite,
        };
        world.first = Some(Replica::Ready(world.replica(true)));
        world.second = Some(world.replica(false));
        world.wait(0).await;
        world
    }

    fn replica(&self, gated: bool) -> Box<Matcher> {
        let store: Arc<dyn TicketStore> = if gated {
            Arc::new(Gated::new(&self.store, &self.gate))
        } else {
            Arc::clone(&self.store)
        };
        let mut matcher = Matcher::new(
            store,
            self.pairings.clone(),
            self.game.serve().into(),
            Arc::clone(&self.config),
            CancellationToken::new(),
        );
        let (start, clock) = (Instant::now(), Arc::clone(&self.clock));
        let since = clock.load(Ordering::SeqCst);
        matcher.clock = Box::new(move || {
            let passed = clock.load(Ordering::SeqCst) - since;
            start + Duration::from_millis(passed.unsigned_abs())
        });
        Box::new(matcher)
    }

    fn now(&self) -> i64 {
        self.clock.load(Ordering::SeqCst)
    }

    async fn wait(&self, ms: i64) {
        let before = self.clock.fetch_add(ms, Ordering::SeqCst);
        if let Some(redis) = &self.redis {
            redis.set_now(before + ms).await.unwrap();
        }
    }

    async fn step(&mut self, seen: &mut Seen) {
        match self.random.u32(..100) {
            0..35 => {
                let player = player(self.random.u128(..PLAYERS));
                self.join(player, 1, seen).await;
            }
            35..42 => {
                let player = player(self.random.u128(..PLAYERS));
                self.join(player, 2, seen).await;
            }
            42..48 => self.cancel(seen).await,
            48..58 => self.second_round().await,
            58..78 => self.first_round(seen).await,
            78..83 => {
                let ms = self.random.i64(1..8_000);
                self.wait(ms).await;
            }
            83..95 => self.end_a_table(),
            _ => {
                let moods = [Mood::Refusing, Mood::Down, Mood::Mumbling];
                let mood = moods.get(self.random.usize(..2 * moods.len())).copied();
                self.game.set_mood(mood.unwrap_or_default());
            }
        }
        self.check();
    }

    /// Queues a player, on so many devices at once.
    async fn join(&mut self, player: Uuid, devices: usize, seen: &mut Seen) {
        let requests: Vec<_> = (0..devices).map(|_| self.request(player)).collect();
        let asked = requests.into_iter().map(|request| {
            let request = rpc::request(request, Some(player), "");
            self.service.create_ticket(request)
        });
        let answers = futures::future::join_all(asked).await;
        let mut made = 0;
        for answer in answers {
            match answer.map_err(Failure::from) {
                Ok(ticket) => {
                    let ticket = ticket.into_inner();
                    made += 1;
                    if let Some(party) = ticket.party {
                        let queue = QUEUES.iter().find(|&&queue| queue == ticket.queue_id);
                        self.codes.push((party.code, queue.unwrap()));
                        seen.parties += 1;
                    }
                    self.tickets.insert(ticket.id.parse().unwrap(), player);
                }
                Err(refused) => {
                    let expected = [
                        ErrorCode::TicketExists,
                        ErrorCode::AlreadyPlaying,
                        ErrorCode::PartyNotFound,
                    ];
                    assert!(expected.contains(&refused.code), "{refused}");
                }
            }
        }
        assert!(made <= 1, "one live ticket per player");
        seen.second_devices += usize::from(devices == 2 && made == 1);
    }

    fn request(&mut self, player: Uuid) -> v1::CreateTicketRequest {
        let (mut queue, mut kind) = (QUEUES[self.random.usize(..QUEUES.len())], None);
        if queue != QUEUES[0] && self.random.u32(..4) == 0 {
            kind = Some(Kind::Size(2));
            if let Some((code, of)) = self.codes.pop() {
                (queue, kind) = (of, Some(Kind::Code(code)));
            }
        }
        v1::CreateTicketRequest {
            queue_id: queue.to_owned(),
            player_name: "Toni".to_owned(),
            blocked_ids: blocked_by(player).iter().map(Uuid::to_string).collect(),
            protocol_version: Some(1),
            party: kind.map(|kind| v1::PartyRequest { kind: Some(kind) }),
        }
    }

    async fn cancel(&mut self, seen: &mut Seen) {
        let mut latest: Vec<(Uuid, Uuid)> = Vec::new();
        for (&ticket, &player) in self.tickets.iter().rev().take(12) {
            let live = self.store.live(player).await.unwrap();
            // One that is settled rarely, and often one that waits or is being claimed.
            if live.is_some_and(|live| live.id == ticket) || self.random.u32(..8) == 0 {
                latest.push((ticket, player));
            }
        }
        let Some((ticket, player)) = self.random.choice(latest) else {
            return;
        };
        let request = v1::CancelTicketRequest {
            ticket_id: ticket.to_string(),
        };
        let answer = self
            .service
            .cancel_ticket(rpc::request(request, Some(player), ""))
            .await;
        match answer.map_err(Failure::from) {
            Ok(answer) if answer.get_ref().state() == TicketState::Cancelled => {
                seen.cancelled += usize::from(self.cancelled.insert(ticket));
            }
            Ok(answer) => assert_eq!(answer.get_ref().state(), TicketState::Expired),
            Err(late) => assert_eq!(late.code, ErrorCode::AlreadyMatched),
        }
    }

    async fn second_round(&mut self) {
        let mut matcher = self.second.take().unwrap();
        matcher.round().await.unwrap();
        self.second = Some(matcher);
    }

    /// A round of the first replica, whole or until it is stopped; or what becomes of one that is
    /// stopped.
    async fn first_round(&mut self, seen: &mut Seen) {
        match self.first.take().unwrap() {
            Replica::Ready(mut matcher) => {
                // Anywhere, or where another replica or a player may have been faster.
                match self.random.u32(..8) {
                    0..3 => self.gate.close(Stop::After(self.random.u32(..30))),
                    3..6 => self.gate.close(Stop::Before("claim")),
                    6 => {
                        self.game.set_mood(Mood::Refusing);
                        self.gate.close(Stop::Before("reopen"));
                    }
                    _ => {}
                }
                let mut round = tokio::spawn(async move {
                    matcher.round().await.unwrap();
                    matcher
                });
                let stopped = tokio::select! {
                    done = &mut round => Err(done.unwrap()),
                    () = self.gate.stopped() => Ok(()),
                };
                if let Err(matcher) = stopped {
                    self.gate.open();
                    self.first = Some(Replica::Ready(matcher));
                } else {
                    seen.stops += 1;
                    self.first = Some(Replica::Stopped(round, self.now()));
                    self.overtake(seen).await;
                }
            }
            Replica::Stopped(round, _) if self.random.u32(..4) == 0 => {
                seen.crashes += 1;
                round.abort();
                let _ = round.await;
                self.gate = Arc::default();
                self.first = Some(Replica::Ready(self.replica(true)));
            }
            Replica::Stopped(round, since) => {
                let lease = i64::try_from(self.config.lease.as_millis()).unwrap();
                seen.outlived_leases += usize::from(self.now() - since > lease);
                self.gate.open();
                self.first = Some(Replica::Ready(round.await.unwrap()));
            }
        }
    }

    /// Players, or the other replica, are faster than one that was stopped.
    async fn overtake(&mut self, seen: &mut Seen) {
        match self.random.u32(..4) {
            0..2 => {
                for _ in 0..2 {
                    self.cancel(seen).await;
                }
            }
            2 => {
                if self.random.bool() {
                    self.game.set_mood(Mood::Mumbling);
                }
                self.wait(A_WHILE_MS).await;
                self.second_round().await;
            }
            _ => {}
        }
    }

    fn end_a_table(&mut self) {
        let tables = self.game.tables();
        let running = tables
            .iter()
            .filter(|table| !self.ended.contains(&table.table_id));
        if let Some(table) = self.random.choice(running.collect::<Vec<_>>()) {
            self.game.end(&table.table_id);
            self.ended.insert(table.table_id.clone());
        }
    }

    /// No player sits at two tables, and nobody with somebody blocked.
    fn check(&self) {
        let mut sitting = BTreeSet::new();
        for table in self.game.tables() {
            let seated: Vec<Uuid> = players(&table).into_iter().flatten().collect();
            for &one in &seated {
                assert!(blocked_by(one).is_none_or(|other| !seated.contains(&other)));
                if !self.ended.contains(&table.table_id) {
                    assert!(sitting.insert(one), "{one} sits at two tables");
                }
            }
        }
    }

    /// Everything works again, and time passes until nobody waits any more.
    async fn settle(&mut self, seen: &mut Seen) {
        self.game.set_mood(Mood::Willing);
        while let Some(Replica::Stopped(..)) = self.first {
            self.first_round(seen).await;
        }
        let expire_ms = i64::try_from(self.config.expire_after.as_millis()).unwrap();
        for _ in 0..=expire_ms / A_WHILE_MS {
            self.wait(A_WHILE_MS).await;
            self.second_round().await;
            let Some(Replica::Ready(matcher)) = &mut self.first else {
                panic!("the first replica runs");
            };
            matcher.round().await.unwrap();
            self.check();
        }
    }

    /// Every ticket has ended as it should, and every seat is somebody's ticket.
    async fn account(&self, seen: &mut Seen) {
        let mut seats: BTreeMap<String, BTreeSet<Uuid>> = BTreeMap::new();
        for (&id, &player) in &self.tickets {
            let request = v1::GetTicketRequest {
                ticket_id: id.to_string(),
            };
            let found = self
                .service
                .get_ticket(rpc::request(request, Some(player), ""))
                .await;
            let ticket = found.expect("no ticket is lost").into_inner();
            let cancelled = ticket.state() == TicketState::Cancelled;
            assert_eq!(cancelled, self.cancelled.contains(&id), "a cancel stands");
            match ticket.state() {
                TicketState::Matched => {
                    let fresh = seats.entry(ticket.table_id).or_default().insert(player);
                    assert!(fresh, "two tickets of a player for one table");
                }
                TicketState::Cancelled | TicketState::Expired => {
                    assert_ne!(ticket.reason(), v1::EndReason::Unspecified);
                }
                other => panic!("a ticket is stuck: {other:?}"),
            }
            assert_eq!(self.store.live(player).await.unwrap(), None);
        }
        let tables = self.game.tables();
        seen.tables += tables.len();
        for table in &tables {
            let seated: BTreeSet<Uuid> = players(table).into_iter().flatten().collect();
            assert_eq!(seats.remove(&table.table_id), Some(seated));
            let id: Uuid = table.table_id.parse().unwrap();
            let pairing = self.pairings.get(id).await.unwrap();
            assert!(pairing.is_some(), "every match explains itself");
        }
        assert!(
            seats.is_empty(),
            "tickets for tables that are not there: {seats:?}"
        );
        assert!(
            self.store
                .list_proposals(Duration::ZERO, 10)
                .await
                .unwrap()
                .is_empty()
        );
    }
}

async fn fuzz(place: Place) {
    let mut seen = Seen::default();
    for seed in 1..=SEEDS {
        let mut world = World::new(seed, place).await;
        for _ in 0..STEPS {
            world.step(&mut seen).await;
        }
        world.settle(&mut seen).await;
        world.account(&mut seen).await;
    }
    let met = seen.tables > 80
        && seen.stops > 60
        && seen.outlived_leases > 10
        && seen.crashes > 10
        && seen.second_devices > 50
        && seen.cancelled > 100
        && seen.parties > 40;
    assert!(met, "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_player_at_two_tables_and_no_ticket_lost_or_stuck() {
    fuzz(Place::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_player_at_two_tables_and_no_ticket_lost_or_stuck_on_redis() {
    fuzz(Place::Redis).await;
}
