//! What the tests share: short ways to write cards, deals and lines of play, and seeded
//! random ones.
//!
//! In a deal that is written down, the last seat deals, so seat 0 is forehand and hands are
//! listed in the order of play.

use std::fmt;

use rules::{
    Action, Booking, Card, CardSet, Deal, DealEnd, DealOutcome, Deck, Declaration, Effect, Legal,
    PACK, Rules, Seat, Session, Suit,
};

pub(crate) fn brixental(players: u8, options: &[(&str, &str)]) -> Rules {
    table("brixental", players, options)
}

/// The rules of a table of any game.
#[track_caller]
pub(crate) fn table(id: &str, players: u8, options: &[(&str, &str)]) -> Rules {
    Rules::new(id, players, options.iter().copied()).unwrap()
}

pub(crate) fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

pub(crate) fn card(text: &str) -> Card {
    text.parse().unwrap()
}

/// Cards, written with spaces between them.
pub(crate) fn list(text: &str) -> Vec<Card> {
    text.split_whitespace().map(card).collect()
}

pub(crate) fn cards(text: &str) -> CardSet {
    list(text).into_iter().collect()
}

/// A deal with these hands and this talon. Cards that are not named fill what is short, from
/// forehand on, in the order of the unshuffled pack.
#[track_caller]
pub(crate) fn deal(rules: Rules, hands: &[&str], talon: &str) -> Deal {
    let dealer = seat(rules.players() - 1);
    Deal::new(rules, dealer, &deck(&rules, hands, talon))
}

/// The deck from which [`deal`] deals.
#[track_caller]
pub(crate) fn deck(rules: &Rules, hands: &[&str], talon: &str) -> Deck {
    let players = usize::from(rules.players());
    // How many cards are dealt to each, and how many of them in two packets before the talon.
    let (hand_size, first, second) = match (rules.set().id, players) {
        ("dobbm", _) => (8, 4, 4),
        (_, 3) => (11, 4, 3),
        _ => (8, 4, 0),
    };
    let named: CardSet = hands.iter().chain([&talon]).flat_map(|h| list(h)).collect();
    let mut unnamed = CardSet::FULL.difference(named);
    let mut filled = |text: &str, size: usize| {
        let mut hand = list(text);
        hand.extend(unnamed.by_ref().take(size.saturating_sub(hand.len())));
        assert_eq!(hand.len(), size, "too many cards: {text}");
        hand
    };
    let hands: Vec<Vec<Card>> = (0..players)
        .map(|n| filled(hands.get(n).unwrap_or(&""), hand_size))
        .collect();
    let talon = filled(talon, PACK - players * hand_size);
    let packet = |from: usize, to: usize| hands.iter().flat_map(move |hand| &hand[from..to]);
    let order: Vec<Card> = packet(0, first)
        .chain(packet(first, first + second))
        .chain(&talon)
        .chain(packet(first + second, hand_size))
        .copied()
        .collect();
    Deck::from_order(order.try_into().unwrap()).expect("a card is named twice")
}

/// Does these things, each for the seat whose turn it is: words as [`action`] reads them.
#[track_caller]
pub(crate) fn call(deal: &mut Deal, calls: &str) -> Effect {
    let mut effect = Effect::None;
    for call in calls.split_whitespace() {
        effect = deal.apply(action(deal.rules(), call)).unwrap();
    }
    effect
}

/// The action of a word: `pass`, the name of a contract, `hold`, `announce(hand:61)`,
/// `discard(E6,E7,E8)`, `trump(hearts)`, `double`, `redouble`, or a card that is played.
#[track_caller]
pub(crate) fn action(rules: &Rules, word: &str) -> Action {
    let contract = |name| rules.contract_named(name).expect(name);
    let suit = |name| Suit::ALL.into_iter().find(|suit| suit.name() == name);
    match word.trim_end_matches(')').split_once('(') {
        Some(("announce", name)) => Action::Announce(contract(name)),
        Some(("discard", list)) => Action::Discard(cards(&list.replace(',', " "))),
        Some(("trump", name)) => Action::DeclareTrump(suit(name).expect(name)),
        Some(_) => panic!("no such action: {word}"),
        None => match word {
            "pass" => Action::Pass,
            "hold" => Action::Hold,
            "double" => Action::Double,
            "redouble" => Action::Redouble,
            _ => word
                .parse()
                .map_or_else(|_| Action::Bid(contract(word)), Action::Play),
        },
    }
}

