//! How fast the engine is, on one core: random play-outs, and what a table does for a move.
//!
//! Prints a line per figure, and appends it to the file named by `SPATZ_BENCH_JSONL` as
//! `{"metric": …, "value": …, "unit": …}`. Run it with `make bench`.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that measures prints what it found, and fails like a test"
)]

use std::{
    fs::OpenOptions,
    hint::black_box,
    io::Write as _,
    time::{Duration, Instant},
};

use proto::v1::{OpenTableRequest, TableKind, TimeControl, occupant};
use rules::{
    Action, Card, CardSet, ContractId, Deal, Deck, Effect, Legal, PACK, Phase, RULE_SETS, Rules,
    Seat, Suit,
};
use table::{Command, Event, SeatAction, Table, decide, decode, encode, view};
use uuid::Uuid;

/// How long each figure is measured for; the best of some such spells counts, as the one that
/// was disturbed least.
const SPELL: Duration = Duration::from_millis(400);
const SPELLS: usize = 5;

fn main() {
    let mut report = Report::default();
    for (ruleset, players) in [("brixental", 4), ("brixental", 3)] {
        play_outs(&mut report, ruleset, players);
    }
    for set in RULE_SETS.iter().filter(|set| set.id != "brixental") {
        let players = set.players().last().unwrap();
        play_outs(&mut report, set.id, players);
    }
    table_calls(&mut report);
    report.write();
}

#[derive(Default)]
struct Report(String);

impl Report {
    fn add(&mut self, metric: &str, value: f64, unit: &str) {
        println!("{metric:<44} {value:>14.1} {unit}");
        self.0 +=
            &format!("{{\"metric\":\"{metric}\",\"value\":{value:.1},\"unit\":\"{unit}\"}}\n");
    }

    fn write(&self) {
        if let Some(path) = std::env::var_os("SPATZ_BENCH_JSONL") {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.unwrap().write_all(self.0.as_bytes()).unwrap();
        }
    }
}

/// Calls something again and again, and returns the most that it did in a second. What it did is
/// what it returns.
fn rate(mut work: impl FnMut() -> u64) -> f64 {
    let mut best: f64 = 0.0;
    for _ in 0..SPELLS {
        let start = Instant::now();
        let mut done = 0;
        while start.elapsed() < SPELL {
            for _ in 0..16 {
                done += work();
            }
        }
        best = best.max(done as f64 / start.elapsed().as_secs_f64());
    }
    best
}

/// Nanoseconds of one call.
fn nanos<T>(mut call: impl FnMut() -> T) -> f64 {
    let calls_per_second = rate(|| {
        black_box(call());
        1
    });
    1e9 / calls_per_second
}

/// Random play-outs of dealt deals to their score, as whole deals and as play alone.
fn play_outs(report: &mut Report, ruleset: &str, players: u8) {
    let rules = Rules::new(ruleset, players, []).unwrap();
    let mut rng = fastrand::Rng::with_seed(1);
    let dealt: Vec<Deal> = (0..1024).map(|_| dealt(rules, &mut rng)).collect();
    let in_play: Vec<Deal> = dealt
        .iter()
        .filter_map(|deal| in_play(*deal, &mut rng))
        .collect();
    for (part, deals) in [("deal", &dealt), ("play", &in_play)] {
        let mut next = 0;
        let mut play_outs = 0_u64;
        let mut moves_all = 0_u64;
        let moves = rate(|| {
            next = (next + 1) % deals.len();
            let mut deal = deals[next];
            let moves = play_out(&mut deal, &mut rng);
            black_box(deal.end());
            play_outs += 1;
            moves_all += moves;
            moves
        });
        let name = format!("playout_{part}_{ruleset}_{players}");
        report.add(&format!("{name}_moves"), moves, "1/s");
        let per_deal = moves_all as f64 / play_outs as f64;
        report.add(&format!("{name}_deals"), moves / per_deal, "1/s");
    }
}

fn dealt(rules: Rules, rng: &mut fastrand::Rng) -> Deal {
    let mut order: Vec<Card> = (0..PACK).filter_map(Card::from_index).collect();
    rng.shuffle(&mut order);
    let deck = Deck::from_order(order.try_into().unwrap()).unwrap();
    Deal::new(rules, Seat::new(0).unwrap(), &deck)
}

fn in_play(mut deal: Deal, rng: &mut fastrand::Rng) -> Option<Deal> {
    while deal.phase() != Phase::Play {
        deal.turn()?;
        deal.apply(choice(&deal, rng)).unwrap();
    }
    Some(deal)
}

/// Plays to the end; legal actions are computed in every step, and one is chosen uniformly.
/// Returns how many were taken.
fn play_out(deal: &mut Deal, rng: &mut fastrand::Rng) -> u64 {
    let mut moves = 0;
    while deal.phase() != Phase::Done {
        let action = if deal.phase() == Phase::Play {
            let card = deal.playable().choose(|cards| rng.u32(..cards));
            Action::Play(card.unwrap())
        } else {
            choice(deal, rng)
        };
        let _: Effect = deal.apply(action).unwrap();
        moves += 1;
    }
    moves
}

