//! `^`, `$` and `\Z` of Java, which has other line ends than the linear engine, in its automaton.
//!
//! An automaton asks at some places whether something holds there, without taking a character: [`Look`]. Each of Java's
//! line ends is written as one of these, and has its own meaning in [`holds`].
//!
//! Java's line ends are LF, CR, CR LF as one, U+0085, U+2028 and U+2029. With UNIX_LINES there is only LF.

use regex_automata::util::look::{Look, LookMatcher};

/// `^` with MULTILINE.
pub(super) const AFTER_ANY: &str = "(?mR:^)";
/// `^` with MULTILINE and UNIX_LINES.
pub(super) const AFTER_LF: &str = "(?m:^)";
/// `$` with MULTILINE.
pub(super) const BEFORE_ANY: &str = "(?mR:$)";
/// `$` with MULTILINE and UNIX_LINES.
pub(super) const BEFORE_LF: &str = "(?m:$)";
/// `$` and `\Z`. The engine's halves of word boundaries, which Java has not, stand for what the engine has not.
pub(super) const BEFORE_LAST: &str = r"(?-u:\b{end-half})";
/// `$` and `\Z` with UNIX_LINES.
pub(super) const BEFORE_LAST_LF: &str = r"(?-u:\b{start-half})";

const LOOK_BEFORE_LAST: Look = Look::WordEndHalfAscii;
const LOOK_BEFORE_LAST_LF: Look = Look::WordStartHalfAscii;

/// Whether `look` holds at a byte of `text`, in the meaning of this module.
pub(super) fn holds(look: Look, text: &[u8], at: usize) -> bool {
    let (before, after) = text.split_at(at);
    match look {
        Look::StartCRLF => {
            !after.is_empty() && (before.is_empty() || ends_line(before)) && !within_cr_lf(before, after)
        }
        Look::StartLF => !after.is_empty() && (before.is_empty() || before.ends_with(b"\n")),
        Look::EndCRLF => after.is_empty() || (begins_with_end(after) && !within_cr_lf(before, after)),
        Look::EndLF => after.is_empty() || after.starts_with(b"\n"),
        LOOK_BEFORE_LAST => after.is_empty() || (is_end(after) && !within_cr_lf(before, after)),
        LOOK_BEFORE_LAST_LF => after.is_empty() || after == b"\n",
        other => LookMatcher::new().matches(other, text, at),
    }
}

fn within_cr_lf(before: &[u8], after: &[u8]) -> bool {
    before.ends_with(b"\r") && after.starts_with(b"\n")
}

const ENDS: [&str; 5] = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"];

fn ends_line(text: &[u8]) -> bool {
    ENDS.iter().any(|end| text.ends_with(end.as_bytes()))
}

fn begins_with_end(text: &[u8]) -> bool {
    ENDS.iter().any(|end| text.starts_with(end.as_bytes()))
}

fn is_end(text: &[u8]) -> bool {
    text == b"\r\n" || ENDS.iter().any(|end| text == end.as_bytes())
}

/// Whether line ends mean in `text` what they mean to the engine: it has no others than LF and CR, and ends with none.
pub(super) fn is_plain(text: &str) -> bool {
    let others = ['\u{85}', '\u{2028}', '\u{2029}'];
    !text.is_empty() && !text.ends_with(['\n', '\r']) && (text.is_ascii() || !text.contains(others))
}
