//! A player of a simulated world: watches, thinks, acts, and tries again.

use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chassis::{ErrorCode, Failure, rpc};
use proto::v1::{
    self as wire, ActRequest, Player, TableUpdate, TakeSeatRequest, WatchRequest,
    action::Kind as Act, game_server::Game as _, table_update::Kind,
};
use rules::Seat;
use table::Table;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, sleep_until},
};
use tonic::Status;
use uuid::Uuid;

use super::{
    replicas::{Replica, Replicas},
    tables::Plan,
    world::{World, short},
};

/// How often a command is sent whose answer does not come.
const ATTEMPTS: usize = 100;

/// What came of a command, as far as its sender knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done(u64),
    Refused(ErrorCode),
    Unknown,
}

/// A command that was sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) id: String,
    pub(super) action: wire::Action,
    pub(super) outcome: Outcome,
    /// Sent by a second way too: what was refused on the first may have been done on it.
    pub(super) repeated: bool,
}

/// How a player plays.
#[derive(Clone, Debug)]
struct Manner {
    think_ms: Range<u64>,
    /// Looks in a thousand after which the player says nothing for a while.
    silences: u32,
    /// Looks in a thousand after which the player leaves for good.
    leaves: u32,
    /// Updates in a thousand after which the player connects anew.
    hang_ups: u32,
}

/// A player at a table.
#[derive(Debug)]
pub(super) struct Client {
    replicas: Arc<Replicas>,
    pub(super) table: Uuid,
    pub(super) player: Uuid,
    seated: bool,
    seat: Option<Seat>,
    manner: Manner,
    ready: bool,
    away: bool,
    /// Left for good; who then has no seat any more stops to watch.
    left: bool,
    pub(super) gone: bool,
    silent_until: Instant,
    /// Of the last update.
    pub(super) version: u64,
    pub(super) seen: Vec<TableUpdate>,
    pub(super) sent: Vec<Sent>,
    /// Answers to what was sent a second time.
    pub(super) echoes: Arc<Mutex<Vec<(String, u64)>>>,
    pub(super) resyncs: u32,
    /// Told to look anew, and has not done so yet.
    lost: bool,
}

type Stream = mpsc::Receiver<Result<TableUpdate, Status>>;

impl Client {
    /// Somebody who wants to play as planned.
    pub(super) fn new(replicas: &Arc<Replicas>, plan: &Plan, player: Uuid, seated: bool) -> Self {
        let world = &replicas.world;
        let think_ms = match world.pick(0..10) {
            0 => 500..5_000,
            1..=3 => 100..1_000,
            _ => 30..200,
        };
        let manner = Manner {
            think_ms,
            silences: [0, 0, 3, 10][world.pick(0..4) as usize],
            leaves: if plan.brief {
                50
            } else {
                [0, 0, 5][world.pick(0..3) as usize]
            },
            hang_ups: [0, 5, 50][world.pick(0..3) as usize],
        };
        Self {
            replicas: Arc::clone(replicas),
            table: plan.id,
            player,
            seated,
            seat: None,
            manner,
            ready: false,
            away: false,
            left: false,
            gone: false,
            silent_until: Instant::now(),
            version: 0,
            seen: Vec::new(),
            sent: Vec::new(),
            echoes: Arc::default(),
            resyncs: 0,
            lost: false,
        }
    }

    fn world(&self) -> &World {
        &self.replicas.world
    }

    fn violated(&self, what: &str) {
        let (table, player) = (short(self.table), short(self.player));
        self.world()
            .violated(format!("{player} at {table}: {what}"));
    }

    /// Nothing more will come, and all of it came here.
    fn is_done(&self) -> bool {
        self.gone
            || self.world().is_violated()
            || self.replicas.store.last_head(self.table) == Some(self.version)
    }

    /// Plays until the table is over.
    pub(super) async fn play(mut self) -> Self {
        while !self.is_done() {
            match self.connect().await {
                Ok(stream) => self.follow(stream).await,
                Err(failure) => self.bear(&failure),
            }
            self.world().pause(10..800).await;
        }
        self
    }

