//! What filters compare bytes with.

use bytes::Bytes;
use finback_proto::{Message, pb};

pub use finback_proto::pb::CompareType as CompareOperator;
pub use finback_proto::pb::bit_comparator::BitwiseOp;

const PACKAGE: &str = "org.apache.hadoop.hbase.filter.";
/// Java's `Pattern.DOTALL`, HBase's default.
const DOTALL: i32 = 32;
/// Java's `Pattern.CASE_INSENSITIVE`.
const CASE_INSENSITIVE: i32 = 2;

/// A comparator of HBase's, with what it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparator {
    class: String,
    message: Bytes,
}

fn of<M: Message>(simple: &str, message: &M) -> Comparator {
    Comparator { class: format!("{PACKAGE}{simple}"), message: message.encode_to_vec().into() }
}

fn comparable(value: &[u8]) -> pb::ByteArrayComparable {
    pb::ByteArrayComparable { value: Some(Bytes::copy_from_slice(value)) }
}

impl Comparator {
    /// Compares byte by byte.
    pub fn binary(value: impl AsRef<[u8]>) -> Self {
        of("BinaryComparator", &pb::BinaryComparator { comparable: comparable(value.as_ref()) })
    }

    /// Compares with as many bytes of the front.
    pub fn binary_prefix(prefix: impl AsRef<[u8]>) -> Self {
        of("BinaryPrefixComparator", &pb::BinaryPrefixComparator { comparable: comparable(prefix.as_ref()) })
    }

    /// Compares with as many bytes from an offset on.
    pub fn binary_component(value: impl AsRef<[u8]>, offset: u32) -> Self {
        let value = Bytes::copy_from_slice(value.as_ref());
        of("BinaryComponentComparator", &pb::BinaryComponentComparator { value, offset })
    }

    /// Compares eight-byte numbers.
    pub fn long(value: i64) -> Self {
        of("LongComparator", &pb::LongComparator { comparable: comparable(&value.to_be_bytes()) })
    }

    /// Equal if any bit is left of the bitwise operation, of values of the same length.
    pub fn bits(value: impl AsRef<[u8]>, operation: BitwiseOp) -> Self {
        let comparable = comparable(value.as_ref());
        of("BitComparator", &pb::BitComparator { comparable, bitwise_op: operation.into() })
    }

    /// Equal to nothing that is there.
    pub fn null() -> Self {
        of("NullComparator", &pb::NullComparator {})
    }

    /// Equal if the text is contained, whatever its case.
    pub fn substring(text: &str) -> Self {
        of("SubstringComparator", &pb::SubstringComparator { substr: text.to_lowercase() })
    }

    /// Equal if Java's regular expression matches somewhere.
    pub fn regex(pattern: &str) -> Self {
        Self::regex_with_flags(pattern, DOTALL)
    }

    /// The same, whatever the case.
    pub fn regex_ignoring_case(pattern: &str) -> Self {
        Self::regex_with_flags(pattern, DOTALL | CASE_INSENSITIVE)
    }

    /// The same, with the flags of `java.util.regex.Pattern`.
    pub fn regex_with_flags(pattern: &str, flags: i32) -> Self {
        of(
            "RegexStringComparator",
            &pb::RegexStringComparator {
                pattern: pattern.to_owned(),
                pattern_flags: flags,
                charset: "UTF-8".to_owned(),
                engine: Some("JAVA".to_owned()),
            },
        )
    }

    /// A comparator of that class, with that message: one that the server has and this crate does not know.
    pub fn custom(class: impl Into<String>, message: impl Into<Bytes>) -> Self {
        Self { class: class.into(), message: message.into() }
    }

    /// Whether it only knows equal and not equal.
    pub(crate) fn only_matches(&self) -> bool {
        self.class.ends_with(".RegexStringComparator") || self.class.ends_with(".SubstringComparator")
    }
}

impl From<&Comparator> for pb::Comparator {
    fn from(comparator: &Comparator) -> Self {
        Self { name: comparator.class.clone(), serialized_comparator: Some(comparator.message.clone()) }
    }
}
