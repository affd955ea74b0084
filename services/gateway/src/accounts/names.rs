//! Display names: normalised, bounded, and free of characters that hide or imitate.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// What is shown instead of an erased player's name. Nobody else can have it.
pub const DELETED: &str = "deleted player";

const CHARS_MAX: usize = 24;
const BYTES_MAX: usize = 256;
/// More marks than this on one letter paint over the lines around them.
const MARKS_MAX: usize = 2;

/// Why a name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Empty, or too long.
    #[error("a name has 1 to {CHARS_MAX} characters")]
    Length,
    /// A character that has no business in a name.
    #[error("a name has no control, format or unassigned characters")]
    Character,
    /// Nothing to see, or marks piled up.
    #[error("a name has a letter, digit or symbol, and at most {MARKS_MAX} marks on each")]
    Unreadable,
    /// Kept for erased players.
    #[error("this name is reserved")]
    Reserved,
}

/// The name as it is kept: NFKC, white space at the ends removed and single between words.
///
/// # Errors
/// When it is no fit name.
pub fn normalise(text: &str) -> Result<String, NameError> {
    if text.len() > BYTES_MAX {
        return Err(NameError::Length);
    }
    let composed: String = text.nfkc().collect();
    let words: Vec<&str> = composed
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect();
    let name = words.join(" ");
    if !(1..=CHARS_MAX).contains(&name.chars().count()) {
        return Err(NameError::Length);
    }
    if !name.chars().all(allowed) {
        return Err(NameError::Character);
    }
    let mut visible = false;
    let mut marks = 0;
    for c in name.chars() {
        if is_combining_mark(c) {
            marks += 1;
        } else {
            marks = 0;
            visible |= c != ' ';
        }
        if marks > MARKS_MAX {
            return Err(NameError::Unreadable);
        }
    }
    if !visible {
        return Err(NameError::Unreadable);
    }
    if name.to_lowercase() == DELETED {
        return Err(NameError::Reserved);
    }
    Ok(name)
}

fn allowed(c: char) -> bool {
    // The fillers and the joiner are letters and marks by category, but invisible.
    let filler = matches!(c, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{34f}');
    let separator = c.general_category_group() == GeneralCategoryGroup::Separator;
    let other = matches!(
        c.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::Surrogate
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
    );
    c == ' ' || !(filler || separator || other)
}

/// A friendly name for a guest who gave none, such as `Spatz 4711`.
#[must_use]
pub fn generated() -> String {
    let mut bytes = [0; 4];
    // Without randomness everybody is number 1000, which is no harm.
    let _ = getrandom::fill(&mut bytes);
    format!("Spatz {}", 1000 + u32::from_le_bytes(bytes) % 9000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_composed_trimmed_and_single_spaced() {
        assert_eq!(
            normalise("  Toni \u{a0}  Unterberger "),
            Ok("Toni Unterberger".to_owned())
        );
        assert_eq!(normalise("Zoe\u{308}"), Ok("Zoë".to_owned()));
        assert_eq!(normalise("Ｓｐａｔｚ"), Ok("Spatz".to_owned()));
        assert_eq!(normalise("麻雀 🐦"), Ok("麻雀 🐦".to_owned()));
    }

    #[test]
    fn names_have_one_to_twenty_four_characters() {
        assert_eq!(normalise(""), Err(NameError::Length));
        assert_eq!(normalise("   "), Err(NameError::Length));
        assert!(normalise(&"ä".repeat(24)).is_ok());
        assert_eq!(normalise(&"ä".repeat(25)), Err(NameError::Length));
        // One character that composes to eighteen.
        assert_eq!(normalise("\u{fdfa}\u{fdfa}"), Err(NameError::Length));
    }

    #[test]
    fn names_cannot_hide_or_imitate() {
        for bad in [
            "a\u{202e}b",
            "a\u{200b}b",
            "a\nb",
            "\u{feff}a",
            "a\u{e000}",
            "\u{3164}",
            "a\u{34f}b",
        ] {
            assert_eq!(normalise(bad), Err(NameError::Character), "{bad:?}");
        }
        assert_eq!(normalise("\u{301}"), Err(NameError::Unreadable));
        assert_eq!(
            // The first one composes with the letter.
            normalise("z\u{301}\u{301}\u{301}\u{301}"),
            Err(NameError::Unreadable)
        );
        assert_eq!(normalise("Deleted Player"), Err(NameError::Reserved));
    }

    #[test]
    fn generated_names_are_fit_names() {
        let name = generated();
        assert_eq!(normalise(&name), Ok(name));
    }
}
