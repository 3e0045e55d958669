//! Values with a unit: bytes and times.

use super::setting::TomlForm;
use super::value::Kind;
use std::time::Duration;

const KILO: [(&str, u32); 4] = [("k", 10), ("m", 20), ("g", 30), ("t", 40)];
const TIMES: [(&str, u64); 5] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// A number of bytes above 0, with an optional binary suffix as in Hadoop's configuration.
pub(super) fn bytes(text: &str) -> Option<u64> {
    let is_suffix = |suffix: &str| {
        text.bytes().last().is_some_and(|last| suffix.as_bytes()[0] == last.to_ascii_lowercase())
    };
    let (digits, shift) = match KILO.iter().find(|(suffix, _)| is_suffix(suffix)) {
        Some((_, shift)) => (&text[..text.len() - 1], *shift),
        None => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
}

/// Milliseconds, which stand without a unit, or a time with one.
fn milliseconds(text: &str) -> Option<u64> {
    let suffixed = TIMES.iter().find_map(|(suffix, ms)| Some((text.strip_suffix(suffix)?, *ms)));
    let (digits, factor) = suffixed.unwrap_or((text, 1));
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// In the largest unit that divides it.
pub(super) fn bytes_with_unit(bytes: u64) -> String {
    let fits = KILO.iter().rev().find(|(_, shift)| bytes > 0 && bytes.trailing_zeros() >= *shift);
    fits.map_or_else(|| bytes.to_string(), |(suffix, shift)| format!("{}{suffix}", bytes >> shift))
}

fn time_with_unit(ms: u64) -> String {
    let fits = TIMES.iter().rev().find(|(_, unit)| ms > 0 && ms.is_multiple_of(*unit));
    fits.map_or_else(|| ms.to_string(), |(suffix, unit)| format!("{}{suffix}", ms / unit))
}

/// A value as it would be written by default; `None` for one that settings of this kind cannot have.
pub(super) fn canonical<K: Kind>(text: &str) -> Option<String> {
    K::parse(text).is_some().then(|| K::canonical(text))
}

/// A number of bytes, with an optional binary suffix as in Hadoop's configuration.
pub struct ByteCount;

impl Kind for ByteCount {
    type Value = u64;
    const UNIT: &'static str = "bytes";
    const EXPECTED: &'static str = "a number of bytes above 0, such as 134217728 or 128m";
    const FORM: TomlForm = TomlForm::TextOrInteger;

    fn canonical(text: &str) -> String {
        bytes(text).map_or_else(|| text.to_owned(), bytes_with_unit)
    }

    fn parse(text: &str) -> Option<u64> {
        bytes(text)
    }
}

/// A number of bytes that may be left out.
pub struct OptionalByteCount;

impl Kind for OptionalByteCount {
    type Value = Option<u64>;
    const UNIT: &'static str = "bytes";
    const EXPECTED: &'static str = "a number of bytes above 0, such as 134217728 or 128m, or empty";
    const FORM: TomlForm = TomlForm::TextOrInteger;

    fn canonical(text: &str) -> String {
        bytes(text).map_or_else(|| text.to_owned(), bytes_with_unit)
    }

    fn parse(text: &str) -> Option<Option<u64>> {
        if text.is_empty() { Some(None) } else { ByteCount::parse(text).map(Some) }
    }
}

/// A time span, or never.
pub struct Period;

impl Kind for Period {
    type Value = i64;
    const UNIT: &'static str = "time";
    const EXPECTED: &'static str = "a time in milliseconds, such as 60000, or 60s, 10m, 1h, 7d";
    const FORM: TomlForm = TomlForm::Text;

    fn canonical(text: &str) -> String {
        milliseconds(text).map_or_else(|| text.to_owned(), time_with_unit)
    }

    fn parse(text: &str) -> Option<i64> {
        if text == "0" {
            return Some(0);
        }
        i64::try_from(Milliseconds::parse(text)?.as_millis()).ok()
    }
}

/// A time span that may be left out.
pub struct OptionalPeriod;

impl Kind for OptionalPeriod {
    type Value = Option<i64>;
    const UNIT: &'static str = "time";
    const EXPECTED: &'static str = "a time in milliseconds, such as 60000, or 60s, 10m, 1h, 7d, or empty";
    const FORM: TomlForm = TomlForm::Text;

    fn canonical(text: &str) -> String {
        milliseconds(text).map_or_else(|| text.to_owned(), time_with_unit)
    }

    fn parse(text: &str) -> Option<Option<i64>> {
        if text.is_empty() { Some(None) } else { Period::parse(text).map(Some) }
    }
}

/// A time span; in milliseconds, or with a suffix as in Hadoop's configuration.
pub struct Milliseconds;

impl Kind for Milliseconds {
    type Value = Duration;
    const UNIT: &'static str = "time";
    const EXPECTED: &'static str = "a time above 0 in milliseconds, such as 60000, or 60s, 10m, 1h, 7d";
    const FORM: TomlForm = TomlForm::Text;

    fn canonical(text: &str) -> String {
        milliseconds(text).map_or_else(|| text.to_owned(), time_with_unit)
    }

    fn parse(text: &str) -> Option<Duration> {
        milliseconds(text).filter(|ms| *ms > 0).map(Duration::from_millis)
    }
}

/// A time span that may be none; in milliseconds, or with a suffix as in Hadoop's configuration.
pub struct OptionalMilliseconds;

impl Kind for OptionalMilliseconds {
    type Value = Option<Duration>;
    const UNIT: &'static str = "time";
    const EXPECTED: &'static str = "0, or a time in milliseconds, such as 60000, or 60s, 10m, 1h, 7d";
    const FORM: TomlForm = TomlForm::Text;

    fn canonical(text: &str) -> String {
        milliseconds(text).map_or_else(|| text.to_owned(), time_with_unit)
    }

    fn parse(text: &str) -> Option<Option<Duration>> {
        if text == "0" { Some(None) } else { Milliseconds::parse(text).map(Some) }
    }
}

/// Bytes a second, or as many as there are.
pub struct Rate;

impl Kind for Rate {
    type Value = Option<u64>;
    const UNIT: &'static str = "bytes a second";
    const EXPECTED: &'static str = "a number of bytes above 0, such as 50m, or unlimited";
    const FORM: TomlForm = TomlForm::TextOrInteger;

    fn canonical(text: &str) -> String {
        Self::parse(text).flatten().map_or_else(|| "unlimited".to_owned(), bytes_with_unit)
    }

    fn parse(text: &str) -> Option<Option<u64>> {
        // HBase says the largest number of Java where it means that there is no limit.
        if text == "unlimited" {
            Some(None)
        } else {
            Some(Some(bytes(text)?).filter(|rate| *rate < i64::MAX as u64))
        }
    }
}

/// A time beyond which something is too long.
pub struct TimeThreshold;

impl Kind for TimeThreshold {
    type Value = Option<Duration>;
    const UNIT: &'static str = "time";
    const EXPECTED: &'static str = "a time in milliseconds, such as 10000, or 10s, 1m, or off";
    const FORM: TomlForm = TomlForm::Text;

    fn canonical(text: &str) -> String {
        milliseconds(text).map_or_else(|| "off".to_owned(), time_with_unit)
    }

    fn parse(text: &str) -> Option<Option<Duration>> {
        if is_off(text) { Some(None) } else { milliseconds(text).map(Duration::from_millis).map(Some) }
    }
}

/// A number of bytes beyond which something is too large.
pub struct SizeThreshold;

impl Kind for SizeThreshold {
    type Value = Option<u64>;
    const UNIT: &'static str = "bytes";
    const EXPECTED: &'static str = "a number of bytes, such as 104857600 or 100m, or off";
    const FORM: TomlForm = TomlForm::TextOrInteger;

    fn canonical(text: &str) -> String {
        Self::parse(text).flatten().map_or_else(|| "off".to_owned(), bytes_with_unit)
    }

    fn parse(text: &str) -> Option<Option<u64>> {
        match text {
            "0" => Some(Some(0)),
            _ if is_off(text) => Some(None),
            _ => bytes(text).map(Some),
        }
    }
}

/// HBase says -1.
pub(super) fn is_off(text: &str) -> bool {
    matches!(text, "off" | "-1")
}

#[cfg(test)]
mod tests;
