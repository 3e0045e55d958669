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

    /// Whether `timestamp` is inside. A range up to `i64::MAX` includes `i64::MAX` itself, as in HBase.
    #[inline]
    pub fn contains(&self, timestamp: i64) -> bool {
        timestamp >= self.min && (timestamp < self.max || self.max == i64::MAX)
    }

    /// Whether this is no restriction at all.
    pub fn is_all(&self) -> bool {
        self.min <= 0 && self.max == i64::MAX
    }

    /// Whether any timestamp of `min..=max` is inside.
    pub fn overlaps(&self, min: i64, max: i64) -> bool {
        max >= self.min && (min < self.max || self.max == i64::MAX)
    }
}

impl Default for TimeRange {
    fn default() -> Self {
        Self::ALL
    }
}
