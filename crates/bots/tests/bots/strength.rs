//! How well the bots play, as ratios over the same deals.

use bots::Level;
use rules::{BySeat, DealEnd, Phase, Rules, Seat};

use crate::table::{Player, Random, deals, finish, play};

const STANDARD: Player = Player::Bot(Level::Standard);
const DEALS: u32 = 2_000;

fn rules(players: u8) -> Rules {
    Rules::new("brixental", players, []).unwrap()
}

/// The average card points of declarers whom bots chose and play, against these defenders.
fn declarers_points(rules: Rules, defender: Player) -> f64 {
    let mut random = Random::new(11);
    let (mut points, mut played) = (0, 0);
    for mut deal in deals(rules, DEALS) {
        play(
            &mut deal,
            &mut random,
            |deal| deal.phase() != Phase::Auction,
            |_| STANDARD,
        );
        let declarer = deal.declaration().map(|declared| declared.declarer);
        let end = finish(&mut deal, &mut random, |seat| {
            if declarer == Some(seat) {
                STANDARD
            } else {
                defender
            }
        });
        if let DealEnd::Played(outcome) = end {
            points += outcome.card_points.map_or(0, u32::from);
            played += 1;
        }
    }
    f64::from(points) / f64::from(played)
}

#[test]
fn standard_defenders_hold_a_declarer_lower_than_random_ones() {
    for players in [3, 4] {
        let standard = declarers_points(rules(players), STANDARD);
        let random = declarers_points(rules(players), Player::Random);
        println!(
            "{players} players: declarer's points {standard:.1}, random defenders {random:.1}"
        );
        assert!(standard + 8.0 < random, "{players}: {standard} {random}");
    }
}

/// The average points of a seat in a deal, by who sits where.
fn points_per_deal(rules: Rules, player: impl Fn(Seat) -> Player) -> BySeat<f64> {
    let mut random = Random::new(12);
    let mut total = BySeat::<f64>::default();
    for mut deal in deals(rules, DEALS) {
        if let DealEnd::Played(outcome) = finish(&mut deal, &mut random, &player) {
            let points = outcome.pay(rules.players(), 0).points;
            for seat in rules.seats() {
                total[seat] += f64::from(points[seat]) / f64::from(DEALS);
            }
        }
    }
    total
}

#[test]
fn a_standard_player_gains_among_random_ones() {
    for players in [3, 4] {
        let rules = rules(players);
        let bot = Seat::default();
        let mixed = points_per_deal(rules, |seat| {
            if seat == bot {
                STANDARD
            } else {
                Player::Random
            }
        });
        let all_random = points_per_deal(rules, |_| Player::Random);
        println!("{players} players: {mixed:?} all random: {all_random:?}");
        let best_random = rules
            .seats()
            .skip(1)
            .map(|seat| mixed[seat])
            .fold(f64::MIN, f64::max);
        assert!(mixed[bot] > 0.0);
        assert!(mixed[bot] > best_random + 10.0);
        assert!(mixed[bot] > all_random[bot] + 10.0);
    }
}

#[test]
fn contracts_are_bid_often_and_mostly_made() {
    for players in [3, 4] {
        let rules = rules(players);
        let mut random = Random::new(13);
        let mut thrown_in = 0;
        // Look-in, then every hand game: how many, and how many made.
        let mut contracts = [(0_u32, 0_u32); 2];
        for mut deal in deals(rules, DEALS) {
            match finish(&mut deal, &mut random, |_| STANDARD) {
                DealEnd::ThrownIn => thrown_in += 1,
                DealEnd::Played(outcome) => {
                    let contract = rules.contract(outcome.declaration.contract);
                    let (played, made) = &mut contracts[usize::from(!contract.takes_talon)];
                    *played += 1;
                    *made += u32::from(outcome.made);
                }
            }
        }
        println!("{players} players: thrown in {thrown_in}, look-in and hand {contracts:?}");
        assert!(
            f64::from(thrown_in) < 0.35 * f64::from(DEALS),
            "{thrown_in}"
        );
        for (played, made) in contracts {
            assert!(played > DEALS / 20, "{played}");
            assert!(
                f64::from(made) > 0.55 * f64::from(played),
                "{made} of {played}"
            );
        }
    }
}
