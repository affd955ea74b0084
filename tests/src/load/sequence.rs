//! Whether a stream tells every event of a table once and in order.

/// What is wrong with the next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// So many events are missing before it.
    Gap(u64),
    /// It is the last one again.
    Repeat,
    /// It is older than the last one.
    Backwards,
}

/// Versions in the order in which they came.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequence {
    head: u64,
}

impl Sequence {
    /// Expects the events after this version.
    #[must_use]
    pub const fn after(head: u64) -> Self {
        Self { head }
    }

    /// Takes the next version.
    ///
    /// # Errors
    /// When it does not follow the last one. A gap is told once: what follows it is in order.
    pub fn take(&mut self, version: u64) -> Result<(), Fault> {
        let head = self.head;
        self.head = head.max(version);
        match version.checked_sub(head) {
            Some(1) => Ok(()),
            Some(0) => Err(Fault::Repeat),
            Some(ahead) => Err(Fault::Gap(ahead - 1)),
            None => Err(Fault::Backwards),
        }
    }

    /// The highest version so far.
    #[must_use]
    pub const fn head(&self) -> u64 {
        self.head
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(versions: &[u64]) -> Vec<Fault> {
        let mut sequence = Sequence::after(0);
        let taken = versions.iter().map(|&version| sequence.take(version));
        taken.filter_map(Result::err).collect()
    }

    #[test]
    fn each_event_once_and_in_order_is_right() {
        assert_eq!(faults(&[1, 2, 3, 4]), []);
        let mut resumed = Sequence::after(41);
        assert_eq!(resumed.take(42), Ok(()));
        assert_eq!(resumed.head(), 42);
    }

    #[test]
    fn a_gap_is_told_once_with_its_width() {
        assert_eq!(faults(&[1, 2, 5, 6]), [Fault::Gap(2)]);
        assert_eq!(faults(&[2]), [Fault::Gap(1)]);
    }

    #[test]
    fn a_repeated_event_is_told() {
        assert_eq!(faults(&[1, 1, 2]), [Fault::Repeat]);
        assert_eq!(faults(&[0]), [Fault::Repeat]);
    }

    #[test]
    fn an_event_that_comes_too_late_is_told_beside_the_gap_it_left() {
        assert_eq!(faults(&[1, 3, 2, 4]), [Fault::Gap(1), Fault::Backwards]);
    }
}
