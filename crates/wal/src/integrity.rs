//! What an entry says about itself: an extended attribute of the key, which HBase ignores.
//!
//! ```text
//!  field 12 of WALKey, always the last 25 bytes of the key
//! ┌────┬────┬────┬────┬───────────┬────┬────┬────────────┬────────────────────┐
//! │ 62 │ 17 │ 0a │ 07 │ "finback" │ 12 │ 0c │ u32 crc32c │ u64 durable offset │
//! └────┴────┴────┴────┴───────────┴────┴────┴────────────┴────────────────────┘
//! ```
//!
//! The checksum covers the entry's own offset in the file (u64), the key with the four checksum bytes zero, and the
//! cells. With the offset in it, an entry that somebody stored *inside a value* does not pass for one of the log.
//! The durable offset is how much of the file was known to be on disk when the entry was written. Big endian.

use crc_fast::{CrcAlgorithm, Digest};

/// The attribute up to its value.
pub(crate) const PREFIX: &[u8] = b"\x62\x17\x0a\x07finback\x12\x0c";
/// Checksum and durable offset.
pub(crate) const VALUE_BYTES: usize = 4 + 8;
/// The attribute's size in the key.
pub(crate) const ATTRIBUTE_BYTES: usize = PREFIX.len() + VALUE_BYTES;
/// The attribute's name.
pub(crate) const ATTRIBUTE_KEY: &[u8] = b"finback";

/// What the attribute says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Integrity {
    pub(crate) crc: u32,
    pub(crate) durable_offset: u64,
}

impl Integrity {
    /// The attribute at the end of a key, if there.
    pub(crate) fn of_key(key: &[u8]) -> Option<Self> {
        let (rest, value) = key.split_last_chunk::<VALUE_BYTES>()?;
        if !rest.ends_with(PREFIX) {
            return None;
        }
        let (crc, durable) = value.split_first_chunk::<4>()?;
        let durable: [u8; 8] = durable.try_into().ok()?;
        Some(Integrity { crc: u32::from_be_bytes(*crc), durable_offset: u64::from_be_bytes(durable) })
    }
}

/// Appends the attribute with a checksum of zero, to be set by [`seal`].
pub(crate) fn put_unsealed(key: &mut Vec<u8>, durable_offset: u64) {
    key.extend_from_slice(PREFIX);
    key.extend_from_slice(&[0; 4]);
    key.extend_from_slice(&durable_offset.to_be_bytes());
}

/// Puts the checksum into a key that ends with an unsealed attribute.
pub(crate) fn seal(key: &mut [u8], cells: &[u8], offset: u64) {
    let crc = checksum(key, cells, offset);
    let at = key.len() - VALUE_BYTES;
    key[at..at + 4].copy_from_slice(&crc.to_be_bytes());
}

/// The checksum of an entry whose key ends with the attribute.
pub(crate) fn checksum(key: &[u8], cells: &[u8], offset: u64) -> u32 {
    let (head, value) = key.split_at(key.len().saturating_sub(VALUE_BYTES));
    let mut digest = Digest::new(CrcAlgorithm::Crc32Iscsi);
    digest.update(&offset.to_be_bytes());
    digest.update(head);
    digest.update(&[0; 4]);
    digest.update(value.get(4..).unwrap_or_default());
    digest.update(cells);
    digest.finalize() as u32
}
