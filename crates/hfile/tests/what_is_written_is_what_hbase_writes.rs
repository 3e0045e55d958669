//! The same cells with the same options give the same bytes as HBase's writer, but for the checksum of the trailer.

mod files;
mod golden;

use finback_cell::CellOrder;
use finback_hfile::testing::without_checksum_of_trailer;
use finback_hfile::{
    BloomOptions, ChecksumType, DataBlockEncoding, HashType, WriterOptions, file_info_keys as keys,
};

/// The options and inputs of a golden file, out of what it says of itself.
fn rewrite(name: &str, adjust: impl FnOnce(&mut WriterOptions)) -> (Vec<u8>, Vec<u8>) {
    let reader = golden::open(name).unwrap();
    let long = |key: &[u8]| reader.file_info(key).map(|raw| i64::from_be_bytes(raw.try_into().unwrap()));
    let mut options = WriterOptions {
        order: reader.order(),
        block_size_bytes: 2 << 10,
        bytes_per_checksum: 16 << 10,
        include_tags: reader.includes_tags(),
        include_mvcc: reader.includes_mvcc(),
        encoding: reader.encoding(),
        compress_tags: false,
        bloom: BloomOptions {
            filter: reader.bloom_type(),
            family_delete: true,
            chunk_size_bytes: 128,
            ..BloomOptions::default()
        },
        create_time_ms: long(keys::CREATE_TIME).unwrap(),
        ..WriterOptions::default()
    };
    adjust(&mut options);
    let cells = golden::cells(&golden::meta(name));
    let max_sequence_id = reader.max_sequence_id().unwrap_or(0);
    let bytes = files::write_with(&cells, options, max_sequence_id, |_| {});
    (without_checksum_of_trailer(&bytes), std::fs::read(golden::path(name)).unwrap())
}

fn assert_same(name: &str, adjust: impl FnOnce(&mut WriterOptions)) {
    let (ours, theirs) = rewrite(name, adjust);
    let first_difference = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
    assert_eq!((first_difference, ours.len()), (None, theirs.len()), "{name}");
}

#[test]
fn plain_cells() {
    assert_same("plain-none", |_| {});
}

#[test]
fn every_encoding_of_plain_cells() {
    for name in ["plain-prefix", "plain-diff", "plain-fast_diff", "plain-row_index_v1"] {
        assert_same(name, |options| assert_ne!(options.encoding, DataBlockEncoding::None));
    }
}

#[test]
fn every_bloom_filter() {
    for name in ["row", "rowcol", "rowprefix"] {
        let hashes =
            [("murmur", HashType::Murmur), ("jenkins", HashType::Jenkins), ("murmur3", HashType::Murmur3)];
        for (hash, hash_type) in hashes {
            assert_same(&format!("bloom-{name}-{hash}"), |options| {
                options.bloom.filter.unwrap();
                options.bloom.hash_type = hash_type;
            });
        }
    }
}

#[test]
fn every_encoding_with_every_kind_of_cell() {
    for cells in ["mixed", "mixed-mvcc", "mixed-mvcc-tags", "mixed-mvcc-ctags"] {
        for encoding in ["none", "prefix", "diff", "fast_diff", "row_index_v1"] {
            assert_same(&format!("{cells}-{encoding}"), |options| {
                options.bloom.filter.unwrap();
                options.compress_tags = cells == "mixed-mvcc-ctags";
            });
        }
    }
}

#[test]
fn no_cells() {
    assert_same("empty", |_| {});
}

#[test]
fn every_checksum_type_in_small_chunks() {
    let types = [
        ("checksum-null", ChecksumType::Null),
        ("checksum-crc32", ChecksumType::Crc32),
        ("checksum-crc32c", ChecksumType::Crc32c),
    ];
    for (name, checksum_type) in types {
        assert_same(name, |options| {
            options.checksum_type = checksum_type;
            options.bytes_per_checksum = 512;
        });
    }
}

#[test]
fn the_order_of_hbase_meta() {
    assert_same("meta-comparator", |options| {
        assert_eq!(options.order, CellOrder::Meta);
        options.block_size_bytes = 256;
    });
}
