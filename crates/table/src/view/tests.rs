//! Two tables that differ only in cards that a seat cannot know look the same to it.

use proto::v1::{self as wire, OpenTableRequest, TableKind, occupant};
use rules::{Action, Card, CardSet, Deal, Deck, PACK, Phase, Seat, Shuffle};
use uuid::Uuid;

use super::view;
use crate::{Command, Event, SeatAction, Table, decide, state::Stage, update};

const NOW_MS: i64 = 1_800_000_000_000;

fn player_id(seat: Seat) -> Uuid {
    Uuid::from_u128(1 + u128::from(seat.number()))
}

fn act(table: &Table, seat: Seat, action: SeatAction) -> (Table, Vec<Event>) {
    let player = player_id(seat);
    let decision = decide(table, &Command::Act { player, action }, NOW_MS).unwrap();
    (decision.table, decision.events)
}

/// A table of people whose first deal has started.
fn started(players: u8, seed: u8) -> Table {
    let person = |seat: Seat| wire::Occupant {
        kind: Some(occupant::Kind::Player(wire::Player {
            id: player_id(seat).to_string(),
            name: String::new(),
        })),
    };
    let request = OpenTableRequest {
        table_id: Uuid::nil().to_string(),
        kind: TableKind::Casual.into(),
        rules: Some(wire::Rules {
            ruleset: "brixental".to_owned(),
            players: players.into(),
            ..wire::Rules::default()
        }),
        seats: Seat::all(players).map(person).collect(),
        ..OpenTableRequest::default()
    };
    let opening = Event::opening(&request, [seed; 32]).unwrap();
    let table = Table::open(1, NOW_MS, &opening).unwrap();
    Seat::all(players).fold(table, |table, seat| {
        act(&table, seat, SeatAction::Ready(Vec::new())).0
    })
}

/// The cards that a seat cannot know, by the rules of the game.
fn hidden_from(seat: Seat, deal: &Deal, dealt: &Deal) -> CardSet {
    let played: CardSet = deal.tricks().cards().iter().copied().collect();
    let mut known = dealt.hand(seat).union(played);
    if let Some(declared) = deal.declaration()
        && declared.declarer == seat
        && deal.rules().contract(declared.contract).takes_talon
    {
        known = known.union(deal.talon());
    }
    CardSet::FULL.difference(known)
}

fn swapped(a: Card, b: Card) -> impl Fn(Card) -> Card {
    move |card| match card {
        _ if card == a => b,
        _ if card == b => a,
        _ => card,
    }
}

/// The table with two cards exchanged from the deal on; `None` when it could not have come to
/// this then, for somebody would have had to play otherwise.
fn with_swapped(table: &Table, history: &[Action], a: Card, b: Card) -> Option<Table> {
    let Stage::Deal(deal) = &table.stage else {
        return None;
    };
    let swap = swapped(a, b);
    let shuffle: Shuffle = table.shuffle()?;
    let mut order: [Card; PACK] = *shuffle.deck(1).cards();
    order.iter_mut().for_each(|card| *card = swap(*card));
    let mut other = Deal::new(*deal.rules(), deal.dealer(), &Deck::from_order(order)?);
    for action in history {
        let action = match *action {
            Action::Discard(cards) => Action::Discard(cards.map(&swap).collect()),
            action => action,
        };
        other.apply(action).ok()?;
    }
    let mut table = table.clone();
    table.stage = Stage::Deal(Box::new(other));
    Some(table)
}

/// A legal action, with a bid now and then.
fn some_action(deal: &Deal, dice: &mut u64) -> Action {
    *dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    let roll = (*dice >> 33) as usize;
    let actions = deal.legal().actions();
    match deal.phase() {
        Phase::Auction if roll.is_multiple_of(3) => actions[1.min(actions.len() - 1)],
        Phase::Auction => actions[0],
        _ => actions[roll % actions.len()],
    }
}

#[test]
fn tables_that_differ_only_in_hidden_cards_look_the_same() {
    let (mut swaps, mut in_play) = (0, 0);
    for seed in 0..24 {
        let players = 3 + seed % 2;
        let mut table = started(players, seed);
        let dealt = *table.deal().unwrap();
        let mut history: Vec<Action> = Vec::new();
        let mut dice = u64::from(seed) + 1;
        let mut last: Option<Event> = None;
        while let Some(deal) = table.deal().copied() {
            for seat in Seat::all(players) {
                let hidden: Vec<Card> = hidden_from(seat, &deal, &dealt).collect();
                let pairs = hidden.iter().zip(hidden.iter().rev());
                for (&a, &b) in pairs.filter(|(a, b)| a < b) {
                    let Some(other) = with_swapped(&table, &history, a, b) else {
                        continue;
                    };
                    swaps += 1;
                    in_play += usize::from(deal.phase() == Phase::Play);
                    let views = [&table, &other].map(|t| view(t, player_id(seat), NOW_MS));
                    assert_eq!(views[0], views[1], "{a} for {b}");
                    if let Some(event) = &last {
                        let updates = [
                            update(&table, event, Some(seat), NOW_MS),
                            update(&other, &with_cards(event, a, b), Some(seat), NOW_MS),
                        ];
                        assert_eq!(updates[0], updates[1], "{a} for {b}");
                    }
                }
            }
            let action = some_action(&deal, &mut dice);
            let (after, mut events) = act(&table, deal.turn().unwrap(), SeatAction::Deal(action));
            table = after;
            history.push(action);
            last = Some(events.swap_remove(0));
        }
    }
    assert!(swaps > 2_000 && in_play > 500, "{swaps} {in_play}");
}

/// The event, had two cards been exchanged.
fn with_cards(event: &Event, a: Card, b: Card) -> Event {
    match event {
        Event::Acted {
            seat,
            action: Action::Discard(cards),
            by,
        } => Event::Acted {
            seat: *seat,
            action: Action::Discard(cards.map(swapped(a, b)).collect()),
            by: *by,
        },
        other => other.clone(),
    }
}
