//! What happens at a table of which the store lost the end.

use proto::v1::{TableKind, table_update::Kind};
use table::{Event, Table, restored_version, update};

use crate::kit::Live;

fn deals(live: &Live) -> usize {
    let started = |entry: &&crate::kit::Entry| matches!(entry.event, Event::DealStarted { .. });
    live.log.iter().filter(started).count()
}

/// A table in its second deal, and the number of entries up to the end of the first.
fn in_the_second_deal() -> (Live, usize) {
    let mut live = Live::started(TableKind::Ranked, "pppp", &[]);
    while deals(&live) < 2 {
        live.wake_when_due();
    }
    let scored = |entry: &crate::kit::Entry| matches!(entry.event, Event::DealScored(_));
    let kept = live.log.iter().position(scored).unwrap() + 1;
    for _ in 0..3 {
        live.wake_when_due();
    }
    (live, kept)
}

#[test]
fn no_version_is_used_again() {
    assert_eq!(restored_version(57), 1_000_000);
    assert_eq!(restored_version(999_999), 1_000_000);
    assert_eq!(restored_version(1_000_000), 2_000_000);
    let (mut live, kept) = in_the_second_deal();
    let seen = live.table.version();
    live.restore(kept);
    assert!(live.table.version() > seen);
    live.wake_when_due();
    assert_eq!(live.table.version(), 1_000_001);
}

#[test]
fn a_restored_log_is_read_back_and_no_other_gap_is() {
    let (mut live, kept) = in_the_second_deal();
    live.restore(kept);
    live.finish_match();
    let entries = || {
        live.log
            .iter()
            .map(|entry| (entry.version, entry.at_ms, &entry.event))
    };
    assert_eq!(Table::replay(entries()).unwrap().unwrap(), live.table);
    let without = entries().filter(|(_, _, event)| **event != Event::Restored);
    assert_eq!(Table::replay(without).unwrap_err().version, 1_000_001);
    for wrong in [live.table.version() + 1, 1_000_000, 2_000_001] {
        let taken = live.table.clone().evolve(wrong, 0, &Event::Restored);
        assert!(taken.is_err(), "{wrong}");
    }
}

#[test]
fn a_lost_deal_is_dealt_with_other_cards() {
    let (mut live, kept) = in_the_second_deal();
    let hands = |live: &Live| -> Vec<_> {
        let deal = live.table.deal().unwrap();
        live.rules().seats().map(|seat| deal.hand(seat)).collect()
    };
    let lost = hands(&live);
    assert_eq!(live.table.shuffle_number(2), 2);
    live.restore(kept);
    let lines = live.table.score_sheet().len();
    assert_eq!(lines, 1);
    while live.table.deal().is_none() {
        live.wake_when_due();
    }
    let number = live.log.iter().rev().find_map(|entry| match entry.event {
        Event::DealStarted { number, .. } => Some(number),
        _ => None,
    });
    assert_eq!(number, Some(2));
    assert_eq!(live.table.shuffle_number(2), 1_000_002);
    assert_ne!(hands(&live), lost);
}

#[test]
fn a_deal_that_lost_its_last_actions_goes_on_with_its_cards_and_the_clock_starts_again() {
    let (mut live, _) = in_the_second_deal();
    let deal = *live.table.deal().unwrap();
    live.wake_when_due();
    let kept = live.log.len() - 1;
    live.now_ms += 60_000;
    live.restore(kept);
    let turn = live.turn();
    assert_eq!(live.table.deal().unwrap().hand(turn), deal.hand(turn));
    // The player is away by now, so it is the bot that has its time again.
    assert_eq!(live.due(), live.now_ms + i64::from(crate::kit::TIME.bot_ms));
}

#[test]
fn players_are_told_to_look_anew() {
    let (mut live, kept) = in_the_second_deal();
    live.restore(kept);
    let seat = live.rules().seats().next();
    let told = update(&live.table, &Event::Restored, seat, live.now_ms);
    assert_eq!(told.version, 1_000_000);
    assert!(matches!(told.kind, Some(Kind::Resync(_))));
}

#[test]
fn a_match_of_which_only_the_end_is_lost_ends() {
    let mut live = Live::started(TableKind::Ranked, "pppp", &[]);
    live.finish_match();
    let result = live.table.result().cloned();
    let ended = |entry: &crate::kit::Entry| matches!(entry.event, Event::MatchEnded(_));
    let kept = live.log.iter().position(ended).unwrap();
    live.restore(kept);
    assert_eq!(live.table.result(), None);
    assert!(matches!(live.wake_when_due()[..], [Event::MatchEnded(_)]));
    assert_eq!(live.table.result().cloned(), result);
}
