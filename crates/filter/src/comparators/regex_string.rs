//! `RegexStringComparator`: Java regular expressions.

mod java_class;
mod java_pattern;

use crate::{Comparator, FilterError};
use fancy_regex::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Steps of backtracking on one value before the comparator gives up, with an error. (HBase 2.6 has a time limit,
/// older ones none.) A step takes some ten nanoseconds. Patterns without look-around and back-references never
/// backtrack, and are not limited.
const MAX_BACKTRACKS: usize = 1_000_000;
/// Longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 64 << 10;
/// Largest compiled program, in bytes: a short pattern like `(a{1000}){1000}` can ask for a great one.
const MAX_PROGRAM_BYTES: usize = 1 << 20;
/// Most memory for what the engine learns while matching, in bytes.
const MAX_MATCHER_BYTES: usize = 512 << 10;

/// How the bytes of a value become text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Charset {
    Utf8,
    Latin1,
    Ascii,
    Utf16 { little_endian: bool, byte_order_mark: bool },
}

impl Charset {
    /// Java's names and the aliases in use, in any case. Empty is UTF-8.
    fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_uppercase().as_str() {
            "" | "UTF-8" | "UTF8" => Self::Utf8,
            "ISO-8859-1" | "ISO8859_1" | "ISO8859-1" | "LATIN1" => Self::Latin1,
            "US-ASCII" | "ASCII" => Self::Ascii,
            "UTF-16" | "UTF_16" => Self::Utf16 { little_endian: false, byte_order_mark: true },
            "UTF-16BE" => Self::Utf16 { little_endian: false, byte_order_mark: false },
            "UTF-16LE" => Self::Utf16 { little_endian: true, byte_order_mark: false },
            _ => return None,
        })
    }

    /// What cannot be decoded becomes U+FFFD. Borrows where text and bytes are the same.
    fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes),
            Self::Latin1 | Self::Ascii if bytes.is_ascii() => String::from_utf8_lossy(bytes),
            Self::Latin1 => bytes.iter().map(|byte| char::from(*byte)).collect(),
            Self::Ascii => {
                bytes.iter().map(|b| if b.is_ascii() { char::from(*b) } else { '\u{fffd}' }).collect()
            }
            Self::Utf16 { mut little_endian, byte_order_mark } => {
                let mut units = bytes;
                if byte_order_mark
                    && let Some((mark @ ([0xfe, 0xff] | [0xff, 0xfe]), rest)) = bytes.split_first_chunk()
                {
                    little_endian = mark[0] == 0xff;
                    units = rest;
                }
                let unit =
                    if little_endian { u16::from_le_bytes as fn([u8; 2]) -> u16 } else { u16::from_be_bytes };
                let odd_end = if units.len() % 2 == 1 { "\u{fffd}" } else { "" };
                let units = units.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
                (String::from_utf16_lossy(&units.collect::<Vec<_>>()) + odd_end).into()
            }
        }
    }
}

/// `Equal` if the pattern is found anywhere in the value, `Greater` otherwise.
pub struct RegexStringComparator {
    pattern: String,
    regex: Regex,
    charset: Charset,
}

impl RegexStringComparator {
    /// Looks for `pattern`, in Java's syntax, with `flags` of `java.util.regex.Pattern`, in values decoded by
    /// `charset`. HBase's other engine, JONI, has the same syntax in HBase and is not told apart.
    pub fn new(pattern: &str, flags: i32, charset: &str) -> Result<Self, FilterError> {
        let failed =
            |reason: String| FilterError::Pattern { pattern: shortened(pattern), reason: reason.into() };
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(failed(format!("longer than {MAX_PATTERN_BYTES} bytes")));
        }
        let charset = Charset::named(charset).ok_or_else(|| {
            failed(format!("java.nio.charset.UnsupportedCharsetException: {}", shortened(charset)))
        })?;
        let translated = java_pattern::translate(pattern, flags).map_err(failed)?;
        let regex = RegexBuilder::new(&translated)
            .backtrack_limit(MAX_BACKTRACKS)
            .delegate_size_limit(MAX_PROGRAM_BYTES)
            .delegate_dfa_size_limit(MAX_MATCHER_BYTES)
            .build()
            .map_err(|error| failed(error.to_string()))?;
        Ok(Self { pattern: pattern.to_owned(), regex, charset })
    }
}

fn shortened(text: &str) -> Box<str> {
    text.chars().take(100).collect::<String>().into()
}

impl Comparator for RegexStringComparator {
    fn compare_to(&self, value: &[u8]) -> Result<Ordering, FilterError> {
        let found =
            self.regex.is_match(&self.charset.decode(value)).map_err(|error| FilterError::RegexSteps {
                pattern: shortened(&self.pattern),
                value_bytes: value.len(),
                reason: error.to_string().into(),
            })?;
        Ok(if found { Ordering::Equal } else { Ordering::Greater })
    }

    fn given(&self) -> &[u8] {
        self.pattern.as_bytes()
    }
}

#[cfg(test)]
mod tests;
