//! Median and spread of a few repetitions.

/// What several rounds have shown of one figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    /// How many rounds.
    pub(crate) count: usize,
}

impl Spread {
    /// Of these values; none of none. The median of an even number is the mean of the two in the middle.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let upper = *sorted.get(middle)?;
        let median = match sorted.len() % 2 {
            0 => (sorted.get(middle - 1)? + upper) / 2.0,
            _ => upper,
        };
        Some(Self { median, min, max, count: sorted.len() })
    }
}

/// How many times the better is ahead: `theirs / ours` of what is better when it is less, the inverse of what is better when it
/// is more. Above 1, ours is ahead. None if there is nothing to divide by.
pub(crate) fn times_ahead(ours: f64, theirs: f64, more_is_better: bool) -> Option<f64> {
    let (dividend, divisor) = if more_is_better { (ours, theirs) } else { (theirs, ours) };
    (divisor > 0.0).then(|| dividend / divisor)
}

#[cfg(test)]
mod tests;
