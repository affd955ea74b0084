//! Cursors of a player's list of matches: a version byte, then the sort key of the last match
//! seen, in base64. Callers treat them as opaque.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use uuid::Uuid;

const VERSION: u8 = 1;
const LENGTH: usize = 1 + 8 + 16;

/// The last match of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) ended_ms: i64,
    pub(super) match_id: Uuid,
}

impl Cursor {
    /// Before every match.
    pub(super) const START: Self = Self {
        ended_ms: i64::MAX,
        match_id: Uuid::max(),
    };

    pub(super) fn encode(self) -> String {
        let mut bytes = Vec::with_capacity(LENGTH);
        bytes.push(VERSION);
        bytes.extend(self.ended_ms.to_be_bytes());
        bytes.extend(self.match_id.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    pub(super) fn decode(text: &str) -> Option<Self> {
        // Decoding takes memory, so look at the length first.
        if text.len() > LENGTH * 2 {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (&[VERSION, ..], LENGTH) = (bytes.as_slice(), bytes.len()) else {
            return None;
        };
        Some(Self {
            ended_ms: i64::from_be_bytes(bytes[1..9].try_into().ok()?),
            match_id: Uuid::from_slice(&bytes[9..]).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_survive_the_round_trip() {
        let cursor = Cursor {
            ended_ms: 1_796_030_406_123,
            match_id: Uuid::now_v7(),
        };
        assert_eq!(Cursor::decode(&cursor.encode()), Some(cursor));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let good = Cursor::START.encode();
        let longer = format!("{good}AAAA");
        let newer = URL_SAFE_NO_PAD.encode([2; LENGTH]);
        let huge = "A".repeat(1 << 20);
        for text in ["", "x", "!", &good[1..], &longer, &newer, &huge] {
            assert_eq!(Cursor::decode(text), None, "{:.40}", text);
        }
    }
}
