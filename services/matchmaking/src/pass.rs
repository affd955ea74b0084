//! The matching pass: who of the waiting plays with whom. Pure: no I/O, no clock.
//!
//! The oldest ticket is served first, with the partners whose ratings are closest together.
//! Two tickets fit when their ratings are no further apart than the window of either, and a
//! window widens while its ticket waits. Recent opponents are kept apart until the oldest ticket
//! of the group has waited for a while.
//!
//! Invariants: the same tickets in any order give the same groups; no ticket is in two groups;
//! any two tickets of a group fit.
//!
//! Cost: tickets are sorted by rating once and linked in that order, so each finds its
//! neighbours beside it; [`SCAN`] bounds how far one looks. That makes a pass O(n log n).

use std::time::Duration;

use uuid::Uuid;

/// How many neighbours on each side of a ticket are looked at, at most. Only a crowd of
/// neighbours that do not fit can hide one that does, until windows have widened.
const SCAN: usize = 128;
/// How many fitting neighbours on each side are tried in every combination.
const REACH: usize = 16;

/// A waiting ticket, as far as matching is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The ticket.
    pub ticket: Uuid,
    /// Who waits.
    pub player: Uuid,
    /// The player's rating when the ticket was made.
    pub rating: i32,
    /// When the ticket was made, in the store's time.
    pub created_ms: i64,
    /// Opponents of the player's latest matches.
    pub recent: Vec<Uuid>,
}

/// How far apart ratings may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Points up and down at first.
    pub start: u32,
    /// Points that every second of waiting adds.
    pub per_second: u32,
    /// After this wait every rating will do.
    pub unlimited_after: Duration,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            start: 100,
            per_second: 10,
            unlimited_after: Duration::from_secs(60),
        }
    }
}

impl Window {
    /// Points up and down after a wait; `None` when every rating will do.
    #[must_use]
    pub fn width(&self, waited_ms: i64) -> Option<u32> {
        let waited = Duration::from_millis(u64::try_from(waited_ms).unwrap_or(0));
        if waited >= self.unlimited_after {
            return None;
        }
        let widened = waited.as_millis() * u128::from(self.per_second) / 1_000;
        let widened = u32::try_from(widened).unwrap_or(u32::MAX);
        Some(self.start.saturating_add(widened))
    }
}

/// What a queue asks of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Seats of a table, 1 or more.
    pub players: usize,
    /// How far apart ratings may be.
    pub window: Window,
    /// Bots fill the seats once the oldest ticket has waited this long; never when absent.
    pub bots_after: Option<Duration>,
    /// Recent opponents may meet again once the oldest ticket has waited this long, or when
    /// bots are due.
    pub repeat_after: Duration,
}

/// A ticket of a group, and why it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Place in the list of candidates.
    pub candidate: usize,
    /// The ticket.
    pub ticket: Uuid,
    /// How long it waited.
    pub waited_ms: i64,
    /// Its window, points up and down; `None` when every rating would have done.
    pub window: Option<u32>,
}

/// Tickets that play together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The oldest first.
    pub members: Vec<Member>,
    /// Seats that bots take.
    pub bots: usize,
    /// Highest rating less lowest.
    pub spread: u32,
    /// Pairs that met recently.
    pub repeats: usize,
}

/// Makes groups of the waiting. `now_ms` is in the same time as the tickets' `created_ms`.
#[must_use]
pub fn run(candidates: &[Candidate], params: &Params, now_ms: i64) -> Vec<Group> {
    let mut pool = Pool::new(candidates, &params.window, now_ms);
    let mut by_age: Vec<usize> = (0..candidates.len()).collect();
    by_age.sort_unstable_by_key(|&place| pool.age(place));
    let mut groups = Vec::new();
    for oldest in by_age {
        if pool.taken[oldest] {
            continue;
        }
        if let Some(members) = pool.serve(oldest, params) {
            for &member in &members {
                pool.take(member);
            }
            groups.push(pool.explain(members, params));
        }
    }
    groups
}

/// No neighbour on this side.
const END: usize = usize::MAX;