/// The word of an action, as [`action`] reads it; discards in alphabetical order.
pub(crate) fn word(rules: &Rules, action: Action) -> String {
    let name = |contract| rules.contract(contract).name;
    match action {
        Action::Pass => "pass".to_owned(),
        Action::Bid(contract) => name(contract).to_owned(),
        Action::Hold => "hold".to_owned(),
        Action::Announce(contract) => format!("announce({})", name(contract)),
        Action::Discard(cards) => {
            let mut cards: Vec<String> = cards.map(|card| card.to_string()).collect();
            cards.sort();
            format!("discard({})", cards.join(","))
        }
        Action::DeclareTrump(suit) => format!("trump({})", suit.name()),
        Action::Double => "double".to_owned(),
        Action::Redouble => "redouble".to_owned(),
        Action::Play(card) => card.to_string(),
    }
}

/// Plays these cards, from the seat whose turn it is.
#[track_caller]
pub(crate) fn play(deal: &mut Deal, cards: &str) -> Effect {
    let mut effect = Effect::None;
    for card in list(cards) {
        let turn = deal.turn();
        effect = deal
            .apply(Action::Play(card))
            .unwrap_or_else(|refusal| panic!("{card} by seat {turn:?}: {refusal}"));
    }
    effect
}

/// Plays to the end; each seat its highest legal card, suits as in the pack, the Spatz last.
#[track_caller]
pub(crate) fn play_out(deal: &mut Deal) -> DealOutcome {
    while let Some(turn) = deal.turn() {
        let playable = deal.playable();
        let keep = playable.without(Card::SPATZ);
        let card = keep.highest().or(playable.highest());
        let card = card.unwrap_or_else(|| panic!("seat {turn} has nothing to play"));
        deal.apply(Action::Play(card)).unwrap();
    }
    outcome(deal)
}

/// How a deal ended that was played to the end.
#[track_caller]
pub(crate) fn outcome(deal: &Deal) -> DealOutcome {
    match deal.end() {
        Some(DealEnd::Played(outcome)) => outcome,
        other => panic!("expected a deal that was played: {other:?}"),
    }
}

/// What each seat's score changes by.
#[track_caller]
pub(crate) fn points(deal: &Deal) -> Vec<i32> {
    let players = deal.rules().players();
    outcome(deal).pay(players, 0).points.first(players).to_vec()
}

/// A deal that brings its declarer so many points and has no other story.
pub(crate) fn scored(rules: &Rules, declarer: u8, value: i32) -> DealOutcome {
    DealOutcome {
        declaration: Declaration {
            declarer: seat(declarer),
            contract: rules.contract_named("look_in").unwrap(),
        },
        card_points: Some(0),
        tricks: 0,
        made: value > 0,
        value,
        booking: Booking::DeclarerAlone,
        spatz: None,
    }
}

/// A session with these scores, in which this seat dealt first.
pub(crate) fn scored_session(scores: &[i32], first_dealer: u8) -> Session {
    let rules = brixental(scores.len() as u8, &[]);
    let mut session = Session::new(rules, seat(first_dealer));
    for (declarer, &value) in (0..).zip(scores) {
        session.record(&DealEnd::Played(scored(&rules, declarer, value)));
    }
    assert_eq!(session.scores().first(rules.players()), scores);
    session
}

