//! Stored bytes: logs written by version 1 stay readable, and are written the same today.
//!
//! `tests/data/log-v1.txt` has a line for each sample: its name and its bytes in hex. A line
//! never changes; new kinds of events get new lines.

use std::collections::BTreeMap;

use prost::Message as _;
use proto::v1::{self as wire, Actor, CloseReason, TableKind, log_event::Event as Stored};
use rules::{Action, CardSet, Rules, Suit};
use table::{
    BadEvent, CommandTag, Commanded, Event, FORMAT, Occupant, Setup, decode, decode_entry, encode,
    encode_entry,
};
use uuid::Uuid;

use crate::kit::{player, seat};

/// Makes `kind` and the list of all kinds from one list, so that an event without a name does
/// not build and a name without a sample does not pass.
macro_rules! kinds {
    ($($pattern:pat => $name:literal,)*) => {
        const KINDS: &[&str] = &[$($name),*];

        fn kind(event: &Event) -> &'static str {
            match event {
                $($pattern => $name,)*
            }
        }
    };
}

kinds! {
    Event::Opened { .. } => "opened",
    Event::SeatTaken { .. } => "seat_taken",
    Event::SeatFreed { .. } => "seat_freed",
    Event::SeatReady { .. } => "seat_ready",
    Event::DealStarted { .. } => "deal_started",
    Event::Acted { .. } => "acted",
    Event::DealScored(_) => "deal_scored",
    Event::MatchEnded(_) => "match_ended",
    Event::SeatAway { .. } => "seat_away",
    Event::SeatReturned { .. } => "seat_returned",
    Event::ClockRestarted => "clock_restarted",
    Event::Restored => "restored",
    Event::DealArchived { .. } => "deal_archived",
    Event::MatchArchived => "match_archived",
    Event::MatchRated(_) => "match_rated",
    Event::Closed(_) => "closed",
}

pub(crate) fn golden() -> Vec<(&'static str, Vec<u8>)> {
    let lines = include_str!("../data/log-v1.txt").lines();
    lines
        .map(|line| {
            let (name, bytes) = line.split_once(' ').expect("a name and bytes");
            (name, hex::decode(bytes).expect("hex"))
        })
        .collect()
}

pub(crate) fn rules() -> Rules {
    let options = [("length", "rounds(2)"), ("discard_from", "any")];
    Rules::new("brixental", 4, options).unwrap()
}

/// The rules that a sample is stored under.
fn rules_for(name: &str) -> Rules {
    if name.contains("bavarian") {
        Rules::new("bavarian", 3, [("stake", "5")]).unwrap()
    } else {
        rules()
    }
}

fn card(text: &str) -> rules::Card {
    text.parse().unwrap()
}

fn cards(texts: &[&str]) -> CardSet {
    texts.iter().map(|text| card(text)).collect()
}

fn opened(kind: TableKind, seats: Vec<Option<Occupant>>, rules: Rules) -> Event {
    let private = kind == TableKind::Private;
    let text = |text: &str, there: bool| if there { text } else { "" }.to_owned();
    Event::Opened {
        setup: Box::new(Setup {
            id: Uuid::from_u128(0x0193_7ab1_e000_7000_8000_0000_0000_0001),
            kind,
            queue: text("ranked-brixental-4", !private),
            ladder: text("brixental", kind == TableKind::Ranked),
            rules,
            time_control: table::TIME_CONTROL_DEFAULT,
            server_seed: std::array::from_fn(|i| i as u8),
            invite_code: text("K7QMXP", private),
        }),
        seats,
    }
}

fn acted(number: u8, action: Action, by: Actor) -> Event {
    Event::Acted {
        seat: seat(number),
        action,
        by,
    }
}

fn score(declarer: Option<wire::DeclarerScore>) -> Event {
    let played = declarer.is_some();
    Event::DealScored(wire::DealScore {
        number: 3,
        dealer: 2,
        declarer,
        points: if played {
            vec![5, -13, 5, 5]
        } else {
            vec![0; 4]
        },
        totals: vec![20, -7, 5, 0],
        counted: played,
        stake: 0,
        pot: 0,
    })
}

fn declarer(contract: &str, discards: &[&str]) -> wire::DeclarerScore {
    let wire_cards = |texts: &[&str]| cards(texts).map(table::card_to_wire).collect();
    wire::DeclarerScore {
        seat: 1,
        contract: contract.to_owned(),
        card_points: Some(52),
        tricks: 3,
        made: false,
        value: -8,
        spatz: vec![5, -5, 5, 5],
        talon: wire_cards(&["E6", "GX", "HA", "S9"]),
        discards: wire_cards(discards),
        trump: String::new(),
        doubled_by: None,
        redoubled: false,
    }
}

