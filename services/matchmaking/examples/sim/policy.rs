//! Ways to match: ours, and two to hold it against.

use std::time::Duration;

use matchmaking::{
    Config,
    pass::{self, Candidate, Params, Window},
};

/// Seats of a table.
pub(crate) const SEATS: usize = 4;
/// Points up and down of the window that never widens: half of the tables are as close with ours.
const FIXED_POINTS: u32 = 150;

/// How tickets become tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// The pass as it runs.
    Widening,
    /// The four oldest tickets, whoever they are.
    FirstCome,
    /// The pass with a window that does not widen.
    Fixed,
}

impl Policy {
    pub(crate) const ALL: [Self; 3] = [Self::Widening, Self::FirstCome, Self::Fixed];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Widening => "spatz",
            Self::FirstCome => "first come",
            Self::Fixed => "fixed window",
        }
    }

    /// Groups of the waiting, who are oldest first, as places in their list.
    pub(crate) fn groups(self, waiting: &[Candidate], now_ms: i64) -> Vec<Vec<usize>> {
        let config = Config::default();
        let window = match self {
            Self::FirstCome => {
                let places: Vec<usize> = (0..waiting.len()).collect();
                return places.chunks_exact(SEATS).map(<[usize]>::to_vec).collect();
            }
            Self::Widening => config.window,
            Self::Fixed => Window {
                start: FIXED_POINTS,
                per_second: 0,
                unlimited_after: Duration::MAX,
            },
        };
        let params = Params {
            players: SEATS,
            window,
            bots_after: None,
            repeat_after: config.repeat_after,
        };
        let groups = pass::run(waiting, &params, now_ms);
        let places = |group: &pass::Group| group.members.iter().map(|m| m.candidate).collect();
        groups.iter().map(places).collect()
    }
}
