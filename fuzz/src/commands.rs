//! Bytes as commands to a table of any game.

use proto::v1::{OpenTableRequest, TableKind, TimeControl, occupant};
use rules::{Action, Card, CardSet, DiscardChoice, Legal, OptionKey, PACK, RULE_SETS, Suit};
use table::{
    Chore, Command, Event, Player, SeatAction, Table, decide, decode, encode, update_for, view,
};
use uuid::Uuid;

use crate::bytes::Bytes;

/// Opens a table by the first bytes and takes the others as commands.
///
/// # Panics
/// When the table does what it must not: that is what the fuzzer looks for.
pub fn commands(data: &[u8]) {
    let mut bytes = Bytes(data);
    let Some((mut table, mut now_ms)) = open(&mut bytes) else {
        return;
    };
    while let Some(command) = command(&mut bytes, &table, &mut now_ms) {
        submit(&mut table, &command, now_ms);
    }
}

fn player(n: u8) -> Uuid {
    Uuid::from_u128(u128::from(n) + 1)
}

/// A table where as many people sit as the bytes say, and bots on the other seats.
fn open(bytes: &mut Bytes<'_>) -> Option<(Table, i64)> {
    let set = bytes.pick(RULE_SETS)?;
    let numbers: Vec<u8> = set.players().collect();
    let players = bytes.pick(&numbers)?;
    let mut options = Vec::new();
    for key in set.options {
        options.push((key.name().to_owned(), option(*key, bytes)?.to_owned()));
    }
    let people = bytes.next()?;
    let seat = |n: u8| {
        let kind = if n == 0 || people >> n & 1 == 1 {
            occupant::Kind::Player(proto::v1::Player {
                id: player(n).to_string(),
                name: format!("Player {n}"),
            })
        } else {
            occupant::Kind::Bot(proto::v1::Bot {
                level: "standard".to_owned(),
            })
        };
        proto::v1::Occupant { kind: Some(kind) }
    };
    let request = OpenTableRequest {
        table_id: Uuid::from_u128(1 << 64).to_string(),
        kind: TableKind::Casual.into(),
        rules: Some(proto::v1::Rules {
            ruleset: set.id.to_owned(),
            version: 0,
            players: players.into(),
            options: options.into_iter().collect(),
        }),
        time_control: Some(TimeControl {
            move_ms: 1_000,
            bank_ms: 1_000,
            pause_ms: u32::from(bytes.next()?) & 1,
            bot_ms: 0,
        }),
        seats: (0..players).map(seat).collect(),
        ..OpenTableRequest::default()
    };
    // Options that do not go together are refused.
    let opening = Event::opening(&request, [bytes.next()?; 32]).ok()?;
    let table = Table::open(1, 0, &opening).expect("an opening opens a table");
    Some((table, 0))
}

