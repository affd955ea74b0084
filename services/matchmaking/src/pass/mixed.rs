//! Groups of parties and of players who came alone.

use super::{pool::Pool, search::SCAN};

impl Pool<'_> {
    /// The unit of a ticket whose turn it is, and the nearest units that fit it and each other
    /// and find a seat; perhaps fewer people than there are seats.
    ///
    /// Nearest first is not always the closest group, but parties are few, and the pass has to
    /// stay fast when they are not.
    pub(super) fn mixed(&self, anchor: usize, players: usize, repeats: bool) -> Vec<usize> {
        let mut units = vec![anchor];
        let mut members = self.members(anchor);
        let rating = self.unit_rating(anchor);
        let distance = |place: usize| self.rating(place).abs_diff(rating);
        let (mut low, mut high) = (self.lower(anchor), self.higher(anchor));
        for _ in 0..2 * SCAN {
            if members.len() == players {
                break;
            }
            let lower_is_nearer = match (low, high) {
                (Some(low), Some(high)) => distance(low) <= distance(high),
                (low, _) => low.is_some(),
            };
            let Some(place) = (if lower_is_nearer { low } else { high }) else {
                break;
            };
            if lower_is_nearer {
                low = self.lower(place);
            } else {
                high = self.higher(place);
            }
            let guests = self.members(place);
            let fits = |&unit: &usize| self.units_fit(unit, place, repeats);
            if !members.contains(&place)
                && members.len() + guests.len() <= players
                && units.iter().all(fits)
            {
                units.push(place);
                members.extend(guests);
            }
        }
        members
    }

    /// A party, or a player alone.
    fn members(&self, place: usize) -> Vec<usize> {
        match self.unit(place) {
            Some(unit) => unit.members.clone(),
            None => vec![place],
        }
    }

    fn unit_rating(&self, place: usize) -> i32 {
        self.unit(place)
            .map_or_else(|| self.rating(place), |unit| unit.rating)
    }

    fn units_fit(&self, a: usize, b: usize, repeats: bool) -> bool {
        let distance = self.unit_rating(a).abs_diff(self.unit_rating(b));
        distance <= self.width(a).min(self.width(b))
            && self.members(a).into_iter().all(|one| {
                let others = self.members(b);
                others
                    .into_iter()
                    .all(|other| self.may_meet(one, other, repeats))
            })
    }
}
