//! What a card is worth when it is kept, in card points for the seat's side.

use rules::{Booking, Card, CardSet, DealView, SpatzCounts};

use crate::{knowledge::Knowledge, trick::Trick, weights::Weights};

/// The cards that a seat has to judge.
pub(crate) struct Worth<'a> {
    knowledge: &'a Knowledge,
    weights: &'a Weights,
    hand: CardSet,
    spatz: Option<SpatzPoints>,
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
            spatz: SpatzPoints::new(view),
            trumps_out: knowledge
                .opponents()
                .map(|seat| knowledge.expected(seat, trumps))
                .sum(),
        }
    }

    /// What the Spatz brings by playing a card to the running trick, in card points, when the
    /// card wins it and when the seat's side does with these chances.
    pub(crate) fn spatz_now(&self, card: Card, trick: &Trick<'_>) -> f32 {
        let Some(spatz) = self.spatz else {
            return 0.0;
        };
        let points = if self.hand.len() == 1 {
            spatz.last
        } else {
            spatz.early
        };
        match (spatz.counts, trick.best) {
            (SpatzCounts::WinningTheTrick, _) if card == Card::SPATZ => {
                points * trick.stays_best(card)
            }
            (SpatzCounts::WinningTheTrick, Some((Card::SPATZ, by))) if !self.knowledge.ally(by) => {
                points * trick.win_chance(card)
            }
            (SpatzCounts::WinningTheTrick, _) => 0.0,
            (SpatzCounts::LostToTheOtherSide, _) if card == Card::SPATZ => {
                points * (trick.win_chance(card) - 1.0)
            }
            (SpatzCounts::LostToTheOtherSide, _) if trick.has_spatz => {
                points * trick.win_chance(card)
            }
            (SpatzCounts::LostToTheOtherSide, _) => 0.0,
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
            worth += self.spatz_later();
        }
        worth
    }

    /// What the Spatz is expected to bring when it is kept.
    fn spatz_later(&self) -> f32 {
        let Some(spatz) = self.spatz else {
            return 0.0;
        };
        let w = self.weights;
        if self.trumps() as f32 > self.trumps_out {
            return spatz.last * w.spatz_last;
        }
        match spatz.counts {
            SpatzCounts::WinningTheTrick => spatz.last * w.spatz_sometimes,
            SpatzCounts::LostToTheOtherSide => -spatz.last * w.spatz_caught,
        }
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

/// What the six of hearts (Spatz) brings the seat's side, in card points.
#[derive(Clone, Copy)]
struct SpatzPoints {
    counts: SpatzCounts,
    early: f32,
    last: f32,
}

impl SpatzPoints {
    /// `None` where it is a card like any other.
    ///
    /// What is booked for one side and against the other counts twice. Card points are
    /// multiplied by the contract, and the Spatz is not always.
    fn new(view: &DealView) -> Option<Self> {
        let rules = &view.rules;
        let spatz = rules.set().spatz.filter(|_| rules.options.spatz)?;
        let contract = rules.contract(view.declaration?.contract);
        let divisor = if rules.options.spatz_multiplied {
            1
        } else {
            contract.worth * view.doubling.factor()
        };
        let sides = match spatz.booking {
            Booking::EachParty => 2,
            Booking::DeclarerAlone | Booking::FromEach | Booking::Pot => 1,
        };
        let in_card_points = |points: i32| (sides * points) as f32 / divisor as f32;
        Some(Self {
            counts: spatz.counts,
            early: in_card_points(spatz.early),
            last: in_card_points(spatz.last),
        })
    }
}
