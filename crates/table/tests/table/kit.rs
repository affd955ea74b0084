//! Tables to play with: [`Live`] keeps a log as the game service does and checks at every step
//! what must always hold of it.

use proto::v1::{
    self as wire, OpenTableRequest, TableKind, TableView, TimeControl, action_choice::Kind,
    occupant,
};
use rules::{Action, CardSet, Rank, Rules, Seat, Suit};
use table::{
    Chore, Command, Event, Now, Player, Reject, SeatAction, Table, action_from_wire,
    card_from_wire, decide, decode, encode, view,
};
use uuid::Uuid;

pub(crate) const START_MS: i64 = 1_800_000_000_000;
pub(crate) const TIME: TimeControl = TimeControl {
    move_ms: 10_000,
    bank_ms: 5_000,
    pause_ms: 3_000,
    bot_ms: 700,
};

pub(crate) fn player(n: usize) -> Player {
    Player {
        id: Uuid::from_u128(0xb0b0 + n as u128),
        name: format!("Toni {n}"),
    }
}

pub(crate) fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

fn person(n: usize) -> wire::Occupant {
    let Player { id, name } = player(n);
    wire::Occupant {
        kind: Some(occupant::Kind::Player(wire::Player {
            id: id.to_string(),
            name,
        })),
    }
}

fn bot() -> wire::Occupant {
    wire::Occupant {
        kind: Some(occupant::Kind::Bot(wire::Bot {
            level: "standard".to_owned(),
        })),
    }
}

/// A request for a table of these seats: `p` a person, `b` a bot, `.` open.
pub(crate) fn request(kind: TableKind, seats: &str, options: &[(&str, &str)]) -> OpenTableRequest {
    let occupants = seats.chars().enumerate().map(|(n, who)| match who {
        'p' => person(n),
        'b' => bot(),
        _ => wire::Occupant { kind: None },
    });
    let options = options
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    let ranked = kind == TableKind::Ranked;
    OpenTableRequest {
        table_id: Uuid::from_u128(0x7ab1e).to_string(),
        kind: kind.into(),
        queue: if kind == TableKind::Private {
            ""
        } else {
            "queue"
        }
        .to_owned(),
        rules: Some(wire::Rules {
            ruleset: "brixental".to_owned(),
            version: 0,
            players: seats.len() as u32,
            options: options.collect(),
        }),
        time_control: Some(TIME),
        invite_code: "K7QMXP".to_owned(),
        seats: occupants.collect(),
        ladder: if ranked { "brixental" } else { "" }.to_owned(),
    }
}

/// One entry of a log.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) version: u64,
    pub(crate) at_ms: i64,
    pub(crate) event: Event,
}

/// A table and its log.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub(crate) table: Table,
    /// The same, from stored bytes alone.
    stored: Table,
    pub(crate) log: Vec<Entry>,
    pub(crate) now_ms: i64,
    /// When the latest outage ended.
    pub(crate) outage_ms: i64,
}

impl Live {
    pub(crate) fn open(request: &OpenTableRequest, seed: u8) -> Self {
        let event = Event::opening(request, [seed; 32]).unwrap();
        let table = Table::open(1, START_MS, &event).unwrap();
        let Event::Opened { setup, .. } = &event else {
            unreachable!()
        };
        let bytes = encode(&event, &setup.rules);
        let stored = Table::open(1, START_MS, &decode(&bytes, None).unwrap()).unwrap();
        let log = vec![Entry {
            version: 1,
            at_ms: START_MS,
            event,
        }];
        Self {
            table,
            stored,
            log,
            now_ms: START_MS,
            outage_ms: 0,
        }
    }

    /// What the game service does when the store lost all but the first entries.
    pub(crate) fn restore(&mut self, kept: usize) {
        let seen = self.table.version();
        self.log.truncate(kept);
        let entries = || {
            self.log
                .iter()
                .map(|entry| (entry.version, entry.at_ms, &entry.event))
        };
        let mut table = Table::replay(entries()).unwrap().unwrap();
        let version = table::restored_version(seen);
        table
            .evolve(version, self.now_ms, &Event::Restored)
            .unwrap();
        self.log.push(Entry {
            version,
            at_ms: self.now_ms,
            event: Event::Restored,
        });
        self.stored = table.clone();
        self.table = table;
    }

    /// Opens a table where everybody is there, and starts the first deal.
    pub(crate) fn started(kind: TableKind, seats: &str, options: &[(&str, &str)]) -> Self {
        let mut live = Self::open(&request(kind, seats, options), 7);
        live.all_ready();
        live
    }

    pub(crate) fn all_ready(&mut self) {
        for seat in self.rules().seats() {
            if self.table.player(seat).is_some() {
                self.act(seat, SeatAction::Ready(vec![seat.number(); 8]))
                    .unwrap();
            }
        }
    }

    pub(crate) fn rules(&self) -> Rules {
        *self.table.rules()
    }

    /// Decides, appends, and returns the new events. Checks that a refused command leaves no
    /// trace, that versions have no gaps, and that the log alone leads to the same state.
    pub(crate) fn submit(&mut self, command: &Command) -> Result<Vec<Event>, Reject> {
        let before = self.table.clone();
        let now = Now {
            ms: self.now_ms,
            outage_ms: self.outage_ms,
        };
        let decision = decide(&self.table, command, now);
        let decision = match decision {
            Err(Reject::Corrupt(corrupt)) => panic!("{command:?} at {before:?}: {corrupt}"),
            decision => decision?,
        };
        for event in &decision.events {
            let version = self.table.version() + 1;
            self.table.evolve(version, self.now_ms, event).unwrap();
            let bytes = encode(event, before.rules());
            let read = decode(&bytes, Some(before.rules())).unwrap();
            assert_eq!(&read, event);
            assert_eq!(encode(&read, before.rules()), bytes);
            self.stored.evolve(version, self.now_ms, &read).unwrap();
            assert!(
                self.table == self.stored,
                "the log leads elsewhere: {event:?}"
            );
            self.log.push(Entry {
                version,
                at_ms: self.now_ms,
                event: event.clone(),
            });
        }
        assert!(
            self.table == decision.table,
            "the decision promised another state"
        );
        assert_eq!(
            Some(self.table.version()),
            self.log.last().map(|entry| entry.version)
        );
        Ok(decision.events)
    }

