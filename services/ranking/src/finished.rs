//! A finished match as it is reported, checked: what comes in here is what the ladder believes.

use chassis::{ErrorCode, Failure};
use proto::v1::{self, RecordMatchRequest};
use rating::{elo, line::End};
use uuid::Uuid;

/// Longest id of a rule set.
const MAX_RULESET_LEN: usize = 32;

/// One player's end of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finish {
    pub(crate) player: Uuid,
    pub(crate) place: u32,
    pub(crate) score: i32,
    pub(crate) abandoned: bool,
}

impl Finish {
    /// What of it counts for the ratings.
    pub(crate) const fn end(&self) -> End {
        End {
            player: self.player.as_u128(),
            place: self.place,
            abandoned: self.abandoned,
        }
    }
}

/// A finished match. The finishes are in the order of the report; the order says nothing.
#[derive(Clone, Debug)]
pub(crate) struct FinishedMatch {
    pub(crate) id: Uuid,
    pub(crate) ruleset: String,
    pub(crate) ended_ms: i64,
    pub(crate) finishes: Vec<Finish>,
}

fn bad(expected: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::BadRequest, expected)
}

/// Reads a UUID; `name` says in the error where it stood.
pub(crate) fn uuid(name: &str, text: &str) -> Result<Uuid, Failure> {
    text.parse()
        .map_err(|_| bad(format!("{name}: expected a UUID")))
}

/// Refuses what cannot be the id of a rule set. Which rule sets there are is not known here.
pub(crate) fn check_ruleset(id: &str) -> Result<(), Failure> {
    let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    if (1..=MAX_RULESET_LEN).contains(&id.len()) && id.bytes().all(allowed) {
        return Ok(());
    }
    Err(bad(format!(
        "ruleset: expected 1 to {MAX_RULESET_LEN} of a-z, 0-9, _ and -"
    )))
}

impl TryFrom<&v1::Finish> for Finish {
    type Error = Failure;

    fn try_from(finish: &v1::Finish) -> Result<Self, Failure> {
        Ok(Self {
            player: uuid("finishes.player_id", &finish.player_id)?,
            place: finish.place,
            score: finish.score,
            abandoned: finish.abandoned,
        })
    }
}

impl TryFrom<&RecordMatchRequest> for FinishedMatch {
    type Error = Failure;

    /// # Errors
    /// `bad_request`, with what was expected.
    fn try_from(request: &RecordMatchRequest) -> Result<Self, Failure> {
        check_ruleset(&request.ruleset)?;
        if request.ended_ms < 0 {
            return Err(bad("ended_ms: expected milliseconds since 1970"));
        }
        // Counted before anything is made of them.
        if !(2..=elo::MAX_PLAYERS).contains(&request.finishes.len()) {
            return Err(bad(format!("finishes: expected 2 to {}", elo::MAX_PLAYERS)));
        }
        let finishes = request
            .finishes
            .iter()
            .map(Finish::try_from)
            .collect::<Result<Vec<_>, _>>()?;
        check_standing(&finishes)?;
        Ok(Self {
            id: uuid("match_id", &request.match_id)?,
            ruleset: request.ruleset.clone(),
            ended_ms: request.ended_ms,
            finishes,
        })
    }
}

