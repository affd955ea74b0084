//! Invite codes: short enough to be read out at the inn.
//!
//! A code has six characters of an alphabet in which none looks or sounds like another, which
//! gives 729 million codes. It is unique while it lives.

use crate::entropy::{self, NoEntropy};

/// No 0 and O, no 1, I and L, no U beside V.
const ALPHABET: &[u8; 30] = b"23456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Characters of a code.
const LENGTH: usize = 6;
/// The longest text that is looked at as a code: people add spaces and dashes, not more.
const TYPED_BYTES_MAX: usize = 32;

/// A new code.
pub(crate) fn draw() -> Result<String, NoEntropy> {
    entropy::text(ALPHABET, LENGTH)
}

/// The code that somebody typed, in upper case and without spaces and dashes; nothing when it
/// cannot be one.
pub(crate) fn normalise(typed: &str) -> Option<String> {
    if typed.len() > TYPED_BYTES_MAX {
        return None;
    }
    let code: String = typed
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '-')
        .map(|c| c.to_ascii_uppercase())
        .collect();
    let valid = code.len() == LENGTH && code.bytes().all(|byte| ALPHABET.contains(&byte));
    valid.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawn_code_is_its_own_normal_form() {
        for _ in 0..100 {
            let code = draw().unwrap();
            assert_eq!(normalise(&code), Some(code));
        }
    }

    #[test]
    fn case_spaces_and_dashes_do_not_matter() {
        assert_eq!(normalise(" k7q-mxp ").as_deref(), Some("K7QMXP"));
        assert_eq!(normalise("k7 q mxp").as_deref(), Some("K7QMXP"));
    }

    #[test]
    fn what_cannot_be_a_code_is_none() {
        for typed in [
            "",
            "K7QMX",
            "K7QMXPP",
            "K7QMX0",
            "K7QMXÄ",
            &"-".repeat(1_000),
        ] {
            assert_eq!(normalise(typed), None, "{typed}");
        }
    }
}
