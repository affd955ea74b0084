//! Whether some way of play farms rating: the same player with and without it, many times, among
//! players who are rated right.

use rating::{
    elo,
    line::{self, End, Line},
};

use crate::{
    Report,
    calibrate::Luck,
    model::{Model, Play},
};

/// Matches of a try.
const MATCHES: u32 = 100;
/// Tries of every way.
const TRIES: u32 = 300;
/// Accounts of a player who alternates.
const ACCOUNTS: usize = 3;
/// How much weaker the opponents are whom somebody picks.
const WEAKER: f64 = 200.0;
/// What overbidding costs in strength: it is a worse way to play, but a wilder one.
const OVERBID_COST: f64 = 30.0;

/// A way of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Honest,
    /// Half as much noise again, for some strength.
    Overbid,
    /// Leaves whenever the match looks lost.
    Quit,
    /// Plays only weaker opponents.
    Weaker,
    /// A friend's fresh account is at every table and loses.
    Loser,
    /// A friend's fresh account is at every table and leaves.
    Leaver,
}

const WAYS: [(Way, &str); 5] = [
    (Way::Overbid, "overbidding"),
    (Way::Quit, "quitting when losing"),
    (Way::Weaker, "only weaker opponents"),
    (Way::Loser, "an accomplice who loses"),
    (Way::Leaver, "an accomplice who leaves"),
];

/// The rating of a player of some strength after a try.
fn attempt(model: &Model, way: Way, strength: f64, random: &mut fastrand::Rng) -> f64 {
    let right = |strength: f64| Line {
        matches: elo::PROVISIONAL_MATCHES,
        ..Line::new(elo::START + strength.round() as i32, 0)
    };
    let mut me = right(strength);
    for number in 0..MATCHES {
        let away = if way == Way::Weaker { WEAKER } else { 0.0 };
        let level = f64::from(me.rating - elo::START) - away;
        let others = (1..model.players).map(|_| level + 50.0 * crate::model::normal(random));
        let others: Vec<f64> = others.collect();
        let mine = match way {
            Way::Overbid => Play {
                strength: strength - OVERBID_COST,
                risk: 1.5,
            },
            _ => Play::usual(strength),
        };
        let mut performances = vec![Model::perform(mine, random)];
        performances.extend(
            others
                .iter()
                .map(|&s| Model::perform(Play::usual(s), random)),
        );
        if way == Way::Loser {
            performances[1] = f64::MIN;
        }
        let places = model.places(&performances);
        // Seen from the middle of the match, an end is known to one place.
        let last = places.iter().max() == Some(&places[0]) && places[0] > 1;
        let looks_lost = way == Way::Quit && last && random.f64() < 0.75;
        let left = |seat: usize| match way {
            Way::Quit => seat == 0 && looks_lost,
            Way::Leaver => seat == 1,
            _ => false,
        };
        let end = |(seat, &place): (usize, &u32)| End {
            player: u128::from(random.u64(..)) << 8 | seat as u128,
            place,
            abandoned: left(seat),
        };
        let ends: Vec<End> = places.iter().enumerate().map(end).collect();
        let mut lines = vec![me];
        lines.extend(others.iter().map(|&s| right(s)));
        if matches!(way, Way::Loser | Way::Leaver) {
            lines[1] = Line::new(elo::START, 0);
        }
        me = line::after(u128::from(number), &ends, &lines, 0)[0];
    }
    me.rating.into()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

pub(crate) fn run(table: &str, luck: &Luck, random: &mut fastrand::Rng, report: &mut Report) {
    let model = Model::new(luck);
    let strengths = [-1.0, 0.0, 1.0].map(|deviations| deviations * model.spread);
    let mut mean_of = |way: Way, strength: f64| {
        let tries: Vec<f64> = (0..TRIES)
            .map(|_| attempt(&model, way, strength, random))
            .collect();
        mean(tries.into_iter())
    };
    let honest = strengths.map(|strength| mean_of(Way::Honest, strength));
    report.say(&format!(
        "  rating after {MATCHES} matches against an honest player of the same strength (weak, \
         middling, strong):"
    ));
    for (way, name) in WAYS {
        let gains: Vec<f64> = strengths
            .iter()
            .zip(honest)
            .map(|(&strength, honest)| mean_of(way, strength) - honest)
            .collect();
        report.say(&format!(
            "    {name:<26} {:+4.0} {:+4.0} {:+4.0}",
            gains[0], gains[1], gains[2]
        ));
        report.measure(
            table,
            &format!("farm/{name}"),
            mean(gains.into_iter()),
            "elo",
        );
    }
    let best: Vec<f64> = (0..TRIES)
        .map(|_| {
            let accounts = (0..ACCOUNTS).map(|_| attempt(&model, Way::Honest, 0.0, random));
            accounts.fold(f64::MIN, f64::max)
        })
        .collect();
    let gain = mean(best.into_iter()) - honest[1];
    report.say(&format!(
        "    best of {ACCOUNTS} accounts         {gain:+4.0}"
    ));
    report.measure(table, "farm/alternating accounts", gain, "elo");
}
