//! Sitting down, getting ready, leaving before the match, and the fair shuffle that follows.

use proto::v1::{Actor, CloseReason, TableKind};
use rules::{Card, NONCE_BYTES_MAX, Shuffle};
use table::{BadSetup, Command, Event, Player, Reject, SeatAction, decide};

use crate::kit::{Live, player, request, seat};

fn private(seats: &str) -> Live {
    Live::open(&request(TableKind::Private, seats, &[]), 7)
}

fn sit(live: &mut Live, n: usize) -> Result<Vec<Event>, Reject> {
    live.submit(&Command::TakeSeat(player(n)))
}

fn ready(live: &mut Live, number: u8) -> Result<Vec<Event>, Reject> {
    live.act(seat(number), SeatAction::Ready(vec![number]))
}

#[test]
fn taking_a_seat_twice_is_taking_it_once() {
    let mut live = private("p.b.");
    assert_eq!(sit(&mut live, 5).unwrap().len(), 1);
    assert_eq!(live.table.seat_of(player(5).id), Some(seat(1)));
    assert!(sit(&mut live, 5).unwrap().is_empty());
    assert!(sit(&mut live, 0).unwrap().is_empty());
    assert_eq!(sit(&mut live, 6).unwrap().len(), 1);
    assert_eq!(live.table.seat_of(player(6).id), Some(seat(3)));
    assert_eq!(sit(&mut live, 8), Err(Reject::TableFull));
}

#[test]
fn nobody_sits_down_after_the_start_or_the_end_but_those_who_sit_keep_their_seat() {
    let mut live = private("pp.");
    sit(&mut live, 2).unwrap();
    live.all_ready();
    assert_eq!(sit(&mut live, 8), Err(Reject::TableFull));
    assert!(sit(&mut live, 2).unwrap().is_empty());
    live.finish_match();
    assert!(matches!(sit(&mut live, 8), Err(Reject::Over(_))));
    assert!(sit(&mut live, 2).unwrap().is_empty());
}

#[test]
fn who_has_left_a_match_does_not_get_the_seat_again() {
    let mut live = Live::started(TableKind::Private, "ppp", &[]);
    live.act(seat(1), SeatAction::Leave).unwrap();
    assert!(matches!(sit(&mut live, 1), Err(Reject::Over(_))));
    for action in [
        SeatAction::Return,
        SeatAction::Leave,
        SeatAction::Ready(Vec::new()),
        SeatAction::Deal(rules::Action::Pass),
    ] {
        let refused = live.act(seat(1), action);
        assert!(matches!(refused, Err(Reject::Over(_))));
    }
    assert!(live.view(seat(1)).legal_actions.is_empty());
}

#[test]
fn a_name_is_bounded() {
    let mut live = private("p..");
    let named = |bytes: usize| {
        Command::TakeSeat(Player {
            name: "x".repeat(bytes),
            ..player(5)
        })
    };
    assert_eq!(live.submit(&named(129)), Err(Reject::NameTooLong));
    assert!(live.submit(&named(128)).is_ok());
}

#[test]
fn the_first_deal_starts_when_the_last_seat_is_ready() {
    let mut live = Live::open(&request(TableKind::Casual, "ppbp", &[]), 7);
    assert_eq!(ready(&mut live, 0).unwrap().len(), 1);
    assert_eq!(ready(&mut live, 3).unwrap().len(), 1);
    assert!(live.state(seat(2)).ready, "bots are always ready");
    let events = ready(&mut live, 1).unwrap();
    assert!(matches!(
        events[..],
        [
            Event::SeatReady {
                by: Actor::Player,
                ..
            },
            Event::DealStarted { number: 1, .. }
        ]
    ));
}

#[test]
fn a_ready_table_waits_for_open_seats() {
    let mut live = private("p.b");
    ready(&mut live, 0).unwrap();
    assert_eq!(sit(&mut live, 1).unwrap().len(), 1);
    let events = ready(&mut live, 1).unwrap();
    assert!(matches!(events[1], Event::DealStarted { .. }));
}

#[test]
fn a_seat_is_ready_once() {
    let mut live = Live::open(&request(TableKind::Casual, "ppp", &[]), 7);
    ready(&mut live, 0).unwrap();
    let again = live.act(seat(0), SeatAction::Ready(vec![99]));
    assert!(matches!(again, Err(Reject::WrongPhase(_))));
    assert_eq!(live.table.nonces()[0], [0]);
    let mut live = Live::started(TableKind::Casual, "ppp", &[]);
    assert!(matches!(ready(&mut live, 0), Err(Reject::WrongPhase(_))));
}

