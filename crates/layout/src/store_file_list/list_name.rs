//! What a list of store files is called.

use std::cmp::{Ordering, Reverse};
use std::fmt;

/// Of the two files that take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    First,
    Second,
}

/// `f1` or `f2`, or `f1.N` or `f2.N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListName {
    turn: Turn,
    /// N as it is written.
    suffix: Option<String>,
}

impl ListName {
    /// The first of a store.
    pub(super) fn first(generation: Option<u64>) -> Self {
        Self { turn: Turn::First, suffix: generation.map(|generation| generation.to_string()) }
    }

    /// None for a name that is no list's.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let (turn, rest) = match name.split_at_checked(2)? {
            ("f1", rest) => (Turn::First, rest),
            ("f2", rest) => (Turn::Second, rest),
            _ => return None,
        };
        if rest.is_empty() {
            return Some(Self { turn, suffix: None });
        }
        let suffix = rest.strip_prefix('.')?;
        let is_number = suffix.bytes().all(|byte| byte.is_ascii_digit()) && suffix.parse::<u64>().is_ok();
        is_number.then(|| Self { turn, suffix: Some(suffix.to_owned()) })
    }

    /// HBase 2.6 takes another one at each opening of a region, ms since the epoch or more than the last: a server that had
    /// the region before, and does not know yet that it has lost it, writes lists that do not count.
    pub(super) fn generation(&self) -> Option<u64> {
        self.suffix.as_ref().and_then(|suffix| suffix.parse().ok())
    }

    /// Whose turn it is after this one.
    pub(super) fn other(&self) -> Self {
        let turn = match self.turn {
            Turn::First => Turn::Second,
            Turn::Second => Turn::First,
        };
        Self { turn, suffix: self.suffix.clone() }
    }

    /// Whether the younger of the two counts. A bare name is as one with generation 0.
    pub(super) fn is_of_same_opening(&self, other: &Self) -> bool {
        self.generation().unwrap_or(0) == other.generation().unwrap_or(0)
    }
}

impl Ord for ListName {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |name: &Self| (Reverse(name.generation().unwrap_or(0)), name.turn);
        key(self).cmp(&key(other)).then_with(|| self.suffix.cmp(&other.suffix))
    }
}

impl PartialOrd for ListName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for ListName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turn = self.turn as usize + 1;
        match &self.suffix {
            Some(suffix) => write!(f, "f{turn}.{suffix}"),
            None => write!(f, "f{turn}"),
        }
    }
}
