//! One deal as a state machine: auction, exchange, play.

use crate::{
    auction::{Auction, AuctionState},
    card::{Card, CardSet, Suit},
    options::DiscardFrom,
    rulesets::{ContractId, Declaration, Packet, Rules},
    score::{DealEnd, DealOutcome, SpatzWin},
    seat::{BySeat, Seat},
    shuffle::Deck,
    tricks::Tricks,
};

/// What a seat does in a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Declines to bid, for the whole auction.
    Pass,
    /// Bids a contract.
    Bid(ContractId),
    /// Lays off cards.
    Discard(CardSet),
    /// Plays a card.
    Play(Card),
}

/// Where a deal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Seats bid or pass.
    Auction,
    /// The declarer holds the talon and lays off.
    Exchange,
    /// Cards are played.
    Play,
    /// The deal is over.
    Done,
}

/// What the seat whose turn it is may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legal {
    /// Pass, or bid any contract from `from` to before `to` in the ladder.
    Call {
        /// Lowest place in the ladder.
        from: u8,
        /// Place after the highest.
        to: u8,
    },
    /// Lay off exactly `count` cards of `from`.
    Discard {
        /// Which cards.
        from: CardSet,
        /// How many.
        count: u8,
    },
    /// Play one of these cards.
    Play(CardSet),
    /// The deal is over.
    Nothing,
}

impl Legal {
    /// Every single action.
    #[must_use]
    pub fn actions(self) -> Vec<Action> {
        match self {
            Self::Call { from, to } => {
                let bids = (from..to).map(|place| Action::Bid(ContractId(place)));
                std::iter::once(Action::Pass).chain(bids).collect()
            }
            Self::Discard { from, count } => {
                from.subsets(count.into()).map(Action::Discard).collect()
            }
            Self::Play(cards) => cards.map(Action::Play).collect(),
            Self::Nothing => Vec::new(),
        }
    }
}

/// Why an action is refused. The deal is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The action belongs to another phase.
    #[error("this action belongs to another phase of the deal")]
    WrongPhase,
    /// The bid is not higher than the one that stands.
    #[error("the bid must be higher than the one that stands")]
    BidTooLow,
    /// The wrong number of cards was laid off.
    #[error("expected {expected} cards to be laid off")]
    DiscardCount {
        /// How many there must be.
        expected: u8,
    },
    /// A card may not be laid off.
    #[error("{0} may not be laid off: only cards of the original hand may")]
    DiscardNotAllowed(Card),
    /// The seat does not hold a card.
    #[error("{0} is not in the hand")]
    NotHeld(Card),
    /// The seat can follow suit.
    #[error("{} were led and the hand has some", .0.name())]
    MustFollow(Suit),
    /// The seat is void of the suit led and can trump.
    #[error("the hand has none of the suit led, but a trump: a trump must be played")]
    MustTrump,
}

/// What an action led to, besides the next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing more.
    None,
    /// The auction has a declarer.
    Declared(Declaration),
    /// A trick is finished.
    TrickWon(Seat),
}

/// A deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deal {
    pub(crate) rules: Rules,
    pub(crate) dealer: Seat,
    pub(crate) hands: BySeat<CardSet>,
    pub(crate) talon: CardSet,
    pub(crate) discards: CardSet,
    pub(crate) auction: Auction,
    pub(crate) declaration: Option<Declaration>,
    pub(crate) tricks: Tricks,
    pub(crate) phase: Phase,
    spatz: Option<SpatzWin>,
}

impl Deal {
    /// Deals the cards of a shuffled deck, in packets from forehand clockwise.
    #[must_use]
    pub fn new(rules: Rules, dealer: Seat, deck: &Deck) -> Self {
        let players = rules.players();
        let forehand = dealer.left(players);
        let mut hands = BySeat::<CardSet>::default();
        let mut talon = CardSet::EMPTY;
        let mut cards = deck.cards().iter().copied();
        for packet in rules.packets() {
            match *packet {
                Packet::Hands(size) => {
                    for steps in 0..players {
                        let seat = forehand.clockwise(steps, players);
                        let dealt = cards.by_ref().take(size.into());
                        hands[seat] = dealt.fold(hands[seat], CardSet::with);
                    }
                }
                Packet::Talon(size) => {
                    talon = cards.by_ref().take(size.into()).fold(talon, CardSet::with);
                }
            }
        }
        Self {
            rules,
            dealer,
            hands,
            talon,
            discards: CardSet::EMPTY,
            auction: Auction::new(forehand, players),
            declaration: None,
            tricks: Tricks::new(forehand, players, rules.set().trump),
            phase: Phase::Auction,
            spatz: None,
        }
    }

    /// The rules it is played by.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Who dealt.
    #[must_use]
    pub const fn dealer(&self) -> Seat {
        self.dealer
    }

    /// The cards that a seat holds. What others may see of them is for [`Deal::view`] to say.
    #[must_use]
    pub fn hand(&self, seat: Seat) -> CardSet {
        self.hands[seat]
    }

    /// The talon as dealt.
    #[must_use]
    pub const fn talon(&self) -> CardSet {
        self.talon
    }

    /// Where the deal is.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Declarer and contract, once there are.
    #[must_use]
    pub const fn declaration(&self) -> Option<Declaration> {
        self.declaration
    }

    /// The tricks so far.
    #[must_use]
    pub const fn tricks(&self) -> &Tricks {
        &self.tricks
    }

