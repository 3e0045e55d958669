//! The trailer: the last 4096 bytes of a file.
//!
//! ```text
//! ┌──────────┬────────┬──────────────────┬────────────┬─────────────────────┐
//! │ TRABLK"$ │ varint │ FileTrailerProto │ zeros …    │ version 03 00 00 03 │
//! │ 8        │ length │                  │ up to 4092 │ 4                   │
//! └──────────┴────────┴──────────────────┴────────────┴─────────────────────┘
//! ```
//! Version: the minor one in a byte, the major one in three. HBase 1 writes minor version 0: nothing is otherwise in the file.
//!
//! HBase's trailers have no checksum. Ours have one, in a field that HBase does not know, skips, and leaves out of its copies:
//!
//! ```text
//!  field 1006, always the first
//! ┌───────┬────┬───────────┬────────────┐
//! │ f2 3e │ 0b │ "finback" │ u32 crc32c │
//! └───────┴────┴───────────┴────────────┘
//! ```
//! The checksum covers all other bytes of the trailer, those of the mark and the zeros among them. The mark is looked for where
//! it must be, whatever the lengths say, and known with some bits flipped too: a damaged trailer does not pass for one of HBase.

use crc_fast::{CrcAlgorithm, Digest};
use finback_cell::CellOrder;
use finback_compression::Compression;
use finback_proto::{Message, delimited, pb};

/// Bytes of the trailer.
pub(crate) const TRAILER_SIZE: usize = 4096;
pub(crate) const MAGIC: &[u8; 8] = b"TRABLK\"$";
/// The field of the checksum up to that.
pub(crate) const MARK: &[u8] = b"\xf2\x3e\x0bfinback";
pub(crate) const CHECKSUM_SIZE: usize = 4;
/// As many bits of the mark may be flipped. What HBase's trailers have there differs in twice as many or more: their first
/// fields have other tags.
const MOST_FLIPPED_BITS: u32 = 4;
/// The major version that is read and written.
const MAJOR_VERSION: u32 = 3;
/// The minor version that is written. Files of earlier ones are the same; HBase 2 does not look at it.
const MINOR_VERSION: u8 = 3;
/// The major version before, with a shorter trailer.
const OLD_MAJOR_VERSION: u32 = 2;
const OLD_TRAILER_SIZE: usize = 212;
pub(crate) const VERSION_SIZE: usize = 4;
/// The deepest index that is read; HBase writes up to 16 levels.
const MAX_INDEX_LEVELS: u32 = 16;

const USER_COMPARATOR: &str = "org.apache.hadoop.hbase.KeyValue$KVComparator";
const META_COMPARATOR: &str = "org.apache.hadoop.hbase.KeyValue$MetaComparator";

/// What the trailer says.
#[derive(Clone, Debug, PartialEq)]
pub struct Trailer {
    /// The fields as stored.
    pub fields: pb::FileTrailerProto,
    /// Order of the cells.
    pub order: CellOrder,
    /// How all blocks are compressed.
    pub compression: Compression,
    /// Of HFile version 3: 0 of HBase 1, 3 of HBase 2.
    pub minor_version: u8,
}

/// Why a trailer was refused.
pub(crate) enum BadTrailer {
    /// Expected, found.
    Corrupt(String, String),
    /// What a sound file may have; or a damaged trailer without a checksum.
    Unsupported(String),
    /// Of an HFile of a version with another trailer, which is there.
    OfOldVersion,
}

/// Minor and major version.
fn version(trailer: &[u8]) -> Option<(u8, u32)> {
    let [minor, major @ ..] = *trailer.last_chunk::<VERSION_SIZE>()?;
    Some((minor, major.into_iter().fold(0, |all, byte| all << 8 | u32::from(byte))))
}

fn is_of_old_version(end: &[u8]) -> bool {
    let trailer = end.len().checked_sub(OLD_TRAILER_SIZE).map(|at| &end[at..]);
    version(end).is_some_and(|(_, major)| major == OLD_MAJOR_VERSION)
        && trailer.is_some_and(|trailer| trailer.starts_with(MAGIC))
}

/// Where the checksum is, if there is one: behind the mark, which is behind a length of one byte or two.
fn checksum_at(trailer: &[u8]) -> Option<usize> {
    let is_mark = |at: &usize| {
        let flipped = trailer.iter().skip(*at).zip(MARK).map(|(there, mark)| (there ^ mark).count_ones());
        flipped.sum::<u32>() <= MOST_FLIPPED_BITS
    };
    let behind_length = MAGIC.len() + 1;
    [behind_length, behind_length + 1].into_iter().find(is_mark).map(|at| at + MARK.len())
}

/// The checksum of a trailer that has it at `at`.
fn checksum(trailer: &[u8], at: usize) -> u32 {
    let mut digest = Digest::new(CrcAlgorithm::Crc32Iscsi);
    digest.update(&trailer[..at]);
    digest.update(&trailer[at + CHECKSUM_SIZE..]);
    digest.finalize() as u32
}

