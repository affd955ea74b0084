//! The listed actions are complete and sufficient: each is accepted, and nothing else is, save
//! to leave, which is always possible and never listed.

use rules::{Action, Card, CardSet, PACK, Seat, Suit};
use table::{Command, SeatAction, decide};

use crate::{
    kit::{Live, Rng, listed},
    replay::{play, random_table},
};

fn accepted(live: &Live, seat: Seat, action: &SeatAction) -> bool {
    let command = Command::Act {
        player: live.table.player(seat).unwrap().id,
        action: action.clone(),
    };
    decide(&live.table, &command, live.now_ms).is_ok()
}

/// Every action but the discards, of which there are too many.
fn others(live: &Live) -> Vec<SeatAction> {
    let rules = live.rules();
    let bids = rules.contracts().map(Action::Bid);
    let plays = (0..PACK).map(|i| Action::Play(Card::from_index(i).unwrap()));
    let announcements = rules.contracts().map(Action::Announce);
    let trumps = Suit::ALL.map(Action::DeclareTrump);
    let plain = [Action::Pass, Action::Hold, Action::Double, Action::Redouble];
    let in_deal = plain
        .into_iter()
        .chain(bids)
        .chain(announcements)
        .chain(trumps)
        .chain(plays);
    let about = [SeatAction::Ready(vec![1, 2, 3]), SeatAction::Return];
    about
        .into_iter()
        .chain(in_deal.map(SeatAction::Deal))
        .collect()
}

fn random_cards(rng: &mut Rng, from: CardSet, count: u64) -> CardSet {
    let cards: Vec<Card> = from.into_iter().collect();
    (0..count).map(|_| rng.pick(&cards)).collect()
}

#[test]
fn what_is_listed_is_accepted_and_what_is_not_is_refused() {
    let (mut states, mut discards) = (0, 0);
    for seed in 5_000..5_050 {
        let mut rng = Rng(seed);
        let mut live = random_table(&mut rng);
        let mut dice = Rng(!seed);
        play(&mut live, &mut rng, |live, _| {
            // The exchange is rare and has the most choices.
            let exchange = live
                .table
                .deal()
                .is_some_and(|d| d.phase() == rules::Phase::Exchange);
            if !exchange && dice.percent(70) {
                return;
            }
            for seat in live.rules().seats() {
                if live.table.player(seat).is_none() {
                    continue;
                }
                states += 1;
                let listed = listed(&live.view(seat).legal_actions, &live.rules());
                for action in &listed {
                    let discard = matches!(action, SeatAction::Deal(Action::Discard(_)));
                    if !discard || dice.percent(20) {
                        discards += usize::from(discard);
                        assert!(accepted(live, seat, action), "{action:?} is listed");
                    }
                }
                for action in others(live) {
                    let is_listed = listed.contains(&action);
                    assert_eq!(accepted(live, seat, &action), is_listed, "{action:?}");
                }
                for _ in 0..20 {
                    let from = live
                        .table
                        .deal()
                        .map_or(CardSet::FULL, |deal| deal.hand(seat));
                    let from = if from.is_empty() || dice.percent(20) {
                        CardSet::FULL
                    } else {
                        from
                    };
                    let count = 2 + dice.below(4);
                    let cards = random_cards(&mut dice, from, count);
                    let action = SeatAction::Deal(Action::Discard(cards));
                    let is_listed = listed.contains(&action);
                    assert_eq!(accepted(live, seat, &action), is_listed, "{action:?}");
                }
            }
        });
    }
    assert!(states > 2_000 && discards > 300, "{states} {discards}");
}

#[test]
fn a_player_can_leave_until_the_end_and_once() {
    for seed in 6_000..6_020 {
        let mut rng = Rng(seed);
        let mut live = random_table(&mut rng);
        play(&mut live, &mut rng, |live, _| {
            for seat in live.rules().seats() {
                if live.table.player(seat).is_some() {
                    let running = live.table.due_ms().is_some();
                    let left = live.state(seat).left;
                    assert_eq!(accepted(live, seat, &SeatAction::Leave), running && !left);
                }
            }
        });
    }
}
