//! What must hold at the end of a run, whatever went wrong in it.

use std::ops::Range;

use proto::v1::{Actor, action::Kind as Act};
use rules::{Deal, Rules, Seat};
use table::{CommandTag, Commanded, Event, Table};

use super::{
    client::{Client, Outcome, Sent},
    faults::Trouble,
    replicas::Replicas,
    stored::Stored,
    world::{World, short},
};
use crate::{
    archive,
    log::{Entry, OUTAGE_MS, SEEN_MS},
    receipt::Receipt,
    tables::{decode, take},
};

/// What a run has to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) tables: usize,
    pub(super) entries: usize,
    pub(super) acknowledged: usize,
    pub(super) matches: usize,
    pub(super) rated: usize,
    pub(super) resyncs: usize,
    /// Acknowledged commands that are gone because the store lost them.
    pub(super) lost: usize,
    /// Clients who went on with what was lost.
    pub(super) unnoticed: usize,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.tables += other.tables;
        self.entries += other.entries;
        self.acknowledged += other.acknowledged;
        self.matches += other.matches;
        self.rated += other.rated;
        self.resyncs += other.resyncs;
        self.lost += other.lost;
        self.unnoticed += other.unnoticed;
    }
}

/// A log, understood.
struct Story {
    events: Vec<Event>,
    /// After each of them.
    states: Vec<Table>,
    /// What began with each of them.
    commands: Vec<Option<Commanded>>,
}

impl Story {
    /// Where the events of a command are, and the version after them, whichever seat its sender
    /// had then. The last ones may be lost.
    fn find(&self, sent: &Sent, entries: &[Entry]) -> Option<(Range<usize>, u64)> {
        let of = |seat| Receipt::new(seat, &sent.id, &sent.action, None);
        let tags: Vec<CommandTag> = Seat::all(4)
            .filter_map(|seat| Some(of(seat).ok()?.tag))
            .collect();
        let index = self
            .commands
            .iter()
            .position(|command| command.is_some_and(|command| tags.contains(&command.tag)))?;
        let last = entries[index].version + u64::from(self.commands[index]?.following);
        let end = entries.partition_point(|entry| entry.version <= last);
        Some((index..end, last))
    }
}

/// Checks everything, and counts.
pub(super) fn check(replicas: &Replicas, clients: &[Client]) -> Tally {
    let world = &replicas.world;
    let mut tally = Tally::default();
    for (id, stored) in replicas.store.tables().iter() {
        let wrong = |what: String| world.violated(format!("table {}: {what}", short(*id)));
        tally.tables += 1;
        tally.entries += stored.entries.len();
        if stored.entries.is_empty() && stored.lost > 0 {
            // Lost before anything of it was archived, or after all of it was.
            continue;
        }
        if stored.delete_at.is_none() {
            wrong("it does not end".to_owned());
            continue;
        }
        let story = match tell(&stored.entries) {
            Ok(story) => story,
            Err(error) => {
                wrong(format!("its log cannot be read: {error}"));
                continue;
            }
        };
        check_clocks(&replicas.store.looks(*id), stored, &story, &wrong);
        check_end(replicas, *id, stored, &story, &mut tally, &wrong);
        let seated = clients.iter().filter(|client| client.table == *id);
        for client in seated {
            check_client(world, client, stored, &story, &mut tally);
        }
        check_commands(stored, &story, &wrong);
    }
    tally
}

fn tell(entries: &[Entry]) -> Result<Story, String> {
    let mut table = None;
    let mut story = Story {
        events: Vec::new(),
        states: Vec::new(),
        commands: Vec::new(),
    };
    for entry in entries {
        let (event, after) = take(&mut table, entry).map_err(|failure| failure.to_string())?;
        story.states.push(after.clone());
        story.events.push(event);
        let (_, command) = decode(entry, Some(after.rules())).map_err(|it| it.to_string())?;
        story.commands.push(command);
    }
    Ok(story)
}

