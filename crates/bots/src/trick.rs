//! The running trick from a seat's side: who will win it, and what it will be worth.

use rules::{Card, DealView, Seat, Suit};

use crate::{knowledge::Knowledge, weights::Weights};

/// The running trick, which may be empty.
pub(crate) struct Trick<'a> {
    knowledge: &'a Knowledge,
    /// The suit led; `None` when the seat is to lead.
    pub(crate) led: Option<Suit>,
    /// The best card so far and who played it.
    pub(crate) best: Option<(Card, Seat)>,
    /// Card points on the table.
    pub(crate) points: u8,
    /// Whether the six of hearts (Spatz) lies on the table.
    pub(crate) has_spatz: bool,
    /// How many seats play after this one.
    after: u8,
}

impl<'a> Trick<'a> {
    /// The trick to which the seat is to play.
    pub(crate) fn new(view: &DealView, knowledge: &'a Knowledge) -> Self {
        let players = knowledge.players;
        let empty = Self {
            knowledge,
            led: None,
            best: None,
            points: 0,
            has_spatz: false,
            after: players - 1,
        };
        let Some(trick) = view.tricks.running() else {
            return empty;
        };
        let place = (trick.winner.number() + players - trick.leader.number()) % players;
        let best = trick.cards.get(usize::from(place)).copied();
        Self {
            led: trick.cards.first().map(|card| card.suit()),
            best: best.map(|card| (card, trick.winner)),
            points: trick.points(),
            has_spatz: trick.cards.contains(&Card::SPATZ),
            after: players - 1 - trick.cards.len() as u8,
            ..empty
        }
    }

    /// The seats that play after this one.
    pub(crate) fn after(&self) -> impl Iterator<Item = Seat> {
        self.knowledge.others().take(self.after.into())
    }

    /// Whether a card would be the best of the trick so far.
    pub(crate) fn takes(&self, card: Card) -> bool {
        self.best
            .is_none_or(|(best, _)| self.knowledge.order.beats(card, best))
    }

    /// The chance that the seat's side wins the trick if the seat plays this card.
    pub(crate) fn win_chance(&self, card: Card) -> f32 {
        let led = self.led.unwrap_or(card.suit());
        let (best, by) = match self.best {
            Some(standing) if !self.takes(card) => standing,
            _ => (card, self.knowledge.me),
        };
        let mut ours = if self.knowledge.ally(by) { 1.0 } else { 0.0 };
        let mut overtaken = false;
        for seat in self.after() {
            let beats = self.beat_chance(seat, led, best);
            if !self.knowledge.ally(seat) {
                ours *= 1.0 - beats;
                overtaken = true;
            } else if !overtaken {
                ours += (1.0 - ours) * beats;
            }
        }
        ours
    }

    /// The chance that this very card wins the trick.
    pub(crate) fn stays_best(&self, card: Card) -> f32 {
        if !self.takes(card) {
            return 0.0;
        }
        let led = self.led.unwrap_or(card.suit());
        self.after()
            .map(|seat| 1.0 - self.beat_chance(seat, led, card))
            .product()
    }

    /// The chance that this very card wins the trick although all after it stay under it when
    /// they can.
    pub(crate) fn forced_on(&self, card: Card) -> f32 {
        if !self.takes(card) {
            return 0.0;
        }
        self.after()
            .map(|seat| 1.0 - self.knowledge.forced_above(seat, card))
            .product()
    }

    /// What the seats after this one are expected to add if this side wins.
    pub(crate) fn to_come(&self, card: Card, weights: &Weights) -> f32 {
        let suit = self
            .knowledge
            .unseen
            .of_suit(self.led.unwrap_or(card.suit()));
        let count = suit.len().max(1) as f32;
        let mean = f32::from(suit.points()) / count;
        self.after()
            .map(|seat| {
                let out = self.knowledge.holds_none(seat, suit);
                let (follows, throws) = if self.knowledge.ally(seat) {
                    (weights.partner_follows, weights.partner_throws)
                } else {
                    (weights.opponent_follows, weights.opponent_throws)
                };
                (1.0 - out) * follows * mean + out * throws
            })
            .sum()
    }

    /// The chance that a seat that is still to play can beat this card: with a higher one of
    /// its suit, or with a trump when it is out of the suit led.
    fn beat_chance(&self, seat: Seat, led: Suit, best: Card) -> f32 {
        let knowledge = self.knowledge;
        let trumps = knowledge.trumps();
        let higher = knowledge.higher(best);
        if !trumps.of_suit(led).is_empty() {
            return 1.0 - knowledge.holds_none(seat, higher);
        }
        let out = knowledge.holds_none(seat, knowledge.unseen.of_suit(led));
        if trumps.contains(best) {
            return out * (1.0 - knowledge.holds_none(seat, higher));
        }
        let follows = 1.0 - knowledge.holds_none(seat, higher);
        follows + out * (1.0 - knowledge.holds_none(seat, trumps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{deal, declare, play, rules, view};

    /// What the seat in turn finds after these cards, seat 0 having declared.
    fn find<T>(hands: &[&str], played: &str, look: impl Fn(&Trick<'_>) -> T) -> T {
        let mut deal = deal(rules(4), hands);
        declare(&mut deal, 0, "sumpern");
        play(&mut deal, played);
        let view = view(&deal);
        let knowledge = Knowledge::new(&view).unwrap();
        look(&Trick::new(&view, &knowledge))
    }

    fn card(text: &str) -> Card {
        text.parse().unwrap()
    }

    #[test]
    fn the_last_seat_knows_who_wins() {
        let hands = ["GK", "G7", "G8", "GA G6 H7"];
        find(&hands, "GK G7 G8", |trick| {
            assert_eq!(trick.points, 4);
            assert_eq!(trick.win_chance(card("GA")), 1.0);
            assert_eq!(trick.stays_best(card("GA")), 1.0);
            assert_eq!(trick.win_chance(card("G6")), 0.0);
        });
    }

    #[test]
    fn a_partner_s_card_wins_for_the_side() {
        let hands = ["GK", "GA", "G8", "GX G6"];
        find(&hands, "GK GA G8", |trick| {
            assert_eq!(trick.win_chance(card("GX")), 1.0);
            assert!(!trick.takes(card("GX")));
            assert_eq!(trick.stays_best(card("GX")), 0.0);
        });
    }

    #[test]
    fn an_ace_is_safer_than_a_ten_and_a_ten_than_a_low_card() {
        let hands = ["GA GX G6"];
        find(&hands, "", |trick| {
            let chances = ["GA", "GX", "G6"].map(|text| trick.win_chance(card(text)));
            // The seat holds the ace itself, so the ten is as high.
            assert_eq!(chances[0], chances[1]);
            assert!(chances[1] > chances[2] + 0.3, "{chances:?}");
        });
    }

    #[test]
    fn a_partner_who_is_yet_to_play_may_win_what_a_seat_cannot() {
        find(&["GK", "G7 G6"], "GK", |trick| {
            let chance = trick.win_chance(card("G6"));
            assert!(chance > 0.5 && chance < 1.0, "{chance}");
        });
    }

    #[test]
    fn partners_add_more_than_opponents() {
        let hands = ["GK", "G7"];
        let added = find(&hands, "GK", |trick| {
            trick.to_come(card("G7"), &crate::weights::DEFENDER)
        });
        let opponents = find(&hands, "", |trick| {
            trick.to_come(card("GK"), &crate::weights::DECLARER)
        });
        assert!(added > 2.0 && opponents > 2.0, "{added} {opponents}");
    }
}
