//! Turn clocks: a time for each move, a bank for the match, and who acts when both are gone.

use proto::v1::{Actor, TableKind};
use table::{Event, Reject, SeatAction};

use crate::kit::{Live, TIME, request, seat};

fn by(events: &[Event]) -> Actor {
    match &events[0] {
        Event::Acted { by, .. } => *by,
        other => panic!("somebody acts first: {other:?}"),
    }
}

fn started() -> Live {
    Live::started(TableKind::Casual, "pppp", &[("length", "rounds(1)")])
}

/// Lets the clock act for whoever does not, until this seat is to act.
fn until_turn_of(live: &mut Live, number: u8) {
    while live.turn() != seat(number) {
        live.act_on();
        if live.table.deal().is_none() {
            live.wake_when_due();
        }
    }
}

#[test]
fn the_bank_pays_only_for_time_beyond_the_move() {
    for (used_ms, bank_ms) in [
        (0, 5_000),
        (9_999, 5_000),
        (10_000, 5_000),
        (10_001, 4_999),
        (12_500, 2_500),
        (15_000, 0),
        (15_400, 0),
    ] {
        let mut live = started();
        let me = live.turn();
        live.now_ms += used_ms;
        live.act_on();
        assert_eq!(live.state(me).bank_ms, bank_ms, "{used_ms} ms used");
        for other in live.rules().seats().filter(|other| *other != me) {
            assert_eq!(live.state(other).bank_ms, 5_000);
        }
    }
}

#[test]
fn the_bank_is_for_the_whole_match() {
    let mut live = started();
    let me = live.turn();
    for left_ms in [4_000, 3_000, 2_000, 1_000, 0] {
        until_turn_of(&mut live, me.number());
        live.now_ms += 11_000;
        live.act_on();
        assert_eq!(live.state(me).bank_ms, left_ms);
        if live.table.deal().is_none() {
            live.wake_when_due();
        }
    }
}

#[test]
fn a_deadline_is_the_time_of_the_move_and_what_is_left_of_the_bank() {
    let mut live = started();
    let me = live.turn();
    let first = live.view(me).turn.unwrap();
    assert_eq!(first.started_ms, live.now_ms);
    assert_eq!(first.deadline_ms, live.now_ms + 15_000);
    live.now_ms += 12_000;
    live.act_on();
    let other = live.view(me).turn.unwrap();
    assert_eq!(other.started_ms, live.now_ms);
    assert_eq!(other.deadline_ms, live.now_ms + 15_000);
    until_turn_of(&mut live, me.number());
    assert_eq!(live.due(), live.now_ms + 10_000 + 3_000);
    assert_eq!(live.view(me).turn.unwrap().deadline_ms, live.due());
}

#[test]
fn the_clock_acts_when_time_is_up_and_not_a_millisecond_before() {
    let mut live = started();
    let me = live.turn();
    live.now_ms = live.due() - 1;
    assert!(live.wake().is_empty());
    live.now_ms += 1;
    let events = live.wake();
    assert_eq!(by(&events), Actor::Clock);
    assert_eq!(live.state(me).bank_ms, 0);
    assert!(!live.away(me));
    assert_ne!(live.turn(), me);
    assert!(live.wake().is_empty(), "the next seat has its own time");
}

#[test]
fn after_two_acts_of_the_clock_in_a_row_the_seat_is_away_and_its_bot_plays_at_once() {
    let mut live = started();
    let me = live.turn();
    live.wake_when_due();
    until_turn_of(&mut live, me.number());
    assert_eq!(live.due(), live.now_ms + 10_000, "the bank is gone");
    let events = live.wake_when_due();
    assert_eq!(by(&events), Actor::Clock);
    assert!(events.contains(&Event::SeatAway {
        seat: me,
        left: false
    }));
    assert!(live.away(me));
    until_turn_of_away(&mut live, me.number());
    assert_eq!(live.due(), live.now_ms + 700);
    live.now_ms = live.due() - 1;
    assert!(live.wake().is_empty());
    assert_eq!(by(&live.wake_when_due()), Actor::Bot);
    assert!(live.away(me));
}

/// As [`until_turn_of`], when the clock moves the others on.
fn until_turn_of_away(live: &mut Live, number: u8) {
    while live.table.deal().is_none() || live.turn() != seat(number) {
        match live.table.deal() {
            Some(_) if !live.away(live.turn()) => {
                live.act_on();
            }
            _ => {
                live.wake_when_due();
            }
        }
    }
}

#[test]
fn acting_in_time_starts_the_count_again() {
    let mut live = started();
    let me = live.turn();
    for _ in 0..3 {
        until_turn_of_away(&mut live, me.number());
        let events = live.wake_when_due();
        assert_eq!(by(&events), Actor::Clock);
        assert!(!live.away(me));
        until_turn_of_away(&mut live, me.number());
        live.act_on();
    }
}

fn away_on_turn() -> (Live, rules::Seat) {
    let mut live = started();
    let me = live.turn();
    for _ in 0..2 {
        until_turn_of_away(&mut live, me.number());
        live.wake_when_due();
    }
    assert!(live.away(me));
    until_turn_of_away(&mut live, me.number());
    (live, me)
}

