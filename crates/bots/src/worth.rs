//! What a card is worth when it is kept, in card points for the seat's side.

use rules::{Card, CardSet, DealView};

use crate::{knowledge::Knowledge, weights::Weights};

/// The cards that a seat has to judge.
pub(crate) struct Worth<'a> {
    knowledge: &'a Knowledge,
    weights: &'a Weights,
    hand: CardSet,
    /// What the Spatz is worth in card points, before the last trick and in it.
    spatz: (f32, f32),
    /// How many trumps the opponents are expected to hold.
    pub(crate) trumps_out: f32,
}

impl<'a> Worth<'a> {
    pub(crate) fn new(view: &DealView, knowledge: &'a Knowledge, weights: &'a Weights) -> Self {
        let trumps = knowledge.trumps();
        Self {
            knowledge,
            weights,
            hand: view.hand,
            spatz: spatz_points(view),
            trumps_out: knowledge
                .opponents()
                .map(|seat| knowledge.expected(seat, trumps))
                .sum(),
        }
    }

    /// What winning the running trick with the Spatz brings, in card points.
    pub(crate) fn spatz_now(&self) -> f32 {
        if self.hand.len() == 1 {
            self.spatz.1
        } else {
            self.spatz.0
        }
    }

    /// How many trumps the seat holds.
    pub(crate) fn trumps(&self) -> usize {
        self.hand.intersection(self.knowledge.trumps()).len()
    }

    /// What keeping a card of the hand is worth.
    pub(crate) fn of(&self, card: Card) -> f32 {
        if self.hand.len() == 1 {
            return 0.0;
        }
        if self.knowledge.trumps().contains(card) {
            self.of_trump(card)
        } else {
            self.of_side(card)
        }
    }

    fn of_trump(&self, card: Card) -> f32 {
        let stands = self.knowledge.stands(card);
        let points = f32::from(card.points());
        let w = self.weights;
        let mut worth = mix(
            stands,
            w.high_trump + w.high_trump_point * points,
            w.low_trump + w.low_trump_point * points,
        );
        if card == Card::SPATZ {
            let last = self.trumps() as f32 > self.trumps_out;
            let chance = if last {
                w.spatz_last
            } else {
                w.spatz_sometimes
            };
            worth += self.spatz.1 * chance;
        }
        worth
    }

    fn of_side(&self, card: Card) -> f32 {
        let stands = self.knowledge.stands(card);
        let points = f32::from(card.points());
        let w = self.weights;
        let lower = self.hand.of_suit(card.suit()).any(|other| other < card);
        let loser = if lower { w.guarded_point } else { w.bare_point };
        let wins = mix(
            self.ruff_chance(card),
            w.ruffed_point * points,
            w.winner + w.winner_point * points,
        );
        mix(stands, wins, loser * points)
    }

    /// The chance that an opponent could ruff the suit now.
    pub(crate) fn ruff_chance(&self, card: Card) -> f32 {
        let k = self.knowledge;
        let suit = CardSet::FULL.of_suit(card.suit());
        let trumps = k.trumps();
        let none: f32 = k
            .opponents()
            .map(|seat| 1.0 - k.holds_none(seat, suit) * (1.0 - k.holds_none(seat, trumps)))
            .product();
        1.0 - none
    }
}

fn mix(chance: f32, yes: f32, no: f32) -> f32 {
    chance * yes + (1.0 - chance) * no
}

/// What the Spatz brings in card points: its points are booked for one side and against the
/// other, whereas card points are multiplied by the contract.
fn spatz_points(view: &DealView) -> (f32, f32) {
    let rules = &view.rules;
    let Some(spatz) = rules.set().spatz.filter(|_| rules.options.spatz) else {
        return (0.0, 0.0);
    };
    let multiplier = view
        .declaration
        .map_or(1, |declared| rules.contract(declared.contract).worth);
    let divisor = if rules.options.spatz_multiplied {
        1
    } else {
        multiplier.max(1)
    };
    let both_sides = |points: i32| (2 * points) as f32 / divisor as f32;
    (both_sides(spatz.early), both_sides(spatz.last))
}
