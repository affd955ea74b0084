//! Hand-made situations: deals with chosen hands, played to a chosen card.

use rules::{Action, Card, CardSet, Deal, DealView, Deck, Legal, Rules, Seat};

use crate::{Level, choose};

/// The cards of a text such as `HA EX`.
pub(crate) fn cards(text: &str) -> CardSet {
    let cards = text.split_whitespace();
    cards.map(|card| card.parse::<Card>().unwrap()).collect()
}

pub(crate) fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

pub(crate) fn rules(players: u8) -> Rules {
    Rules::new("brixental", players, []).unwrap()
}

pub(crate) fn haferltarock() -> Rules {
    Rules::new("haferltarock", 3, []).unwrap()
}

/// A deal with these cards in the hands from seat 0 on, which is forehand, and then in the
/// talon. Where some are missing, those that nobody has named fill up in the order of the
/// pack.
pub(crate) fn deal(rules: Rules, holdings: &[&str]) -> Deal {
    let places = usize::from(rules.players()) + 1;
    let mut named: Vec<CardSet> = holdings.iter().map(|text| cards(text)).collect();
    named.resize(places, CardSet::EMPTY);
    let all = named.iter().copied().fold(CardSet::EMPTY, CardSet::union);
    assert_eq!(
        all.len(),
        named.iter().map(|cards| CardSet::len(*cards)).sum(),
        "named twice"
    );
    let mut rest = CardSet::FULL.difference(all);

    // Where the cards of a pack go shows when an ordered one is dealt.
    let dealer = seat(rules.players() - 1);
    let order: [Card; 36] = std::array::from_fn(|place| Card::from_index(place).unwrap());
    let ordered = Deal::new(rules, dealer, &Deck::from_order(order).unwrap());
    let place_of = |card: Card| {
        let holder = rules
            .seats()
            .find(|&seat| ordered.hand(seat).contains(card));
        holder.map_or(places - 1, Seat::index)
    };
    for card in order {
        let missing = named.iter().enumerate().find(|(place, cards)| {
            CardSet::len(**cards) < order.iter().filter(|c| place_of(**c) == *place).count()
        });
        if rest.contains(card) {
            let place = missing.unwrap().0;
            named[place] = named[place].with(card);
            rest = rest.without(card);
        }
    }
    let deck = order.map(|card| named[place_of(card)].next().unwrap());
    Deal::new(rules, dealer, &Deck::from_order(deck).unwrap())
}

/// Lets a seat declare this contract, all others passing.
pub(crate) fn declare(deal: &mut Deal, declarer: u8, contract: &str) {
    let contract = deal.rules().contract_named(contract).unwrap();
    while let Legal::Call { .. } = deal.legal() {
        let bids = deal.turn() == Some(seat(declarer));
        let action = if bids {
            Action::Bid(contract)
        } else {
            Action::Pass
        };
        deal.apply(action).unwrap();
    }
}

/// Plays these cards.
pub(crate) fn play(deal: &mut Deal, cards: &str) {
    for card in cards.split_whitespace() {
        deal.apply(Action::Play(card.parse().unwrap())).unwrap();
    }
}

/// The view of the seat in turn.
pub(crate) fn view(deal: &Deal) -> DealView {
    deal.view(deal.turn())
}

/// What the bot in turn does.
pub(crate) fn chosen(deal: &Deal) -> Action {
    choose(Level::Standard, &view(deal)).unwrap()
}

/// The card that the bot in turn plays.
pub(crate) fn chosen_card(deal: &Deal) -> String {
    match chosen(deal) {
        Action::Play(card) => card.to_string(),
        other => panic!("expected a card, not {other:?}"),
    }
}
