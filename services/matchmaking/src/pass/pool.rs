//! The waiting, laid out so that a pass over many of them stays in the processor's cache.

use std::collections::HashMap;

use uuid::Uuid;

use super::{Candidate, Group, Member, Params};

/// No neighbour on this side.
const END: u32 = u32::MAX;

/// A place as it is kept: passes are bounded far below this.
fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(END)
}

fn hash(player: Uuid) -> u64 {
    let (high, low) = player.as_u64_pair();
    (high ^ low).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Some players as a set of bits, by a hash of their ids: what is not in it was never put in, and
/// most questions are about players who were not.
#[derive(Clone, Copy, Default)]
struct Sketch([u64; 4]);

impl Sketch {
    /// Of everybody whom a player had rather not or must not meet.
    fn of(candidate: &Candidate) -> Self {
        let mut sketch = Self::default();
        for &player in candidate.recent.iter().chain(&candidate.blocked) {
            let (word, bit) = Self::bit(hash(player));
            sketch.0[word] |= bit;
        }
        sketch
    }

    const fn bit(hash: u64) -> (usize, u64) {
        ((hash >> 62) as usize, 1 << (hash >> 56 & 63))
    }

    const fn may_have(&self, hash: u64) -> bool {
        let (word, bit) = Self::bit(hash);
        self.0[word] & bit != 0
    }
}

/// A complete party.
pub(super) struct Unit {
    /// Places of its members.
    pub(super) members: Vec<usize>,
    /// Mean of the ratings.
    pub(super) rating: i32,
}

/// What matching asks of a ticket, in one line of the cache: partners are looked up all over the
/// list, and each line that has to be fetched costs more than all the arithmetic on it.
#[repr(align(64))]
struct Spot {
    avoids: Sketch,
    /// Of the player's id.
    hash: u64,
    rating: i32,
    /// Points; the highest number when there is no limit.
    width: u32,
    /// The next that is not taken.
    lower: u32,
    higher: u32,
    /// Number of the protocol's version among those that occur.
    protocol: u8,
    party: bool,
    taken: bool,
}

/// The waiting, by rating: a place is a place in that order, so neighbours are side by side.
/// Members of incomplete parties are not among them.
pub(super) struct Pool<'a> {
    candidates: &'a [Candidate],
    /// Place in the list of candidates.
    candidate: Vec<usize>,
    spots: Vec<Spot>,
    waited_ms: Vec<i64>,
    /// Number of the party, by place; of those who are in one.
    party: HashMap<usize, usize>,
    units: Vec<Unit>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(candidates: &'a [Candidate], params: &Params, now_ms: i64) -> Self {
        let mut order: Vec<(i32, i64, Uuid, usize)> = candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.party.is_none())
            .map(key)
            .collect();
        let parties = complete_parties(candidates, params.players);
        order.extend(parties.iter().flatten().map(|&i| key((i, &candidates[i]))));
        order.sort_unstable();
        // Read in the order in which they lie in memory.
        let sketches: Vec<Sketch> = candidates.iter().map(Sketch::of).collect();
        let mut protocols: Vec<u32> = candidates.iter().map(|c| c.protocol).collect();
        protocols.sort_unstable();
        protocols.dedup();
        let protocol = |version: u32| {
            let at = protocols.partition_point(|&other| other < version);
            u8::try_from(at).unwrap_or(u8::MAX)
        };
        let width = |waited_ms: i64| params.window.width(waited_ms).unwrap_or(u32::MAX);
        let waited = |created_ms: i64| now_ms.saturating_sub(created_ms).max(0);
        let spot = |(place, &(rating, created_ms, _, i)): (usize, &(i32, i64, Uuid, usize))| Spot {
            avoids: sketches[i],
            hash: hash(candidates[i].player),
            rating,
            width: width(waited(created_ms)),
            lower: place.checked_sub(1).map_or(END, narrow),
            higher: if place + 1 < order.len() {
                narrow(place + 1)
            } else {
                END
            },
            protocol: protocol(candidates[i].protocol),
            party: false,
            taken: false,
        };
        let mut pool = Self {
            candidates,
            candidate: order.iter().map(|&(.., i)| i).collect(),
            spots: order.iter().enumerate().map(spot).collect(),
            waited_ms: order.iter().map(|&(_, ms, ..)| waited(ms)).collect(),
            party: HashMap::new(),
            units: Vec::new(),
        };
        pool.form_units(&parties, width);
        pool
    }

    /// Makes one unit of each party, which waits since its youngest ticket was made.
    fn form_units(&mut self, parties: &[Vec<usize>], width: impl Fn(i64) -> u32) {
        if parties.is_empty() {
            return;
        }
        let places: HashMap<usize, usize> = self
            .candidate
            .iter()
            .enumerate()
            .map(|(place, &i)| (i, place))
            .collect();
        for (number, party) in parties.iter().enumerate() {
            let mut members: Vec<usize> = party.iter().map(|i| places[i]).collect();
            // The youngest first: it stands for all.
            members.sort_unstable_by_key(|&place| std::cmp::Reverse(self.age(place)));
            let waited_ms = members.first().map_or(0, |&leader| self.waited_ms[leader]);
            let sum: i64 = members.iter().map(|&m| i64::from(self.rating(m))).sum();
            let mean = sum.div_euclid(i64::try_from(members.len()).unwrap_or(1).max(1));
            for &member in &members {
                self.party.insert(member, number);
                self.spots[member].party = true;
                self.spots[member].width = width(waited_ms);
            }
            self.units.push(Unit {
                members,
                rating: i32::try_from(mean).unwrap_or_default(),
            });
        }
    }

    /// Whoever stands for a unit, the oldest unit first.
    pub(super) fn by_age(&self) -> Vec<usize> {
        let stands_for_all = |&place: &usize| match self.unit(place) {
            Some(unit) => unit.members.first() == Some(&place),
            None => true,
        };
        let places = (0..self.candidate.len()).filter(stands_for_all);
        let mut ages: Vec<(i64, Uuid, usize)> = places
            .map(|place| {
                let (created_ms, ticket) = self.age(place);
                (created_ms, ticket, place)
            })
            .collect();
        ages.sort_unstable();
        ages.into_iter().map(|(.., place)| place).collect()
    }

    /// Older is smaller.
    pub(super) fn age(&self, place: usize) -> (i64, Uuid) {
        let candidate = &self.candidates[self.candidate[place]];
        (candidate.created_ms, candidate.ticket)
    }

    /// The party of a ticket.
    pub(super) fn unit(&self, place: usize) -> Option<&Unit> {
        self.units.get(*self.party.get(&place)?)
    }

    pub(super) fn has_parties(&self) -> bool {
        !self.units.is_empty()
    }

    pub(super) fn is_alone(&self, place: usize) -> bool {
        !self.spots[place].party
    }

    pub(super) fn is_taken(&self, place: usize) -> bool {
        self.spots[place].taken
    }

    pub(super) fn take(&mut self, member: usize) {
        let Spot { lower, higher, .. } = self.spots[member];
        if lower != END {
            self.spots[lower as usize].higher = higher;
        }
        if higher != END {
            self.spots[higher as usize].lower = lower;
        }
        self.spots[member].taken = true;
    }

    /// The next lower one that is not taken.
    pub(super) fn lower(&self, place: usize) -> Option<usize> {
        let next = self.spots[place].lower;
        (next != END).then_some(next as usize)
    }

    /// The next higher one that is not taken.
    pub(super) fn higher(&self, place: usize) -> Option<usize> {
        let next = self.spots[place].higher;
        (next != END).then_some(next as usize)
    }

    pub(super) fn waited_ms(&self, place: usize) -> i64 {
        self.waited_ms[place]
    }

    pub(super) fn rating(&self, place: usize) -> i32 {
        self.spots[place].rating
    }

    pub(super) fn width(&self, place: usize) -> u32 {
        self.spots[place].width
    }

    pub(super) fn spread(&self, members: &[usize]) -> u32 {
        // Places are in the order of ratings.
        match (members.iter().min(), members.iter().max()) {
            (Some(&low), Some(&high)) => self.distance(low, high),
            _ => 0,
        }
    }

    pub(super) fn distance(&self, a: usize, b: usize) -> u32 {
        self.rating(a).abs_diff(self.rating(b))
    }

    /// Whether two who came alone may sit together.
    pub(super) fn fits(&self, a: usize, b: usize, repeats: bool) -> bool {
        self.distance(a, b) <= self.width(a).min(self.width(b)) && self.may_meet(a, b, repeats)
    }

    /// Whether two players may meet, whatever their ratings.
    pub(super) fn may_meet(&self, a: usize, b: usize, repeats: bool) -> bool {
        let (one, other) = (&self.spots[a], &self.spots[b]);
        if one.protocol != other.protocol {
            return false;
        }
        let suspect = one.hash == other.hash || self.may_avoid(a, b);
        !suspect || self.may_meet_indeed(a, b, repeats)
    }

    /// No: neither knows of the other.
    fn may_avoid(&self, a: usize, b: usize) -> bool {
        let (one, other) = (&self.spots[a], &self.spots[b]);
        one.avoids.may_have(other.hash) || other.avoids.may_have(one.hash)
    }

    fn may_meet_indeed(&self, a: usize, b: usize, repeats: bool) -> bool {
        // One live ticket per player is the store's promise; a table relies on it.
        self.at(a).player != self.at(b).player
            && !self.blocked(a, b)
            && (repeats || !self.met(a, b))
    }

    fn at(&self, place: usize) -> &Candidate {
        &self.candidates[self.candidate[place]]
    }

    fn met(&self, a: usize, b: usize) -> bool {
        let (one, other) = (self.at(a), self.at(b));
        one.recent.contains(&other.player) || other.recent.contains(&one.player)
    }

    fn blocked(&self, a: usize, b: usize) -> bool {
        let (one, other) = (self.at(a), self.at(b));
        one.blocked.contains(&other.player) || other.blocked.contains(&one.player)
    }

    pub(super) fn all_fit(&self, members: &[usize], repeats: bool) -> bool {
        pairs(members).all(|(a, b)| self.fits(a, b, repeats))
    }

    pub(super) fn explain(&self, mut members: Vec<usize>, params: &Params) -> Group {
        members.sort_unstable_by_key(|&place| self.age(place));
        let mut parties: Vec<usize> = Vec::new();
        let mut party = |place: usize| match self.party.get(&place) {
            None => 0,
            Some(&number) => {
                let known = parties.iter().position(|&other| other == number);
                let at = known.unwrap_or_else(|| {
                    parties.push(number);
                    parties.len() - 1
                });
                u32::try_from(at + 1).unwrap_or(u32::MAX)
            }
        };
        let member = |&place: &usize| Member {
            candidate: self.candidate[place],
            ticket: self.at(place).ticket,
            waited_ms: self.waited_ms[place],
            window: Some(self.width(place)).filter(|&width| width < u32::MAX),
            party: party(place),
        };
        let together =
            |a: usize, b: usize| !self.is_alone(a) && self.party.get(&a) == self.party.get(&b);
        Group {
            bots: params.players - members.len(),
            spread: self.spread(&members),
            repeats: pairs(&members)
                .filter(|&(a, b)| self.may_avoid(a, b) && !together(a, b) && self.met(a, b))
                .count(),
            members: members.iter().map(member).collect(),
        }
    }
}

