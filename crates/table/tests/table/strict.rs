//! Events that the rules and the seats do not allow make a log corrupt: a state that was reached
//! can always be shown, archived and rated.

use proto::v1::{Actor, CloseReason, MatchResult, TableKind};
use rules::{Action, Seat};
use table::{Command, Event, Player};

use crate::kit::{Live, player, request, seat};

fn check_corrupt(live: &Live, events: &[Event]) {
    for event in events {
        let version = live.table.version() + 1;
        let taken = live.table.clone().evolve(version, live.now_ms, event);
        let corrupt = taken.expect_err(&format!("{event:?} was taken"));
        assert_eq!(corrupt.version, version);
    }
}

fn taken(seat: Seat, player: Player) -> Event {
    Event::SeatTaken { seat, player }
}

fn ready(number: u8, bytes: usize) -> Event {
    Event::SeatReady {
        seat: seat(number),
        nonce: vec![0; bytes],
        by: Actor::Player,
    }
}

fn away(number: u8, left: bool) -> Event {
    Event::SeatAway {
        seat: seat(number),
        left,
    }
}

fn started(number: u32, dealer: Seat) -> Event {
    Event::DealStarted { number, dealer }
}

fn ended(seats: usize) -> Event {
    Event::MatchEnded(MatchResult {
        scores: vec![0; seats],
        places: vec![1; seats],
        settlement: vec![0; seats],
        abandoned: vec![true; seats],
        pot_shares: Vec::new(),
    })
}

/// What only a match that is over can be followed by.
fn bookkeeping() -> [Event; 3] {
    [
        Event::DealArchived { number: 1 },
        Event::MatchArchived,
        Event::MatchRated(Vec::new()),
    ]
}

#[test]
fn before_the_match() {
    let mut live = Live::open(&request(TableKind::Private, "pb.", &[]), 1);
    live.submit(&Command::Act {
        player: player(0).id,
        action: table::SeatAction::Ready(Vec::new()),
    })
    .unwrap();
    check_corrupt(&live, &bookkeeping());
    check_corrupt(
        &live,
        &[
            taken(seat(0), player(5)),
            taken(seat(1), player(5)),
            taken(seat(3), player(5)),
            taken(seat(2), player(0)),
            Event::SeatFreed { seat: seat(1) },
            Event::SeatFreed { seat: seat(2) },
            ready(0, 1),
            ready(1, 1),
            ready(2, 1),
            away(1, false),
            away(2, true),
            Event::SeatReturned { seat: seat(0) },
            started(1, seat(0)),
            ended(3),
        ],
    );
    live.submit(&Command::TakeSeat(player(2))).unwrap();
    check_corrupt(&live, &[ready(2, 33), started(1, seat(0))]);
}

#[test]
fn while_a_deal_runs() {
    let mut live = Live::started(TableKind::Ranked, "ppp", &[]);
    let turn = live.turn();
    let acted = |seat, action| Event::Acted {
        seat,
        action,
        by: Actor::Clock,
    };
    check_corrupt(&live, &bookkeeping());
    check_corrupt(
        &live,
        &[
            acted(turn.left(3), Action::Pass),
            acted(seat(3), Action::Pass),
            acted(turn, Action::Play(rules::Card::SPATZ)),
            taken(seat(0), player(5)),
            Event::SeatFreed { seat: seat(0) },
            ready(0, 1),
            away(3, false),
            Event::SeatReturned { seat: seat(0) },
            started(2, seat(0)),
            ended(3),
            Event::Closed(CloseReason::Deserted),
        ],
    );
    let number = turn.number();
    let version = live.table.version() + 1;
    live.table.evolve(version, 0, &away(number, false)).unwrap();
    check_corrupt(&live, &[away(number, false)]);
    live.table
        .evolve(version + 1, 0, &away(number, true))
        .unwrap();
    check_corrupt(
        &live,
        &[
            away(number, true),
            away(number, false),
            Event::SeatReturned { seat: turn },
        ],
    );
}

#[test]
fn between_deals_and_after_the_end() {
    let mut live = Live::started(TableKind::Casual, "ppp", &[("length", "rounds(1)")]);
    live.finish_deal();
    let dealers: Vec<Event> = Seat::all(3).map(|dealer| started(1, dealer)).collect();
    check_corrupt(&live, &dealers);
    check_corrupt(&live, &[Event::DealArchived { number: 2 }, ended(3)]);
    live.finish_match();
    while live.table.chore() != Some(table::Chore::Expire) {
        live.do_chore();
    }
    let over = [
        taken(seat(0), player(5)),
        away(0, true),
        Event::SeatReturned { seat: seat(0) },
        Event::ClockRestarted,
        started(4, seat(0)),
        ended(3),
        Event::Closed(CloseReason::NotFilled),
    ];
    check_corrupt(&live, &over);
    check_corrupt(&live, &bookkeeping());
}