/// Time flows, deadlines are kept, and nobody loses time to an outage.
fn check_clocks(looks: &[i64], stored: &Stored, story: &Story, wrong: &dyn Fn(String)) {
    let (mut restarts, mut since_ms) = (0, stored.entries[0].at_ms);
    for (index, event) in story.events.iter().enumerate().skip(1) {
        let (before, entry) = (&story.states[index - 1], &stored.entries[index]);
        if entry.at_ms < stored.entries[index - 1].at_ms {
            wrong(format!("time runs backwards at {}", entry.version));
        }
        let late_ms = before.due_ms().map(|due_ms| entry.at_ms - due_ms);
        let (seen_again_ms, unseen_ms) = longest_unseen(looks, since_ms, entry.at_ms);
        match event {
            Event::ClockRestarted => {
                if seen_again_ms.max(unseen_ms) <= OUTAGE_MS - SEEN_MS {
                    wrong(format!("no outage restarts the clock at {}", entry.version));
                }
                (restarts, since_ms) = (restarts + 1, entry.at_ms);
            }
            Event::Acted { by, .. } => {
                if *by == Actor::Clock && late_ms.is_none_or(|late_ms| late_ms < 0) {
                    wrong(format!("the clock acts early at {}", entry.version));
                }
                let lost_ms = seen_again_ms.max(unseen_ms.min(entry.at_ms - since_ms));
                if *by != Actor::Bot && restarts < 3 && lost_ms > OUTAGE_MS {
                    wrong(format!("time was lost to an outage at {}", entry.version));
                }
                (restarts, since_ms) = (0, entry.at_ms);
            }
            Event::SeatReturned { seat } if before.deal().and_then(Deal::turn) != Some(*seat) => {}
            Event::SeatTaken { .. }
            | Event::SeatReturned { .. }
            | Event::DealStarted { .. }
            | Event::Restored => (restarts, since_ms) = (0, entry.at_ms),
            _ => {}
        }
    }
}

/// The longest time without a look for due tables that a look between two times ended, and for
/// how long nobody had looked at the second.
fn longest_unseen(looks: &[i64], after_ms: i64, upto_ms: i64) -> (i64, i64) {
    let first = looks.partition_point(|look_ms| *look_ms <= after_ms);
    let upto = looks.partition_point(|look_ms| *look_ms < upto_ms);
    let around = &looks[first.saturating_sub(1).min(upto)..upto];
    let longest = around.windows(2).map(|pair| pair[1] - pair[0]).max();
    let since_last = around.last().map_or(0, |last| upto_ms - last);
    (longest.unwrap_or(0), since_last)
}

/// What was archived and rated is what is in the log, and the log went only after that.
fn check_end(
    replicas: &Replicas,
    id: uuid::Uuid,
    stored: &Stored,
    story: &Story,
    tally: &mut Tally,
    wrong: &dyn Fn(String),
) {
    let Some(last) = story.states.last() else {
        return wrong("it has no log".to_owned());
    };
    let archived = replicas.ends.archived().get(&id).cloned();
    let rated = replicas.ends.rated().get(&id).cloned();
    let count = |wanted: fn(&Event) -> bool| story.events.iter().filter(|e| wanted(e)).count();
    if last.result().is_none() {
        if archived.is_some() || rated.is_some() {
            wrong("no match, and yet kept".to_owned());
        }
        return;
    }
    tally.matches += 1;
    if stored.lost > 0 {
        // What was archived or rated before may not be what is in the log now.
        return;
    }
    let deals = count(|event| matches!(event, Event::DealScored(_)));
    if count(|event| matches!(event, Event::DealArchived { .. })) != deals
        || count(|event| matches!(event, Event::MatchArchived)) != 1
    {
        wrong("the log does not say once that each deal and the match were archived".to_owned());
    }
    let ended = |event: &Event| matches!(event, Event::MatchEnded(_));
    let upto = story.events.iter().position(ended).map_or(0, |at| at + 1);
    match archived {
        None => wrong("it was not archived".to_owned()),
        Some(archived) => {
            let kept: Vec<Entry> = archived.deals.values().flatten().cloned().collect();
            let closing = archived.end.iter().flat_map(|(_, entries)| entries.clone());
            let kept: Vec<Entry> = kept.into_iter().chain(closing).collect();
            if kept != stored.entries[..upto] || archived.deals.len() != deals {
                wrong("the archive is not the log".to_owned());
            }
            let shown = archived
                .end
                .map(|(summary, _)| archive::replay(summary, &kept));
            if !matches!(shown, Some(Ok(_))) {
                wrong("its replay cannot be shown".to_owned());
            }
        }
    }
    let in_log = story.events.iter().find_map(|event| match event {
        Event::MatchRated(changes) => Some(changes.clone()),
        _ => None,
    });
    if count(|event| matches!(event, Event::MatchRated(_))) > 1 {
        wrong("rated twice".to_owned());
    }
    if last.is_rated() != rated.is_some() || in_log != rated.map(|rated| rated.changes) {
        wrong("its rating is not the one in the log".to_owned());
    }
    tally.rated += usize::from(in_log.is_some());
}

