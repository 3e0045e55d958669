//! Anyone's bytes: flipped bits, cut files, lying lengths. Nothing panics, hangs, or returns wrong cells.

mod files;

use std::path::Path;
use std::sync::Arc;

use files::Stored;
use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::tag::write_tag;
use finback_hfile::testing::without_checksum_of_trailer;
use finback_hfile::{
    BloomOptions, BloomProbe, BloomType, ChecksumType, Compression, DataBlockEncoding, HFileError,
    HFileReader, HFileScanner, ScanInterrupt, WriterOptions, read_through,
};
use proptest::prelude::*;

const TRAILER_SIZE: usize = 4096;
const HEADER_SIZE: usize = 33;

fn options(checksum_type: ChecksumType) -> WriterOptions {
    WriterOptions {
        block_size_bytes: 150,
        index_block_size_bytes: 150,
        min_index_entries: 2,
        bytes_per_checksum: 100,
        checksum_type,
        include_tags: true,
        bloom: BloomOptions {
            filter: Some(BloomType::Row),
            family_delete: true,
            chunk_size_bytes: 8,
            max_fold: 2,
            ..BloomOptions::default()
        },
        ..WriterOptions::default()
    }
}

fn cells() -> Vec<Stored> {
    let cell = |number: u8| {
        let mut tags = Vec::new();
        for tag in 0..number % 3 {
            write_tag(&mut tags, tag + 1, &[7, number / 8]);
        }
        let value = vec![b'v'; usize::from(number) % 30];
        let parts = CellParts {
            row: &[b'r', number / 2],
            family: b"cf",
            qualifier: b"q",
            timestamp: 5 - i64::from(number % 2),
            type_code: if number.is_multiple_of(6) { 14 } else { 4 },
            value: &value,
            tags: &tags,
        };
        Stored::new(&parts, number.into())
    };
    (0..24).map(cell).collect()
}

/// Asks every filter for every row; the first refusal.
fn ask_filters(reader: &Arc<HFileReader>) -> Result<(), HFileError> {
    for stored in cells() {
        let cell = stored.cell();
        files::try_ask(BloomProbe::row(reader.clone(), None, cell.row()))?;
        files::try_ask(BloomProbe::column(reader.clone(), None, cell.row(), cell.qualifier()))?;
        files::try_ask(BloomProbe::row_prefix(reader.clone(), None, cell.row()))?;
        files::try_ask(BloomProbe::family_delete(reader.clone(), None, cell.row()))?;
    }
    Ok(())
}

/// What a reader tells of a file.
#[derive(Debug, PartialEq)]
struct Told {
    cells: Vec<Stored>,
    mid_key: Option<Vec<u8>>,
    last_key: Option<Vec<u8>>,
}

/// The first refusal, if anything is refused.
fn read_all(bytes: &[u8]) -> Result<Told, HFileError> {
    let reader = files::open(bytes)?;
    let cells = files::scan(&reader)?;
    let mid_key = reader.mid_key()?;
    ask_filters(&reader)?;
    Ok(Told { cells, mid_key, last_key: reader.last_key().map(<[u8]>::to_vec) })
}

/// Which block an error blames.
fn blamed(error: &HFileError) -> usize {
    match error {
        HFileError::Corrupt { path, offset, .. } if path == Path::new("/file") => *offset as usize,
        other => panic!("{other}"),
    }
}

/// A file of every kind: checksums, codecs, encodings, Bloom filters.
fn kinds() -> Vec<WriterOptions> {
    let small = options(ChecksumType::Crc32c);
    let mut kinds = vec![small.clone(), options(ChecksumType::Crc32)];
    kinds.push(WriterOptions { index_block_size_bytes: 100 << 10, ..small.clone() });
    let codecs = [Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];
    let filters = [None, Some(BloomType::RowColumn), Some(BloomType::RowPrefix(1)), Some(BloomType::Row)];
    for (compression, filter) in codecs.into_iter().zip(filters) {
        let bloom = BloomOptions { filter, ..small.bloom };
        kinds.push(WriterOptions { compression, bloom, ..small.clone() });
    }
    for encoding in files::ENCODINGS {
        kinds.push(WriterOptions { encoding, compress_tags: true, ..small.clone() });
    }
    kinds
}

