//! A compaction copies blocks of its inputs as they are stored, where nothing comes between their cells and all of them stay as
//! they are. What it writes is otherwise what it would have written cell by cell.

use crate::hfiles::{put_cell, write_hfile_as};
use crate::world::{World, family, mutation, run};
use finback_cell::schema::set_entry;
use finback_cell::{
    Bytes, CellType, ColumnFamilyDescriptor, LATEST_TIMESTAMP, Mutation, MutationKind, RegionInfo, Scan,
};
use finback_fs::MemFileSystem;
use finback_hfile::{
    BlockType, FileId, HFileReader, HFileScanner, RowBounds, ScanInterrupt, StoredBlock, WriterOptions,
    read_through, verify,
};
use finback_region::{
    BulkLoadFile, BulkLoadOptions, CompactionConfig, CompactionOutcome, DateTieredConfig, JobControl,
    KeptBlocks, Region, RegionError, StoreEngine,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// So many rows of [`rows`] fill a block.
pub(crate) const ROWS_OF_BLOCK: u32 = 8;
const BLOCK_BYTES: &str = "512";
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn plain_family(attributes: &[(&str, &str)]) -> ColumnFamilyDescriptor {
    let family = family("a", 1).with("BLOCKSIZE", BLOCK_BYTES).with("COMPRESSION", "LZ4");
    attributes.iter().fold(family, |family, (name, value)| family.with(name, value))
}

/// A family whose compactions remember sequence ids for six days, wherever its files are.
fn small_blocks(attributes: &[(&str, &str)]) -> ColumnFamilyDescriptor {
    let mut family = plain_family(attributes);
    set_entry(&mut family.configuration, "hbase.hstore.compaction.keep.seqId.period", "6");
    family
}

fn started_with(family: ColumnFamilyDescriptor) -> (World, Arc<Region>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family]);
    let region = world.start().unwrap();
    (world, region)
}

pub(crate) fn started(attributes: &[(&str, &str)]) -> (World, Arc<Region>) {
    started_with(small_blocks(attributes))
}

/// Sequence ids are forgotten as soon as nobody needs them.
pub(crate) fn remembering_none(attributes: &[(&str, &str)]) -> (World, Arc<Region>) {
    started_with(plain_family(attributes))
}

/// The same region, of a table with this family now.
pub(crate) fn reopened(
    world: &mut World,
    region: Arc<Region>,
    family: ColumnFamilyDescriptor,
) -> Arc<Region> {
    region.close().unwrap();
    drop(region);
    let mut table = (*world.table).clone();
    table.families = vec![family];
    world.table = Arc::new(table);
    world.start().unwrap()
}

/// The same region, of a table whose family has other attributes now.
pub(crate) fn altered(world: &mut World, region: Arc<Region>, attributes: &[(&str, &str)]) -> Arc<Region> {
    reopened(world, region, small_blocks(attributes))
}

pub(crate) fn row(number: u32) -> String {
    format!("r{number:05}")
}

pub(crate) fn put_at(row: &str, timestamp: i64) -> Mutation {
    // As long for every row, and not the same.
    let value = row.repeat(7);
    mutation(MutationKind::Put, CellType::Put, (row, "a", "q"), timestamp, &value.as_bytes()[..40])
}

pub(crate) fn write(region: &Region, edits: Vec<Mutation>) {
    run(region.batch(edits)).into_iter().for_each(|outcome| outcome.unwrap());
}

/// A file of these rows.
pub(crate) fn rows(region: &Region, numbers: impl Iterator<Item = u32>) {
    write(region, numbers.map(|number| put_at(&row(number), LATEST_TIMESTAMP)).collect());
    region.flush(None).unwrap();
}

/// A file of so many full blocks.
pub(crate) fn blocks(region: &Region, blocks: Range<u32>) {
    rows(region, blocks.start * ROWS_OF_BLOCK..blocks.end * ROWS_OF_BLOCK);
}

pub(crate) fn compact(region: &Region) -> CompactionOutcome {
    region.compact(b"a", true).unwrap().unwrap()
}

pub(crate) fn file_paths(world: &World) -> Vec<PathBuf> {
    let dir = world.root.family_dir(&world.info.table, &world.info.encoded_name(), b"a");
    let mut names: Vec<_> = world.fs.list(&dir).unwrap().into_iter().map(|entry| entry.name).collect();
    names.sort();
    names.into_iter().map(|name| dir.join(name)).collect()
}

pub(crate) fn open(world: &World, path: &Path) -> Arc<HFileReader> {
    HFileReader::open(world.fs.open(path).unwrap(), path, FileId::next()).unwrap()
}

/// The files of the store, in which nothing is wrong, by their first keys.
pub(crate) fn files(world: &World) -> Vec<Arc<HFileReader>> {
    let paths = file_paths(world);
    for path in &paths {
        let found = verify(world.fs.open(path).unwrap(), path, RowBounds::default(), &mut |_| true);
        assert!(found.is_sound(), "{:?}", found.problems);
    }
    let mut files: Vec<_> = paths.iter().map(|path| open(world, path)).collect();
    files.sort_by_key(|file| file.first_key().map(<[u8]>::to_vec));
    files
}

