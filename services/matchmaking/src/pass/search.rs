//! The best group for a player whose turn it is, among players who came alone.

use std::time::Duration;

use super::{Params, pool::Pool};

/// How many neighbours on each side of a ticket are looked at, at most. Only a crowd of
/// neighbours that do not fit can hide one that does, until windows have widened.
pub(super) const SCAN: usize = 128;
/// How many fitting neighbours on each side are tried in every combination.
const REACH: usize = 16;

impl Pool<'_> {
    /// The best group for a unit whose turn it is, if there is one.
    pub(super) fn serve(&self, unit: usize, params: &Params) -> Option<Vec<usize>> {
        let waited_ms = self.waited_ms(unit);
        let has_waited =
            |limit: Duration| u128::from(waited_ms.unsigned_abs()) >= limit.as_millis();
        let bots_due = params.bots_after.is_some_and(has_waited);
        // People would rather meet again than play with bots.
        let may_repeat = bots_due || has_waited(params.repeat_after);
        let alone = self.is_alone(unit);
        let of_size = |size: usize| {
            self.best(unit, size, false)
                .or_else(|| may_repeat.then(|| self.best(unit, size, true)).flatten())
        };
        if alone && let Some(full) = of_size(params.players) {
            return Some(full);
        }
        let mixed = if !self.has_parties() {
            Vec::new()
        } else {
            let fresh = self.mixed(unit, params.players, false);
            if fresh.len() < params.players && may_repeat {
                self.mixed(unit, params.players, true)
            } else {
                fresh
            }
        };
        if mixed.len() == params.players {
            return Some(mixed);
        }
        if !bots_due {
            return None;
        }
        let fewest = mixed.len().max(1);
        let people = || (fewest..params.players).rev().find_map(of_size);
        alone
            .then(people)
            .flatten()
            .or_else(|| (!mixed.is_empty()).then_some(mixed))
    }

    /// The group of `size` around a ticket with the smallest spread of ratings.
    fn best(&self, anchor: usize, size: usize, repeats: bool) -> Option<Vec<usize>> {
        let near = self.neighbours(anchor, size.saturating_sub(1), repeats);
        if let Some(members) = self.consecutive(&near, anchor, size, repeats) {
            return Some(members);
        }
        if near.len() < size {
            return None;
        }
        let few = size.max(REACH / 4);
        let far = self.neighbours(anchor, few, repeats);
        let found = self.between_extremes(&far, anchor, size, repeats);
        if found
            .as_ref()
            .is_some_and(|members| self.spread(members) <= self.edge(&far, anchor, few))
        {
            return found;
        }
        let far = self.neighbours(anchor, size.max(REACH), repeats);
        self.between_extremes(&far, anchor, size, repeats)
    }

    /// How close a group can be that reaches beyond these neighbours, of whom so many on each side
    /// were looked for.
    fn edge(&self, far: &[usize], anchor: usize, reach: usize) -> u32 {
        let at = far.iter().position(|&member| member == anchor);
        let above = at.map_or(0, |at| far.len() - 1 - at);
        // A side with fewer has no more.
        let ends = [
            far.first().filter(|_| at == Some(reach)),
            far.last().filter(|_| above == reach),
        ];
        let distances = ends.into_iter().flatten();
        let distances = distances.map(|&end| self.distance(anchor, end));
        distances.min().unwrap_or(u32::MAX)
    }

    /// A ticket and the nearest that fit it, so many on each side, lowest rating first.
    fn neighbours(&self, anchor: usize, reach: usize, repeats: bool) -> Vec<usize> {
        let mut all = Vec::with_capacity(2 * reach + 1);
        self.side(|place| self.lower(place), anchor, reach, repeats, &mut all);
        all.reverse();
        all.push(anchor);
        self.side(|place| self.higher(place), anchor, reach, repeats, &mut all);
        all
    }

    fn side(
        &self,
        next: impl Fn(usize) -> Option<usize>,
        anchor: usize,
        reach: usize,
        repeats: bool,
        found: &mut Vec<usize>,
    ) {
        let full = found.len() + reach;
        let mut at = anchor;
        for _ in 0..SCAN {
            if found.len() == full {
                break;
            }
            match next(at) {
                Some(place) if self.distance(anchor, place) <= self.width(anchor) => at = place,
                _ => break,
            }
            if self.is_alone(at) && self.fits(anchor, at, repeats) {
                found.push(at);
            }
        }
    }

    /// The best run of neighbours. No group of this size is closer together; but its outer
    /// members may not fit each other.
    fn consecutive(
        &self,
        near: &[usize],
        anchor: usize,
        size: usize,
        repeats: bool,
    ) -> Option<Vec<usize>> {
        // A looser run must not win over a group with gaps that is closer together.
        let run = near
            .windows(size)
            .filter(|run| run.contains(&anchor))
            .min_by_key(|run| self.closeness(run, anchor))?;
        self.all_fit(run, repeats).then(|| run.to_vec())
    }

    /// The best group with gaps. When the lowest and the highest member fit each other, whoever
    /// is between them and fits both fits all, except for those who must not meet. The closest
    /// pairs of extremes are tried first: whatever fits then cannot be beaten by a wider one.
    fn between_extremes(
        &self,
        far: &[usize],
        anchor: usize,
        size: usize,
        repeats: bool,
    ) -> Option<Vec<usize>> {
        let at = far.iter().position(|&member| member == anchor)?;
        // No group between two extremes has a smaller key than the two and the anchor have.
        let mut extremes: Vec<((u32, u64), usize, usize)> = Vec::new();
        for low in 0..=at {
            let first = at.max((low + size).saturating_sub(1));
            for high in first..far.len() {
                let least = self.closeness(&[far[low], anchor, far[high]], anchor);
                extremes.push((least, low, high));
            }
        }
        extremes.sort_unstable();
        let mut best: Option<((u32, u64), Vec<usize>)> = None;
        for (least, low, high) in extremes {
            if best.as_ref().is_some_and(|(key, _)| *key <= least) {
                break;
            }
            let Some(members) = self.fill(&far[low..=high], anchor, size, repeats) else {
                continue;
            };
            let key = self.closeness(&members, anchor);
            if best.as_ref().is_none_or(|(other, _)| key < *other) {
                best = Some((key, members));
            }
        }
        best.map(|(_, members)| members)
    }

    /// A group with the anchor, the first and the last of a range and those between who are
    /// nearest to the anchor.
    fn fill(
        &self,
        range: &[usize],
        anchor: usize,
        size: usize,
        repeats: bool,
    ) -> Option<Vec<usize>> {
        let mut members = Vec::with_capacity(size.max(3));
        members.push(anchor);
        for &outer in [range.first()?, range.last()?] {
            if !members.contains(&outer) {
                members.push(outer);
            }
        }
        if members.len() > size || !self.all_fit(&members, repeats) {
            return None;
        }
        if members.len() < size {
            let mut inner = range.to_vec();
            inner.sort_by_key(|&member| self.distance(anchor, member));
            for member in inner {
                if members.len() == size {
                    break;
                }
                let fits = |&other: &usize| other != member && self.fits(other, member, repeats);
                if members.iter().all(fits) {
                    members.push(member);
                }
            }
        }
        (members.len() == size).then_some(members)
    }

    /// Smaller is better: spread first, then closeness to the one who waited longest.
    fn closeness(&self, members: &[usize], anchor: usize) -> (u32, u64) {
        let sum = members
            .iter()
            .map(|&member| u64::from(self.distance(anchor, member)))
            .sum();
        (self.spread(members), sum)
    }
}
