//! What a deal of the four games after Brixental brings, and a series of such deals.

use super::{
    game::{Game, Step},
    worth,
};

/// How a deal ended that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) declarer: usize,
    pub(crate) contract: String,
    /// None in a Bettel.
    pub(crate) card_points: Option<u32>,
    pub(crate) tricks: usize,
    pub(crate) made: bool,
    /// What each seat's score changes by.
    pub(crate) points: Vec<i32>,
    /// What is in the pot afterwards.
    pub(crate) pot: i32,
}

impl Game {
    /// The score of a deal that is over; none when it was thrown in.
    pub(crate) fn score(&self, pot: i32) -> Option<Score> {
        assert_eq!(self.step(), Step::Over);
        let (declarer, contract) = self.declared()?;
        let finished = self.finished();
        let won: Vec<_> = finished
            .iter()
            .filter(|t| self.winner(t).0 == declarer)
            .collect();
        let bettel = contract.is_bettel();
        let a = if won.is_empty() {
            0
        } else {
            let played = won
                .iter()
                .flat_map(|trick| trick.iter().map(|(_, card)| card));
            let beside = self.discards.as_ref().unwrap_or(&self.talon);
            played.chain(beside).map(|card| worth(card)).sum::<u32>()
        };
        let made = match contract.needs {
            Some(needs) => a >= needs,
            None if bettel => won.is_empty(),
            None => won.len() == self.hand_size(),
        };
        let mut score = Score {
            declarer,
            contract: contract.name.clone(),
            card_points: (!bettel).then_some(a),
            tricks: won.len(),
            made,
            points: vec![0; self.players],
            pot,
        };
        let signed_a = i32::try_from(a).unwrap();
        match self.id.as_str() {
            "bauerntarock" => {
                let mut value = self.multiplier() * (signed_a - 60);
                if won.is_empty() {
                    value *= self
                        .option("matsch_factor")
                        .unwrap()
                        .parse::<i32>()
                        .unwrap();
                }
                score.points[declarer] = value + self.spatz_on_the_declarers_account();
            }
            "dobbm" => {
                let value = self.multiplier() * (signed_a - 60) + self.spatz_of_dobbm();
                self.pay_each(&mut score, value);
            }
            _ => {
                let mut v = contract.worth;
                if self.id == "haferltarock" && made && !bettel {
                    v += i32::from(a >= 91) + i32::from(a == 120);
                }
                if contract.from_pot {
                    self.by_pot(&mut score, v);
                } else {
                    let each = if self.id == "bavarian" { 2 * v } else { v };
                    self.pay_each(&mut score, if made { each } else { -each });
                }
            }
        }
        Some(score)
    }

    /// m: 1 or 2, twice that when doubled, four times when redoubled.
    fn multiplier(&self) -> i32 {
        let said = |wanted| self.doubles.iter().any(|(_, word)| word == wanted);
        let (_, contract) = self.declared().unwrap();
        let doubled = if said("double") { 2 } else { 1 };
        let redoubled = if said("redouble") { 2 } else { 1 };
        contract.worth * doubled * redoubled
    }

    /// Each opponent pays the declarer so much, or gets it.
    fn pay_each(&self, score: &mut Score, amount: i32) {
        for seat in 0..self.players {
            if seat == score.declarer {
                score.points[seat] += amount * (i32::try_from(self.players).unwrap() - 1);
            } else {
                score.points[seat] -= amount;
            }
        }
    }

    fn by_pot(&self, score: &mut Score, v: i32) {
        let out_of_pot = if v > score.pot { score.pot } else { v };
        score.pot -= out_of_pot;
        let first = (score.declarer + 1) % 3;
        let other = (score.declarer + 2) % 3;
        if score.made {
            score.points[score.declarer] = out_of_pot;
        } else {
            score.points[first] = out_of_pot;
            score.points[other] = v;
            score.points[score.declarer] = -v;
        }
    }

    /// The trick in which the six of hearts lies: whether it is the last, who played the card,
    /// who wins, and whether with this card.
    fn spatz_trick(&self) -> Option<(bool, usize, usize, bool)> {
        let finished = self.finished();
        let holds = |trick: &&[(usize, String)]| trick.iter().any(|(_, card)| card == "H6");
        let number = finished.iter().position(holds)?;
        let trick = finished[number];
        let (by, _) = trick.iter().find(|(_, card)| card == "H6").unwrap();
        let (winner, best) = self.winner(trick);
        Some((number + 1 == self.hand_size(), *by, *winner, best == "H6"))
    }

    fn spatz_on_the_declarers_account(&self) -> i32 {
        let (declarer, _) = self.declared().unwrap();
        let Some((last, by, winner, wins)) = self.spatz_trick() else {
            return 0;
        };
        let (mine, taken) = (by == declarer, winner == declarer);
        let points = match (mine, taken) {
            // Lost to the other side.
            (true, false) => {
                if last {
                    -10
                } else {
                    -5
                }
            }
            (false, true) => {
                if last {
                    10
                } else {
                    5
                }
            }
            // The last trick won with it.
            (true, true) if last && wins => 10,
            (false, false) if last && wins => -10,
            _ => 0,
        };
        points * self.multiplier()
    }

