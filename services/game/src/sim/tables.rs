//! The tables of a simulated world: who sits there, what is played, and by which clock.

use std::collections::BTreeMap;

use proto::v1::{
    self as wire, Bot, Occupant, OpenTableRequest, Player, TableKind, TimeControl, occupant,
};
use rules::{OptionKey, RULE_SETS};
use table::Event;
use uuid::Uuid;

use super::world::World;

/// A table to be opened.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) id: Uuid,
    pub(super) opening: Event,
    /// Who sits there from the beginning.
    pub(super) people: Vec<Uuid>,
    /// Who wants to sit down on the open seats.
    pub(super) guests: Vec<Uuid>,
    /// Nobody stays for long.
    pub(super) brief: bool,
}

/// An id as of now, of version 7.
fn uuid(world: &World) -> Uuid {
    let now_ms = u64::try_from(world.now_ms()).unwrap_or(0);
    let random: [u8; 10] = std::array::from_fn(|_| world.rng().u8(..));
    uuid::Builder::from_unix_timestamp_millis(now_ms, &random).into_uuid()
}

fn person(id: Uuid) -> occupant::Kind {
    occupant::Kind::Player(Player {
        id: id.to_string(),
        name: super::world::short(id),
    })
}

fn between(world: &World, range: std::ops::Range<u64>) -> u32 {
    u32::try_from(world.pick(range)).unwrap_or(u32::MAX)
}

fn time_control(world: &World) -> TimeControl {
    TimeControl {
        move_ms: between(world, 1_000..6_000),
        bank_ms: between(world, 0..10_000),
        pause_ms: [0, 300, 1_500][world.pick(0..3) as usize],
        bot_ms: between(world, 0..300),
    }
}

fn option_value(world: &World, key: OptionKey) -> Option<&'static str> {
    let values: &[&'static str] = match key {
        OptionKey::Length | OptionKey::LengthInRounds | OptionKey::MaxRounds => return None,
        OptionKey::MaxThrownIn | OptionKey::MatschFactor | OptionKey::Stake => &["1", "2"],
        OptionKey::DiscardFrom => &["original_hand", "any"],
        OptionKey::Spatz | OptionKey::SpatzMultiplied | OptionKey::Doubling => &["true", "false"],
        OptionKey::PickupTrump => &["any", "hearts"],
        OptionKey::PayFrom => &["pocket", "pot"],
    };
    let value = values[world.pick(0..values.len() as u64) as usize];
    world.chance(300).then_some(value)
}

impl Plan {
    /// A table as the seed has it.
    pub(super) fn new(world: &World) -> Self {
        let rule_set = RULE_SETS[world.pick(0..RULE_SETS.len() as u64) as usize];
        let sizes = rule_set.packets;
        let players = sizes[world.pick(0..sizes.len() as u64) as usize].0;
        let id = uuid(world);
        let kind = match world.pick(0..3) {
            0 => TableKind::Ranked,
            1 => TableKind::Casual,
            _ => TableKind::Private,
        };
        let mut people = vec![uuid(world)];
        let mut guests = Vec::new();
        let mut seats = vec![Some(person(people[0]))];
        for _ in 1..players {
            let bot = kind != TableKind::Ranked && world.chance(300);
            let open = kind == TableKind::Private && world.chance(300);
            seats.push(if bot {
                Some(occupant::Kind::Bot(Bot {
                    level: "standard".to_owned(),
                }))
            } else if open {
                guests.push(uuid(world));
                None
            } else {
                people.push(uuid(world));
                people.last().copied().map(person)
            });
        }
        let mut options: BTreeMap<String, String> = BTreeMap::new();
        for key in rule_set.options {
            if let Some(value) = option_value(world, *key) {
                options.insert(key.name().to_owned(), value.to_owned());
            }
        }
        let length = BTreeMap::from([("length".to_owned(), "rounds(1)".to_owned())]);
        let ladder = if kind == TableKind::Ranked {
            rule_set.id
        } else {
            ""
        };
        let mut request = OpenTableRequest {
            table_id: id.to_string(),
            kind: kind.into(),
            rules: Some(wire::Rules {
                ruleset: rule_set.id.to_owned(),
                version: 0,
                players: players.into(),
                options: options.into_iter().chain(length.clone()).collect(),
            }),
            time_control: Some(time_control(world)),
            seats: seats.into_iter().map(|kind| Occupant { kind }).collect(),
            ladder: ladder.to_owned(),
            ..OpenTableRequest::default()
        };
        let seed: [u8; rules::SEED_BYTES] = std::array::from_fn(|_| world.rng().u8(..));
        let opening = Event::opening(&request, seed).or_else(|_| {
            // These options do not go together.
            if let Some(rules) = &mut request.rules {
                rules.options = length;
            }
            Event::opening(&request, seed)
        });
        Self {
            id,
            opening: opening.expect("a table that can be opened"),
            people,
            guests,
            brief: world.chance(600),
        }
    }
}
