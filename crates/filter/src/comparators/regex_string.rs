//! `RegexStringComparator`: Java regular expressions.

mod automaton_walk;
mod backtracking;
mod engine_words;
mod java_class;
mod java_pattern;
mod line_ends;
mod linear;

use crate::{Comparator, FilterError};
use backtracking::BacktrackingRegex;
use java_pattern::Engine;
use linear::LinearRegex;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 64 << 10;
/// Largest compiled program, in bytes: a short pattern like `(a{1000}){1000}` can ask for a great one.
const MAX_PROGRAM_BYTES: usize = 4 << 20;

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

/// A compiled pattern. One without look-around, back-references, atomic groups and possessive quantifiers never
/// backtracks, and takes time linear in the text.
enum Regex {
    Linear(LinearRegex),
    Backtracking(BacktrackingRegex),
}

impl Regex {
    fn new(pattern: &str, flags: i32) -> Result<Self, String> {
        let outline = java_pattern::translate(pattern, flags, Engine::Linear)?;
        let hir = linear::parse(&outline.text)?;
        if outline.backtracking == 0 {
            return LinearRegex::new(&hir).map(Self::Linear);
        }
        let translated = java_pattern::translate(pattern, flags, Engine::Backtracking)?;
        BacktrackingRegex::new(&translated.text, &outline, &hir).map(Self::Backtracking)
    }

    /// Whether the pattern is found anywhere in `text`, or why that took too many steps.
    fn is_match(&self, text: &str) -> Result<bool, String> {
        match self {
            Self::Linear(regex) => Ok(regex.is_match(text)),
            Self::Backtracking(regex) => regex.is_match(text),
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
        let regex = Regex::new(pattern, flags).map_err(failed)?;
        Ok(Self { pattern: pattern.to_owned(), regex, charset })
    }

    /// About the memory that the compiled pattern takes before it has matched anything.
    pub(crate) fn program_bytes(&self) -> usize {
        match &self.regex {
            Regex::Linear(regex) => regex.program_bytes(),
            Regex::Backtracking(regex) => regex.program_bytes(),
        }
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
                reason: error.into(),
            })?;
        Ok(if found { Ordering::Equal } else { Ordering::Greater })
    }

    fn given(&self) -> &[u8] {
        self.pattern.as_bytes()
    }

    fn memory_bytes(&self) -> usize {
        let learned = match &self.regex {
            Regex::Linear(regex) => regex.learned_bytes(),
            Regex::Backtracking(_) => 0,
        };
        size_of_val(self) + self.program_bytes() + learned
    }
}

#[cfg(test)]
mod tests;
