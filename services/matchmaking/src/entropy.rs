//! Randomness of the operating system, for what nobody may be able to foresee: who sits where,
//! and invite codes.

/// The operating system gave no randomness.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("no randomness: {0}")]
pub(crate) struct NoEntropy(#[from] getrandom::Error);

/// A number below `bound`, each equally likely. A bound of 0 gives 0.
fn below(bound: u32) -> Result<u32, NoEntropy> {
    if bound == 0 {
        return Ok(0);
    }
    // The last, incomplete run of numbers would favour the low ones: draw again.
    let unbiased = u32::MAX - u32::MAX % bound;
    loop {
        let drawn = getrandom::u32()?;
        if drawn < unbiased {
            return Ok(drawn % bound);
        }
    }
}

/// Puts items in an order of which each is equally likely (Fisher–Yates).
pub(crate) fn shuffle<T>(items: &mut [T]) -> Result<(), NoEntropy> {
    for last in (1..items.len()).rev() {
        let bound = u32::try_from(last + 1).unwrap_or(u32::MAX);
        items.swap(last, below(bound)? as usize);
    }
    Ok(())
}

/// So many characters of an ASCII alphabet, each equally likely.
pub(crate) fn text(alphabet: &[u8], length: usize) -> Result<String, NoEntropy> {
    let bound = u32::try_from(alphabet.len()).unwrap_or(u32::MAX);
    (0..length)
        .map(|_| Ok(char::from(alphabet[below(bound)? as usize])))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_keeps_all_items() {
        let mut items: Vec<u32> = (0..100).collect();
        shuffle(&mut items).unwrap();
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn every_order_occurs() {
        let mut seen = std::collections::BTreeSet::new();
        // Missing one of six orders in 1,000 shuffles has a chance below 1e-78.
        for _ in 0..1_000 {
            let mut items = [0, 1, 2];
            shuffle(&mut items).unwrap();
            seen.insert(items);
        }
        assert_eq!(seen.len(), 6);
    }
}
