//! Golden files of HBase 2.5.11: cells, keys, file info and trailer as HBase's own reader gives them.

mod files;
mod golden;

use finback_cell::CellOrder;
use finback_hfile::Compression;
use golden::unhex;
use serde_json::Value;
use sha2::{Digest, Sha256};

#[test]
fn cells_keys_file_info_and_trailer() {
    for name in golden::READABLE {
        let meta = golden::meta(name);
        let reader = golden::open(name).unwrap();
        let expected = golden::cells(&meta);
        let found = files::scan(&reader).unwrap();
        assert_eq!(found.len(), expected.len(), "{name}");
        for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "{name}, cell {number}");
        }

        let key = |which: &str| Some(&meta[which]).filter(|key| !key.is_null()).map(unhex);
        assert_eq!(reader.first_key().map(<[u8]>::to_vec), key("firstKey"), "{name}");
        assert_eq!(reader.last_key().map(<[u8]>::to_vec), key("lastKey"), "{name}");
        assert_eq!(reader.mid_key().unwrap(), key("midKey"), "{name}");

        let info: Vec<_> =
            reader.file_info_entries().map(|(key, value)| (key.to_vec(), value.to_vec())).collect();
        let entry = |pair: &Value| (pair[0].as_str().unwrap().as_bytes().to_vec(), unhex(&pair[1]));
        let expected_info: Vec<_> = meta["fileInfo"].as_array().unwrap().iter().map(entry).collect();
        assert_eq!(info, expected_info, "{name}");

        let fields = &reader.trailer().fields;
        let trailer = &meta["trailer"];
        let number = |which: &str| trailer[which].as_i64().unwrap() as u64;
        assert_eq!(fields.file_info_offset(), number("fileInfoOffset"), "{name}");
        assert_eq!(fields.load_on_open_data_offset(), number("loadOnOpenOffset"), "{name}");
        assert_eq!(fields.uncompressed_data_index_size(), number("uncompressedDataIndexSize"), "{name}");
        assert_eq!(fields.total_uncompressed_bytes(), number("totalUncompressedBytes"), "{name}");
        assert_eq!(u64::from(fields.data_index_count()), number("dataIndexCount"), "{name}");
        assert_eq!(u64::from(fields.meta_index_count()), number("metaIndexCount"), "{name}");
        assert_eq!(reader.entry_count(), number("entryCount"), "{name}");
        assert_eq!(u64::from(fields.num_data_index_levels()), number("numDataIndexLevels"), "{name}");
        assert_eq!(fields.first_data_block_offset(), number("firstDataBlockOffset"), "{name}");
        assert_eq!(fields.last_data_block_offset(), number("lastDataBlockOffset"), "{name}");
        assert_eq!(reader.size_bytes(), meta["size"].as_u64().unwrap(), "{name}");
        assert_eq!(meta["encodingOnDisk"], reader.encoding().name(), "{name}");
    }
}

#[test]
fn what_file_info_means() {
    let reader = golden::open("mixed-mvcc-tags-none").unwrap();
    assert!(reader.includes_tags() && reader.includes_mvcc());
    let plain = golden::open("plain-none").unwrap();
    assert!(!plain.includes_tags() && !plain.includes_mvcc());
    assert_eq!(plain.max_sequence_id(), Some(12345));
    assert_eq!(plain.time_range(), Some((0x174876e800c, 0x174876e9385)));
    assert_eq!(plain.order(), CellOrder::User);
    assert_eq!(golden::open("bulkload").unwrap().max_sequence_id(), None);
    assert_eq!(golden::open("empty").unwrap().time_range(), Some((i64::MAX, -1)));
    assert_eq!(golden::open("meta-comparator").unwrap().order(), CellOrder::Meta);
}

#[test]
fn the_codec_of_a_file() {
    for (name, codec) in [
        ("plain-none", Compression::None),
        ("comp-gz", Compression::Gz),
        ("comp-snappy", Compression::Snappy),
        ("comp-lz4", Compression::Lz4),
        ("comp-zstd-hadoopstream", Compression::Zstd),
        ("comp-zstd-blockstream", Compression::Zstd),
    ] {
        assert_eq!(golden::open(name).unwrap().trailer().compression, codec, "{name}");
        if codec != Compression::None {
            assert_eq!(golden::meta(name)["trailer"]["compression"], codec.name(), "{name}");
        }
    }
}

/// Blocks of 900 KB, which Hadoop's codecs divide into several chunks.
#[test]
fn payloads_of_several_chunks() {
    for name in ["comp-snappy-multichunk", "comp-lz4-multichunk"] {
        let found = files::scan(&golden::open(name).unwrap()).unwrap();
        let dump = golden::directory().join("expected").join(format!("{name}.hfile.digest.jsonl"));
        let dump = std::fs::read_to_string(dump).unwrap();
        let expected: Vec<Value> = dump.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(found.len(), expected.len(), "{name}");
        for (found, expected) in found.iter().zip(&expected) {
            let cell = found.cell();
            assert_eq!(cell.row(), unhex(&expected["row"]), "{name}");
            assert_eq!(cell.value().len() as u64, expected["len"].as_u64().unwrap(), "{name}");
            assert_eq!(&Sha256::digest(cell.value())[..], unhex(&expected["sha256"]), "{name}");
        }
    }
}
