//! The score sheet, the end of a match and its result.

use proto::v1::{DealScore, MatchResult, TableKind};
use rules::{DealEnd, Session, Shuffle};
use table::{Event, SeatAction, Table};

use crate::{
    kit::{Live, Rng, seat},
    replay::{play, random_table},
};

/// The session as the rules alone make it from the deals of a log, and the sheet that follows.
struct Reckoned {
    session: Session,
    sheet: Vec<DealScore>,
}

fn reckon(live: &Live) -> Option<Reckoned> {
    let rules = live.rules();
    let shuffle = Shuffle::new(live.table.setup().server_seed, live.table.nonces())?;
    let mut session = Session::new(rules, shuffle.first_dealer());
    let mut sheet = Vec::new();
    let mut deal: Option<rules::Deal> = None;
    for entry in &live.log {
        match &entry.event {
            Event::DealStarted { number, dealer } => {
                session.start_deal();
                deal = Some(rules::Deal::new(rules, *dealer, &shuffle.deck(*number)));
            }
            Event::Acted { action, .. } => {
                deal.as_mut().unwrap().apply(*action).unwrap();
            }
            Event::DealScored(score) => {
                let end = deal.take().unwrap().end().unwrap();
                let recorded = session.record(&end);
                let players = rules.players();
                assert_eq!(score.points, recorded.points.first(players));
                assert_eq!(score.totals, session.scores().first(players));
                assert_eq!(score.counted, recorded.counted);
                assert_eq!((score.stake, score.pot), (session.staked(), session.pot()));
                assert_eq!(score.declarer.is_none(), end == DealEnd::ThrownIn);
                sheet.push(score.clone());
            }
            _ => {}
        }
    }
    Some(Reckoned { session, sheet })
}

#[test]
fn the_result_is_the_settlement_of_the_scores_and_the_sheet_adds_up() {
    let (mut ended, mut thrown_in) = (0, 0);
    for seed in 3_000..3_100 {
        let mut rng = Rng(seed);
        let mut live = random_table(&mut rng);
        play(&mut live, &mut rng, |_, _| {});
        let Some(result) = live.table.result() else {
            continue;
        };
        ended += 1;
        let players = live.rules().players();
        let Reckoned { session, sheet } = reckon(&live).unwrap();
        assert_eq!(live.table.score_sheet(), sheet);
        let settlement = session.settlement();
        let places = settlement.places.first(players).iter();
        let expected = MatchResult {
            scores: settlement.scores.first(players).to_vec(),
            places: places.map(|&place| u32::from(place)).collect(),
            settlement: settlement
                .payments
                .map(|payments| payments.first(players).to_vec())
                .unwrap_or_default(),
            pot_shares: if live.rules().has_pot() {
                settlement.pot_shares.first(players).to_vec()
            } else {
                Vec::new()
            },
            abandoned: live
                .rules()
                .seats()
                .map(|seat| away_at_end(&live, seat))
                .collect(),
        };
        assert_eq!(*result, expected);
        let mut totals = vec![0; usize::from(players)];
        for (n, score) in sheet.iter().enumerate() {
            assert_eq!(score.number, n as u32 + 1);
            for (total, points) in totals.iter_mut().zip(&score.points) {
                *total += points - score.stake;
            }
            assert_eq!(totals, score.totals);
            if score.declarer.is_none() {
                thrown_in += 1;
                assert!(score.points.iter().all(|&points| points == 0));
            }
        }
        // The deal that everybody left has no line, but its stake was paid.
        let last = live.log.iter().rev().find_map(|entry| match &entry.event {
            Event::DealStarted { .. } => Some(session.staked()),
            Event::DealScored(_) => Some(0),
            _ => None,
        });
        for (seat, total) in totals.iter_mut().enumerate() {
            *total += result.pot_shares.get(seat).unwrap_or(&0) - last.unwrap_or(0);
        }
        assert_eq!(totals, result.scores);
        if live.rules().has_pot() {
            assert_eq!(result.scores.iter().sum::<i32>(), 0);
        }
        assert_eq!(result.settlement.iter().sum::<i32>(), 0);
    }
    assert!(ended > 40 && thrown_in > 10, "{ended} {thrown_in}");
}

/// Whether a player was away at the end or had left, by the log alone.
fn away_at_end(live: &Live, seat: rules::Seat) -> bool {
    let until_end = live
        .log
        .iter()
        .take_while(|e| !matches!(e.event, Event::MatchEnded(_)));
    until_end.fold(false, |away, entry| match entry.event {
        Event::SeatAway { seat: who, .. } if who == seat => true,
        Event::SeatReturned { seat: who } if who == seat => false,
        _ => away,
    })
}

