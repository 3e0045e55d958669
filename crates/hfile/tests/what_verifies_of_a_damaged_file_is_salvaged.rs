//! Files with bits flipped at random places, without their ends, and with blocks that are others': every cell of the data blocks
//! that verify comes into the new file, and no other.

mod files;
mod golden;

use files::{Stored, put, scan, write};
use finback_cell::CellOrder;
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::testing::without_checksum_of_trailer;
use finback_hfile::{
    BloomOptions, BloomType, Compression, DamagedFile, DataBlockEncoding, FamilySettings, FileId, HFileError,
    HFileReader, RowBounds, Salvaged, WriterOptions, file_info_keys, verify,
};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

const FAMILY: FamilySettings = FamilySettings { block_size_bytes: 1000, bloom: Some(BloomType::Row) };

/// What is left of a file: its cells, and the report.
fn salvaged(bytes: &[u8], order: CellOrder) -> Result<(Arc<HFileReader>, Salvaged), HFileError> {
    let (fs, from, to) = (MemFileSystem::default(), Path::new("/damaged"), Path::new("/salvaged"));
    fs.create_new(from).unwrap().append(bytes).unwrap();
    let damaged = DamagedFile::open(fs.open(from).unwrap(), from, order)?;
    let mut done = 0;
    let mut watch = |at: u64| {
        assert!(at >= done && at <= bytes.len() as u64);
        done = at;
        true
    };
    let found = damaged.write_sound(fs.create_new(to).unwrap(), to, FAMILY, &mut watch)?;
    assert_eq!(damaged.cells(&mut |_, _| Ok(()), &mut |_| true)?, found);
    let verified = verify(fs.open(to).unwrap(), to, RowBounds::default(), &mut |_| true);
    assert!(verified.is_sound(), "{:#?}", verified.problems);
    assert_eq!(verified.cells, found.cells);
    Ok((HFileReader::open(fs.open(to).unwrap(), to, FileId::next())?, found))
}

/// The cells of a file by its data blocks, as the index has them.
fn cells_by_block(reader: &Arc<HFileReader>) -> Vec<(Range<usize>, Vec<Stored>)> {
    let entries: Vec<_> = reader.index_entries().map(Result::unwrap).collect();
    let range = |number: usize| {
        let place = entries[number].place;
        place.offset as usize..(place.offset + u64::from(place.size)) as usize
    };
    let mut blocks: Vec<_> = (0..entries.len()).map(|number| (range(number), Vec::new())).collect();
    for cell in scan(reader).unwrap() {
        let is_before = |entry: &finback_hfile::IndexEntry| {
            reader.order().compare_flat_to_key(&entry.key, &cell.key()).is_le()
        };
        let number = entries.partition_point(is_before) - 1;
        blocks[number].1.push(cell);
    }
    blocks
}

fn random(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % below
}

/// Flips some bits, as `seed` has it, and compares what is salvaged with the blocks that were not hit.
fn flip_and_salvage(name: &str, bytes: &[u8], seed: u64) -> bool {
    let reader = files::open(bytes).unwrap();
    let blocks = cells_by_block(&reader);
    let mut state = seed;
    let mut damaged = bytes.to_vec();
    // Half of the seeds hit what comes behind the data, too.
    let reach =
        if seed.is_multiple_of(2) { blocks.last().map_or(1, |(range, _)| range.end) } else { bytes.len() };
    let hits: Vec<usize> = (0..1 + random(&mut state, 4)).map(|_| random(&mut state, reach)).collect();
    hits.iter().for_each(|&at| damaged[at] ^= 1 << (seed % 8));
    // Two hits may have put a byte right again.
    let is_hit = |range: &Range<usize>| damaged[range.clone()] != bytes[range.clone()];
    let kept: Vec<&Vec<Stored>> =
        blocks.iter().filter(|(range, _)| !is_hit(range)).map(|(_, cells)| cells).collect();
    let expected: Vec<&Stored> = kept.iter().copied().flatten().collect();
    let context = format!("{name}, seed {seed}, bytes {hits:?}");
    let (left, found) = match salvaged(&damaged, reader.order()) {
        Ok(left) => left,
        Err(HFileError::Unsupported { .. }) if hits.iter().any(|at| at + 4096 >= bytes.len()) => {
            return false;
        }
        Err(HFileError::Corrupt { .. }) if expected.is_empty() => return false,
        Err(error) => panic!("{context}: {error}"),
    };
    assert_eq!(scan(&left).unwrap().iter().collect::<Vec<_>>(), expected, "{context}");
    assert_eq!(found.blocks, kept.len() as u64, "{context}: {found:?}");
    // Without trailer and file info nothing says where the cells end.
    let is_unproven = found.lacks_file_info && hits.iter().any(|at| at + 4096 >= bytes.len());
    let expects_losses = kept.len() < blocks.len();
    assert!(found.losses.is_empty() != expects_losses || is_unproven, "{context}: {found:?}");
    for loss in found.losses.iter().filter(|_| !is_unproven) {
        let is_lost = |(range, cells): &(Range<usize>, Vec<Stored>)| {
            let row = cells[0].cell().row();
            // The rows of hbase:meta do not compare as bytes.
            let is_between = reader.order() == CellOrder::Meta
                || (loss.after.as_ref().is_none_or(|after| **after <= *row)
                    && loss.before.as_ref().is_none_or(|before| *row <= **before));
            is_hit(range) && loss.offset <= range.start as u64 && is_between
        };
        assert!(blocks.iter().any(is_lost), "{context}: {loss:?}");
    }
    assert_eq!(
        (left.includes_tags(), left.includes_mvcc()),
        (reader.includes_tags(), reader.includes_mvcc())
    );
    assert_eq!(
        (left.encoding(), left.trailer().compression),
        (reader.encoding(), reader.trailer().compression)
    );
    if !found.lacks_file_info {
        compare_file_info(&reader, &left, &context);
    }
    true
}