fn option(key: OptionKey, bytes: &mut Bytes<'_>) -> Option<&'static str> {
    bytes.pick(match key {
        OptionKey::Length => &["rounds(1)", "points(1)", "rounds(100)"],
        OptionKey::LengthInRounds => &["rounds(1)", "rounds(100)"],
        OptionKey::DiscardFrom => &["original_hand", "any"],
        OptionKey::PickupTrump => &["any", "hearts"],
        OptionKey::PayFrom => &["pocket", "pot"],
        OptionKey::Spatz | OptionKey::SpatzMultiplied | OptionKey::Doubling => &["true", "false"],
        OptionKey::MaxRounds
        | OptionKey::MaxThrownIn
        | OptionKey::MatschFactor
        | OptionKey::Stake => &["1", "2", "5"],
    })
}

fn command(bytes: &mut Bytes<'_>, table: &Table, now_ms: &mut i64) -> Option<Command> {
    let kind = bytes.next()?;
    let act = |seat: u8, action| Command::Act {
        player: player(seat),
        action,
    };
    Some(match kind % 16 {
        // Mostly what helps the deal on, so that fuzzing gets beyond the auction.
        0..9 => match table
            .deal()
            .and_then(|deal| Some((deal.turn()?, deal.legal())))
        {
            Some((turn, legal)) => {
                let action = listed(legal, bytes.next()?);
                act(turn.number(), SeatAction::Deal(action?))
            }
            None => act(kind / 16 % 4, SeatAction::Ready(bytes.record()?.to_vec())),
        },
        9 | 10 => act(kind / 16 % 4, SeatAction::Deal(any_action(bytes, table)?)),
        11 => {
            *now_ms = now_ms.saturating_add(i64::from(bytes.next()?) * 100);
            Command::Wake
        }
        12 => {
            *now_ms = table.due_ms().unwrap_or(*now_ms).max(*now_ms);
            Command::Wake
        }
        13 => act(kind / 16 % 4, SeatAction::Return),
        14 if kind > 240 => act(kind % 4, SeatAction::Leave),
        14 => Command::TakeSeat(Player {
            id: player(kind / 16),
            name: "Late".to_owned(),
        }),
        _ => match table.chore() {
            Some(Chore::ArchiveDeal { number, .. }) => Command::DealArchived(number),
            Some(Chore::ArchiveMatch { .. }) => Command::MatchArchived,
            Some(Chore::Rate) => Command::Rated(Vec::new()),
            Some(Chore::Expire) | None => Command::DealArchived(kind.into()),
        },
    })
}

/// One of the legal actions.
fn listed(legal: Legal, choice: u8) -> Option<Action> {
    let actions = legal.actions();
    actions
        .get(usize::from(choice) % actions.len().max(1))
        .copied()
}

/// Any action at all.
fn any_action(bytes: &mut Bytes<'_>, table: &Table) -> Option<Action> {
    let contracts: Vec<_> = table.rules().contracts().collect();
    let card = |bytes: &mut Bytes<'_>| Card::from_index(usize::from(bytes.next()?) % PACK);
    Some(match bytes.next()? % 10 {
        0 => Action::Pass,
        1 => Action::Bid(bytes.pick(&contracts)?),
        2 => Action::Hold,
        3 => Action::Announce(bytes.pick(&contracts)?),
        4 => {
            let cards: CardSet = (0..bytes.next()? % 6).filter_map(|_| card(bytes)).collect();
            Action::Discard(cards)
        }
        5 => Action::DeclareTrump(bytes.pick(&Suit::ALL)?),
        6 => Action::Double,
        7 => Action::Redouble,
        8 => {
            // A contract of a longer ladder: another game's.
            let longest = RULE_SETS.iter().max_by_key(|set| set.contracts.len())?;
            let players = longest.players().next()?;
            let rules = rules::Rules::new(longest.id, players, []).ok()?;
            let contracts: Vec<_> = rules.contracts().collect();
            Action::Bid(bytes.pick(&contracts)?)
        }
        _ => Action::Play(card(bytes)?),
    })
}

fn submit(table: &mut Table, command: &Command, now_ms: i64) {
    let Ok(decision) = decide(table, command, now_ms) else {
        return;
    };
    if let Command::Act {
        action: SeatAction::Deal(action),
        ..
    } = command
    {
        assert_allowed(table, *action);
    }
    let rules = *table.rules();
    for event in &decision.events {
        let stored = decode(&encode(event, &rules), Some(&rules)).expect("what is stored is read");
        assert_eq!(&stored, event);
        table
            .evolve(table.version() + 1, now_ms, &stored)
            .expect("what was decided can follow");
        for seat in rules.seats() {
            if let Some(player) = table.player(seat) {
                let _ = update_for(table, event, player.id, now_ms);
            }
        }
    }
    assert!(
        *table == decision.table,
        "the decision promised another state"
    );
    assert_balanced(table, now_ms);
}

/// An accepted action is one that the rules list.
fn assert_allowed(table: &Table, action: Action) {
    let legal = table.deal().expect("a deal runs").legal();
    let allowed = match (legal, action) {
        (Legal::Discard(choice), Action::Discard(cards)) => is_choice(choice, cards),
        (legal, action) => legal.actions().contains(&action),
    };
    assert!(allowed, "{action:?} was accepted, {legal:?} is legal");
}

fn is_choice(choice: DiscardChoice, cards: CardSet) -> bool {
    let fits = cards.len() == usize::from(choice.count) && choice.from.includes(cards);
    fits && choice.covers_aces(cards)
}

/// In a game with a pot, scores and pot add up to zero at every moment.
fn assert_balanced(table: &Table, now_ms: i64) {
    let Some(seat) = table
        .rules()
        .seats()
        .find(|&seat| table.player(seat).is_some())
    else {
        return;
    };
    let player = table.player(seat).map_or(Uuid::nil(), |player| player.id);
    let view = view(table, player, now_ms).expect("who sits there sees the table");
    let scores: i32 = view.seats.iter().map(|seat| seat.score).sum();
    if table.rules().has_pot() {
        assert_eq!(scores + view.pot.unwrap_or(0), 0);
    }
}