/// The waiting, by rating: lists are by place in that order, so that neighbours are side by side
/// in memory.
struct Pool<'a> {
    candidates: &'a [Candidate],
    /// Place in the list of candidates.
    candidate: Vec<usize>,
    rating: Vec<i32>,
    player: Vec<Uuid>,
    waited_ms: Vec<i64>,
    /// Points; the highest number when there is no limit.
    width: Vec<u32>,
    /// The next that is not taken.
    lower: Vec<usize>,
    higher: Vec<usize>,
    taken: Vec<bool>,
}

impl<'a> Pool<'a> {
    fn new(candidates: &'a [Candidate], window: &Window, now_ms: i64) -> Self {
        let count = candidates.len();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_unstable_by_key(|&i| {
            let candidate = &candidates[i];
            (candidate.rating, candidate.created_ms, candidate.ticket)
        });
        let ordered = || order.iter().map(|&i| &candidates[i]);
        let waited_ms: Vec<i64> = ordered()
            .map(|candidate| now_ms.saturating_sub(candidate.created_ms).max(0))
            .collect();
        let width = |&waited_ms: &i64| window.width(waited_ms).unwrap_or(u32::MAX);
        Self {
            candidates,
            rating: ordered().map(|candidate| candidate.rating).collect(),
            player: ordered().map(|candidate| candidate.player).collect(),
            width: waited_ms.iter().map(width).collect(),
            waited_ms,
            lower: (0..count)
                .map(|i| i.checked_sub(1).unwrap_or(END))
                .collect(),
            higher: (1..=count)
                .map(|i| if i < count { i } else { END })
                .collect(),
            taken: vec![false; count],
            candidate: order,
        }
    }

    /// Older is smaller.
    fn age(&self, place: usize) -> (i64, Uuid) {
        let candidate = &self.candidates[self.candidate[place]];
        (candidate.created_ms, candidate.ticket)
    }

    fn take(&mut self, member: usize) {
        let (lower, higher) = (self.lower[member], self.higher[member]);
        if lower != END {
            self.higher[lower] = higher;
        }
        if higher != END {
            self.lower[higher] = lower;
        }
        self.taken[member] = true;
    }

    /// The best group for a ticket whose turn it is, if there is one.
    fn serve(&self, oldest: usize, params: &Params) -> Option<Vec<usize>> {
        let waited_ms = self.waited_ms[oldest];
        let has_waited =
            |limit: Duration| u128::from(waited_ms.unsigned_abs()) >= limit.as_millis();
        let bots_due = params.bots_after.is_some_and(has_waited);
        // People would rather meet again than play with bots.
        let may_repeat = bots_due || has_waited(params.repeat_after);
        let of_size = |size: usize| {
            self.best(oldest, size, false)
                .or_else(|| may_repeat.then(|| self.best(oldest, size, true)).flatten())
        };
        let full = of_size(params.players);
        if full.is_some() || !bots_due {
            return full;
        }
        (1..params.players).rev().find_map(of_size)
    }

    /// The group of `size` around a ticket with the smallest spread of ratings.
    fn best(&self, anchor: usize, size: usize, repeats: bool) -> Option<Vec<usize>> {
        let near = self.neighbours(anchor, size.saturating_sub(1), repeats);
        if let Some(members) = self.consecutive(&near, anchor, size, repeats) {
            return Some(members);
        }
        let far = self.neighbours(anchor, REACH.max(size), repeats);
        self.between_extremes(&far, anchor, size, repeats)
    }