fn data_blocks(file: &HFileReader) -> impl Iterator<Item = StoredBlock> {
    let end = file.trailer().fields.load_on_open_data_offset();
    let next = move |offset: u64| (offset < end).then(|| file.stored_block(offset).unwrap());
    let behind = move |block: &StoredBlock| next(block.place.offset + u64::from(block.place.size));
    std::iter::successors(next(0), behind)
        .filter(|block| matches!(block.header.block_type, BlockType::Data | BlockType::EncodedData))
}

/// Bytes of the data blocks of a file, before compression.
fn block_sizes(file: &HFileReader) -> Vec<u32> {
    data_blocks(file).map(|block| block.header.uncompressed_size).collect()
}

/// What is stored in the data blocks of a file, as it is stored.
fn payloads(world: &World, file: &HFileReader) -> Vec<Vec<u8>> {
    const HEADER_BYTES: u32 = 33;
    let bytes = world.fs.open(file.path()).unwrap();
    let payload = |block: StoredBlock| {
        let mut payload = vec![0; (block.header.data_size - HEADER_BYTES) as usize];
        bytes.read_exact_at(block.place.offset + u64::from(HEADER_BYTES), &mut payload).unwrap();
        payload
    };
    data_blocks(file).map(payload).collect()
}

pub(crate) fn all_payloads(world: &World) -> Vec<Vec<u8>> {
    files(world).iter().flat_map(|file| payloads(world, file)).collect()
}

/// The cells of all files with their sequence ids: those of one file after those of the other.
pub(crate) fn cells(world: &World) -> Vec<(Vec<u8>, u64)> {
    files(world).iter().flat_map(cells_of).collect()
}

/// The cells of a file with their sequence ids.
pub(crate) fn cells_of(file: &Arc<HFileReader>) -> Vec<(Vec<u8>, u64)> {
    let mut scanner = HFileScanner::new(Arc::clone(file), None, false);
    let first = finback_cell::key::Key::first_on_row(&[]);
    read_through(&mut scanner, |scanner| scanner.seek(&first)).unwrap();
    let mut cells = Vec::new();
    while let Some((cell, sequence_id)) = scanner.peek() {
        cells.push((cell.bytes().to_vec(), sequence_id));
        read_through(&mut scanner, |scanner: &mut HFileScanner| -> Result<(), ScanInterrupt> {
            scanner.advance()
        })
        .unwrap();
    }
    cells
}

#[test]
fn files_that_follow_each_other_become_one_of_the_same_blocks() {
    let (some, none) = (KeptBlocks::default(), KeptBlocks::NONE);
    for (compression, encoding, kept_blocks) in [
        ("LZ4", "NONE", some),
        ("LZ4", "NONE", none),
        ("NONE", "NONE", some),
        ("NONE", "FAST_DIFF", some),
        ("ZSTD", "ROW_INDEX_V1", none),
    ] {
        let attributes = [("COMPRESSION", compression), ("DATA_BLOCK_ENCODING", encoding)];
        let (mut world, region) = started(&attributes);
        region.close().unwrap();
        drop(region);
        world.config.kept_blocks = kept_blocks;
        let region = world.start().unwrap();
        // Not in the order of their rows.
        [20..30, 0..10, 10..20].into_iter().for_each(|of_file| blocks(&region, of_file));
        let (stored, read) = (all_payloads(&world), cells(&world));
        assert_eq!(stored.len(), 30);
        let outcome = compact(&region);
        assert_eq!((outcome.blocks_copied, outcome.cells_written), (30, 30 * u64::from(ROWS_OF_BLOCK)));
        assert_eq!((outcome.cells_read, outcome.markers_dropped), (outcome.cells_written, 0));
        assert!(all_payloads(&world) == stored, "{compression} {encoding}");
        assert!(cells(&world) == read, "{compression} {encoding}");
        // And once more.
        assert_eq!(compact(&region).blocks_copied, 30);
        assert_eq!(region.metrics().compactions.cells, 2 * outcome.cells_read);
    }
}

#[test]
fn where_files_overlap_cells_are_merged_one_by_one() {
    let (world, region) = started(&[]);
    blocks(&region, 0..20);
    // Between the rows of the last ten blocks of that, and behind it.
    let between = (10 * ROWS_OF_BLOCK..20 * ROWS_OF_BLOCK).step_by(3);
    write(&region, between.map(|number| put_at(&format!("{}x", row(number)), LATEST_TIMESTAMP)).collect());
    blocks(&region, 20..30);
    let stored = all_payloads(&world);
    let mut read = cells(&world);
    read.sort();
    let outcome = compact(&region);
    let now = all_payloads(&world);
    let same = stored.iter().filter(|payload| now.contains(payload)).count() as u64;
    assert!((19..=21).contains(&outcome.blocks_copied), "{outcome:?}");
    assert!(same >= outcome.blocks_copied);
    assert!(now[..9] == stored[..9]);
    let mut found = cells(&world);
    found.sort();
    assert!(found == read);
}

