//! Choices out of bytes.

/// What is left of the bytes.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next byte; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// One of some things.
    pub(crate) fn pick<T: Copy>(&mut self, things: &[T]) -> Option<T> {
        let n = usize::from(self.next()?);
        things.get(n % things.len().max(1)).copied()
    }

    /// A record: a byte for its length, and as many bytes as are there.
    pub(crate) fn record(&mut self) -> Option<&'a [u8]> {
        let length = usize::from(self.next()?).min(self.0.len());
        let (record, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(record)
    }
}
