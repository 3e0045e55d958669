//! HBase's comparators, one a module.

pub mod big_decimal;
pub mod binary;
pub mod binary_component;
pub mod binary_prefix;
pub mod bit;
pub mod long;
pub mod null;
pub mod regex_string;
pub mod substring;

pub use big_decimal::BigDecimalComparator;
pub use binary::BinaryComparator;
pub use binary_component::BinaryComponentComparator;
pub use binary_prefix::BinaryPrefixComparator;
pub use bit::{BitComparator, BitwiseOp};
pub use long::LongComparator;
pub use null::NullComparator;
pub use regex_string::RegexStringComparator;
pub use substring::SubstringComparator;