    async fn connect(&mut self) -> Result<Stream, Failure> {
        let replica = self.replicas.for_table(self.table);
        if !self.seated {
            let player = Player {
                id: self.player.to_string(),
                name: short(self.player),
            };
            let request = TakeSeatRequest {
                table_id: self.table.to_string(),
                player: Some(player),
            };
            let request = rpc::request(request, None, "");
            replica.call(replica.service.take_seat(request)).await?;
            self.seated = true;
        }
        if self.lost {
            let look = async { Ok(replica.service.game.tables.look(self.table).await?) };
            let (table, _) = replica.call(look).await?;
            self.version = table.version();
            self.seen.clear();
            (self.lost, self.away) = (false, false);
        }
        let request = WatchRequest {
            table_id: self.table.to_string(),
            after: self.version,
        };
        let request = rpc::stream_request(request, Some(self.player), "");
        let answer = replica.call(replica.service.watch(request)).await?;
        Ok(answer.into_inner().into_inner())
    }

    /// Takes an error for what it says: to try again, or that this is the end.
    fn bear(&mut self, failure: &Failure) {
        match failure.code {
            ErrorCode::Unavailable | ErrorCode::Timeout => {}
            ErrorCode::TableFull | ErrorCode::MatchOver if !self.seated => self.gone = true,
            // A seat that was left before the match is somebody else's.
            ErrorCode::TableNotFound if self.left => self.gone = true,
            // A table of which nothing was archived can be lost as a whole.
            ErrorCode::TableNotFound if self.world().faults.may_lose() => self.gone = true,
            _ if self.world().faults.may_lose() => {}
            code => self.violated(&format!("{} is no answer to this", code.as_str())),
        }
    }

    async fn follow(&mut self, mut stream: Stream) {
        let mut act_at = self.after_a_thought();
        while !self.is_done() {
            tokio::select! {
                biased;
                update = stream.recv() => {
                    match update {
                        Some(Ok(update)) => {
                            if !self.take(update) {
                                return;
                            }
                        }
                        Some(Err(status)) => return self.bear(&status.into()),
                        None => return,
                    }
                    act_at = act_at.min(self.after_a_thought());
                    if self.world().chance(self.manner.hang_ups) {
                        return;
                    }
                }
                () = sleep_until(act_at) => act_at = self.consider().await,
            }
        }
    }

    fn after_a_thought(&self) -> Instant {
        self.after(self.manner.think_ms.clone())
    }

    fn after(&self, ms: Range<u64>) -> Instant {
        Instant::now() + Duration::from_millis(self.world().pick(ms))
    }

    /// Takes an update that must be the next. Says whether the stream goes on.
    fn take(&mut self, update: TableUpdate) -> bool {
        let version = update.version;
        match &update.kind {
            Some(Kind::Heartbeat(_)) => {
                if version != self.version {
                    self.violated(&format!("a heartbeat of {version} after {}", self.version));
                }
                return true;
            }
            Some(Kind::Resync(_)) => {
                if !self.world().faults.may_lose() {
                    self.violated("told to start again, though nothing was lost");
                }
                self.resyncs += 1;
                self.lost = true;
                return false;
            }
            Some(Kind::SeatAway(seat)) => self.notice_away(seat.seat, true),
            Some(Kind::SeatReturned(seat)) => self.notice_away(seat.seat, false),
            _ => {}
        }
        if version != self.version + 1 {
            self.violated(&format!("update {version} after {}", self.version));
        }
        self.version = version;
        self.seen.push(update);
        true
    }

    fn notice_away(&mut self, seat: u32, away: bool) {
        if self
            .seat
            .is_some_and(|mine| u32::from(mine.number()) == seat)
        {
            self.away = away;
        }
    }

    /// Looks at the table and does what there is to do. Returns when to look again.
    async fn consider(&mut self) -> Instant {
        let world = &self.replicas.world;
        if self.silent_until > Instant::now() {
            return self.silent_until;
        }
        let replica = self.replicas.for_table(self.table);
        let look = async { Ok(replica.service.game.tables.look(self.table).await?) };
        let table = match replica.call(look).await {
            Ok((table, _)) => table,
            Err(failure) => {
                self.bear(&failure);
                return self.after(100..1_000);
            }
        };
        let later = self.after(1_000..4_000);
        let Some(seat) = table.seat_of(self.player) else {
            self.gone = self.left;
            return later;
        };
        self.seat = Some(seat);
        if self.left || table.result().is_some() {
            return later;
        }
        if world.chance(self.manner.silences) {
            self.silent_until = self.after(5_000..25_000);
            return self.silent_until;
        }
        let Some(action) = self.choose(&table, seat) else {
            return later;
        };
        let expected = world.chance(200).then_some(self.version);
        self.act(action, expected).await;
        self.after_a_thought()
    }

