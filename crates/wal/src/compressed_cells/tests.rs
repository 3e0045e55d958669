use super::*;
use finback_cell::{CellType, block::CellBlockBuilder, cell::CellParts};
use finback_compression::Compression;
use finback_fs::{FileSystem, MemFileSystem};
use proptest::prelude::*;

/// Bytes in which no codec finds anything.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(next).collect()
}

/// Tags of these lengths, each another one.
fn tags(seed: u64, lengths: &[usize]) -> Vec<u8> {
    let tag = |(number, length): (usize, &usize)| {
        let bytes = noise(seed ^ number as u64, *length);
        [&(1 + *length as u16).to_be_bytes()[..], &[7], &bytes].concat()
    };
    lengths.iter().enumerate().flat_map(tag).collect()
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0usize..4, 4 => 0usize..200, 1 => 0usize..70_000]
}

proptest! {
    #[test]
    fn no_cells_take_more_than_was_said(
        cells in prop::collection::vec((length(), length(), length(), prop::collection::vec(1usize..300, 0..9), any::<u64>()), 1..6),
        large in prop_oneof![3 => Just(0usize), 1 => 0usize..3_000_000],
    ) {
        let mut block = CellBlockBuilder::default();
        for (number, (row, qualifier, value, tag_lengths, seed)) in cells.into_iter().enumerate() {
            block.push_parts(&CellParts {
                row: &noise(seed, (row + 1).min(MAX_ROW_LENGTH)),
                family: b"f",
                qualifier: &noise(seed ^ 1, qualifier),
                timestamp: 1,
                type_code: CellType::Put.code(),
                value: &noise(seed ^ 2, if number == 0 { large.max(value) } else { value }),
                tags: &tags(seed ^ 3, &tag_lengths),
            });
        }
        let block = block.bytes().to_vec();
        let codecs = [Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];
        let of_frames = std::iter::once(None).chain(codecs.map(Some)).map(|values| (values, ZstdForm::Frame));
        for (values, zstd_form) in of_frames.chain([(Some(Compression::Zstd), ZstdForm::Chunks)]) {
            let compression = WalCompression { tags: true, values };
            let mut compressor = CellCompressor::new(Path::new("log"), compression).unwrap();
            compressor.set_zstd_form(zstd_form);
            let mut out = Vec::new();
            compressor.put(&block, &mut out).unwrap();
            let most = most_bytes(&block, values.is_some()).unwrap();
            prop_assert!(out.len() <= most, "{values:?}: {} bytes of {}, said {most}", out.len(), block.len());
        }
    }
}

#[test]
fn a_cell_above_the_limit_is_torn_only_where_the_file_ends_before() {
    let mut lengths = Vec::new();
    for length in [20, 600 << 20, 0] {
        put_varint(&mut lengths, length);
    }
    let (fs, path) = (MemFileSystem::new(), Path::new("/log"));
    fs.create_new(path).unwrap().append(&lengths).unwrap();
    let mut window = FileWindow::new(fs.open(path).unwrap(), lengths.len() as u64);
    let mut take = |values, end| {
        let mut cells = CellDecompressor::new(path, WalCompression { tags: true, values });
        cells.take(&mut Cursor::new(&mut window, 0, end), 1, &mut Vec::new())
    };
    assert!(matches!(take(None, 700 << 20), Err(NoEntry::AboveLimit(_))));
    assert!(matches!(take(None, 599 << 20), Err(NoEntry::Invalid(_))));
    assert!(matches!(take(Some(Compression::Gz), 599 << 20), Err(NoEntry::AboveLimit(_))));
}
