//! Where a page of the standings ended. Opaque to clients: base64url of the last row's place in
//! the order, with the ladder it belongs to.

use std::cmp::{Ordering, Reverse};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chassis::{ErrorCode, Failure};
use uuid::Uuid;

/// Longest cursor that is looked at; real ones are about 130 characters.
const MAX_LEN: usize = 256;
/// Changes with the meaning of the fields, so that older cursors are refused, not misread.
const VERSION: &str = "1";

/// A place in the order of a ladder: rating, best first; then who got there first; then id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) rating: i32,
    pub(crate) reached_ms: i64,
    pub(crate) player: Uuid,
}

impl Position {
    /// Which of two positions is higher on a ladder.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let key = |position: &Self| {
            (
                Reverse(position.rating),
                position.reached_ms,
                position.player,
            )
        };
        key(self).cmp(&key(other))
    }

    /// The cursor of the page after this position.
    pub(crate) fn to_cursor(&self, ladder: &str) -> String {
        URL_SAFE_NO_PAD.encode(format!(
            "{VERSION}|{ladder}|{}|{}|{}",
            self.rating, self.reached_ms, self.player
        ))
    }

    /// # Errors
    /// `bad_request` for anything that [`Position::to_cursor`] did not make for this ladder.
    pub(crate) fn from_cursor(cursor: &str, ladder: &str) -> Result<Self, Failure> {
        Self::parse(cursor, ladder).ok_or_else(|| {
            Failure::new(
                ErrorCode::BadRequest,
                "cursor: expected `next` of an earlier page of this ladder",
            )
        })
    }

    fn parse(cursor: &str, ladder: &str) -> Option<Self> {
        if cursor.len() > MAX_LEN {
            return None;
        }
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
        let fields: Vec<&str> = text.split('|').collect();
        let [VERSION, of, rating, reached_ms, player] = fields[..] else {
            return None;
        };
        let position = Self {
            rating: rating.parse().ok()?,
            reached_ms: reached_ms.parse().ok()?,
            player: player.parse().ok()?,
        };
        (of == ladder).then_some(position)
    }
}

/// The cursor of the history before a player's match with this number.
pub(crate) fn history_cursor(ladder: &str, number: u32) -> String {
    URL_SAFE_NO_PAD.encode(format!("h{VERSION}|{ladder}|{number}"))
}

/// # Errors
/// `bad_request` for anything that [`history_cursor`] did not make for this ladder.
pub(crate) fn history_before(cursor: &str, ladder: &str) -> Result<i64, Failure> {
    let parse = || {
        let bytes = (cursor.len() <= MAX_LEN).then(|| URL_SAFE_NO_PAD.decode(cursor).ok())??;
        let text = String::from_utf8(bytes).ok()?;
        let number = text.strip_prefix(&format!("h{VERSION}|{ladder}|"))?;
        number.parse::<u32>().ok()
    };
    parse().map(i64::from).ok_or_else(|| {
        Failure::new(
            ErrorCode::BadRequest,
            "cursor: expected `next` of an earlier page of this ladder's history",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_good_for_its_own_ladder_only() {
        let position = Position {
            rating: 1234,
            reached_ms: 1_796_030_406_123,
            player: Uuid::from_u128(u128::MAX),
        };
        let longest = format!("{}-s{}", "x".repeat(32), u32::MAX);
        let cursor = position.to_cursor(&longest);
        assert_eq!(Position::from_cursor(&cursor, &longest), Ok(position));
        assert!(Position::from_cursor(&cursor, "brixental-s1").is_err());
    }

    #[test]
    fn anything_else_is_refused() {
        let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
        for cursor in [
            "x".to_owned(),
            "****".to_owned(),
            "A".repeat(MAX_LEN + 1),
            URL_SAFE_NO_PAD.encode([0xff, 0xfe]),
            encode("1|l|1200|5"),
            encode("2|l|1200|5|00000000-0000-0000-0000-000000000001"),
            encode("1|l|1200|5|00000000-0000-0000-0000-000000000001|"),
            encode("1|l|x|5|00000000-0000-0000-0000-000000000001"),
            encode("1|l|1200|x|00000000-0000-0000-0000-000000000001"),
            encode("1|l|1200|5|toni"),
        ] {
            let failure = Position::from_cursor(&cursor, "l").expect_err("a bad cursor");
            assert_eq!(failure.code, ErrorCode::BadRequest, "{cursor}");
        }
    }
}