#[test]
fn after_a_short_last_block_the_next_file_is_copied_but_for_its_first_block() {
    // The last of them is large enough to be copied itself.
    for (short, copied) in [(1, 28), (3, 28), (5, 33)] {
        let (world, region) = started(&[]);
        // Files whose cells have tags are not joined. With its tag a cell is larger: seven fill a block.
        let of_file = 10 * 7 + short;
        for file in 0..3 {
            let live_long =
                |number| Mutation { ttl_ms: Some(DAY_MS), ..put_at(&row(number), LATEST_TIMESTAMP) };
            write(&region, (file * of_file..(file + 1) * of_file).map(live_long).collect());
            region.flush(None).unwrap();
        }
        let read = cells(&world);
        let outcome = compact(&region);
        assert_eq!((outcome.blocks_copied, outcome.is_joined), (copied, false), "{short}");
        assert!(cells(&world) == read, "{short}");
        // Of all none but the last is short, and none is long.
        let sizes = block_sizes(&files(&world)[0]);
        assert!(sizes[..sizes.len() - 1].iter().all(|size| (256..600).contains(size)), "{sizes:?}");
    }
}

#[test]
fn a_newer_version_of_the_last_key_of_a_block_comes_before_it() {
    let (world, region) = started(&[("VERSIONS", "2")]);
    let last_of_second = row(2 * ROWS_OF_BLOCK - 1);
    write(&region, (0..3 * ROWS_OF_BLOCK).map(|number| put_at(&row(number), 5)).collect());
    region.flush(None).unwrap();
    // The same key, of a higher sequence id.
    write(&region, vec![put_at(&last_of_second, 5)]);
    region.flush(None).unwrap();
    let outcome = compact(&region);
    assert_eq!(outcome.blocks_copied, 2);
    assert_eq!(outcome.cells_written, u64::from(3 * ROWS_OF_BLOCK));
    let found = cells(&world);
    assert!(found.is_sorted());
    assert_eq!(found.iter().filter(|(_, id)| *id == found[0].1).count() as u32, 3 * ROWS_OF_BLOCK - 1);
}

/// Compacts a file of five blocks, whose middle one loses a cell, and one that follows it.
fn lose_one_cell(world: &World, region: &Region, lost: u64) {
    let before = cells(world);
    let stored = all_payloads(world);
    let outcome = compact(region);
    assert_eq!(outcome.blocks_copied, stored.len() as u64 - 1, "{outcome:?}");
    assert_eq!(
        (outcome.cells_read, outcome.cells_written),
        (before.len() as u64, before.len() as u64 - lost)
    );
    let (after, now) = (cells(world), all_payloads(world));
    let kept: Vec<_> = before.into_iter().filter(|cell| after.contains(cell)).collect();
    assert!(after == kept && after.len() as u64 == outcome.cells_written);
    let same = stored.iter().zip(&now).filter(|(before, after)| before == after).count();
    assert_eq!((same, now.len()), (stored.len() - 1, stored.len()));
}

/// A row in the middle of the third block.
const IN_THIRD_BLOCK: u32 = 2 * ROWS_OF_BLOCK + ROWS_OF_BLOCK / 2;

#[test]
fn a_block_of_which_a_cell_has_expired_is_not_copied() {
    let (world, region) = started(&[("TTL", "1000")]);
    let now = world.host.now_ms.load(Ordering::SeqCst);
    let time = |number| if number == IN_THIRD_BLOCK { now - 900_000 } else { now };
    write(&region, (0..5 * ROWS_OF_BLOCK).map(|number| put_at(&row(number), time(number))).collect());
    region.flush(None).unwrap();
    blocks(&region, 5..7);
    world.host.now_ms.fetch_add(500_000, Ordering::SeqCst);
    lose_one_cell(&world, &region, 1);
}

#[test]
fn a_block_of_which_a_cell_has_outlived_its_own_time_is_not_copied() {
    let (world, region) = started(&[]);
    let write_rows = |numbers: Range<u32>, lives: i64| {
        let ttl = |number| Some(if number == IN_THIRD_BLOCK { lives } else { 10 * lives });
        let edit = |number| Mutation { ttl_ms: ttl(number), ..put_at(&row(number), LATEST_TIMESTAMP) };
        write(&region, numbers.map(edit).collect());
        region.flush(None).unwrap();
    };
    // With its tag a cell is larger: seven fill a block.
    write_rows(0..35, 1000);
    write_rows(35..49, 1000);
    world.host.now_ms.fetch_add(5000, Ordering::SeqCst);
    lose_one_cell(&world, &region, 1);
}

