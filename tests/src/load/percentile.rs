//! Percentiles of everything that was measured, exactly, by the nearest rank.

/// The smallest sample that at least `per_mille` of a thousand do not exceed; `None` without
/// samples. `sorted` is in ascending order.
#[must_use]
pub fn of(sorted: &[u32], per_mille: usize) -> Option<u32> {
    let rank = (sorted.len() * per_mille).div_ceil(1000).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_rank_takes_a_sample_that_was_measured() {
        let samples: Vec<u32> = (1..=1000).collect();
        let ranks = [500, 990, 999, 1000].map(|per_mille| of(&samples, per_mille));
        assert_eq!(ranks, [Some(500), Some(990), Some(999), Some(1000)]);
    }

    #[test]
    fn few_samples_round_up_to_the_worse() {
        assert_eq!(of(&[10, 20, 30], 500), Some(20));
        assert_eq!(of(&[10, 20, 30], 990), Some(30));
        assert_eq!(of(&[10, 20, 30], 0), Some(10));
        assert_eq!(of(&[7], 999), Some(7));
    }

    #[test]
    fn nothing_has_no_percentile() {
        assert_eq!(of(&[], 500), None);
    }
}
