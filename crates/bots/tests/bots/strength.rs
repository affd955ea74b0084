//! How well the bots play every game, as ratios over the same deals.

use bots::Level;
use rules::{BySeat, Deal, DealEnd, DealOutcome, Rules, Seat};

use crate::table::{Player, Random, deals, finish, play, tables};

const STANDARD: Player = Player::Bot(Level::Standard);
const DEALS: u32 = 240;
/// Ratios between bots and random players are far apart, so that fewer will do.
const SOME_DEALS: u32 = 100;
/// What is in the pot of the games that have one.
const POT: i32 = 30;

/// The average card points of declarers whom bots chose and play, against these defenders.
fn declarers_points(rules: Rules, defender: Player) -> f64 {
    let mut random = Random::new(11);
    let (mut points, mut played) = (0, 0);
    for mut deal in deals(rules, SOME_DEALS) {
        let declared = |deal: &Deal| deal.declaration().is_some();
        play(&mut deal, &mut random, declared, |_| STANDARD);
        let declarer = deal.declaration().map(|declared| declared.declarer);
        let end = finish(&mut deal, &mut random, |seat| {
            if declarer == Some(seat) {
                STANDARD
            } else {
                defender
            }
        });
        if let DealEnd::Played(DealOutcome {
            card_points: Some(made),
            ..
        }) = end
        {
            points += u32::from(made);
            played += 1;
        }
    }
    f64::from(points) / f64::from(played)
}

#[test]
fn standard_defenders_hold_a_declarer_lower_than_random_ones() {
    for rules in tables() {
        let standard = declarers_points(rules, STANDARD);
        let random = declarers_points(rules, Player::Random);
        let game = (rules.set().id, rules.players());
        println!("{game:?}: declarer's points {standard:.1}, random defenders {random:.1}");
        assert!(standard + 8.0 < random, "{game:?}: {standard} {random}");
    }
}

/// The average points of a seat in a deal, by who sits where.
fn points_per_deal(rules: Rules, player: impl Fn(Seat) -> Player) -> BySeat<f64> {
    let mut random = Random::new(12);
    let mut total = BySeat::<f64>::default();
    for mut deal in deals(rules, SOME_DEALS) {
        if let DealEnd::Played(outcome) = finish(&mut deal, &mut random, &player) {
            let points = outcome.pay(rules.players(), POT).points;
            for seat in rules.seats() {
                total[seat] += f64::from(points[seat]) / f64::from(SOME_DEALS);
            }
        }
    }
    total
}

#[test]
fn a_standard_player_gains_among_random_ones() {
    for rules in tables() {
        let bot = Seat::default();
        let mixed = points_per_deal(rules, |seat| {
            if seat == bot {
                STANDARD
            } else {
                Player::Random
            }
        });
        let all_random = points_per_deal(rules, |_| Player::Random);
        let game = (rules.set().id, rules.players());
        println!("{game:?}: {mixed:?} all random: {all_random:?}");
        let others = rules.seats().skip(1).map(|seat| mixed[seat]);
        assert!(mixed[bot] > 0.0, "{game:?}");
        assert!(mixed[bot] > others.fold(f64::MIN, f64::max), "{game:?}");
        assert!(mixed[bot] > all_random[bot] + 1.0, "{game:?}");
    }
}

/// How many, and how many of them were made.
#[derive(Clone, Copy, Default)]
struct Count {
    played: u32,
    made: u32,
}

impl Count {
    fn add(&mut self, outcome: &DealOutcome) {
        self.played += 1;
        self.made += u32::from(outcome.made);
    }

    fn made(self) -> f64 {
        f64::from(self.made) / f64::from(self.played)
    }
}

#[test]
fn most_deals_find_a_declarer_who_mostly_makes_the_contract() {
    for rules in tables() {
        let mut random = Random::new(13);
        let (mut all, mut with_talon, mut hand) = Default::default();
        for mut deal in deals(rules, DEALS) {
            if let DealEnd::Played(outcome) = finish(&mut deal, &mut random, |_| STANDARD) {
                let contract = rules.contract(outcome.declaration.contract);
                let of_kind: &mut Count = if contract.takes_talon {
                    &mut with_talon
                } else {
                    &mut hand
                };
                of_kind.add(&outcome);
                Count::add(&mut all, &outcome);
            }
        }
        let found = f64::from(all.played) / f64::from(DEALS);
        let (made, looked_in, by_hand) = (all.made(), with_talon.made(), hand.made());
        let game = format!("{} {}", rules.set().id, rules.players());
        let options: Vec<_> = rules.option_values().collect();
        println!(
            "{game}: declarer {found:.2}, made {made:.2}; {} with the talon, made {looked_in:.2}; \
             {} without, made {by_hand:.2}; {options:?}",
            with_talon.played, hand.played
        );
        assert!(found > 0.5, "{game}: {found}");
        assert!((0.5..0.8).contains(&made), "{game}: {made}");
        assert!((0.5..0.8).contains(&looked_in), "{game}: {looked_in}");
        assert!((0.5..0.9).contains(&by_hand), "{game}: {by_hand}");
        assert!(with_talon.played > DEALS / 20, "{game}");
        assert!(hand.played > DEALS / 20, "{game}");
    }
}
