//! Bookkeeping: every deal into the archive, then the match, then the rating, then the end.

use proto::v1::{CloseReason, TableKind};
use table::{Chore, Command, Event, decide};

use crate::{
    kit::{Live, Rng, request, seat},
    replay::{play, random_table},
};

fn live(kind: TableKind) -> Live {
    Live::started(kind, "ppp", &[("length", "rounds(1)")])
}

/// The chores of a finished match, done one after the other.
fn all_chores(live: &mut Live) -> Vec<Chore> {
    let mut chores = Vec::new();
    while let Some(chore) = live.do_chore() {
        chores.push(chore);
        if chore == Chore::Expire {
            break;
        }
    }
    chores
}

/// The events of a match are in the archive's segments once each, in order, without a gap.
fn check_segments(chores: &[Chore], end_version: u64) {
    let mut head = 0;
    for chore in chores {
        if let Chore::ArchiveDeal { after, upto, .. } | Chore::ArchiveMatch { after, upto } = chore
        {
            assert_eq!(*after, head);
            assert!(upto > after);
            head = *upto;
        }
    }
    assert_eq!(head, end_version);
}

fn end_version(live: &Live) -> Option<u64> {
    let end = live
        .log
        .iter()
        .find(|entry| matches!(entry.event, Event::MatchEnded(_)));
    end.map(|entry| entry.version)
}

#[test]
fn deals_then_the_match_are_archived_then_it_is_rated_then_it_expires() {
    for kind in [TableKind::Ranked, TableKind::Casual, TableKind::Private] {
        let mut live = live(kind);
        assert_eq!(live.table.chore(), None);
        live.finish_match();
        let deals = live.table.score_sheet().len();
        let chores = all_chores(&mut live);
        for (n, chore) in chores[..deals].iter().enumerate() {
            assert!(matches!(chore, Chore::ArchiveDeal { number, .. } if *number == n as u32 + 1));
        }
        assert!(matches!(chores[deals], Chore::ArchiveMatch { .. }));
        if kind == TableKind::Ranked {
            assert_eq!(chores[deals + 1..], [Chore::Rate, Chore::Expire]);
            assert_eq!(live.view(seat(0)).rating_changes, live.changes());
        } else {
            assert_eq!(chores[deals + 1..], [Chore::Expire]);
        }
        check_segments(&chores, end_version(&live).unwrap());
    }
}

#[test]
fn segments_cover_every_version_once_however_late_the_chores_are_done() {
    for seed in 2_000..2_060 {
        let mut rng = Rng(seed);
        let mut live = random_table(&mut rng);
        let mut chores: Vec<Chore> = Vec::new();
        play(&mut live, &mut rng, |live, _| {
            if let Some(chore) = live.table.chore()
                && chores.last() != Some(&chore)
            {
                chores.push(chore);
            }
        });
        match end_version(&live) {
            Some(version) => check_segments(&chores, version),
            None => assert_eq!(chores, [Chore::Expire]),
        }
        let rated = chores.contains(&Chore::Rate);
        assert_eq!(
            rated,
            live.table.is_rated() && live.table.result().is_some()
        );
    }
}

#[test]
fn a_chore_that_is_done_twice_or_too_early_changes_nothing() {
    let mut live = live(TableKind::Ranked);
    let done = [
        Command::DealArchived(1),
        Command::DealArchived(2),
        Command::DealArchived(0),
        Command::DealArchived(u32::MAX),
        Command::MatchArchived,
        Command::Rated(Vec::new()),
    ];
    let mut fitting = 0;
    loop {
        for command in &done {
            let events = decide(&live.table, command, live.now_ms).unwrap().events;
            let fits = matches!(
                (command, live.table.chore()),
                (Command::DealArchived(n), Some(Chore::ArchiveDeal { number, .. })) if *n == number
            ) || matches!(
                (command, live.table.chore()),
                (Command::MatchArchived, Some(Chore::ArchiveMatch { .. }))
                    | (Command::Rated(_), Some(Chore::Rate))
            );
            assert_eq!(events.len(), usize::from(fits), "{command:?}");
            fitting += events.len();
        }
        match live.table.due_ms() {
            Some(_) if live.table.deal().is_some() => live.finish_deal(),
            Some(_) => {
                live.wake_when_due();
            }
            None if live.table.chore() == Some(Chore::Expire) => break,
            None => {
                live.do_chore();
            }
        }
    }
    assert!(fitting >= 4);
}

#[test]
fn a_new_chore_is_due_at_once_and_a_tried_one_later() {
    let mut live = live(TableKind::Ranked);
    let playing = live.table.clone();
    assert_eq!(playing.wake_ms(None, live.now_ms), playing.due_ms());
    live.finish_deal();
    let scored = live.table.clone();
    assert_eq!(
        scored.wake_ms(Some(&playing), live.now_ms),
        Some(live.now_ms)
    );
    assert_eq!(
        scored.wake_ms(Some(&scored), live.now_ms),
        Some(live.now_ms + 2_000)
    );
    // The game does not wait for the books: the next deal is due before the next attempt.
    let late_ms = live.due() - 500;
    assert_eq!(scored.wake_ms(Some(&scored), late_ms), scored.due_ms());
    live.do_chore();
    assert_eq!(
        live.table.wake_ms(Some(&scored), live.now_ms),
        live.table.due_ms()
    );

    live.finish_match();
    while live.table.chore() != Some(Chore::Rate) {
        live.do_chore();
    }
    let now_ms = live.now_ms;
    let unrated = live.table.clone();
    assert_eq!(
        unrated.wake_ms(Some(&unrated), now_ms),
        Some(now_ms + 2_000)
    );
    live.do_chore();
    assert_eq!(live.table.wake_ms(Some(&unrated), now_ms), Some(now_ms));
}

#[test]
fn a_closed_table_only_expires() {
    let mut live = Live::open(&request(TableKind::Private, "p..", &[]), 1);
    let events = live.wake_when_due();
    assert_eq!(events, [Event::Closed(CloseReason::NotFilled)]);
    assert_eq!(live.table.chore(), Some(Chore::Expire));
    assert_eq!(live.table.due_ms(), None);
    assert!(live.wake().is_empty());
}
