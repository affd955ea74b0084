//! What a seat can do in a deal, what it may do now, and why not.

use crate::{
    card::{Card, Suit},
    card_set::CardSet,
    rulesets::{ContractId, Declaration},
    seat::Seat,
};

/// What a seat does in a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Declines: to bid, for the whole auction; to hold; to announce; to double.
    Pass,
    /// Bids a contract.
    Bid(ContractId),
    /// Holds the level that was just bid.
    Hold,
    /// Names the contract after winning a holding auction.
    Announce(ContractId),
    /// Lays off cards.
    Discard(CardSet),
    /// Names the trump suit.
    DeclareTrump(Suit),
    /// Doubles the value of the deal.
    Double,
    /// Doubles it once more.
    Redouble,
    /// Plays a card.
    Play(Card),
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
    /// Hold the level that was just bid, or pass.
    Hold,
    /// Announce any contract from `from` to before `to` in the ladder.
    Announce {
        /// Lowest place in the ladder.
        from: u8,
        /// Place after the highest.
        to: u8,
        /// Whether the seat may also pass, because nobody has bid.
        may_pass: bool,
    },
    /// Lay off cards.
    Discard(DiscardChoice),
    /// Name one of these suits as trump.
    DeclareTrump(&'static [Suit]),
    /// Double, or pass.
    Double,
    /// Redouble, or pass.
    Redouble,
    /// Play one of these cards.
    Play(CardSet),
    /// The deal is over.
    Nothing,
}

/// Which cards may be laid off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscardChoice {
    /// Only these.
    pub from: CardSet,
    /// Exactly so many.
    pub count: u8,
    /// For each ace among them there must be a trump other than an ace beside it.
    pub aces_need_trumps: Option<Suit>,
}

impl DiscardChoice {
    /// Whether the aces among these cards have the trumps that they need.
    #[must_use]
    pub fn covers_aces(&self, cards: CardSet) -> bool {
        self.aces_need_trumps.is_none_or(|trump| {
            let aces = cards.of_rank(crate::Rank::Ace);
            cards.of_suit(trump).difference(aces).len() >= aces.len()
        })
    }

    /// Every choice.
    pub fn choices(self) -> impl Iterator<Item = CardSet> {
        let all = self.from.subsets(self.count.into());
        all.filter(move |&cards| self.covers_aces(cards))
    }
}

impl Legal {
    /// Every single action.
    #[must_use]
    pub fn actions(self) -> Vec<Action> {
        let contracts = |from: u8, to: u8| (from..to).map(ContractId);
        let or_pass = |action: Action| vec![Action::Pass, action];
        match self {
            Self::Call { from, to } => std::iter::once(Action::Pass)
                .chain(contracts(from, to).map(Action::Bid))
                .collect(),
            Self::Hold => or_pass(Action::Hold),
            Self::Announce { from, to, may_pass } => may_pass
                .then_some(Action::Pass)
                .into_iter()
                .chain(contracts(from, to).map(Action::Announce))
                .collect(),
            Self::Discard(choice) => choice.choices().map(Action::Discard).collect(),
            Self::DeclareTrump(suits) => suits
                .iter()
                .map(|&suit| Action::DeclareTrump(suit))
                .collect(),
            Self::Double => or_pass(Action::Double),
            Self::Redouble => or_pass(Action::Redouble),
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
    /// No such contract in this game.
    #[error("this game has no such contract")]
    NoSuchContract,
    /// The bid is not higher than the one that stands.
    #[error("the bid must be higher than the one that stands")]
    BidTooLow,
    /// The contract is lower than the bid that won the auction.
    #[error("the contract must be at least the bid that won the auction")]
    AnnouncementTooLow,
    /// Whoever won the auction with a bid must name a contract.
    #[error("the auction is won: a contract must be announced")]
    MustAnnounce,
    /// The wrong number of cards was laid off.
    #[error("expected {expected} cards to be laid off")]
    DiscardCount {
        /// How many there must be.
        expected: u8,
    },
    /// A card may not be laid off.
    #[error("{0} may not be laid off: only cards of the original hand may")]
    DiscardNotAllowed(Card),
    /// Aces are laid off without as many trumps.
    #[error("with each ace a trump that is no ace must be laid off")]
    AcesNeedTrumps,
    /// The contract does not take this suit as trump.
    #[error("{} cannot be trump in this contract", .0.name())]
    TrumpNotAllowed(Suit),
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
    /// There is a declarer and a contract.
    Declared(Declaration),
    /// A trick is finished.
    TrickWon(Seat),
}
