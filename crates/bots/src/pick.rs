//! Picking the best of several.

/// The item of the highest value, and that. Of equals the first, so that what a bot does is a
/// function of its view.
pub(crate) fn best<T: Copy>(
    items: impl IntoIterator<Item = T>,
    value: impl Fn(T) -> f32,
) -> Option<(T, f32)> {
    let mut best: Option<(T, f32)> = None;
    for item in items {
        let value = value(item);
        if best.is_none_or(|(_, most)| value > most) {
            best = Some((item, value));
        }
    }
    best
}
