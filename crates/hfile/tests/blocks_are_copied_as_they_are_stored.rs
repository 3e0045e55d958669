//! A file of blocks that were copied says of itself, and answers, what one says and answers whose cells were written one by
//! one.

mod files;
mod golden;

use files::{Stored, put};
use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::tag::write_tag;
use finback_cell::{Cell, CellOrder};
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::{
    BlockType, BloomOptions, ChecksumType, Compression, DataBlockEncoding, HFileError, HFileReader,
    HFileScanner, HFileWriter, RowBounds, ScanInterrupt, WriterOptions, ZstdForm, verify,
};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

const CODECS: [Compression; 5] =
    [Compression::None, Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];

fn writer(fs: &MemFileSystem, options: &WriterOptions) -> HFileWriter {
    let path = Path::new("/copy");
    HFileWriter::new(fs.create_new(path).unwrap(), path, options.clone()).unwrap()
}

fn finish(fs: &MemFileSystem, writer: HFileWriter) -> Vec<u8> {
    let size = writer.finish(7).unwrap().size_bytes;
    let mut bytes = vec![0; size as usize];
    fs.open(Path::new("/copy")).unwrap().read_exact_at(0, &mut bytes).unwrap();
    bytes
}

fn read_to_copy(
    scanner: &mut HFileScanner,
    mut operation: impl FnMut(&mut HFileScanner) -> Result<(), ScanInterrupt>,
) -> Result<(), HFileError> {
    loop {
        match operation(scanner) {
            Ok(()) => return Ok(()),
            Err(ScanInterrupt::NeedBlock(request)) => {
                let (block, stored) = request.read_to_copy()?;
                scanner.provide(block);
                stored.into_iter().for_each(|stored| scanner.provide_stored(stored));
            }
            Err(ScanInterrupt::Failed(error)) => return Err(error),
        }
    }
}

/// At the first cell of a file that is to be copied.
fn begin(source: &Arc<HFileReader>, options: &WriterOptions) -> HFileScanner {
    let mut scanner = files::scanner(source).copying_to(options);
    read_to_copy(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&[]))).unwrap();
    scanner
}

/// Appends a file's cells: as blocks where that is allowed and `wants` of the block's number says so; how many were copied.
fn append(
    writer: &mut HFileWriter,
    source: &Arc<HFileReader>,
    options: &WriterOptions,
    wants: impl Fn(usize) -> bool,
) -> usize {
    let mut scanner = begin(source, options);
    let (mut seen, mut copied) = (0, 0);
    while let Some((cell, sequence_id)) = scanner.peek() {
        let (bytes, has_stored) = (cell.bytes().to_vec(), scanner.has_stored());
        seen += usize::from(has_stored);
        let block = scanner.take_copyable().filter(|block| block.fits(options) && writer.takes(block));
        if let Some(block) = block.filter(|_| wants(seen)) {
            writer.append_block(&block).unwrap();
            copied += 1;
            scanner.go_to_last_of_block();
        } else {
            writer.append(&Cell::parse(&bytes).unwrap(), sequence_id).unwrap();
        }
        read_to_copy(&mut scanner, HFileScanner::advance).unwrap();
    }
    copied
}

fn copy(source: &[u8], options: &WriterOptions, wants: impl Fn(usize) -> bool) -> (Vec<u8>, usize) {
    let fs = MemFileSystem::default();
    let mut writer = writer(&fs, options);
    let copied = append(&mut writer, &files::open(source).unwrap(), options, wants);
    (finish(&fs, writer), copied)
}

/// Before compression, in bytes.
fn data_block_sizes(file: &[u8]) -> Vec<u32> {
    let reader = files::open(file).unwrap();
    let end = reader.trailer().fields.load_on_open_data_offset();
    let (mut offset, mut sizes) = (0, Vec::new());
    while offset < end {
        let block = reader.stored_block(offset).unwrap();
        if matches!(block.header.block_type, BlockType::Data | BlockType::EncodedData) {
            sizes.push(block.header.uncompressed_size);
        }
        offset += u64::from(block.place.size);
    }
    sizes
}

