//! A second engine, from the text of the rules alone: here for Brixental, in the modules below
//! for the other games.
//!
//! Slow and plain on purpose: cards are texts, sets are lists, nothing is remembered that can
//! be worked out again from what was dealt and done. It shares no code with the engine.

pub(crate) mod contracts;
pub(crate) mod game;
pub(crate) mod payment;

/// A card as text, such as `HA`.
type Card = String;

/// What each contract needs and is multiplied with: the ladder, lowest first.
const LADDER: [(&str, u32, i32); 14] = [
    ("look_in", 61, 1),
    ("sumpern", 61, 2),
    ("66", 66, 2),
    ("71", 71, 2),
    ("76", 76, 2),
    ("81", 81, 2),
    ("86", 86, 2),
    ("91", 91, 2),
    ("96", 96, 2),
    ("101", 101, 2),
    ("106", 106, 2),
    ("111", 111, 2),
    ("116", 116, 2),
    ("all_tricks", 121, 2),
];

pub(crate) struct Game {
    players: usize,
    forehand: usize,
    /// By name, as `length` or `matsch_factor`.
    options: Vec<(String, String)>,
    /// As dealt, by seat.
    hands: Vec<Vec<Card>>,
    talon: Vec<Card>,
    calls: Vec<(usize, String)>,
    discards: Vec<Card>,
    played: Vec<(usize, Card)>,
}

/// How a deal ended that was played.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) declarer: usize,
    pub(crate) card_points: u32,
    pub(crate) tricks: usize,
    pub(crate) made: bool,
    /// What each seat's score changes by.
    pub(crate) points: Vec<i32>,
}

impl Game {
    pub(crate) fn new(
        players: usize,
        dealer: usize,
        deck: &[Card],
        options: Vec<(String, String)>,
    ) -> Self {
        let forehand = (dealer + 1) % players;
        let mut game = Self {
            players,
            forehand,
            options,
            hands: vec![Vec::new(); players],
            talon: Vec::new(),
            calls: Vec::new(),
            discards: Vec::new(),
            played: Vec::new(),
        };
        let mut deck = deck.to_vec();
        if players == 3 {
            game.deal_packets(&mut deck, 4);
            game.deal_packets(&mut deck, 3);
            game.talon = deck.drain(..3).collect();
            game.deal_packets(&mut deck, 4);
        } else {
            game.deal_packets(&mut deck, 4);
            game.talon = deck.drain(..4).collect();
            game.deal_packets(&mut deck, 4);
        }
        assert!(deck.is_empty());
        game
    }

    fn deal_packets(&mut self, deck: &mut Vec<Card>, size: usize) {
        for n in 0..self.players {
            let seat = (self.forehand + n) % self.players;
            self.hands[seat].extend(deck.drain(..size));
        }
    }

    fn option(&self, name: &str) -> &str {
        let found = self.options.iter().find(|(option, _)| option == name);
        &found.expect(name).1
    }

    /// The last bid, with who made it.
    fn high_bid(&self) -> Option<(usize, &str)> {
        let mut bids = self.calls.iter().filter(|(_, call)| call != "pass");
        bids.next_back().map(|(seat, bid)| (*seat, bid.as_str()))
    }

    fn passed(&self, seat: usize) -> bool {
        let pass = |(who, call): &(usize, String)| *who == seat && call == "pass";
        self.calls.iter().any(pass)
    }

    /// Who is left, when all others have passed and there is a bid.
    fn declarer(&self) -> Option<usize> {
        let left: Vec<usize> = (0..self.players).filter(|&s| !self.passed(s)).collect();
        let (bidder, _) = self.high_bid()?;
        (left == [bidder]).then_some(bidder)
    }

    fn contract(&self) -> (&str, u32, i32) {
        let (_, bid) = self.high_bid().unwrap();
        LADDER.into_iter().find(|(name, ..)| *name == bid).unwrap()
    }

    fn thrown_in(&self) -> bool {
        (0..self.players).all(|seat| self.passed(seat))
    }

    fn must_lay_off(&self) -> bool {
        self.declarer().is_some() && self.contract().0 == "look_in" && self.discards.is_empty()
    }

    /// The cards that a seat holds now.
    fn hand(&self, seat: usize) -> Vec<Card> {
        let mut hand = self.hands[seat].clone();
        if self.declarer() == Some(seat) && self.contract().0 == "look_in" {
            hand.extend(self.talon.clone());
        }
        hand.retain(|card| !self.discards.contains(card));
        hand.retain(|card| !self.played.iter().any(|(_, played)| played == card));
        hand
    }

    fn tricks(&self) -> Vec<&[(usize, Card)]> {
        self.played.chunks(self.players).collect()
    }

