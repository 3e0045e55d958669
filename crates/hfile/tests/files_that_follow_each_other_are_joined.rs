//! Files whose rows follow each other become one by their blocks: it says of itself, and answers, what one says and answers
//! whose cells were written one by one.

mod files;

use files::{Stored, put};
use finback_cell::CellType;
use finback_cell::cell::CellParts;
use finback_fs::{FaultyFileSystem, FileSystem, MemFileSystem};
use finback_hfile::{
    BloomOptions, BloomProbe, BloomType, ChecksumType, Compression, DataBlockEncoding, FileId, HFileError,
    HFileReader, HFileScanner, HFileWriter, HashType, RowBounds, WriterOptions, ZstdForm, file_info_keys,
    read_through, verify,
};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

const PATH: &str = "/joined";

/// Of several levels of index, and chunks of Bloom filters between the blocks.
fn small_blocks() -> WriterOptions {
    WriterOptions {
        block_size_bytes: 512,
        index_block_size_bytes: 256,
        min_index_entries: 2,
        bytes_per_checksum: 200,
        create_time_ms: 5,
        says_if_plain: true,
        bloom: BloomOptions {
            filter: Some(BloomType::Row),
            family_delete: true,
            chunk_size_bytes: 32,
            max_fold: 3,
            ..BloomOptions::default()
        },
        ..WriterOptions::default()
    }
}

fn row(number: u32) -> String {
    format!("r{number:05}")
}

/// Two columns a row, of values of many sizes.
fn cells(rows: Range<u32>) -> Vec<Stored> {
    let cell = |number: u32| {
        let row = row(number / 2);
        let parts = CellParts {
            row: row.as_bytes(),
            family: b"cf",
            qualifier: if number.is_multiple_of(2) { b"a" } else { b"bb" },
            timestamp: 1000 + i64::from(number * 7 % 100),
            type_code: CellType::Put.code(),
            value: &vec![b'v'; 20 + (number * 13 % 40) as usize],
            tags: &[],
        };
        Stored::new(&parts, u64::from(number))
    };
    (2 * rows.start..2 * rows.end).map(cell).collect()
}

/// One without leaves between two with several levels of index.
const PARTS: [Range<u32>; 4] = [0..400, 400..405, 405..700, 700..940];

fn open_all(parts: &[Vec<Stored>], options: &WriterOptions) -> Vec<Arc<HFileReader>> {
    parts.iter().map(|cells| files::open(&files::write(cells, options.clone())).unwrap()).collect()
}

fn writer(fs: &MemFileSystem, options: &WriterOptions) -> HFileWriter {
    let path = Path::new(PATH);
    HFileWriter::new(fs.create_new(path).unwrap(), path, options.clone()).unwrap()
}

fn append(writer: &mut HFileWriter, file: &HFileReader) -> Result<usize, HFileError> {
    writer.begin_joined(file)?;
    let mut blocks = file.blocks_to_join(None);
    let mut data_blocks = 0;
    while let Some(block) = blocks.read_next()? {
        assert!(block.end() <= file.data_bytes());
        writer.append_joined(&block)?;
        data_blocks += usize::from(block.is_data());
    }
    assert!(blocks.read_next()?.is_none());
    Ok(data_blocks)
}

fn joined(parts: &[Arc<HFileReader>], options: &WriterOptions) -> Vec<u8> {
    let fs = MemFileSystem::default();
    let mut writer = writer(&fs, options);
    for part in parts {
        let data_blocks = part.index_entries().count();
        assert_eq!(append(&mut writer, part).unwrap(), data_blocks);
    }
    let finished = writer.finish(7).unwrap();
    assert_eq!(finished.entries, parts.iter().map(|part| part.entry_count()).sum::<u64>());
    let mut bytes = vec![0; finished.size_bytes as usize];
    fs.open(Path::new(PATH)).unwrap().read_exact_at(0, &mut bytes).unwrap();
    bytes
}

fn assert_sound(file: &[u8]) {
    let (fs, path) = (MemFileSystem::default(), Path::new("/file"));
    fs.create_new(path).unwrap().append(file).unwrap();
    let found = verify(fs.open(path).unwrap(), path, RowBounds::default(), &mut |_| true);
    assert!(found.is_sound(), "{:?}", found.problems);
}

fn says(file: &HFileReader) -> Vec<(Vec<u8>, Vec<u8>)> {
    file.file_info_entries().map(|(key, value)| (key.to_vec(), value.to_vec())).collect()
}