fn assert_sound(file: &[u8]) {
    let (fs, path) = (MemFileSystem::default(), Path::new("/file"));
    fs.create_new(path).unwrap().append(file).unwrap();
    let found = verify(fs.open(path).unwrap(), path, RowBounds::default(), &mut |_| true);
    assert!(found.is_sound(), "{:?}", found.problems);
}

/// Of three levels of index, and chunks of Bloom filters between the blocks.
fn small_blocks(compression: Compression, encoding: DataBlockEncoding) -> WriterOptions {
    WriterOptions {
        block_size_bytes: 512,
        index_block_size_bytes: 256,
        min_index_entries: 2,
        include_tags: true,
        encoding,
        compression,
        bloom: BloomOptions { chunk_size_bytes: 32, ..BloomOptions::default() },
        ..WriterOptions::default()
    }
}

/// With tags, sequence ids and markers, and versions enough for some keys to fill blocks.
fn cells() -> Vec<Stored> {
    golden::cells(&golden::meta("mixed-mvcc-tags-none"))
}

#[test]
fn the_copy_of_a_whole_file_is_the_file_for_each_codec_with_each_encoding() {
    let cells = cells();
    for (compression, encoding) in
        CODECS.into_iter().flat_map(|codec| files::ENCODINGS.map(|encoding| (codec, encoding)))
    {
        let options = small_blocks(compression, encoding);
        let file = files::write(&cells, options.clone());
        let other_checksums =
            WriterOptions { checksum_type: ChecksumType::Crc32, bytes_per_checksum: 100, ..options.clone() };
        for source in [&file, &files::write(&cells, other_checksums)] {
            let (copy, copied) = copy(source, &options, |_| true);
            let of = data_block_sizes(&file).len();
            assert!(of > 30 && copied + 4 >= of, "{copied} of {of} blocks, {compression:?} {encoding:?}");
            assert!(copy == file, "{compression:?} {encoding:?}");
        }
    }
}

#[test]
fn blocks_that_are_stored_otherwise_are_not_copied() {
    let options = small_blocks(Compression::Lz4, DataBlockEncoding::FastDiff);
    let rows = |with| {
        let cells: Vec<Stored> = (0..200u32).map(|row| put(&row.to_be_bytes(), b"q", 1, 40)).collect();
        files::write(&cells, with)
    };
    let others = [
        WriterOptions { compression: Compression::Gz, ..options.clone() },
        WriterOptions { encoding: DataBlockEncoding::Diff, ..options.clone() },
        WriterOptions { compress_tags: false, ..options.clone() },
        WriterOptions { include_tags: false, ..options.clone() },
        WriterOptions { include_mvcc: false, ..options.clone() },
        // Too small, and too large, now.
        WriterOptions { block_size_bytes: 128, ..options.clone() },
        WriterOptions { block_size_bytes: 2 << 10, ..options.clone() },
    ];
    assert!(copy(&rows(options.clone()), &options, |_| true).1 > 10);
    for other in others {
        let (file, copied) = copy(&rows(other.clone()), &options, |_| true);
        assert_eq!(copied, 0, "{other:?}");
        assert!(file == rows(options.clone()), "{other:?}");
    }
    let meta = WriterOptions { order: CellOrder::Meta, ..options.clone() };
    let of_meta = files::write(&[put(b"r", b"q", 1, 400)], meta);
    assert!(!begin(&files::open(&of_meta).unwrap(), &options).has_stored());
}

