//! What a seat knows of the cards that it does not see.
//!
//! It counts the cards that are gone, notes who did not follow suit, and from that takes for
//! every unseen card the chance that it is in a certain hand. The chances of a card add up to
//! one over the places where it can be, those of a hand to the number of its cards.

use rules::{Card, CardOrder, CardSet, DealView, PACK, PLAYERS_MAX, Rank, Seat, Target};

/// The place after the last seat: the talon or the discards, when the seat has not seen them.
const ASIDE: usize = PLAYERS_MAX;
const PLACES: usize = PLAYERS_MAX + 1;

/// How many times the chances are fitted to cards and hands in turn. They settle quickly.
const FITTINGS: usize = 3;

/// Who bids has more trumps and aces than others, and lays off hardly any.
const DECLARER_HOLDS: f32 = 1.86;
const DECLARER_LAYS_OFF: f32 = 0.79;
/// Who means to take no trick has the lowest card of a suit so many times as often as others,
/// and each higher one this less often.
const HOLDS_LOWEST: f32 = 1.9;
const HOLDS_NEXT: f32 = 0.19;

/// The play of a deal as one seat knows it.
pub(crate) struct Knowledge {
    pub(crate) me: Seat,
    pub(crate) players: u8,
    pub(crate) declarer: Seat,
    /// What the declarer must reach.
    pub(crate) target: Target,
    pub(crate) order: CardOrder,
    /// The cards that the seat has not seen yet.
    pub(crate) unseen: CardSet,
    chances: [[f32; PACK]; PLACES],
}

impl Knowledge {
    /// What the view's seat knows while cards are played; `None` at any other time.
    pub(crate) fn new(view: &DealView) -> Option<Self> {
        let me = view.seat?;
        let declared = view.declaration?;
        let order = view.tricks.order();
        let contract = view.rules.contract(declared.contract);
        let mut seen = view.hand.union(view.uncovered.discards.unwrap_or_default());
        seen = view
            .tricks
            .cards()
            .iter()
            .copied()
            .fold(seen, CardSet::with);
        let unseen = CardSet::FULL.difference(seen);
        let mut knowledge = Self {
            me,
            players: view.rules.players(),
            declarer: declared.declarer,
            target: contract.target,
            order,
            unseen,
            chances: [[0.0; PACK]; PLACES],
        };
        knowledge.weigh(view, contract.takes_talon);
        knowledge.fit(view);
        Some(knowledge)
    }

    /// Every trump of the pack; none in a contract without.
    pub(crate) fn trumps(&self) -> CardSet {
        self.order.trumps(CardSet::FULL)
    }

    /// Whether a seat is on this one's side.
    pub(crate) fn ally(&self, seat: Seat) -> bool {
        (seat == self.declarer) == (self.me == self.declarer)
    }

    pub(crate) fn is_declarer(&self) -> bool {
        self.me == self.declarer
    }

    /// The other seats, clockwise.
    pub(crate) fn others(&self) -> impl Iterator<Item = Seat> + use<> {
        let (me, players) = (self.me, self.players);
        (1..players).map(move |steps| me.clockwise(steps, players))
    }

    pub(crate) fn opponents(&self) -> impl Iterator<Item = Seat> {
        self.others().filter(|&seat| !self.ally(seat))
    }

    /// The chance that another seat holds this card.
    pub(crate) fn holds(&self, seat: Seat, card: Card) -> f32 {
        self.chances[seat.index()][card.index()]
    }

    /// The chance that another seat holds none of these cards.
    pub(crate) fn holds_none(&self, seat: Seat, cards: CardSet) -> f32 {
        let unseen = cards.intersection(self.unseen);
        unseen.map(|card| 1.0 - self.holds(seat, card)).product()
    }

    /// The chance that a seat has to beat a card of the suit led: it holds some of the suit,
    /// and none below.
    pub(crate) fn forced_above(&self, seat: Seat, card: Card) -> f32 {
        self.holds_none(seat, self.lower(card)) * (1.0 - self.holds_none(seat, self.higher(card)))
    }