/// Every cell is found by its key, and by one before it.
fn assert_seeks(reader: &Arc<HFileReader>, cells: &[Stored]) {
    let mut scanner = files::scanner(reader);
    for (number, stored) in
        cells.iter().enumerate().step_by(3).chain(cells.iter().enumerate().rev().step_by(7))
    {
        read_through(&mut scanner, |scanner| scanner.seek(&stored.key())).unwrap();
        assert_eq!(files::here(&scanner).as_ref(), Some(stored));
        let (cell, next) = (stored.cell(), cells.get(number + 1));
        let behind = finback_cell::key::Key::last_on_column(cell.row(), b"cf", cell.qualifier());
        read_through(&mut scanner, |scanner: &mut HFileScanner| scanner.seek(&behind)).unwrap();
        assert_eq!(files::here(&scanner).as_ref(), next);
    }
    let behind_all = finback_cell::key::Key::first_on_row(b"\xff");
    read_through(&mut scanner, |scanner: &mut HFileScanner| scanner.seek(&behind_all)).unwrap();
    assert_eq!(files::here(&scanner), None);
}

#[test]
fn a_joined_file_is_as_good_as_one_that_was_written_cell_by_cell() {
    let parts = PARTS.map(cells);
    let all = parts.concat();
    let filters = [None, Some(BloomType::Row), Some(BloomType::RowColumn), Some(BloomType::RowPrefix(4))];
    for (compression, encoding) in [
        (Compression::None, DataBlockEncoding::None),
        (Compression::None, DataBlockEncoding::FastDiff),
        (Compression::Snappy, DataBlockEncoding::None),
        (Compression::Lz4, DataBlockEncoding::FastDiff),
        (Compression::Zstd, DataBlockEncoding::RowIndexV1),
    ] {
        for filter in filters {
            let mut options = WriterOptions { compression, encoding, ..small_blocks() };
            options.bloom.filter = filter;
            let inputs = open_all(&parts, &options);
            assert!(inputs.iter().all(|input| input.can_be_joined_to(&options)), "{options:?}");
            let levels = inputs.iter().map(|input| input.trailer().fields.num_data_index_levels());
            assert!(levels.clone().any(|levels| levels == 1) && levels.clone().any(|levels| levels > 2));
            let file = joined(&inputs, &options);
            assert_sound(&file);
            let reader = files::open(&file).unwrap();
            assert!(files::scan(&reader).unwrap() == all, "{options:?}");
            assert_seeks(&reader, &all);
            for stored in all.iter().step_by(5) {
                files::assert_may_be_there(&reader, &stored.cell());
            }
            let plain = files::open(&files::write(&all, options.clone())).unwrap();
            assert_eq!(says(&reader), says(&plain), "{options:?}");
            assert_eq!(reader.entry_count(), plain.entry_count());
            assert_eq!((reader.first_key(), reader.last_key()), (plain.first_key(), plain.last_key()));
            assert!(reader.mid_key().unwrap().is_some());
        }
    }
}

#[test]
fn a_joined_filter_still_denies_what_is_not_there() {
    let options = small_blocks();
    let parts = PARTS.map(cells);
    let reader = files::open(&joined(&open_all(&parts, &options), &options)).unwrap();
    let rows = (0..940).map(|number| format!("{}x", row(number)));
    let taken = rows.filter(|row| files::ask(BloomProbe::row(Arc::clone(&reader), None, row.as_bytes())));
    assert!(taken.count() < 60);
    let behind = BloomProbe::row(Arc::clone(&reader), None, b"s");
    assert!(!files::ask(behind));
    let (figures, inputs) = (reader.bloom_figures().unwrap(), open_all(&parts, &options));
    assert_eq!(figures.keys, 940);
    assert_eq!(figures.chunks, inputs.iter().map(|part| part.bloom_figures().unwrap().chunks).sum::<usize>());
}

#[test]
fn a_joined_file_can_be_joined_again_and_cells_appended_behind_it() {
    let options = small_blocks();
    let [first, second, third, fourth] = PARTS.map(cells);
    let inner = joined(&open_all(&[first.clone(), second.clone()], &options), &options);
    let last = open_all(std::slice::from_ref(&third), &options).remove(0);
    let fs = MemFileSystem::default();
    // Other checksums are made anew.
    let other = WriterOptions { checksum_type: ChecksumType::Crc32, bytes_per_checksum: 99, ..options };
    let mut writer = writer(&fs, &other);
    append(&mut writer, &files::open(&inner).unwrap()).unwrap();
    append(&mut writer, &last).unwrap();
    for stored in &fourth {
        writer.append(&stored.cell(), stored.sequence_id).unwrap();
    }
    let size = writer.finish(7).unwrap().size_bytes;
    let mut file = vec![0; size as usize];
    fs.open(Path::new(PATH)).unwrap().read_exact_at(0, &mut file).unwrap();
    assert_sound(&file);
    let reader = files::open(&file).unwrap();
    let all = [first, second, third, fourth].concat();
    assert!(files::scan(&reader).unwrap() == all);
    all.iter().for_each(|stored| files::assert_may_be_there(&reader, &stored.cell()));
    assert_eq!(says(&reader), says(&files::open(&files::write(&all, other)).unwrap()));
}

