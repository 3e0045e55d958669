//! Patterns with look-around, back-references, atomic groups or possessive quantifiers, which are found by backtracking.
//!
//! The engine compiles a part without these as a program of its own, which the linear engine runs: what follows from
//! each look-around or the like, and each class in between.

use super::java_pattern::Translated;
use super::{MAX_PROGRAM_BYTES, linear};
use fancy_regex::{Regex, RegexBuilder};
use regex_syntax::hir::Hir;

/// Steps of backtracking on one value before the comparator gives up, with an error. (HBase 2.6 has a time limit,
/// older ones none.) A step takes some ten nanoseconds.
const MAX_BACKTRACKS: usize = 1_000_000;
/// Most look-arounds and the like: the part within each, and the one behind it, learns up to some MiB while matching.
const MAX_LOOK_AROUNDS: usize = 50;
/// Most classes of characters and ends of lines, each of which may be a program of its own.
const MAX_SMALL_PROGRAMS: usize = 4_000;
/// About the size of the smallest program, in bytes.
const SMALL_PROGRAM_BYTES: usize = 4 << 10;
/// About how much larger programs are than the outline of their parts: they run in both directions.
const PROGRAM_BYTES_PER_BYTE: usize = 3;

/// A compiled pattern.
pub(super) struct BacktrackingRegex {
    regex: Regex,
    program_bytes: usize,
}

impl BacktrackingRegex {
    /// Compiles `pattern`, unless its programs would be too large together. `outline` is the pattern with plain groups
    /// and quantifiers in the place of look-arounds and the like, and `hir` what was parsed from it.
    pub(super) fn new(pattern: &str, outline: &Translated, hir: &Hir) -> Result<Self, String> {
        if outline.backtracking > MAX_LOOK_AROUNDS {
            return Err(format!("more than {MAX_LOOK_AROUNDS} look-arounds, back-references and the like"));
        }
        let small_programs = linear::count_classes(hir) + outline.line_ends;
        if small_programs > MAX_SMALL_PROGRAMS {
            return Err(format!(
                "more than {MAX_SMALL_PROGRAMS} classes and ends of lines beside look-arounds and the like"
            ));
        }
        let bytes = linear::automaton(hir)?.memory_usage();
        let program_bytes = bytes * PROGRAM_BYTES_PER_BYTE + small_programs * SMALL_PROGRAM_BYTES;
        Ok(Self { regex: compile(pattern)?, program_bytes })
    }

    /// About the memory that the compiled pattern takes before it has matched anything.
    pub(super) fn program_bytes(&self) -> usize {
        self.program_bytes
    }

    /// Whether the pattern is found anywhere in `text`, or why that took too many steps.
    pub(super) fn is_match(&self, text: &str) -> Result<bool, String> {
        self.regex.is_match(text).map_err(|error| error.to_string())
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .backtrack_limit(MAX_BACKTRACKS)
        .delegate_size_limit(MAX_PROGRAM_BYTES)
        .build()
        .map_err(|error| error.to_string())
}
