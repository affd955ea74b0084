//! A deal of one of the four games after Brixental: whose turn it is and what they may do.
//!
//! Only what was dealt and done is kept; all else is worked out from it at every question.

use super::{
    Card, choose,
    contracts::{Contract, ladder},
    strength, suit, text,
};

/// What is to be done next, and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Call(usize),
    Hold(usize),
    Announce(usize),
    Discard(usize),
    Trump(usize),
    Double(usize),
    Redouble(usize),
    Play(usize),
    Over,
}

/// Declarer and contract, or that everybody passed.
type Found<'a> = Option<(usize, &'a Contract)>;

pub(crate) struct Game {
    pub(crate) id: String,
    pub(crate) players: usize,
    pub(crate) forehand: usize,
    /// By name, as `length` or `stake`.
    options: Vec<(String, String)>,
    /// What can be bid, lowest first.
    ladder: Vec<Contract>,
    /// As dealt, by seat.
    hands: Vec<Vec<Card>>,
    pub(crate) talon: Vec<Card>,
    /// Everything said before the exchange: `pass`, `hold`, bids, and `announce(…)`.
    said: Vec<String>,
    pub(crate) discards: Option<Vec<Card>>,
    trump_named: Option<String>,
    /// What was said to doubling: seat and word.
    pub(crate) doubles: Vec<(usize, String)>,
    pub(crate) played: Vec<(usize, Card)>,
}

impl Game {
    pub(crate) fn new(
        id: &str,
        players: usize,
        dealer: usize,
        deck: &[Card],
        options: Vec<(String, String)>,
    ) -> Self {
        let forehand = (dealer + 1) % players;
        let mut deck = deck.to_vec();
        let mut hands = vec![Vec::new(); players];
        let mut talon = Vec::new();
        // 0 stands for the talon.
        let packets: &[usize] = match (id, players) {
            ("dobbm", 4) => &[4, 4, 0],
            (_, 3) => &[4, 3, 0, 4],
            _ => &[4, 0, 4],
        };
        for &packet in packets {
            if packet == 0 {
                talon = deck.drain(..if players == 3 { 3 } else { 4 }).collect();
                continue;
            }
            for n in 0..players {
                hands[(forehand + n) % players].extend(deck.drain(..packet));
            }
        }
        assert!(deck.is_empty());
        let option = |name: &str| {
            let found = options.iter().find(|(option, _)| option == name);
            found.map(|(_, value)| value.as_str())
        };
        let pot = option("pay_from") == Some("pot");
        let ladder = ladder(id, option("pickup_trump"), pot);
        Self {
            id: id.to_owned(),
            players,
            forehand,
            options,
            ladder,
            hands,
            talon,
            said: Vec::new(),
            discards: None,
            trump_named: None,
            doubles: Vec::new(),
            played: Vec::new(),
        }
    }

