//! Ways of rating the same matches.

use rating::{
    elo::{self, Entry},
    line::{self, End, Line},
};
use skillratings::{
    MultiTeamOutcome, Outcomes,
    glicko2::{self, Glicko2Config, Glicko2Rating, glicko2_rating_period},
    weng_lin::{self, WengLinConfig, WengLinRating, weng_lin_multi_team},
};

use crate::bout::Standing;

/// Rates matches, and says what it expects.
pub(crate) trait Rater {
    /// What it is called.
    fn name(&self) -> &'static str;
    /// Everybody enters.
    fn enter(&mut self, players: usize);
    /// By what players are ordered.
    fn rating(&self, player: usize) -> f64;
    /// How likely the first one is before the second one.
    fn expects(&self, first: usize, second: usize) -> f64;
    /// A match with this number ended.
    fn rate(&mut self, number: u128, players: &[usize], standing: &Standing);
}

fn ends(players: &[usize], places: &[u32]) -> Vec<End> {
    let end = |(&player, &place): (&usize, &u32)| End {
        player: player as u128,
        place,
        abandoned: false,
    };
    players.iter().zip(places).map(end).collect()
}

fn elo_expects(first: i32, second: i32) -> f64 {
    1.0 / (1.0 + 10_f64.powf(f64::from(second - first) / 400.0))
}

/// What rates real matches.
#[derive(Debug, Default)]
pub(crate) struct Spatz(pub(crate) Vec<Line>);

impl Spatz {
    /// A match that one of the players may have left.
    pub(crate) fn rate_with_leaver(
        &mut self,
        number: u128,
        players: &[usize],
        places: &[u32],
        leaver: Option<usize>,
    ) {
        let mut ends = ends(players, places);
        if let Some(seat) = leaver {
            ends[seat].abandoned = true;
        }
        let before: Vec<Line> = players.iter().map(|&player| self.0[player]).collect();
        for (&player, line) in players.iter().zip(line::after(number, &ends, &before, 0)) {
            self.0[player] = line;
        }
    }
}

impl Rater for Spatz {
    fn name(&self) -> &'static str {
        "Elo 40/20/10"
    }

    fn enter(&mut self, players: usize) {
        self.0 = vec![Line::new(elo::START, 0); players];
    }

    fn rating(&self, player: usize) -> f64 {
        self.0[player].rating.into()
    }

    fn expects(&self, first: usize, second: usize) -> f64 {
        elo_expects(self.0[first].rating, self.0[second].rating)
    }

    fn rate(&mut self, number: u128, players: &[usize], standing: &Standing) {
        self.rate_with_leaver(number, players, &standing.places, None);
    }
}

/// The same arithmetic with another K.
#[derive(Debug)]
pub(crate) struct OtherK {
    pub(crate) name: &'static str,
    /// K after so many matches.
    pub(crate) k: fn(i64) -> i32,
    pub(crate) lines: Vec<Line>,
}

impl Rater for OtherK {
    fn name(&self) -> &'static str {
        self.name
    }

    fn enter(&mut self, players: usize) {
        self.lines = vec![Line::new(elo::START, 0); players];
    }

    fn rating(&self, player: usize) -> f64 {
        self.lines[player].rating.into()
    }

    fn expects(&self, first: usize, second: usize) -> f64 {
        elo_expects(self.lines[first].rating, self.lines[second].rating)
    }

    fn rate(&mut self, number: u128, players: &[usize], standing: &Standing) {
        let ends = ends(players, &standing.places);
        let entry = |(end, &player): (&End, &usize)| {
            let Line {
                rating, matches, ..
            } = self.lines[player];
            Entry {
                k: (self.k)(matches),
                ..line::entry(number, end, rating, matches)
            }
        };
        let entries: Vec<Entry> = ends.iter().zip(players).map(entry).collect();
        for (&player, change) in players.iter().zip(elo::rate(&entries)) {
            self.lines[player].rating += change;
            self.lines[player].matches += 1;
        }
    }
}

/// Glicko-2, a match being a rating period of its players.
#[derive(Debug, Default)]
pub(crate) struct Glicko(Vec<Glicko2Rating>);

impl Rater for Glicko {
    fn name(&self) -> &'static str {
        "Glicko-2"
    }

    fn enter(&mut self, players: usize) {
        self.0 = vec![Glicko2Rating::new(); players];
    }

    fn rating(&self, player: usize) -> f64 {
        self.0[player].rating
    }

    fn expects(&self, first: usize, second: usize) -> f64 {
        glicko2::expected_score(&self.0[first], &self.0[second]).0
    }

    fn rate(&mut self, _: u128, players: &[usize], standing: &Standing) {
        let places = &standing.places;
        let before: Vec<Glicko2Rating> = players.iter().map(|&player| self.0[player]).collect();
        for (me, &player) in players.iter().enumerate() {
            let others = (0..players.len()).filter(|&other| other != me);
            let results = others.map(|other| {
                let outcome = match places[me].cmp(&places[other]) {
                    std::cmp::Ordering::Less => Outcomes::WIN,
                    std::cmp::Ordering::Equal => Outcomes::DRAW,
                    std::cmp::Ordering::Greater => Outcomes::LOSS,
                };
                (before[other], outcome)
            });
            let results: Vec<_> = results.collect();
            self.0[player] = glicko2_rating_period(&before[me], &results, &Glicko2Config::new());
        }
    }
}

/// Weng and Lin's Bradley-Terry model with full pairs.
#[derive(Debug, Default)]
pub(crate) struct WengLin(Vec<WengLinRating>);

impl Rater for WengLin {
    fn name(&self) -> &'static str {
        "Weng-Lin"
    }

    fn enter(&mut self, players: usize) {
        self.0 = vec![WengLinRating::new(); players];
    }

    fn rating(&self, player: usize) -> f64 {
        self.0[player].rating
    }

    fn expects(&self, first: usize, second: usize) -> f64 {
        let config = WengLinConfig::new();
        weng_lin::expected_score(&self.0[first], &self.0[second], &config).0
    }

    fn rate(&mut self, _: u128, players: &[usize], standing: &Standing) {
        let before: Vec<[WengLinRating; 1]> = players.iter().map(|&p| [self.0[p]]).collect();
        let teams = before.iter().zip(&standing.places);
        let teams = teams.map(|(team, &place)| (&team[..], MultiTeamOutcome::new(place as usize)));
        let after = weng_lin_multi_team(&teams.collect::<Vec<_>>(), &WengLinConfig::new());
        for (&player, team) in players.iter().zip(after) {
            self.0[player] = team[0];
        }
    }
}