#[test]
fn a_file_of_another_form_is_not_joined() {
    let cells = cells(0..300);
    let of = |options: &WriterOptions| files::open(&files::write(&cells, options.clone())).unwrap();
    let options = WriterOptions { encoding: DataBlockEncoding::Diff, ..small_blocks() };
    let file = of(&options);
    assert!(file.can_be_joined_to(&options));
    let blooms = [
        BloomOptions { filter: None, ..options.bloom.clone() },
        BloomOptions { filter: Some(BloomType::RowColumn), ..options.bloom.clone() },
        BloomOptions { hash_type: HashType::Jenkins, ..options.bloom.clone() },
        BloomOptions { error_rate: 0.0001, ..options.bloom.clone() },
    ];
    let with_bloom = |bloom: BloomOptions| WriterOptions { bloom, ..options.clone() };
    let others = blooms.map(with_bloom).into_iter().chain([
        WriterOptions { compression: Compression::Lz4, ..options.clone() },
        WriterOptions { encoding: DataBlockEncoding::None, ..options.clone() },
        WriterOptions { include_tags: true, ..options.clone() },
        WriterOptions { block_size_bytes: 4096, ..options.clone() },
        WriterOptions { block_size_bytes: 64, ..options.clone() },
    ]);
    for other in others {
        assert!(!file.can_be_joined_to(&other), "{other:?}");
        let mut writer = writer(&MemFileSystem::default(), &other);
        let refused = writer.begin_joined(&file).unwrap_err();
        assert!(matches!(refused, HFileError::Unwritable { .. }), "{refused}");
    }
    let silent = of(&WriterOptions { says_if_plain: false, ..options.clone() });
    assert!(!silent.can_be_joined_to(&options));
    let unchecked = of(&WriterOptions { checksum_type: ChecksumType::Null, ..options.clone() });
    assert!(!unchecked.can_be_joined_to(&options));
    let with_meta = files::write_with(&cells, options.clone(), 7, |writer| {
        writer.append_meta_block(b"about", b"something").unwrap();
    });
    assert!(!files::open(&with_meta).unwrap().can_be_joined_to(&options));
    let empty = files::open(&files::write(&[], options.clone())).unwrap();
    assert!(!empty.can_be_joined_to(&options));
}

#[test]
fn a_file_of_the_other_form_of_zstandard_is_not_joined() {
    let of_form = |zstd_form| WriterOptions { compression: Compression::Zstd, zstd_form, ..small_blocks() };
    let (parts, forms) = (PARTS.map(cells), [ZstdForm::Frame, ZstdForm::Chunks]);
    for (form, other) in forms.into_iter().zip(forms.into_iter().rev()) {
        let (options, other) = (of_form(form), of_form(other));
        let inputs = open_all(&parts, &options);
        assert!(inputs.iter().all(|input| input.can_be_joined_to(&options)), "{form:?}");
        let file = joined(&inputs, &options);
        assert_sound(&file);
        let reader = files::open(&file).unwrap();
        assert!(files::scan(&reader).unwrap() == parts.concat(), "{form:?}");
        for input in inputs.iter().chain([&reader]) {
            assert!(input.can_be_joined_to(&options) && !input.can_be_joined_to(&other), "{form:?}");
            let refused = writer(&MemFileSystem::default(), &other).begin_joined(input).unwrap_err();
            assert!(matches!(refused, HFileError::Unwritable { .. }), "{refused}");
        }
    }
}

#[test]
fn rows_must_be_behind_each_other() {
    let options = small_blocks();
    let parts = [cells(0..300), cells(300..600), cells(299..400)];
    let inputs = open_all(&parts, &options);
    for (first, next) in [(1, 0), (0, 0), (0, 2)] {
        let mut writer = writer(&MemFileSystem::default(), &options);
        append(&mut writer, &inputs[first]).unwrap();
        let refused = append(&mut writer, &inputs[next]).unwrap_err();
        assert!(matches!(refused, HFileError::OutOfOrder { .. }), "{refused}");
    }
    let mut writer = writer(&MemFileSystem::default(), &options);
    writer.append(&parts[0][0].cell(), 0).unwrap();
    let refused = append(&mut writer, &inputs[1]).unwrap_err();
    assert!(matches!(refused, HFileError::Unwritable { .. }), "{refused}");
}