#[test]
fn who_is_away_at_the_end_has_abandoned_the_match_and_who_came_back_has_not() {
    let mut live = Live::started(TableKind::Ranked, "ppp", &[("length", "rounds(1)")]);
    // Nobody plays until all are away.
    while live.rules().seats().any(|seat| !live.away(seat)) {
        live.wake_when_due();
    }
    live.act(seat(0), SeatAction::Return).unwrap();
    live.act(seat(1), SeatAction::Leave).unwrap();
    live.finish_match();
    assert_eq!(live.table.result().unwrap().abandoned, [false, true, true]);
    assert!(live.view(seat(0)).result.is_some());
}

#[test]
fn the_clock_that_takes_the_last_card_of_a_match_counts() {
    // A match in which nobody ever does anything ends with everybody away.
    let mut live = Live::started(TableKind::Ranked, "pppp", &[("length", "rounds(1)")]);
    while live.table.result().is_none() {
        live.wake_when_due();
    }
    assert_eq!(live.table.result().unwrap().abandoned, [true; 4]);
    assert_eq!(live.table.ended_ms(), live.now_ms);
    assert!(live.table.started_ms() < live.table.ended_ms());
}

#[test]
fn a_match_that_every_player_has_left_ends_at_once_by_the_scores_as_they_stand() {
    for seats in ["ppp", "pbb", "pppp"] {
        let mut live = Live::started(TableKind::Casual, seats, &[]);
        live.finish_deal();
        live.wake_when_due();
        live.now_ms += 1_000;
        let players: Vec<_> = live
            .rules()
            .seats()
            .filter(|seat| live.table.player(*seat).is_some())
            .collect();
        let (last, others) = players.split_last().unwrap();
        for seat in others {
            live.act(*seat, SeatAction::Leave).unwrap();
            assert!(live.table.result().is_none());
        }
        let events = live.act(*last, SeatAction::Leave).unwrap();
        let [
            Event::SeatAway { left: true, .. },
            Event::MatchEnded(result),
        ] = &events[..]
        else {
            panic!("{events:?}");
        };
        assert_eq!(result.scores, live.table.score_sheet()[0].totals);
        for seat in live.rules().seats() {
            let person = live.table.player(seat).is_some();
            assert_eq!(result.abandoned[seat.index()], person);
        }
        assert_eq!(live.table.due_ms(), None);
    }
}

#[test]
fn a_match_that_nobody_has_left_for_good_goes_on_though_all_are_away() {
    let mut live = Live::started(TableKind::Ranked, "ppp", &[("length", "rounds(2)")]);
    while live.rules().seats().any(|seat| !live.away(seat)) {
        live.wake_when_due();
    }
    assert!(live.table.result().is_none() && live.table.due_ms().is_some());
}

#[test]
fn a_finished_deal_is_never_on_show() {
    // Between its last card and its score there is no decision.
    for seed in 4_000..4_030 {
        let mut rng = Rng(seed);
        let mut live = random_table(&mut rng);
        play(&mut live, &mut rng, |live, _| {
            let phase = live.table.deal().map(rules::Deal::phase);
            assert_ne!(phase, Some(rules::Phase::Done));
            assert_eq!(
                live.table.deal().is_some(),
                live.table.deal().and_then(rules::Deal::turn).is_some()
            );
        });
    }
}

#[test]
fn a_score_or_a_result_that_the_deals_do_not_give_is_corrupt() {
    let mut live = Live::started(TableKind::Casual, "ppp", &[("length", "rounds(1)")]);
    live.finish_match();
    let replay = |change: &dyn Fn(&mut Event)| {
        let mut events: Vec<Event> = live.log.iter().map(|entry| entry.event.clone()).collect();
        events.iter_mut().for_each(change);
        let entries = events.iter().enumerate();
        Table::replay(entries.map(|(i, event)| (i as u64 + 1, 0, event)))
    };
    assert!(replay(&|_| {}).is_ok());
    assert!(
        replay(&|event| if let Event::DealScored(s) = event {
            s.totals[0] += 1
        })
        .is_err()
    );
    assert!(
        replay(&|event| if let Event::DealScored(s) = event {
            s.points.clear()
        })
        .is_err()
    );
    assert!(
        replay(&|event| if let Event::DealScored(s) = event {
            s.number = 9
        })
        .is_err()
    );
    assert!(
        replay(&|event| if let Event::MatchEnded(r) = event {
            r.places.clear()
        })
        .is_err()
    );
    assert!(
        replay(&|event| if let Event::MatchEnded(r) = event {
            r.abandoned.push(true)
        })
        .is_err()
    );
}
