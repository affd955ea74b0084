//! How strong a hand is, in card points.

use rules::{CardSet, Rank, Suit};

/// stub for now
pub(crate) fn card_points(hand: CardSet, trump: Suit, players: u8, leads: bool) -> f32 {
    let trumps = hand.of_suit(trump);
    let mut v = if players == 3 { 5.0 } else { 8.0 } + trumps.len() as f32 * 5.0;
    for (rank, w) in [(Rank::Ace, 8.0), (Rank::Ten, 7.0), (Rank::King, 4.0), (Rank::Ober, 2.0)] {
        v += trumps.of_rank(rank).len() as f32 * w;
    }
    for suit in Suit::ALL {
        if suit == trump { continue; }
        let s = hand.of_suit(suit);
        if s.is_empty() { v += 3.0; continue; }
        let ace = !s.of_rank(Rank::Ace).is_empty();
        let ten = !s.of_rank(Rank::Ten).is_empty();
        if ace { v += 10.0; }
        if ten { v += if ace { 7.0 } else if s.len() > 1 { 4.0 } else { 1.0 }; }
        if s.len() == 1 && !ace { v += 1.0; }
    }
    if leads { v += 1.0; }
    v
}