/// What a file says of itself that does not follow from its cells is what the damaged one said.
fn compare_file_info(before: &HFileReader, after: &HFileReader, context: &str) {
    use file_info_keys as keys;
    let of_cells = [
        keys::LAST_KEY,
        keys::AVG_KEY_LEN,
        keys::AVG_VALUE_LEN,
        keys::MAX_TAGS_LEN,
        keys::MAX_MEMSTORE_TS,
        keys::TIMERANGE,
        keys::EARLIEST_PUT_TS,
        keys::LAST_BLOOM_KEY,
        keys::BLOOM_FILTER_TYPE,
        keys::BLOOM_FILTER_PARAM,
        keys::DELETE_FAMILY_COUNT,
    ];
    let rest = |reader: &HFileReader| -> Vec<(Vec<u8>, Vec<u8>)> {
        let entries = reader.file_info_entries().filter(|(key, _)| !of_cells.contains(key));
        entries.map(|(key, value)| (key.to_vec(), value.to_vec())).collect()
    };
    assert_eq!(rest(before), rest(after), "{context}");
    // A file in which nothing was added to the filter has none.
    if before.bloom_type().is_some() && after.entry_count() > 0 {
        assert_eq!(before.bloom_type(), after.bloom_type(), "{context}");
    }
}

#[test]
fn every_cell_of_hbases_blocks_that_verify_and_no_other() {
    let mut salvages = 0;
    for name in golden::READABLE.iter().filter(|name| !["checksum-null", "empty"].contains(*name)) {
        let bytes = std::fs::read(golden::path(name)).unwrap();
        salvages += (0..12).filter(|&seed| flip_and_salvage(name, &bytes, seed)).count();
    }
    assert!(salvages > 300, "{salvages}");
}

#[test]
fn every_cell_of_our_blocks_that_verify_and_no_other() {
    let cells: Vec<Stored> = (0..300u16).map(|row| put(&row.to_be_bytes(), b"q", 1, 20)).collect();
    let codecs =
        [Compression::None, Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];
    for encoding in files::ENCODINGS {
        for (compression, include_tags) in codecs.into_iter().zip([true, false, true, false, true]) {
            let options = WriterOptions {
                encoding,
                compression,
                include_tags,
                block_size_bytes: 400,
                index_block_size_bytes: 150,
                min_index_entries: 2,
                bloom: BloomOptions { filter: Some(BloomType::RowColumn), ..BloomOptions::default() },
                ..WriterOptions::default()
            };
            let bytes = write(&cells, options);
            let name = format!("{encoding:?} {compression:?}");
            let salvages = (100..112).filter(|&seed| flip_and_salvage(&name, &bytes, seed)).count();
            assert!(salvages > 8, "{name}: {salvages}");
        }
    }
}

/// Many blocks without compression.
fn plain(cells: &[Stored]) -> Vec<u8> {
    write(cells, WriterOptions { block_size_bytes: 500, ..WriterOptions::default() })
}

fn rows(count: u16) -> Vec<Stored> {
    (0..count).map(|row| put(&row.to_be_bytes(), b"q", 1, 30)).collect()
}

