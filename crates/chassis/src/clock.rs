//! The wall clock, for everything but live tables: those use their store's clock.

use std::time::{SystemTime, UNIX_EPOCH};

use time::{OffsetDateTime, format_description::well_known::Iso8601};

/// Milliseconds since 1970 UTC.
#[must_use]
pub fn now_ms() -> i64 {
    let since_epoch = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}

/// An instant (milliseconds since 1970 UTC) as RFC 3339 in UTC with milliseconds:
/// `2026-11-30T09:20:06.123Z`. Instants outside the years 0 to 9999 are clamped to 1970.
#[must_use]
pub fn rfc3339(at_ms: i64) -> String {
    use time::format_description::well_known::iso8601::{Config, EncodedConfig, TimePrecision};
    const CONFIG: EncodedConfig = Config::DEFAULT
        .set_time_precision(TimePrecision::Second {
            decimal_digits: std::num::NonZero::new(3),
        })
        .set_year_is_six_digits(false)
        .encode();
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at_ms) * 1_000_000)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH)
        .format(&Iso8601::<CONFIG>)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_utc_with_milliseconds() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(1_796_030_406_123), "2026-11-30T09:20:06.123Z");
    }
}