#[test]
fn a_nonce_has_up_to_32_bytes() {
    for (bytes, good) in [
        (0, true),
        (NONCE_BYTES_MAX, true),
        (NONCE_BYTES_MAX + 1, false),
    ] {
        let mut live = Live::open(&request(TableKind::Casual, "ppp", &[]), 7);
        let result = live.act(seat(0), SeatAction::Ready(vec![1; bytes]));
        match result {
            Ok(_) => assert!(good),
            Err(reject) => assert!(!good && reject == Reject::NonceTooLong),
        }
        assert_eq!(live.state(seat(0)).ready, good);
    }
}

#[test]
fn who_is_not_ready_in_time_takes_part_all_the_same() {
    let mut live = Live::open(&request(TableKind::Ranked, "ppp", &[]), 7);
    ready(&mut live, 1).unwrap();
    assert_eq!(live.due(), live.now_ms + 15_000);
    live.now_ms = live.due() - 1;
    assert!(live.wake().is_empty());
    let events = live.wake_when_due();
    let clock = events.iter().filter(|e| {
        matches!(
            e,
            Event::SeatReady {
                by: Actor::Clock,
                ..
            }
        )
    });
    assert_eq!(clock.count(), 2);
    assert!(matches!(events.last(), Some(Event::DealStarted { .. })));
    assert_eq!(live.state(seat(0)).bank_ms, 5_000);
}

#[test]
fn readiness_by_the_clock_is_no_missed_move() {
    let mut live = Live::open(&request(TableKind::Ranked, "ppp", &[]), 7);
    live.wake_when_due();
    let me = live.turn();
    live.wake_when_due();
    assert!(!live.away(me), "only one move was missed");
}

#[test]
fn the_time_to_get_ready_runs_from_when_the_table_is_full() {
    let mut live = private("p.b");
    live.now_ms += 600_000;
    sit(&mut live, 1).unwrap();
    assert_eq!(live.due(), live.now_ms + 15_000);
    ready(&mut live, 1).unwrap();
    live.act(seat(1), SeatAction::Leave).unwrap();
    assert!(
        live.due() > live.now_ms + 1_700_000,
        "an open seat waits longer"
    );
}

#[test]
fn open_seats_wait_half_an_hour() {
    let mut live = private("p..");
    assert_eq!(live.due(), live.now_ms + 30 * 60 * 1000);
    live.now_ms = live.due() - 1;
    assert!(live.wake().is_empty());
    let events = live.wake_when_due();
    assert_eq!(events, [Event::Closed(CloseReason::NotFilled)]);
    assert!(matches!(sit(&mut live, 5), Err(Reject::Over(_))));
    assert!(matches!(ready(&mut live, 0), Err(Reject::Over(_))));
    assert!(live.view(seat(0)).server_seed.is_empty());
}

#[test]
fn leaving_a_private_table_frees_the_seat_and_the_last_one_closes_it() {
    let mut live = private("p.b");
    sit(&mut live, 1).unwrap();
    ready(&mut live, 0).unwrap();
    let events = live.act(seat(0), SeatAction::Leave).unwrap();
    assert_eq!(events, [Event::SeatFreed { seat: seat(0) }]);
    assert_eq!(live.table.seat_of(player(0).id), None);
    assert!(live.table.nonces()[0].is_empty());
    sit(&mut live, 6).unwrap();
    assert_eq!(live.table.seat_of(player(6).id), Some(seat(0)));
    assert!(!live.state(seat(0)).ready);
    live.act(seat(0), SeatAction::Leave).unwrap();
    let events = live.act(seat(1), SeatAction::Leave).unwrap();
    assert_eq!(events[1], Event::Closed(CloseReason::Deserted));
}

#[test]
fn leaving_a_queue_table_makes_the_bot_play_and_the_match_go_on() {
    for kind in [TableKind::Ranked, TableKind::Casual] {
        let mut live = Live::open(&request(kind, "ppp", &[("length", "rounds(1)")]), 7);
        ready(&mut live, 0).unwrap();
        let events = live.act(seat(1), SeatAction::Leave).unwrap();
        assert!(matches!(
            events[..],
            [
                Event::SeatAway { left: true, .. },
                Event::SeatReady { by: Actor::Bot, .. }
            ]
        ));
        let events = live.act(seat(0), SeatAction::Leave).unwrap();
        assert!(matches!(events[..], [Event::SeatAway { left: true, .. }]));
        let events = ready(&mut live, 2).unwrap();
        assert!(matches!(events[1], Event::DealStarted { .. }));
        live.finish_match();
        assert_eq!(live.table.result().unwrap().abandoned, [true, true, false]);
    }
}

