//! Finds, among shuffled deals, one in which happened what an example says.

use std::cmp::Reverse;

use rules::{
    Action, Card, CardSet, ContractId, Deal, DealEnd, DealOutcome, Deck, DiscardChoice, Legal,
    PACK, Rules, Seat, Shuffle, SpatzCounts, TrumpChoice,
};

use crate::page::Row;

/// What an example says of its deal.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    rules: Rules,
    contract: ContractId,
    doubled: bool,
    redoubled: bool,
    /// The declarer's card points, if the contract has any.
    card_points: Option<u8>,
    /// `every trick`, `all tricks but one`, `one trick`, `no trick`, or nothing.
    tricks: &'a str,
    /// Who wins or loses the six of hearts; a dash when it does not count.
    spatz: &'a str,
}

impl<'a> Wanted<'a> {
    pub(crate) fn of(rules: Rules, row: &'a Row) -> Self {
        let words: Vec<&str> = row["Contract"].split(", ").collect();
        let (card_points, tricks) = row["A"].split_once(", ").unwrap_or((&row["A"], ""));
        Self {
            rules,
            contract: rules.contract_named(words[0]).unwrap(),
            doubled: words.contains(&"doubled") || words.contains(&"redoubled"),
            redoubled: words.contains(&"redoubled"),
            card_points: card_points.parse().ok(),
            tricks,
            spatz: row.get("Spatz").map_or("–", String::as_str),
        }
    }

    /// How such a deal ends.
    pub(crate) fn find(&self) -> DealOutcome {
        let shuffle = Shuffle::new([0; 32], vec![Vec::new()]).unwrap();
        // The rarest example takes some thousands of tries.
        for number in 0..30_000 {
            let (deck, order) = (shuffle.deck(2 * number), shuffle.deck(2 * number + 1));
            let deal = self.play(&deck, order.cards());
            let Some(DealEnd::Played(outcome)) = deal.end() else {
                panic!("nobody plays: {self:?}");
            };
            if self.matches(&deal, outcome.declaration.declarer) {
                assert_eq!(outcome.card_points, self.card_points, "{self:?}");
                return outcome;
            }
        }
        panic!("no such deal: {self:?}");
    }

    /// A deal of the contract. Everybody plays the card that stands first in `order`.
    fn play(&self, deck: &Deck, order: &[Card; PACK]) -> Deal {
        let random = order.map(Card::index);
        let seat = |n: usize| Seat::new(random[n] as u8 % self.rules.players()).unwrap();
        let (dealer, declarer) = (seat(0), seat(1));
        let hand = Deal::new(self.rules, dealer, deck).hand(declarer);
        let deck = swapped(deck, hand, &self.good_cards(random[2]));
        let mut deal = Deal::new(self.rules, dealer, &deck);
        let keep_spatz = random[3].is_multiple_of(2);
        let late = |card| keep_spatz && card == Card::SPATZ;
        let place = |&card: &Card| (late(card), place_in(order, card));
        while let Some(turn) = deal.turn() {
            let declares = turn == declarer;
            let action = match deal.legal() {
                Legal::Call { .. } if declares => Action::Bid(self.contract),
                Legal::Announce { .. } => Action::Announce(self.contract),
                Legal::Discard(choice) => Action::Discard(self.lay_off(choice, order)),
                Legal::DeclareTrump(suits) => Action::DeclareTrump(suits[0]),
                Legal::Double if self.doubled => Action::Double,
                Legal::Redouble if self.redoubled => Action::Redouble,
                Legal::Play(cards) if declares && self.tricks == "no trick" => {
                    Action::Play(cards.min_by_key(|card| card.rank()).unwrap())
                }
                Legal::Play(cards) => Action::Play(cards.min_by_key(place).unwrap()),
                _ => Action::Pass,
            };
            deal.apply(action).unwrap();
        }
        deal
    }