fn key((place, candidate): (usize, &Candidate)) -> (i32, i64, Uuid, usize) {
    (
        candidate.rating,
        candidate.created_ms,
        candidate.ticket,
        place,
    )
}

/// The candidates of each party that is complete, fits a table, and can sit together.
fn complete_parties(candidates: &[Candidate], players: usize) -> Vec<Vec<usize>> {
    let mut parties: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, candidate) in candidates.iter().enumerate() {
        if let Some(party) = &candidate.party {
            parties.entry(&party.code).or_default().push(i);
        }
    }
    let is_whole = |members: &Vec<usize>| {
        let all: Vec<&Candidate> = members.iter().map(|&i| &candidates[i]).collect();
        let size = all.len();
        size <= players
            && all.iter().all(|one| {
                let complete = |party: &crate::store::Party| party.size as usize == size;
                one.party.as_ref().is_some_and(complete)
                    && all.iter().all(|other| {
                        one.protocol == other.protocol && !one.blocked.contains(&other.player)
                    })
            })
    };
    let mut whole: Vec<Vec<usize>> = parties.into_values().filter(is_whole).collect();
    for members in &mut whole {
        members.sort_unstable_by_key(|&i| candidates[i].ticket);
    }
    whole.sort_unstable_by_key(|members| members.first().map(|&i| candidates[i].ticket));
    whole
}

pub(super) fn pairs(members: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    members
        .iter()
        .enumerate()
        .flat_map(move |(i, &a)| members[i + 1..].iter().map(move |&b| (a, b)))
}
