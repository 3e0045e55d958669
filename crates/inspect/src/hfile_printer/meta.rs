//! What a file says of itself: trailer, file info, block index, Bloom filters.

use crate::cell_text::{KeyText, OptionalKey};
use crate::java_text::percent;
use finback_cell::cell::check_key;
use finback_cell::key::Key;
use finback_cell::{CellOrder, StringBinary};
use finback_hfile::{BloomFigures, HFileReader, file_info_keys as keys};
use std::io::{self, Write};

/// The reader, the trailer, the file info, the middle and the Bloom filters.
pub(super) fn print(reader: &HFileReader, out: &mut dyn Write) -> io::Result<()> {
    print_reader(reader, out)?;
    print_trailer(reader, out)?;
    writeln!(out, "Fileinfo:")?;
    for (key, value) in reader.file_info_entries() {
        writeln!(out, "    {} = {}", String::from_utf8_lossy(key), info_value(key, value))?;
    }
    match reader.mid_key() {
        Ok(Some(key)) => writeln!(out, "Mid-key: {}", OptionalKey(Some(&key)))?,
        Ok(None) | Err(_) => writeln!(out, "Unable to retrieve the midkey")?,
    }
    writeln!(out, "Bloom filter:")?;
    print_bloom_filter(reader.bloom_figures(), out)?;
    writeln!(out, "Delete Family Bloom filter:")?;
    print_bloom_filter(reader.family_delete_bloom_figures(), out)
}

/// The root of the block index.
pub(super) fn print_block_index(reader: &HFileReader, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Block Index:\nsize={}", reader.root_index_entries().count())?;
    for (place, key) in reader.root_index_entries() {
        writeln!(out, "key={}/vlen=0/mvcc=0", KeyText(Key::from_checked(key)))?;
        writeln!(out, "  offset={}, dataSize={}", place.offset, place.size)?;
    }
    writeln!(out)
}

fn print_reader(reader: &HFileReader, out: &mut dyn Write) -> io::Result<()> {
    let average = |key| int(reader.file_info(key)).unwrap_or(-1);
    let first_key = reader.root_index_entries().next().map(|(_, key)| key);
    writeln!(out, "Block index size as per heapsize: {}", index_heap_size(reader))?;
    writeln!(out, "reader={},", reader.path().display())?;
    writeln!(out, "    compression={},", reader.trailer().compression.name().to_lowercase())?;
    // A printer has no cache.
    let cache = [
        "cacheConf=cacheDataOnRead",
        "cacheDataOnWrite",
        "cacheIndexesOnWrite",
        "cacheBloomsOnWrite",
        "cacheEvictOnClose",
        "cacheDataCompressed",
        "prefetchOnOpen",
    ];
    cache.iter().try_for_each(|setting| writeln!(out, "    {setting}=false,"))?;
    writeln!(out, "    firstKey={},", OptionalKey(first_key))?;
    writeln!(out, "    lastKey={},", OptionalKey(reader.last_key()))?;
    writeln!(out, "    avgKeyLen={},", average(keys::AVG_KEY_LEN))?;
    writeln!(out, "    avgValueLen={},", average(keys::AVG_VALUE_LEN))?;
    writeln!(out, "    entries={},", reader.entry_count())?;
    writeln!(out, "    length={}", reader.size_bytes())
}

fn print_trailer(reader: &HFileReader, out: &mut dyn Write) -> io::Result<()> {
    let trailer = reader.trailer();
    let fields = &trailer.fields;
    writeln!(out, "Trailer:")?;
    for (name, number) in [
        ("fileinfoOffset", fields.file_info_offset()),
        ("loadOnOpenDataOffset", fields.load_on_open_data_offset()),
        ("dataIndexCount", fields.data_index_count().into()),
        ("metaIndexCount", fields.meta_index_count().into()),
        // HBase's spelling.
        ("totalUncomressedBytes", fields.total_uncompressed_bytes()),
        ("entryCount", fields.entry_count()),
    ] {
        writeln!(out, "    {name}={number},")?;
    }
    writeln!(out, "    compressionCodec={},", trailer.compression.name().to_uppercase())?;
    writeln!(out, "    uncompressedDataIndexSize={},", fields.uncompressed_data_index_size())?;
    writeln!(out, "    numDataIndexLevels={},", fields.num_data_index_levels())?;
    // -1 where there is none.
    writeln!(out, "    firstDataBlockOffset={},", fields.first_data_block_offset() as i64)?;
    writeln!(out, "    lastDataBlockOffset={},", fields.last_data_block_offset() as i64)?;
    writeln!(out, "    comparatorClassName=org.apache.hadoop.hbase.{},", comparator(reader.order()))?;
    let minor = trailer.minor_version;
    writeln!(out, "    encryptionKey=NONE,\n    majorVersion=3,\n    minorVersion={minor}")
}