/// Flips every bit of the first kind of file, and a bit of every byte of the others: the error names file and block.
#[test]
fn every_flipped_bit_before_the_trailer_is_found() {
    for (kind, options) in kinds().into_iter().enumerate() {
        let good = files::write(&cells(), options);
        assert_eq!(read_all(&good).unwrap().cells, cells());
        let mut bytes = good.clone();
        for (start, size) in blocks(&good) {
            for at in start..start + size {
                let one = (at + kind) % 8;
                for bit in if kind == 0 { 0..8 } else { one..one + 1 } {
                    bytes[at] ^= 1 << bit;
                    let error = read_all(&bytes).unwrap_err();
                    assert_eq!(blamed(&error), start, "kind {kind}, bit {bit} of byte {at}: {error}");
                    bytes[at] ^= 1 << bit;
                }
            }
        }
    }
}

/// Of several index levels, of one, and compressed.
fn kinds_of_trailers() -> [WriterOptions; 3] {
    let small = options(ChecksumType::Crc32c);
    let flat = WriterOptions { index_block_size_bytes: 100 << 10, ..small.clone() };
    let compressed = WriterOptions { compression: Compression::Snappy, ..small.clone() };
    [small, flat, compressed]
}

#[test]
fn every_flipped_bit_in_the_trailer_is_found() {
    for options in kinds_of_trailers() {
        let mut bytes = files::write(&cells(), options);
        assert_eq!(read_all(&bytes).unwrap().cells, cells());
        let start = bytes.len() - TRAILER_SIZE;
        for bit in 8 * start..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let error = files::open(&bytes).unwrap_err();
            assert_eq!(blamed(&error), start, "byte {} of the trailer: {error}", bit / 8 - start);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// HBase's trailers have none. What survives a flip there: numbers that are only for people, the offsets of the first
/// and last data block of a file with several index levels (the index says them too), the count of cells as long as it
/// is not 0, and the minor version; never a wrong cell.
#[test]
fn a_flipped_bit_in_a_trailer_without_checksum_changes_no_cell() {
    for options in kinds_of_trailers() {
        let good = without_checksum_of_trailer(&files::write(&cells(), options));
        let expected = read_all(&good).unwrap();
        assert_eq!(expected.cells, cells());
        let start = good.len() - TRAILER_SIZE;
        let fields_end = start + 9 + usize::from(good[start + 8]);
        let mut bytes = good.clone();
        let mut harmless = 0;
        for bit in 8 * start..8 * good.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(found) = read_all(&bytes) {
                assert_eq!(found, expected, "byte {}", bit / 8);
                let is_field = (start + 9..fields_end).contains(&(bit / 8));
                // Minor version 3 made an earlier one.
                let is_minor_version = bit / 8 == good.len() - 4;
                assert!(is_field || is_minor_version, "byte {} of the trailer", bit / 8 - start);
                harmless += 1;
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(harmless < 8 * 40, "{harmless} flips in the trailer went unnoticed");
    }
}

#[test]
fn a_file_cut_at_any_length_is_refused() {
    let good = files::write(&cells(), options(ChecksumType::Crc32c));
    for length in 0..good.len() {
        assert!(files::open(&good[..length]).is_err(), "{length} bytes of {}", good.len());
    }
    for start in 1..good.len() - TRAILER_SIZE {
        assert!(read_all(&good[start..]).is_err(), "without the first {start} bytes");
    }
}

/// Offsets and sizes of the blocks of a file, from its headers.
fn blocks(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() - TRAILER_SIZE {
        let size = HEADER_SIZE + u32::from_be_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
        found.push((at, size));
        at += size;
    }
    found
}

fn crc32c(bytes: &[u8]) -> u32 {
    crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, bytes) as u32
}

/// Makes the checksums of the block right again.
fn seal(block: &mut [u8]) {
    let chunk = u32::from_be_bytes(block[25..29].try_into().unwrap()) as usize;
    let data_size = u32::from_be_bytes(block[29..33].try_into().unwrap()) as usize;
    let Some((data, words)) = block.split_at_mut_checked(data_size) else { return };
    for (chunk, word) in data.chunks(chunk.max(1)).zip(words.chunks_exact_mut(4)) {
        word.copy_from_slice(&crc32c(chunk).to_be_bytes());
    }
}

/// Scans forward, back and by seeks, within a bounded number of steps.
fn exercise(bytes: &[u8]) {
    let Ok(reader) = files::open(bytes) else { return };
    let _ = ask_filters(&reader);
    let _ = (reader.mid_key(), reader.time_range(), reader.first_key(), reader.last_key());
    let mut scanner = files::scanner(&reader);
    let mut step = |operation: &mut dyn FnMut(&mut HFileScanner) -> Result<bool, ScanInterrupt>| {
        for _ in 0..100 {
            match operation(&mut scanner) {
                Ok(more) => return more,
                Err(ScanInterrupt::NeedBlock(request)) => match request.read() {
                    Ok(block) => scanner.provide(block),
                    Err(_) => return false,
                },
                Err(_) => return false,
            }
        }
        panic!("an operation asked for 100 blocks");
    };
    let start = Key::first_on_row(&[]);
    let mut more = step(&mut |scanner| scanner.seek(&start).map(|()| scanner.peek().is_some()));
    let mut count = 0;
    while more {
        count += 1;
        assert!(count < bytes.len(), "more cells than bytes");
        more = step(&mut |scanner| scanner.advance().map(|()| scanner.peek().is_some()));
    }
    let mut row: Option<Vec<u8>> = None;
    loop {
        let mut found = None;
        step(&mut |scanner| {
            found = scanner.previous_row(row.as_deref())?;
            Ok(true)
        });
        let Some(found) = found else { break };
        assert!(row.as_ref().is_none_or(|row| found < *row), "a step back went forward");
        row = Some(found);
    }
    for stored in cells() {
        step(&mut |scanner| scanner.seek(&stored.key()).map(|()| scanner.peek().is_some()));
        step(&mut |scanner| scanner.reseek(&Key::last_on_row(b"r\x0a")).map(|()| scanner.peek().is_some()));
    }
}

#[test]
fn lying_lengths_under_right_checksums_do_no_harm() {
    let lies = [0, 1, 0x7f, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 5000, 200];
    lying_lengths_do_no_harm_in(options(ChecksumType::Crc32c), &lies);
}

#[test]
fn lying_lengths_in_encoded_blocks_do_no_harm() {
    for encoding in files::ENCODINGS {
        let small = options(ChecksumType::Crc32c);
        lying_lengths_do_no_harm_in(
            WriterOptions { encoding, block_size_bytes: 600, ..small },
            &[0, 1, 0x7f, 0x7fff_ffff, 0xffff_ffff],
        );
    }
}

/// A key and a value of 1 MB, which each record of 6 bytes repeats: with an unencoded length that admits to less, nothing
/// is made of them.
#[test]
fn a_block_that_decodes_to_far_more_than_it_says_is_refused() {
    let parts = CellParts {
        row: b"r",
        family: b"f",
        qualifier: &vec![b'q'; 1 << 20],
        timestamp: 5,
        type_code: 4,
        value: &vec![b'v'; 1 << 20],
        tags: &[],
    };
    let cell = Stored::new(&parts, 0);
    let cells = vec![cell; 20];
    let encoding = DataBlockEncoding::FastDiff;
    let good = files::write(&cells, WriterOptions { encoding, ..WriterOptions::default() });
    assert!(good.len() < 6 << 20, "{}", good.len());
    assert!(read_all(&good).unwrap().cells == cells);
    let (_, size) = blocks(&good)[0];
    for lie in [0, 1 << 20, 39 << 20, i32::MAX as u32, u32::MAX] {
        let mut bytes = good.clone();
        bytes[HEADER_SIZE + 2..HEADER_SIZE + 6].copy_from_slice(&lie.to_be_bytes());
        seal(&mut bytes[..size]);
        let error = read_all(&bytes).unwrap_err().to_string();
        assert!(error.contains("unencoded length"), "{error}");
    }
}

#[test]
fn lying_lengths_in_compressed_blocks_do_no_harm() {
    for compression in [Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        let small = options(ChecksumType::Crc32c);
        lying_lengths_do_no_harm_in(
            WriterOptions { compression, block_size_bytes: 600, ..small },
            &[0, 1, 0x7f, 0x7fff_ffff, 0xffff_ffff],
        );
    }
}

/// Every four bytes of every block are one of the lies, each in its turn.
fn lying_lengths_do_no_harm_in(options: WriterOptions, lies: &[u32]) {
    let good = files::write(&cells(), options);
    let mut turns = lies.iter().cycle();
    for (offset, size) in blocks(&good) {
        for at in offset..offset + size.saturating_sub(4) {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&turns.next().unwrap().to_be_bytes());
            seal(&mut bytes[offset..offset + size]);
            exercise(&bytes);
        }
        // the same place of the next block of this kind has another turn
        turns.next();
    }
}

/// Every entry of the root leads to the first leaf, under right checksums: a walk would not end where the file does.
#[test]
fn an_index_that_leads_in_circles_is_refused() {
    let good = files::write(&cells(), options(ChecksumType::Crc32c));
    let reader = files::open(&good).unwrap();
    let fields = &reader.trailer().fields;
    assert!(fields.num_data_index_levels() > 1 && fields.data_index_count() > 1);
    let root = fields.load_on_open_data_offset() as usize;
    let size = HEADER_SIZE + u32::from_be_bytes(good[root + 8..root + 12].try_into().unwrap()) as usize;
    let mut bytes = good.clone();
    let first_place: [u8; 12] = bytes[root + HEADER_SIZE..][..12].try_into().unwrap();
    let mut at = root + HEADER_SIZE;
    for _ in 0..fields.data_index_count() {
        bytes[at..at + 12].copy_from_slice(&first_place);
        // The length of so short a key is one byte.
        at += 13 + usize::from(bytes[at + 12]);
    }
    seal(&mut bytes[root..root + size]);
    let reader = files::open(&bytes).unwrap();
    let error = files::scan(&reader).unwrap_err();
    assert!(error.to_string().contains("a neighbour beside this block"), "{error}");
    exercise(&bytes);
}

/// A key of the index is beyond the cells of its block: whoever looks for what lies behind one of them would be led back to the first of
/// them, and look again.
#[test]
fn an_index_that_leads_back_is_refused() {
    let small = options(ChecksumType::Crc32c);
    let mut bytes = files::write(&cells(), WriterOptions { index_block_size_bytes: 64 << 10, ..small });
    let reader = files::open(&bytes).unwrap();
    let fields = &reader.trailer().fields;
    assert!(fields.num_data_index_levels() == 1 && fields.data_index_count() > 1);
    let root = fields.load_on_open_data_offset() as usize;
    let size = HEADER_SIZE + u32::from_be_bytes(bytes[root + 8..root + 12].try_into().unwrap()) as usize;
    let mut at = root + HEADER_SIZE;
    for _ in 1..fields.data_index_count() {
        at += 13 + usize::from(bytes[at + 12]);
    }
    // Behind offset, size, the key's length and its row's, and the first byte of the row.
    bytes[at + 16] = 0xff;
    seal(&mut bytes[root..root + size]);
    let last = cells().pop().unwrap();
    let row = last.key().row.to_vec();
    let reader = files::open(&bytes).unwrap();
    let mut scanner = files::scanner(&reader);
    let error = read_through(&mut scanner, |scanner| scanner.seek(&Key::last_on_row(&row))).unwrap_err();
    assert!(error.to_string().contains("a neighbour beside this block"), "{error}");
    exercise(&bytes);
}

/// The root leads to a block with the magic of a root index: what is in it was never looked at, and it has a first key of
/// no bytes.
#[test]
fn a_root_index_below_the_root_is_refused() {
    let small = options(ChecksumType::Crc32c);
    let of_index = |index_block_size_bytes| {
        files::write(&cells(), WriterOptions { index_block_size_bytes, ..small.clone() })
    };
    let levels = |bytes: &Vec<u8>| files::open(bytes).unwrap().trailer().fields.num_data_index_levels();
    let good = (150..400).step_by(10).map(of_index).find(|bytes| levels(bytes) == 2).unwrap();
    let reader = files::open(&good).unwrap();
    let root = reader.trailer().fields.load_on_open_data_offset() as usize;
    let child = u64::from_be_bytes(good[root + HEADER_SIZE..][..8].try_into().unwrap()) as usize;
    let (_, size) = *blocks(&good).iter().find(|(offset, _)| *offset == child).unwrap();
    let mut bytes = good.clone();
    bytes[child..child + 8].copy_from_slice(b"IDXROOT2");
    // One entry of 12 bytes: a block that is too large to be read for its first key, at 0; and no key.
    let entries = [1u32, 0, 12, 0, 0, 2 << 20].map(u32::to_be_bytes).concat();
    bytes[child + HEADER_SIZE..][..entries.len()].copy_from_slice(&entries);
    seal(&mut bytes[child..child + size]);
    let error = files::open(&bytes).unwrap_err();
    assert!(error.to_string().contains("expected leaf index block, found root index block"), "{error}");
    exercise(&bytes);
}

/// Records of a few bytes repeat a value of 64 KiB: HBase ends a block long before they are so many.
#[test]
fn a_block_that_decodes_to_far_more_than_any_writer_makes_is_refused() {
    let value = vec![b'v'; 64 << 10];
    let cell = |number: u16| {
        let row = number.to_be_bytes();
        let parts = CellParts {
            row: &row,
            family: b"f",
            qualifier: b"q",
            timestamp: 5,
            type_code: 4,
            value: &value,
            tags: &[],
        };
        Stored::new(&parts, 0)
    };
    let options = WriterOptions {
        encoding: DataBlockEncoding::FastDiff,
        block_size_bytes: 1 << 30,
        ..WriterOptions::default()
    };
    let written = |cells: u16| files::write(&(0..cells).map(cell).collect::<Vec<_>>(), options.clone());
    // 16 MiB is the largest block size, and a cell more.
    assert_eq!(read_all(&written(257)).unwrap().cells.len(), 257);
    let error = read_all(&written(1200)).err().unwrap().to_string();
    assert!(error.contains("more than any writer makes of these bytes"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn random_changes_under_right_checksums_do_no_harm(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        compression in prop::sample::select(vec![Compression::None, Compression::Snappy, Compression::Zstd]),
        encoding in files::any_encoding(),
        filter in files::any_filter(),
    ) {
        let mut options = WriterOptions { compression, encoding, ..options(ChecksumType::Crc32c) };
        options.bloom.filter = filter;
        // What the trailer says is not looked at under a checksum that is wrong.
        let good = without_checksum_of_trailer(&files::write(&cells(), options));
        let mut bytes = good.clone();
        for (index, value) in changes {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        for (offset, size) in blocks(&good) {
            seal(&mut bytes[offset..offset + size]);
        }
        exercise(&bytes);
    }

    #[test]
    fn any_bytes_before_a_sound_trailer_are_refused(noise in prop::collection::vec(any::<u8>(), 0..6000)) {
        let good = files::write(&cells(), options(ChecksumType::Crc32c));
        let bytes = [&noise[..], &good[good.len() - TRAILER_SIZE..]].concat();
        prop_assert!(read_all(&bytes).is_err());
        prop_assert!(files::open(&noise).is_err());
    }
}

/// A search by halves may find a cell that is before what is looked for; whoever goes on until there is none would never end.
#[test]
fn a_seek_among_cells_out_of_order_finds_none_before_its_key() {
    let rows = [b"bbbbb", b"bbbbb", b"cccc1", b"cccc2", b"cccc3", b"dddd1", b"dddd2", b"dddd3"];
    let cells: Vec<Stored> =
        rows.iter().zip((0..8).rev()).map(|(row, at)| files::put(*row, b"q", at, 3)).collect();
    let mut bytes = files::write(&cells, WriterOptions::default());
    let (offset, length) = blocks(&bytes)[0];
    let block = &mut bytes[offset..offset + length];
    for row in [rows[3], rows[5], rows[6], rows[7]] {
        let at = block.windows(5).position(|window| window == row).unwrap();
        block[at..at + 5].copy_from_slice(b"aaaaa");
    }
    seal(block);
    let reader = files::open(&bytes).unwrap();
    let mut was_refused = false;
    for row in ["aaaaa", "bbbbb", "cccc0", "cccc1", "cccc2", "cccc3", "cccc4", "e"].map(str::as_bytes) {
        for key in [Key::first_on_row(row), Key::last_on_row(row)] {
            let mut scanner = files::scanner(&reader);
            match read_through(&mut scanner, |scanner| scanner.seek(&key)) {
                Ok(()) => {
                    let found = scanner.key().map(|(found, _)| reader.order().compare_keys(&found, &key));
                    assert_ne!(found, Some(std::cmp::Ordering::Less), "{key:?}");
                }
                Err(error) => {
                    was_refused = true;
                    let expected = "corrupt data block at 0: expected cells in order";
                    assert!(error.to_string().contains(expected), "{error}");
                }
            }
        }
    }
    assert!(was_refused);
}
