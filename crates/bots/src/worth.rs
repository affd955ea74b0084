//! What a card is worth when it is kept, in card points for the seat's side.
//!
//! A point card is worth what of it will be won at home; a card that wins tricks also what it
//! will catch there; a trump what it will ruff.

use rules::{Card, CardSet, DealView};

use crate::knowledge::Knowledge;

/// What a winner catches of the others' cards.
const CATCH: f32 = 5.0;
/// What a trump is good for besides its own points: any, and one that cannot be beaten.
const TRUMP: f32 = 3.0;
const HIGH_TRUMP: f32 = 5.0;
/// How likely a card that can be beaten comes home all the same: once the higher cards are
/// drawn, if a lower card can be played to them, or given to a partner's trick.
const GUARDED: f32 = 0.4;
const BARE: f32 = 0.2;
const GIVEN: f32 = 0.45;
/// How likely a side-suit winner is ruffed in the end, for each side.
const RUFFED: f32 = 0.25;
/// How likely the Spatz wins a trick later: of a declarer with more trumps than are out, and
/// otherwise.
const SPATZ_LAST: f32 = 0.7;
const SPATZ_SOMETIMES: f32 = 0.12;

/// The cards that a seat has to judge.
pub(crate) struct Worth<'a> {
    knowledge: &'a Knowledge,
    hand: CardSet,
    /// What the Spatz is worth in card points, before the last trick and in it.
    spatz: (f32, f32),
    /// How many trumps the opponents are expected to hold.
    pub(crate) trumps_out: f32,
}

impl<'a> Worth<'a> {
    pub(crate) fn new(view: &DealView, knowledge: &'a Knowledge) -> Self {
        let trumps = CardSet::FULL.of_suit(knowledge.trump);
        Self {
            knowledge,
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
        self.hand.of_suit(self.knowledge.trump).len()
    }

    /// What keeping a card of the hand is worth.
    pub(crate) fn of(&self, card: Card) -> f32 {
        if self.hand.len() == 1 {
            return 0.0;
        }
        if card.suit() == self.knowledge.trump {
            self.of_trump(card)
        } else {
            self.of_side(card)
        }
    }

    fn of_trump(&self, card: Card) -> f32 {
        let stands = self.knowledge.stands(card);
        let points = f32::from(card.points());
        let safe = stands.max(self.fallback(card));
        let mut worth = points * safe + TRUMP + HIGH_TRUMP * stands;
        if card == Card::SPATZ {
            let last = self.knowledge.is_declarer() && self.trumps() as f32 > self.trumps_out;
            let chance = if last { SPATZ_LAST } else { SPATZ_SOMETIMES };
            worth += self.spatz.1 * chance;
        }
        worth
    }

    fn of_side(&self, card: Card) -> f32 {
        let ruffed = if self.trumps_out > 0.0 { RUFFED } else { 0.0 };
        let wins = self.knowledge.stands(card) * (1.0 - ruffed);
        let points = f32::from(card.points());
        points * wins.max(self.fallback(card)) + CATCH * wins
    }

    /// How likely a card's points come home if it does not win by itself.
    fn fallback(&self, card: Card) -> f32 {
        let lower = self.hand.of_suit(card.suit()).any(|other| other < card);
        let stands = self.knowledge.stands(card);
        let drawn = if lower { GUARDED } else { BARE };
        let given = if self.knowledge.is_declarer() {
            0.0
        } else {
            GIVEN
        };
        stands + (1.0 - stands) * drawn.max(given)
    }
}

/// What the Spatz brings in card points: its points are booked for one side and against the
/// other, whereas card points are multiplied by the contract.
fn spatz_points(view: &DealView) -> (f32, f32) {
    let rules = &view.rules;
    let multiplier = view
        .declaration
        .map_or(1, |declared| rules.contract(declared.contract).multiplier);
    let divisor = if rules.options.spatz_multiplied {
        1
    } else {
        multiplier.max(1)
    };
    let (early, last) = rules.set().spatz;
    let both_sides = |points: i32| (2 * points) as f32 / divisor as f32;
    (both_sides(early), both_sides(last))
}
