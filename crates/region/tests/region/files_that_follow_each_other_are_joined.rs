//! A compaction of files whose rows follow each other joins them by their blocks, where it would leave every cell as it is: what
//! is read before and after is the same. Where anything speaks against it cells are merged one by one.

use crate::blocks_that_stay_whole_are_copied::{
    ROWS_OF_BLOCK, all_payloads, altered, blocks, cells, cells_of, compact, file_paths, files, open, put_at,
    remembering_none, row, rows, started, write,
};
use crate::world::{Plain, World, mutation, scan};
use finback_cell::{Cell, CellType, LATEST_TIMESTAMP, Mutation, MutationKind, Scan};
use finback_hfile::{
    BlockType, BloomOptions, BloomType, Compression, HFileReader, HFileWriter, WriterOptions, file_info_keys,
};
use finback_region::{CompactionOutcome, Region};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn read(region: &Region) -> Vec<Plain> {
    scan(region, &Scan::default(), None).unwrap()
}

/// Rows of ten blocks, and some more.
fn rows_of_file(file: u32) -> Range<u32> {
    let of_file = 10 * ROWS_OF_BLOCK + 3;
    file * of_file..(file + 1) * of_file
}

fn puts(rows: Range<u32>) -> Vec<Mutation> {
    rows.map(|number| put_at(&row(number), LATEST_TIMESTAMP)).collect()
}

fn flushed(region: &Region, edits: Vec<Mutation>) {
    write(region, edits);
    region.flush(None).unwrap();
}

/// Compacts some files, of all there are, so that none is forgotten of what they have.
fn compact_first(region: &Region, files: usize) -> CompactionOutcome {
    region.compact_run(b"a", 0..files).unwrap()
}

#[test]
fn files_are_joined_and_joined_again_and_read_as_before() {
    for (encoding, bloom) in [("NONE", "ROW"), ("FAST_DIFF", "ROWCOL"), ("NONE", "NONE")] {
        let attributes = [("DATA_BLOCK_ENCODING", encoding), ("BLOOMFILTER", bloom)];
        let (mut world, region) = started(&attributes);
        // Not in the order of their rows.
        [2, 0, 1].into_iter().for_each(|file| rows(&region, rows_of_file(file)));
        let (before, stored, seen) = (cells(&world), all_payloads(&world), read(&region));
        let outcome = compact(&region);
        assert!(outcome.is_joined, "{outcome:?}");
        // The short ones among them.
        assert_eq!((outcome.blocks_copied, stored.len()), (33, 33));
        let count = before.len() as u64;
        assert_eq!((outcome.cells_read, outcome.cells_written), (count, count));
        let bytes: usize = before.iter().map(|(cell, _)| cell.len()).sum();
        assert_eq!(outcome.cell_bytes_read, bytes as u64);
        assert!(all_payloads(&world) == stored && cells(&world) == before && read(&region) == seen);
        // And with the next one.
        rows(&region, rows_of_file(3));
        let (before, seen) = (cells(&world), read(&region));
        let outcome = compact(&region);
        assert_eq!((outcome.is_joined, outcome.blocks_copied), (true, 44));
        let file = files(&world).remove(0);
        assert!(file.file_info(file_info_keys::PLAIN).is_some());
        assert!(cells(&world) == before && read(&region) == seen);
        region.close().unwrap();
        drop(region);
        let region = world.start().unwrap();
        assert!(read(&region) == seen);
        // One file is written anew.
        let outcome = compact(&region);
        assert!(!outcome.is_joined && outcome.all_files);
        assert!(cells(&world) == before && read(&region) == seen);
    }
}

#[test]
fn some_files_are_joined_and_a_later_compaction_of_all_does_with_them_as_with_any() {
    let (mut world, region) = remembering_none(&[("VERSIONS", "1")]);
    (0..3).for_each(|file| rows(&region, rows_of_file(file)));
    // Of a row of the first two files.
    rows(&region, 50..51);
    let outcome = compact_first(&region, 2);
    assert!(outcome.is_joined && !outcome.all_files);
    let of_joined = files(&world).remove(0);
    assert_eq!(cells_of(&of_joined).len() as u32, rows_of_file(1).end);
    assert!(cells_of(&of_joined).iter().all(|(_, sequence_id)| *sequence_id > 0));
    let seen = read(&region);
    region.close().unwrap();
    drop(region);
    let region = world.start().unwrap();
    world.host.now_ms.fetch_add(6 * DAY_MS, Ordering::SeqCst);
    let outcome = compact(&region);
    assert!(!outcome.is_joined && outcome.all_files);
    assert_eq!(outcome.cells_read, outcome.cells_written + 1);
    assert!(cells(&world).iter().all(|(_, sequence_id)| *sequence_id == 0));
    assert!(read(&region) == seen);
}

