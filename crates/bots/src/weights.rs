//! What matters how much to a declarer and to a defender.
//!
//! The numbers are card points, or factors of card points. They were found by letting bots
//! play tens of thousands of deals against each other, changing one number at a time.

/// What the value of a card and of a trick is made of.
pub(crate) struct Weights {
    /// For a trump lead of a seat with more trumps than the opponents have: gained by each
    /// opponent who must follow with a trump, for each winner of another suit in the hand.
    pub(crate) draw: f32,
    /// Gained by leading to the next trick.
    pub(crate) lead: f32,
    /// Lost by leading a card that an opponent can beat in its suit.
    pub(crate) lead_loser: f32,
    /// What a partner who follows adds to a trick that the side wins, as a part of the suit's
    /// average; and what one who is out of the suit adds.
    pub(crate) partner_follows: f32,
    pub(crate) partner_throws: f32,
    /// The same for an opponent.
    pub(crate) opponent_follows: f32,
    pub(crate) opponent_throws: f32,
    /// What keeping a trump that no opponent can beat is worth, and for each of its points.
    pub(crate) high_trump: f32,
    pub(crate) high_trump_point: f32,
    /// The same for a trump that can be beaten.
    pub(crate) low_trump: f32,
    pub(crate) low_trump_point: f32,
    /// How likely the Spatz wins the last trick: of a seat with more trumps than the opponents
    /// have, and otherwise.
    pub(crate) spatz_last: f32,
    pub(crate) spatz_sometimes: f32,
    /// How likely the Spatz is lost later, where that costs.
    pub(crate) spatz_caught: f32,
    /// Of another suit, what keeping a card that no opponent can beat is worth, and for each
    /// of its points, when no opponent can ruff it.
    pub(crate) winner: f32,
    pub(crate) winner_point: f32,
    /// For each of its points when an opponent can ruff it.
    pub(crate) ruffed_point: f32,
    /// For each point of a card that can be beaten, with a lower card of the suit beside it
    /// and without.
    pub(crate) guarded_point: f32,
    pub(crate) bare_point: f32,
}

pub(crate) const DECLARER: Weights = Weights {
    draw: 8.0,
    lead: 1.4,
    lead_loser: 0.7,
    // A declarer has no partner.
    partner_follows: 0.0,
    partner_throws: 0.0,
    opponent_follows: 1.0,
    opponent_throws: 4.0,
    high_trump: 17.0,
    high_trump_point: 0.3,
    low_trump: 7.0,
    low_trump_point: 0.8,
    spatz_last: 1.0,
    spatz_sometimes: 0.3,
    spatz_caught: 0.2,
    winner: 4.0,
    winner_point: 0.7,
    ruffed_point: 0.65,
    guarded_point: 1.2,
    bare_point: 0.6,
};

pub(crate) const DEFENDER: Weights = Weights {
    draw: 0.0,
    lead: 0.3,
    lead_loser: 1.4,
    partner_follows: 0.3,
    partner_throws: 7.0,
    opponent_follows: 0.0,
    opponent_throws: 1.4,
    high_trump: 9.6,
    high_trump_point: 0.7,
    low_trump: 2.4,
    low_trump_point: 0.25,
    spatz_last: 0.5,
    spatz_sometimes: 0.2,
    spatz_caught: 0.2,
    winner: 2.0,
    winner_point: 1.2,
    ruffed_point: 0.3,
    guarded_point: 0.3,
    bare_point: 0.9,
};
