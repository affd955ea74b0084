//! Promise 1: no byte about a card that a seat may not see is in what is sent to it, and the
//! server seed, from which all cards follow, is secret until the match has ended.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1::{TableKind, table_update::Kind};
use rules::{Action, CardSet, Seat};
use table::{Event, SeatAction, Table, card_to_wire, update, update_for, view};

use crate::{
    kit::{Live, Rng, player, request, seat},
    replay::{play, random_table},
    traverse::Told,
};

/// What each seat may know, by the rules of the game and not by the code under test: a seat's
/// own cards as dealt, cards played, the talon for the declarer who takes it up, and of a deal
/// that was played to the end everything.
#[derive(Default)]
struct MayKnow {
    running: BTreeMap<Seat, BTreeSet<i32>>,
    played: BTreeSet<i32>,
    talon: BTreeSet<i32>,
    past: BTreeMap<u32, BTreeSet<i32>>,
    deal: u32,
    ended: bool,
}

fn wire_set(cards: CardSet) -> BTreeSet<i32> {
    cards.map(card_to_wire).collect()
}

/// The contracts whose declarer takes up the talon begin so.
const TAKE_TALON: [&str; 4] = ["look_in", "dobbm", "pickup:", "herz_neischaugn"];

impl MayKnow {
    fn take(&mut self, after: &Table, event: &Event) {
        match event {
            Event::DealStarted { number, .. } => {
                let deal = after.deal().unwrap();
                let hand = |seat| (seat, wire_set(deal.hand(seat)));
                self.running = after.rules().seats().map(hand).collect();
                self.talon = wire_set(deal.talon());
                self.deal = *number;
            }
            Event::Acted { action, .. } => match action {
                Action::Play(card) => {
                    self.played.insert(card_to_wire(*card));
                }
                Action::Pass | Action::Bid(_) | Action::Announce(_) => {
                    let declared = after.deal().unwrap().declaration();
                    if let Some(declared) = declared
                        && TAKE_TALON.iter().any(|name| {
                            after
                                .rules()
                                .contract(declared.contract)
                                .name
                                .starts_with(name)
                        })
                    {
                        let known = self.running.get_mut(&declared.declarer).unwrap();
                        known.extend(&self.talon);
                    }
                }
                _ => {}
            },
            Event::DealScored(score) => {
                let known = if score.declarer.is_some() {
                    wire_set(CardSet::FULL)
                } else {
                    BTreeSet::new()
                };
                self.past.insert(self.deal, known);
                self.running.clear();
                self.played.clear();
            }
            Event::MatchEnded(_) => self.ended = true,
            _ => {}
        }
    }

    fn check(&self, seat: Option<Seat>, told: &Told, seed: &[u8]) {
        let nothing = BTreeSet::new();
        let known = seat
            .and_then(|seat| self.running.get(&seat))
            .unwrap_or(&nothing);
        for card in &told.cards {
            assert!(
                known.contains(card) || self.played.contains(card),
                "card {card} told to {seat:?}: {told:?}"
            );
        }
        for (deal, card) in &told.past {
            assert!(
                self.past[deal].contains(card),
                "card {card} of deal {deal} told"
            );
        }
        assert!(
            told.seed.is_empty() || (self.ended && told.seed == seed),
            "the server seed was told"
        );
    }
}

#[test]
fn nothing_sent_to_a_seat_tells_a_card_that_it_may_not_know() {
    let (mut cards, mut past) = (0, 0);
    for seed in 1_000..1_100 {
        let mut rng = Rng(seed);
        let mut live = random_table(&mut rng);
        let mut may_know = MayKnow::default();
        let mut follower: Option<Table> = None;
        play(&mut live, &mut rng, |live, length| {
            for entry in &live.log[length..] {
                let after = match follower.take() {
                    None => Table::open(entry.version, entry.at_ms, &entry.event).unwrap(),
                    Some(mut table) => {
                        table
                            .evolve(entry.version, entry.at_ms, &entry.event)
                            .unwrap();
                        table
                    }
                };
                may_know.take(&after, &entry.event);
                let seats = after.rules().seats().map(Some).chain([None]);
                for seat in seats {
                    let update = update(&after, &entry.event, seat, entry.at_ms);
                    assert_eq!((update.version, update.at_ms), (entry.version, entry.at_ms));
                    let told = Told::by_update(&update);
                    let ended = matches!(update.kind, Some(Kind::MatchEnded(_)));
                    assert_eq!(!told.seed.is_empty(), ended);
                    may_know.check(seat, &told, &after.setup().server_seed);
                    past += told.past.len();
                }
                follower = Some(after);
            }
            for seat in live.rules().seats() {
                if live.table.player(seat).is_some() {
                    let told = Told::by_view(&live.view(seat));
                    assert_eq!(!told.seed.is_empty(), may_know.ended);
                    may_know.check(Some(seat), &told, &live.table.setup().server_seed);
                    cards += told.cards.len();
                }
            }
        });
    }
    assert!(cards > 40_000 && past > 600, "{cards} {past}");
}