/// The simple name of HBase's class for an order.
pub(super) fn comparator(order: CellOrder) -> &'static str {
    match order {
        CellOrder::User => "CellComparatorImpl",
        CellOrder::Meta => "MetaCellComparator",
    }
}

fn int(value: Option<&[u8]>) -> Option<i32> {
    Some(i32::from_be_bytes(value?.try_into().ok()?))
}

fn long(value: &[u8]) -> Option<i64> {
    Some(i64::from_be_bytes(value.try_into().ok()?))
}

/// The value of an entry of the file info: by its key a number, a truth value, a range of times, or bytes.
fn info_value(key: &[u8], value: &[u8]) -> String {
    const EXCLUDE_FROM_MINOR_COMPACTION: &[u8] = b"EXCLUDE_FROM_MINOR_COMPACTION";
    let longs = [
        keys::MAX_SEQ_ID,
        keys::DELETE_FAMILY_COUNT,
        keys::EARLIEST_PUT_TS,
        keys::MAX_MEMSTORE_TS,
        keys::CREATE_TIME,
        keys::BULKLOAD_TIMESTAMP,
    ];
    let ints = [keys::AVG_KEY_LEN, keys::AVG_VALUE_LEN, keys::KEY_VALUE_VERSION, keys::MAX_TAGS_LEN];
    let flags =
        [keys::MAJOR_COMPACTION, keys::TAGS_COMPRESSED, EXCLUDE_FROM_MINOR_COMPACTION, keys::HISTORICAL];
    let text = if longs.contains(&key) {
        long(value).map(|number| number.to_string())
    } else if ints.contains(&key) {
        int(Some(value)).map(|number| number.to_string())
    } else if flags.contains(&key) {
        (value.len() == 1).then(|| (value[0] != 0).to_string())
    } else if key == keys::TIMERANGE {
        let ends = value.split_at_checked(8).and_then(|(from, to)| Some((long(from)?, long(to)?)));
        ends.map(|(from, to)| format!("{from}....{to}"))
    } else if key == keys::LAST_KEY && check_key(value).is_ok() {
        Some(format!("{}/vlen=0/mvcc=0", KeyText(Key::from_checked(value))))
    } else {
        None
    };
    text.unwrap_or_else(|| StringBinary(value).to_string())
}

fn print_bloom_filter(figures: Option<BloomFigures<'_>>, out: &mut dyn Write) -> io::Result<()> {
    let Some(BloomFigures { byte_size, keys, most_keys, chunks, comparator }) = figures else {
        return writeln!(out, "    Not present");
    };
    writeln!(out, "    BloomSize: {byte_size}\n    No of Keys in bloom: {keys}")?;
    writeln!(out, "    Max Keys for bloom: {most_keys}")?;
    if most_keys > 0 {
        writeln!(out, "    Percentage filled: {}", percent(keys as f64 / most_keys as f64))?;
    }
    let comparator = match comparator {
        name if name.contains("Meta") => "MetaCellComparator",
        name if name.is_empty() || name.ends_with("RawBytesComparator") => "ByteArrayComparator",
        _ => "CellComparatorImpl",
    };
    writeln!(out, "    Number of chunks: {chunks}\n    Comparator: {comparator}")
}

/// The memory that HBase's indexes of data and meta blocks take: what its ClassSize computes for a JVM of 64 bits with
/// compressed references. Fitted to what HBase prints.
fn index_heap_size(reader: &HFileReader) -> u64 {
    const BOTH_INDEXES: u64 = 176;
    const ARRAY: u64 = 16;
    const KEY: u64 = 40;
    let aligned = |bytes: u64| bytes.div_ceil(8) * 8;
    let arrays = |count: u64| 2 * aligned(ARRAY + 4 * count) + aligned(ARRAY + 8 * count);
    let bytes = |length: usize| aligned(ARRAY + length as u64);
    let data: u64 = reader.root_index_entries().map(|(_, key)| KEY + bytes(key.len())).sum();
    let meta: u64 = reader.meta_block_names().map(|name| bytes(name.len())).sum();
    let counts = [reader.root_index_entries().count(), reader.meta_block_names().count()];
    BOTH_INDEXES + data + meta + counts.iter().map(|&count| arrays(count as u64)).sum::<u64>()
}
