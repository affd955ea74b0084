//! Whether it pays to look at points: a league of bots that play real matches, rated by places, as
//! real matches are, and in two ways that use how far apart the points are.
//!
//! The model of strengths cannot say this, because its points are as good as it makes them. In the
//! games they are not: one deal may be worth ten others.

use rating::elo;
use rules::Rules;

use crate::{
    Report,
    bout::{self, Manner, Standing},
    league::seat,
    raters::{Rater, Spatz},
    score::Score,
};

/// Bots of the league. Some bid too much.
const PLAYERS: usize = 120;
const OVERBIDDERS: usize = 20;
/// How often those bid where the standard bot would pass.
const OVERBIDS: f64 = 0.25;
/// The worst takes every second action at random.
const BLUNDERS_MAX: f64 = 0.5;
/// Matches of a bot, on average, when the order is looked at.
const LOOKS: [usize; 5] = [5, 10, 20, 50, 100];
/// Matches after which what is expected counts.
const PROVISIONAL: usize = 20;
const NEIGHBOURS: usize = 30;
/// Matches before the league, which say how far apart points are.
const TRIAL: usize = 300;

/// Matches of somebody with an accomplice, and how many try it.
const TRY: u32 = 100;
const TRIES: u32 = 20;

/// What the points of a pair do.
#[derive(Clone, Copy, Debug)]
enum Use {
    /// Nothing: who is before whom counts.
    Places,
    /// A pair counts more the farther apart it is: the logarithm of the distance.
    Weight,
    /// A pair is won in part: a large win is worth more than a small one.
    Score,
}

/// Ways of rating that are compared.
const WAYS: [(Use, bool); 5] = [
    (Use::Places, false),
    (Use::Places, true),
    (Use::Weight, false),
    (Use::Weight, true),
    (Use::Score, false),
];

/// Points of a table.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// How far apart a pair is, on average.
    distance: f64,
    /// The weight of a pair, on average, before it is divided by this.
    weight: f64,
}

impl Scale {
    fn new(distances: &[f64]) -> Self {
        let mean = |of: &dyn Fn(f64) -> f64| {
            distances.iter().map(|&d| of(d)).sum::<f64>() / distances.len() as f64
        };
        let distance = mean(&|d| d).max(1.0);
        Self {
            distance,
            weight: mean(&|d| (d / distance).ln_1p()),
        }
    }
}

/// Elo by pairs, unrounded.
#[derive(Clone, Debug)]
struct MarginElo {
    points: Use,
    /// K 80, 40, 20 instead of that of real matches.
    quick: bool,
    scale: Scale,
    /// Rating and matches.
    lines: Vec<(f64, i64)>,
}

impl MarginElo {
    /// What the first of a pair got, and how much the pair counts.
    fn pair(&self, standing: &Standing, me: usize, other: usize) -> (f64, f64) {
        let ahead = standing.points[me] - standing.points[other];
        let won = match standing.places[me].cmp(&standing.places[other]) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 0.0,
        };
        let Scale { distance, weight } = self.scale;
        match self.points {
            Use::Places => (won, 1.0),
            // A tie has no distance, and says something.
            Use::Weight => (
                won,
                (ahead.abs() / distance).ln_1p().max(0.2 * weight) / weight,
            ),
            Use::Score => (0.5 + 0.5 * (ahead / distance).tanh(), 1.0),
        }
    }
}