#[test]
fn a_block_with_a_marker_that_goes_is_not_copied() {
    let (world, region) = started(&[]);
    let marker = |number| {
        mutation(
            MutationKind::Delete,
            CellType::DeleteColumn,
            (&row(number), "a", "p"),
            LATEST_TIMESTAMP,
            b"",
        )
    };
    let mut edits: Vec<_> =
        (0..5 * ROWS_OF_BLOCK).map(|number| put_at(&row(number), LATEST_TIMESTAMP)).collect();
    edits.insert(IN_THIRD_BLOCK as usize, marker(IN_THIRD_BLOCK));
    write(&region, edits);
    region.flush(None).unwrap();
    let stored = all_payloads(&world).len();
    let outcome = compact(&region);
    assert_eq!((outcome.markers_dropped, outcome.cells_written), (1, u64::from(5 * ROWS_OF_BLOCK)));
    assert!(outcome.blocks_copied > 2 && outcome.blocks_copied < stored as u64, "{outcome:?}");
    assert_eq!(cells(&world).len(), 5 * ROWS_OF_BLOCK as usize);
}

#[test]
fn a_block_with_a_version_too_many_is_not_copied() {
    let (world, region) = started(&[]);
    let numbers = |numbers: Range<u32>| numbers.map(|number| put_at(&row(number), 7)).collect::<Vec<_>>();
    // Whoever reads as of now may still see what is hidden later: flushes keep it.
    let reader = region.scanner(&Scan::default(), None).unwrap();
    write(&region, vec![put_at(&row(IN_THIRD_BLOCK), 6)]);
    write(&region, numbers(0..5 * ROWS_OF_BLOCK - 1));
    region.flush(None).unwrap();
    blocks(&region, 5..7);
    drop(reader);
    let (before, stored) = (cells(&world).len() as u64, all_payloads(&world).len() as u64);
    let outcome = compact(&region);
    assert_eq!((outcome.cells_read, outcome.cells_written), (before, before - 1));
    assert_eq!(outcome.blocks_copied, stored - 1);
    assert_eq!(cells(&world).len() as u64, before - 1);
}

#[test]
fn blocks_whose_sequence_ids_are_forgotten_are_not_copied() {
    let (world, region) = started(&[]);
    blocks(&region, 0..5);
    world.host.now_ms.fetch_add(7 * DAY_MS, Ordering::SeqCst);
    blocks(&region, 5..9);
    let outcome = compact(&region);
    // Sequence ids of the older file are 0 now.
    assert_eq!(outcome.blocks_copied, 4);
    let forgotten = cells(&world).iter().filter(|(_, sequence_id)| *sequence_id == 0).count();
    assert_eq!(forgotten as u32, 5 * ROWS_OF_BLOCK);
    // When all are forgotten there is no room for any.
    world.host.now_ms.fetch_add(7 * DAY_MS, Ordering::SeqCst);
    assert_eq!(compact(&region).blocks_copied, 0);
    let stored = all_payloads(&world);
    blocks(&region, 10..13);
    world.host.now_ms.fetch_add(7 * DAY_MS, Ordering::SeqCst);
    assert_eq!(compact(&region).blocks_copied, stored.len() as u64);
    assert!(all_payloads(&world).starts_with(&stored));
}

#[test]
fn blocks_of_another_form_than_the_family_has_now_are_not_copied() {
    let changes: [&[(&str, &str)]; 4] = [
        &[("COMPRESSION", "GZ")],
        &[("COMPRESSION_COMPACT_MAJOR", "SNAPPY")],
        &[("DATA_BLOCK_ENCODING", "DIFF")],
        &[("BLOCKSIZE", "4096")],
    ];
    for change in changes {
        let (mut world, region) = started(&[]);
        blocks(&region, 0..32);
        blocks(&region, 32..64);
        let read = cells(&world);
        let region = altered(&mut world, region, change);
        let outcome = compact(&region);
        assert_eq!((outcome.blocks_copied, outcome.cells_written), (0, read.len() as u64), "{change:?}");
        assert!(cells(&world) == read, "{change:?}");
        assert!(compact(&region).blocks_copied > 0, "{change:?}");
        assert!(cells(&world) == read, "{change:?}");
    }
}

