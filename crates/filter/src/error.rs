//! The one error type of this crate.

/// Why a filter or comparator cannot be made, or cannot decide.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// A filter class that does not exist here.
    #[error("java.lang.ClassNotFoundException: {0}")]
    UnknownFilter(Box<str>),
    /// A comparator class that does not exist here.
    #[error("java.lang.ClassNotFoundException: {0}")]
    UnknownComparator(Box<str>),
    /// The bytes are no message of the type.
    #[error("org.apache.hadoop.hbase.exceptions.DeserializationException: malformed {message}: {reason}")]
    Malformed {
        /// Name of the message.
        message: &'static str,
        /// What the decoder says.
        reason: Box<str>,
    },
    /// A required field is missing, or has no known value.
    #[error(
        "org.apache.hadoop.hbase.exceptions.DeserializationException: Message missing required fields: {field} ({message})"
    )]
    Missing {
        /// Name of the message.
        message: &'static str,
        /// Name of the field.
        field: &'static str,
    },
    /// A field has a value that its filter or comparator does not take.
    #[error("java.lang.IllegalArgumentException: {class}: {reason}")]
    Invalid {
        /// Simple name of the class.
        class: &'static str,
        /// What is wrong, and what was found.
        reason: Box<str>,
    },
    /// Filters in filters in filters.
    #[error("filters are nested deeper than {limit}")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// More of something than one filter may have.
    #[error("a filter with more than {limit} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A regular expression that cannot be compiled.
    #[error("java.util.regex.PatternSyntaxException: {reason} in {pattern:?}")]
    Pattern {
        /// The pattern as sent, shortened.
        pattern: Box<str>,
        /// What is wrong.
        reason: Box<str>,
    },
    /// A value of a length that a comparator cannot read.
    #[error("java.lang.IllegalArgumentException: {class}: Wrong length: {found}, expected {expected}")]
    ValueLength {
        /// Simple name of the comparator.
        class: &'static str,
        /// Bytes found.
        found: usize,
        /// Bytes (at least) expected.
        expected: usize,
    },
    /// A regular expression took too many steps on a value, and was stopped before it could say yes or no.
    #[error("the regular expression {pattern:?} gave up on a value of {value_bytes} bytes: {reason}")]
    RegexSteps {
        /// The pattern, shortened.
        pattern: Box<str>,
        /// Size of the value.
        value_bytes: usize,
        /// What the engine says.
        reason: Box<str>,
    },
}

impl FilterError {
    /// The Java exception class to answer with. Nothing here becomes better by trying again. The message of the
    /// exception is the text of the error; where HBase names the exception behind, so does the text.
    pub fn exception_class(&self) -> &'static str {
        "org.apache.hadoop.hbase.DoNotRetryIOException"
    }
}
