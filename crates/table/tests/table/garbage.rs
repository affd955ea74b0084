//! Bytes and logs that make no sense are refused, and nothing that they lead to panics.

use proptest::prelude::*;
use proto::v1::{self as wire, Actor, CloseReason, TableKind};
use rules::{Action, Card, CardSet, PACK, Seat, Suit};
use table::{Command, Event, Player, SeatAction, Table, decide, decode, encode, update, view};
use uuid::Uuid;

use crate::{
    golden::{golden, rules},
    kit::{Live, Rng, player},
    replay::{play, random_table},
};

/// Everything that can be asked of a table.
fn ask_everything(table: &Table, event: &Event, at_ms: i64) {
    let rules = *table.rules();
    for number in 0..4 {
        let seat = Seat::new(number).unwrap();
        let _ = update(table, event, Some(seat), at_ms);
        if let Some(player) = table.player(seat) {
            assert!(view(table, player.id, at_ms).is_some());
            for action in [
                SeatAction::Leave,
                SeatAction::Return,
                SeatAction::Deal(Action::Pass),
            ] {
                let player = player.id;
                let _ = decide(table, &Command::Act { player, action }, at_ms);
            }
        }
    }
    let _ = (
        update(table, event, None, at_ms),
        table.due_ms(),
        table.nonces(),
        table.occupants(),
    );
    let _ = (
        table.wake_ms(None, at_ms),
        table.wake_ms(Some(table), at_ms),
        table.chore(),
    );
    for command in [
        Command::Wake,
        Command::TakeSeat(player(77)),
        Command::DealArchived(u32::MAX),
        Command::MatchArchived,
        Command::Rated(Vec::new()),
    ] {
        let _ = decide(table, &command, at_ms);
    }
    // What the game service takes from a finished match.
    if let Some(result) = table.result() {
        for seat in rules.seats() {
            let _ = (result.places[seat.index()], result.scores[seat.index()]);
            let _ = result.abandoned[seat.index()];
        }
    }
}

/// Takes events as a log has them, leaving out those that are refused.
fn take_all(events: impl IntoIterator<Item = (i64, Event)>) -> usize {
    let mut table: Option<Table> = None;
    let mut taken = 0;
    for (at_ms, event) in events {
        let after = match &table {
            None => Table::open(1, at_ms, &event),
            Some(table) => {
                let mut after = table.clone();
                after
                    .evolve(table.version() + 1, at_ms, &event)
                    .map(|()| after)
            }
        };
        if let Ok(after) = after {
            ask_everything(&after, &event, at_ms);
            ask_everything(&after, &event, i64::MAX);
            ask_everything(&after, &event, i64::MIN);
            table = Some(after);
            taken += 1;
        }
    }
    taken
}

fn seats() -> impl Strategy<Value = Seat> {
    (0u8..4).prop_map(|number| Seat::new(number).unwrap())
}

fn actors() -> impl Strategy<Value = Actor> {
    prop::sample::select(vec![
        Actor::Player,
        Actor::Clock,
        Actor::Bot,
        Actor::Unspecified,
    ])
}

fn actions() -> impl Strategy<Value = Action> {
    let card = || (0..PACK).prop_map(|i| Card::from_index(i).unwrap());
    prop_oneof![
        Just(Action::Pass),
        Just(Action::Hold),
        Just(Action::Double),
        Just(Action::Redouble),
        prop::sample::select(Suit::ALL.to_vec()).prop_map(Action::DeclareTrump),
        (0usize..14).prop_map(|n| Action::Announce(rules().contracts().nth(n).unwrap())),
        (0usize..14).prop_map(|n| Action::Bid(rules().contracts().nth(n).unwrap())),
        prop::collection::vec(card(), 0..6)
            .prop_map(|cards| Action::Discard(cards.into_iter().collect::<CardSet>())),
        card().prop_map(Action::Play),
    ]
}

fn numbers() -> impl Strategy<Value = u32> {
    prop_oneof![0u32..4, any::<u32>()]
}

fn scores() -> impl Strategy<Value = Event> {
    (
        numbers(),
        0u32..5,
        prop::collection::vec(any::<i32>(), 0..6),
        any::<bool>(),
    )
        .prop_map(|(number, dealer, points, counted)| {
            Event::DealScored(wire::DealScore {
                number,
                dealer,
                declarer: None,
                totals: points.clone(),
                points,
                counted,
                stake: 0,
                pot: 0,
            })
        })
}

fn results() -> impl Strategy<Value = Event> {
    let lists = (0usize..6, 0usize..6, 0usize..6);
    lists.prop_map(|(scores, places, abandoned)| {
        Event::MatchEnded(wire::MatchResult {
            scores: vec![1; scores],
            places: vec![1; places],
            settlement: vec![0; scores],
            abandoned: vec![true; abandoned],
            pot_shares: Vec::new(),
        })
    })
}