/// As HBase does with all files, for five days.
#[test]
fn sequence_ids_stay_where_files_come_one_after_the_other() {
    let of_rows = |files: &[Range<u32>], days_between: i64| {
        let (world, region) = remembering_none(&[]);
        for of_file in files {
            rows(&region, of_file.clone());
            world.host.now_ms.fetch_add(days_between * DAY_MS, Ordering::SeqCst);
        }
        let read: BTreeSet<Vec<u8>> = cells(&world).into_iter().map(|(cell, _)| cell).collect();
        let outcome = compact(&region);
        let cells = cells(&world);
        assert!(cells.iter().map(|(cell, _)| cell).eq(&read));
        let kept = cells.iter().filter(|(_, sequence_id)| *sequence_id > 0).count();
        // What is left is one file, which has no other to come after.
        compact(&region);
        assert!(self::cells(&world).iter().all(|(_, sequence_id)| *sequence_id == 0));
        (kept as u32, outcome.blocks_copied)
    };
    assert_eq!(of_rows(&[160..240, 0..80, 80..160], 0), (240, 30));
    // Hardly: in two of ten blocks, or of forty; or a small file in a large one. Of blocks with cells of another file, and those behind,
    // some are not copied.
    let hardly: [(&[Range<u32>], u64); 7] = [
        (&[0..80, 64..144], 10),
        (&[64..144, 0..80], 10),
        (&[0..240, 100..116], 25),
        (&[100..116, 0..240], 25),
        (&[0..80, 48..400], 35),
        (&[0..400, 392..408], 48),
        (&[0..80, 80..240, 84..92], 25),
    ];
    for (files, least) in hardly {
        let (kept, copied) = of_rows(files, 0);
        let last = files.iter().map(|rows| rows.end).max().unwrap();
        assert!(kept == last && copied >= least, "{files:?} {kept} {copied}");
    }
    let overlapping: [&[Range<u32>]; 4] =
        [&[0..80, 40..120], &[40..120, 0..80], &[0..80, 0..80], &[0..160, 40..80, 80..120]];
    for files in overlapping {
        assert_eq!(of_rows(files, 0).0, 0, "{files:?}");
    }
    // Nor of old files.
    assert_eq!(of_rows(&[0..80, 80..160], 6), (0, 0));
    assert_eq!(of_rows(&[0..80, 80..160, 160..240], 2), (160, 20));
}

/// A few rows all over a large file leave most of its blocks alone.
#[test]
fn sequence_ids_stay_where_few_rows_come_to_a_large_file() {
    for (step, stays) in [(100, true), (8, false)] {
        let (world, region) = remembering_none(&[]);
        blocks(&region, 0..50);
        rows(&region, (4..50 * ROWS_OF_BLOCK).step_by(step));
        let outcome = compact(&region);
        let some = cells(&world).iter().any(|(_, sequence_id)| *sequence_id > 0);
        assert_eq!((some, outcome.blocks_copied > 40), (stays, stays), "{step} {outcome:?}");
    }
}

/// They would only be stored for nothing.
#[test]
fn sequence_ids_do_not_stay_where_no_block_can_be_copied() {
    let snappy: [(&str, &str); 2] = [("COMPRESSION", "SNAPPY"), ("DATA_BLOCK_ENCODING", "FAST_DIFF")];
    for (attributes, altered_to) in [
        (&[][..], &[("COMPRESSION_COMPACT_MAJOR", "SNAPPY")][..]),
        (&[], &[("DATA_BLOCK_ENCODING", "DIFF")]),
        // What is compressed with more effort in a compaction of all files.
        (&snappy, &snappy),
    ] {
        let (mut world, region) = remembering_none(attributes);
        let small = |number: u32| {
            mutation(MutationKind::Put, CellType::Put, (&row(number), "a", "q"), LATEST_TIMESTAMP, b"v")
        };
        for of_file in [0..400, 400..800] {
            write(&region, of_file.map(small).collect());
            region.flush(None).unwrap();
        }
        let region = reopened(&mut world, region, plain_family(altered_to));
        assert_eq!(compact(&region).blocks_copied, 0);
        assert!(cells(&world).iter().all(|(_, sequence_id)| *sequence_id == 0), "{altered_to:?}");
    }
}

/// Its job may have made it long before.
#[test]
fn a_bulk_loaded_file_makes_no_sequence_ids_old() {
    let (world, region) = remembering_none(&[("COMPRESSION", "NONE")]);
    blocks(&region, 20..30);
    blocks(&region, 30..40);
    let before = file_paths(&world);
    world.host.now_ms.fetch_sub(6 * DAY_MS, Ordering::SeqCst);
    bulk_load(&world, &region, false);
    world.host.now_ms.fetch_add(6 * DAY_MS, Ordering::SeqCst);
    assert_eq!(file_paths(&world).len(), before.len() + 2);
    assert_eq!(compact(&region).blocks_copied, 20);
    let kept = cells(&world).iter().filter(|(_, sequence_id)| *sequence_id > 0).count();
    assert_eq!(kept as u32, 30 * ROWS_OF_BLOCK);
    // Until all others are old.
    world.host.now_ms.fetch_add(6 * DAY_MS, Ordering::SeqCst);
    compact(&region);
    assert!(cells(&world).iter().all(|(_, sequence_id)| *sequence_id == 0));
}

