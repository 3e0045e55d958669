//! A value of a metric.

use crate::histogram::HistogramSnapshot;

/// What a metric is at one moment.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// A whole number.
    Count(u64),
    /// Any number.
    Number(f64),
    /// Words: in HBase's JSON only.
    Text(&'a str),
    /// Durations, in nanoseconds.
    Times(&'a HistogramSnapshot),
    /// Sizes, or numbers of something.
    Sizes(&'a HistogramSnapshot),
    /// It is not known, and not told.
    Absent,
}

impl From<u64> for Value<'_> {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<usize> for Value<'_> {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<bool> for Value<'_> {
    fn from(is_so: bool) -> Self {
        Self::Count(u64::from(is_so))
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}