#[test]
fn neither_large_blocks_nor_those_for_a_cache_are_had_twice() {
    let options = WriterOptions { compression: Compression::Lz4, ..WriterOptions::default() };
    // Marsaglia's xorshift
    let next = |state: &u32| {
        let state = state ^ (state << 13);
        let state = state ^ (state >> 17);
        Some(state ^ (state << 5))
    };
    let random = std::iter::successors(Some(1), next).map(|state| state as u8).take(1 << 20).collect();
    for (value, expected) in [(vec![0; 1 << 20], true), (random, false)] {
        let parts = CellParts {
            row: b"r",
            family: b"f",
            qualifier: b"q",
            timestamp: 1,
            type_code: 4,
            value: &value,
            tags: b"",
        };
        let source = files::open(&files::write(&[Stored::new(&parts, 0)], options.clone())).unwrap();
        assert_eq!(begin(&source, &options).has_stored(), expected);
        let cache = Arc::new(files::ForgetfulCache::default());
        let mut cached = HFileScanner::new(source, Some(cache), true).copying_to(&options);
        read_to_copy(&mut cached, |scanner| scanner.seek(&Key::first_on_row(&[]))).unwrap();
        assert!(cached.peek().is_some() && !cached.has_stored());
    }
}

#[test]
fn blocks_that_are_worth_more_effort_are_not_copied() {
    let cells: Vec<Stored> = (0..500u32).map(|row| put(&row.to_be_bytes(), b"q", 1, 2)).collect();
    for (compression, major_compaction, expected) in [
        (Compression::Snappy, true, false),
        (Compression::Snappy, false, true),
        (Compression::Lz4, true, true),
    ] {
        let flushed = small_blocks(compression, DataBlockEncoding::FastDiff);
        let options = WriterOptions { major_compaction, ..flushed.clone() };
        let (file, copied) = copy(&files::write(&cells, flushed), &options, |_| true);
        assert_eq!(copied > 0, expected, "{compression:?} {major_compaction}");
        assert!(file == files::write(&cells, options));
    }
}

#[test]
fn a_block_is_cut_short_for_a_copy_only_if_half_of_it_is_there() {
    let options = small_blocks(Compression::None, DataBlockEncoding::None);
    let rows: Vec<Stored> = (100..200u32).map(|row| put(&row.to_be_bytes(), b"q", 1, 40)).collect();
    let source = files::open(&files::write(&rows, options.clone())).unwrap();
    for (value_bytes, takes) in [(100, false), (300, true)] {
        let fs = MemFileSystem::default();
        let mut writer = writer(&fs, &options);
        let first = put(&[0], b"q", 1, value_bytes);
        writer.append(&first.cell(), 0).unwrap();
        let block = begin(&source, &options).take_copyable().unwrap();
        assert_eq!(writer.takes(&block), takes);
        append(&mut writer, &source, &options, |_| true);
        let file = finish(&fs, writer);
        assert_sound(&file);
        let cells: Vec<Stored> = std::iter::once(first).chain(rows.clone()).collect();
        assert_eq!(files::scan(&files::open(&file).unwrap()).unwrap(), cells);
    }
}

#[test]
fn way_is_made_behind_a_block_that_comes_after_a_small_one() {
    let options = small_blocks(Compression::None, DataBlockEncoding::None);
    let row = |row: u32| put(&row.to_be_bytes(), b"q", 1, 40);
    // As many rows as fill a block, and as fill most of one.
    for (rows_of_block, expected) in [(8, 340..450), (5, 512..600)] {
        let rows: Vec<Stored> = (100..100 + rows_of_block).map(row).collect();
        let source = files::open(&files::write(&rows, options.clone())).unwrap();
        let block = begin(&source, &options).take_copyable().unwrap();
        let fs = MemFileSystem::default();
        let mut writer = writer(&fs, &options);
        let cells: Vec<Stored> =
            std::iter::once(put(&[0], b"q", 1, 100)).chain(rows).chain((200..240).map(row)).collect();
        writer.append(&cells[0].cell(), 0).unwrap();
        writer.make_way_behind(&block);
        cells[1..].iter().for_each(|cell| writer.append(&cell.cell(), 0).unwrap());
        let sizes = data_block_sizes(&finish(&fs, writer));
        let are_full = sizes[1..sizes.len() - 1].iter().all(|size| (512..600).contains(size));
        assert!(expected.contains(&sizes[0]) && are_full, "{sizes:?}");

        // Where no block was begun there is nothing in the way.
        let fs = MemFileSystem::default();
        let mut writer = self::writer(&fs, &options);
        writer.make_way_behind(&block);
        cells.iter().for_each(|cell| writer.append(&cell.cell(), 0).unwrap());
        let sizes = data_block_sizes(&finish(&fs, writer));
        assert!((512..600).contains(&sizes[0]), "{sizes:?}");
    }
}

