//! What an entry says about itself: a field of the key that HBase does not know, skips, and leaves out of its copies.
//!
//! ```text
//!  field 15 of WALKey, always the last 25 bytes of the key
//! ┌────┬────┬───────────┬────────────┬────────────────────┬────────────────┐
//! │ 7a │ 17 │ "finback" │ u32 crc32c │ u64 durable offset │ u32 cell bytes │
//! └────┴────┴───────────┴────────────┴────────────────────┴────────────────┘
//! ```
//!
//! The checksum covers the entry's own offset in the file (u64), the key with the four checksum bytes zero, and the
//! cells, both as they stand in the file: compressed, if they are. With the offset in it, an entry that somebody stored
//! *inside a value* does not pass for one of the log. The durable offset is how much of the file was known to be on disk
//! when the entry was written. The length of the cells tells where the entry ends without reading them, which in a
//! compressed log takes all entries before. Big endian.

use crc_fast::{CrcAlgorithm, Digest};

/// The number of the field.
pub(crate) const MARK: u64 = 15;
/// What it begins with; in the header of a log: that all entries have one.
pub(crate) const NAME: &[u8] = b"finback";
/// The mark up to its value.
pub(crate) const PREFIX: &[u8] = b"\x7a\x17finback";
/// Checksum, durable offset and length of the cells.
pub(crate) const VALUE_BYTES: usize = 4 + 8 + 4;
/// The mark's size in the key.
pub(crate) const MARK_BYTES: usize = PREFIX.len() + VALUE_BYTES;

/// What the mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Integrity {
    pub(crate) crc: u32,
    pub(crate) durable_offset: u64,
    pub(crate) cell_bytes: u32,
}

impl Integrity {
    /// The mark at the end of a key, if there.
    pub(crate) fn of_key(key: &[u8]) -> Option<Self> {
        let (rest, value) = key.split_last_chunk::<VALUE_BYTES>()?;
        rest.ends_with(PREFIX).then(|| Self::of_value(value))
    }

    pub(crate) fn of_value(value: &[u8; VALUE_BYTES]) -> Self {
        let &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = value;
        Integrity {
            crc: u32::from_be_bytes([a, b, c, d]),
            durable_offset: u64::from_be_bytes([e, f, g, h, i, j, k, l]),
            cell_bytes: u32::from_be_bytes([m, n, o, p]),
        }
    }
}

/// Appends the mark with a checksum of zero, to be set by [`seal`].
pub(crate) fn put_unsealed(key: &mut Vec<u8>, durable_offset: u64, cell_bytes: u32) {
    key.extend_from_slice(PREFIX);
    key.extend_from_slice(&[0; 4]);
    key.extend_from_slice(&durable_offset.to_be_bytes());
    key.extend_from_slice(&cell_bytes.to_be_bytes());
}

/// Puts the checksum into a key that ends with an unsealed mark.
pub(crate) fn seal(key: &mut [u8], cells: &[u8], offset: u64) {
    let crc = checksum(key, cells, offset);
    let at = key.len() - VALUE_BYTES;
    key[at..at + 4].copy_from_slice(&crc.to_be_bytes());
}

/// The checksum of an entry whose key ends with the mark.
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