#[test]
fn a_queue_table_that_everybody_leaves_before_the_first_deal_closes() {
    let mut live = Live::open(&request(TableKind::Ranked, "ppp", &[]), 7);
    live.act(seat(0), SeatAction::Leave).unwrap();
    live.act(seat(1), SeatAction::Leave).unwrap();
    let events = live.act(seat(2), SeatAction::Leave).unwrap();
    assert_eq!(events.last(), Some(&Event::Closed(CloseReason::Deserted)));
    assert_eq!(live.table.result(), None);
}

#[test]
fn who_does_not_sit_at_the_table_cannot_act() {
    let live = private("p..");
    for action in [
        SeatAction::Ready(Vec::new()),
        SeatAction::Leave,
        SeatAction::Return,
    ] {
        let stranger = Command::Act {
            player: player(9).id,
            action,
        };
        let refused = decide(&live.table, &stranger, live.now_ms).unwrap_err();
        assert_eq!(refused, Reject::NotSeated);
    }
}

fn first_hands(nonces: [&[u8]; 3], seed: u8) -> (rules::Seat, Vec<Vec<Card>>) {
    let mut live = Live::open(&request(TableKind::Casual, "ppp", &[]), seed);
    for (number, nonce) in nonces.into_iter().enumerate() {
        live.act(seat(number as u8), SeatAction::Ready(nonce.to_vec()))
            .unwrap();
    }
    let deal = live.table.deal().unwrap();
    let hands = live.rules().seats().map(|seat| deal.hand(seat).collect());
    (deal.dealer(), hands.collect())
}

#[test]
fn the_shuffle_depends_on_the_seed_and_on_every_nonce() {
    let same = first_hands([b"a", b"b", b"c"], 7);
    assert_eq!(first_hands([b"a", b"b", b"c"], 7), same);
    let others = [
        first_hands([b"x", b"b", b"c"], 7),
        first_hands([b"a", b"x", b"c"], 7),
        first_hands([b"a", b"b", b"x"], 7),
        first_hands([b"ab", b"", b"c"], 7),
        first_hands([b"a", b"b", b"c"], 8),
    ];
    for other in others {
        assert_ne!(other.1, same.1);
    }
}

#[test]
fn the_cards_are_those_of_the_recorded_seed_and_nonces() {
    let mut live = Live::started(TableKind::Casual, "pbpp", &[("length", "rounds(1)")]);
    let setup = live.table.setup();
    let shuffle = Shuffle::new(setup.server_seed, live.table.nonces()).unwrap();
    let mut number = 1;
    while live.table.result().is_none() {
        let deal = live.table.deal().unwrap();
        let expected = rules::Deal::new(live.rules(), deal.dealer(), &shuffle.deck(number));
        assert_eq!(*deal, expected);
        if number == 1 {
            assert_eq!(deal.dealer(), shuffle.first_dealer());
        }
        live.finish_deal();
        if live.table.result().is_none() {
            live.wake_when_due();
        }
        number += 1;
    }
    let view = live.view(seat(0));
    assert_eq!(view.server_seed, live.table.setup().server_seed);
    assert_eq!(
        view.seed_hash,
        rules::seed_hash(&live.table.setup().server_seed)
    );
    assert_eq!(view.nonces, live.table.nonces());
}

#[test]
fn a_table_is_opened_with_sound_seats_only() {
    let open = |kind, seats: &str| Event::opening(&request(kind, seats, &[]), [0; 32]).err();
    assert_eq!(open(TableKind::Private, "p.b"), None);
    assert_eq!(open(TableKind::Private, "..."), Some(BadSetup::Seats));
    assert_eq!(open(TableKind::Casual, "bbb"), Some(BadSetup::Seats));
    assert_eq!(open(TableKind::Ranked, "ppb"), Some(BadSetup::Ladder));
    assert_eq!(open(TableKind::Ranked, "pp."), Some(BadSetup::Ladder));
    let mut twice = request(TableKind::Casual, "ppp", &[]);
    twice.seats[1] = twice.seats[0].clone();
    assert_eq!(Event::opening(&twice, [0; 32]), Err(BadSetup::Seats));
    let mut casual = request(TableKind::Casual, "ppp", &[]);
    casual.ladder = "brixental".to_owned();
    assert_eq!(Event::opening(&casual, [0; 32]), Err(BadSetup::Ladder));
}