    /// A ticket and the nearest that fit it, so many on each side, lowest rating first.
    fn neighbours(&self, anchor: usize, reach: usize, repeats: bool) -> Vec<usize> {
        let side = |links: &[usize]| {
            let mut found = Vec::with_capacity(reach);
            let mut next = links[anchor];
            for _ in 0..SCAN {
                if next == END
                    || found.len() == reach
                    || self.distance(anchor, next) > self.width[anchor]
                {
                    break;
                }
                if self.fits(anchor, next, repeats) {
                    found.push(next);
                }
                next = links[next];
            }
            found
        };
        let mut all = side(&self.lower);
        all.reverse();
        all.push(anchor);
        all.extend(side(&self.higher));
        all
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
        let mut runs: Vec<&[usize]> = near
            .windows(size)
            .filter(|run| run.contains(&anchor))
            .collect();
        runs.sort_by_key(|run| self.closeness(run, anchor));
        // A looser run must not win over a group with gaps that is closer together.
        let run = runs.first()?;
        self.all_fit(run, repeats).then(|| run.to_vec())
    }

    /// The best group with gaps. When the lowest and the highest member fit each other, whoever
    /// is between them and fits both fits all, except for recent opponents.
    fn between_extremes(
        &self,
        far: &[usize],
        anchor: usize,
        size: usize,
        repeats: bool,
    ) -> Option<Vec<usize>> {
        let at = far.iter().position(|&member| member == anchor)?;
        let mut best: Option<Vec<usize>> = None;
        for low in 0..=at {
            for high in at..far.len() {
                let spread = self.distance(far[low], far[high]);
                let closer = best
                    .as_ref()
                    .is_none_or(|members| spread <= self.spread(members));
                if high - low + 1 < size || !closer {
                    continue;
                }
                let Some(members) = self.fill(&far[low..=high], anchor, size, repeats) else {
                    continue;
                };
                let key = self.closeness(&members, anchor);
                if best
                    .as_ref()
                    .is_none_or(|other| key < self.closeness(other, anchor))
                {
                    best = Some(members);
                }
            }
        }
        best
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
        let mut members = vec![anchor];
        let mut inner = range.to_vec();
        inner.sort_by_key(|&member| self.distance(anchor, member));
        for &outer in [range.first()?, range.last()?] {
            if !members.contains(&outer) {
                members.push(outer);
            }
        }
        if members.len() > size || !self.all_fit(&members, repeats) {
            return None;
        }
        for member in inner {
            if members.len() == size {
                break;
            }
            let fits = |&other: &usize| other != member && self.fits(other, member, repeats);
            if members.iter().all(fits) {
                members.push(member);
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

    fn spread(&self, members: &[usize]) -> u32 {
        // Places are in the order of ratings.
        match (members.iter().min(), members.iter().max()) {
            (Some(&low), Some(&high)) => self.distance(low, high),
            _ => 0,
        }
    }

    fn distance(&self, a: usize, b: usize) -> u32 {
        self.rating[a].abs_diff(self.rating[b])
    }

    fn fits(&self, a: usize, b: usize, repeats: bool) -> bool {
        self.distance(a, b) <= self.width[a].min(self.width[b])
            // One live ticket per player is the store's promise; a table relies on it.
            && self.player[a] != self.player[b]
            && (repeats || !self.met(a, b))
    }

    fn met(&self, a: usize, b: usize) -> bool {
        let recent = |place: usize| &self.candidates[self.candidate[place]].recent;
        recent(a).contains(&self.player[b]) || recent(b).contains(&self.player[a])
    }

    fn all_fit(&self, members: &[usize], repeats: bool) -> bool {
        pairs(members).all(|(a, b)| self.fits(a, b, repeats))
    }

    fn explain(&self, mut members: Vec<usize>, params: &Params) -> Group {
        members.sort_unstable_by_key(|&place| self.age(place));
        let member = |&place: &usize| Member {
            candidate: self.candidate[place],
            ticket: self.candidates[self.candidate[place]].ticket,
            waited_ms: self.waited_ms[place],
            window: params.window.width(self.waited_ms[place]),
        };
        Group {
            bots: params.players - members.len(),
            spread: self.spread(&members),
            repeats: pairs(&members).filter(|&(a, b)| self.met(a, b)).count(),
            members: members.iter().map(member).collect(),
        }
    }
}

fn pairs(members: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    members
        .iter()
        .enumerate()
        .flat_map(move |(i, &a)| members[i + 1..].iter().map(move |&b| (a, b)))
}

#[cfg(test)]
mod tests;