#[test]
fn a_file_that_is_cut_off_keeps_what_is_before() {
    for encoding in files::ENCODINGS {
        let options = WriterOptions { encoding, block_size_bytes: 500, ..WriterOptions::default() };
        let bytes = write(&rows(200), options);
        let blocks = cells_by_block(&files::open(&bytes).unwrap());
        // In the middle of a block; where one ends, so that nothing is left over; in the trailer.
        let ends = [blocks[7].0.start + 100, blocks[7].0.end, bytes.len() - 100];
        for (number, end) in ends.into_iter().enumerate() {
            let (left, found) = salvaged(&bytes[..end], CellOrder::User).unwrap();
            let expected: Vec<&Stored> =
                blocks.iter().filter(|(range, _)| range.end <= end).flat_map(|(_, cells)| cells).collect();
            assert_eq!(scan(&left).unwrap().iter().collect::<Vec<_>>(), expected);
            assert!(!found.is_whole() || number == 2, "{found:?}");
            if number < 2 {
                assert_eq!((found.losses.len(), found.lacks_file_info), (1, true), "{found:?}");
                let loss = &found.losses[0];
                assert_eq!((loss.before.as_ref(), loss.after.is_some()), (None, true), "{loss:?}");
            }
        }
    }
}

#[test]
fn damage_outside_of_the_cells_costs_none() {
    let bytes = plain(&rows(200));
    let reader = files::open(&bytes).unwrap();
    let fields = &reader.trailer().fields;
    // The root index, and the trailer's magic.
    for at in [fields.load_on_open_data_offset() as usize + 40, bytes.len() - 4096] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(files::open(&damaged).is_err());
        let (left, found) = salvaged(&damaged, CellOrder::User).unwrap();
        assert!(found.is_whole(), "{found:?}");
        assert_eq!(scan(&left).unwrap(), scan(&reader).unwrap());
        compare_file_info(&reader, &left, "");
    }
    // The file info: its cells are there, and what it said is not.
    let mut damaged = bytes.clone();
    damaged[fields.file_info_offset() as usize + 50] ^= 1;
    let (left, found) = salvaged(&damaged, CellOrder::User).unwrap();
    assert_eq!((found.losses.len(), found.lacks_file_info, found.lost_cells), (0, true, Some(0)));
    assert_eq!(scan(&left).unwrap(), scan(&reader).unwrap());
    assert_eq!(left.bloom_type(), FAMILY.bloom);
}

