//! Perft: how many ways there are to play fixed endings, by the engine and by a slow second
//! implementation, both against numbers that are written down.

use rules::{Action, Card, CardSet, Deal};

use crate::kit::{Rng, call, deal, table};

/// Ways to play to the end, and the card points that the declarer takes in all of them.
type Count = (u64, u64);

/// Plays any cards until each hand has so many.
fn ending(mut deal: Deal, cards: usize, seed: u64) -> Deal {
    let mut rng = Rng::new(seed);
    let leader_has = |deal: &Deal| CardSet::len(deal.hand(deal.turn().unwrap()));
    while leader_has(&deal) > cards || deal.tricks().running().is_some() {
        deal.apply(rng.action(&deal)).unwrap();
    }
    deal
}

/// The card points of the declarer's tricks after so many.
fn taken(deal: &Deal, after: usize) -> u64 {
    let declarer = deal.declaration().unwrap().declarer;
    let tricks = deal.tricks().iter().skip(after);
    let won = tricks.filter(|trick| trick.winner == declarer);
    won.map(|trick| u64::from(trick.points())).sum()
}

fn by_engine(deal: &Deal, after: usize) -> Count {
    if deal.turn().is_none() {
        return (1, taken(deal, after));
    }
    let mut count = (0, 0);
    for card in deal.playable() {
        let mut next = *deal;
        next.apply(Action::Play(card)).unwrap();
        let (ways, points) = by_engine(&next, after);
        count = (count.0 + ways, count.1 + points);
    }
    count
}

/// An ending in texts.
#[derive(Clone)]
struct Plain {
    hands: Vec<Vec<String>>,
    /// The letter of the trump suit; none in a Bettel.
    trump: Option<char>,
    declarer: usize,
    turn: usize,
    trick: Vec<String>,
}

fn suit(card: &str) -> char {
    card.chars().next().unwrap()
}

impl Plain {
    fn of(deal: &Deal) -> Self {
        let seats = deal.rules().seats();
        let texts = |cards: CardSet| cards.map(|card: Card| card.to_string()).collect();
        Self {
            hands: seats.map(|seat| texts(deal.hand(seat))).collect(),
            trump: deal
                .trump()
                .map(|suit| Card::new(suit, rules::Rank::Six).to_string().remove(0)),
            declarer: deal.declaration().unwrap().declarer.index(),
            turn: deal.turn().unwrap().index(),
            trick: Vec::new(),
        }
    }

    /// Places in the hand of the cards that may be played.
    fn playable(&self) -> Vec<usize> {
        let hand = &self.hands[self.turn];
        let of = |wanted: char| {
            (0..hand.len())
                .filter(|&n| suit(&hand[n]) == wanted)
                .collect()
        };
        let all = (0..hand.len()).collect();
        let Some(first) = self.trick.first() else {
            return all;
        };
        let following: Vec<usize> = of(suit(first));
        if !following.is_empty() {
            return following;
        }
        let trumps: Vec<usize> = self.trump.map_or(Vec::new(), of);
        if trumps.is_empty() { all } else { trumps }
    }

    /// How high a card counts in the running trick.
    fn height(&self, card: &str) -> usize {
        let ranks = if self.trump.is_some() {
            "6789UOKXA"
        } else {
            "6789XUOKA"
        };
        let height = 1 + ranks.find(&card[1..]).unwrap();
        if Some(suit(card)) == self.trump {
            100 + height
        } else if suit(card) == suit(&self.trick[0]) {
            height
        } else {
            0
        }
    }

    fn count(&self) -> Count {
        if self.hands.iter().all(Vec::is_empty) {
            return (1, 0);
        }
        let mut count = (0, 0);
        for place in self.playable() {
            let mut next = self.clone();
            let card = next.hands[next.turn].remove(place);
            next.trick.push(card);
            next.turn = (next.turn + 1) % next.hands.len();
            let (ways, points) = if next.trick.len() == next.hands.len() {
                next.after_trick()
            } else {
                next.count()
            };
            count = (count.0 + ways, count.1 + points);
        }
        count
    }

