//! What goes wrong in a world, and how often.

/// A trouble that begins at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A replica dies between two steps, and another one is started in its place.
    Kill,
    /// A replica does nothing for a while, and then goes on as if nothing had been.
    Stall,
    /// The store answers nobody for a while.
    Outage,
    /// The store loses the last appends of each table.
    Loss,
    /// The store loses everything.
    Wipe,
}

/// Faults of one world: calls that fail, so many in a thousand, and troubles with their times.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults {
    /// Nothing was changed, and the caller gets an error.
    pub(super) before: u32,
    /// It was changed, and the caller gets an error.
    pub(super) after: u32,
    /// Calls take some hundred milliseconds.
    pub(super) slow: u32,
    /// Notices of a new head that do not arrive.
    pub(super) lost_notices: u32,
    /// Notices of a new head that arrive late, and so in another order.
    pub(super) late_notices: u32,
    /// Claims that are forgotten at once, so that two replicas act on the same wake-up.
    pub(super) double_claims: u32,
    /// Clients whose calls go to any replica, not to the table's.
    pub(super) stray_calls: u32,
    /// Clients who send a command twice, or late.
    pub(super) repeated: u32,
    /// By time (ms).
    pub(super) troubles: Vec<(u64, Trouble)>,
}

/// When the last trouble begins, at the latest.
const TROUBLES_END_MS: u64 = 45_000;

impl Faults {
    pub(super) fn new(rng: &mut fastrand::Rng) -> Self {
        // One world in ten shows that nothing goes wrong by itself.
        if rng.u32(0..10) == 0 {
            return Self::default();
        }
        let mut some = |max: u32| if rng.bool() { rng.u32(1..=max) } else { 0 };
        let mut faults = Self {
            before: some(60),
            after: some(60),
            slow: some(60),
            lost_notices: some(300),
            late_notices: some(300),
            double_claims: some(300),
            stray_calls: some(500),
            repeated: some(100),
            troubles: Vec::new(),
        };
        let most = [
            (Trouble::Kill, 4),
            (Trouble::Stall, 2),
            (Trouble::Outage, 2),
        ];
        for (trouble, max) in most {
            if rng.bool() {
                for _ in 0..rng.u32(1..=max) {
                    let at_ms = rng.u64(500..TROUBLES_END_MS);
                    faults.troubles.push((at_ms, trouble));
                }
            }
        }
        if rng.u32(0..8) == 0 {
            for _ in 0..rng.u32(1..=3) {
                let kind = [Trouble::Loss, Trouble::Loss, Trouble::Wipe][rng.usize(0..3)];
                faults.troubles.push((rng.u64(500..TROUBLES_END_MS), kind));
            }
        }
        faults.troubles.sort_by_key(|(at_ms, _)| *at_ms);
        faults
    }

    /// Whether acknowledged moves can be lost: nothing else may lose one.
    pub(super) fn may_lose(&self) -> bool {
        self.has(Trouble::Loss) || self.has(Trouble::Wipe)
    }

    pub(super) fn has(&self, trouble: Trouble) -> bool {
        self.troubles.iter().any(|(_, kind)| *kind == trouble)
    }
}