fn events() -> impl Strategy<Value = Event> {
    let nonce = prop::collection::vec(any::<u8>(), 0..=32);
    let person = (0u128..6).prop_map(|id| Player {
        id: Uuid::from_u128(id),
        name: "x".repeat(300),
    });
    let reasons = vec![CloseReason::NotFilled, CloseReason::Unspecified];
    prop_oneof![
        4 => (seats(), nonce, actors())
            .prop_map(|(seat, nonce, by)| Event::SeatReady { seat, nonce, by }),
        2 => (seats(), person).prop_map(|(seat, player)| Event::SeatTaken { seat, player }),
        1 => seats().prop_map(|seat| Event::SeatFreed { seat }),
        4 => (numbers(), seats())
            .prop_map(|(number, dealer)| Event::DealStarted { number, dealer }),
        8 => (seats(), actions(), actors())
            .prop_map(|(seat, action, by)| Event::Acted { seat, action, by }),
        1 => scores(),
        1 => results(),
        2 => (seats(), any::<bool>()).prop_map(|(seat, left)| Event::SeatAway { seat, left }),
        2 => seats().prop_map(|seat| Event::SeatReturned { seat }),
        1 => Just(Event::ClockRestarted),
        1 => Just(Event::Restored),
        1 => numbers().prop_map(|number| Event::DealArchived { number }),
        1 => Just(Event::MatchArchived),
        1 => Just(Event::MatchRated(Vec::new())),
        1 => prop::sample::select(reasons).prop_map(Event::Closed),
    ]
}

fn stamps() -> impl Strategy<Value = i64> {
    prop_oneof![
        0i64..1_000_000,
        any::<i64>(),
        Just(i64::MIN),
        Just(i64::MAX)
    ]
}

/// The event as it comes back from the store.
fn stored(event: &Event) -> Event {
    let bytes = encode(event, &rules());
    let read = decode(&bytes, Some(&rules())).unwrap();
    assert_eq!(read, *event);
    read
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(&bytes, None);
        let _ = decode(&bytes, Some(&rules()));
    }

    #[test]
    fn any_events_are_taken_or_refused(
        opening in 0usize..3,
        events in prop::collection::vec((stamps(), events()), 0..60),
        start_ms in stamps(),
    ) {
        let opening = decode(&golden()[opening].1, None).unwrap();
        let events = events.iter().map(|(at_ms, event)| (*at_ms, stored(event)));
        take_all(std::iter::once((start_ms, opening)).chain(events));
    }
}

#[test]
fn golden_bytes_with_any_byte_changed_are_read_or_refused() {
    let opening = decode(&golden()[0].1, None).unwrap();
    let mut read = 0;
    for (_, bytes) in golden() {
        for at in 0..bytes.len() {
            for change in [0x01, 0x02, 0x08, 0x40, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= change;
                if let Ok(event) = decode(&bytes, Some(&rules())) {
                    read += take_all([(0, opening.clone()), (1, event)]);
                }
            }
            let _ = decode(&bytes[..at], Some(&rules()));
        }
    }
    assert!(read > 1_000, "{read}");
}

/// Logs of real matches with entries lost, doubled, swapped, or of another match.
#[test]
fn spoilt_logs_are_refused_or_make_a_table() {
    let mut rng = Rng(7_000);
    let logs: Vec<Live> = (0..30)
        .map(|_| {
            let mut live = random_table(&mut rng);
            play(&mut live, &mut rng, |_, _| {});
            live
        })
        .collect();
    let mut long = 0;
    for live in &logs {
        let mut events: Vec<(i64, Event)> = live
            .log
            .iter()
            .map(|entry| (entry.at_ms, entry.event.clone()))
            .collect();
        for _ in 0..1 + rng.below(4) {
            let at = 1 + rng.below(events.len() as u64 - 1) as usize;
            match rng.below(4) {
                0 => {
                    events.remove(at);
                }
                1 => events.insert(at, events[at].clone()),
                2 => events.swap(at, (at + 1).min(live.log.len() / 2).max(1)),
                _ => {
                    let other = rng.pick(&rng.clone().pick(&logs).log);
                    events.insert(at, (other.at_ms, other.event));
                }
            }
            if events.len() < 3 {
                break;
            }
        }
        long += take_all(events);
    }
    assert!(long > 500, "{long}");
}

#[test]
fn a_log_begins_with_its_only_opening() {
    let opening = decode(&golden()[0].1, None).unwrap();
    assert!(Table::open(2, 0, &opening).is_err());
    assert!(Table::open(1, 0, &Event::MatchArchived).is_err());
    let mut table = Table::open(1, 0, &opening).unwrap();
    assert!(table.evolve(2, 0, &opening).is_err());
    let Event::Opened { setup, mut seats } = opening else {
        unreachable!()
    };
    assert_eq!(setup.kind, TableKind::Ranked);
    seats.pop();
    assert!(Table::open(1, 0, &Event::Opened { setup, seats }).is_err());
}
