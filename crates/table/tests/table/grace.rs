//! After an outage of the platform clocks resume with grace: nobody loses time to the server.

use proto::v1::{Actor, TableKind, table_update::Kind};
use rules::Seat;
use table::{Event, update};

use crate::kit::{Live, request, seat};

const OUTAGE_MS: i64 = 60_000;

fn started() -> (Live, Seat) {
    let live = Live::started(TableKind::Casual, "pppp", &[]);
    let turn = live.turn();
    (live, turn)
}

impl Live {
    /// Nobody looks after the table until now.
    fn outage_until(&mut self, now_ms: i64) {
        self.now_ms = now_ms;
        self.outage_ms = now_ms;
    }
}

fn by_clock(event: &Event) -> bool {
    matches!(
        event,
        Event::Acted {
            by: Actor::Clock,
            ..
        }
    )
}

#[test]
fn a_deadline_that_passed_unwatched_starts_again() {
    let (mut live, me) = started();
    live.outage_until(live.due() + OUTAGE_MS);
    assert_eq!(live.wake(), [Event::ClockRestarted]);
    assert_eq!(live.turn(), me);
    assert_eq!(live.due(), live.now_ms + 15_000);
    assert_eq!(live.state(me).bank_ms, 5_000);
    let update = update(&live.table, &Event::ClockRestarted, Some(me), live.now_ms);
    assert!(matches!(update.kind, Some(Kind::ClockRestarted(_))));
    assert!(by_clock(&live.wake_when_due()[0]));
}

#[test]
fn a_deadline_after_an_outage_starts_again() {
    let (mut live, me) = started();
    live.outage_until(live.due() - 1);
    live.now_ms = live.due();
    assert_eq!(live.wake(), [Event::ClockRestarted]);
    assert_eq!(live.turn(), me);
    assert!(by_clock(&live.wake_when_due()[0]));
}

#[test]
fn a_wake_up_that_is_late_is_no_outage() {
    let (mut live, _) = started();
    live.now_ms = live.due() + OUTAGE_MS;
    assert!(by_clock(&live.wake()[0]));
}

#[test]
fn an_outage_before_the_move_changes_nothing() {
    let (mut live, _) = started();
    live.outage_ms = live.now_ms;
    live.now_ms = live.due();
    assert!(by_clock(&live.wake()[0]));
}

#[test]
fn who_acts_after_an_outage_pays_nothing_for_it() {
    for late_ms in [-1_000, OUTAGE_MS] {
        let (mut live, me) = started();
        live.outage_until(live.due() + late_ms);
        let events = live.act_on();
        assert_eq!(events[0], Event::ClockRestarted);
        assert!(matches!(
            events[1],
            Event::Acted {
                by: Actor::Player,
                ..
            }
        ));
        assert_eq!(live.state(me).bank_ms, 5_000);
    }
}

#[test]
fn a_platform_that_is_always_late_does_not_stop_the_game() {
    let (mut live, me) = started();
    for _ in 0..3 {
        live.outage_until(live.due() + OUTAGE_MS);
        assert_eq!(live.wake(), [Event::ClockRestarted]);
    }
    live.outage_until(live.due() + OUTAGE_MS);
    live.wake();
    assert_ne!(live.turn(), me);
    live.outage_until(live.due() + OUTAGE_MS);
    assert_eq!(
        live.wake(),
        [Event::ClockRestarted],
        "the next move has grace of its own"
    );
}

#[test]
fn a_bot_does_not_ask_for_grace() {
    let mut live = Live::started(TableKind::Casual, "pbbb", &[]);
    if live.table.player(live.turn()).is_some() {
        live.act_on();
    }
    live.outage_until(live.due() + OUTAGE_MS);
    assert!(matches!(
        live.wake()[0],
        Event::Acted { by: Actor::Bot, .. }
    ));
}

#[test]
fn seats_wait_again_after_an_outage() {
    let mut open = Live::open(&request(TableKind::Private, "p..", &[]), 1);
    let wait_ms = open.due() - open.now_ms;
    open.outage_until(open.due() + OUTAGE_MS);
    assert_eq!(open.wake(), [Event::ClockRestarted]);
    assert_eq!(open.due(), open.now_ms + wait_ms);

    let mut full = Live::open(&request(TableKind::Ranked, "ppp", &[]), 1);
    full.outage_until(full.due() + OUTAGE_MS);
    assert_eq!(full.wake(), [Event::ClockRestarted]);
    assert!(!full.state(seat(0)).ready);
    assert_eq!(full.due(), full.now_ms + 15_000);
}

#[test]
fn the_next_deal_starts_at_once_after_an_outage() {
    let (mut live, _) = started();
    live.finish_deal();
    live.outage_until(live.due() + OUTAGE_MS);
    assert!(matches!(live.wake()[..], [Event::DealStarted { .. }]));
}