/// One of the legal actions, each as likely as any other.
fn choice(deal: &Deal, rng: &mut fastrand::Rng) -> Action {
    let contract =
        |place: u8| -> ContractId { deal.rules().contracts().nth(place.into()).unwrap() };
    let or_pass = |rng: &mut fastrand::Rng, action| if rng.bool() { action } else { Action::Pass };
    match deal.legal() {
        Legal::Call { from, to } => match rng.u8(from..=to) {
            place if place == to => Action::Pass,
            place => Action::Bid(contract(place)),
        },
        Legal::Hold => or_pass(rng, Action::Hold),
        Legal::Announce { from, to, may_pass } => match rng.u8(from..to + u8::from(may_pass)) {
            place if place == to => Action::Pass,
            place => Action::Announce(contract(place)),
        },
        Legal::Discard(choice) => loop {
            let mut cards = CardSet::EMPTY;
            while cards.len() < choice.count.into() {
                let n = rng.usize(..choice.from.len());
                cards = cards.with(choice.from.get(n).unwrap());
            }
            if choice.covers_aces(cards) {
                break Action::Discard(cards);
            }
        },
        Legal::DeclareTrump(suits) => {
            Action::DeclareTrump(*rng.choice(suits).unwrap_or(&Suit::Hearts))
        }
        Legal::Double => or_pass(rng, Action::Double),
        Legal::Redouble => or_pass(rng, Action::Redouble),
        Legal::Play(cards) => Action::Play(cards.choose(|cards| rng.u32(..cards)).unwrap()),
        Legal::Nothing => unreachable!("the deal is over"),
    }
}

/// A table of four people, and the log of a whole match that its players chose at random.
fn played_match(rng: &mut fastrand::Rng) -> (Table, Vec<(u64, i64, Event)>) {
    let occupant = |n: u128| proto::v1::Occupant {
        kind: Some(occupant::Kind::Player(proto::v1::Player {
            id: Uuid::from_u128(n + 1).to_string(),
            name: format!("Player {n}"),
        })),
    };
    let request = OpenTableRequest {
        table_id: Uuid::from_u128(99).to_string(),
        kind: TableKind::Ranked.into(),
        queue: "ranked-brixental-4".to_owned(),
        rules: Some(proto::v1::Rules {
            ruleset: "brixental".to_owned(),
            version: 0,
            players: 4,
            options: [("length".to_owned(), "rounds(2)".to_owned())].into(),
        }),
        time_control: Some(TimeControl {
            move_ms: 20_000,
            bank_ms: 60_000,
            pause_ms: 0,
            bot_ms: 0,
        }),
        invite_code: String::new(),
        seats: (0..4).map(occupant).collect(),
        ladder: "brixental".to_owned(),
    };
    let opening = Event::opening(&request, [7; 32]).unwrap();
    let mut table = Table::open(1, 0, &opening).unwrap();
    let mut log = vec![(1, 0, opening)];
    let mut submit = |table: &mut Table, player: u128, action: SeatAction| {
        let command = Command::Act {
            player: Uuid::from_u128(player + 1),
            action,
        };
        let decision = decide(table, &command, 0).unwrap();
        let first = table.version() + 1;
        log.extend(
            (first..)
                .zip(decision.events)
                .map(|(version, event)| (version, 0, event)),
        );
        *table = decision.table;
    };
    for player in 0..4 {
        submit(&mut table, player, SeatAction::Ready(vec![1, 2, 3, 4]));
    }
    while let Some(deal) = table.deal() {
        let seat = deal.turn().unwrap();
        let action = choice(deal, rng);
        submit(&mut table, seat.number().into(), SeatAction::Deal(action));
    }
    (table, log)
}

/// What a table does for each move.
fn table_calls(report: &mut Report) {
    let mut rng = fastrand::Rng::with_seed(2);
    let (finished, log) = played_match(&mut rng);
    let rules = *finished.rules();
    let replay = || {
        Table::replay(
            log.iter()
                .map(|(version, at, event)| (*version, *at, event)),
        )
    };
    report.add("log_events", log.len() as f64, "events");
    report.add("replay_session", nanos(|| replay().unwrap()), "ns");
    let bytes: Vec<Vec<u8>> = log
        .iter()
        .map(|(_, _, event)| encode(event, &rules))
        .collect();
    report.add(
        "decode_session",
        nanos(|| {
            for bytes in &bytes {
                black_box(decode(bytes, Some(&rules)).unwrap());
            }
        }),
        "ns",
    );
    let middle = log.len() / 2;
    let entries = log.iter().take(middle);
    let table = Table::replay(entries.map(|(version, at, event)| (*version, *at, event)));
    let table = table.unwrap().unwrap();
    let deal = *table.deal().unwrap();
    let turn = deal.turn().unwrap();
    let player = Uuid::from_u128(u128::from(turn.number()) + 1);
    report.add("view", nanos(|| view(&table, player, 0).unwrap()), "ns");
    report.add("deal_view", nanos(|| deal.view(Some(turn))), "ns");
    let action = choice(&deal, &mut rng);
    let command = Command::Act {
        player,
        action: SeatAction::Deal(action),
    };
    report.add(
        "decide_move",
        nanos(|| decide(&table, &command, 0).unwrap()),
        "ns",
    );
    report.add(
        "deal_apply",
        nanos(|| {
            let mut deal = deal;
            deal.apply(action).unwrap();
            deal
        }),
        "ns",
    );
}
