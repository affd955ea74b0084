//! How much strength decides in a game, from matches of bots.
//!
//! A bot of a grade takes a random legal action with a fixed probability, and the standard bot's
//! action otherwise. The grades' distance in Elo points is fitted to who was before whom.

use rules::Rules;

use crate::{Report, bout};

/// How often a grade acts at random.
const GRADES: [f64; 3] = [0.0, 0.15, 0.5];
/// Matches of every table.
const MATCHES: u32 = 400;

/// What the model of a table needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Luck {
    /// Players of a match.
    pub(crate) players: usize,
    /// Elo points between the best grade and the worst.
    pub(crate) span: f64,
    /// How many pairs share a place.
    pub(crate) ties: f64,
    /// Pairs that were seen.
    pairs: u32,
}

/// Wins of the first over the second, and how often they met.
type Wins = [[(f64, f64); GRADES.len()]; GRADES.len()];

pub(crate) fn run(rules: &Rules, random: &mut fastrand::Rng) -> Luck {
    let mut wins = Wins::default();
    let (mut ties, mut pairs) = (0, 0);
    for _ in 0..MATCHES {
        let grades = grades(rules, random);
        let manners: Vec<bout::Manner> = grades
            .iter()
            .map(|&grade| bout::Manner::of(GRADES[grade]))
            .collect();
        let places = bout::play(rules, &manners, random).places;
        for a in 0..grades.len() {
            for b in 0..a {
                let won = match places[a].cmp(&places[b]) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 0.0,
                };
                ties += u32::from(places[a] == places[b]);
                pairs += 1;
                let (x, y) = (grades[a], grades[b]);
                wins[x][y].0 += won;
                wins[x][y].1 += 1.0;
                wins[y][x].0 += 1.0 - won;
                wins[y][x].1 += 1.0;
            }
        }
    }
    Luck {
        players: rules.players().into(),
        span: span(&wins),
        ties: f64::from(ties) / f64::from(pairs),
        pairs,
    }
}

/// A grade for every seat, not all the same.
fn grades(rules: &Rules, random: &mut fastrand::Rng) -> Vec<usize> {
    loop {
        let draw = |_| random.usize(..GRADES.len());
        let grades: Vec<usize> = rules.seats().map(draw).collect();
        if grades.iter().any(|&grade| grade != grades[0]) {
            return grades;
        }
    }
}

/// Fits ratings of the grades (Bradley-Terry, by gradient) and takes their span.
fn span(wins: &Wins) -> f64 {
    let mut ratings = [0.0_f64; GRADES.len()];
    for _ in 0..4000 {
        let before = ratings;
        for a in 0..GRADES.len() {
            let mut slope = 0.0;
            let mut met = 0.0;
            for b in (0..GRADES.len()).filter(|&b| b != a) {
                let expected = 1.0 / (1.0 + 10_f64.powf((before[b] - before[a]) / 400.0));
                slope += wins[a][b].0 - wins[a][b].1 * expected;
                met += wins[a][b].1;
            }
            ratings[a] += 300.0 * slope / f64::max(met, 1.0);
        }
    }
    ratings[0] - ratings[GRADES.len() - 1]
}

pub(crate) fn tell(table: &str, luck: &Luck, report: &mut Report) {
    report.say(&format!(
        "\n{table}\n  bots: {:.0} Elo points between never and every second action at random, \
         {:.0} % of pairs share a place ({MATCHES} matches, {} pairs)",
        luck.span,
        luck.ties * 100.0,
        luck.pairs
    ));
    report.measure(table, "bot_span", luck.span, "elo");
    report.measure(table, "ties", luck.ties, "ratio");
}
