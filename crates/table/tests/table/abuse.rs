//! Nobody makes a log grow without the game going on.

use proto::v1::TableKind;
use table::{BadSetup, Command, Event, Reject, SeatAction};

use crate::kit::{Live, player, request, seat};

#[test]
fn coming_and_going_before_a_match_has_an_end() {
    let mut live = Live::open(&request(TableKind::Private, "p..", &[]), 1);
    let opened_ms = live.now_ms;
    let refused = loop {
        live.now_ms += 1_000;
        if let Err(reject) = live.submit(&Command::TakeSeat(player(5))) {
            break reject;
        }
        live.act(seat(1), SeatAction::Ready(vec![1])).unwrap();
        live.act(seat(1), SeatAction::Leave).unwrap();
        assert!(live.log.len() < 200);
    };
    assert!(matches!(refused, Reject::WrongPhase(_)));
    // Nor does it keep the seats open for ever.
    assert!(live.due() < opened_ms + 60 * 60 * 1000);
    assert!(matches!(live.wake_when_due()[..], [Event::Closed(_)]));
}

#[test]
fn a_player_cannot_be_away_and_back_at_will() {
    let mut live = Live::started(TableKind::Casual, "ppp", &[]);
    let length = live.log.len();
    for number in 0..3 {
        for _ in 0..10 {
            assert!(live.act(seat(number), SeatAction::Return).is_err());
            assert!(
                live.act(seat(number), SeatAction::Ready(Vec::new()))
                    .is_err()
            );
        }
    }
    assert_eq!(live.log.len(), length);
}

#[test]
fn waking_a_table_early_any_number_of_times_changes_nothing() {
    let mut live = Live::started(TableKind::Casual, "ppp", &[]);
    let length = live.log.len();
    for _ in 0..100 {
        live.now_ms += 1;
        assert!(live.wake().is_empty());
    }
    assert_eq!(live.log.len(), length);
}

#[test]
fn a_match_that_could_have_thousands_of_thrown_in_deals_is_not_opened() {
    let open = |length, thrown_in| {
        let options = [
            ("length", length),
            ("max_rounds", "100"),
            ("max_thrown_in", thrown_in),
        ];
        Event::opening(&request(TableKind::Private, "p...", &options), [0; 32]).err()
    };
    assert_eq!(open("rounds(100)", "3"), None);
    assert_eq!(open("points(10000)", "5"), None);
    assert_eq!(open("rounds(10)", "50"), None);
    assert_eq!(open("points(10000)", "6"), Some(BadSetup::Deals));
    assert_eq!(open("rounds(100)", "100"), Some(BadSetup::Deals));
}

#[test]
fn a_decision_has_few_events() {
    // A store takes 64 in one append.
    let mut live = Live::open(&request(TableKind::Ranked, "pppp", &[]), 1);
    assert_eq!(live.wake_when_due().len(), 5);
}