impl Rater for MarginElo {
    fn name(&self) -> &'static str {
        match (self.points, self.quick) {
            (Use::Places, false) => "by places",
            (Use::Places, true) => "by places, 80/40/20",
            (Use::Weight, false) => "by margin",
            (Use::Weight, true) => "by margin, 80/40/20",
            (Use::Score, _) => "won in part",
        }
    }

    fn enter(&mut self, players: usize) {
        self.lines = vec![(f64::from(elo::START), 0); players];
    }

    fn rating(&self, player: usize) -> f64 {
        self.lines[player].0
    }

    fn expects(&self, first: usize, second: usize) -> f64 {
        let distance = self.lines[second].0 - self.lines[first].0;
        1.0 / (1.0 + 10_f64.powf(distance / 400.0))
    }

    fn rate(&mut self, _: u128, players: &[usize], standing: &Standing) {
        let change = |me: usize| {
            let (rating, matches) = self.lines[players[me]];
            let k = match matches {
                0..10 if self.quick => 80.0,
                10..30 if self.quick => 40.0,
                _ => f64::from(elo::k_factor(rating as i32, matches)),
            };
            let others = (0..players.len()).filter(|&other| other != me);
            let won = others.map(|other| {
                let (won, weight) = self.pair(standing, me, other);
                weight * (won - self.expects(players[me], players[other]))
            });
            k * won.sum::<f64>() / (players.len() - 1) as f64
        };
        let changes: Vec<f64> = (0..players.len()).map(change).collect();
        for (&player, change) in players.iter().zip(changes) {
            let (rating, matches) = &mut self.lines[player];
            *rating = f64::max(*rating + change, f64::from(elo::FLOOR));
            *matches += 1;
        }
    }
}

