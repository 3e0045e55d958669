//! The head of a log file.
//!
//! ```text
//! ┌────────┬─────────────────┬───────────┐
//! │ "PWAL" │ varint length   │ WALHeader │
//! └────────┴─────────────────┴───────────┘
//! ```

use crate::varint::{FieldValue, Fields, get_varint, put_bytes, put_uint, put_varint};

pub(crate) const MAGIC: &[u8] = b"PWAL";
const HAS_COMPRESSION: u64 = 1;
const ENCRYPTION_KEY: u64 = 2;
const HAS_TAG_COMPRESSION: u64 = 3;
const WRITER_CLASS: u64 = 4;
const CODEC_CLASS: u64 = 5;
const HAS_VALUE_COMPRESSION: u64 = 6;

const WRITER: &[u8] = b"ProtobufLogWriter";
const ASYNC_WRITER: &[u8] = b"AsyncProtobufLogWriter";
const CODEC: &[u8] = b"org.apache.hadoop.hbase.regionserver.wal.WALCellCodec";

/// A header names classes and a wrapped key: what is longer is not a header.
const MAX_HEADER_BYTES: u64 = 64 << 10;
/// Enough to find the header's length.
const MAX_PREFIX_BYTES: usize = 4 + 10;

/// The header that every file of ours begins with: always the same bytes, those that HBase writes.
pub(crate) fn encoded() -> Vec<u8> {
    let mut message = Vec::new();
    put_uint(&mut message, HAS_COMPRESSION, 0);
    put_uint(&mut message, HAS_TAG_COMPRESSION, 0);
    put_bytes(&mut message, WRITER_CLASS, WRITER);
    put_bytes(&mut message, CODEC_CLASS, CODEC);
    put_uint(&mut message, HAS_VALUE_COMPRESSION, 0);
    let mut out = MAGIC.to_vec();
    put_varint(&mut out, message.len() as u64);
    out.extend_from_slice(&message);
    out
}

/// What the first bytes of a file say.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Header {
    /// Entries begin at this offset.
    Readable { end: u64 },
    /// The file ends inside its header: nothing was ever written behind it.
    Unfinished,
    /// Valid, but uses what cannot be read yet.
    Unsupported { feature: String },
    /// Not a log.
    Invalid { reason: &'static str },
}

impl Header {
    /// How many bytes of a file [`parse`](Self::parse) wants to see at most.
    pub(crate) const READ_BYTES: usize = MAX_HEADER_BYTES as usize + MAX_PREFIX_BYTES;

    /// `bytes`: the first [`READ_BYTES`](Self::READ_BYTES) of the file, or all if it is shorter.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        if is_torn_header_of_ours(bytes) {
            return Header::Unfinished;
        }
        if !bytes.starts_with(MAGIC) {
            if MAGIC.starts_with(bytes) {
                return Header::Unfinished;
            }
            return Header::Invalid { reason: "expected the magic PWAL" };
        }
        let Some((len, n)) = get_varint(&bytes[MAGIC.len()..]) else {
            if bytes.len() < MAX_PREFIX_BYTES {
                return Header::Unfinished;
            }
            return Header::Invalid { reason: "the header's length is not a varint" };
        };
        if len > MAX_HEADER_BYTES {
            return Header::Invalid { reason: "the header is longer than 64 KiB" };
        }
        let start = MAGIC.len() + n;
        let end = start + len as usize;
        match bytes.get(start..end) {
            Some(message) => Self::of_message(message, end as u64),
            None => Header::Unfinished,
        }
    }

    fn of_message(message: &[u8], end: u64) -> Self {
        for field in Fields::of(message) {
            let Some(field) = field else {
                return Header::Invalid { reason: "the header is not a protobuf message" };
            };
            let unsupported = match (field.number, field.value) {
                (HAS_COMPRESSION, FieldValue::Varint(1..)) => "dictionary compression".to_owned(),
                (HAS_VALUE_COMPRESSION, FieldValue::Varint(1..)) => "value compression".to_owned(),
                (ENCRYPTION_KEY, FieldValue::Bytes(_)) => "encryption".to_owned(),
                (WRITER_CLASS, FieldValue::Bytes(name)) if name != WRITER && name != ASYNC_WRITER => {
                    format!("the log writer {}", name.escape_ascii())
                }
                (CODEC_CLASS, FieldValue::Bytes(name)) if name != CODEC => {
                    format!("the cell codec {}", name.escape_ascii())
                }
                _ => continue,
            };
            return Header::Unsupported { feature: unsupported };
        }
        Header::Readable { end }
    }
}

/// A crash while the header was written may leave a part of it, then zeros up to the file's length.
fn is_torn_header_of_ours(bytes: &[u8]) -> bool {
    let expected = encoded();
    let same = bytes.iter().zip(&expected).take_while(|(a, b)| a == b).count();
    same < expected.len() && bytes[same..].iter().all(|&b| b == 0)
}

#[cfg(test)]
mod tests;
