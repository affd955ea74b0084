//! How strong a hand is, in card points.

use rules::{CardSet, Rank, Suit};

use crate::pick;

pub(crate) struct Values {
    pub(crate) base: f32,
    pub(crate) trump: f32,
    pub(crate) long_trump: f32,
    pub(crate) trump_ace: f32,
    pub(crate) trump_ten: f32,
    pub(crate) trump_king: f32,
    pub(crate) trump_ober: f32,
    pub(crate) trump_unter: f32,
    pub(crate) ace: f32,
    pub(crate) ace_ten: f32,
    pub(crate) ten: f32,
    pub(crate) bare_ten: f32,
    pub(crate) king: f32,
    pub(crate) void: f32,
    pub(crate) ruffing_void: f32,
    pub(crate) single: f32,
}

const THREE: Values = Values {
    base: -9.7,
    trump: 3.9,
    long_trump: 0.7,
    trump_ace: 14.2,
    trump_ten: 10.2,
    trump_king: 3.4,
    trump_ober: 2.0,
    trump_unter: 1.3,
    ace: 13.2,
    ace_ten: 6.2,
    ten: 8.9,
    bare_ten: -1.3,
    king: 1.5,
    void: 5.1,
    ruffing_void: 6.7,
    single: 2.2,
};

const FOUR: Values = Values {
    base: -12.2,
    trump: 5.3,
    long_trump: 1.3,
    trump_ace: 17.5,
    trump_ten: 11.1,
    trump_king: 4.2,
    trump_ober: 2.3,
    trump_unter: 1.4,
    ace: 13.6,
    ace_ten: 0.7,
    ten: 5.5,
    bare_ten: 1.3,
    king: 1.0,
    void: 9.0,
    ruffing_void: 1.1,
    single: 0.0,
};

const LOOK_THREE: Values = Values {
    base: 22.6,
    trump: 4.2,
    long_trump: 0.0,
    trump_ace: 11.9,
    trump_ten: 9.3,
    trump_king: 2.9,
    trump_ober: 2.0,
    trump_unter: 1.2,
    ace: 8.0,
    ace_ten: 6.3,
    ten: 5.1,
    bare_ten: 5.2,
    king: 1.0,
    void: -0.2,
    ruffing_void: 0.3,
    single: 0.5,
};

const LOOK_FOUR: Values = Values {
    base: 24.1,
    trump: 4.2,
    long_trump: -2.7,
    trump_ace: 14.7,
    trump_ten: 9.7,
    trump_king: 3.6,
    trump_ober: 2.2,
    trump_unter: 1.1,
    ace: 7.6,
    ace_ten: 4.9,
    ten: 6.2,
    bare_ten: 5.5,
    king: 1.5,
    void: -1.0,
    ruffing_void: -0.3,
    single: -0.4,
};

/// The card points that a declarer with this hand is expected to take in tricks.
pub(crate) fn card_points(hand: CardSet, trump: Suit, players: u8) -> f32 {
    value(if players <= 3 { &THREE } else { &FOUR }, hand, trump)
}

/// The suit of these with which a declarer is expected to take the most card points, and these.
pub(crate) fn best_trump(
    hand: CardSet,
    suits: impl Iterator<Item = Suit>,
    players: u8,
) -> Option<(Suit, f32)> {
    pick::best(suits, |suit| card_points(hand, suit, players))
}

/// The card points of a declarer who takes up the talon to this hand.
pub(crate) fn with_talon(hand: CardSet, trump: Suit, players: u8) -> f32 {
    value(
        if players <= 3 {
            &LOOK_THREE
        } else {
            &LOOK_FOUR
        },
        hand,
        trump,
    )
}

fn value(v: &Values, hand: CardSet, trump: Suit) -> f32 {
    let trumps = hand.of_suit(trump);
    let count = |rank| trumps.of_rank(rank).len() as f32;
    let mut sum = v.base
        + v.trump * trumps.len() as f32
        + v.long_trump * trumps.len().saturating_sub(4) as f32
        + v.trump_ace * count(Rank::Ace)
        + v.trump_ten * count(Rank::Ten)
        + v.trump_king * count(Rank::King)
        + v.trump_ober * count(Rank::Ober)
        + v.trump_unter * count(Rank::Unter);
    for suit in Suit::ALL {
        if suit != trump {
            sum += side(hand.of_suit(suit), v);
            if hand.of_suit(suit).is_empty() && trumps.len() >= 3 {
                sum += v.ruffing_void;
            }
        }
    }
    sum
}

fn side(cards: CardSet, v: &Values) -> f32 {
    if cards.is_empty() {
        return v.void;
    }
    let has = |rank| !cards.of_rank(rank).is_empty();
    let mut sum = match (has(Rank::Ace), has(Rank::Ten)) {
        (true, true) => v.ace + v.ace_ten,
        (true, false) => v.ace,
        (false, true) if cards.len() == 1 => v.bare_ten,
        (false, true) => v.ten,
        (false, false) => 0.0,
    };
    if has(Rank::King) {
        sum += v.king;
    }
    if cards.len() == 1 && !has(Rank::Ace) {
        sum += v.single;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cards;

    fn points(hand: &str) -> f32 {
        card_points(cards(hand), Suit::Hearts, 4)
    }

    #[test]
    fn high_and_long_trumps_aces_and_voids_make_a_hand_strong() {
        let weak = points("H7 H8 E8 E9 G7 G8 S8 SU");
        for better in [
            "HA H8 E8 E9 G7 G8 S8 SU",
            "H7 H8 H9 E8 E9 G7 G8 S8",
            "H7 H8 EA E9 G7 G8 S8 SU",
            "H7 H8 E8 E9 EU S7 S8 SU",
        ] {
            assert!(points(better) > weak + 3.0, "{better}");
        }
    }

    #[test]
    fn a_ten_wants_company() {
        let with_ace = points("H7 H8 EA EX G7 G8 S8 S9");
        let without = points("H7 H8 EA E7 G7 G8 S8 SX");
        let bare = points("H7 H8 EA E7 E8 G7 G8 SX");
        assert!(without > bare, "{without} {bare}");
        assert!(with_ace > points("H7 H8 EA E9 G7 G8 S8 S9"));
    }

    #[test]
    fn all_but_the_best_hands_expect_less_than_half_of_the_points() {
        assert!(points("H7 H8 E8 E9 G7 G8 S8 SU") < 20.0);
        assert!(points("HA HX HK HO HU H9 EA GA") > 90.0);
    }

    #[test]
    fn a_talon_helps_a_weak_hand_most() {
        let gain = |hand| with_talon(cards(hand), Suit::Hearts, 4) - points(hand);
        let (weak, strong) = ("H7 H8 E8 E9 G7 G8 S8 SU", "HA HX HK HO HU H9 EA GA");
        assert!(gain(weak) > 15.0 && gain(strong) < 0.0);
    }
}