#[test]
fn way_is_made_by_no_block_larger_than_others() {
    let options = small_blocks(Compression::Gz, DataBlockEncoding::None);
    // Compressed it is so small that it is had in its stored form.
    let large = [put(b"b", b"q", 1, 40), put(b"c", b"q", 1, 2 << 20)];
    let source = files::open(&files::write(&large, options.clone())).unwrap();
    let block = begin(&source, &options).take_copyable().unwrap();
    let fs = MemFileSystem::default();
    let mut writer = writer(&fs, &options);
    writer.make_way_behind(&block);
    for row in 0..100u32 {
        writer.append(&put(&row.to_be_bytes(), b"q", 1, 40).cell(), 0).unwrap();
        writer.make_way_behind(&block);
    }
    let sizes = data_block_sizes(&finish(&fs, writer));
    assert!(sizes.len() > 10 && sizes.iter().all(|size| *size < 600), "{sizes:?}");
}

/// HBase has two forms of Zstandard, and reads one; a block of the other would make a file of both.
#[test]
fn no_block_of_the_other_form_of_zstandard_is_copied() {
    let forms = [ZstdForm::Frame, ZstdForm::Chunks];
    let options = forms.map(|zstd_form| WriterOptions {
        zstd_form,
        ..small_blocks(Compression::Zstd, DataBlockEncoding::FastDiff)
    });
    let file_of = |options: &WriterOptions| files::write(&cells(), options.clone());
    for (from, to) in options.iter().flat_map(|from| options.iter().map(move |to| (from, to))) {
        let (file, copied) = copy(&file_of(from), to, |_| true);
        assert_eq!(copied > 0, from.zstd_form == to.zstd_form, "{from:?} {to:?}");
        assert!(file == file_of(to), "{from:?} {to:?}");
        let can_be = files::open(&file_of(from)).unwrap().can_be_copied_to(to);
        assert_eq!(can_be, from.zstd_form == to.zstd_form, "{from:?} {to:?}");
    }
}

#[test]
fn blocks_of_hbase_are_copied_to_files_of_their_form_of_zstandard() {
    let is_copyable = |name: &str, zstd_form| {
        let source = golden::open(name).unwrap();
        let layouts = [(false, false), (false, true), (true, false), (true, true)];
        layouts.into_iter().any(|(include_tags, include_mvcc)| {
            let options = WriterOptions {
                compression: Compression::Zstd,
                zstd_form,
                include_tags,
                include_mvcc,
                ..WriterOptions::default()
            };
            begin(&source, &options).take_copyable().is_some()
        })
    };
    let into_both = |name| [ZstdForm::Frame, ZstdForm::Chunks].map(|form| is_copyable(name, form));
    assert_eq!(into_both("comp-zstd-hadoopstream"), [true, false]);
    assert_eq!(into_both("comp-zstd-blockstream"), [false, true]);
}

#[test]
fn a_key_stays_in_one_block() {
    let options = small_blocks(Compression::None, DataBlockEncoding::None);
    let newer = |value_bytes| Stored { sequence_id: 9, ..put(b"r", b"q", 1, value_bytes) };
    let source = files::open(&files::write(&[put(b"r", b"q", 1, 400)], options.clone())).unwrap();
    let fs = MemFileSystem::default();
    let mut writer = writer(&fs, &options);
    writer.append(&newer(600).cell(), 9).unwrap();
    let block = begin(&source, &options).take_copyable().unwrap();
    assert!(block.fits(&options) && !writer.takes(&block), "its first key is the last one");

    // Nor is it in two where it was copied with the first, and nobody could know.
    let fs = MemFileSystem::default();
    let mut writer = self::writer(&fs, &options);
    writer.append_block(&block).unwrap();
    let refused = writer.append(&put(b"r", b"q", 1, 4).cell(), 0).unwrap_err();
    assert!(matches!(refused, HFileError::Unwritable { .. }), "{refused}");
}