/// Random numbers from a seed (SplitMix64): the same everywhere and for ever.
#[derive(Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) const fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) const fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// So many different cards of a set, or all when it has fewer.
    pub(crate) fn subset(&mut self, mut from: CardSet, count: usize) -> CardSet {
        let mut subset = CardSet::EMPTY;
        for _ in 0..count.min(from.len()) {
            let card = from.get(self.below(from.len())).unwrap();
            subset = subset.with(card);
            from = from.without(card);
        }
        subset
    }

    pub(crate) fn deck(&mut self) -> Deck {
        let mut order: [Card; PACK] = std::array::from_fn(|i| Card::from_index(i).unwrap());
        for last in (1..PACK).rev() {
            order.swap(last, self.below(last + 1));
        }
        Deck::from_order(order).unwrap()
    }

    /// A legal action: passes and low bids are likelier, so that every length of auction and
    /// every contract comes up.
    pub(crate) fn action(&mut self, deal: &Deal) -> Action {
        let rules = deal.rules();
        match deal.legal() {
            Legal::Call { from, to } if from < to && self.percent(45) => {
                let bids: Vec<_> = rules.contracts().skip(usize::from(from)).collect();
                let lowest_only = self.percent(80);
                Action::Bid(if lowest_only {
                    bids[0]
                } else {
                    self.pick(&bids)
                })
            }
            Legal::Call { .. } => Action::Pass,
            Legal::Discard(choice) => loop {
                let cards = self.subset(choice.from, choice.count.into());
                if choice.covers_aces(cards) {
                    break Action::Discard(cards);
                }
            },
            Legal::Announce { from, .. } if self.percent(60) => {
                Action::Announce(rules.contracts().nth(from.into()).unwrap())
            }
            Legal::Play(cards) => Action::Play(cards.get(self.below(cards.len())).unwrap()),
            other => self.pick(&other.actions()),
        }
    }
}

/// A deal with everything that was done in it.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) rules: Rules,
    pub(crate) dealer: Seat,
    pub(crate) deck: Deck,
    pub(crate) actions: Vec<Action>,
}

impl Record {
    /// A random deal with a random dealer, played to its end.
    pub(crate) fn random(rng: &mut Rng, rules: Rules) -> Self {
        let dealer = seat(rng.below(rules.players().into()) as u8);
        Self::dealt_by(rng, rules, dealer)
    }

    /// A random deal with this dealer, played to its end.
    pub(crate) fn dealt_by(rng: &mut Rng, rules: Rules, dealer: Seat) -> Self {
        Self::played_by(rng, rules, dealer, Rng::action)
    }

    /// A random deal with this dealer, played to its end by this choice of actions.
    pub(crate) fn played_by(
        rng: &mut Rng,
        rules: Rules,
        dealer: Seat,
        choose: fn(&mut Rng, &Deal) -> Action,
    ) -> Self {
        let mut record = Self {
            rules,
            dealer,
            deck: rng.deck(),
            actions: Vec::new(),
        };
        let mut deal = record.start();
        while deal.turn().is_some() {
            let action = choose(rng, &deal);
            deal.apply(action).unwrap();
            record.actions.push(action);
        }
        record
    }

    pub(crate) fn start(&self) -> Deal {
        Deal::new(self.rules, self.dealer, &self.deck)
    }

    /// The deal when all is done.
    pub(crate) fn last(&self) -> Deal {
        let mut deal = self.start();
        for &action in &self.actions {
            deal.apply(action).unwrap();
        }
        deal
    }

    /// How the deal ended.
    pub(crate) fn end(&self) -> DealEnd {
        self.last().end().expect("the record is of a whole deal")
    }

    /// The deal after each number of actions, from none to all.
    pub(crate) fn states(&self) -> Vec<Deal> {
        let mut states = vec![self.start()];
        for &action in &self.actions {
            let mut deal = *states.last().unwrap();
            deal.apply(action).unwrap();
            states.push(deal);
        }
        states
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (players, dealer) = (self.rules.players(), self.dealer);
        write!(f, "{players} players, seat {dealer} deals ")?;
        write!(f, "{:?}, then {:?}", self.deck.cards(), self.actions)
    }
}
