//! A file of each codec with each encoding, and each kind of Bloom filter among them. With a directory named, the files
//! are kept there, for HBase's own reader to verify:
//!
//! `FINBACK_HFILE_DIR=dir cargo test -p finback-hfile --test every_codec_with_every_encoding_is_read_back`

mod files;
mod golden;

use std::path::Path;

use finback_hfile::{BloomOptions, BloomType, Compression, DataBlockEncoding, WriterOptions};

/// Of every file.
const TRAILER_BYTES: usize = 4096;

/// Named as store files are, which HBase insists on.
fn kinds() -> Vec<(String, WriterOptions)> {
    let codecs =
        [Compression::None, Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];
    let filters = [Some(BloomType::Row), Some(BloomType::RowColumn), Some(BloomType::RowPrefix(5)), None];
    let mut kinds = Vec::new();
    for (codec, encoding) in
        (0..).zip(codecs).flat_map(|codec| files::ENCODINGS.map(|encoding| (codec, encoding)))
    {
        let (number, compression) = codec;
        let options = WriterOptions {
            block_size_bytes: 2 << 10,
            index_block_size_bytes: 1 << 10,
            include_tags: true,
            encoding,
            compression,
            bloom: BloomOptions {
                filter: filters[kinds.len() % filters.len()],
                family_delete: true,
                chunk_size_bytes: 128,
                ..BloomOptions::default()
            },
            ..WriterOptions::default()
        };
        kinds.push((format!("{number:030x}{:02x}", encoding as u8), options));
    }
    kinds
}

/// Rows of 64 columns, each of a byte that is one of two.
fn columns() -> Vec<files::Stored> {
    let mut state = 1u32;
    let mut cells = Vec::new();
    for number in 0..100 * 64 {
        // Marsaglia's xorshift
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let (row, qualifier) = (format!("row{:03}", number / 64), format!("column{:02}", number % 64));
        cells.push(files::put(row.as_bytes(), qualifier.as_bytes(), 1, (state >> 31) as usize));
    }
    cells
}

#[test]
fn small_cells_of_a_major_compaction_are_compressed_with_more_effort() {
    let cells = columns();
    let options = |encoding, major_compaction| WriterOptions {
        encoding,
        major_compaction,
        include_mvcc: false,
        compression: Compression::Snappy,
        ..WriterOptions::default()
    };
    for encoding in [DataBlockEncoding::Prefix, DataBlockEncoding::Diff, DataBlockEncoding::FastDiff] {
        let (flushed, compacted) =
            (files::write(&cells, options(encoding, false)), files::write(&cells, options(encoding, true)));
        assert_eq!(files::scan(&files::open(&compacted).unwrap()).unwrap(), cells, "{encoding:?}");
        let (flushed, compacted) = (flushed.len() - TRAILER_BYTES, compacted.len() - TRAILER_BYTES);
        assert!(compacted * 4 < flushed * 3, "{encoding:?}: {flushed} bytes, then {compacted}");
    }
}

#[test]
fn one_of_each_kind() {
    let keep_in = std::env::var_os("FINBACK_HFILE_DIR");
    let cells = golden::cells(&golden::meta("mixed-mvcc-tags-none"));
    for (name, options) in kinds() {
        let bytes = files::write(&cells, options);
        assert_eq!(files::scan(&files::open(&bytes).unwrap()).unwrap(), cells, "{name}");
        if let Some(directory) = &keep_in {
            std::fs::write(Path::new(directory).join(name), bytes).unwrap();
        }
    }
}