/// How far apart the pairs of a match are.
fn distances(standing: &Standing) -> impl Iterator<Item = f64> {
    let points = &standing.points;
    let pairs = (0..points.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs.map(|(a, b)| (points[a] - points[b]).abs())
}

/// First the overbidders, each followed by a twin that blunders as often and does not overbid.
fn manners(random: &mut fastrand::Rng) -> Vec<Manner> {
    let mut all = Vec::with_capacity(PLAYERS);
    for _ in 0..OVERBIDDERS {
        let twin = Manner::of(BLUNDERS_MAX * random.f64());
        let overbids = OVERBIDS;
        all.extend([Manner { overbids, ..twin }, twin]);
    }
    all.resize_with(PLAYERS, || Manner::of(BLUNDERS_MAX * random.f64()));
    all
}

/// What a bot that overbids has more than its twin, on average.
fn farmed(rater: &dyn Rater) -> f64 {
    let gain = |twins: usize| rater.rating(2 * twins) - rater.rating(2 * twins + 1);
    (0..OVERBIDDERS).map(gain).sum::<f64>() / OVERBIDDERS as f64
}

/// By each way of rating, what a middling player has after some matches at whose tables a friend's
/// fresh account acts at random, over one with an honest opponent more.
fn accomplice(rules: &Rules, raters: &[MarginElo], random: &mut fastrand::Rng) -> Vec<f64> {
    let usual = Manner::of(BLUNDERS_MAX / 2.0);
    let count = usize::from(rules.players());
    let players: Vec<usize> = (0..count).collect();
    let rated = (f64::from(elo::START), elo::PROVISIONAL_MATCHES);
    let mut after = |second: Manner, fresh: bool| {
        let mut seats = vec![usual; count];
        seats[1] = second;
        let mut sums = vec![0.0; raters.len()];
        for _ in 0..TRIES {
            let mut mine = vec![rated; raters.len()];
            for _ in 0..TRY {
                let standing = bout::play(rules, &seats, random);
                for (rater, mine) in raters.iter().zip(&mut mine) {
                    // Whom matchmaking finds for that rating, and the friend.
                    let mut lines = vec![*mine; count];
                    if fresh {
                        lines[1] = (rated.0, 0);
                    }
                    let mut rater = MarginElo { lines, ..*rater };
                    rater.rate(0, &players, &standing);
                    *mine = rater.lines[0];
                }
            }
            for (sum, (rating, _)) in sums.iter_mut().zip(mine) {
                *sum += rating / f64::from(TRIES);
            }
        }
        sums
    };
    let gifts = after(Manner::of(1.0), true);
    let honest = after(usual, false);
    gifts
        .iter()
        .zip(honest)
        .map(|(gift, honest)| gift - honest)
        .collect()
}

pub(crate) fn run(table: &str, rules: &Rules, random: &mut fastrand::Rng, report: &mut Report) {
    let manners = manners(random);
    let count = usize::from(rules.players());
    let meet = |players: &[usize], random: &mut fastrand::Rng| {
        let seats: Vec<Manner> = players.iter().map(|&player| manners[player]).collect();
        bout::play(rules, &seats, random)
    };
    let trial = (0..TRIAL).flat_map(|_| {
        let players = random.choose_multiple(0..PLAYERS, count);
        distances(&meet(&players, random)).collect::<Vec<f64>>()
    });
    let scale = Scale::new(&trial.collect::<Vec<f64>>());
    let raters = WAYS.map(|(points, quick)| MarginElo {
        points,
        quick,
        scale,
        lines: Vec::new(),
    });
    let mut scores = raters.clone().map(|rater| Score::new(rater, PLAYERS));
    // Who never blunders is best. Overbidders are worse than their blunders say, how much nobody
    // knows: they are left out of the order.
    let strengths: Vec<f64> = manners.iter().map(|manner| -manner.blunders).collect();
    let honest: Vec<usize> = (0..PLAYERS)
        .filter(|&p| manners[p].overbids == 0.0)
        .collect();
    let mut seating = Spatz::default();
    seating.enter(PLAYERS);
    let mut number = 0;
    for look in LOOKS {
        while number * count < look * PLAYERS {
            let players = seat(count, NEIGHBOURS, &seating.0, random);
            let standing = meet(&players, random);
            for score in &mut scores {
                if number * count >= PROVISIONAL * PLAYERS {
                    score.note(&players, &standing.places);
                }
                score.rater.rate(number as u128, &players, &standing);
            }
            seating.rate(number as u128, &players, &standing);
            number += 1;
        }
        for score in &mut scores {
            score.look(&honest, &strengths);
        }
    }
    report.say(&format!(
        "  {PLAYERS} bots in real matches, on average {:.0} points between two; the same of Elo \
         by places and with margins, then what bidding too much brings",
        scale.distance
    ));
    let gifts = accomplice(rules, &raters, random);
    for (score, gift) in scores.iter().zip(gifts) {
        score.tell(table, "bots ", &LOOKS, report);
        let name = score.rater.name();
        let bids = farmed(score.rater.as_ref());
        report.say(&format!(
            "      overbidding {bids:+.0}, an accomplice who loses {gift:+.0}"
        ));
        report.measure(table, &format!("bots_overbidding/{name}"), bids, "elo");
        report.measure(table, &format!("bots_accomplice/{name}"), gift, "elo");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rater(points: Use) -> MarginElo {
        let mut rater = MarginElo {
            points,
            quick: false,
            scale: Scale::new(&[20.0, 40.0, 120.0]),
            lines: Vec::new(),
        };
        rater.enter(2);
        rater
    }

    fn gains(points: Use, ahead: f64) -> f64 {
        let mut rater = rater(points);
        let places = if ahead > 0.0 { vec![1, 2] } else { vec![1, 1] };
        let points = vec![ahead, 0.0];
        rater.rate(0, &[0, 1], &Standing { places, points });
        let (first, second) = (rater.rating(0), rater.rating(1));
        assert!((first + second - 2.0 * f64::from(elo::START)).abs() < 1e-9);
        first - f64::from(elo::START)
    }

    #[test]
    fn places_do_not_look_at_points_and_margins_do() {
        assert!((gains(Use::Places, 20.0) - 20.0).abs() < 1e-9);
        assert!((gains(Use::Places, 120.0) - 20.0).abs() < 1e-9);
        for points in [Use::Weight, Use::Score] {
            assert!(gains(points, 120.0) > gains(points, 20.0) + 5.0);
            assert!(gains(points, 0.0).abs() < 1e-9);
        }
        assert!(gains(Use::Score, 1e6) <= 20.0);
    }

    #[test]
    fn an_average_pair_weighs_one() {
        let gained = [20.0, 40.0, 120.0].map(|ahead| gains(Use::Weight, ahead));
        assert!((gained.iter().sum::<f64>() / 3.0 - 20.0).abs() < 1e-9);
    }

    #[test]
    fn an_overbidder_blunders_as_often_as_its_twin() {
        let manners = manners(&mut fastrand::Rng::with_seed(1));
        assert_eq!(manners.len(), PLAYERS);
        for twins in manners[..2 * OVERBIDDERS].chunks(2) {
            assert!(twins[0].overbids > 0.0 && twins[1].overbids == 0.0);
            assert!((twins[0].blunders - twins[1].blunders).abs() < f64::EPSILON);
        }
    }
}
