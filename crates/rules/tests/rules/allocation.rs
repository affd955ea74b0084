//! A deal allocates nothing: searches play millions of them.

use allocation_counter::measure;
use rules::Action;

use crate::{
    games::TABLES,
    kit::{Record, Rng},
};

#[test]
fn a_deal_allocates_nothing_from_the_first_card_dealt_to_its_score() {
    let mut rng = Rng::new(800);
    for (id, players) in TABLES {
        for _ in 0..30 {
            let rules = rng.rules_of(id, players);
            let record = Record::random(&mut rng, rules);
            let info = measure(|| {
                let mut deal = record.start();
                for &action in &record.actions {
                    if let Action::Play(card) = action {
                        assert!(deal.playable().contains(card));
                    }
                    assert!(deal.apply(action).is_ok());
                }
                assert!(deal.end().is_some());
            });
            assert_eq!(info.count_total, 0);
        }
    }
}

#[test]
fn the_counter_counts() {
    let info = measure(|| drop(std::hint::black_box(vec![1_u8])));
    assert_eq!(info.count_total, 1);
}