    /// Counts on when a trick is full.
    fn after_trick(mut self) -> Count {
        let heights: Vec<usize> = self.trick.iter().map(|card| self.height(card)).collect();
        let best = heights.iter().max().unwrap();
        let place = heights.iter().position(|height| height == best).unwrap();
        // All have played, so the turn is the leader's again.
        self.turn = (self.turn + place) % self.hands.len();
        let worth = |card: &String| match &card[1..] {
            "A" => 11,
            "X" => 10,
            "K" => 4,
            "O" => 3,
            "U" => 2,
            _ => 0,
        };
        let mine = self.turn == self.declarer;
        let points: u64 = self.trick.iter().map(worth).sum();
        self.trick.clear();
        let (ways, rest) = if mine && self.trump.is_none() {
            (1, 0)
        } else {
            self.count()
        };
        (ways, rest + if mine { ways * points } else { 0 })
    }
}

/// Counts an ending, so many cards each after play by a seed, in both ways.
#[track_caller]
fn perft(id: &str, hands: &[&str], words: &str, (cards, seed): (usize, u64), expected: Count) {
    let mut deal = deal(table(id, hands.len() as u8, &[]), hands, "");
    call(&mut deal, words);
    let ending = ending(deal, cards, seed);
    for seat in ending.rules().seats() {
        assert_eq!(CardSet::len(ending.hand(seat)), cards);
    }
    let after = usize::from(ending.tricks().finished());
    assert_eq!(Plain::of(&ending).count(), expected, "the slow count");
    assert_eq!(by_engine(&ending, after), expected, "the engine's count");
}

const THREE: [&str; 3] = [
    "HA HK H9 H7 EX EO E8 GA GU G8 SX",
    "HX HU H8 EA EU E7 GK G9 SA SO S8",
    "HO H6 EK E9 E6 GX GO G7 SK SU S7",
];
const FOUR: [&str; 4] = [
    "HA HO H8 EX EU GA G9 SK",
    "HX HU EA E9 GX GU SA S8",
    "HK H9 EK E8 GK G8 SX SU",
    "H7 EO E7 GO G7 SO S9 S7",
];

/// Seat 1 hopes for no trick.
const BETTEL: [&str; 3] = [
    "EA EX E7 GA GO G9 HX H9 H6 SK S9",
    "E6 E8 EU G6 G8 GU H7 HU S6 S8 SO",
    "EK E9 GX GK G7 HA HO H8 SX SU S7",
];

#[test]
fn endings_of_three_players_with_trump() {
    perft(
        "brixental",
        &THREE,
        "sumpern pass pass",
        (4, 52),
        (3312, 139_848),
    );
    let hand = "pass pass announce(hand:61) trump(leaves)";
    perft("bavarian", &THREE, hand, (4, 32), (2552, 48_448));
    let solo = "solo pass pass trump(bells)";
    perft("haferltarock", &THREE, solo, (4, 34), (1612, 51_451));
    perft("haferltarock", &THREE, solo, (4, 31), (1952, 23_955));
}

#[test]
fn endings_of_four_players_with_trump() {
    let solo = "pass pass solo pass";
    perft("dobbm", &FOUR, solo, (4, 33), (5916, 57_886));
    perft("dobbm", &FOUR, solo, (4, 3), (5280, 35_176));
    let sumpern = "pass pass pass sumpern pass pass pass";
    perft("bauerntarock", &FOUR, sumpern, (4, 5), (6564, 9634));
    perft("bauerntarock", &FOUR, sumpern, (4, 33), (6612, 5480));
}

#[test]
fn endings_of_a_bettel() {
    let words = "bettel pass pass announce(bettel)";
    perft("bavarian", &BETTEL, words, (4, 41), (1376, 1064));
    perft("bavarian", &BETTEL, words, (4, 52), (577, 2307));
    perft(
        "haferltarock",
        &BETTEL,
        "pass bettel pass",
        (4, 31),
        (688, 1548),
    );
}