/// Compacts two files that follow each other, of which the second has something else, too.
fn compacted_with(attributes: &[(&str, &str)], more: Vec<Mutation>) -> CompactionOutcome {
    let (world, region) = started(attributes);
    rows(&region, rows_of_file(0));
    let mut edits = puts(rows_of_file(1));
    edits.extend(more);
    flushed(&region, edits);
    let (before, seen) = (cells(&world).len() as u64, read(&region));
    let outcome = compact_first(&region, 2);
    assert_eq!(outcome.cells_read, before);
    assert!(read(&region) == seen);
    outcome
}

fn marker(row: &str, qualifier: &str) -> Mutation {
    let column = (row, "a", qualifier);
    mutation(MutationKind::Delete, CellType::DeleteColumn, column, LATEST_TIMESTAMP, b"")
}

#[test]
fn files_with_nothing_else_are_joined() {
    assert!(compacted_with(&[], Vec::new()).is_joined);
    assert!(
        compacted_with(&[("VERSIONS", "3"), ("MIN_VERSIONS", "1"), ("TTL", "1000")], Vec::new()).is_joined
    );
    let keeps = [("KEEP_DELETED_CELLS", "TRUE"), ("VERSIONS", "2")];
    assert!(compacted_with(&keeps, Vec::new()).is_joined);
    assert!(compacted_with(&[("NEW_VERSION_BEHAVIOR", "true")], Vec::new()).is_joined);
    // Another column of a row, behind all others.
    let column = (&*row(rows_of_file(1).end - 1), "a", "z");
    let put = mutation(MutationKind::Put, CellType::Put, column, LATEST_TIMESTAMP, b"v");
    assert!(compacted_with(&[], vec![put]).is_joined);
}

#[test]
fn files_with_a_row_in_common_are_not_joined() {
    let within = put_at(&row(5), LATEST_TIMESTAMP);
    assert!(!compacted_with(&[("VERSIONS", "2")], vec![within]).is_joined);
    // Also if it is another column.
    let column = (&*row(rows_of_file(0).end - 1), "a", "z");
    let last = mutation(MutationKind::Put, CellType::Put, column, LATEST_TIMESTAMP, b"v");
    assert!(!compacted_with(&[], vec![last]).is_joined);
}

#[test]
fn a_file_with_a_marker_is_not_joined() {
    let row = row(rows_of_file(1).end - 2);
    assert!(!compacted_with(&[], vec![marker(&row, "other")]).is_joined);
    assert!(!compacted_with(&[("KEEP_DELETED_CELLS", "TRUE")], vec![marker(&row, "q")]).is_joined);
}

#[test]
fn a_file_with_two_versions_of_a_column_is_not_joined() {
    let older = put_at(&row(rows_of_file(1).end - 2), 5);
    assert!(!compacted_with(&[("VERSIONS", "2")], vec![older]).is_joined);
}

#[test]
fn a_file_with_a_cell_that_has_tags_is_not_joined() {
    let row = row(rows_of_file(1).end);
    let with_ttl = Mutation { ttl_ms: Some(DAY_MS), ..put_at(&row, LATEST_TIMESTAMP) };
    assert!(!compacted_with(&[], vec![with_ttl]).is_joined);
}

#[test]
fn files_of_which_a_cell_has_expired_are_not_joined() {
    let (world, region) = started(&[("TTL", "1000")]);
    let now = world.host.now_ms.load(Ordering::SeqCst);
    let mut edits = puts(rows_of_file(0));
    edits.push(put_at(&row(rows_of_file(0).end), now - 600_000));
    flushed(&region, edits);
    flushed(&region, puts(rows_of_file(0).end + 1..rows_of_file(1).end));
    rows(&region, rows_of_file(2));
    let before = cells(&world).len();
    assert!(compact_first(&region, 2).is_joined);
    world.host.now_ms.fetch_add(500_000, Ordering::SeqCst);
    let outcome = compact_first(&region, 2);
    assert!(!outcome.is_joined);
    assert_eq!((outcome.cells_read - outcome.cells_written, cells(&world).len()), (1, before - 1));
    // Nothing is left of what had expired.
    rows(&region, rows_of_file(3));
    assert!(compact_first(&region, 2).is_joined);
}

#[test]
fn a_file_of_another_compression_is_not_joined() {
    let (mut world, region) = started(&[("COMPRESSION", "GZ")]);
    rows(&region, rows_of_file(0));
    let region = altered(&mut world, region, &[("COMPRESSION", "LZ4")]);
    rows(&region, rows_of_file(1));
    let before = cells(&world);
    let outcome = compact(&region);
    assert_eq!((outcome.is_joined, outcome.blocks_copied > 0), (false, true));
    assert!(cells(&world) == before);
    rows(&region, rows_of_file(2));
    assert!(compact(&region).is_joined);
}

