//! Row keys in addresses: short ones as people write them, long ones in base64, for an address has at most 64 KiB.

use crate::model::Refused;
use finback_cell::{StringBinary, from_string_binary};

/// HBase's longest row, and the byte behind it with which the next rows begin.
const MAX_BYTES: usize = 32_767 + 1;
/// Characters of a key that is written as people do.
const MAX_WRITTEN: usize = 1024;
/// RFC 4648, section 5: no character of it has a meaning in an address.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Whether a key, as `Bytes.toStringBinary` has it, is too long to be written so.
pub(crate) fn is_long(key: &str) -> bool {
    key.len() > MAX_WRITTEN
}

/// The bytes of a key.
pub(crate) fn bytes(key: &str) -> Vec<u8> {
    from_string_binary(key.as_bytes())
}

/// The key of bytes.
pub(crate) fn text(bytes: &[u8]) -> String {
    StringBinary(bytes).to_string()
}

/// A key as somebody wrote it.
pub(crate) fn checked(name: &str, key: &str) -> Result<String, Refused> {
    if bytes(key).len() > MAX_BYTES {
        return Err(Refused::BadRequest(format!("{name} is longer than a row of HBase can be")));
    }
    Ok(key.to_owned())
}

/// The beginning of a key, where not all of it is shown.
pub(crate) fn beginning(key: &str) -> &str {
    // Three bytes that may be of a `\x00` are no reason to show half of it.
    let cut = key.get(..MAX_WRITTEN).unwrap_or(key);
    match cut.rfind('\\') {
        Some(at) if at + 4 > cut.len() => &cut[..at],
        _ => cut,
    }
}

/// Bytes in base64, without padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for digit in 0..=group.len() {
            text.push(char::from(ALPHABET[(bits >> (18 - 6 * digit) & 63) as usize]));
        }
    }
    text
}

/// The bytes of base64 without padding.
pub(crate) fn decode(name: &str, text: &str) -> Result<Vec<u8>, Refused> {
    let wrong = |why| Refused::BadRequest(format!("{name} is {why}"));
    if text.len() > (MAX_BYTES * 4).div_ceil(3) {
        return Err(wrong("longer than a row of HBase can be"));
    }
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for group in text.as_bytes().chunks(4) {
        let mut bits = 0u32;
        for character in group {
            let digit = ALPHABET.iter().position(|known| known == character);
            bits = bits << 6 | digit.ok_or_else(|| wrong("no base64 of an address"))? as u32;
        }
        bits <<= 6 * (4 - group.len());
        // One character alone is no byte.
        let whole = group.len().checked_sub(1).filter(|whole| *whole > 0);
        let [_, of_group @ ..] = bits.to_be_bytes();
        bytes.extend(&of_group[..whole.ok_or_else(|| wrong("no base64 of an address"))?]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        // Section 10, without padding.
        for (plain, encoded) in [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(plain.as_bytes()), encoded);
            assert_eq!(decode("k", encoded).unwrap(), plain.as_bytes());
        }
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn what_is_no_base64_or_too_long_is_refused() {
        for text in ["Z", "Zm9vY", "Zg==", "a+b/", "é", &"A".repeat(50_000)] {
            assert!(matches!(decode("k", text), Err(Refused::BadRequest(_))), "{text}");
        }
        assert!(checked("k", &"\\x00".repeat(MAX_BYTES)).is_ok());
        assert!(checked("k", &"\\x00".repeat(MAX_BYTES + 1)).is_err());
    }

    #[test]
    fn the_beginning_of_a_key_ends_between_two_bytes() {
        let key = format!("a{}", "\\xFF".repeat(1000));
        assert_eq!(beginning(&key), &key[..1 + 255 * 4]);
        assert_eq!(beginning("ab\\x00"), "ab\\x00");
    }
}