fn bettel() -> Event {
    Event::DealScored(wire::DealScore {
        number: 4,
        dealer: 1,
        declarer: Some(wire::DeclarerScore {
            contract: "bettel".to_owned(),
            card_points: None,
            tricks: 1,
            value: -4,
            spatz: Vec::new(),
            ..declarer("bettel", &[])
        }),
        points: vec![2, -4, 2],
        totals: vec![-8, -14, -8],
        counted: true,
        stake: 5,
        pot: 15,
    })
}

fn doubled() -> Event {
    score(Some(wire::DeclarerScore {
        card_points: Some(0),
        trump: "hearts".to_owned(),
        doubled_by: Some(0),
        redoubled: true,
        ..declarer("sumpern", &[])
    }))
}

type Sample = (&'static str, Event);

/// What the golden bytes mean.
fn samples() -> Vec<Sample> {
    [seating(), playing(), ending()].concat()
}

fn seating() -> Vec<Sample> {
    let people = || (0..4).map(|n| Some(Occupant::Player(player(n)))).collect();
    let bot = Some(Occupant::Bot(bots::Level::Standard));
    let mixed = vec![Some(Occupant::Player(player(0))), None, bot];
    let three = Rules::new("brixental", 3, []).unwrap();
    let ready = |nonce: &[u8], by| Event::SeatReady {
        seat: seat(3),
        nonce: nonce.to_vec(),
        by,
    };
    let taken = Event::SeatTaken {
        seat: seat(1),
        player: player(1),
    };
    let ranked = opened(TableKind::Ranked, people(), rules());
    let casual = opened(TableKind::Casual, people(), rules());
    vec![
        ("opened/ranked", ranked),
        ("opened/casual", casual),
        ("opened/private", opened(TableKind::Private, mixed, three)),
        ("seat_taken", taken),
        ("seat_freed", Event::SeatFreed { seat: seat(2) }),
        ("seat_ready/player", ready(&[0xab; 32], Actor::Player)),
        ("seat_ready/clock", ready(&[], Actor::Clock)),
        ("seat_ready/bot", ready(&[], Actor::Bot)),
    ]
}

fn playing() -> Vec<Sample> {
    let started = |number, dealer| Event::DealStarted {
        number,
        dealer: seat(dealer),
    };
    let bid = |name| {
        let contract = rules().contract_named(name).unwrap();
        acted(1, Action::Bid(contract), Actor::Player)
    };
    let laid_off = Action::Discard(cards(&["G7", "H6", "E8", "S6"]));
    let ace = Action::Play(card("HA"));
    let look_in = declarer("look_in", &["E7", "G6", "G7", "S6"]);
    let announced = rules_for("bavarian").contract_named("pickup:71").unwrap();
    vec![
        ("acted/bavarian_hold", acted(0, Action::Hold, Actor::Player)),
        (
            "acted/bavarian_announce",
            acted(1, Action::Announce(announced), Actor::Bot),
        ),
        (
            "acted/bavarian_declare_trump",
            acted(1, Action::DeclareTrump(Suit::Bells), Actor::Player),
        ),
        ("acted/double", acted(2, Action::Double, Actor::Player)),
        ("acted/redouble", acted(3, Action::Redouble, Actor::Clock)),
        ("deal_scored/bavarian_bettel", bettel()),
        ("deal_scored/doubled", doubled()),
        ("deal_started", started(7, 3)),
        ("deal_started/first", started(1, 0)),
        ("acted/pass", acted(0, Action::Pass, Actor::Bot)),
        ("acted/bid", bid("look_in")),
        ("acted/bid_116", bid("116")),
        ("acted/discard", acted(2, laid_off, Actor::Player)),
        ("acted/play", acted(3, ace, Actor::Clock)),
        ("deal_scored/look_in", score(Some(look_in))),
        ("deal_scored/sumpern", score(Some(declarer("sumpern", &[])))),
        ("deal_scored/thrown_in", score(None)),
    ]
}

fn ending() -> Vec<Sample> {
    let shared = wire::MatchResult {
        scores: vec![3, -7, 4],
        places: vec![2, 3, 1],
        settlement: Vec::new(),
        abandoned: vec![false; 3],
        pot_shares: vec![4, 3, 3],
    };
    let result = wire::MatchResult {
        scores: vec![108, 74, 35, 12],
        places: vec![1, 2, 3, 4],
        settlement: vec![223, -34, -73, -116],
        abandoned: vec![false, true, false, false],
        pot_shares: Vec::new(),
    };
    let away = |left| Event::SeatAway {
        seat: seat(1),
        left,
    };
    let change = wire::RatingChange {
        player_id: player(0).id.to_string(),
        before: 1200,
        after: 1187,
    };
    vec![
        ("match_ended", Event::MatchEnded(result)),
        ("match_ended/bavarian", Event::MatchEnded(shared)),
        ("seat_away", away(false)),
        ("seat_away/left", away(true)),
        ("seat_returned", Event::SeatReturned { seat: seat(1) }),
        ("clock_restarted", Event::ClockRestarted),
        ("restored", Event::Restored),
        ("deal_archived", Event::DealArchived { number: 7 }),
        ("match_archived", Event::MatchArchived),
        ("match_rated", Event::MatchRated(vec![change])),
        ("closed/not_filled", Event::Closed(CloseReason::NotFilled)),
        ("closed/deserted", Event::Closed(CloseReason::Deserted)),
    ]
}

fn rules_of(name: &str, event: &Event) -> Rules {
    match event {
        Event::Opened { setup, .. } => setup.rules,
        _ => rules_for(name),
    }
}

#[test]
fn golden_bytes_read_as_the_events_they_were_written_for_and_are_written_again() {
    let golden: BTreeMap<&str, Vec<u8>> = golden().into_iter().collect();
    let samples = samples();
    let mut missing = String::new();
    for (name, event) in &samples {
        let written = encode(event, &rules_of(name, event));
        let Some(stored) = golden.get(name) else {
            missing += &format!("{name} {}\n", hex::encode(&written));
            continue;
        };
        let read = decode(stored, Some(&rules_for(name)));
        assert_eq!(read.as_ref(), Ok(event), "{name}");
        assert_eq!(hex::encode(stored), hex::encode(&written), "{name}");
    }
    assert!(missing.is_empty(), "no golden bytes:\n{missing}");
    assert_eq!(golden.len(), samples.len(), "every line has a sample");
}

#[test]
fn every_kind_of_event_has_golden_bytes() {
    let golden = golden();
    for name in KINDS {
        let of_kind = golden
            .iter()
            .filter(|(line, _)| line.split('/').next() == Some(name));
        assert!(of_kind.count() > 0, "no line for {name}");
    }
    for (name, bytes) in golden {
        let event = decode(&bytes, Some(&rules_for(name))).unwrap();
        assert_eq!(Some(kind(&event)), name.split('/').next());
    }
}

fn stored(name: &str) -> wire::LogEvent {
    let golden = golden();
    let (_, bytes) = golden.iter().find(|(line, _)| *line == name).unwrap();
    wire::LogEvent::decode(&bytes[..]).unwrap()
}

/// Reads an event after a change to what is stored.
fn changed(name: &str, change: impl FnOnce(&mut Stored)) -> Result<Event, BadEvent> {
    let mut event = stored(name);
    change(event.event.as_mut().unwrap());
    decode(&event.encode_to_vec(), Some(&rules()))
}

fn opened_changed(change: impl FnOnce(&mut wire::TableOpened)) -> Result<Event, BadEvent> {
    changed("opened/ranked", |event| match event {
        Stored::Opened(opened) => change(opened),
        _ => unreachable!(),
    })
}

fn acted_changed(action: Option<wire::action::Kind>) -> Result<Event, BadEvent> {
    changed("acted/play", |event| match event {
        Stored::ActionTaken(taken) => taken.action = Some(wire::Action { kind: action }),
        _ => unreachable!(),
    })
}

#[test]
fn a_log_of_a_later_format_is_refused() {
    assert!(opened_changed(|_| {}).is_ok());
    let later = opened_changed(|opened| opened.format = FORMAT + 1);
    assert_eq!(later, Err(BadEvent::Format(FORMAT + 1)));
}

#[test]
fn rules_of_another_version_are_refused() {
    for version in [0, 2, u32::MAX] {
        let other = opened_changed(|opened| opened.rules.as_mut().unwrap().version = version);
        assert!(matches!(other, Err(BadEvent::Rules(_))), "{version}");
    }
    let unknown = opened_changed(|opened| opened.rules.as_mut().unwrap().ruleset = "skat".into());
    assert!(matches!(unknown, Err(BadEvent::Rules(_))));
    let none = opened_changed(|opened| opened.rules = None);
    assert!(matches!(none, Err(BadEvent::Rules(_))));
}

#[test]
fn an_event_of_a_later_program_is_refused_and_not_skipped() {
    // Field 16 is the last that is known; this is field 17 with an empty message.
    let later = [0x8a, 0x01, 0x00];
    assert_eq!(decode(&later, Some(&rules())), Err(BadEvent::Message));
    assert_eq!(decode(&[], Some(&rules())), Err(BadEvent::Message));
}

#[test]
fn fields_out_of_range_are_refused() {
    let seat = changed("seat_freed", |event| match event {
        Stored::SeatFreed(freed) => freed.seat = 4,
        _ => unreachable!(),
    });
    assert_eq!(seat, Err(BadEvent::Field("seat")));
    let nonce = changed("seat_ready/player", |event| match event {
        Stored::SeatReady(ready) => ready.nonce.push(0),
        _ => unreachable!(),
    });
    assert_eq!(nonce, Err(BadEvent::Field("nonce")));
    let player = changed("seat_taken", |event| match event {
        Stored::SeatTaken(taken) => taken.player.as_mut().unwrap().id = "toni".into(),
        _ => unreachable!(),
    });
    assert_eq!(player, Err(BadEvent::Field("player id")));
    for seed in [vec![], vec![0; 31], vec![0; 33]] {
        let seed = opened_changed(|opened| opened.server_seed = seed);
        assert_eq!(seed, Err(BadEvent::Field("server seed")));
    }
    let id = opened_changed(|opened| opened.table_id = "one".into());
    assert_eq!(id, Err(BadEvent::Field("table id")));
    let time = opened_changed(|opened| opened.time_control = None);
    assert_eq!(time, Err(BadEvent::Field("time control")));
}

#[test]
fn actions_that_are_none_of_a_deal_are_refused() {
    use wire::action::Kind;
    for card in [0, 37, -1, i32::MAX, i32::MIN] {
        let play = acted_changed(Some(Kind::Play(wire::Play { card })));
        assert_eq!(play, Err(BadEvent::Field("card")));
    }
    let suit = acted_changed(Some(Kind::DeclareTrump(wire::DeclareTrump {
        suit: "spades".into(),
    })));
    assert_eq!(suit, Err(BadEvent::Field("suit")));
    let bid = acted_changed(Some(Kind::Bid(wire::Bid { bid: "67".into() })));
    assert_eq!(bid, Err(BadEvent::Field("bid")));
    let twice = wire::Discard {
        cards: vec![1, 1],
        count: 2,
    };
    let twice = acted_changed(Some(Kind::Discard(twice)));
    assert!(matches!(twice, Err(BadEvent::Field(_))));
    for action in [
        None,
        Some(Kind::Leave(wire::Leave {})),
        Some(Kind::Return(wire::Return {})),
    ] {
        assert_eq!(acted_changed(action), Err(BadEvent::Field("action")));
    }
}

#[test]
fn contracts_are_stored_by_name_so_their_bytes_need_the_tables_rules() {
    let golden = golden();
    let (_, bid) = golden
        .iter()
        .find(|(name, _)| *name == "acted/bid_116")
        .unwrap();
    assert!(bid.windows(3).any(|window| window == b"116"));
    assert_eq!(decode(bid, None), Err(BadEvent::Field("opening")));
}

#[test]
fn a_command_is_stored_with_its_event() {
    let (rules, event) = (rules(), Event::SeatFreed { seat: seat(2) });
    let command = Commanded {
        tag: CommandTag {
            key: 0x0102_0304_0506_0708,
            fingerprint: 0x090a_0b0c,
        },
        following: 2,
    };
    let bytes = encode_entry(&event, Some(command), &rules);
    let written = "1a0208028a010d0102030405060708090a0b0c02";
    assert_eq!(hex::encode(&bytes), written);
    let read = decode_entry(&bytes, Some(&rules));
    assert_eq!(read, Ok((event.clone(), Some(command))));
    assert_eq!(decode(&bytes, Some(&rules)), Ok(event));

    let mut short = wire::LogEvent::decode(&bytes[..]).unwrap();
    short.command.pop();
    let read = decode_entry(&short.encode_to_vec(), Some(&rules));
    assert_eq!(read, Err(BadEvent::Field("command")));
}
