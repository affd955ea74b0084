//! Which card to play.
//!
//! Each card is judged by what the trick brings the seat's side if it is played, less what it
//! is worth when it is kept. That is all it takes to win when it pays, to give points to a
//! partner's trick and none to the other side's, and to win as cheaply as possible.

use rules::{Card, CardSet, DealView, Target};

use crate::{
    knowledge::Knowledge,
    trick::Trick,
    weights::{self, Weights},
    worth::Worth,
};

/// What a trick is worth besides its points where every single one counts.
const EVERY_TRICK: f32 = 60.0;

/// The card to play of these.
pub(crate) fn card(view: &DealView, playable: CardSet) -> Option<Card> {
    if playable.len() < 2 {
        return playable.lowest();
    }
    let knowledge = Knowledge::new(view)?;
    let weights = if knowledge.is_declarer() {
        &weights::DECLARER
    } else {
        &weights::DEFENDER
    };
    let player = Player {
        weights,
        view,
        hand: view.hand,
        trick: Trick::new(view, &knowledge),
        worth: Worth::new(view, &knowledge, weights),
        knowledge: &knowledge,
    };
    // Of equally good ones the first, so that the choice is a function of the view.
    let mut best: Option<(Card, f32)> = None;
    for card in playable {
        let gain = player.gain(card);
        if best.is_none_or(|(_, most)| gain > most) {
            best = Some((card, gain));
        }
    }
    best.map(|(card, _)| card)
}

struct Player<'a> {
    view: &'a DealView,
    hand: CardSet,
    weights: &'a Weights,
    knowledge: &'a Knowledge,
    trick: Trick<'a>,
    worth: Worth<'a>,
}

impl Player<'_> {
    /// What playing a card gains in card points, compared with another card.
    fn gain(&self, card: Card) -> f32 {
        let chance = self.trick.win_chance(card);
        let points = f32::from(self.trick.points) + f32::from(card.points());
        let trick = points + self.trick.to_come(card, self.weights) + self.for_the_trick_itself();
        let mut gain = chance * trick + self.by_spatz(card, chance) - self.worth.of(card)
            + self.weights.lead * self.trick.stays_best(card);
        if self.trick.led.is_none() {
            gain += self.by_lead(card);
        }
        gain
    }

    /// What winning a trick is worth besides its points.
    fn for_the_trick_itself(&self) -> f32 {
        let contract = self
            .view
            .declaration
            .map(|declared| self.view.rules.contract(declared.contract));
        match contract.map(|contract| contract.target) {
            Some(Target::EveryTrick) => EVERY_TRICK,
            Some(Target::Points(_)) | None => 0.0,
        }
    }

    /// What winning with the Spatz, or beating the opponents', is worth.
    fn by_spatz(&self, card: Card, win_chance: f32) -> f32 {
        if card == Card::SPATZ {
            return self.worth.spatz_now() * self.trick.stays_best(card);
        }
        match self.trick.best {
            Some((Card::SPATZ, by)) if !self.knowledge.ally(by) => {
                self.worth.spatz_now() * win_chance
            }
            _ => 0.0,
        }
    }

    fn by_lead(&self, card: Card) -> f32 {
        let w = self.weights;
        if card.suit() == self.knowledge.trump {
            let trumps = CardSet::FULL.of_suit(card.suit());
            let fall: f32 = self
                .knowledge
                .opponents()
                .map(|seat| 1.0 - self.knowledge.holds_none(seat, trumps))
                .sum();
            let rest = self.worth.trumps() as f32 > self.worth.trumps_out;
            return fall * (w.draw + if rest { w.draw_rest } else { 0.0 });
        }
        let last = self.hand.of_suit(card.suit()).len() == 1;
        let mut v = -w.lead_loser * (1.0 - self.knowledge.stands(card));
        if last && self.worth.trumps() > 0 {
            v += w.void
        }
        v += w.force * self.worth.ruff_chance(card) * (1.0 - self.knowledge.stands(card));
        v
    }
}