#[test]
fn a_block_whose_last_key_the_next_block_has_too_is_not_copied() {
    // Of one level of index, and of leaves with one entry.
    for index_block_size_bytes in [100_000, 1] {
        let options = WriterOptions {
            checksum_type: ChecksumType::Null,
            block_size_bytes: 1,
            index_block_size_bytes,
            min_index_entries: 2,
            ..WriterOptions::default()
        };
        let rows = [b"r1", b"r2", b"r3"].map(|row| put(row, b"q", 1, 9));
        let mut file = files::write(&rows, options.clone());
        // Not as this crate's writer, nor HBase's, would have it.
        for at in 0..file.len() {
            if file[at..].starts_with(b"\0\x02r2") {
                file[at + 3] = b'1';
            }
        }
        let mut scanner = begin(&files::open(&file).unwrap(), &options);
        let mut copyable = Vec::new();
        while scanner.peek().is_some() {
            copyable.push(scanner.take_copyable().is_some());
            read_to_copy(&mut scanner, HFileScanner::advance).unwrap();
        }
        assert_eq!(copyable, [false, true, true]);
    }
}

#[test]
fn cells_of_a_copied_block_are_refused_as_any() {
    let append = |file: &[u8], options: &WriterOptions, before: &[Stored]| {
        let fs = MemFileSystem::default();
        let mut writer = writer(&fs, options);
        before.iter().for_each(|cell| writer.append(&cell.cell(), 0).unwrap());
        let block = begin(&files::open(file).unwrap(), options).take_copyable().unwrap();
        writer.append_block(&block).unwrap_err()
    };
    let options = WriterOptions { checksum_type: ChecksumType::Null, ..WriterOptions::default() };
    let rows = [b"r1", b"r2", b"r3"].map(|row| put(row, b"q", 1, 9));
    let mut unordered = files::write(&rows, options.clone());
    let second = (0..unordered.len()).find(|&at| unordered[at..].starts_with(b"\0\x02r2")).unwrap();
    unordered[second + 3] = b'9';
    let refused = append(&unordered, &options, &[]);
    assert!(matches!(refused, HFileError::OutOfOrder { .. }), "{refused}");

    let options = WriterOptions { encoding: DataBlockEncoding::FastDiff, ..WriterOptions::default() };
    let parts = CellParts {
        row: b"r0",
        family: b"other",
        qualifier: b"q",
        timestamp: 1,
        type_code: 4,
        value: b"",
        tags: b"",
    };
    let refused = append(&files::write(&rows, options.clone()), &options, &[Stored::new(&parts, 0)]);
    assert!(matches!(refused, HFileError::Unencodable { .. }), "{refused}");
}

#[test]
fn a_copyable_block_is_taken_at_its_first_cell_and_once() {
    let options = small_blocks(Compression::Gz, DataBlockEncoding::None);
    let rows: Vec<Stored> = (0..40u32).map(|row| put(&row.to_be_bytes(), b"q", 1, 40)).collect();
    let source = files::open(&files::write(&rows, options.clone())).unwrap();
    let mut scanner = begin(&source, &options);
    let held = scanner.held_bytes();
    assert!(scanner.take_copyable().is_some() && scanner.take_copyable().is_none());
    assert!(scanner.held_bytes() < held, "the stored form counts");
    let mut scanner = begin(&source, &options);
    read_to_copy(&mut scanner, HFileScanner::advance).unwrap();
    assert!(scanner.has_stored() && scanner.take_copyable().is_none());
}