    fn lay_off(&self, choice: DiscardChoice, order: &[Card; PACK]) -> CardSet {
        let mut cards = order.to_vec();
        match self.tricks {
            "no trick" => cards.sort_by_key(|card| Reverse(card.rank())),
            "every trick" => cards.sort_by_key(|card| card.rank()),
            _ => {}
        }
        cards.retain(|&card| choice.from.contains(card));
        let first = cards.into_iter().take(choice.count.into()).collect();
        let mut all = std::iter::once(first).chain(choice.choices());
        all.find(|&cards| choice.covers_aces(cards)).unwrap()
    }

    /// Cards for the declarer's hand, so that what is wanted is not too rare.
    fn good_cards(&self, random: usize) -> Vec<Card> {
        let trump = match self.rules.trump_choice(self.contract) {
            TrumpChoice::Fixed(suit) => Some(suit),
            TrumpChoice::Named(suits) => Some(suits[0]),
            TrumpChoice::NoTrump => None,
        };
        let mut cards: Vec<Card> = CardSet::FULL.collect();
        cards.sort_by_key(|card| Reverse((Some(card.suit()) == trump, card.rank())));
        let size = usize::from(self.rules.hand_size());
        match (self.tricks, self.card_points) {
            ("no trick", _) => cards.reverse(),
            ("all tricks but one", _) => cards.swap(size - 1, PACK - 1),
            ("every trick", _) => {}
            (_, Some(85..)) => cards.truncate(random % size),
            _ => cards.truncate(random % 5),
        }
        cards
    }

    fn matches(&self, deal: &Deal, declarer: Seat) -> bool {
        let (taken, all) = (deal.tricks().won()[declarer], self.rules.hand_size());
        let tricks_fit = match self.tricks {
            "every trick" => taken == all,
            "all tricks but one" => taken + 1 == all,
            "one trick" => taken == 1,
            "no trick" => taken == 0,
            _ => taken > 0,
        };
        // All that the defenders did not win is the declarer's, talon and discards included.
        let tricks = deal.tricks().iter();
        let lost = tricks.filter(|trick| trick.winner != declarer);
        let lost: u8 = lost.map(|trick| trick.points()).sum();
        let points = if taken == 0 { 0 } else { 120 - lost };
        tricks_fit
            && self.card_points.is_none_or(|wanted| wanted == points)
            && (!self.rules.options.spatz || self.spatz == self.spatz_of(deal, declarer))
    }

    /// What happens to the six of hearts; a dash when it does not count and nobody asks.
    fn spatz_of(&self, deal: &Deal, declarer: Seat) -> String {
        let mut tricks = deal.tricks().iter().zip(1..);
        let found = tricks.find(|(trick, _)| trick.cards.contains(&Card::SPATZ));
        let Some((trick, number)) = found else {
            return "–".to_owned();
        };
        let steps = place_in(trick.cards, Card::SPATZ) as u8;
        let player = trick.leader.clockwise(steps, self.rules.players());
        let (wins, last) = (player == trick.winner, number == self.rules.hand_size());
        let lost = (player == declarer) != (trick.winner == declarer);
        let counts = match self.rules.set().spatz.unwrap().counts {
            SpatzCounts::WinningTheTrick => wins,
            SpatzCounts::LostToTheOtherSide => lost || (wins && last),
        };
        let which = ["an earlier trick", "the last trick"][usize::from(last)];
        match (player == declarer, wins) {
            _ if self.spatz == "–" && !counts => "–".to_owned(),
            (true, true) => format!("declarer wins {which} with it"),
            (false, true) => format!("defenders win {which} with it"),
            (true, false) => format!("declarer loses it in {which}"),
            (false, false) if lost => format!("defenders lose it in {which}"),
            (false, false) => "–".to_owned(),
        }
    }
}

fn place_in(cards: &[Card], card: Card) -> usize {
    cards.iter().position(|&other| other == card).unwrap()
}

/// The deck with as many of these cards as the hand has moved to where the hand is dealt from.
fn swapped(deck: &Deck, hand: CardSet, cards: &[Card]) -> Deck {
    let mut order = *deck.cards();
    let places: Vec<usize> = hand.map(|card| place_in(&order, card)).collect();
    for (to, &card) in places.into_iter().zip(cards) {
        let from = place_in(&order, card);
        order.swap(from, to);
    }
    Deck::from_order(order).unwrap()
}
