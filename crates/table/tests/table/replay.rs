//! The log is the table: at every step of random matches the stored bytes alone lead to the
//! same state. [`play`] is the driver that other modules watch matches with.

use proto::v1::TableKind;
use rules::{Action, OptionKey, RULE_SETS, RuleSet};
use table::{Command, Event, SeatAction, Table, decode, encode, view};

use crate::kit::{Live, Rng, listed, player, request};

/// Options of a short match, any that the game has.
fn random_options(rng: &mut Rng, set: &RuleSet) -> Vec<(&'static str, &'static str)> {
    let mut options = Vec::new();
    for key in set.options {
        options.push((
            key.name(),
            match key {
                OptionKey::Length => {
                    rng.pick(&["rounds(1)", "rounds(1)", "rounds(2)", "points(20)"])
                }
                OptionKey::LengthInRounds => rng.pick(&["rounds(1)", "rounds(1)", "rounds(2)"]),
                OptionKey::MaxRounds => "2",
                OptionKey::MaxThrownIn => rng.pick(&["1", "2"]),
                OptionKey::DiscardFrom => rng.pick(&["original_hand", "any"]),
                OptionKey::MatschFactor => rng.pick(&["1", "3"]),
                OptionKey::Doubling => rng.pick(&["true", "false"]),
                OptionKey::Spatz => "true",
                OptionKey::SpatzMultiplied => rng.pick(&["true", "false"]),
                OptionKey::PickupTrump => rng.pick(&["any", "any", "hearts"]),
                OptionKey::PayFrom => "pot",
                OptionKey::Stake => rng.pick(&["1", "10"]),
            },
        ));
    }
    options
}

/// A random table of any game, freshly opened.
pub(crate) fn random_table(rng: &mut Rng) -> Live {
    let kind = rng.pick(&[TableKind::Ranked, TableKind::Casual, TableKind::Private]);
    let set = rng.pick(RULE_SETS);
    let numbers: Vec<u8> = set.players().collect();
    let players = usize::from(rng.pick(&numbers));
    let mut seats = String::from("p");
    for _ in 1..players {
        seats.push(match kind {
            TableKind::Casual => rng.pick(&['p', 'p', 'b']),
            TableKind::Private => rng.pick(&['p', 'b', '.', '.']),
            _ => 'p',
        });
    }
    let options = random_options(rng, set);
    let mut request = request(kind, &seats, &options);
    if let Some(rules) = &mut request.rules {
        rules.ruleset = set.id.to_owned();
    }
    if let Some(time) = &mut request.time_control {
        time.pause_ms = rng.pick(&[0, 3_000]);
        time.bot_ms = rng.pick(&[0, 700]);
        time.bank_ms = rng.pick(&[0, 5_000]);
    }
    Live::open(&request, rng.below(256) as u8)
}

/// Plays until nothing is left to do, and shows the table after the opening and after every
/// command that was tried, with the number of entries that the log had before it.
pub(crate) fn play(live: &mut Live, rng: &mut Rng, mut watch: impl FnMut(&Live, usize)) {
    watch(live, 0);
    for _ in 0..6_000 {
        let length = live.log.len();
        step(live, rng);
        watch(live, length);
        if live.table.due_ms().is_none() && live.table.chore() == Some(table::Chore::Expire) {
            return;
        }
    }
    panic!("the table goes on for ever: {:?}", live.table);
}

fn step(live: &mut Live, rng: &mut Rng) {
    if rng.percent(30) {
        live.now_ms += rng.below(6_000) as i64;
    }
    if live.table.due_ms().is_none() {
        live.do_chore();
        return;
    }
    match rng.below(100) {
        0..50 => act_sensibly(live, rng),
        50..60 => {
            live.wake();
        }
        60..85 => {
            live.wake_when_due();
        }
        85..92 => act_wildly(live, rng),
        _ => {
            live.do_chore();
        }
    }
}

fn sit_down(rng: &mut Rng) -> Command {
    Command::TakeSeat(player(10 + rng.below(4) as usize))
}

/// Somebody takes one of the actions that their view lists.
fn act_sensibly(live: &mut Live, rng: &mut Rng) {
    let rules = live.rules();
    if rng.percent(50)
        && live
            .submit(&sit_down(rng))
            .is_ok_and(|events| !events.is_empty())
    {
        return;
    }
    for seat in rules.seats() {
        if live.table.player(seat).is_none() || rng.percent(5) {
            continue;
        }
        let actions = listed(&live.view(seat).legal_actions, &rules);
        if actions.is_empty() {
            continue;
        }
        let mut action = rng.pick(&actions);
        // Among all bids the highest would soon be bid in every deal.
        if matches!(action, SeatAction::Deal(Action::Bid(_))) {
            action = if rng.percent(60) {
                SeatAction::Deal(Action::Pass)
            } else {
                let bid = |action: &&SeatAction| matches!(action, SeatAction::Deal(Action::Bid(_)));
                actions.iter().find(bid).unwrap_or(&action).clone()
            };
        }
        live.act(seat, action).unwrap();
        return;
    }
}

