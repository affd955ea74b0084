//! What all translations between the services' messages and the API's JSON share.

use chassis::{Failure, rfc3339};
use serde::{Serialize, Serializer};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        KnownFormat, RefOr, Schema, SchemaFormat,
        schema::{ObjectBuilder, Type},
    },
};

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

/// An instant, in milliseconds since 1970 UTC; RFC 3339 in JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant(pub(crate) i64);

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&rfc3339(self.0))
    }
}

impl PartialSchema for Instant {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some("RFC 3339 in UTC, with milliseconds."))
            .examples(["2026-11-30T09:20:06.123Z"])
            .into()
    }
}

impl ToSchema for Instant {}

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