/// Bulk loads two files of five blocks, whose cells have no sequence ids of their own.
fn bulk_load(world: &World, region: &Region, include_mvcc: bool) {
    for (name, blocks) in [("f", 0..5), ("g", 5..10)] {
        let path = PathBuf::from("/client/a").join(name);
        let numbers = blocks.start * ROWS_OF_BLOCK..blocks.end * ROWS_OF_BLOCK;
        let cells: Vec<_> = numbers.map(|number| put_cell(&row(number), "a", 1, &"v".repeat(41))).collect();
        let options = WriterOptions {
            include_mvcc,
            block_size_bytes: 512,
            create_time_ms: world.host.now_ms.load(Ordering::SeqCst),
            ..WriterOptions::default()
        };
        write_hfile_as(world, &path, &cells, options);
        region.bulk_load(&[BulkLoadFile { family: "a".into(), path }], &BulkLoadOptions::default()).unwrap();
    }
    let loaded = file_paths(world).iter().filter(|path| path.to_string_lossy().contains("_SeqId_")).count();
    assert_eq!(loaded, 2);
}

#[test]
fn a_bulk_loaded_file_is_copied_once_its_sequence_id_is_forgotten() {
    let (world, region) = started(&[("COMPRESSION", "NONE")]);
    bulk_load(&world, &region, false);
    let stored = all_payloads(&world);
    world.host.now_ms.fetch_add(7 * DAY_MS, Ordering::SeqCst);
    let outcome = compact(&region);
    assert_eq!(outcome.blocks_copied, stored.len() as u64);
    assert!(all_payloads(&world) == stored);
}

#[test]
fn cells_of_a_bulk_loaded_file_get_its_sequence_id() {
    let (world, region) = started(&[("COMPRESSION", "NONE")]);
    bulk_load(&world, &region, true);
    assert!(cells(&world).iter().all(|(_, sequence_id)| *sequence_id == 0));
    assert_eq!(compact(&region).blocks_copied, 0);
    assert!(cells(&world).iter().all(|(_, sequence_id)| *sequence_id > 0));
}

#[test]
fn halves_of_a_file_are_copied_but_for_the_block_that_was_cut() {
    let (mut world, region) = remembering_none(&[]);
    blocks(&region, 0..10);
    let read = cells(&world);
    let parent = world.info.clone();
    region.close().unwrap();
    drop(region);
    let split = Bytes::from(row(IN_THIRD_BLOCK));
    let table = parent.table.clone();
    let halves = [
        RegionInfo::new(table.clone(), Bytes::new(), split.clone(), 2),
        RegionInfo::new(table, split, Bytes::new(), 3),
    ];
    let mut found = Vec::new();
    // Of the third block each half has a half.
    for (info, (copied, kept)) in
        halves.into_iter().zip([(2, IN_THIRD_BLOCK), (7, 10 * ROWS_OF_BLOCK - IN_THIRD_BLOCK)])
    {
        world.root.create_offspring(&info, std::slice::from_ref(&parent), &["a".into()], &|_| None).unwrap();
        world = world.after_crash(Arc::clone(&world.fs));
        world.info = info;
        let outcome = compact(&world.start().unwrap());
        assert_eq!((outcome.blocks_copied, outcome.cells_written), (copied, u64::from(kept)));
        found.extend(cells(&world));
    }
    assert!(found == read);
}

/// However small a part it is of the file that was split.
#[test]
fn sequence_ids_do_not_stay_where_all_of_a_half_is_overwritten() {
    let (mut world, region) = remembering_none(&[]);
    blocks(&region, 0..50);
    let parent = world.info.clone();
    region.close().unwrap();
    drop(region);
    let split = Bytes::from(row(10 * ROWS_OF_BLOCK));
    let half = RegionInfo::new(parent.table.clone(), Bytes::new(), split, 2);
    world.root.create_offspring(&half, std::slice::from_ref(&parent), &["a".into()], &|_| None).unwrap();
    world = world.after_crash(Arc::clone(&world.fs));
    world.info = half;
    let region = world.start().unwrap();
    rows(&region, (4..10 * ROWS_OF_BLOCK).step_by(ROWS_OF_BLOCK as usize));
    assert_eq!(compact(&region).inputs, 2);
    assert!(cells(&world).iter().all(|(_, sequence_id)| *sequence_id == 0));
}

#[test]
fn a_block_with_cells_of_two_times_is_not_copied_where_times_are_kept_apart() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![small_blocks(&[])]);
    let date_tiered = DateTieredConfig {
        base_window_ms: 1000,
        windows_per_tier: 2,
        incoming_window_min_files: 2,
        single_output_for_minor: false,
        ..DateTieredConfig::default()
    };
    world.config.compaction =
        CompactionConfig { engine: StoreEngine::DateTiered, date_tiered, ..CompactionConfig::default() };
    let region = world.start().unwrap();
    let now = world.host.now_ms.load(Ordering::SeqCst);
    let file = |numbers: Range<u32>, time: &dyn Fn(u32) -> i64| {
        write(&region, numbers.map(|number| put_at(&row(number), time(number))).collect());
        region.flush(None).unwrap();
    };
    file(0..5 * ROWS_OF_BLOCK, &|_| now - 5000);
    file(5 * ROWS_OF_BLOCK..10 * ROWS_OF_BLOCK, &|number| now - 5000 * i64::from(number % 2));
    file(10 * ROWS_OF_BLOCK..15 * ROWS_OF_BLOCK, &|_| now);
    let mut read = cells(&world);
    let outcome = compact(&region);
    let files = files(&world);
    assert!(files.len() > 1);
    let ranges: Vec<_> = files.iter().map(|file| file.time_range().unwrap()).collect();
    assert!(ranges.iter().all(|(from, to)| from == to), "{ranges:?}");
    assert_eq!(outcome.blocks_copied, 10);
    let mut found = cells(&world);
    read.sort();
    found.sort();
    assert!(found == read);
}