    /// The value of an option; none when the game has no such option.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().find(|(option, _)| option == name);
        found.map(|(_, value)| value.as_str())
    }

    fn contract(&self, name: &str) -> &Contract {
        &self.ladder[self.place(name)]
    }

    fn place(&self, name: &str) -> usize {
        self.ladder
            .iter()
            .position(|contract| contract.name == name)
            .unwrap()
    }

    /// How the auction stands: what is to be said next, or who plays what.
    fn auction(&self) -> Result<Found<'_>, Step> {
        if self.id == "bavarian" {
            self.holding_auction()
        } else {
            self.auction_of_one_turn()
        }
    }

    fn auction_of_one_turn(&self) -> Result<Found<'_>, Step> {
        if self.said.len() < self.players {
            return Err(Step::Call((self.forehand + self.said.len()) % self.players));
        }
        // Each bid was higher than the one before.
        let last = self.said.iter().rposition(|said| said != "pass");
        Ok(last.map(|n| {
            let seat = (self.forehand + n) % self.players;
            (seat, self.contract(&self.said[n]))
        }))
    }

    /// Two meet, the later one bids and the earlier one holds; the survivor meets the next.
    fn holding_auction(&self) -> Result<Found<'_>, Step> {
        let mut said = self.said.iter().map(String::as_str);
        let mut holder = self.forehand;
        for n in 1..self.players {
            let challenger = (self.forehand + n) % self.players;
            loop {
                match said.next() {
                    None => return Err(Step::Call(challenger)),
                    Some("pass") => break,
                    Some(_) => {}
                }
                match said.next() {
                    None => return Err(Step::Hold(holder)),
                    Some("hold") => {}
                    Some(_) => {
                        holder = challenger;
                        break;
                    }
                }
            }
        }
        match said.next() {
            None => Err(Step::Announce(holder)),
            Some("pass") => Ok(None),
            Some(words) => {
                let name = words
                    .strip_prefix("announce(")
                    .unwrap()
                    .trim_end_matches(')');
                Ok(Some((holder, self.contract(name))))
            }
        }
    }

    /// The highest bid of the auction.
    fn highest(&self) -> Option<usize> {
        let bids = self
            .said
            .iter()
            .filter(|said| !matches!(said.as_str(), "pass" | "hold"));
        bids.map(|name| self.place(name)).max()
    }

    /// Who plays what, once that is settled.
    pub(crate) fn declared(&self) -> Found<'_> {
        self.auction().ok().flatten()
    }

    pub(crate) fn trump(&self) -> Option<&str> {
        let (_, contract) = self.declared()?;
        match contract.trumps[..] {
            [only] => Some(only),
            _ => self.trump_named.as_deref(),
        }
    }

    fn has_doubling(&self) -> bool {
        self.id == "bauerntarock" || self.option("doubling") == Some("true")
    }

    /// Who is asked to double, in order: clockwise from the declarer's left, those who passed.
    fn may_double(&self, declarer: usize) -> Vec<usize> {
        let clockwise = (1..self.players).map(|n| (declarer + n) % self.players);
        let passed = |seat: &usize| {
            let place = (seat + self.players - self.forehand) % self.players;
            self.said[place] == "pass"
        };
        clockwise.filter(passed).collect()
    }

    fn doubling_step(&self, declarer: usize) -> Option<Step> {
        if !self.has_doubling() {
            return None;
        }
        let doubled = self.doubles.iter().position(|(_, word)| word == "double");
        match doubled {
            Some(n) if n + 1 == self.doubles.len() => Some(Step::Redouble(declarer)),
            Some(_) => None,
            None => {
                let asked = self.may_double(declarer);
                asked
                    .get(self.doubles.len())
                    .map(|&seat| Step::Double(seat))
            }
        }
    }

    pub(crate) fn step(&self) -> Step {
        let (declarer, contract) = match self.auction() {
            Err(step) => return step,
            Ok(None) => return Step::Over,
            Ok(Some(found)) => found,
        };
        if contract.takes_talon && self.discards.is_none() {
            return Step::Discard(declarer);
        }
        if contract.trumps.len() > 1 && self.trump_named.is_none() {
            return Step::Trump(declarer);
        }
        if let Some(step) = self.doubling_step(declarer) {
            return step;
        }
        let tricks = self.tricks();
        let mine = |trick: &&[(usize, Card)]| self.winner(trick).0 == declarer;
        let bettel_lost = contract.is_bettel() && self.finished().iter().any(mine);
        if bettel_lost || self.played.len() == self.players * self.hands[0].len() {
            return Step::Over;
        }
        Step::Play(match tricks.last() {
            None if matches!(self.id.as_str(), "bauerntarock" | "dobbm") => declarer,
            None => self.forehand,
            Some(trick) if trick.len() == self.players => self.winner(trick).0,
            Some(trick) => (trick[0].0 + trick.len()) % self.players,
        })
    }

    fn tricks(&self) -> Vec<&[(usize, Card)]> {
        self.played.chunks(self.players).collect()
    }

    pub(crate) fn finished(&self) -> Vec<&[(usize, Card)]> {
        self.played.chunks_exact(self.players).collect()
    }

    pub(crate) fn hand_size(&self) -> usize {
        self.hands[0].len()
    }

    /// Who wins a trick, and with which card.
    pub(crate) fn winner<'a>(&self, trick: &'a [(usize, Card)]) -> &'a (usize, Card) {
        let bettel = self.declared().unwrap().1.is_bettel();
        let height = |card: &str| {
            if bettel {
                "6789XUOKA".find(&card[1..]).unwrap()
            } else {
                strength(card)
            }
        };
        let highest = |wanted: char| {
            let of_suit = trick.iter().filter(move |(_, card)| suit(card) == wanted);
            of_suit.max_by_key(|(_, card)| height(card))
        };
        let trump = self.trump().map(letter);
        trump
            .and_then(highest)
            .or_else(|| highest(suit(&trick[0].1)))
            .unwrap()
    }

    /// The cards that a seat holds now.
    pub(crate) fn hand(&self, seat: usize) -> Vec<Card> {
        let mut hand = self.hands[seat].clone();
        if let Some((declarer, contract)) = self.declared()
            && declarer == seat
            && contract.takes_talon
        {
            hand.extend(self.talon.clone());
        }
        let discards = self.discards.iter().flatten().collect::<Vec<_>>();
        hand.retain(|card| !discards.contains(&card));
        hand.retain(|card| !self.played.iter().any(|(_, played)| played == card));
        hand
    }

    /// What may be done now, in the words of the tests.
    pub(crate) fn legal(&self) -> Vec<String> {
        let or_pass = |word: &str| vec!["pass".to_owned(), word.to_owned()];
        let names = |from: usize| self.ladder[from..].iter().map(|c| c.name.clone());
        match self.step() {
            Step::Call(_) => {
                let higher = names(self.highest().map_or(0, |high| high + 1));
                std::iter::once("pass".to_owned()).chain(higher).collect()
            }
            Step::Hold(_) => or_pass("hold"),
            Step::Announce(_) => {
                let pass = self.highest().is_none().then(|| "pass".to_owned());
                let from = names(self.highest().unwrap_or(0));
                let announce = from.map(|name| format!("announce({name})"));
                pass.into_iter().chain(announce).collect()
            }
            Step::Discard(seat) => self.discard_choices(seat),
            Step::Trump(_) => {
                let (_, contract) = self.declared().unwrap();
                contract
                    .trumps
                    .iter()
                    .map(|suit| format!("trump({suit})"))
                    .collect()
            }
            Step::Double(_) => or_pass("double"),
            Step::Redouble(_) => or_pass("redouble"),
            Step::Play(seat) => self.playable(seat),
            Step::Over => Vec::new(),
        }
    }

    fn discard_choices(&self, declarer: usize) -> Vec<String> {
        let mut from = self.hand(declarer);
        if self.option("discard_from") == Some("original_hand") {
            from.retain(|card| !self.talon.contains(card));
        }
        let mut choices = choose(&from, self.talon.len());
        if self.id == "dobbm" {
            choices.retain(|cards| {
                let (aces, others): (Vec<_>, Vec<_>) =
                    cards.iter().partition(|card| card.ends_with('A'));
                others.iter().filter(|card| suit(card) == 'H').count() >= aces.len()
            });
        }
        let word = |cards: Vec<Card>| format!("discard({})", text(&cards).replace(' ', ","));
        choices.into_iter().map(word).collect()
    }

    fn playable(&self, seat: usize) -> Vec<Card> {
        let hand = self.hand(seat);
        let of = |wanted: char| {
            let cards = hand.iter().filter(|card| suit(card) == wanted);
            cards.cloned().collect::<Vec<_>>()
        };
        let led = match self.tricks().last() {
            Some(trick) if trick.len() < self.players => suit(&trick[0].1),
            _ => return hand,
        };
        let following = of(led);
        if !following.is_empty() {
            return following;
        }
        let trumps = self.trump().map_or(Vec::new(), |trump| of(letter(trump)));
        if trumps.is_empty() { hand } else { trumps }
    }

    pub(crate) fn act(&mut self, word: &str) {
        let inner = || word.split_once('(').unwrap().1.trim_end_matches(')');
        match self.step() {
            Step::Call(_) | Step::Hold(_) | Step::Announce(_) => self.said.push(word.to_owned()),
            Step::Discard(_) => {
                self.discards = Some(inner().split(',').map(str::to_owned).collect());
            }
            Step::Trump(_) => self.trump_named = Some(inner().to_owned()),
            Step::Double(seat) | Step::Redouble(seat) => {
                self.doubles.push((seat, word.to_owned()));
            }
            Step::Play(seat) => self.played.push((seat, word.to_owned())),
            Step::Over => panic!("the deal is over"),
        }
    }
}

/// The letter with which the cards of a suit begin.
fn letter(suit: &str) -> char {
    match suit {
        "acorns" => 'E',
        "leaves" => 'G',
        "hearts" => 'H',
        "bells" => 'S',
        other => panic!("{other}"),
    }
}
