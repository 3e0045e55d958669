//! Kinds of values that only settings of compactions have.

use super::setting::TomlForm;
use super::value::Kind;
use finback_region::{CompactionPolicy, SplitPolicy, StoreEngine, java_float};

/// HBase's class of a store engine.
pub struct Engine;

impl Kind for Engine {
    type Value = StoreEngine;
    const UNIT: &'static str = "class";
    const EXPECTED: &'static str = "the full name of one of HBase's store engines, or empty";
    const FORM: TomlForm = TomlForm::Text;

    fn parse(text: &str) -> Option<StoreEngine> {
        if text.is_empty() { Some(StoreEngine::default()) } else { text.parse().ok() }
    }
}

/// HBase's class of a compaction policy.
pub struct Policy;

impl Kind for Policy {
    type Value = CompactionPolicy;
    const UNIT: &'static str = "class";
    const EXPECTED: &'static str = "the full name of one of HBase's compaction policies, or empty";
    const FORM: TomlForm = TomlForm::Text;

    fn parse(text: &str) -> Option<CompactionPolicy> {
        if text.is_empty() { Some(CompactionPolicy::default()) } else { text.parse().ok() }
    }
}

/// HBase's class of a region split policy.
pub struct Splits;

impl Kind for Splits {
    type Value = SplitPolicy;
    const UNIT: &'static str = "class";
    const EXPECTED: &'static str = "the full name of one of HBase's region split policies, or empty";
    const FORM: TomlForm = TomlForm::Text;

    fn parse(text: &str) -> Option<SplitPolicy> {
        if text.is_empty() { Some(SplitPolicy::default()) } else { text.parse().ok() }
    }
}

/// An hour of the day, or none.
pub struct Hour;

impl Kind for Hour {
    type Value = i64;
    const UNIT: &'static str = "hour";
    const EXPECTED: &'static str = "an hour from 0 to 23, or -1";
    const FORM: TomlForm = TomlForm::Integer;

    fn parse(text: &str) -> Option<i64> {
        text.parse().ok().filter(|hour| (-1..24).contains(hour))
    }
}

/// How many times one thing may be as large as another.
pub struct Ratio;

impl Kind for Ratio {
    type Value = f64;
    const UNIT: &'static str = "ratio";
    const EXPECTED: &'static str = "a number above 0";
    const FORM: TomlForm = TomlForm::Float;

    fn parse(text: &str) -> Option<f64> {
        java_float(text).filter(|ratio| *ratio > 0.0 && ratio.is_finite())
    }
}

/// A share of something that may be nothing.
pub struct Share;

impl Kind for Share {
    type Value = f64;
    const UNIT: &'static str = "fraction";
    const EXPECTED: &'static str = "a fraction from 0 to 1";
    const FORM: TomlForm = TomlForm::Float;

    fn parse(text: &str) -> Option<f64> {
        java_float(text).filter(|share| (0.0..=1.0).contains(share))
    }
}

#[cfg(test)]
mod tests;