/// Compares the checksum, if there is one.
fn verify_checksum(trailer: &[u8]) -> Result<(), BadTrailer> {
    let Some(at) = checksum_at(trailer) else { return Ok(()) };
    let stored = trailer[at..].first_chunk::<CHECKSUM_SIZE>().map_or(0, |word| u32::from_be_bytes(*word));
    let computed = checksum(trailer, at);
    if stored == computed {
        return Ok(());
    }
    Err(BadTrailer::Corrupt(format!("checksum {stored:08x}"), format!("{computed:08x}")))
}

impl Trailer {
    /// The fields of a new file.
    pub(crate) fn new(order: CellOrder, compression: Compression) -> Self {
        let comparator = match order {
            CellOrder::User => USER_COMPARATOR,
            CellOrder::Meta => META_COMPARATOR,
        };
        let fields = pb::FileTrailerProto {
            comparator_class_name: Some(comparator.to_owned()),
            compression_codec: Some(compression.code()),
            ..pb::FileTrailerProto::default()
        };
        Self { fields, order, compression, minor_version: MINOR_VERSION }
    }

    /// With a checksum.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let (mut out, fields_at) = self.encode_behind(&[MARK, &[0; CHECKSUM_SIZE][..]].concat());
        let at = fields_at - CHECKSUM_SIZE;
        let word = checksum(&out, at).to_be_bytes();
        out[at..fields_at].copy_from_slice(&word);
        out
    }

    /// As HBase writes it: without a checksum.
    pub(crate) fn encode_unmarked(&self) -> Vec<u8> {
        self.encode_behind(&[]).0
    }

    /// With `mark` before the fields that HBase knows; also where those begin.
    fn encode_behind(&self, mark: &[u8]) -> (Vec<u8>, usize) {
        let fields = self.fields.encode_to_vec();
        let mut out = Vec::with_capacity(TRAILER_SIZE);
        out.extend_from_slice(MAGIC);
        delimited::write_length(mark.len() + fields.len(), &mut out);
        out.extend_from_slice(mark);
        let fields_at = out.len();
        out.extend_from_slice(&fields);
        out.resize(TRAILER_SIZE - VERSION_SIZE, 0);
        out.extend_from_slice(&(u32::from(self.minor_version) << 24 | MAJOR_VERSION).to_be_bytes());
        (out, fields_at)
    }

    /// Of the last bytes of a file, as many as a trailer has, or all that there are.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, BadTrailer> {
        let corrupt = |expected: &str, found: String| Err(BadTrailer::Corrupt(expected.to_owned(), found));
        if is_of_old_version(bytes) {
            return Err(BadTrailer::OfOldVersion);
        }
        if bytes.len() < TRAILER_SIZE {
            return corrupt("at least the 4096 bytes of a trailer", format!("{} bytes", bytes.len()));
        }
        if bytes.len() != TRAILER_SIZE || !bytes.starts_with(MAGIC) {
            return corrupt(
                "the magic TRABLK\"$",
                bytes.get(..8).unwrap_or(bytes).escape_ascii().to_string(),
            );
        }
        verify_checksum(bytes)?;
        let minor_version = match version(bytes) {
            Some((minor @ ..=MINOR_VERSION, MAJOR_VERSION)) => minor,
            found => {
                let (minor, major) = found.unwrap_or_default();
                return Err(BadTrailer::Unsupported(format!("HFile version {major}.{minor}")));
            }
        };
        let mut rest = bytes::Bytes::copy_from_slice(&bytes[8..TRAILER_SIZE - VERSION_SIZE]);
        let fields: pb::FileTrailerProto = match delimited::decode_delimited(&mut rest, "FileTrailerProto") {
            Ok(fields) => fields,
            Err(error) => return corrupt("a FileTrailerProto", error.to_string()),
        };
        if rest.iter().any(|&byte| byte != 0) {
            return corrupt("zeros after the trailer's fields", "other bytes".into());
        }
        if fields.encryption_key.as_ref().is_some_and(|key| !key.is_empty()) {
            return Err(BadTrailer::Unsupported("encryption".into()));
        }
        let codec = fields.compression_codec.map_or(Ok(Compression::None), Compression::from_code);
        let compression = codec.map_err(|name| BadTrailer::Unsupported(format!("compression {name}")))?;
        if !(1..=MAX_INDEX_LEVELS).contains(&fields.num_data_index_levels()) {
            return corrupt("1 to 16 index levels", fields.num_data_index_levels().to_string());
        }
        let order = match fields.comparator_class_name() {
            USER_COMPARATOR
            | "org.apache.hadoop.hbase.CellComparator"
            | "org.apache.hadoop.hbase.CellComparatorImpl"
            | "org.apache.hadoop.hbase.KeyValue$KeyComparator" => CellOrder::User,
            META_COMPARATOR
            | "org.apache.hadoop.hbase.KeyValue$MetaKeyComparator"
            | "org.apache.hadoop.hbase.CellComparator$MetaCellComparator"
            | "org.apache.hadoop.hbase.CellComparatorImpl$MetaCellComparator"
            | "org.apache.hadoop.hbase.MetaCellComparator" => CellOrder::Meta,
            other => return Err(BadTrailer::Unsupported(format!("comparator {other}"))),
        };
        Ok(Self { fields, order, compression, minor_version })
    }
}

#[cfg(test)]
mod tests;