/// Writes a file of a store anew, as it was but for what it says of itself.
fn write_anew(world: &World, path: &Path, says_if_plain: bool) {
    let file: Arc<HFileReader> = open(world, path);
    let cells = cells_of(&file);
    let options = WriterOptions {
        block_size_bytes: 512,
        compression: Compression::Lz4,
        bloom: BloomOptions { filter: Some(BloomType::Row), family_delete: true, ..BloomOptions::default() },
        create_time_ms: world.host.now_ms.load(Ordering::SeqCst),
        says_if_plain,
        ..WriterOptions::default()
    };
    world.fs.remove_file(path).unwrap();
    let mut writer = HFileWriter::new(world.fs.create_new(path).unwrap(), path, options).unwrap();
    for (cell, sequence_id) in &cells {
        writer.append(&Cell::parse(cell).unwrap(), *sequence_id).unwrap();
    }
    writer.finish(file.max_sequence_id().unwrap()).unwrap();
}

#[test]
fn a_file_that_does_not_say_that_it_is_plain_is_not_joined() {
    for says_if_plain in [true, false] {
        let (mut world, region) = started(&[]);
        (0..2).for_each(|file| rows(&region, rows_of_file(file)));
        let seen = read(&region);
        region.close().unwrap();
        drop(region);
        write_anew(&world, &file_paths(&world)[0], says_if_plain);
        let region = world.start().unwrap();
        assert!(read(&region) == seen);
        assert_eq!(compact_first(&region, 2).is_joined, says_if_plain);
        assert!(read(&region) == seen);
        // What was merged cell by cell says so again.
        rows(&region, rows_of_file(2));
        assert!(compact(&region).is_joined);
    }
}

#[test]
fn files_of_small_blocks_are_not_joined() {
    let (world, region) = started(&[]);
    // Three rows of eight that fill a block, in each.
    (0..4).for_each(|file| rows(&region, file * 3..(file + 1) * 3));
    let outcome = compact(&region);
    assert_eq!((outcome.is_joined, files(&world).len()), (false, 1));
    assert_eq!(outcome.cells_written, 12);
}

/// A region with two files that follow each other, of which a block of this type in the first is damaged.
fn damaged(block_type: BlockType) -> (World, Arc<Region>) {
    let (mut world, region) = started(&[]);
    blocks(&region, 0..10);
    blocks(&region, 10..20);
    region.close().unwrap();
    drop(region);
    let path = file_paths(&world).remove(0);
    let file = open(&world, &path);
    let mut block = file.stored_block(0).unwrap();
    // Not the first of its type.
    while block.header.block_type != block_type || block.place.offset == 0 {
        block = file.stored_block(block.place.offset + u64::from(block.place.size)).unwrap();
    }
    let mut bytes = vec![0; file.size_bytes() as usize];
    world.fs.open(&path).unwrap().read_exact_at(0, &mut bytes).unwrap();
    bytes[block.place.offset as usize + 40] ^= 1;
    world.fs.remove_file(&path).unwrap();
    finback_fs::write_file_durably(&*world.fs, &path, &bytes).unwrap();
    let region = world.start().unwrap();
    (world, region)
}

#[test]
fn a_damaged_chunk_of_a_bloom_filter_is_gone_after_a_compaction() {
    let (world, region) = damaged(BlockType::BloomChunk);
    let seen = read(&region);
    let outcome = compact(&region);
    assert!(!outcome.is_joined && outcome.blocks_copied == 20, "{outcome:?}");
    assert_eq!(files(&world).len(), 1);
    assert!(read(&region) == seen);
}

#[test]
fn damage_to_a_block_that_would_be_joined_is_found() {
    let (world, region) = damaged(BlockType::Data);
    let before = file_paths(&world);
    let end = region.compact(b"a", true).unwrap_err();
    assert!(end.to_string().contains("checksum"), "{end}");
    assert_eq!(file_paths(&world), before);
}

#[test]
fn sequence_ids_that_are_to_be_forgotten_are_merged_one_by_one() {
    let (world, region) = started(&[]);
    (0..2).for_each(|file| rows(&region, rows_of_file(file)));
    world.host.now_ms.fetch_add(7 * DAY_MS, Ordering::SeqCst);
    assert!(!compact(&region).is_joined);
    assert!(cells(&world).iter().all(|(_, sequence_id)| *sequence_id == 0));
    // A file without sequence ids is stored otherwise than one with some.
    rows(&region, rows_of_file(2));
    assert!(!compact(&region).is_joined);
    rows(&region, rows_of_file(3));
    let before = cells(&world);
    assert!(compact(&region).is_joined);
    assert!(cells(&world) == before);
}

#[test]
fn blocks_that_are_small_or_large_by_now_are_not_joined() {
    for block_size in ["4096", "300"] {
        let (mut world, region) = started(&[]);
        blocks(&region, 0..32);
        blocks(&region, 32..64);
        let region = altered(&mut world, region, &[("BLOCKSIZE", block_size)]);
        assert!(!compact(&region).is_joined, "{block_size}");
    }
}
