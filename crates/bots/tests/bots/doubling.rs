//! That doubling and redoubling pay, over the same deals.

use bots::Level;
use rules::{DealEnd, Rules};

use crate::table::{Player, Random, deals, finish};

const DEALS: u32 = 600;

#[derive(Default)]
struct Mean {
    sum: u32,
    count: u32,
}

impl Mean {
    fn add(&mut self, points: u8) {
        self.sum += u32::from(points);
        self.count += 1;
    }

    fn points(&self) -> f64 {
        f64::from(self.sum) / f64::from(self.count)
    }
}

#[test]
fn declarers_make_less_when_doubled_and_more_than_half_when_they_redouble() {
    let rules = Rules::new("bauerntarock", 3, []).unwrap();
    let mut random = Random::new(31);
    let mut means: [Mean; 3] = Default::default();
    for mut deal in deals(rules, DEALS) {
        let end = finish(&mut deal, &mut random, |_| Player::Bot(Level::Standard));
        if let DealEnd::Played(outcome) = end {
            let doubling = deal.doubling();
            let times =
                usize::from(doubling.doubled_by.is_some()) + usize::from(doubling.redoubled);
            means[times].add(outcome.card_points.unwrap());
        }
    }
    let [alone, doubled, redoubled] = &means;
    let counts = means.each_ref().map(|mean| mean.count);
    let points = means.each_ref().map(Mean::points);
    println!("undoubled, doubled, redoubled: {counts:?}, card points {points:.1?}");
    assert!(
        doubled.count > DEALS / 20 && redoubled.count > DEALS / 60,
        "{counts:?}"
    );
    assert!(alone.count > DEALS / 2, "{counts:?}");
    assert!(doubled.points() < 60.0 && doubled.points() + 8.0 < alone.points());
    assert!(redoubled.points() > 61.0);
}
