//! The head of a log file.
//!
//! ```text
//! ┌────────┬─────────────────┬───────────┐
//! │ "PWAL" │ varint length   │ WALHeader │
//! └────────┴─────────────────┴───────────┘
//! ```
//!
//! Ours has one field more than HBase's, which HBase skips: field 15, "finback". It says that all entries have checksums
//! ([`crate::integrity`]), whatever a crash leaves of the first ones.

use finback_compression::Compression;

use crate::WalCompression;
use crate::integrity;
use crate::varint::{FieldValue, Fields, get_varint, put_bytes, put_uint, put_varint};

pub(crate) const MAGIC: &[u8] = b"PWAL";
const HAS_COMPRESSION: u64 = 1;
const ENCRYPTION_KEY: u64 = 2;
const HAS_TAG_COMPRESSION: u64 = 3;
const WRITER_CLASS: u64 = 4;
const CODEC_CLASS: u64 = 5;
const HAS_VALUE_COMPRESSION: u64 = 6;
const VALUE_COMPRESSION_ALGORITHM: u64 = 7;

const WRITER: &[u8] = b"ProtobufLogWriter";
const ASYNC_WRITER: &[u8] = b"AsyncProtobufLogWriter";
const CODEC: &[u8] = b"org.apache.hadoop.hbase.regionserver.wal.WALCellCodec";

/// A header names classes and a wrapped key: what is longer is not a header.
const MAX_HEADER_BYTES: u64 = 64 << 10;
/// Of those that name the classes of HBase and a codec, and no key, the longest is shorter.
const LONGEST_MESSAGE_BYTES: usize = 128;
/// Enough to find the header's length.
const MAX_PREFIX_BYTES: usize = 4 + 10;

/// The header of a file of ours.
pub(crate) fn encoded(compression: Option<WalCompression>) -> Vec<u8> {
    let mut message = message_of_hbase(compression);
    put_bytes(&mut message, integrity::MARK, integrity::NAME);
    around(&message)
}

/// A header with this message.
fn around(message: &[u8]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    put_varint(&mut out, message.len() as u64);
    out.extend_from_slice(message);
    out
}

/// The bytes that HBase writes.
fn message_of_hbase(compression: Option<WalCompression>) -> Vec<u8> {
    let values = compression.and_then(|compression| compression.values);
    let tags = compression.is_some_and(|compression| compression.tags);
    let mut message = Vec::new();
    put_uint(&mut message, HAS_COMPRESSION, compression.is_some().into());
    put_uint(&mut message, HAS_TAG_COMPRESSION, tags.into());
    put_bytes(&mut message, WRITER_CLASS, WRITER);
    put_bytes(&mut message, CODEC_CLASS, CODEC);
    put_uint(&mut message, HAS_VALUE_COMPRESSION, values.is_some().into());
    if let Some(codec) = values {
        put_uint(&mut message, VALUE_COMPRESSION_ALGORITHM, codec.code().into());
    }
    message
}

/// Every way in which a file of ours can be compressed.
fn all_compressions() -> impl Iterator<Item = Option<WalCompression>> {
    let codecs =
        [Compression::None, Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];
    let values = codecs.map(Some).into_iter().chain([None]);
    let compressed =
        values.flat_map(|values| [false, true].map(|tags| Some(WalCompression { tags, values })));
    compressed.chain([None])
}

/// What the first bytes of a file say.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Header {
    /// Entries begin at the offset `end`. `is_guarded`: all of them have checksums; if not, they may have.
    Readable { end: u64, compression: Option<WalCompression>, is_guarded: bool },
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
            // A length that lies would have entries pass for the rest of a header.
            None if bytes.len() - start > LONGEST_MESSAGE_BYTES => {
                Header::Invalid { reason: "the header is longer than any that is known" }
            }
            None => Header::Unfinished,
        }
    }

    fn of_message(message: &[u8], end: u64) -> Self {
        let (mut dictionaries, mut tags, mut values, mut codec) = (false, false, false, 0);
        let mut is_guarded = false;
        for field in Fields::of(message) {
            let Some(field) = field else {
                return Header::Invalid { reason: "the header is not a protobuf message" };
            };
            let unsupported = match (field.number, field.value) {
                (HAS_COMPRESSION, FieldValue::Varint(on)) => {
                    dictionaries = on != 0;
                    continue;
                }
                (HAS_TAG_COMPRESSION, FieldValue::Varint(on)) => {
                    tags = on != 0;
                    continue;
                }
                (HAS_VALUE_COMPRESSION, FieldValue::Varint(on)) => {
                    values = on != 0;
                    continue;
                }
                (VALUE_COMPRESSION_ALGORITHM, FieldValue::Varint(code)) => {
                    codec = u32::try_from(code).unwrap_or(u32::MAX);
                    continue;
                }
                (integrity::MARK, FieldValue::Bytes(integrity::NAME)) => {
                    is_guarded = true;
                    continue;
                }
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
        if !dictionaries {
            // HBase looks at the others only if this is set.
            return Header::Readable { end, compression: None, is_guarded };
        }
        let values = match (values, Compression::from_code(codec)) {
            (false, _) => None,
            (true, Ok(codec)) => Some(codec),
            (true, Err(name)) => return Header::Unsupported { feature: format!("value compression {name}") },
        };
        Header::Readable { end, compression: Some(WalCompression { tags, values }), is_guarded }
    }
}

/// A crash while the header was written may leave a part of it, then zeros up to the file's length; or, before there was
/// more in the file, zeros in its midst: disks write in any order. Headers were HBase's once.
fn is_torn_header_of_ours(bytes: &[u8]) -> bool {
    let of_hbase = all_compressions().map(|compression| around(&message_of_hbase(compression)));
    all_compressions().map(encoded).chain(of_hbase).any(|expected| {
        let same = bytes.iter().zip(&expected).take_while(|(a, b)| a == b).count();
        let is_part = same < expected.len() && bytes[same..].iter().all(|&b| b == 0);
        let is_lost_or_there = |(found, expected): (&u8, &u8)| found == expected || *found == 0;
        let has_holes = same < bytes.len()
            && bytes.len() <= expected.len()
            && bytes.iter().zip(&expected).all(is_lost_or_there);
        is_part || has_holes
    })
}

#[cfg(test)]
mod tests;
