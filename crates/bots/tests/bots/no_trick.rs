//! How well the bots play a contract of no trick (Bettel), as ratios over the same deals.

use bots::Level;
use rules::{Action, CardSet, Deal, DealEnd, Legal, Rank, Rules, Seat};

use crate::table::{Player, Random, deals, finish};

const STANDARD: Player = Player::Bot(Level::Standard);
const DEALS: u32 = 400;

/// Deals in which the seat with the lowest cards plays Bettel.
fn bettel_deals() -> impl Iterator<Item = (Deal, Seat)> {
    let rules = Rules::new("haferltarock", 3, []).unwrap();
    let bettel = rules.contract_named("bettel").unwrap();
    deals(rules, DEALS).map(move |mut deal| {
        let lowest = |&seat: &Seat| height(deal.hand(seat));
        let declarer = rules.seats().min_by_key(lowest).unwrap();
        while let Legal::Call { .. } = deal.legal() {
            let bids = deal.turn() == Some(declarer);
            let action = if bids {
                Action::Bid(bettel)
            } else {
                Action::Pass
            };
            deal.apply(action).unwrap();
        }
        (deal, declarer)
    })
}

/// How high the cards of a hand are in Bettel.
fn height(hand: CardSet) -> u32 {
    let height = |rank| match rank {
        Rank::Six | Rank::Seven => 0,
        Rank::Eight => 1,
        Rank::Nine | Rank::Ten => 2,
        Rank::Unter | Rank::Ober | Rank::King | Rank::Ace => 4,
    };
    hand.map(|card| height(card.rank())).sum()
}

/// The part of the deals in which the declarer takes no trick.
fn made(declared_by: Player, defended_by: Player) -> f64 {
    let mut random = Random::new(21);
    let mut made = 0;
    for (mut deal, declarer) in bettel_deals() {
        let end = finish(&mut deal, &mut random, |seat| {
            if seat == declarer {
                declared_by
            } else {
                defended_by
            }
        });
        match end {
            DealEnd::Played(outcome) => made += u32::from(outcome.made),
            DealEnd::ThrownIn => panic!("somebody has declared"),
        }
    }
    f64::from(made) / f64::from(DEALS)
}

#[test]
fn standard_defenders_make_a_declarer_win_a_trick_more_often_than_random_ones() {
    let (standard, random) = (made(STANDARD, STANDARD), made(STANDARD, Player::Random));
    println!("no trick against standard defenders {standard:.2}, random ones {random:.2}");
    assert!(standard + 0.2 < random, "{standard} {random}");
}

#[test]
fn a_standard_declarer_stays_under_more_often_than_a_random_one() {
    let (standard, random) = (made(STANDARD, STANDARD), made(Player::Random, STANDARD));
    println!("no trick by a standard declarer {standard:.2}, a random one {random:.2}");
    assert!(standard > random + 0.05, "{standard} {random}");
    let (standard, random) = (
        made(STANDARD, Player::Random),
        made(Player::Random, Player::Random),
    );
    println!("against random defenders {standard:.2}, {random:.2}");
    assert!(standard > random + 0.2, "{standard} {random}");
}

#[test]
fn bettel_is_bid_with_hands_that_mostly_take_no_trick() {
    for game in ["bavarian", "haferltarock"] {
        let rules = Rules::new(game, 3, []).unwrap();
        let bettel = rules.contract_named("bettel").unwrap();
        let mut random = Random::new(22);
        let (mut bid, mut made) = (0_u32, 0_u32);
        for mut deal in deals(rules, 900) {
            if let DealEnd::Played(outcome) = finish(&mut deal, &mut random, |_| STANDARD) {
                let is_bettel = outcome.declaration.contract == bettel;
                bid += u32::from(is_bettel);
                made += u32::from(is_bettel && outcome.made);
            }
        }
        println!("{game}: {made} of {bid} made");
        assert!(bid >= 5, "{game}: {bid}");
        assert!(2 * made >= bid, "{game}: {made} of {bid}");
    }
}
