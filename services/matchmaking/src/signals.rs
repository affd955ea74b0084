//! Signals against collusion: pairs of players who met more often than chance explains, and pairs
//! of whom one was always ahead of the other. Pure: who met whom comes from pairings, how it ended
//! from the archive.
//!
//! A signal is a reason for a person to look, with the matches to look at. Nothing acts on it: two
//! friends who queue at the same quiet hour look the same from here.

use std::collections::{BTreeMap, HashMap};

use proto::v1;
use uuid::Uuid;

/// Fewer meetings than this tell nothing.
const MEETINGS_MIN: usize = 5;
/// So many times as often as expected is too often, and so many standard deviations more.
const TIMES: f64 = 3.0;
const DEVIATIONS_MET: f64 = 5.0;
/// So many standard deviations from what ratings let expect is one-sided.
const DEVIATIONS_AHEAD: f64 = 3.0;

/// A match in which two players sat at one table that a queue made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// The match.
    pub match_id: Uuid,
    /// When it was made.
    pub made_ms: i64,
    /// Ratings then, in the order of the pair.
    pub ratings: (i32, i32),
}

/// Two players who met several times without having queued together.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The smaller id first.
    pub players: (Uuid, Uuid),
    /// Where they met, the newest first.
    pub matches: Vec<Met>,
    /// How often they would have met, had every table of their queues been drawn by lot among
    /// those who played there.
    pub expected: f64,
}

/// Points that went one way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Who was ahead.
    pub winner: Uuid,
    /// Who was behind.
    pub loser: Uuid,
    /// Their matches of which the result is known.
    pub matches: usize,
    /// In how many the winner was ahead; a tie is half of one.
    pub ahead: f64,
    /// In how many it would have been, going by the ratings.
    pub expected: f64,
    /// The winner's points less the loser's, of all of them.
    pub points: i64,
}

/// Counts that come up together.
#[allow(clippy::cast_precision_loss, reason = "counts of matches")]
const fn float(count: usize) -> f64 {
    count as f64
}

impl Pair {
    /// Whether they met too often for chance.
    #[must_use]
    pub fn is_too_often(&self) -> bool {
        let met = float(self.matches.len());
        let limit = self.expected + DEVIATIONS_MET * self.expected.max(1.0).sqrt();
        met >= TIMES * self.expected && met >= limit
    }

