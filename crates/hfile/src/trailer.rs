//! The trailer: the last 4096 bytes of a file.
//!
//! ```text
//! ┌──────────┬────────┬──────────────────┬────────────┬─────────────────────┐
//! │ TRABLK"$ │ varint │ FileTrailerProto │ zeros …    │ version 03 00 00 03 │
//! │ 8        │ length │                  │ up to 4092 │ 4                   │
//! └──────────┴────────┴──────────────────┴────────────┴─────────────────────┘
//! ```
//! Version: the minor one in a byte, the major one in three. HBase 1 writes minor version 0: nothing is otherwise in the file.

use finback_cell::CellOrder;
use finback_compression::Compression;
use finback_proto::{Message, delimited, pb};

/// Bytes of the trailer.
pub(crate) const TRAILER_SIZE: usize = 4096;
const MAGIC: &[u8; 8] = b"TRABLK\"$";
/// The major version that is read and written.
const MAJOR_VERSION: u32 = 3;
/// The minor version that is written. Files of earlier ones are the same; HBase 2 does not look at it.
const MINOR_VERSION: u8 = 3;
/// The major version before, with a shorter trailer.
const OLD_MAJOR_VERSION: u32 = 2;
const OLD_TRAILER_SIZE: usize = 212;
const VERSION_SIZE: usize = 4;
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
    Corrupt(&'static str, String),
    /// What a sound file may have; or a damaged trailer, which has no checksum.
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

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&self.fields.encode_length_delimited_to_vec());
        out.resize(TRAILER_SIZE - VERSION_SIZE, 0);
        out.extend_from_slice(&(u32::from(self.minor_version) << 24 | MAJOR_VERSION).to_be_bytes());
        out
    }

    /// Of the last bytes of a file, as many as a trailer has, or all that there are.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, BadTrailer> {
        let corrupt = |expected, found: String| Err(BadTrailer::Corrupt(expected, found));
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
