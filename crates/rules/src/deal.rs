//! One deal as a state machine: auction, exchange, trump, doubling, play.

use crate::{
    action::{Action, DiscardChoice, Effect, Illegal, Legal},
    auction::{Auction, AuctionState, Said},
    card::{Card, Suit},
    card_set::CardSet,
    doubling::{Doubling, next_asked},
    options::DiscardFrom,
    rules::Rules,
    rulesets::{ContractId, Declaration, Lead, Packet, Target, TrumpChoice},
    score::{DealEnd, DealOutcome},
    seat::{BySeat, Seat},
    shuffle::Deck,
    tricks::Tricks,
    trump::CardOrder,
};

/// Where a deal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Seats bid, hold or pass.
    Auction,
    /// The winner of a holding auction names the contract.
    Announcement,
    /// The declarer holds the talon and lays off.
    Exchange,
    /// The declarer names the trump suit.
    Trump,
    /// Defenders double, the declarer redoubles.
    Doubling,
    /// Cards are played.
    Play,
    /// The deal is over.
    Done,
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
    pub(crate) trump: Option<Suit>,
    pub(crate) doubling: Doubling,
    /// Who is asked in the phase of doubling.
    asked: Seat,
    pub(crate) tricks: Tricks,
    /// What the seat whose turn it is may play: asked for before and checked after every choice.
    playable: CardSet,
    pub(crate) phase: Phase,
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
            auction: Auction::new(rules.set().auction, forehand, players),
            declaration: None,
            trump: rules.only_trump(),
            doubling: Doubling::default(),
            asked: forehand,
            tricks: Tricks::new(forehand, players, CardOrder::NoTrump),
            playable: CardSet::EMPTY,
            phase: Phase::Auction,
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

    /// The trump suit, as soon as it can be known; `None` in a contract without.
    #[must_use]
    pub const fn trump(&self) -> Option<Suit> {
        self.trump
    }

    /// Who has doubled.
    #[must_use]
    pub const fn doubling(&self) -> Doubling {
        self.doubling
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
            Phase::Auction | Phase::Announcement => Some(self.auction.turn),
            Phase::Exchange | Phase::Trump => self.declaration.map(|declared| declared.declarer),
            Phase::Doubling => Some(self.asked),
            Phase::Play => Some(self.tricks.turn()),
            Phase::Done => None,
        }
    }

    /// What the seat whose turn it is may do.
    #[must_use]
    pub fn legal(&self) -> Legal {
        let to = self.rules.set().contracts.len() as u8;
        match self.phase {
            Phase::Auction if self.auction.is_answering() => Legal::Hold,
            Phase::Auction => Legal::Call {
                from: self.auction.lowest_bid(),
                to,
            },
            Phase::Announcement => Legal::Announce {
                from: self.auction.lowest_announcement(),
                to,
                may_pass: self.auction.high.is_none(),
            },
            Phase::Exchange => Legal::Discard(self.discard_choice()),
            Phase::Trump => Legal::DeclareTrump(self.trump_suits()),
            Phase::Doubling if self.doubling.doubled_by.is_some() => Legal::Redouble,
            Phase::Doubling => Legal::Double,
            Phase::Play => Legal::Play(self.playable()),
            Phase::Done => Legal::Nothing,
        }
    }

    /// The cards that the seat whose turn it is may play; none outside of play.
    #[inline]
    #[must_use]
    pub const fn playable(&self) -> CardSet {
        self.playable
    }

    fn discard_choice(&self) -> DiscardChoice {
        let declarer = self.declaration.map(|declared| declared.declarer);
        let hand = declarer.map_or(CardSet::EMPTY, |declarer| self.hands[declarer]);
        DiscardChoice {
            from: match self.rules.options.discard_from {
                DiscardFrom::OriginalHand => hand.difference(self.talon),
                DiscardFrom::Any => hand,
            },
            count: self.talon.len() as u8,
            aces_need_trumps: self.trump.filter(|_| self.rules.set().aces_need_trumps),
        }
    }

    /// The suits of which the declarer names one; none when there is nothing to name.
    fn trump_suits(&self) -> &'static [Suit] {
        let declared = self.declaration;
        match declared.map(|declared| self.rules.trump_choice(declared.contract)) {
            Some(TrumpChoice::Named(suits)) => suits,
            _ => &[],
        }
    }

    /// Applies an action of the seat whose turn it is.
    ///
    /// # Errors
    /// When the rules do not allow it; the deal is unchanged.
    #[inline]
    pub fn apply(&mut self, action: Action) -> Result<Effect, Illegal> {
        if let (Phase::Play, Action::Play(card)) = (self.phase, action) {
            return self.play(card);
        }
        self.apply_before_play(action)
    }

    fn apply_before_play(&mut self, action: Action) -> Result<Effect, Illegal> {
        let answering = self.phase == Phase::Auction && self.auction.is_answering();
        match (self.phase, action) {
            (Phase::Auction, Action::Pass) => Ok(self.call(Said::Pass)),
            (Phase::Auction, Action::Bid(contract)) if !answering => self.bid(contract),
            (Phase::Auction, Action::Hold) if answering => Ok(self.call(Said::Hold)),
            (Phase::Announcement, Action::Announce(contract)) => self.announce(contract),
            (Phase::Announcement, Action::Pass) => self.decline_to_announce(),
            (Phase::Exchange, Action::Discard(cards)) => self.discard(cards),
            (Phase::Trump, Action::DeclareTrump(suit)) => self.declare_trump(suit),
            (Phase::Doubling, action) => self.double(action),
            _ => Err(Illegal::WrongPhase),
        }
    }

    fn bid(&mut self, contract: ContractId) -> Result<Effect, Illegal> {
        self.rules.check(contract)?;
        if contract.0 < self.auction.lowest_bid() {
            return Err(Illegal::BidTooLow);
        }
        Ok(self.call(Said::Bid(contract)))
    }

    fn call(&mut self, said: Said) -> Effect {
        match self.auction.call(said) {
            AuctionState::Running => Effect::None,
            AuctionState::Won(declaration) => self.declare(declaration),
            AuctionState::Announcing => {
                self.phase = Phase::Announcement;
                Effect::None
            }
            AuctionState::ThrownIn => {
                self.phase = Phase::Done;
                Effect::None
            }
        }
    }

    fn announce(&mut self, contract: ContractId) -> Result<Effect, Illegal> {
        self.rules.check(contract)?;
        if contract.0 < self.auction.lowest_announcement() {
            return Err(Illegal::AnnouncementTooLow);
        }
        Ok(self.declare(Declaration {
            declarer: self.auction.turn,
            contract,
        }))
    }

    /// Forehand may pass as the last one, when nobody has bid.
    fn decline_to_announce(&mut self) -> Result<Effect, Illegal> {
        if self.auction.high.is_some() {
            return Err(Illegal::MustAnnounce);
        }
        self.auction.call(Said::Pass);
        self.phase = Phase::Done;
        Ok(Effect::None)
    }

    fn declare(&mut self, declaration: Declaration) -> Effect {
        self.declaration = Some(declaration);
        self.trump = match self.rules.trump_choice(declaration.contract) {
            TrumpChoice::Fixed(suit) => Some(suit),
            TrumpChoice::Named(_) | TrumpChoice::NoTrump => None,
        };
        if self.rules.contract(declaration.contract).takes_talon {
            let hand = &mut self.hands[declaration.declarer];
            *hand = hand.union(self.talon);
            self.phase = Phase::Exchange;
        } else {
            self.after_exchange(declaration);
        }
        Effect::Declared(declaration)
    }

    fn discard(&mut self, cards: CardSet) -> Result<Effect, Illegal> {
        let Some(declaration) = self.declaration else {
            return Err(Illegal::WrongPhase);
        };
        let hand = self.hands[declaration.declarer];
        let choice = self.discard_choice();
        if let Some(card) = cards.difference(hand).lowest() {
            return Err(Illegal::NotHeld(card));
        }
        if cards.len() != usize::from(choice.count) {
            let expected = choice.count;
            return Err(Illegal::DiscardCount { expected });
        }
        if let Some(card) = cards.difference(choice.from).lowest() {
            return Err(Illegal::DiscardNotAllowed(card));
        }
        if !choice.covers_aces(cards) {
            return Err(Illegal::AcesNeedTrumps);
        }
        self.hands[declaration.declarer] = hand.difference(cards);
        self.discards = cards;
        self.after_exchange(declaration);
        Ok(Effect::None)
    }

    fn after_exchange(&mut self, declaration: Declaration) {
        if self.trump_suits().is_empty() {
            self.after_trump(declaration);
        } else {
            self.phase = Phase::Trump;
        }
    }

    fn declare_trump(&mut self, suit: Suit) -> Result<Effect, Illegal> {
        let Some(declaration) = self.declaration else {
            return Err(Illegal::WrongPhase);
        };
        if !self.trump_suits().contains(&suit) {
            return Err(Illegal::TrumpNotAllowed(suit));
        }
        self.trump = Some(suit);
        self.after_trump(declaration);
        Ok(Effect::None)
    }

    fn after_trump(&mut self, declaration: Declaration) {
        if self.rules.options.doubling {
            self.ask_after(declaration.declarer, declaration);
        } else {
            self.start_play(declaration);
        }
    }

    /// Asks the next defender after a seat to double, or goes on to play.
    fn ask_after(&mut self, seat: Seat, declaration: Declaration) {
        let calls = &self.auction.calls;
        match next_asked(seat, declaration.declarer, calls, self.rules.players()) {
            Some(next) => {
                self.asked = next;
                self.phase = Phase::Doubling;
            }
            None => self.start_play(declaration),
        }
    }

    fn double(&mut self, action: Action) -> Result<Effect, Illegal> {
        let Some(declaration) = self.declaration else {
            return Err(Illegal::WrongPhase);
        };
        match (self.doubling.doubled_by, action) {
            (None, Action::Pass) => self.ask_after(self.asked, declaration),
            (None, Action::Double) => {
                self.doubling.doubled_by = Some(self.asked);
                self.asked = declaration.declarer;
            }
            (Some(_), Action::Pass) => self.start_play(declaration),
            (Some(_), Action::Redouble) => {
                self.doubling.redoubled = true;
                self.start_play(declaration);
            }
            _ => return Err(Illegal::WrongPhase),
        }
        Ok(Effect::None)
    }

    fn start_play(&mut self, declaration: Declaration) {
        let players = self.rules.players();
        let leader = match self.rules.set().lead {
            Lead::Forehand => self.dealer.left(players),
            Lead::Declarer => declaration.declarer,
        };
        let order = self.trump.map_or(CardOrder::NoTrump, CardOrder::Trump);
        self.tricks = Tricks::new(leader, players, order);
        self.playable = self.tricks.playable(self.hands[leader]);
        self.phase = Phase::Play;
    }

    #[inline]
    fn play(&mut self, card: Card) -> Result<Effect, Illegal> {
        let seat = self.tricks.turn();
        let hand = self.hands[seat];
        if !self.playable.contains(card) {
            return Err(self.why_not_playable(hand, card));
        }
        self.hands[seat] = hand.without(card);
        let won = self.tricks.play(card);
        let next = self.hands[self.tricks.turn()];
        self.playable = self.tricks.playable(next);
        let Some(winner) = won else {
            return Ok(Effect::None);
        };
        if next.is_empty() || self.is_lost_at_first_trick(winner) {
            self.playable = CardSet::EMPTY;
            self.phase = Phase::Done;
        }
        Ok(Effect::TrickWon(winner))
    }

    /// Bettel is over with the declarer's first trick.
    fn is_lost_at_first_trick(&self, winner: Seat) -> bool {
        self.declaration.is_some_and(|declared| {
            // In this order, for the second is a guess that the processor gets wrong.
            self.rules.contract(declared.contract).target == Target::NoTrick
                && declared.declarer == winner
        })
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
        let end = self.declaration.map_or(DealEnd::ThrownIn, |declaration| {
            DealEnd::Played(DealOutcome::new(self, declaration))
        });
        Some(end)
    }
}