    /// Whether one was ahead of the other more often than ratings explain. `scores` are the
    /// points of a match by player; none when its result is not known.
    #[must_use]
    pub fn flow(&self, scores: &HashMap<Uuid, HashMap<Uuid, i32>>) -> Option<Flow> {
        let (one, other) = self.players;
        let (mut matches, mut ahead, mut expected, mut variance, mut points) =
            (0, 0.0, 0.0, 0.0, 0_i64);
        for met in &self.matches {
            let known = scores.get(&met.match_id);
            let both = known.and_then(|known| Some((known.get(&one)?, known.get(&other)?)));
            let Some((&mine, &theirs)) = both else {
                continue;
            };
            let distance = f64::from(met.ratings.1 - met.ratings.0);
            let chance = 1.0 / (1.0 + 10_f64.powf(distance / 400.0));
            matches += 1;
            expected += chance;
            variance += chance * (1.0 - chance);
            points += i64::from(mine) - i64::from(theirs);
            ahead += match mine.cmp(&theirs) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
        let surplus: f64 = ahead - expected;
        if matches < MEETINGS_MIN || surplus.abs() < DEVIATIONS_AHEAD * variance.sqrt() {
            return None;
        }
        Some(if surplus > 0.0 {
            Flow {
                winner: one,
                loser: other,
                matches,
                ahead,
                expected,
                points,
            }
        } else {
            Flow {
                winner: other,
                loser: one,
                matches,
                ahead: float(matches) - ahead,
                expected: float(matches) - expected,
                points: -points,
            }
        })
    }
}

/// How much somebody played in a queue.
#[derive(Clone, Copy, Debug, Default)]
struct Played {
    matches: usize,
    /// Seats of others at those tables.
    beside: usize,
}

/// Pairs who met several times, the most frequent first.
#[must_use]
pub fn pairs(pairings: &[v1::Pairing]) -> Vec<Pair> {
    let mut met: BTreeMap<(Uuid, Uuid), Vec<Met>> = BTreeMap::new();
    let mut played: HashMap<(&str, Uuid), Played> = HashMap::new();
    let mut seats: HashMap<&str, usize> = HashMap::new();
    for pairing in pairings {
        let Ok(match_id) = pairing.match_id.parse() else {
            continue;
        };
        let people: Vec<(Uuid, &v1::PairedPlayer)> = pairing
            .players
            .iter()
            .filter_map(|player| Some((player.player_id.parse().ok()?, player)))
            .collect();
        let queue = pairing.queue_id.as_str();
        *seats.entry(queue).or_default() += people.len();
        for (place, &(id, player)) in people.iter().enumerate() {
            let sum = played.entry((queue, id)).or_default();
            sum.matches += 1;
            sum.beside += people.len() - 1;
            for &(other_id, other) in &people[place + 1..] {
                if player.party > 0 && player.party == other.party {
                    continue;
                }
                let in_order = id < other_id;
                let (ids, ratings) = if in_order {
                    ((id, other_id), (player.rating, other.rating))
                } else {
                    ((other_id, id), (other.rating, player.rating))
                };
                met.entry(ids).or_default().push(Met {
                    match_id,
                    made_ms: pairing.made_ms,
                    ratings,
                });
            }
        }
    }
    let expected = |(one, other): (Uuid, Uuid)| -> f64 {
        let by_queue = seats.iter().filter_map(|(&queue, &seats)| {
            let one = played.get(&(queue, one))?;
            let other = played.get(&(queue, other))?;
            let others = seats.saturating_sub(one.matches).max(1);
            Some(float(one.beside) * float(other.matches) / float(others))
        });
        by_queue.sum()
    };
    let often = met.into_iter().filter(|(_, met)| met.len() >= MEETINGS_MIN);
    let mut pairs: Vec<Pair> = often
        .map(|(players, mut matches)| {
            matches.sort_unstable_by_key(|met| std::cmp::Reverse(met.made_ms));
            Pair {
                players,
                matches,
                expected: expected(players),
            }
        })
        .collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.matches.len()));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> Uuid {
        Uuid::from_u128(number as u128)
    }

    /// A table of players, all of them rated 1,200.
    fn table(number: usize, players: [usize; 4]) -> v1::Pairing {
        let player = |number: usize| v1::PairedPlayer {
            player_id: id(number).to_string(),
            rating: 1_200,
            ..v1::PairedPlayer::default()
        };
        v1::Pairing {
            match_id: id(number).to_string(),
            queue_id: "ranked-brixental-4".to_owned(),
            made_ms: i64::try_from(number).unwrap(),
            players: players.map(player).into(),
            ..v1::Pairing::default()
        }
    }

    /// A crowd of 400 in which everybody meets others, and players 1 and 2 meet so often.
    fn season(together: usize) -> Vec<v1::Pairing> {
        let mut random = fastrand::Rng::with_seed(1);
        let mut tables: Vec<v1::Pairing> = (0..1_000)
            .map(|number| {
                let drawn = random.choose_multiple(3..400, 4);
                table(1_000 + number, [drawn[0], drawn[1], drawn[2], drawn[3]])
            })
            .collect();
        for number in 0..together {
            let drawn = random.choose_multiple(3..400, 2);
            tables.push(table(number, [1, 2, drawn[0], drawn[1]]));
        }
        tables
    }

    #[test]
    fn a_pair_that_meets_again_and_again_in_a_crowd_stands_out_alone() {
        let found: Vec<Pair> = pairs(&season(9))
            .into_iter()
            .filter(Pair::is_too_often)
            .collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].players, found[0].matches.len()),
            ((id(1), id(2)), 9)
        );
        assert!(found[0].expected < 0.1);
        let newest = found[0].matches.iter().map(|met| met.match_id);
        assert!(newest.eq((0..9).rev().map(id)));
    }

    #[test]
    fn four_meetings_are_none_and_few_players_meet_often_by_chance() {
        assert_eq!(pairs(&season(4)), []);
        let night: Vec<v1::Pairing> = (0..20).map(|n| table(n, [1, 2, 3, 4])).collect();
        let found = pairs(&night);
        assert_eq!(found.len(), 6);
        assert!(!found.iter().any(Pair::is_too_often));
    }

    #[test]
    fn friends_who_queue_together_are_no_signal() {
        let mut tables = season(9);
        for table in &mut tables[1_000..] {
            table.players[0].party = 1;
            table.players[1].party = 1;
        }
        assert_eq!(pairs(&tables), []);
    }

    #[test]
    fn points_that_always_go_one_way_between_equals_are_a_signal() {
        let pair = pairs(&season(12)).remove(0);
        let scores = |ahead: usize| -> HashMap<Uuid, HashMap<Uuid, i32>> {
            let of = |number: usize| {
                let lead = if number < ahead { 10 } else { -10 };
                (id(number), HashMap::from([(id(1), 0), (id(2), lead)]))
            };
            // The result of one is not known.
            (0..11).map(of).collect()
        };
        let flow = pair.flow(&scores(11)).unwrap();
        assert_eq!((flow.winner, flow.loser, flow.matches), (id(2), id(1), 11));
        assert_eq!((flow.ahead, flow.expected, flow.points), (11.0, 5.5, 110));
        let flow = pair.flow(&scores(0)).unwrap();
        assert_eq!((flow.winner, flow.ahead, flow.points), (id(1), 11.0, 110));
        assert_eq!(pair.flow(&scores(8)), None);
        assert_eq!(pair.flow(&HashMap::new()), None);
    }

    #[test]
    fn the_stronger_player_may_always_win() {
        let mut tables = season(12);
        for table in &mut tables[1_000..] {
            table.players[1].rating = 2_000;
        }
        let pair = pairs(&tables).remove(0);
        let of = |number| (id(number), HashMap::from([(id(1), 0), (id(2), 10)]));
        assert_eq!(pair.flow(&(0..12).map(of).collect()), None);
    }
}
