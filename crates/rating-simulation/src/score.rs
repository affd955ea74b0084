//! How well a way of rating did: the order of its ratings, and what it expected.

use std::cmp::Ordering;

use crate::{Report, raters::Rater};

/// How well one way of rating did.
pub(crate) struct Score {
    pub(crate) rater: Box<dyn Rater>,
    /// Kendall's tau with the strengths at each look.
    tau: Vec<f64>,
    /// Sum of the squared errors of what it expected, and of how many pairs.
    error: f64,
    pairs: f64,
    /// Expected and actual wins by tenths of the expected ones.
    tenths: [(f64, f64); 10],
}

impl Score {
    pub(crate) fn new(rater: impl Rater + 'static, players: usize) -> Self {
        let mut rater: Box<dyn Rater> = Box::new(rater);
        rater.enter(players);
        Self {
            rater,
            tau: Vec::new(),
            error: 0.0,
            pairs: 0.0,
            tenths: [(0.0, 0.0); 10],
        }
    }

    /// Compares what was expected of a match with how it ended.
    pub(crate) fn note(&mut self, players: &[usize], places: &[u32]) {
        for a in 0..players.len() {
            for b in 0..a {
                let expected = self.rater.expects(players[a], players[b]);
                let won = match places[a].cmp(&places[b]) {
                    Ordering::Less => 1.0,
                    Ordering::Equal => 0.5,
                    Ordering::Greater => 0.0,
                };
                self.error += (expected - won) * (expected - won);
                self.pairs += 1.0;
                let tenth = &mut self.tenths[((expected * 10.0) as usize).min(9)];
                tenth.0 += expected;
                tenth.1 += won;
            }
        }
    }

    /// Looks at the order of the ratings of some players now, against their strengths.
    pub(crate) fn look(&mut self, players: &[usize], strengths: &[f64]) {
        self.tau.push(tau(self.rater.as_ref(), players, strengths));
    }

    /// How far what was expected is from what came, on average over the pairs.
    fn miscalibration(&self) -> f64 {
        let far = self
            .tenths
            .iter()
            .map(|(expected, won)| (expected - won).abs());
        far.sum::<f64>() / self.pairs
    }

    /// A line of text, and the measurements.
    pub(crate) fn tell(&self, table: &str, of: &str, looks: &[usize], report: &mut Report) {
        let name = format!("{of}{}", self.rater.name());
        let told: Vec<String> = self.tau.iter().map(|tau| format!("{tau:.2}")).collect();
        let told = told.join(" ");
        let (brier, far) = (self.error / self.pairs, self.miscalibration());
        report.say(&format!("    {name:<24} {told}   {brier:.4}   {far:.3}"));
        for (look, tau) in looks.iter().zip(&self.tau) {
            report.measure(table, &format!("tau_{look}/{name}"), *tau, "tau");
        }
        report.measure(table, &format!("brier/{name}"), brier, "score");
        report.measure(table, &format!("miscalibration/{name}"), far, "wins");
    }
}

/// Kendall's tau-a of ratings and strengths.
fn tau(rater: &dyn Rater, players: &[usize], strengths: &[f64]) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (place, &a) in players.iter().enumerate() {
        for &b in &players[..place] {
            let rated = rater.rating(a) - rater.rating(b);
            let product = rated * (strengths[a] - strengths[b]);
            if product != 0.0 {
                sum += product.signum();
            }
            pairs += 1.0;
        }
    }
    sum / pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raters::Spatz;

    #[test]
    fn tau_is_one_for_the_right_order_less_for_another_and_ties_count_as_nothing() {
        let mut rater = Spatz::default();
        rater.enter(3);
        let rate = |rater: &mut Spatz, ratings: [i32; 3]| {
            for (line, rating) in rater.0.iter_mut().zip(ratings) {
                line.rating = rating;
            }
        };
        let strengths = [-1.0, 0.0, 5.0];
        for (ratings, expected) in [
            ([1000, 1100, 1200], 1.0),
            ([1000, 1200, 1100], 1.0 / 3.0),
            ([1200, 1100, 1000], -1.0),
            ([1000, 1100, 1100], 2.0 / 3.0),
        ] {
            rate(&mut rater, ratings);
            assert!((tau(&rater, &[0, 1, 2], &strengths) - expected).abs() < 1e-9);
        }
        assert!((tau(&rater, &[0, 2], &strengths) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn an_expectation_that_never_comes_true_is_wrong_by_as_much() {
        let mut score = Score::new(Spatz::default(), 2);
        for _ in 0..10 {
            score.note(&[0, 1], &[1, 2]);
        }
        assert!((score.miscalibration() - 0.5).abs() < 1e-9);
        assert!((score.error / score.pairs - 0.25).abs() < 1e-9);
    }
}
