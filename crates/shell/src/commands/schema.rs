//! Tables and families out of the hashes of `create` and `alter`.

use crate::arguments::Options;
use crate::error::{Result, ShellError};
use crate::format::{parse_bytes, parse_ttl};
use crate::value::Value;
use finback_client::{ColumnFamilyDescriptor, TableDescriptor};

/// What a value of an attribute has to be.
enum Kind {
    Text,
    /// In capital letters.
    Word,
    /// The same, and one of these.
    OneOf(&'static [&'static str]),
    Bool,
    Int,
    Bytes,
    Seconds,
}

/// Those of HBase, whether or not a server has their libraries.
const COMPRESSIONS: &[&str] = &["NONE", "GZ", "SNAPPY", "LZ4", "ZSTD", "LZO", "BZIP2", "LZMA", "BROTLI"];

const FAMILY: &[(&str, Kind)] = &[
    ("BLOCKCACHE", Kind::Bool),
    ("REPLICATION_SCOPE", Kind::Int),
    ("CACHE_DATA_ON_WRITE", Kind::Bool),
    ("CACHE_INDEX_ON_WRITE", Kind::Bool),
    ("CACHE_BLOOMS_ON_WRITE", Kind::Bool),
    ("EVICT_BLOCKS_ON_CLOSE", Kind::Bool),
    ("IN_MEMORY", Kind::Bool),
    ("IN_MEMORY_COMPACTION", Kind::OneOf(&["NONE", "BASIC", "EAGER", "ADAPTIVE"])),
    ("TTL", Kind::Seconds),
    ("DATA_BLOCK_ENCODING", Kind::OneOf(&["NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"])),
    ("INDEX_BLOCK_ENCODING", Kind::Word),
    ("BLOCKSIZE", Kind::Bytes),
    ("VERSIONS", Kind::Int),
    ("MIN_VERSIONS", Kind::Int),
    ("KEEP_DELETED_CELLS", Kind::OneOf(&["FALSE", "TRUE", "TTL"])),
    ("COMPRESS_TAGS", Kind::Bool),
    ("PREFETCH_BLOCKS_ON_OPEN", Kind::Bool),
    ("IS_MOB", Kind::Bool),
    ("MOB_THRESHOLD", Kind::Int),
    ("NEW_VERSION_BEHAVIOR", Kind::Bool),
    ("BLOOMFILTER", Kind::OneOf(&["NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"])),
    ("COMPRESSION", Kind::OneOf(COMPRESSIONS)),
    ("COMPRESSION_COMPACT", Kind::OneOf(COMPRESSIONS)),
    ("COMPRESSION_COMPACT_MAJOR", Kind::OneOf(COMPRESSIONS)),
    ("COMPRESSION_COMPACT_MINOR", Kind::OneOf(COMPRESSIONS)),
    ("STORAGE_POLICY", Kind::Word),
    ("MOB_COMPACT_PARTITION_POLICY", Kind::OneOf(&["DAILY", "WEEKLY", "MONTHLY"])),
    ("DFS_REPLICATION", Kind::Int),
];

const TABLE: &[(&str, Kind)] = &[
    ("OWNER", Kind::Text),
    ("MAX_FILESIZE", Kind::Bytes),
    ("READONLY", Kind::Bool),
    ("COMPACTION_ENABLED", Kind::Bool),
    ("SPLIT_ENABLED", Kind::Bool),
    ("MERGE_ENABLED", Kind::Bool),
    ("NORMALIZATION_ENABLED", Kind::Bool),
    ("NORMALIZER_TARGET_REGION_COUNT", Kind::Int),
    ("NORMALIZER_TARGET_REGION_SIZE", Kind::Int),
    ("MEMSTORE_FLUSHSIZE", Kind::Bytes),
    ("DURABILITY", Kind::OneOf(&["USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL", "SYNC_WAL", "FSYNC_WAL"])),
    ("PRIORITY", Kind::Int),
    ("FLUSH_POLICY", Kind::Text),
    ("REGION_MEMSTORE_REPLICATION", Kind::Bool),
    ("SPLIT_POLICY", Kind::Text),
    ("REGION_REPLICATION", Kind::Int),
    ("ERASURE_CODING_POLICY", Kind::Word),
];