    pub(crate) fn act(&mut self, seat: Seat, action: SeatAction) -> Result<Vec<Event>, Reject> {
        let player = self.table.player(seat).expect("a person sits there").id;
        self.submit(&Command::Act { player, action })
    }

    pub(crate) fn wake(&mut self) -> Vec<Event> {
        self.submit(&Command::Wake).unwrap()
    }

    /// Goes on to when the table moves on by itself, and lets it.
    pub(crate) fn wake_when_due(&mut self) -> Vec<Event> {
        self.now_ms = self.due();
        let events = self.wake();
        assert!(!events.is_empty(), "the table was due and does not move on");
        events
    }

    pub(crate) fn due(&self) -> i64 {
        self.table.due_ms().expect("the table waits for something")
    }

    pub(crate) fn turn(&self) -> Seat {
        let deal = self.table.deal().expect("a deal runs");
        deal.turn().expect("it is somebody's turn")
    }

    pub(crate) fn view(&self, seat: Seat) -> TableView {
        let player = self.table.player(seat).expect("a person sits there").id;
        view(&self.table, player, self.now_ms).expect("who sits there sees the table")
    }

    /// Some legal action of the seat whose turn it is.
    pub(crate) fn some_action(&self) -> Action {
        self.table.deal().unwrap().legal().actions()[0]
    }

    /// The seat whose turn it is takes a legal action, right now.
    pub(crate) fn act_on(&mut self) -> Vec<Event> {
        let action = SeatAction::Deal(self.some_action());
        self.act(self.turn(), action).unwrap()
    }

    /// Everybody acts until a deal is scored.
    pub(crate) fn finish_deal(&mut self) {
        let scored = self.table.score_sheet().len();
        while self.table.score_sheet().len() == scored {
            if self.table.player(self.turn()).is_some() && !self.away(self.turn()) {
                self.act_on();
            } else {
                self.wake_when_due();
            }
        }
    }

    /// Everybody acts, and time goes on, until the match is over.
    pub(crate) fn finish_match(&mut self) {
        while self.table.result().is_none() {
            if self.table.deal().is_some() {
                self.finish_deal();
            } else {
                self.wake_when_due();
            }
        }
    }

    pub(crate) fn state(&self, seat: Seat) -> wire::SeatView {
        let anybody = self
            .rules()
            .seats()
            .find(|seat| self.table.player(*seat).is_some());
        let mut view = self.view(anybody.expect("somebody sits there"));
        view.seats.swap_remove(seat.index())
    }

    pub(crate) fn away(&self, seat: Seat) -> bool {
        self.state(seat).away
    }

    /// Does the next chore.
    pub(crate) fn do_chore(&mut self) -> Option<Chore> {
        let chore = self.table.chore()?;
        let done = match chore {
            Chore::ArchiveDeal { number, .. } => Command::DealArchived(number),
            Chore::ArchiveMatch { .. } => Command::MatchArchived,
            Chore::Rate => Command::Rated(self.changes()),
            Chore::Expire => return Some(chore),
        };
        assert_eq!(self.submit(&done).unwrap().len(), 1);
        Some(chore)
    }

    pub(crate) fn changes(&self) -> Vec<wire::RatingChange> {
        let players = self
            .rules()
            .seats()
            .filter_map(|seat| self.table.player(seat));
        let change = |player: &Player| wire::RatingChange {
            player_id: player.id.to_string(),
            before: 1200,
            after: 1213,
        };
        players.map(change).collect()
    }
}

/// Every action that a list of choices stands for.
pub(crate) fn listed(choices: &[wire::ActionChoice], rules: &Rules) -> Vec<SeatAction> {
    let mut actions = Vec::new();
    for choice in choices {
        match choice.kind.as_ref().unwrap() {
            Kind::Action(action) => {
                let kind = action.kind.as_ref().unwrap();
                actions.push(match action_from_wire(kind, rules).unwrap() {
                    Some(action) => SeatAction::Deal(action),
                    None => match kind {
                        wire::action::Kind::Ready(_) => SeatAction::Ready(vec![1, 2, 3]),
                        wire::action::Kind::Return(_) => SeatAction::Return,
                        other => panic!("{other:?} is not to be listed"),
                    },
                });
            }
            Kind::Discard(template) => {
                let from = template
                    .from
                    .iter()
                    .map(|&card| card_from_wire(card).unwrap());
                let from: CardSet = from.collect();
                let covered = |cards: &CardSet| {
                    let aces = cards.of_rank(Rank::Ace);
                    let trumps = cards.of_suit(Suit::Hearts).difference(aces);
                    !template.aces_need_trumps || trumps.len() >= aces.len()
                };
                let discards = from.subsets(template.count as usize).filter(covered);
                actions.extend(discards.map(|cards| SeatAction::Deal(Action::Discard(cards))));
            }
        }
    }
    actions
}

/// A small generator (SplitMix64), so that a failing case is known by its number.
#[derive(Clone, Debug)]
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    pub(crate) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize].clone()
    }
}
