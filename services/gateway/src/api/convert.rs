//! What all translations between the services' messages and the API's JSON share.

use chassis::{Failure, rfc3339};

/// A service sent what it never should: our fault, not the client's.
pub(crate) fn broken(what: &str) -> Failure {
    Failure::internal(format!("a service sent a bad or no {what}"))
}

/// A part of a message that is always there.
pub(crate) fn required<T>(part: Option<T>, what: &str) -> Result<T, Failure> {
    part.ok_or_else(|| broken(what))
}

/// Proto has no null for text: empty means there is none.
pub(crate) fn text_or_null(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Bytes as hex; empty means there are none.
pub(crate) fn hex_or_null(bytes: &[u8]) -> Option<String> {
    (!bytes.is_empty()).then(|| hex::encode(bytes))
}

/// An instant, in milliseconds since 1970 UTC, as RFC 3339.
pub(crate) fn instant(at_ms: i64) -> String {
    rfc3339(at_ms)
}

/// Milliseconds as seconds.
pub(crate) fn seconds(ms: u32) -> f64 {
    f64::from(ms) / 1000.0
}

/// Every item translated, or the first failure.
pub(crate) fn all<A, B>(items: Vec<A>) -> Result<Vec<B>, Failure>
where
    B: TryFrom<A, Error = Failure>,
{
    items.into_iter().map(B::try_from).collect()
}
