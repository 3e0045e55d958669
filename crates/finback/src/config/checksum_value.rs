//! Kinds of values that only settings of checksums have.

use super::quantity::{ByteCount, bytes};
use super::setting::TomlForm;
use super::value::Kind;
use finback_region::{ChecksumConfig, ChecksumType};

/// HBase's name of a kind of checksums.
pub struct Checksum;

impl Kind for Checksum {
    type Value = ChecksumType;
    const UNIT: &'static str = "algorithm";
    const EXPECTED: &'static str = "CRC32C, CRC32 or NULL";
    const FORM: TomlForm = TomlForm::Text;

    fn parse(text: &str) -> Option<ChecksumType> {
        text.parse().ok()
    }
}

/// Bytes that have one checksum.
pub struct BytesPerChecksum;

impl Kind for BytesPerChecksum {
    type Value = usize;
    const UNIT: &'static str = "bytes";
    const EXPECTED: &'static str =
        "a number of bytes from 33, which the header of a block has, to 1048576 (1m)";
    const FORM: TomlForm = TomlForm::TextOrInteger;

    fn canonical(text: &str) -> String {
        ByteCount::canonical(text)
    }

    fn parse(text: &str) -> Option<usize> {
        let bytes = usize::try_from(bytes(text)?).ok()?;
        ChecksumConfig::BYTES_PER_CHECKSUM.contains(&bytes).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_have_the_names_that_hbase_gives_them() {
        for known in [ChecksumType::Null, ChecksumType::Crc32, ChecksumType::Crc32c] {
            assert_eq!(Checksum::parse(known.name()), Some(known));
        }
        assert!(
            ["", "crc32c", "CRC-32C", "CRC64", "NONE"].iter().all(|text| Checksum::parse(text).is_none())
        );
    }

    #[test]
    fn a_checksum_is_of_a_header_at_least_and_of_a_mebibyte_at_most() {
        for (text, bytes) in [("33", 33), ("16384", 16 << 10), ("64k", 64 << 10), ("1m", 1 << 20)] {
            assert_eq!(BytesPerChecksum::parse(text), Some(bytes), "{text}");
        }
        let refused =
            ["", "0", "-1", "32", "1048577", "2147483647", "2147483648", "16777215t", "99999999999999999999"];
        assert!(refused.iter().all(|text| BytesPerChecksum::parse(text).is_none()));
    }
}
