//! The end of a log that was closed.
//!
//! ```text
//! ┌────────────┬───────────────┬────────┐
//! │ WALTrailer │ i32 its bytes │ "LAWP" │
//! └────────────┴───────────────┴────────┘
//!  WALTrailer of HBase: empty. Ours: one field that HBase does not know and skips,
//! ┌────┬────┬────────────┬─────────────┐
//! │ 7a │ 0c │ u32 crc32c │ u64 entries │     field 15; the checksum covers the trailer's offset and the count
//! └────┴────┴────────────┴─────────────┘
//! ```
//! The mark proves that the trailer is one: a torn tail may end in a value whose last bytes look like a trailer.

use crc_fast::{CrcAlgorithm, Digest};

use crate::varint::{FieldValue, Fields, put_bytes};

const MAGIC: &[u8; 4] = b"LAWP";
/// HBase's trailer: no message.
const OF_HBASE: &[u8] = b"\0\0\0\0LAWP";
const MARK: u64 = 15;
/// Length and magic.
pub(crate) const FIXED_BYTES: u64 = 8;
/// HBase's message is empty and ours small: what is longer is not a trailer.
const MAX_MESSAGE_BYTES: u32 = 1024;

fn checksum(offset: u64, entries: u64) -> u32 {
    let mut digest = Digest::new(CrcAlgorithm::Crc32Iscsi);
    digest.update(&offset.to_be_bytes());
    digest.update(&entries.to_be_bytes());
    digest.finalize() as u32
}

/// The trailer of a file whose entries end at `offset`.
pub(crate) fn encoded(offset: u64, entries: u64) -> Vec<u8> {
    let mut mark = checksum(offset, entries).to_be_bytes().to_vec();
    mark.extend(entries.to_be_bytes());
    let mut out = Vec::new();
    put_bytes(&mut out, MARK, &mark);
    let len = out.len() as u32;
    out.extend(len.to_be_bytes());
    out.extend(MAGIC);
    out
}

/// Whether the last bytes of a file are the beginning of HBase's trailer: it was cut off.
pub(crate) fn is_cut_off(rest: &[u8]) -> bool {
    rest.len() < OF_HBASE.len() && OF_HBASE.starts_with(rest)
}

/// How many bytes before the last eight belong to the trailer; `None` if these are not its end.
pub(crate) fn message_len(last: [u8; 8]) -> Option<u32> {
    let [a, b, c, d, magic @ ..] = last;
    let len = u32::from_be_bytes([a, b, c, d]);
    (magic == *MAGIC && len <= MAX_MESSAGE_BYTES).then_some(len)
}

/// The number of entries, if the message carries our mark for this offset.
pub(crate) fn marked_entries(message: &[u8], offset: u64) -> Option<u64> {
    let field = Fields::of(message).flatten().find(|f| f.number == MARK)?;
    let FieldValue::Bytes(mark) = field.value else { return None };
    let (crc, entries) = mark.split_first_chunk::<4>()?;
    let entries = u64::from_be_bytes(entries.try_into().ok()?);
    (u32::from_be_bytes(*crc) == checksum(offset, entries)).then_some(entries)
}