#[test]
fn who_returns_on_turn_has_a_whole_moves_time_and_a_fresh_count() {
    let (mut live, me) = away_on_turn();
    live.now_ms += 600;
    let events = live.act(me, SeatAction::Return).unwrap();
    assert_eq!(events, [Event::SeatReturned { seat: me }]);
    assert!(!live.away(me));
    assert_eq!(live.due(), live.now_ms + 10_000);
    live.wake_when_due();
    assert!(!live.away(me), "one act of the clock is not two");
    let again = live.act(me, SeatAction::Return);
    assert!(matches!(again, Err(Reject::WrongPhase(_))));
}

#[test]
fn who_acts_while_away_is_back() {
    let (mut live, me) = away_on_turn();
    live.now_ms += 600;
    let events = live.act_on();
    assert_eq!(events[0], Event::SeatReturned { seat: me });
    assert_eq!(by(&events[1..]), Actor::Player);
    assert!(!live.away(me));
    until_turn_of_away(&mut live, me.number());
    live.wake_when_due();
    assert!(!live.away(me));
}

#[test]
fn a_refused_action_does_not_bring_a_player_back() {
    let (mut live, me) = away_on_turn();
    let cards = SeatAction::Deal(rules::Action::Discard(rules::CardSet::FULL));
    assert!(live.act(me, cards).is_err());
    assert!(live.away(me));
}

#[test]
fn a_player_who_returns_leaves_the_clock_of_others_alone() {
    let (mut live, me) = away_on_turn();
    while live.table.deal().is_none() || live.turn() == me {
        live.wake_when_due();
    }
    let other = live.turn();
    let due_ms = live.due();
    live.now_ms += 9_000;
    live.act(me, SeatAction::Return).unwrap();
    assert_eq!(live.due(), due_ms);
    live.now_ms += 2_000;
    live.act_on();
    assert_eq!(live.state(other).bank_ms, 5_000 - 1_000);
}

#[test]
fn a_player_who_returns_between_deals_does_not_hold_up_the_next() {
    let (mut live, me) = away_on_turn();
    while live.table.deal().is_some() {
        if live.away(live.turn()) {
            live.wake_when_due();
        } else {
            live.act_on();
        }
    }
    let due_ms = live.due();
    live.now_ms += 2_000;
    live.act(me, SeatAction::Return).unwrap();
    assert_eq!(live.due(), due_ms);
}

#[test]
fn a_player_who_leaves_on_turn_is_played_by_the_bot_at_once() {
    let mut live = started();
    let me = live.turn();
    live.now_ms += 4_000;
    live.act(me, SeatAction::Leave).unwrap();
    assert!(live.due() <= live.now_ms);
    assert_eq!(by(&live.wake()), Actor::Bot);
}

#[test]
fn a_bot_waits_its_time_and_then_plays() {
    let mut live = Live::open(&request(TableKind::Casual, "pbbb", &[]), 7);
    live.all_ready();
    if live.table.player(live.turn()).is_some() {
        live.act_on();
    }
    assert_eq!(live.due(), live.now_ms + i64::from(TIME.bot_ms));
    live.now_ms = live.due() - 1;
    assert!(live.wake().is_empty());
    assert_eq!(by(&live.wake_when_due()), Actor::Bot);
}

#[test]
fn the_next_deal_waits_for_the_pause_and_without_one_starts_at_once() {
    let mut live = started();
    live.finish_deal();
    assert_eq!(live.due(), live.now_ms + 3_000);
    live.now_ms = live.due() - 1;
    assert!(live.wake().is_empty());
    let events = live.wake_when_due();
    assert!(matches!(events[..], [Event::DealStarted { number: 2, .. }]));
    assert!(live.due() > live.now_ms);

    let mut request = request(TableKind::Casual, "pppp", &[]);
    request.time_control.as_mut().unwrap().pause_ms = 0;
    let mut live = Live::open(&request, 7);
    live.all_ready();
    live.finish_deal();
    assert!(live.table.deal().is_some());
    let last = &live.log.last().unwrap().event;
    assert!(matches!(last, Event::DealStarted { number: 2, .. }));
}

#[test]
fn time_that_runs_backwards_gives_nobody_time() {
    let mut live = started();
    let me = live.turn();
    live.now_ms += 12_000;
    live.act_on();
    let (bank_ms, due_ms) = (live.state(me).bank_ms, live.due());
    assert_eq!(bank_ms, 3_000);
    for back_ms in [1, 5_000, 10_000_000, i64::MAX / 2, i64::MAX] {
        let mut live = live.clone();
        live.now_ms = live.now_ms.saturating_sub(back_ms);
        let other = live.turn();
        assert!(live.wake().is_empty());
        live.act_on();
        assert_eq!(live.state(other).bank_ms, 5_000);
        assert_eq!(live.state(me).bank_ms, bank_ms);
        assert!(live.due() < due_ms);
    }
}

#[test]
fn the_clock_of_a_seat_runs_only_on_its_turn() {
    let mut live = started();
    let me = live.turn();
    live.act_on();
    for _ in 0..3 {
        live.now_ms += 14_000;
        live.act_on();
    }
    assert_eq!(live.state(me).bank_ms, 5_000);
}