    /// What each opponent pays the declarer for it.
    fn spatz_of_dobbm(&self) -> i32 {
        if self.option("spatz") != Some("true") {
            return 0;
        }
        let (declarer, _) = self.declared().unwrap();
        match self.spatz_trick() {
            Some((last, by, _, true)) => {
                let mut points = if last { 10 } else { 5 };
                if self.option("spatz_multiplied") == Some("true") {
                    points *= self.multiplier();
                }
                if by == declarer { points } else { -points }
            }
            _ => 0,
        }
    }
}

/// A series of deals.
pub(crate) struct Series {
    id: String,
    players: usize,
    first_dealer: usize,
    options: Vec<(String, String)>,
    pub(crate) dealer: usize,
    pub(crate) scores: Vec<i32>,
    pub(crate) pot: i32,
    /// The scores after each deal that counts.
    counted: Vec<Vec<i32>>,
    thrown_in_a_row: u32,
}

impl Series {
    pub(crate) fn new(
        id: &str,
        players: usize,
        first_dealer: usize,
        options: Vec<(String, String)>,
    ) -> Self {
        Self {
            id: id.to_owned(),
            players,
            first_dealer,
            options,
            dealer: first_dealer,
            scores: vec![0; players],
            pot: 0,
            counted: Vec::new(),
            thrown_in_a_row: 0,
        }
    }

    fn option(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().find(|(option, _)| option == name);
        found.map(|(_, value)| value.as_str())
    }

    fn number(&self, name: &str) -> u32 {
        self.option(name).unwrap().parse().unwrap()
    }

    /// An empty pot is filled; returns what each has paid.
    pub(crate) fn start_deal(&mut self) -> i32 {
        let pot = self.id == "bavarian" || self.option("pay_from") == Some("pot");
        if !pot || self.pot != 0 {
            return 0;
        }
        let stake = i32::try_from(self.number("stake")).unwrap();
        for score in &mut self.scores {
            *score -= stake;
            self.pot += stake;
        }
        stake
    }

    /// Books a deal; returns whether it counts.
    pub(crate) fn record(&mut self, score: Option<&Score>) -> bool {
        if let Some(score) = score {
            for (total, points) in self.scores.iter_mut().zip(&score.points) {
                *total += points;
            }
            self.pot = score.pot;
            self.thrown_in_a_row = 0;
            self.dealer = if self.id == "dobbm" {
                score.declarer
            } else {
                (self.dealer + 1) % self.players
            };
        } else {
            self.thrown_in_a_row += 1;
            let counts_at_once = matches!(self.id.as_str(), "bavarian" | "haferltarock");
            if !counts_at_once && self.thrown_in_a_row < self.number("max_thrown_in") {
                return false;
            }
            self.thrown_in_a_row = 0;
            self.dealer = (self.dealer + 1) % self.players;
        }
        self.counted.push(self.scores.clone());
        true
    }

    pub(crate) fn is_over(&self) -> bool {
        let rounds = self.counted.len() / self.players;
        if rounds * self.players != self.counted.len() || rounds == 0 {
            return false;
        }
        let length = self.option("length").unwrap().trim_end_matches(')');
        let (unit, n) = length.split_once('(').unwrap();
        let n: i32 = n.parse().unwrap();
        if unit == "rounds" {
            return rounds == usize::try_from(n).unwrap();
        }
        let passed = self.counted.iter().flatten().any(|&score| score > n);
        passed || rounds == usize::try_from(self.number("max_rounds")).unwrap()
    }

    /// The scores after sharing the pot, and what each gets or pays where it is settled.
    pub(crate) fn settled(&self) -> (Vec<i32>, Option<Vec<i32>>) {
        let mut scores = self.scores.clone();
        self.hand_out(self.pot, &mut scores, |_| true);
        if self.id != "bauerntarock" {
            return (scores, None);
        }
        let best = *scores.iter().max().unwrap();
        let worst = *scores.iter().min().unwrap();
        let mut payments = vec![0; self.players];
        if best > worst {
            for (payment, score) in payments.iter_mut().zip(&scores) {
                *payment = score - best - if *score == worst { 20 } else { 0 };
            }
            let paid: i32 = payments.iter().sum();
            self.hand_out(-paid, &mut payments, |seat| scores[seat] == best);
        }
        (scores, Some(payments))
    }

    /// One point after the other, so that those nearest after the first dealer get more.
    fn hand_out(&self, points: i32, to: &mut [i32], among: impl Fn(usize) -> bool) {
        let order = (1..=self.players).map(|n| (self.first_dealer + n) % self.players);
        let order: Vec<usize> = order.filter(|&seat| among(seat)).collect();
        for (_, &seat) in (0..points).zip(order.iter().cycle()) {
            to[seat] += 1;
        }
    }
}