#[test]
fn a_file_says_that_it_is_plain_if_each_column_has_one_put_without_tags() {
    let is_plain = |cells: &[Stored], options: &WriterOptions| {
        let file = files::open(&files::write(cells, options.clone())).unwrap();
        file.file_info(file_info_keys::PLAIN).is_some()
    };
    let options = WriterOptions { include_tags: true, ..small_blocks() };
    let plain = [put(b"a", b"", 5, 1), put(b"a", b"q", 5, 1), put(b"a", b"qq", 9, 1), put(b"b", b"q", 5, 1)];
    assert!(is_plain(&plain, &options));
    assert!(is_plain(&plain[..1], &options));
    assert!(!is_plain(&plain, &WriterOptions { says_if_plain: false, ..options.clone() }));
    assert!(!is_plain(&[], &options));
    let other = |type_code: u8, tags: &[u8]| {
        let parts = CellParts {
            row: b"a",
            family: b"cf",
            qualifier: b"r",
            timestamp: 5,
            type_code,
            value: b"",
            tags,
        };
        Stored::new(&parts, 0)
    };
    let markers = [CellType::Delete, CellType::DeleteColumn, CellType::DeleteFamily];
    let others = markers.map(|marker| other(marker.code(), &[]));
    let tagged = other(CellType::Put.code(), &[0, 2, 70, b't']);
    for other in others.into_iter().chain([tagged, put(b"a", b"qq", 8, 1), put(b"a", b"qq", 9, 1)]) {
        let mut cells = plain.to_vec();
        cells.insert(3, other.clone());
        assert!(!is_plain(&cells, &options), "{other:?}");
    }
}

#[test]
fn what_a_file_says_of_other_cells_is_not_believed_and_found() {
    let options = WriterOptions { says_if_plain: false, ..small_blocks() };
    let plain = cells(0..300);
    let true_sums = files::open(&files::write(&plain, small_blocks())).unwrap();
    let true_sums = true_sums.file_info(file_info_keys::PLAIN).unwrap();
    let of = |cells: &[Stored], sums: &[u8]| {
        let file = files::write_with(cells, options.clone(), 7, |writer| {
            writer.append_file_info(file_info_keys::PLAIN, sums);
        });
        let (fs, path) = (MemFileSystem::default(), Path::new("/file"));
        fs.create_new(path).unwrap().append(&file).unwrap();
        let found = verify(fs.open(path).unwrap(), path, RowBounds::default(), &mut |_| true);
        (files::open(&file).unwrap().can_be_joined_to(&options), found.is_sound())
    };
    assert_eq!(of(&plain, true_sums), (true, true));
    // Of all cells, where half of them are there.
    assert_eq!(of(&plain[..300], true_sums), (false, false));
    for sums in [&[0xff; 16][..], &[0; 16], &[0x7f; 16], &true_sums[..15]] {
        assert_eq!(of(&plain, sums), (false, false), "{sums:?}");
    }
    // Two versions of a column in the place of one of each of two: only the cells tell.
    let mut versions = plain.clone();
    let first = versions[4].cell();
    let parts = CellParts {
        row: first.row(),
        family: b"cf",
        qualifier: first.qualifier(),
        timestamp: first.timestamp() - 1,
        type_code: CellType::Put.code(),
        value: versions[5].cell().value(),
        tags: &[],
    };
    versions[5] = Stored::new(&parts, 5);
    assert_eq!(of(&versions, &sums_of(&versions)), (true, false));
}

/// What stands in the file info of a file with these cells, if they are plain.
fn sums_of(cells: &[Stored]) -> Vec<u8> {
    let sum = |bytes: fn(&finback_cell::Cell<'_>) -> usize| {
        cells.iter().map(|stored| bytes(&stored.cell()) as u64).sum::<u64>().to_be_bytes()
    };
    [sum(|cell| cell.key().len()), sum(|cell| cell.value().len())].concat()
}

#[test]
fn a_damaged_block_is_found_or_read_from_another_copy() {
    let options = small_blocks();
    let cells = cells(0..300);
    let bytes = files::write(&cells, options.clone());
    let fs = FaultyFileSystem::new(Arc::new(MemFileSystem::default()));
    fs.create_new(Path::new("file")).unwrap().append(&bytes).unwrap();
    let join = || {
        let path = Path::new("file");
        let file = HFileReader::open(fs.open(path).unwrap(), path, FileId::next()).unwrap();
        let target = MemFileSystem::default();
        let mut writer = writer(&target, &options);
        append(&mut writer, &file)?;
        writer.finish(7).map(|finished| finished.entries)
    };
    let whole = join().unwrap();
    // In the second block.
    fs.faults().damage("file", 0, 700, 4);
    let found = join().unwrap_err();
    assert!(found.to_string().contains("checksum"), "{found}");
    fs.faults().set_second_copy(true);
    assert_eq!(join().unwrap(), whole);
}
