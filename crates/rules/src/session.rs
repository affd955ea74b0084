//! A session: a series of deals, its scores, its pot, and when it is over.

use crate::{
    options::Length,
    rules::Rules,
    rulesets::NextDealer,
    score::{DealEnd, Paid},
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

/// The state of a session. Its scores and its pot add up to zero in a game with a pot.
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
    pot: i32,
    staked: i32,
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
            pot: 0,
            staked: 0,
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

    /// What is in the pot (Haferl).
    #[must_use]
    pub const fn pot(&self) -> i32 {
        self.pot
    }

    /// The next deal; none when the session is over.
    #[must_use]
    pub fn next_deal(&self) -> Option<NextDeal> {
        (!self.is_over()).then_some(NextDeal {
            number: self.deals + 1,
            dealer: self.dealer,
        })
    }

    /// What each seat paid into the pot at the start of the latest deal.
    #[must_use]
    pub const fn staked(&self) -> i32 {
        self.staked
    }

    /// Starts the deal that [`Session::next_deal`] announced: everyone fills an empty pot.
    pub fn start_deal(&mut self) {
        let fills = self.pot == 0 && self.rules.has_pot();
        self.staked = if fills {
            self.rules.options.stake.into()
        } else {
            0
        };
        for seat in self.rules.seats() {
            self.scores[seat] -= self.staked;
            self.pot += self.staked;
        }
    }

    /// Takes the end of the deal that was started.
    pub fn record(&mut self, end: &DealEnd) -> Recorded {
        self.deals += 1;
        let (paid, counted) = match end {
            DealEnd::ThrownIn => {
                self.thrown_in += 1;
                let nothing = Paid {
                    points: BySeat::default(),
                    pot: self.pot,
                };
                (nothing, self.thrown_in == self.rules.options.max_thrown_in)
            }
            DealEnd::Played(outcome) => (outcome.pay(self.rules.players(), self.pot), true),
        };
        if counted {
            self.thrown_in = 0;
            self.counted += 1;
            self.dealer = self.dealer_after(end);
        }
        self.pot = paid.pot;
        for seat in self.rules.seats() {
            self.scores[seat] += paid.points[seat];
        }
        if let Length::Points(target) = self.rules.options.length {
            let mut scores = self.scores.first(self.rules.players()).iter();
            self.target_passed |= scores.any(|&score| score > i32::from(target));
        }
        Recorded {
            points: paid.points,
            counted,
        }
    }

    /// Who deals after a deal that counts.
    fn dealer_after(&self, end: &DealEnd) -> Seat {
        match (self.rules.set().next_dealer, end) {
            (NextDealer::Declarer, DealEnd::Played(outcome)) => outcome.declaration.declarer,
            _ => self.dealer.left(self.rules.players()),
        }
    }

    /// Whether the session is over: only ever at the end of a round, of as many counted deals
    /// as there are players.
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

    /// The end of the session, by the scores and the pot as they stand.
    #[must_use]
    pub fn settlement(&self) -> Settlement {
        Settlement::new(&self.rules, &self.scores, self.pot, self.first_dealer)
    }
}
