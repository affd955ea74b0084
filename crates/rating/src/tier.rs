//! Tiers: the ranks of the cards, from the six to the deuce, as names for bands of rating.
//!
//! The bands are fixed numbers, so that a tier changes only by one's own matches. Their limits
//! follow from simulated seasons (`make sim-ratings`).

/// A tier, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// The six.
    Sechser,
    /// The seven.
    Siebener,
    /// The eight.
    Achter,
    /// The nine.
    Neuner,
    /// The lower knave.
    Unter,
    /// The upper knave.
    Ober,
    /// The king.
    Koenig,
    /// The ten, which is above the king.
    Zehner,
    /// The deuce (Daus), which everybody calls the sow.
    Sau,
}

impl Tier {
    /// Every tier, the lowest first.
    pub const ALL: [Self; 9] = [
        Self::Sechser,
        Self::Siebener,
        Self::Achter,
        Self::Neuner,
        Self::Unter,
        Self::Ober,
        Self::Koenig,
        Self::Zehner,
        Self::Sau,
    ];

    /// The tier of a rating.
    #[must_use]
    pub fn of(rating: i32) -> Self {
        let reached = Self::ALL.into_iter().rev();
        let mut reached = reached.filter(|tier| tier.from().is_none_or(|from| from <= rating));
        reached.next().unwrap_or(Self::Sechser)
    }

    /// The lowest rating of the tier; none for the lowest tier.
    #[must_use]
    pub const fn from(self) -> Option<i32> {
        match self {
            Self::Sechser => None,
            Self::Siebener => Some(1000),
            Self::Achter => Some(1075),
            Self::Neuner => Some(1140),
            Self::Unter => Some(1200),
            Self::Ober => Some(1265),
            Self::Koenig => Some(1330),
            Self::Zehner => Some(1400),
            Self::Sau => Some(1475),
        }
    }

    /// The tier above; none for the highest.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        Self::ALL.into_iter().find(|&tier| tier > self)
    }

    /// The stable name in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sechser => "sechser",
            Self::Siebener => "siebener",
            Self::Achter => "achter",
            Self::Neuner => "neuner",
            Self::Unter => "unter",
            Self::Ober => "ober",
            Self::Koenig => "koenig",
            Self::Zehner => "zehner",
            Self::Sau => "sau",
        }
    }
}

/// How far a rating is on its way through its tier, in percent: 0 to 99. The lowest tier is as
/// wide as the one above it, and below that progress is 0; none for the highest.
#[must_use]
pub fn progress(rating: i32) -> Option<u32> {
    let tier = Tier::of(rating);
    let to = tier.next()?.from()?;
    let from = tier.from().unwrap_or_else(|| {
        let above = tier.next().and_then(Tier::next).and_then(Tier::from);
        to - above.map_or(0, |above| above - to)
    });
    let part = i64::from(rating - from) * 100 / i64::from(to - from).max(1);
    Some(part.clamp(0, 99) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_rise_and_belong_to_the_upper_tier() {
        for pair in Tier::ALL.windows(2) {
            let limit = pair[1].from().expect("a limit");
            assert!(pair[0].from().is_none_or(|from| from < limit));
            assert_eq!(pair[0].next(), Some(pair[1]));
            assert_eq!(Tier::of(limit), pair[1]);
            assert_eq!(Tier::of(limit - 1), pair[0]);
            assert!(progress(limit - 1) >= Some(98));
        }
        assert_eq!(Tier::Sau.next(), None);
    }

    #[test]
    fn progress_goes_from_nothing_to_the_next_tier() {
        assert_eq!(Tier::of(1200).name(), "unter");
        assert_eq!(progress(1200), Some(0));
        assert_eq!(progress(1237), Some(56));
        assert_eq!(progress(100), Some(0));
        assert_eq!(progress(964), Some(52));
        assert_eq!(progress(2000), None);
    }
}
