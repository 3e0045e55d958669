//! A half-open range of timestamps.

/// `min ≤ timestamp < max`, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// First timestamp inside.
    pub min: i64,
    /// First timestamp beyond.
    pub max: i64,
}

impl TimeRange {
    /// All timestamps that cells have.
    pub const ALL: Self = Self { min: 0, max: i64::MAX };

    /// Whether `timestamp` is inside. No restriction includes `i64::MAX`, as in HBase; a range from a later beginning up to
    /// `i64::MAX` does not.
    #[inline]
    pub fn contains(&self, timestamp: i64) -> bool {
        self.is_all() || (timestamp >= self.min && timestamp < self.max)
    }

    /// Whether `timestamp` is inside or behind: HBase's `withinOrAfterTimeRange`.
    pub fn contains_or_precedes(&self, timestamp: i64) -> bool {
        self.is_all() || timestamp >= self.min
    }

    /// Whether this is no restriction at all.
    pub fn is_all(&self) -> bool {
        self.min <= 0 && self.max == i64::MAX
    }

    /// Whether any timestamp of `min..=max` is inside.
    pub fn overlaps(&self, min: i64, max: i64) -> bool {
        self.is_all() || (max >= self.min && min < self.max)
    }
}

impl Default for TimeRange {
    fn default() -> Self {
        Self::ALL
    }
}

#[cfg(test)]
mod tests;