/// Players are distinct, places are a competition ranking, and among those who stayed they
/// follow the scores. Where a leaver stands is the table's business: rating ranks them last.
fn check_standing(finishes: &[Finish]) -> Result<(), Failure> {
    for (i, finish) in finishes.iter().enumerate() {
        let others = || finishes[..i].iter().chain(&finishes[i + 1..]);
        if others().any(|other| other.player == finish.player) {
            return Err(bad("finishes.player_id: expected every player once"));
        }
        let ahead = others().filter(|other| other.place < finish.place).count();
        if usize::try_from(finish.place) != Ok(ahead + 1) {
            return Err(bad(
                "finishes.place: expected a competition ranking, such as 1, 2, 2, 4",
            ));
        }
        let follows = |other: &Finish| {
            finish.place.cmp(&other.place) == finish.score.cmp(&other.score).reverse()
        };
        if !finish.abandoned && !others().filter(|o| !o.abandoned).all(follows) {
            return Err(bad(
                "finishes.place: expected to follow the scores, equal scores sharing a place",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(finishes: &[(u128, u32, i32, bool)]) -> RecordMatchRequest {
        let finish = |&(player, place, score, abandoned)| v1::Finish {
            player_id: Uuid::from_u128(player).to_string(),
            place,
            score,
            abandoned,
        };
        RecordMatchRequest {
            match_id: Uuid::from_u128(7).to_string(),
            ruleset: "brixental".to_owned(),
            ended_ms: 1,
            finishes: finishes.iter().map(finish).collect(),
        }
    }

    #[track_caller]
    fn refused(request: &RecordMatchRequest, field: &str) {
        let failure = FinishedMatch::try_from(request).expect_err("a bad request");
        assert_eq!(failure.code, ErrorCode::BadRequest);
        assert!(failure.detail.starts_with(field), "{failure}");
    }

    #[track_caller]
    fn accepted(finishes: &[(u128, u32, i32, bool)]) {
        let finished = FinishedMatch::try_from(&request(finishes)).expect("a good request");
        assert_eq!(finished.finishes.len(), finishes.len());
    }

    #[test]
    fn standings_with_ties_are_accepted() {
        accepted(&[(1, 1, 9, false), (2, 2, 4, false)]);
        accepted(&[(1, 2, 4, false), (2, 1, 9, false), (3, 2, 4, false)]);
        accepted(&[
            (1, 1, 9, false),
            (2, 2, 4, false),
            (3, 2, 4, false),
            (4, 4, -9, false),
        ]);
        accepted(&[
            (1, 1, 0, false),
            (2, 1, 0, false),
            (3, 1, 0, false),
            (4, 1, 0, false),
        ]);
    }

    #[test]
    fn a_leaver_may_stand_by_score_or_last() {
        accepted(&[(1, 1, 9, true), (2, 2, 4, false), (3, 3, 1, false)]);
        accepted(&[(1, 3, 9, true), (2, 1, 4, false), (3, 2, 1, false)]);
    }

    #[test]
    fn two_to_four_distinct_players_are_expected() {
        refused(&request(&[(1, 1, 9, false)]), "finishes: expected 2 to 4");
        let five = [1, 2, 3, 4, 5].map(|i| (u128::from(i), i, 0 - i as i32, false));
        refused(&request(&five), "finishes: expected 2 to 4");
        let twice = [(1, 1, 9, false), (1, 2, 4, false)];
        refused(&request(&twice), "finishes.player_id: expected every");
    }

    #[test]
    fn places_that_do_not_fit_the_scores_are_refused() {
        for finishes in [
            [(1, 1, 4, false), (2, 2, 9, false), (3, 3, 1, false)],
            [(1, 1, 9, false), (2, 1, 4, false), (3, 3, 1, false)],
            [(1, 1, 4, false), (2, 2, 4, false), (3, 3, 1, false)],
            // No competition rankings.
            [(1, 1, 9, false), (2, 2, 4, false), (3, 2, 1, false)],
            [(1, 1, 9, false), (2, 1, 9, false), (3, 2, 1, false)],
            [(1, 0, 9, false), (2, 1, 4, false), (3, 2, 1, false)],
            [(1, 2, 9, false), (2, 3, 4, false), (3, 4, 1, false)],
            [(1, 1, 9, false), (2, u32::MAX, 4, false), (3, 3, 5, false)],
        ] {
            refused(&request(&finishes), "finishes.place");
        }
    }

    #[test]
    fn ids_and_instants_are_checked() {
        let good = request(&[(1, 1, 9, false), (2, 2, 4, false)]);
        for ruleset in ["", "Brixental", "brix ental", "a;b", &"x".repeat(33)] {
            let ruleset = ruleset.to_owned();
            let bad = RecordMatchRequest {
                ruleset,
                ..good.clone()
            };
            refused(&bad, "ruleset");
        }
        let match_id = "17".to_owned();
        refused(
            &RecordMatchRequest {
                match_id,
                ..good.clone()
            },
            "match_id",
        );
        refused(
            &RecordMatchRequest {
                ended_ms: -1,
                ..good.clone()
            },
            "ended_ms",
        );
        let mut bad = good;
        bad.finishes[1].player_id = "toni".to_owned();
        refused(&bad, "finishes.player_id");
    }
}