#[test]
fn a_view_tells_a_seat_its_hand_and_the_declarer_the_talon_and_the_discards() {
    for seed in 0..20 {
        let mut live = Live::open(&request(TableKind::Casual, "pppp", &[]), seed);
        live.all_ready();
        let dealt = *live.table.deal().unwrap();
        for seat in live.rules().seats() {
            let deal = live.view(seat).deal.unwrap();
            let hand: BTreeSet<i32> = deal.hand.into_iter().collect();
            assert_eq!(hand, wire_set(dealt.hand(seat)));
            assert!(deal.talon.is_empty() && deal.discards.is_empty());
        }
        let declarer = live.turn();
        let look_in = live.rules().contract_named("look_in").unwrap();
        live.act(declarer, SeatAction::Deal(Action::Bid(look_in)))
            .unwrap();
        for _ in 0..3 {
            live.act(live.turn(), SeatAction::Deal(Action::Pass))
                .unwrap();
        }
        let laid_off: CardSet = dealt.hand(declarer).take(4).collect();
        live.act(declarer, SeatAction::Deal(Action::Discard(laid_off)))
            .unwrap();
        for seat in live.rules().seats() {
            let deal = live.view(seat).deal.unwrap();
            let sees: [BTreeSet<i32>; 2] =
                [deal.talon, deal.discards].map(|cards| cards.into_iter().collect());
            let expected = if seat == declarer {
                [dealt.talon(), laid_off].map(wire_set)
            } else {
                [BTreeSet::new(), BTreeSet::new()]
            };
            assert_eq!(sees, expected);
        }
    }
}

#[test]
fn a_discard_is_shown_to_others_as_a_number() {
    let mut live = Live::started(TableKind::Casual, "ppp", &[]);
    let declarer = live.turn();
    let look_in = live.rules().contract_named("look_in").unwrap();
    live.act(declarer, SeatAction::Deal(Action::Bid(look_in)))
        .unwrap();
    live.act(live.turn(), SeatAction::Deal(Action::Pass))
        .unwrap();
    live.act(live.turn(), SeatAction::Deal(Action::Pass))
        .unwrap();
    let events = live.act_on();
    for seat in live.rules().seats() {
        let update = update(&live.table, &events[0], Some(seat), 0);
        let Some(Kind::Action(acted)) = update.kind else {
            panic!("an action");
        };
        let Some(proto::v1::action::Kind::Discard(discard)) = acted.action.unwrap().kind else {
            panic!("a discard");
        };
        let cards = if seat == declarer { 3 } else { 0 };
        assert_eq!((discard.cards.len(), discard.count), (cards, 3));
    }
}

#[test]
fn who_does_not_sit_at_a_table_has_no_view_of_it() {
    let mut live = Live::open(&request(TableKind::Private, "pp..", &[]), 1);
    assert_eq!(view(&live.table, player(2).id, 0), None);
    live.submit(&table::Command::TakeSeat(player(2))).unwrap();
    assert!(view(&live.table, player(2).id, 0).is_some());
    live.act(seat(2), SeatAction::Leave).unwrap();
    assert_eq!(view(&live.table, player(2).id, 0), None);
}

#[test]
fn who_left_a_seat_is_not_shown_the_cards_of_the_next_player() {
    let mut live = Live::open(&request(TableKind::Private, "pp.", &[]), 1);
    live.submit(&table::Command::TakeSeat(player(2))).unwrap();
    live.act(seat(2), SeatAction::Leave).unwrap();
    live.submit(&table::Command::TakeSeat(player(5))).unwrap();
    live.all_ready();
    let started = live.log.last().unwrap();
    let hand = |n: usize| {
        let update = update_for(&live.table, &started.event, player(n).id, started.at_ms);
        Told::by_update(&update).cards.len()
    };
    assert_eq!((hand(5), hand(2)), (11, 0));
}

#[test]
fn the_invite_code_is_shown_only_while_a_seat_is_open() {
    let mut live = Live::open(&request(TableKind::Private, "pp.", &[]), 1);
    let code = |live: &Live| live.view(seat(0)).invite_code;
    assert_eq!(code(&live), "K7QMXP");
    live.submit(&table::Command::TakeSeat(player(2))).unwrap();
    assert_eq!(code(&live), "");
    live.all_ready();
    assert_eq!(code(&live), "");
}

#[test]
fn the_debug_text_of_a_table_tells_no_cards_and_no_seed() {
    let live = Live::started(TableKind::Casual, "pppp", &[]);
    let text = format!(
        "{:?} {:?} {:?}",
        live.table,
        live.table.setup(),
        live.log[0].event
    );
    assert!(
        text.len() < 1_500 && !text.contains("hand") && !text.contains("seed"),
        "{text}"
    );
}