/// Somebody, seated or not, tries something.
fn act_wildly(live: &mut Live, rng: &mut Rng) {
    let seats: Vec<_> = live.rules().seats().collect();
    let seated = live.table.player(rng.pick(&seats)).map(|player| player.id);
    let actions = [
        SeatAction::Return,
        SeatAction::Return,
        SeatAction::Leave,
        SeatAction::Ready(vec![9; rng.below(40) as usize]),
        SeatAction::Deal(Action::Pass),
        SeatAction::Deal(Action::Hold),
        SeatAction::Deal(Action::Double),
        SeatAction::Deal(Action::DeclareTrump(rules::Suit::Bells)),
        SeatAction::Deal(Action::Play(rules::Card::SPATZ)),
        SeatAction::Deal(Action::Discard(rules::CardSet::FULL)),
    ];
    let command = Command::Act {
        player: seated.unwrap_or(player(99).id),
        action: rng.pick(&actions),
    };
    let before = live.log.len();
    if live.submit(&command).is_err() {
        assert_eq!(live.log.len(), before, "a refused command left events");
    }
}

#[test]
fn the_stored_log_alone_leads_to_the_same_table_at_every_step() {
    let (mut ended, mut closed, mut away, mut played) = (0, 0, 0, 0);
    for seed in 0..200 {
        let mut rng = Rng(seed);
        let mut live = random_table(&mut rng);
        // Equality at every step is checked by `Live::submit`.
        play(&mut live, &mut rng, |_, _| {});
        check_replay(&live);
        match live.table.result() {
            Some(_) => ended += 1,
            None => closed += 1,
        }
        let count = |wanted: fn(&Event) -> bool| {
            live.log.iter().filter(|entry| wanted(&entry.event)).count()
        };
        away += count(|event| matches!(event, Event::SeatAway { left: false, .. }));
        played += count(|event| matches!(event, Event::DealScored(s) if s.declarer.is_some()));
    }
    // The matches were worth watching.
    assert!(
        ended > 60 && closed > 5 && away > 60 && played > 120,
        "{ended} {closed} {away} {played}"
    );
}

/// The log, from bytes, at once and cut anywhere.
fn check_replay(live: &Live) {
    let rules = live.rules();
    let bytes: Vec<Vec<u8>> = live
        .log
        .iter()
        .map(|entry| encode(&entry.event, &rules))
        .collect();
    let events: Vec<Event> = bytes
        .iter()
        .enumerate()
        .map(|(i, bytes)| decode(bytes, (i > 0).then_some(&rules)).unwrap())
        .collect();
    let entries = || {
        let stamps = live.log.iter().map(|entry| (entry.version, entry.at_ms));
        stamps
            .zip(&events)
            .map(|((version, at_ms), event)| (version, at_ms, event))
    };
    let whole = Table::replay(entries()).unwrap().unwrap();
    assert!(whole == live.table);
    for seat in rules.seats() {
        if let Some(player) = live.table.player(seat) {
            let views = [&whole, &live.table].map(|table| view(table, player.id, live.now_ms));
            assert_eq!(views[0], views[1]);
        }
    }
    for cut in [2, events.len() / 2] {
        let mut table = Table::replay(entries().take(cut)).unwrap().unwrap();
        for (version, at_ms, event) in entries().skip(cut) {
            table.evolve(version, at_ms, event).unwrap();
        }
        assert!(table == live.table);
    }
    assert_eq!(Table::replay(entries().take(0)).unwrap(), None);
    assert!(Table::replay(entries().skip(1)).is_err());
}

#[test]
fn a_log_with_a_gap_or_a_doubled_entry_is_corrupt() {
    let mut rng = Rng(1);
    let mut live = Live::started(TableKind::Casual, "pppp", &[("length", "rounds(1)")]);
    play(&mut live, &mut rng, |_, _| {});
    let entries: Vec<_> = live
        .log
        .iter()
        .map(|entry| (entry.version, entry.at_ms, &entry.event))
        .collect();
    for at in 1..entries.len() - 1 {
        let gap = entries[..at].iter().chain(&entries[at + 1..]).copied();
        let corrupt = Table::replay(gap).unwrap_err();
        assert_eq!(corrupt.version, at as u64 + 2);
        let doubled = entries[..=at].iter().chain(&entries[at..]).copied();
        let corrupt = Table::replay(doubled).unwrap_err();
        assert_eq!(corrupt.version, at as u64 + 1);
    }
}
