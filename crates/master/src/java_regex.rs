//! Names matched as Java's `Pattern` does: the whole name, with look-around and possessive quantifiers.

use fancy_regex::{Regex, RegexBuilder};
use finback_cell::TableName;
use finback_rpc::{RpcException, exceptions};

/// Longest pattern that is compiled, in bytes; no name is longer.
const MAX_PATTERN_BYTES: usize = 64 << 10;
/// Bytes that a pattern takes when it is compiled, and each look-around within it.
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// Groups with a question mark, look-arounds among them.
const MAX_SPECIAL_GROUPS: usize = 64;
/// Steps of backtracking for one name before the pattern is refused.
const MAX_BACKTRACKS: usize = 100_000;

/// A pattern for names of tables.
#[derive(Debug)]
pub(crate) struct NamePattern(Regex);

impl NamePattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// DoNotRetryIOException with what is wrong with it.
    pub(crate) fn new(pattern: &str) -> Result<Self, RpcException> {
        if pattern.len() > MAX_PATTERN_BYTES {
            let message = format!("a pattern of {} bytes; the limit is {MAX_PATTERN_BYTES}", pattern.len());
            return Err(exceptions::do_not_retry(message));
        }
        if pattern.matches("(?").count() > MAX_SPECIAL_GROUPS {
            return Err(refused(
                pattern,
                &format!("more than {MAX_SPECIAL_GROUPS} groups with a question mark"),
            ));
        }
        RegexBuilder::new(&format!(r"\A(?:{})\z", unquoted(pattern)))
            .backtrack_limit(MAX_BACKTRACKS)
            .delegate_size_limit(MAX_COMPILED_BYTES)
            .build()
            .map(Self)
            .map_err(|e| refused(pattern, &e))
    }

    /// Whether it matches the table's name; one in the default namespace also as `default:<name>`.
    ///
    /// # Errors
    /// DoNotRetryIOException if matching takes too many steps.
    pub(crate) fn matches(&self, table: &TableName) -> Result<bool, RpcException> {
        let matches = |name: &str| self.0.is_match(name).map_err(|e| refused(self.0.as_str(), &e));
        if matches(&table.to_string())? {
            return Ok(true);
        }
        match table.namespace() {
            TableName::DEFAULT_NAMESPACE => matches(&format!("default:{table}")),
            _ => Ok(false),
        }
    }
}

fn refused(pattern: &str, error: &dyn std::fmt::Display) -> RpcException {
    exceptions::do_not_retry(format!("pattern {pattern:?}: {error}"))
}

/// Java's `\Q...\E` quotes literal text; other engines do not know it.
fn unquoted(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(at) = quote_start(rest) {
        out.push_str(&rest[..at]);
        let quoted = &rest[at + 2..];
        let (literal, after) = quoted.split_once(r"\E").unwrap_or((quoted, ""));
        out.push_str(&fancy_regex::escape(literal));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Where `\Q` stands, not counting the `Q` behind an escaped backslash.
fn quote_start(pattern: &str) -> Option<usize> {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        match (bytes[at], bytes[at + 1]) {
            (b'\\', b'Q') => return Some(at),
            (b'\\', _) => at += 2,
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, table: &str) -> bool {
        let table = TableName::parse(table.as_bytes()).unwrap();
        NamePattern::new(pattern).unwrap().matches(&table).unwrap()
    }

    #[test]
    fn the_whole_name_must_match() {
        assert!(matches("t.*", "t1"));
        assert!(!matches("t", "t1"));
        assert!(matches("a|t1", "t1"));
        assert!(matches("ns:t[0-9]", "ns:t1"));
        assert!(!matches("t1", "ns:t1"));
        assert!(matches("default:t1", "t1"));
    }

    #[test]
    fn javas_own_syntax_is_understood() {
        assert!(matches(r"\Qa.b\E.*", "a.bc"));
        assert!(!matches(r"\Qa.b\E", "axb"));
        assert!(matches(r"(?!x).*", "t1"));
        assert!(!matches(r"(?!ns).*", "ns:t1"));
        assert!(matches(r"\Qa.b", "a.b"));
        assert!(!matches(r"\\Qx", "Qx"));
    }

    #[test]
    fn bad_and_catastrophic_patterns_are_refused() {
        assert!(NamePattern::new("(").is_err());
        assert!(NamePattern::new(&"a".repeat(MAX_PATTERN_BYTES + 1)).is_err());
        assert!(NamePattern::new(&r"(?=\w{300})".repeat(100)).is_err());
        assert!(NamePattern::new(r"(?=\w{30000})").is_err());
        let table = TableName::parse(format!("{}b", "a".repeat(200)).as_bytes()).unwrap();
        let slow = NamePattern::new(r"(a|aa)*(?=c)").unwrap();
        assert!(!matches!(slow.matches(&table), Ok(true)));
    }
}