    /// Whose turn it is; nobody's when the deal is over.
    #[must_use]
    pub fn turn(&self) -> Option<Seat> {
        match self.phase {
            Phase::Auction => Some(self.auction.turn),
            Phase::Exchange => self.declaration.map(|declared| declared.declarer),
            Phase::Play => Some(self.tricks.turn()),
            Phase::Done => None,
        }
    }

    /// What the seat whose turn it is may do.
    #[must_use]
    pub fn legal(&self) -> Legal {
        match self.phase {
            Phase::Auction => Legal::Call {
                from: self.auction.lowest_bid(),
                to: self.rules.set().contracts.len() as u8,
            },
            Phase::Exchange => Legal::Discard {
                from: self.discardable(),
                count: self.talon.len() as u8,
            },
            Phase::Play => Legal::Play(self.playable()),
            Phase::Done => Legal::Nothing,
        }
    }

    /// The cards that the seat whose turn it is may play; none outside of play.
    #[inline]
    #[must_use]
    pub fn playable(&self) -> CardSet {
        match self.phase {
            Phase::Play => self.tricks.playable(self.hands[self.tricks.turn()]),
            Phase::Auction | Phase::Exchange | Phase::Done => CardSet::EMPTY,
        }
    }

    fn discardable(&self) -> CardSet {
        let Some(Declaration { declarer, .. }) = self.declaration else {
            return CardSet::EMPTY;
        };
        let hand = self.hands[declarer];
        match self.rules.options.discard_from {
            DiscardFrom::OriginalHand => hand.difference(self.talon),
            DiscardFrom::Any => hand,
        }
    }

    /// Applies an action of the seat whose turn it is.
    ///
    /// # Errors
    /// When the rules do not allow it; the deal is unchanged.
    #[inline]
    pub fn apply(&mut self, action: Action) -> Result<Effect, Illegal> {
        match (self.phase, action) {
            (Phase::Play, Action::Play(card)) => self.play(card),
            (Phase::Auction, Action::Pass) => Ok(self.call(None)),
            (Phase::Auction, Action::Bid(contract)) => {
                if contract.0 < self.auction.lowest_bid() {
                    return Err(Illegal::BidTooLow);
                }
                Ok(self.call(Some(contract)))
            }
            (Phase::Exchange, Action::Discard(cards)) => self.discard(cards),
            _ => Err(Illegal::WrongPhase),
        }
    }

    fn call(&mut self, bid: Option<ContractId>) -> Effect {
        match self.auction.call(bid) {
            AuctionState::Running => Effect::None,
            AuctionState::ThrownIn => {
                self.phase = Phase::Done;
                Effect::None
            }
            AuctionState::Won(declaration) => {
                self.declaration = Some(declaration);
                if self.rules.contract(declaration.contract).takes_talon {
                    let hand = &mut self.hands[declaration.declarer];
                    *hand = hand.union(self.talon);
                    self.phase = Phase::Exchange;
                } else {
                    self.phase = Phase::Play;
                }
                Effect::Declared(declaration)
            }
        }
    }

    fn discard(&mut self, cards: CardSet) -> Result<Effect, Illegal> {
        let Some(Declaration { declarer, .. }) = self.declaration else {
            return Err(Illegal::WrongPhase);
        };
        let hand = self.hands[declarer];
        if let Some(card) = cards.difference(hand).lowest() {
            return Err(Illegal::NotHeld(card));
        }
        if cards.len() != self.talon.len() {
            let expected = self.talon.len() as u8;
            return Err(Illegal::DiscardCount { expected });
        }
        if let Some(card) = cards.difference(self.discardable()).lowest() {
            return Err(Illegal::DiscardNotAllowed(card));
        }
        self.hands[declarer] = hand.difference(cards);
        self.discards = cards;
        self.phase = Phase::Play;
        Ok(Effect::None)
    }

    #[inline]
    fn play(&mut self, card: Card) -> Result<Effect, Illegal> {
        let seat = self.tricks.turn();
        let hand = self.hands[seat];
        if !self.tricks.playable(hand).contains(card) {
            return Err(self.why_not_playable(hand, card));
        }
        self.hands[seat] = hand.without(card);
        let Some((winner, winning)) = self.tricks.play(card) else {
            return Ok(Effect::None);
        };
        let last = self.hands[winner].is_empty();
        if winning == Card::SPATZ {
            self.spatz = Some(SpatzWin { winner, last });
        }
        if last {
            self.phase = Phase::Done;
        }
        Ok(Effect::TrickWon(winner))
    }

    #[cold]
    fn why_not_playable(&self, hand: CardSet, card: Card) -> Illegal {
        match self.tricks.led() {
            _ if !hand.contains(card) => Illegal::NotHeld(card),
            Some(led) if !hand.of_suit(led).is_empty() => Illegal::MustFollow(led),
            _ => Illegal::MustTrump,
        }
    }

    /// How the deal ended, once it is over.
    #[must_use]
    pub fn end(&self) -> Option<DealEnd> {
        if self.phase != Phase::Done {
            return None;
        }
        let Some(declaration) = self.declaration else {
            return Some(DealEnd::ThrownIn);
        };
        let tricks = self.tricks.won()[declaration.declarer];
        // A declarer without a trick (Matsch) loses talon and discards to the defenders.
        let card_points = if tricks == 0 {
            0
        } else {
            let set_aside = if self.discards.is_empty() {
                self.talon
            } else {
                self.discards
            };
            self.tricks.points_of(declaration.declarer) + set_aside.points()
        };
        Some(DealEnd::Played(DealOutcome::new(
            &self.rules,
            declaration,
            card_points,
            tricks,
            self.spatz,
        )))
    }
}