    /// Who wins a trick, and with which card.
    fn winner<'a>(&self, trick: &'a [(usize, Card)]) -> &'a (usize, Card) {
        let led = suit(&trick[0].1);
        let of = |wanted: char| trick.iter().filter(move |(_, card)| suit(card) == wanted);
        let highest = |wanted| of(wanted).max_by_key(|(_, card)| strength(card));
        highest('H').or_else(|| highest(led)).unwrap()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.thrown_in() || self.played.len() == self.players * self.hands[0].len()
    }

    pub(crate) fn turn(&self) -> Option<usize> {
        if self.is_over() {
            return None;
        }
        let Some(declarer) = self.declarer() else {
            let last = self.calls.last();
            let first = last.map_or(self.forehand, |(seat, _)| seat + 1);
            let clockwise = (0..self.players).map(|n| (first + n) % self.players);
            return clockwise.into_iter().find(|&seat| !self.passed(seat));
        };
        if self.must_lay_off() {
            return Some(declarer);
        }
        let tricks = self.tricks();
        match tricks.last() {
            None => Some(self.forehand),
            Some(trick) if trick.len() == self.players => Some(self.winner(trick).0),
            Some(trick) => Some((trick[0].0 + trick.len()) % self.players),
        }
    }

    /// What may be done now: `pass`, the name of a contract, the cards to lay off with spaces
    /// between them, a card.
    pub(crate) fn legal(&self) -> Vec<String> {
        let Some(turn) = self.turn() else {
            return Vec::new();
        };
        if self.declarer().is_none() {
            let place = |bid| LADDER.iter().position(|(name, ..)| *name == bid).unwrap();
            let from = self.high_bid().map_or(0, |(_, bid)| place(bid) + 1);
            let bids = LADDER[from..].iter().map(|(name, ..)| (*name).to_owned());
            return std::iter::once("pass".to_owned()).chain(bids).collect();
        }
        let mut hand = self.hand(turn);
        if self.must_lay_off() {
            if self.option("discard_from") == "original_hand" {
                hand.retain(|card| !self.talon.contains(card));
            }
            let choices = choose(&hand, self.talon.len());
            return choices.into_iter().map(|cards| text(&cards)).collect();
        }
        let of = |wanted| hand.iter().filter(move |card| suit(card) == wanted);
        let tricks = self.tricks();
        match tricks.last() {
            Some(trick) if trick.len() < self.players => {
                let led = suit(&trick[0].1);
                if of(led).next().is_some() {
                    of(led).cloned().collect()
                } else if of('H').next().is_some() {
                    of('H').cloned().collect()
                } else {
                    hand
                }
            }
            _ => hand,
        }
    }

    pub(crate) fn act(&mut self, action: &str) {
        let turn = self.turn().expect("the deal is over");
        if self.declarer().is_none() {
            self.calls.push((turn, action.to_owned()));
        } else if self.must_lay_off() {
            self.discards = action.split(' ').map(str::to_owned).collect();
        } else {
            self.played.push((turn, action.to_owned()));
        }
    }

    /// The score of a deal that is over; none when it was thrown in.
    pub(crate) fn score(&self) -> Option<Score> {
        assert!(self.is_over());
        let declarer = self.declarer()?;
        let (name, target, multiplier) = self.contract();
        let tricks = self.tricks();
        let mine = |trick: &&&[(usize, Card)]| self.winner(trick).0 == declarer;
        let won: Vec<_> = tricks.iter().filter(mine).collect();
        let mut card_points = 0;
        if !won.is_empty() {
            let cards = won.iter().copied().copied().flatten().map(|(_, card)| card);
            card_points += cards.map(|card| worth(card)).sum::<u32>();
            let beside = if name == "look_in" {
                &self.discards
            } else {
                &self.talon
            };
            card_points += beside.iter().map(|card| worth(card)).sum::<u32>();
        }
        let made = if name == "all_tricks" {
            won.len() == tricks.len()
        } else {
            card_points >= target
        };
        let a = i32::try_from(card_points).unwrap();
        let mut value = if made {
            multiplier * (a - 60)
        } else {
            multiplier * (a - (i32::try_from(target).unwrap() - 1))
        };
        if won.is_empty() {
            value *= self.option("matsch_factor").parse::<i32>().unwrap();
        }
        let mut points = vec![0; self.players];
        points[declarer] = value;
        for (n, trick) in tricks.iter().enumerate() {
            let (winner, card) = self.winner(trick);
            if card == "H6" {
                let last = n + 1 == tricks.len();
                let mut bonus = if last { 10 } else { 5 };
                if self.option("spatz_multiplied") == "true" {
                    bonus *= multiplier;
                }
                for (seat, points) in points.iter_mut().enumerate() {
                    let same_party = (seat == declarer) == (*winner == declarer);
                    *points += if same_party { bonus } else { -bonus };
                }
            }
        }
        Some(Score {
            declarer,
            card_points,
            tricks: won.len(),
            made,
            points,
        })
    }
}

fn suit(card: &str) -> char {
    card.chars().next().unwrap()
}

fn strength(card: &str) -> usize {
    let rank = card.chars().last().unwrap();
    "6789UOKXA".find(rank).unwrap()
}

fn worth(card: &str) -> u32 {
    match card.chars().last().unwrap() {
        'A' => 11,
        'X' => 10,
        'K' => 4,
        'O' => 3,
        'U' => 2,
        _ => 0,
    }
}

/// Every way to choose so many of the cards.
fn choose(cards: &[Card], count: usize) -> Vec<Vec<Card>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut ways = Vec::new();
    for (n, card) in cards.iter().enumerate() {
        for mut rest in choose(&cards[n + 1..], count - 1) {
            rest.insert(0, card.clone());
            ways.push(rest);
        }
    }
    ways
}

/// Cards in alphabetical order, with spaces between them.
pub(crate) fn text(cards: &[Card]) -> String {
    let mut cards = cards.to_vec();
    cards.sort();
    cards.join(" ")
}