    /// How many of these cards another seat is expected to hold.
    pub(crate) fn expected(&self, seat: Seat, cards: CardSet) -> f32 {
        let unseen = cards.intersection(self.unseen);
        unseen.map(|card| self.holds(seat, card)).sum()
    }

    /// Of a suit, the cards above this one that the seat has not seen.
    pub(crate) fn higher(&self, card: Card) -> CardSet {
        self.unseen
            .of_suit(card.suit())
            .filter(|&other| self.order.beats(other, card))
            .collect()
    }

    /// Of a suit, the cards below this one.
    pub(crate) fn lower(&self, card: Card) -> CardSet {
        let suit = CardSet::FULL.of_suit(card.suit());
        suit.filter(|&other| self.order.beats(card, other))
            .collect()
    }

    /// The chance that no opponent holds a higher card of the suit.
    pub(crate) fn stands(&self, card: Card) -> f32 {
        let higher = self.higher(card);
        self.opponents()
            .map(|seat| self.holds_none(seat, higher))
            .product()
    }

    /// How likely each unseen card is in each place before counting: nothing for a suit that
    /// the seat has shown to be out of.
    fn weigh(&mut self, view: &DealView, laid_off: bool) {
        let strong = self
            .order
            .trumps(self.unseen)
            .union(self.unseen.of_rank(Rank::Ace));
        for seat in self.others() {
            let may_hold = self.unseen.difference(shown_void(view, seat, self.order));
            for card in may_hold {
                let weight = match self.target {
                    _ if seat != self.declarer => 1.0,
                    Target::NoTrick => HOLDS_LOWEST - HOLDS_NEXT * self.lower(card).len() as f32,
                    _ if strong.contains(card) => DECLARER_HOLDS,
                    _ => 1.0,
                };
                self.chances[seat.index()][card.index()] = weight;
            }
        }
        for card in self.unseen {
            let kept = laid_off && strong.contains(card);
            self.chances[ASIDE][card.index()] = if kept { DECLARER_LAYS_OFF } else { 1.0 };
        }
    }

    /// Makes chances of the weights.
    fn fit(&mut self, view: &DealView) {
        let mut sizes = [0_u8; PLACES];
        for seat in self.others() {
            sizes[seat.index()] = view.cards[seat];
        }
        let held: u8 = sizes.iter().sum();
        sizes[ASIDE] = (self.unseen.len() as u8).saturating_sub(held);
        for _ in 0..FITTINGS {
            for (chances, size) in self.chances.iter_mut().zip(sizes) {
                let sum: f32 = self.unseen.map(|card| chances[card.index()]).sum();
                let factor = if sum > 0.0 {
                    f32::from(size) / sum
                } else {
                    0.0
                };
                for card in self.unseen {
                    chances[card.index()] *= factor;
                }
            }
            for card in self.unseen {
                let place = card.index();
                let sum: f32 = self.chances.iter().map(|chances| chances[place]).sum();
                if sum > 0.0 {
                    for chances in &mut self.chances {
                        chances[place] /= sum;
                    }
                }
            }
        }
    }
}

