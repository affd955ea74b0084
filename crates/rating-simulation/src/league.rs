//! Seasons of synthetic players, rated in several ways on the same matches.

use rating::{elo, line::Line, season};

use crate::{
    Report,
    bout::Standing,
    calibrate::Luck,
    model::{Model, Play},
    raters::{Glicko, OtherK, Rater, Spatz, WengLin},
    score::Score,
};

/// Players of a league.
const PLAYERS: usize = 300;
/// Matches of a player in a season, on average, when the order is looked at.
const LOOKS: [usize; 5] = [5, 10, 20, 50, 100];
/// Opponents are drawn from so many neighbours by rating.
const NEIGHBOURS: usize = 40;
/// Seasons in which some leave and others come, for inflation.
const SEASONS: usize = 6;
/// Of so many players one leaves after a season.
const LEAVES: usize = 5;
/// How often one of the players leaves a match, where that is looked at.
const LEAVERS: f64 = 0.1;
/// Parts of the ladder by which the spread of ratings is told.
const PARTS: [f64; 5] = [0.01, 0.25, 0.5, 0.75, 0.99];

/// Somebody and some of so many neighbours by the rating that counts.
pub(crate) fn seat(
    count: usize,
    neighbours: usize,
    lines: &[Line],
    random: &mut fastrand::Rng,
) -> Vec<usize> {
    let first = random.usize(..lines.len());
    let rating = lines[first].rating;
    let mut others: Vec<usize> = (0..lines.len()).filter(|&other| other != first).collect();
    // Equal distances in any order.
    random.shuffle(&mut others);
    others.select_nth_unstable_by_key(neighbours, |&other| (lines[other].rating - rating).abs());
    others.truncate(neighbours);
    random.shuffle(&mut others);
    others.truncate(count - 1);
    others.push(first);
    others
}

fn play(
    model: &Model,
    players: &[usize],
    strengths: &[f64],
    random: &mut fastrand::Rng,
) -> Standing {
    let perform = |&player: &usize| Model::perform(Play::usual(strengths[player]), random);
    let points: Vec<f64> = players.iter().map(perform).collect();
    Standing {
        places: model.places(&points),
        points,
    }
}

pub(crate) fn run(table: &str, luck: &Luck, random: &mut fastrand::Rng, report: &mut Report) {
    let model = Model::new(luck);
    let scores = season_of(&model, random);
    report.say(&format!(
        "  {PLAYERS} players, strengths of standard deviation {:.0}; Kendall's tau after {LOOKS:?} \
         matches each, then Brier score and miscalibration of pairs",
        model.spread
    ));
    for score in scores {
        score.tell(table, "", &LOOKS, report);
    }
    inflation(table, &model, 0.0, random, report);
    inflation(table, &model, LEAVERS, random, report);
}

/// One season, the opponents found by the real rating.
fn season_of(model: &Model, random: &mut fastrand::Rng) -> Vec<Score> {
    let strengths: Vec<f64> = (0..PLAYERS).map(|_| model.strength(random)).collect();
    let mut scores = vec![
        Score::new(Spatz::default(), PLAYERS),
        Score::new(
            OtherK {
                name: "Elo 60/30",
                k: |matches| if matches < 20 { 60 } else { 30 },
                lines: Vec::new(),
            },
            PLAYERS,
        ),
        Score::new(
            OtherK {
                name: "Elo 80/40/20",
                k: |matches| match matches {
                    0..10 => 80,
                    10..30 => 40,
                    _ => 20,
                },
                lines: Vec::new(),
            },
            PLAYERS,
        ),
        Score::new(
            OtherK {
                name: "Elo 20",
                k: |_| 20,
                lines: Vec::new(),
            },
            PLAYERS,
        ),
        Score::new(Glicko::default(), PLAYERS),
        Score::new(WengLin::default(), PLAYERS),
    ];
    let all: Vec<usize> = (0..PLAYERS).collect();
    let mut seating = Spatz::default();
    seating.enter(PLAYERS);
    let mut number = 0;
    for look in LOOKS {
        while number * model.players < look * PLAYERS {
            let players = seat(model.players, NEIGHBOURS, &seating.0, random);
            let standing = play(model, &players, &strengths, random);
            let provisional = number * model.players < 20 * PLAYERS;
            for score in &mut scores {
                if !provisional {
                    score.note(&players, &standing.places);
                }
                score.rater.rate(number as u128, &players, &standing);
            }
            seating.rate(number as u128, &players, &standing);
            number += 1;
        }
        for score in &mut scores {
            score.look(&all, &strengths);
        }
    }
    scores
}

/// Mean rating at the ends of seasons in which the weaker ones leave sooner.
fn inflation(
    table: &str,
    model: &Model,
    leavers: f64,
    random: &mut fastrand::Rng,
    report: &mut Report,
) {
    let mut strengths: Vec<f64> = (0..PLAYERS).map(|_| model.strength(random)).collect();
    let mut spatz = Spatz::default();
    spatz.enter(PLAYERS);
    let (mut means, mut number) = (Vec::new(), 0);
    let mut ratings = Vec::new();
    for _ in 0..SEASONS {
        for _ in 0..PLAYERS * 40 / model.players {
            let players = seat(model.players, NEIGHBOURS, &spatz.0, random);
            let places = play(model, &players, &strengths, random).places;
            let leaver = (random.f64() < leavers).then(|| random.usize(..model.players));
            spatz.rate_with_leaver(number, &players, &places, leaver);
            number += 1;
        }
        ratings = spatz.0.iter().map(|line| line.rating).collect();
        means.push(f64::from(ratings.iter().sum::<i32>()) / PLAYERS as f64);
        turn_over(model, &mut spatz, &mut strengths, random);
    }
    let told: Vec<String> = means.iter().map(|mean| format!("{mean:.0}")).collect();
    let drift = means[SEASONS - 1] - f64::from(elo::START);
    let told = told.join(" ");
    if leavers > 0.0 {
        let percent = leavers * 100.0;
        report.say(&format!(
            "    the same with a leaver in {percent:.0} % of the matches: {told}"
        ));
        report.measure(table, "mean_drift_with_leavers", drift, "elo");
        return;
    }
    report.say(&format!(
        "  mean rating at the ends of {SEASONS} seasons of 40 matches each, newcomers for those who \
         leave, the weaker ones sooner: {told}"
    ));
    report.measure(table, "mean_drift", drift, "elo");
    ratings.sort_unstable();
    let part = |part: f64| ratings[(part * PLAYERS as f64) as usize].to_string();
    let parts = PARTS.map(part).join(" ");
    report.say(&format!(
        "    of these players, {PARTS:?} are below {parts}"
    ));
}

/// Some leave, newcomers take their places, everybody else is reset.
fn turn_over(model: &Model, spatz: &mut Spatz, strengths: &mut [f64], random: &mut fastrand::Rng) {
    let mut order: Vec<usize> = (0..PLAYERS).collect();
    order.sort_by_key(|&player| spatz.0[player].rating);
    for (place, &player) in order.iter().enumerate() {
        // In the lower half more than twice as often.
        let share = if place < PLAYERS / 2 { 10 } else { 4 };
        let rating = season::reset(spatz.0[player].rating, 1);
        spatz.0[player] = Line::new(rating, 0);
        if random.usize(..LEAVES * 7) < share {
            strengths[player] = model.strength(random);
            spatz.0[player] = Line::new(elo::START, 0);
        }
    }
}