/// An attribute as it is stored.
fn stored(name: &str, kind: &Kind, value: &Value) -> Result<String> {
    let text = value.to_text();
    let wrong = |wanted: &str| ShellError::argument(format!("{name} must be {wanted}: {value}"));
    match kind {
        Kind::Text => Ok(text),
        Kind::Word => Ok(text.to_uppercase()),
        Kind::OneOf(known) => match known.iter().find(|known| text.eq_ignore_ascii_case(known)) {
            Some(known) => Ok((*known).to_owned()),
            None => Err(wrong(&format!("one of {}", known.join(", ")))),
        },
        Kind::Bool => Ok(text.eq_ignore_ascii_case("true").to_string()),
        Kind::Int => text.trim().parse::<i64>().map(|value| value.to_string()).map_err(|_| wrong("a number")),
        Kind::Bytes => {
            parse_bytes(&text).map(|value| value.to_string()).ok_or_else(|| wrong("a number of bytes"))
        }
        Kind::Seconds => {
            parse_ttl(&text).map(|value| value.to_string()).ok_or_else(|| wrong("a number of seconds"))
        }
    }
}

/// The names under which a table keeps what the shell calls otherwise.
fn stored_name(name: &str) -> &str {
    match name {
        "NORMALIZER_TARGET_REGION_SIZE" => "NORMALIZER_TARGET_REGION_SIZE_MB",
        other => other,
    }
}

/// A family as it is written, on top of that of its name which `table` has. Gives back what was not understood.
pub(super) fn family(
    table: &TableDescriptor,
    mut options: Options,
) -> Result<(ColumnFamilyDescriptor, Vec<String>)> {
    let name = options.bytes("NAME").filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| ShellError::argument("a column family must have a name: NAME => 'f'"))?;
    let known = table.family(&name).cloned();
    let mut family = known.unwrap_or_else(|| ColumnFamilyDescriptor::with_defaults(&name));
    for (name, kind) in FAMILY {
        if let Some(value) = options.take(name) {
            family = family.with(name, &stored(name, kind, &value)?);
        }
    }
    for (key, value) in options.pairs("METADATA")? {
        family = family.with(&key, &String::from_utf8_lossy(&value));
    }
    for (key, value) in options.pairs("CONFIGURATION")? {
        family.configuration.retain(|(known, _)| known[..] != *key.as_bytes());
        family.configuration.push((key.into_bytes().into(), value.into()));
    }
    Ok((family, options.names().map(str::to_owned).collect()))
}

/// Sets the attributes of a table that `options` have; they are taken.
pub(super) fn update_table(mut table: TableDescriptor, options: &mut Options) -> Result<TableDescriptor> {
    for (name, kind) in TABLE {
        if let Some(value) = options.take(name) {
            table = table.with(stored_name(name), &stored(name, kind, &value)?);
        }
    }
    for of in ["METADATA", "CONFIGURATION"] {
        for (key, value) in options.pairs(of)? {
            // As in HBase's client, nothing is no value: the attribute goes.
            match value.is_empty() {
                true => table.attributes.retain(|(known, _)| known[..] != *key.as_bytes()),
                false => table = table.with(&key, &String::from_utf8_lossy(&value)),
            }
        }
    }
    Ok(table)
}

/// Adds a family, or puts it in the place of that of its name.
pub(super) fn with_family(table: TableDescriptor, family: ColumnFamilyDescriptor) -> TableDescriptor {
    table.with_family(family)
}

/// The borders of as many regions, by one of HBase's algorithms.
pub(super) fn split_keys(regions: i64, algorithm: &str) -> Result<Vec<Vec<u8>>> {
    let count =
        u64::try_from(regions).ok().filter(|count| (2..=MAX_REGIONS).contains(count)).ok_or_else(|| {
            ShellError::argument(format!(
                "Number of regions must be greater than 1, and at most {MAX_REGIONS}: {regions}"
            ))
        })?;
    match algorithm {
        // The last of its rows is FFFFFFFF: the borders divide what is up to it, rounded down.
        "HexStringSplit" => {
            Ok((1..count).map(|n| format!("{:08x}", n * (0x1_0000_0000 / count)).into_bytes()).collect())
        }
        "DecimalStringSplit" => {
            Ok((1..count).map(|n| format!("{:08}", n * (100_000_000 / count)).into_bytes()).collect())
        }
        "UniformSplit" => {
            let size = (1u128 << 64) / u128::from(count);
            Ok((1..count).map(|n| ((size * u128::from(n)) as u64).to_be_bytes().to_vec()).collect())
        }
        other => Err(ShellError::argument(format!(
            "SPLITALGO {other}: known are HexStringSplit, DecimalStringSplit and UniformSplit; others need SPLITS"
        ))),
    }
}

/// Regions that one statement makes, at most.
const MAX_REGIONS: u64 = 100_000;