/// The cards of the suits that a seat has shown to be out of: who does not follow has none of
/// the suit led, and who does not trump then has no trump either.
fn shown_void(view: &DealView, seat: Seat, order: CardOrder) -> CardSet {
    let players = view.rules.players();
    let trumps = order.trumps(CardSet::FULL);
    let mut void = CardSet::EMPTY;
    for trick in view.tricks.iter() {
        let place = (seat.number() + players - trick.leader.number()) % players;
        let (Some(led), Some(played)) = (
            trick.cards.first().map(|card| card.suit()),
            trick.cards.get(usize::from(place)),
        ) else {
            continue;
        };
        if played.suit() != led {
            void = void.union(CardSet::FULL.of_suit(led));
            if !trumps.contains(*played) {
                void = void.union(trumps);
            }
        }
    }
    void
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Suit;

    use crate::testing::{cards, deal, declare, play, rules, seat, view};

    /// Seat 2 is out of acorns and trumps its way in; nobody has seen the talon.
    fn middle() -> DealView {
        let mut deal = deal(
            rules(4),
            &[
                "EA EX EK HK HO G6 S6 S7",
                "E6 E7 E8 HU H9 G7 G8 S8",
                "HA HX H8 H7 GA GX SA SX",
                "EO EU E9 H6 GK GO SK SO",
                "GU G9 SU S9",
            ],
        );
        declare(&mut deal, 2, "sumpern");
        play(&mut deal, "EA E6 H7 E9");
        play(&mut deal, "GA GK");
        view(&deal)
    }

    #[test]
    fn cards_played_and_held_are_not_unseen() {
        let view = middle();
        assert_eq!(view.seat, Some(seat(0)));
        let knowledge = Knowledge::new(&view).unwrap();
        let seen = view.hand.union(cards("EA E6 H7 E9 GA GK"));
        assert_eq!(knowledge.unseen, CardSet::FULL.difference(seen));
    }

    #[test]
    fn who_does_not_follow_has_none_of_the_suit() {
        let knowledge = Knowledge::new(&middle()).unwrap();
        let acorns = CardSet::FULL.of_suit(Suit::Acorns);
        assert_eq!(knowledge.expected(seat(2), acorns), 0.0);
        assert!(knowledge.expected(seat(1), acorns) > 0.5);
        assert!(knowledge.holds_none(seat(2), CardSet::FULL.of_suit(Suit::Hearts)) < 0.5);
    }

    #[test]
    fn who_does_not_even_trump_has_no_trump() {
        let mut deal = deal(
            rules(3),
            &["EA", "E6 HA", "GA GK GO GU G9 G8 G7 SA SK SO SU"],
        );
        declare(&mut deal, 0, "sumpern");
        play(&mut deal, "EA E6 SU");
        let knowledge = Knowledge::new(&view(&deal)).unwrap();
        let trumps = CardSet::FULL.of_suit(Suit::Hearts);
        assert_eq!(knowledge.holds_none(seat(2), trumps), 1.0);
        assert_eq!(knowledge.stands("EX".parse().unwrap()), 1.0);
    }

    #[test]
    fn chances_add_up_over_places_and_over_cards() {
        let view = middle();
        let knowledge = Knowledge::new(&view).unwrap();
        for card in knowledge.unseen {
            let sum: f32 = knowledge
                .chances
                .iter()
                .map(|chances| chances[card.index()])
                .sum();
            assert!((sum - 1.0).abs() < 0.01, "{card}: {sum}");
        }
        for other in knowledge.others() {
            let sum = knowledge.expected(other, CardSet::FULL);
            assert!(
                (sum - f32::from(view.cards[other])).abs() < 0.2,
                "{other}: {sum}"
            );
        }
    }

    #[test]
    fn a_declarer_holds_more_trumps_than_others() {
        let mut deal = deal(rules(4), &[]);
        declare(&mut deal, 3, "sumpern");
        let knowledge = Knowledge::new(&view(&deal)).unwrap();
        let trumps = CardSet::FULL.of_suit(Suit::Hearts);
        assert!(knowledge.expected(seat(3), trumps) > knowledge.expected(seat(2), trumps));
    }

    #[test]
    fn a_declarer_knows_what_was_laid_off() {
        let mut deal = deal(rules(4), &["EX GX SX E6"]);
        declare(&mut deal, 0, "look_in");
        let laid_off = cards("EX GX SX E6");
        deal.apply(rules::Action::Discard(laid_off)).unwrap();
        let knowledge = Knowledge::new(&view(&deal)).unwrap();
        assert!(knowledge.unseen.intersection(laid_off).is_empty());
        let outside: f32 = knowledge.chances[ASIDE].iter().sum();
        assert!(outside < 0.01);
    }
}