    fn choose(&self, table: &Table, seat: Seat) -> Option<wire::Action> {
        let world = self.world();
        let simple = |kind| Some(wire::Action { kind: Some(kind) });
        // Seldom before the match: an open seat waits for half an hour.
        let leaves = world.chance(self.manner.leaves);
        if leaves && (self.ready || world.chance(100)) {
            return simple(Act::Leave(wire::Leave {}));
        }
        if !self.ready && table.deal().is_none() {
            let nonce = vec![world.pick(0..256) as u8; 4];
            return simple(Act::Ready(wire::Ready { nonce }));
        }
        if self.away && world.chance(300) {
            return simple(Act::Return(wire::Return {}));
        }
        let deal = table.deal()?;
        if deal.turn() != Some(seat) {
            // Out of turn, and never done.
            let hasty = world.chance(20);
            return simple(Act::Pass(wire::Pass {})).filter(|_| hasty);
        }
        let actions = deal.legal().actions();
        let action = actions.get(world.pick(0..actions.len().max(1) as u64) as usize)?;
        Some(table::action_to_wire(*action, table.rules()))
    }

    /// Sends a command until its fate is known.
    async fn act(&mut self, action: wire::Action, expected: Option<u64>) {
        let replicas = Arc::clone(&self.replicas);
        let world = &replicas.world;
        let request = ActRequest {
            table_id: self.table.to_string(),
            command_id: format!("{}-{}", short(self.player), self.sent.len()),
            expected_version: expected,
            action: Some(action.clone()),
        };
        let repeated = world.chance(world.faults.repeated);
        if repeated {
            self.send_again(request.clone());
        }
        let mut outcome = Outcome::Unknown;
        for _ in 0..ATTEMPTS {
            let replica = replicas.for_table(self.table);
            match send(&replica, request.clone(), self.player).await {
                Ok(version) => outcome = Outcome::Done(version),
                Err(failure) => match failure.code {
                    ErrorCode::Unavailable | ErrorCode::Timeout => {
                        world.pause(50..1_200).await;
                        continue;
                    }
                    code => outcome = Outcome::Refused(code),
                },
            }
            break;
        }
        if expected.is_none() && outcome == Outcome::Refused(ErrorCode::StaleVersion) {
            self.violated("refused for a version that was not asked for");
        }
        world.note(format_args!("{} {outcome:?}", request.command_id));
        self.learn(&action, &outcome);
        self.sent.push(Sent {
            id: request.command_id,
            action,
            outcome,
            repeated,
        });
    }

    /// The same command by another way, at some time.
    fn send_again(&self, request: ActRequest) {
        let replicas = Arc::clone(&self.replicas);
        let echoes = Arc::clone(&self.echoes);
        let (table, player) = (self.table, self.player);
        let late_ms = self.world().pick(0..4_000);
        tokio::spawn(async move {
            sleep(Duration::from_millis(late_ms)).await;
            let replica = replicas.for_table(table);
            let id = request.command_id.clone();
            if let Ok(version) = send(&replica, request, player).await {
                let mut echoes = echoes.lock().unwrap_or_else(PoisonError::into_inner);
                echoes.push((id, version));
            }
        });
    }

    fn learn(&mut self, action: &wire::Action, outcome: &Outcome) {
        let done = matches!(outcome, Outcome::Done(_));
        match &action.kind {
            // Refused, the clock was faster.
            Some(Act::Ready(_)) if *outcome != Outcome::Unknown => self.ready = true,
            Some(Act::Leave(_)) if done => self.left = true,
            _ => {}
        }
        if let Outcome::Refused(
            code @ (ErrorCode::Internal
            | ErrorCode::BadRequest
            | ErrorCode::InvalidBody
            | ErrorCode::CommandIdReused),
        ) = outcome
            && !self.world().faults.may_lose()
        {
            self.violated(&format!("{} for {action:?}", code.as_str()));
        }
    }
}

async fn send(replica: &Replica, request: ActRequest, player: Uuid) -> Result<u64, Failure> {
    let request = rpc::request(request, Some(player), "");
    let answer = replica.call(replica.service.act(request)).await?;
    Ok(answer.into_inner().version)
}
