//! A session: a series of deals, its scores, and when it is over.

use crate::{
    options::Length,
    rulesets::Rules,
    score::DealEnd,
    seat::{BySeat, Seat},
    settlement::Settlement,
};

/// The deal that is to be played next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextDeal {
    /// Counted from 1 over the session, thrown-in deals included.
    pub number: u32,
    /// Who deals.
    pub dealer: Seat,
}

/// What a finished deal did to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// What each seat's score changed by.
    pub points: BySeat<i32>,
    /// Whether the deal counts, so that the deal moves on.
    pub counted: bool,
}

/// The state of a session between deals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    rules: Rules,
    first_dealer: Seat,
    dealer: Seat,
    deals: u32,
    counted: u32,
    thrown_in: u16,
    target_passed: bool,
    scores: BySeat<i32>,
}

impl Session {
    /// A session in which this seat deals first.
    #[must_use]
    pub fn new(rules: Rules, first_dealer: Seat) -> Self {
        Self {
            rules,
            first_dealer,
            dealer: first_dealer,
            deals: 0,
            counted: 0,
            thrown_in: 0,
            target_passed: false,
            scores: BySeat::default(),
        }
    }

    /// The rules it is played by.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Each seat's score.
    #[must_use]
    pub const fn scores(&self) -> &BySeat<i32> {
        &self.scores
    }

    /// The next deal; none when the session is over.
    #[must_use]
    pub fn next_deal(&self) -> Option<NextDeal> {
        (!self.is_over()).then_some(NextDeal {
            number: self.deals + 1,
            dealer: self.dealer,
        })
    }

    /// Takes the end of the deal that [`Session::next_deal`] announced.
    pub fn record(&mut self, end: &DealEnd) -> Recorded {
        self.deals += 1;
        let (points, counted) = match end {
            DealEnd::ThrownIn => {
                self.thrown_in += 1;
                let moves_on = self.thrown_in == self.rules.options.max_thrown_in;
                (BySeat::default(), moves_on)
            }
            DealEnd::Played(outcome) => (outcome.points(), true),
        };
        if counted {
            self.thrown_in = 0;
            self.counted += 1;
            self.dealer = self.dealer.left(self.rules.players());
        }
        for seat in self.rules.seats() {
            self.scores[seat] += points[seat];
        }
        if let Length::Points(target) = self.rules.options.length {
            let mut scores = self.scores.first(self.rules.players()).iter();
            self.target_passed |= scores.any(|&score| score > i32::from(target));
        }
        Recorded { points, counted }
    }

    /// Whether the session is over: only ever at the end of a round, when all have dealt
    /// equally often.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let players = u32::from(self.rules.players());
        let rounds = self.counted / players;
        if rounds == 0 || !self.counted.is_multiple_of(players) {
            return false;
        }
        match self.rules.options.length {
            Length::Points(_) => {
                self.target_passed || rounds >= u32::from(self.rules.options.max_rounds)
            }
            Length::Rounds(length) => rounds >= u32::from(length),
        }
    }

    /// The settlement by the scores as they stand.
    #[must_use]
    pub fn settlement(&self) -> Settlement {
        Settlement::new(&self.rules, &self.scores, self.first_dealer)
    }
}