#[test]
fn a_file_within_a_value_is_not_taken_for_a_part_of_the_file() {
    let inner = plain(&rows(100));
    let mut cells = rows(100);
    let mut large = put(&50u16.to_be_bytes(), b"r", 1, 0);
    let parts = finback_cell::cell::CellParts {
        row: &50u16.to_be_bytes(),
        family: large.cell().family(),
        qualifier: b"r",
        timestamp: 1,
        type_code: 4,
        value: &inner,
        tags: &[],
    };
    large = Stored::new(&parts, 0);
    cells.push(large);
    files::sort(&mut cells, CellOrder::User);
    let bytes = plain(&cells);
    let blocks = cells_by_block(&files::open(&bytes).unwrap());
    let number = blocks.iter().position(|(range, _)| range.len() > inner.len()).unwrap();
    // The block of the value is damaged before the value: its blocks all verify.
    let mut damaged = bytes.clone();
    damaged[blocks[number].0.start + 12] ^= 1;
    // With and without the end of the file.
    for end in [bytes.len(), blocks[blocks.len() - 2].0.start] {
        let (left, _) = salvaged(&damaged[..end], CellOrder::User).unwrap();
        let is_kept =
            |(at, (range, _)): &(usize, &(Range<usize>, Vec<Stored>))| *at != number && range.end <= end;
        let kept = blocks.iter().enumerate().filter(is_kept);
        let expected: Vec<&Stored> = kept.flat_map(|(_, (_, cells))| cells).collect();
        assert_eq!(scan(&left).unwrap().iter().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_block_of_another_file_is_no_part_of_this_one() {
    let cells = rows(200);
    let bytes = plain(&cells);
    let mut others = rows(200);
    others.iter_mut().for_each(|cell| {
        let at = cell.bytes.len() - 1;
        cell.bytes[at] = b'x';
    });
    let other = plain(&others);
    let blocks = cells_by_block(&files::open(&bytes).unwrap());
    // A block with right checksums, that is another one's: the fifth of the other file in place of the eighth.
    let (from, to) = (blocks[4].0.clone(), blocks[7].0.clone());
    assert_eq!(from.len(), to.len());
    let mut damaged = bytes.clone();
    damaged[to.clone()].copy_from_slice(&other[from]);
    let (left, found) = salvaged(&damaged, CellOrder::User).unwrap();
    let kept = blocks.iter().filter(|(range, _)| *range != to);
    let expected: Vec<&Stored> = kept.flat_map(|(_, cells)| cells).collect();
    assert_eq!(scan(&left).unwrap().iter().collect::<Vec<_>>(), expected);
    assert_eq!(found.losses.len(), 1);
}

/// Magic, mark, checksum, fields and version of a trailer of ours: without it all is found.
#[test]
fn a_damaged_trailer_costs_no_cell() {
    for compression in [Compression::None, Compression::Snappy] {
        let options = WriterOptions { block_size_bytes: 500, compression, ..WriterOptions::default() };
        let mut bytes = write(&rows(100), options);
        let start = bytes.len() - 4096;
        let fields_end = start + 9 + usize::from(bytes[start + 8]);
        for at in (start..fields_end).chain(bytes.len() - 4..bytes.len()) {
            bytes[at] ^= 1 << (at % 8);
            assert!(matches!(files::open(&bytes), Err(HFileError::Corrupt { .. })), "byte {}", at - start);
            let (left, found) = salvaged(&bytes, CellOrder::User).unwrap();
            assert!(found.is_whole(), "byte {}: {found:?}", at - start);
            assert_eq!(scan(&left).unwrap(), rows(100));
            assert_eq!(left.trailer().compression, compression);
            bytes[at] ^= 1 << (at % 8);
        }
    }
}

/// Without a checksum, as HBase's have none, a flipped bit in the trailer's version, or in the name of the comparator or the
/// codec, makes it one that is not known. The blocks say that it is the trailer that is wrong.
#[test]
fn a_trailer_that_is_not_known_costs_no_cell() {
    for compression in [Compression::None, Compression::Snappy, Compression::Zstd] {
        let options = WriterOptions { block_size_bytes: 500, compression, ..WriterOptions::default() };
        let mut bytes = without_checksum_of_trailer(&write(&rows(100), options));
        let start = bytes.len() - 4096;
        let fields_end = start + 9 + usize::from(bytes[start + 8]);
        let mut unknown = 0;
        for at in (start + 8..fields_end).chain(bytes.len() - 4..bytes.len()) {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                if matches!(files::open(&bytes), Err(HFileError::Unsupported { .. })) {
                    let (left, found) = salvaged(&bytes, CellOrder::User).unwrap();
                    assert!(found.is_whole(), "bit {bit} of byte {}: {found:?}", at - start);
                    assert_eq!(scan(&left).unwrap(), rows(100));
                    assert_eq!(left.trailer().compression, compression);
                    unknown += 1;
                }
                bytes[at] ^= 1 << bit;
            }
        }
        assert!(unknown > 8 * 40, "{unknown}");
    }
}

/// A codec that is not known, of blocks that say nothing else.
#[test]
fn a_file_of_a_codec_that_is_not_known_is_not_a_damaged_one() {
    let options = WriterOptions { compression: Compression::Snappy, ..WriterOptions::default() };
    let mut bytes = without_checksum_of_trailer(&write(&rows(100), options));
    let start = bytes.len() - 4096;
    let length = usize::from(bytes[start + 8]);
    // Field 12 is the last: SNAPPY, made LZO.
    assert_eq!(bytes[start + 9 + length - 2..][..2], [0x60, 3]);
    bytes[start + 9 + length - 1] = 0;
    for block in 0..start {
        let is_data = bytes[block..].starts_with(b"DATABLK*");
        if is_data {
            // What of it is compressed, and the checksums, which go for less here.
            let end = block + u32::from_be_bytes(bytes[block + 29..][..4].try_into().unwrap()) as usize;
            bytes[block + 33..end].iter_mut().for_each(|byte| *byte ^= 0x55);
            let chunk = &bytes[block..end];
            let crc = crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, chunk) as u32;
            assert!(chunk.len() <= 16 << 10);
            bytes[end..end + 4].copy_from_slice(&crc.to_be_bytes());
        }
    }
    let error = salvaged(&bytes, CellOrder::User).err().unwrap();
    assert!(matches!(&error, HFileError::Unsupported { feature, .. } if feature.contains("LZO")), "{error}");
}

#[test]
fn nothing_is_made_of_what_is_no_store_file() {
    for bytes in [Vec::new(), vec![0; 5000], b"DATABLK*".repeat(2000), b"TRABLK\"$".to_vec()] {
        let error = salvaged(&bytes, CellOrder::User).err().unwrap();
        assert!(error.to_string().contains("a data block that verifies, found none"), "{error}");
    }
    let encoded = WriterOptions { encoding: DataBlockEncoding::Diff, ..WriterOptions::default() };
    let empty = write(&[], encoded);
    assert!(salvaged(&empty, CellOrder::User).is_err());
}
