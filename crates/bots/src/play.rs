//! Which card to play.
//!
//! Each card is judged by what the trick brings the seat's side if it is played, less what it
//! is worth when it is kept. That is all it takes to win when it pays, to give points to a
//! partner's trick and none to the other side's, and to win as cheaply as possible.

use rules::{Card, CardSet, DealView, Target};

use crate::{
    knowledge::Knowledge,
    no_trick, pick,
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
    if knowledge.target == Target::NoTrick {
        let trick = Trick::new(view, &knowledge);
        let gain = |card| no_trick::gain(view, &knowledge, &trick, card);
        return pick::best(playable, gain).map(|(card, _)| card);
    }
    let weights = if knowledge.is_declarer() {
        &weights::DECLARER
    } else {
        &weights::DEFENDER
    };
    let player = Player {
        weights,
        view,
        trick: Trick::new(view, &knowledge),
        worth: Worth::new(view, &knowledge, weights),
        knowledge: &knowledge,
    };
    pick::best(playable, |card| player.gain(card)).map(|(card, _)| card)
}

struct Player<'a> {
    view: &'a DealView,
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
        let mut gain = chance * trick + self.worth.spatz_now(card, &self.trick)
            - self.worth.of(card)
            + self.weights.lead * self.trick.stays_best(card);
        if self.trick.led.is_none() {
            gain += self.by_lead(card);
        }
        gain
    }

    /// What winning a trick is worth besides its points.
    fn for_the_trick_itself(&self) -> f32 {
        match self.knowledge.target {
            Target::EveryTrick => EVERY_TRICK,
            Target::Points(_) | Target::NoTrick => 0.0,
        }
    }

    /// What leading a card is worth besides what its trick brings.
    fn by_lead(&self, card: Card) -> f32 {
        let trumps = self.knowledge.trumps();
        if !trumps.contains(card) {
            return -self.weights.lead_loser * (1.0 - self.knowledge.stands(card));
        }
        let fall: f32 = self
            .knowledge
            .opponents()
            .map(|seat| 1.0 - self.knowledge.holds_none(seat, trumps))
            .sum();
        let others = self.view.hand.difference(trumps);
        let winners: f32 = others
            .map(|card| self.knowledge.stands(card))
            .filter(|s| *s > 0.9)
            .sum();
        if self.worth.trumps() as f32 > self.worth.trumps_out {
            self.weights.draw * winners * fall
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use rules::{Action, Phase, Rules};

    use crate::testing::{chosen_card, deal, declare, play, rules};

    /// The card that a bot plays after these, the seat having declared a hand game.
    fn answer(players: u8, declarer: u8, hands: &[&str], played: &str) -> String {
        let mut deal = deal(rules(players), hands);
        declare(&mut deal, declarer, "sumpern");
        play(&mut deal, played);
        chosen_card(&deal)
    }

    #[test]
    fn points_go_to_a_partner_who_wins_the_trick() {
        let hands = ["GA", "G7", "GK GO G6 E7 E8"];
        assert_eq!(answer(3, 1, &hands, "GA G7"), "GK");
        // Out of the suit and without a trump, too.
        let hands = ["GA", "G7", "EX E6 SK S6 SU SO S9 E9 E8 S7 S8"];
        assert_eq!(answer(3, 1, &hands, "GA G7"), "EX");
    }

    #[test]
    fn points_are_saved_when_the_declarer_wins() {
        let hands = ["GA", "G7", "GX GK G6 E7 E8"];
        assert_eq!(answer(3, 0, &hands, "GA G7"), "G6");
        let hands = ["GA", "G7", "EX E6 SK S6 SU SO S9 E9 E8 S7 S8"];
        let thrown = answer(3, 0, &hands, "GA G7");
        assert!(
            ["E6", "S6", "E8", "E9", "S7", "S8", "S9"].contains(&thrown.as_str()),
            "{thrown}"
        );
    }

    #[test]
    fn the_last_hand_takes_points_home_and_ruffs_low() {
        let hands = ["GO", "GK", "GX G8 G6 E7"];
        assert_eq!(answer(3, 2, &hands, "GO GK"), "GX");
        let hands = ["GK", "G7", "HA HO H7 E7"];
        assert_eq!(answer(3, 2, &hands, "GK G7"), "H7");
    }

    #[test]
    fn a_trick_of_the_opponents_is_won_when_it_pays() {
        let hands = ["GK", "GX", "GA G6 G8 E7"];
        assert_eq!(answer(3, 1, &hands, "GK GX"), "GA");
    }

    #[test]
    fn a_ten_is_not_led_into_the_declarer() {
        let hands = ["GX G7 EX E7 SX S7 G8 E8 S8 H6 H9"];
        let led = answer(3, 2, &hands, "");
        assert!(!led.ends_with('X'), "{led}");
    }

    #[test]
    fn a_declarer_with_the_high_trumps_draws_the_others() {
        let hands = ["HA HX HK HO H8 EA EX E7 GA G9 S8"];
        assert_eq!(&answer(3, 0, &hands, "")[..1], "H");
    }

    #[test]
    fn the_spatz_takes_a_trick_that_it_is_sure_of() {
        let hands = ["GK", "G7", "HA H7 H6 E7"];
        assert_eq!(answer(3, 2, &hands, "GK G7"), "H6");
        let hands = ["GK", "G7", "HA H7 H6 E7"];
        assert_eq!(answer(3, 0, &hands, "GK G7"), "H6");
    }

    #[test]
    fn the_opponents_spatz_is_beaten() {
        let hands = [
            "G8",
            "H6 H8 E9 EU EO S6 S7 S8 S9 SU SO",
            "H7 HA EX E8 E7 E6 EA EK SK SX SA",
        ];
        assert_eq!(answer(3, 0, &hands, "G8 H6"), "H7");
    }

    /// The card that a bot plays where the Spatz costs the side that loses it.
    fn answer_where_it_costs(declarer: u8, hands: &[&str], played: &str) -> String {
        let rules = Rules::new("bauerntarock", 3, []).unwrap();
        let mut deal = deal(rules, hands);
        declare(&mut deal, declarer, "sumpern");
        while deal.phase() == Phase::Doubling {
            deal.apply(Action::Pass).unwrap();
        }
        play(&mut deal, played);
        chosen_card(&deal)
    }

    #[test]
    fn where_it_costs_the_spatz_is_not_given_to_the_other_side() {
        let hands = ["HA", "H8", "H6 H7 HU E7 E8 E9 G7 G8 G9 S7 S8"];
        assert_ne!(answer_where_it_costs(0, &hands, "HA H8"), "H6");
    }

    #[test]
    fn where_it_costs_the_spatz_goes_into_a_trick_of_the_own_side() {
        let hands = ["HU", "HK", "H6 H7 E7 E8 E9 EO G7 G8 G9 S7 S8"];
        assert_eq!(answer_where_it_costs(0, &hands, "HU HK"), "H6");
    }

    #[test]
    fn where_it_costs_the_spatz_of_the_other_side_is_taken() {
        let hands = ["G8", "H6 H8", "HA HX H7 E6 E7 E8 EU EO S6 S7 S8"];
        let hands = [hands[0], "H6 H8 E9 EK EX EA SU SO SK SX S9", hands[2]];
        let answer = answer_where_it_costs(0, &hands, "G8 H6");
        assert!(answer.starts_with('H'), "{answer}");
    }
}