/// Everything that players did is in the log with its command, and no command twice.
fn check_commands(stored: &Stored, story: &Story, wrong: &dyn Fn(String)) {
    for applied in &stored.applied {
        if stored.lost > 0 {
            // What was put back after a loss counts as one append.
            break;
        }
        let range = stored.range(applied.first, applied.last);
        let by_player = |event: &Event| {
            matches!(
                event,
                Event::Acted {
                    by: Actor::Player,
                    ..
                }
            )
        };
        let commands = story.commands[range.clone()].iter().flatten().count();
        let expected = usize::from(story.events[range].iter().any(by_player));
        if commands < expected || commands > 1 {
            wrong(format!("{commands} commands at {}", applied.first));
        }
    }
    let mut keys: Vec<u64> = story
        .commands
        .iter()
        .flatten()
        .map(|command| command.tag.key)
        .collect();
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    if keys.len() != count {
        wrong("a command was appended twice".to_owned());
    }
}

fn check_client(world: &World, client: &Client, stored: &Stored, story: &Story, tally: &mut Tally) {
    let name = format!("{} at {}", short(client.player), short(client.table));
    tally.resyncs += client.resyncs as usize;
    for sent in &client.sent {
        if let Some(what) = check_sent(client, sent, stored, story) {
            if stored.lost > 0 {
                tally.lost += 1;
            } else {
                world.violated(format!("{name}: {} {what}", sent.id));
            }
        } else if matches!(sent.outcome, Outcome::Done(_)) {
            tally.acknowledged += 1;
        }
    }
    if stored.lost > 0 && client.gone {
        // What it saw before it went may be lost.
        return;
    }
    if !client.gone && client.version != stored.head() {
        world.violated(format!("{name} missed what came after {}", client.version));
    }
    for seen in &client.seen {
        let index = stored.range(seen.version, seen.version).next();
        let shown = index.map(|index| {
            let (after, event) = (&story.states[index], &story.events[index]);
            table::update_for(after, event, client.player, stored.entries[index].at_ms)
        });
        if shown.as_ref() == Some(seen) {
            continue;
        }
        // A loss that only dead replicas could have noticed is told to nobody: the version that
        // a client knows does not say which history it is of.
        if stored.lost > 0 && world.faults.has(Trouble::Kill) {
            tally.unnoticed += 1;
        } else {
            world.violated(format!("{name} saw something else as {}", seen.version));
        }
        return;
    }
}

/// What is wrong with the answer to a command.
fn check_sent(client: &Client, sent: &Sent, stored: &Stored, story: &Story) -> Option<String> {
    let found = story.find(sent, &stored.entries);
    let applied = found.as_ref().map(|(_, last)| *last);
    let echoes = client.echoes.lock().ok()?;
    for (_, version) in echoes.iter().filter(|(id, _)| *id == sent.id) {
        if applied != Some(*version) {
            return Some(format!("was answered with {version} when it came again"));
        }
    }
    match (&sent.outcome, found) {
        (Outcome::Done(version), None) => Some(format!("was acknowledged as {version}: lost")),
        (Outcome::Done(version), Some((range, last))) => {
            let rules = story.states[0].rules();
            let asked = |event: &&Event| is(event, sent, rules);
            if last != *version {
                Some(format!("is {last}, acknowledged as {version}"))
            } else if story.events[range].iter().filter(asked).count() != 1 {
                Some(format!(
                    "was acknowledged and is not in the log at {version}"
                ))
            } else {
                None
            }
        }
        (Outcome::Refused(code), Some(_)) if !sent.repeated => {
            Some(format!("was refused ({}) and yet done", code.as_str()))
        }
        _ => None,
    }
}

/// Whether an event is what was asked for.
fn is(event: &Event, sent: &Sent, rules: &Rules) -> bool {
    let Some(kind) = &sent.action.kind else {
        return false;
    };
    match (event, kind) {
        (Event::Acted { action, by, .. }, kind) => {
            *by == Actor::Player && table::action_from_wire(kind, rules) == Ok(Some(*action))
        }
        (Event::SeatReady { nonce, .. }, Act::Ready(ready)) => *nonce == ready.nonce,
        (Event::SeatAway { left, .. }, Act::Leave(_)) => *left,
        (Event::SeatFreed { .. }, Act::Leave(_)) | (Event::SeatReturned { .. }, Act::Return(_)) => {
            true
        }
        _ => false,
    }
}