#[test]
fn blocks_are_copied_into_stripes() {
    let (mut world, region) = started(&[]);
    region.close().unwrap();
    drop(region);
    world.config.compaction =
        crate::a_region_agrees_with_a_simple_model::striped(3, &CompactionConfig::default());
    world.config.compaction.stripe.flush_to_level0 = true;
    let region = world.start().unwrap();
    [0..10, 10..20, 20..30].into_iter().for_each(|of_file| blocks(&region, of_file));
    // Where stripes begin is not known yet.
    assert_eq!(region.compact(b"a", false).unwrap().unwrap().blocks_copied, 0);
    let starts: Vec<_> =
        files(&world).iter().map(|file| file.file_info(b"STRIPE_START_KEY").unwrap().to_vec()).collect();
    assert_eq!(starts.len(), 3);
    // No stripe begins with a block of these files.
    [3..83, 83..163, 163..243].into_iter().for_each(|numbers| rows(&region, numbers));
    let outcome = region.compact(b"a", false).unwrap().unwrap();
    assert!((26..30).contains(&outcome.blocks_copied), "{outcome:?}");
    for file in files(&world) {
        let (start, end) =
            [b"STRIPE_START_KEY" as &[u8], b"STRIPE_END_KEY"].map(|key| file.file_info(key).unwrap()).into();
        let (first, last) = (&file.first_key().unwrap()[2..8], &file.last_key().unwrap()[2..8]);
        assert!(first >= start && (end.is_empty() || last < end), "{first:?} {last:?} {start:?} {end:?}");
    }
}

/// Counts what it is told.
#[derive(Default)]
struct Counting {
    bytes: AtomicU64,
    questions: AtomicU64,
    cancelled_from: Option<u64>,
}

impl JobControl for Counting {
    fn is_cancelled(&self) -> bool {
        let question = self.questions.fetch_add(1, Ordering::SeqCst);
        self.cancelled_from.is_some_and(|from| question >= from)
    }

    fn wrote(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::SeqCst);
    }
}

#[test]
fn a_compaction_that_copies_is_asked_at_every_block_and_can_be_ended() {
    let (world, region) = started(&[]);
    blocks(&region, 0..10);
    blocks(&region, 10..20);
    let before = file_paths(&world);
    let cancelled = Counting { cancelled_from: Some(15), ..Counting::default() };
    let end = region.compact_under(b"a", true, &cancelled).unwrap_err();
    assert!(matches!(end, RegionError::Cancelled(_)), "{end}");
    assert_eq!(file_paths(&world), before);
    let control = Counting::default();
    let outcome = region.compact_under(b"a", true, &control).unwrap().unwrap();
    assert_eq!(outcome.blocks_copied, 20);
    assert!(control.questions.load(Ordering::SeqCst) >= 19);
    assert!(control.bytes.load(Ordering::SeqCst) > outcome.bytes_written / 3);
}

#[test]
fn damage_to_a_block_that_would_be_copied_is_found() {
    let (world, region) = started(&[]);
    blocks(&region, 0..10);
    let path = file_paths(&world).remove(0);
    let second = u64::from(open(&world, &path).stored_block(0).unwrap().place.size);
    let mut bytes = vec![0; open(&world, &path).size_bytes() as usize];
    world.fs.open(&path).unwrap().read_exact_at(0, &mut bytes).unwrap();
    bytes[second as usize + 40] ^= 1;
    region.close().unwrap();
    drop(region);
    world.fs.remove_file(&path).unwrap();
    finback_fs::write_file_durably(&*world.fs, &path, &bytes).unwrap();
    let mut world = world;
    let region = world.start().unwrap();
    let end = region.compact(b"a", true).unwrap_err();
    assert!(end.to_string().contains("checksum"), "{end}");
    assert_eq!(file_paths(&world), [path]);
}

#[derive(Clone, Debug)]
enum Step {
    /// Rows from a number on, each so far from the one before, with a timestamp.
    Put {
        from: u32,
        step: u32,
        rows: u32,
        timestamp: i64,
        ttl: bool,
    },
    Delete {
        row: u32,
        kind: CellType,
        timestamp: i64,
    },
    Flush,
    /// Of some of the files: the first, and how many.
    Compact {
        first: usize,
        files: usize,
    },
}