#[test]
fn a_scanner_that_lets_go_of_its_block_lets_go_of_the_stored_form() {
    let options = small_blocks(Compression::Gz, DataBlockEncoding::None);
    let rows: Vec<Stored> = (0..40u32).map(|row| put(&row.to_be_bytes(), b"q", 1, 40)).collect();
    let source = files::open(&files::write(&rows, options.clone())).unwrap();
    let mut scanner = begin(&source, &options);
    scanner.rest();
    assert!(!scanner.has_stored());
    read_to_copy(&mut scanner, HFileScanner::wake).unwrap();
    assert!(scanner.has_stored());
    scanner.park();
    assert!(!scanner.has_stored());
    read_to_copy(&mut scanner, HFileScanner::unpark).unwrap();
    assert!(scanner.take_copyable().is_some());
}

#[test]
fn damage_is_found_when_a_block_is_read_to_be_copied() {
    let options = small_blocks(Compression::Lz4, DataBlockEncoding::RowIndexV1);
    let rows: Vec<Stored> = (0..100u32).map(|row| put(&row.to_be_bytes(), b"q", 1, 40)).collect();
    let mut file = files::write(&rows, options.clone());
    let second = files::open(&file).unwrap().stored_block(0).unwrap().place.size as usize;
    file[second + 60] ^= 1;
    let mut scanner = begin(&files::open(&file).unwrap(), &options);
    let end = loop {
        match read_to_copy(&mut scanner, HFileScanner::advance) {
            Ok(()) => assert!(scanner.peek().is_some(), "came to the end"),
            Err(error) => break error,
        }
    };
    assert!(matches!(end, HFileError::Corrupt { offset, .. } if offset == second as u64), "{end}");
}

prop_compose! {
    fn any_cell()(
        row in prop::collection::vec(0u8..3, 1..4),
        qualifier in prop::collection::vec(0u8..2, 0..2),
        timestamp in 0i64..3,
        type_code in prop::sample::select(vec![4u8, 4, 4, 8, 10, 12, 14]),
        value in prop_oneof![
            9 => prop::collection::vec(any::<u8>(), 0..60),
            1 => prop::collection::vec(any::<u8>(), 300..900),
        ],
        tag in prop::option::of((any::<u8>(), prop::collection::vec(any::<u8>(), 0..20))),
        sequence_id in 0u64..300,
    ) -> Stored {
        let mut tags = Vec::new();
        if let Some((tag_type, value)) = tag {
            write_tag(&mut tags, tag_type, &value);
        }
        let parts = CellParts {
            row: &row, family: b"f", qualifier: &qualifier, timestamp, type_code, value: &value, tags: &tags,
        };
        Stored::new(&parts, sequence_id)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_blocks_of_any_file(
        mut cells in prop::collection::vec(any_cell(), 0..150),
        (codec, encoding, filter) in
            (prop::sample::select(CODECS.to_vec()), files::any_encoding(), files::any_filter()),
        (block_size, new_block_size) in (1u32..1000, prop::option::of(1u32..1000)),
        (compress_tags, major_compaction) in (any::<bool>(), any::<bool>()),
        unwanted in prop::collection::hash_set(0usize..20, 0..10),
    ) {
        files::sort(&mut cells, CellOrder::User);
        let bloom = BloomOptions { filter, chunk_size_bytes: 16, ..BloomOptions::default() };
        let input = WriterOptions {
            block_size_bytes: block_size, compress_tags, bloom, ..small_blocks(codec, encoding)
        };
        let options = WriterOptions {
            block_size_bytes: new_block_size.unwrap_or(block_size), major_compaction, ..input.clone()
        };
        let (file, _) = copy(&files::write(&cells, input), &options, |block| !unwanted.contains(&block));
        assert_sound(&file);
        let (reader, plain) =
            (files::open(&file).unwrap(), files::open(&files::write(&cells, options)).unwrap());
        prop_assert_eq!(files::scan(&reader).unwrap(), cells.clone());
        prop_assert!(reader.file_info_entries().eq(plain.file_info_entries()));
        prop_assert_eq!(reader.entry_count(), plain.entry_count());
        prop_assert_eq!(
            reader.bloom_figures().map(|figures| figures.keys), plain.bloom_figures().map(|figures| figures.keys)
        );
        for stored in &cells {
            files::assert_may_be_there(&reader, &stored.cell());
        }
    }
}
