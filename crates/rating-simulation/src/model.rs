//! The model: a match is one draw of a performance for every player, strength plus noise; the
//! order of the performances is the standing.
//!
//! Strengths are in Elo points. The noise is normal, so that between players of about the same
//! strength a point of difference is worth as much as Elo says; ratings are not told its shape.
//! Performances are rounded, so that as many pairs share a place as among the bots.

use crate::calibrate::Luck;

/// Standard deviation of a performance, in Elo points: then the chance to be before an opponent
/// grows with the difference as Elo's expected score does, where both are ½.
const NOISE: f64 = 196.0;

/// The least standard deviation of the players' strengths: less would be no ladder.
const SPREAD_MIN: f64 = 40.0;

/// Players and matches of one table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    /// Players of a match.
    pub(crate) players: usize,
    /// Standard deviation of strengths.
    pub(crate) spread: f64,
    /// What performances are rounded to.
    grid: f64,
}

/// How somebody plays a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Play {
    /// In Elo points.
    pub(crate) strength: f64,
    /// How far the noise goes, against the usual.
    pub(crate) risk: f64,
}

impl Play {
    pub(crate) const fn usual(strength: f64) -> Self {
        Self {
            strength,
            risk: 1.0,
        }
    }
}

impl Model {
    /// Four standard deviations of the players span what the bots do.
    pub(crate) fn new(luck: &Luck) -> Self {
        // The density of the difference of two equal performances at nothing.
        let density = 1.0 / (2.0 * std::f64::consts::PI.sqrt() * NOISE);
        Self {
            players: luck.players,
            spread: f64::max(luck.span / 4.0, SPREAD_MIN),
            grid: luck.ties / density,
        }
    }

    /// A strength of somebody, around nothing.
    pub(crate) fn strength(&self, random: &mut fastrand::Rng) -> f64 {
        self.spread * normal(random)
    }

    /// A performance.
    pub(crate) fn perform(play: Play, random: &mut fastrand::Rng) -> f64 {
        play.strength + NOISE * play.risk * normal(random)
    }

    /// Places of performances.
    pub(crate) fn places(&self, performances: &[f64]) -> Vec<u32> {
        let round = |x: f64| {
            if self.grid > 0.0 {
                (x / self.grid).round()
            } else {
                x
            }
        };
        let rounded: Vec<f64> = performances.iter().map(|&x| round(x)).collect();
        let ahead = |x: f64| rounded.iter().filter(|&&other| other > x).count() as u32;
        rounded.iter().map(|&x| 1 + ahead(x)).collect()
    }
}

/// A normal number, by Box and Muller.
pub(crate) fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * random.f64()).cos()
}