fn any_step() -> impl Strategy<Value = Step> {
    let kinds = vec![CellType::Delete, CellType::DeleteColumn, CellType::DeleteFamily];
    prop_oneof![
        4 => (0u32..300, prop::sample::select(vec![1u32, 1, 1, 3]), 1u32..80, 0i64..4, prop::bool::weighted(0.2)).prop_map(
            |(from, step, rows, timestamp, ttl)| Step::Put { from, step, rows, timestamp, ttl }
        ),
        2 => (0u32..400, prop::sample::select(kinds), 0i64..4).prop_map(
            |(row, kind, timestamp)| Step::Delete { row, kind, timestamp }
        ),
        4 => Just(Step::Flush),
        2 => (0usize..5, 1usize..5).prop_map(|(first, files)| Step::Compact { first, files }),
    ]
}

/// Gives back how many blocks were copied. After what may have written a file so much time passes.
fn take(world: &World, region: &Region, step: &Step, after_file_ms: i64) -> u64 {
    let now = world.host.now_ms.load(Ordering::SeqCst);
    let mut copied = 0;
    match *step {
        Step::Put { from, step, rows, timestamp, ttl } => {
            let edit = |number: u32| Mutation {
                ttl_ms: ttl.then_some(i64::from(number % 50) * 20),
                ..put_at(&row(from + number * step), now - 3 + timestamp)
            };
            write(region, (0..rows).map(edit).collect());
        }
        Step::Delete { row: number, kind, timestamp } => {
            let column = (&*row(number), "a", if kind == CellType::DeleteFamily { "" } else { "q" });
            write(region, vec![mutation(MutationKind::Delete, kind, column, now - 3 + timestamp, b"")]);
        }
        Step::Flush => {
            region.flush(None).unwrap();
        }
        Step::Compact { first, files } => {
            let of = region.metrics().store_files;
            let (first, files) = (first.min(of), files.min(of));
            if first < of {
                copied = region.compact_run(b"a", first..(first + files).min(of)).unwrap().blocks_copied;
            }
        }
    }
    if matches!(step, Step::Flush | Step::Compact { .. }) {
        world.host.now_ms.fetch_add(after_file_ms, Ordering::SeqCst);
    }
    copied
}

/// What a file says of itself, but for names and for when it was written.
fn says(file: &HFileReader) -> Vec<(Vec<u8>, Vec<u8>)> {
    let entries = file.file_info_entries().filter(|(key, _)| *key != b"COMPACTION_EVENT_KEY");
    entries.map(|(key, value)| (key.to_vec(), value.to_vec())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_compaction_that_copies_writes_what_one_that_does_not_would(
        steps in prop::collection::vec(any_step(), 1..30),
        versions in 1u32..4,
        compression in prop::sample::select(vec!["NONE", "LZ4", "SNAPPY"]),
        encoding in prop::sample::select(vec!["NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"]),
        bloom in prop::sample::select(vec!["NONE", "ROW", "ROWCOL"]),
        forgets in prop::bool::weighted(0.3),
    ) {
        let versions = versions.to_string();
        let attributes = [
            ("VERSIONS", &*versions), ("DATA_BLOCK_ENCODING", encoding), ("BLOOMFILTER", bloom),
        ];
        let of = |extra: &[(&'static str, &'static str)]| {
            let attributes: Vec<_> = attributes.iter().copied().chain(extra.iter().copied()).collect();
            let (mut world, region) = started(&attributes);
            if forgets {
                let mut table = (*world.table).clone();
                table.families[0].configuration.clear();
                world.table = Arc::new(table);
                region.close().unwrap();
                return (world.start().unwrap(), world);
            }
            (region, world)
        };
        let (region, world) = of(&[("COMPRESSION", compression)]);
        // No block of it is large enough to be copied. Nothing that a file says of itself goes by that.
        let (plain_region, plain_world) = of(&[("COMPRESSION", compression), ("BLOCKSIZE", "1048576")]);
        // All files are too old then for their sequence ids to stay.
        let after_file_ms = if forgets { 6 * DAY_MS } else { 40 };
        for step in steps.iter().chain([&Step::Flush]) {
            take(&world, &region, step, after_file_ms);
            prop_assert_eq!(take(&plain_world, &plain_region, step, after_file_ms), 0);
        }
        let read = cells(&world);
        prop_assert!(cells(&plain_world) == read);
        if region.metrics().store_files > 0 {
            compact(&region);
            prop_assert_eq!(compact(&plain_region).blocks_copied, 0);
            prop_assert!(cells(&world) == cells(&plain_world));
            let said: Vec<_> = files(&world).iter().map(|file| says(file)).collect();
            let plain: Vec<_> = files(&plain_world).iter().map(|file| says(file)).collect();
            prop_assert_eq!(said, plain);
        }
    }
}
