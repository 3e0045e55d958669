//! The value of a field: how it is written, read back in filters, and compared.

use crate::field::FieldType;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Display};

/// What a field says of a record.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// A name, or a time.
    Text(Cow<'a, str>),
    /// A count, or a rate.
    Number(u64),
    /// Bytes.
    Size(u64),
    /// A part of one.
    Ratio(f32),
    /// A part of a hundred.
    Percent(f32),
}

/// Units of sizes; each is 1024 of the one before.
const UNITS: [&str; 6] = ["B", "KB", "MB", "GB", "TB", "PB"];

impl Value<'_> {
    /// Reads what somebody has typed. `None` if it is no value of this type.
    pub fn parse(kind: FieldType, text: &str) -> Option<Value<'static>> {
        match kind {
            FieldType::Text => Some(Value::Text(Cow::Owned(text.to_owned()))),
            FieldType::Number => text.trim().parse().ok().map(Value::Number),
            FieldType::Size => size(text.trim()).map(Value::Size),
            FieldType::Ratio => number(text).map(Value::Ratio),
            FieldType::Percent => number(text.trim().trim_end_matches('%')).map(Value::Percent),
        }
    }

    /// The order of two values of one field. Those of different types are all the same.
    pub fn compare(&self, other: &Value<'_>, ignore_case: bool) -> Ordering {
        match (self, other) {
            (Value::Text(one), Value::Text(other)) if ignore_case => {
                one.chars().flat_map(char::to_lowercase).cmp(other.chars().flat_map(char::to_lowercase))
            }
            (Value::Text(one), Value::Text(other)) => one.cmp(other),
            (Value::Number(one), Value::Number(other)) | (Value::Size(one), Value::Size(other)) => {
                one.cmp(other)
            }
            (Value::Ratio(one), Value::Ratio(other)) | (Value::Percent(one), Value::Percent(other)) => {
                one.total_cmp(other)
            }
            _ => Ordering::Equal,
        }
    }
}

fn number(text: &str) -> Option<f32> {
    text.trim().parse().ok().filter(|number: &f32| number.is_finite())
}

/// `1.5MB`, or bytes without a unit.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_uppercase();
    let power = match unit.as_str() {
        "" => 0,
        unit => UNITS.iter().position(|known| *known == unit)?,
    };
    let number: f64 = digits.trim().parse().ok()?;
    let bytes = number * 1024f64.powi(power as i32);
    // Beyond 2^64 there is nothing to compare with: conversions of floats stop at the largest.
    (bytes >= 0.0 && bytes.is_finite()).then_some(bytes as u64)
}

impl Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{number}"),
            Self::Size(bytes) => {
                let (mut size, mut unit) = (*bytes as f64, 0);
                while size >= 1024.0 && unit + 1 < UNITS.len() {
                    size /= 1024.0;
                    unit += 1;
                }
                write!(f, "{size:.1}{}", UNITS[unit])
            }
            // As Java writes floats: at least one digit behind the point.
            Self::Ratio(ratio) => write!(f, "{ratio:?}"),
            Self::Percent(percent) => write!(f, "{percent:.2}%"),
        }
    }
}

#[cfg(test)]
mod tests;
