//! When nobody looked after a part of a store.
//!
//! Stores whose parts are kept by this process remember it with this; in Redis, its scripts do.

use super::{OUTAGE_MS, SEEN_MS};

/// What is remembered of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// About when its due tables were asked for last; `None` before the first time.
    pub(crate) at_ms: Option<i64>,
    /// When the latest outage ended; 0 when there was none.
    pub(crate) outage_ms: i64,
}

impl Seen {
    /// Somebody asks for due tables. Says whether something is to be remembered.
    pub(crate) fn look(&mut self, now_ms: i64) -> bool {
        let since_ms = self.at_ms.map(|at_ms| now_ms - at_ms);
        // A clock that was set back starts anew.
        if since_ms.is_some_and(|since_ms| (0..SEEN_MS).contains(&since_ms)) {
            return false;
        }
        if since_ms.is_some_and(|since_ms| since_ms > OUTAGE_MS) {
            self.outage_ms = now_ms;
        }
        self.at_ms = Some(now_ms);
        true
    }

    /// Somebody appends, maybe before anybody asks for due tables again. Says whether something
    /// is to be remembered.
    pub(crate) fn notice(&mut self, now_ms: i64) -> bool {
        let noticed = self
            .at_ms
            .is_some_and(|at_ms| now_ms - at_ms.max(self.outage_ms) > OUTAGE_MS);
        if noticed {
            self.outage_ms = now_ms;
        }
        noticed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(times: &[i64]) -> Seen {
        let mut seen = Seen::default();
        for &now_ms in times {
            seen.look(now_ms);
        }
        seen
    }

    #[test]
    fn who_is_looked_after_has_no_outage() {
        let times: Vec<i64> = (0..100).map(|n| 10_000 + n * 990).collect();
        assert_eq!(looked(&times).outage_ms, 0);
        assert_eq!(looked(&[10_000]).outage_ms, 0, "a new part");
    }

    #[test]
    fn no_outage_of_its_length_goes_unnoticed() {
        for looks in 0..20 {
            let last_ms = 10_000 + looks * 77;
            let mut times: Vec<i64> = (0..=looks).map(|n| 10_000 + n * 77).collect();
            let again_ms = last_ms + OUTAGE_MS + 1;
            times.push(again_ms);
            assert_eq!(looked(&times).outage_ms, again_ms);
        }
    }

    #[test]
    fn appends_notice_an_outage_as_long_as_it_lasts() {
        let mut seen = looked(&[10_000]);
        assert!(!seen.notice(10_000 + OUTAGE_MS));
        assert!(seen.notice(18_000));
        assert!(!seen.notice(18_000 + OUTAGE_MS));
        assert_eq!(seen.outage_ms, 18_000);
        assert!(seen.notice(20_000));
        assert_eq!(seen.outage_ms, 20_000);
        seen.look(20_200);
        assert_eq!(seen.outage_ms, 20_200, "it ends when somebody looks again");
        assert!(!seen.notice(20_300));
    }

    #[test]
    fn a_clock_that_is_set_back_makes_no_outage_and_hides_none() {
        let mut seen = looked(&[50_000, 10_000]);
        assert_eq!(seen.outage_ms, 0);
        seen.look(10_000 + OUTAGE_MS + 1);
        assert_eq!(seen.outage_ms, 10_000 + OUTAGE_MS + 1);
    }
}
