//! Keys and fields of YCSB's records.

use crate::random::Random;

/// YCSB's FNV-1a of the eight bytes of a number, the lowest first, without its sign.
pub(crate) fn fnv_hash(number: u64) -> u64 {
    const OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
    const PRIME: u64 = 1_099_511_628_211;
    let hash =
        number.to_le_bytes().iter().fold(OFFSET, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    (hash as i64).unsigned_abs()
}

/// The key of a record, behind what is in `key` already.
pub(crate) fn key(key: &mut Vec<u8>, number: u64, ordered: bool, zero_padding: usize) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = if ordered { number } else { fnv_hash(number) };
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let digits = &digits[at..];
    key.extend_from_slice(b"user");
    key.resize(key.len() + zero_padding.saturating_sub(digits.len()), b'0');
    key.extend_from_slice(digits);
}

/// The fields of a record: their names, and how values are made.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    pub(crate) names: Vec<String>,
    /// Whether a value follows from key and field, so that it can be verified.
    pub(crate) verifiable: bool,
}

impl Fields {
    /// Makes a value of this length.
    pub(crate) fn fill(
        &self,
        value: &mut Vec<u8>,
        key: &[u8],
        field: &str,
        length: usize,
        random: &mut Random,
    ) {
        value.clear();
        if self.verifiable {
            verifiable(value, key, field, length);
        } else {
            printable(value, length, random);
        }
    }

    /// Whether this is what was written: the length may be any that was asked for.
    pub(crate) fn is_right(&self, value: &[u8], key: &[u8], field: &str) -> bool {
        let mut wanted = Vec::with_capacity(value.len());
        verifiable(&mut wanted, key, field, value.len());
        wanted == value
    }
}

/// YCSB's `buildDeterministicValue`: key and field, and over and over the hash of what is there so far.
fn verifiable(value: &mut Vec<u8>, key: &[u8], field: &str, length: usize) {
    use std::io::Write;
    value.extend_from_slice(key);
    value.push(b':');
    value.extend_from_slice(field.as_bytes());
    // Java's String.hashCode, which goes on where it was: all is ASCII.
    let (mut hash, mut hashed) = (0i32, 0);
    while value.len() < length {
        value.push(b':');
        hash =
            value[hashed..].iter().fold(hash, |hash, &byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        hashed = value.len();
        // Writing to a vector does not fail.
        let _ = write!(value, "{hash}");
    }
    value.truncate(length);
}

/// Bytes from space to beyond the letters, as YCSB's `RandomByteIterator` makes them: six of a random number of 30 bits.
fn printable(value: &mut Vec<u8>, length: usize, random: &mut Random) {
    value.resize(length, 0);
    for group in value.chunks_mut(6) {
        let bits = (random.next() >> 32) as u32;
        // Masks and shifts of YCSB, which give letters, digits and signs their chances.
        let bytes = [
            (bits & 31) + 32,
            ((bits >> 5) & 63) + 32,
            ((bits >> 10) & 95) + 32,
            ((bits >> 15) & 31) + 32,
            ((bits >> 20) & 63) + 32,
            ((bits >> 25) & 95) + 32,
        ];
        for (slot, byte) in group.iter_mut().zip(bytes) {
            *slot = byte as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_ycsb() {
        let of = |number, ordered, padding| {
            let mut text = Vec::new();
            key(&mut text, number, ordered, padding);
            String::from_utf8(text).unwrap()
        };
        // The first keys of every load of YCSB's.
        assert_eq!(of(0, false, 1), "user6284781860667377211");
        assert_eq!(of(1, false, 1), "user8517097267634966620");
        assert_eq!(of(0, true, 1), "user0");
        assert_eq!(of(42, true, 8), "user00000042");
    }

    #[test]
    fn values_can_be_verified() {
        let fields = Fields { names: vec!["field0".to_owned()], verifiable: true };
        let (mut value, mut random) = (Vec::new(), Random::of_client(1, 1));
        fields.fill(&mut value, b"user1", "field0", 40, &mut random);
        // As Java prints it.
        assert_eq!(std::str::from_utf8(&value), Ok("user1:field0:-1268391216:957204686:-1707"));
        assert!(fields.is_right(&value, b"user1", "field0"));
        assert!(!fields.is_right(&value, b"user2", "field0"));
        value[39] ^= 1;
        assert!(!fields.is_right(&value, b"user1", "field0"));
        fields.fill(&mut value, b"user1", "field0", 3, &mut random);
        assert_eq!(value, b"use");
    }

    #[test]
    fn other_values_are_printable() {
        let (mut value, mut random) = (Vec::new(), Random::of_client(1, 1));
        printable(&mut value, 1000, &mut random);
        assert!(value.len() == 1000 && value.iter().all(|byte| (32..128).contains(byte)));
    }
}
