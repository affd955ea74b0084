//! Finds, among shuffled deals, one in which happened what an example says.

use std::cmp::Reverse;

use rules::{
    Action, Card, CardSet, ContractId, Deal, DealEnd, DealOutcome, Deck, Legal, PACK, Rules, Seat,
    Shuffle, SpatzCounts, TrumpChoice,
};

/// What an example says of its deal.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) rules: Rules,
    pub(crate) contract: ContractId,
    /// Not doubled 0, doubled 1, redoubled 2.
    pub(crate) doublings: u8,
    /// The declarer's card points, if the contract has any.
    pub(crate) card_points: Option<u8>,
    /// `every trick`, `all tricks but one`, `one trick`, `no trick`, or nothing.
    pub(crate) tricks: &'a str,
    /// Who wins or loses the six of hearts; a dash when it does not count.
    pub(crate) spatz: &'a str,
}

/// The rarest example takes some thousands.
const TRIES: u32 = 30_000;

impl Wanted<'_> {
    /// How such a deal ends.
    pub(crate) fn find(&self) -> DealOutcome {
        let shuffle = Shuffle::new([0; 32], vec![Vec::new()]).unwrap();
        for number in 0..TRIES {
            let (cards, order) = (shuffle.deck(2 * number), shuffle.deck(2 * number + 1));
            let deal = self.play(cards, order.cards());
            let Some(DealEnd::Played(outcome)) = deal.end() else {
                panic!("nobody plays: {self:?}");
            };
            if self.matches(&deal, outcome.declaration.declarer) {
                return outcome;
            }
        }
        panic!("no such deal: {self:?}");
    }

    /// A deal of the contract. Everybody plays the card that stands first in `order`.
    fn play(&self, deck: Deck, order: &[Card; PACK]) -> Deal {
        let random = order.map(Card::index);
        let seat = |n: usize| Seat::new(random[n] as u8 % self.rules.players()).unwrap();
        let (dealer, declarer) = (seat(0), seat(1));
        let deck = stacked(
            &self.rules,
            deck,
            dealer,
            declarer,
            &self.good_cards(random[2]),
        );
        let mut deal = Deal::new(self.rules, dealer, &deck);
        let late = |card| random[3].is_multiple_of(2) && card == Card::SPATZ;
        let place = |card| (late(card), order.iter().position(|&other| other == card));
        while let Some(turn) = deal.turn() {
            let declares = turn == declarer;
            let action = match deal.legal() {
                Legal::Call { .. } if declares => Action::Bid(self.contract),
                Legal::Announce { .. } => Action::Announce(self.contract),
                Legal::Discard(choice) => {
                    let mut cards: Vec<Card> = choice.from.collect();
                    match self.tricks {
                        "no trick" => cards.sort_by_key(|card| Reverse(card.rank())),
                        "every trick" => cards.sort_by_key(|card| card.rank()),
                        _ => cards.sort_by_key(|&card| place(card)),
                    }
                    let first = cards.into_iter().take(choice.count.into()).collect();
                    let others = choice.choices();
                    Action::Discard(
                        [first]
                            .into_iter()
                            .chain(others)
                            .find(|&c| choice.covers_aces(c))
                            .unwrap(),
                    )
                }
                Legal::DeclareTrump(suits) => Action::DeclareTrump(suits[0]),
                Legal::Double if self.doublings > 0 => Action::Double,
                Legal::Redouble if self.doublings > 1 => Action::Redouble,
                Legal::Play(cards) if declares && self.tricks == "no trick" => {
                    Action::Play(cards.min_by_key(|card| card.rank()).unwrap())
                }
                Legal::Play(cards) => Action::Play(cards.min_by_key(|&card| place(card)).unwrap()),
                _ => Action::Pass,
            };
            deal.apply(action).unwrap();
        }
        deal
    }

    /// Cards for the declarer, so that what is wanted is not too rare.
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
        let tricks = deal.tricks();
        let taken = tricks.won()[declarer];
        let tricks_fit = match self.tricks {
            "every trick" => taken == self.rules.hand_size(),
            "all tricks but one" => taken + 1 == self.rules.hand_size(),
            "one trick" => taken == 1,
            "no trick" => taken == 0,
            _ => taken > 0,
        };
        // All that the defenders did not win is the declarer's, talon and discards included.
        let lost = tricks.iter().filter(|trick| trick.winner != declarer);
        let lost: u8 = lost.map(|trick| trick.points()).sum();
        let points = if taken == 0 { 0 } else { 120 - lost };
        tricks_fit
            && self.card_points.is_none_or(|wanted| wanted == points)
            && (!self.rules.options.spatz || self.spatz == self.spatz_of(deal, declarer))
    }

    /// What happened to the six of hearts; a dash when it does not count, unless it is asked for.
    fn spatz_of(&self, deal: &Deal, declarer: Seat) -> String {
        let tricks: Vec<_> = deal.tricks().iter().collect();
        let with_spatz = |trick: &rules::PlayedTrick<'_>| trick.cards.contains(&Card::SPATZ);
        let Some(number) = tricks.iter().position(with_spatz) else {
            return "–".to_owned();
        };
        let trick = tricks[number];
        let steps = trick.cards.iter().position(|&card| card == Card::SPATZ);
        let player = trick
            .leader
            .clockwise(steps.unwrap() as u8, self.rules.players());
        let last = number + 1 == tricks.len();
        let wins = player == trick.winner;
        let lost = (player == declarer) != (trick.winner == declarer);
        let counts = match self.rules.set().spatz.unwrap().counts {
            SpatzCounts::WinningTheTrick => wins,
            SpatzCounts::LostToTheOtherSide => lost || (wins && last),
        };
        let which = ["an earlier trick", "the last trick"][usize::from(last)];
        match (player == declarer, wins, lost) {
            _ if self.spatz == "–" && !counts => "–".to_owned(),
            (true, true, _) => format!("declarer wins {which} with it"),
            (false, true, _) => format!("defenders win {which} with it"),
            (true, false, _) => format!("declarer loses it in {which}"),
            (false, false, true) => format!("defenders lose it in {which}"),
            (false, false, false) => "–".to_owned(),
        }
    }
}

/// The deck with as many of these cards as a hand has moved to the declarer.
fn stacked(rules: &Rules, deck: Deck, dealer: Seat, declarer: Seat, cards: &[Card]) -> Deck {
    let mut order = *deck.cards();
    let place = |order: &[Card; PACK], card| order.iter().position(|&c| c == card).unwrap();
    let hand = Deal::new(*rules, dealer, &deck).hand(declarer);
    let places: Vec<usize> = hand.map(|card| place(&order, card)).collect();
    for (to, &card) in places.into_iter().zip(cards) {
        let from = place(&order, card);
        order.swap(from, to);
    }
    Deck::from_order(order).unwrap()
}
