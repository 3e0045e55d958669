//! A block of a store file that is damaged is an error that names it to whoever needs it, and never a cell. With another copy of
//! the file nobody notices.

use crate::machine::Machine;
use crate::world::{Plain, TestCache, family, increment, next, number, put, results_of, run, scan};
use finback_cell::{Get, Scan};
use finback_hfile::{BlockRef, BlockType, FileId, HFileReader};
use finback_region::{Region, RegionError, ScanLimits, ScanOutput};
use std::path::PathBuf;
use std::sync::Arc;

const ROWS: usize = 8;
const CELLS_OF_ROW: usize = 2;
/// The row whose block is damaged.
const DAMAGED: usize = 3;
/// Where the block is damaged: in its cells.
const BYTE: u64 = 40;

fn row(number: usize) -> String {
    format!("r{number}")
}

/// A region with one file, in which each row has a block of its own.
struct Stored {
    machine: Machine,
    region: Arc<Region>,
    path: PathBuf,
    blocks: Vec<BlockRef>,
    written: Vec<Plain>,
}

impl Stored {
    fn new() -> Self {
        let mut machine = Machine::new(vec![family("a", 1).with("BLOCKSIZE", "64")]);
        // Every block is read each time.
        machine.world.cache = TestCache::new(true);
        let region = machine.world.start().unwrap();
        for at in 0..ROWS {
            let (row, count) = (row(at), (at as i64).to_be_bytes());
            let edits = vec![put((&row, "a", "n"), &count), put((&row, "a", "q"), &[at as u8; 100])];
            run(region.batch(edits)).into_iter().for_each(|outcome| outcome.unwrap());
        }
        let written = scan(&region, &Scan::default(), None).unwrap();
        assert_eq!(written.len(), ROWS * CELLS_OF_ROW);
        region.flush(None).unwrap();
        let world = &machine.world;
        let dir = world.root.family_dir(&world.info.table, &world.info.encoded_name(), b"a");
        let mut files = world.fs.list(&dir).unwrap();
        assert_eq!(files.len(), 1);
        let path = dir.join(files.remove(0).name);
        let reader = HFileReader::open(world.fs.open(&path).unwrap(), &path, FileId::next()).unwrap();
        assert_eq!(reader.data_blocks(), ROWS as u64);
        let mut blocks: Vec<BlockRef> = Vec::new();
        for _ in 0..ROWS {
            let offset = blocks.last().map_or(0, |last| last.offset + u64::from(last.size));
            let block = reader.stored_block(offset).unwrap();
            assert_eq!(block.header.block_type, BlockType::Data);
            blocks.push(block.place);
        }
        Self { machine, region, path, blocks, written }
    }

    /// Damages a byte of the block, in one copy of the file.
    fn damage(&self, copy: usize, byte: u64) {
        self.damage_at(copy, self.blocks[DAMAGED].offset + byte);
    }

    fn damage_at(&self, copy: usize, offset: u64) {
        let name = self.path.file_name().unwrap().to_str().unwrap();
        self.machine.faults.damage(name, copy, offset, 0x10);
    }

    fn get(&self, at: usize) -> Result<Vec<Plain>, RegionError> {
        scan(&self.region, &Get::new(row(at).into()).scan, None)
    }

    fn scan(&self, reversed: bool) -> Result<Vec<Plain>, RegionError> {
        scan(&self.region, &Scan { reversed, ..Scan::default() }, None)
    }

    fn written_to(&self, at: usize) -> &[Plain] {
        &self.written[at * CELLS_OF_ROW..(at + 1) * CELLS_OF_ROW]
    }

    /// What was written, in the order of a scan.
    fn written(&self, reversed: bool) -> Vec<Plain> {
        let mut rows: Vec<&[Plain]> = self.written.chunks(CELLS_OF_ROW).collect();
        if reversed {
            rows.reverse();
        }
        rows.concat()
    }

    fn assert_named(&self, error: &RegionError) {
        let offset = self.blocks[DAMAGED].offset;
        let begins = format!("{}: corrupt data block at {offset}: expected ", self.path.display());
        assert!(error.to_string().starts_with(&begins), "{error}");
    }

    /// What a scan has found is all there is before the block, or some of it.
    fn assert_before(&self, out: &ScanOutput, reversed: bool) {
        let found: Vec<Plain> = out.cells().map(|cell| Plain::from(&cell)).collect();
        let rows = if reversed { ROWS - DAMAGED - 1 } else { DAMAGED };
        let before = &self.written(reversed)[..rows * CELLS_OF_ROW];
        assert!(!found.is_empty() && before.starts_with(&found), "{found:?}");
    }

    fn assert_whole(&self) {
        for at in 0..ROWS {
            assert_eq!(self.get(at).unwrap(), self.written_to(at));
        }
        for reversed in [false, true] {
            assert_eq!(self.scan(reversed).unwrap(), self.written(reversed));
        }
    }
}

#[test]
fn reads_that_need_it_fail_and_others_are_answered() {
    let stored = Stored::new();
    stored.assert_whole();
    // In its header, in its cells, and in its checksums.
    for byte in [10, BYTE, u64::from(stored.blocks[DAMAGED].size) - 1] {
        stored.damage(0, byte);
        for at in 0..ROWS {
            match stored.get(at) {
                Ok(found) => {
                    assert_ne!(at, DAMAGED, "byte {byte}: {found:?}");
                    assert_eq!(found, stored.written_to(at), "byte {byte}");
                }
                Err(error) => {
                    assert_eq!(at, DAMAGED, "byte {byte}: {error}");
                    stored.assert_named(&error);
                }
            }
        }
        for reversed in [false, true] {
            let described = Scan { reversed, ..Scan::default() };
            let mut scanner = stored.region.scanner(&described, None).unwrap();
            let mut out = ScanOutput::default();
            stored.assert_named(&next(&mut scanner, &mut out, &ScanLimits::NONE).unwrap_err());
            stored.assert_before(&out, reversed);
        }
        let behind = Scan { start_row: row(DAMAGED + 1).into(), ..Scan::default() };
        let found = scan(&stored.region, &behind, None).unwrap();
        assert_eq!(found, &stored.written[(DAMAGED + 1) * CELLS_OF_ROW..]);
        stored.machine.faults.repair();
    }
    stored.assert_whole();
}

#[test]
fn a_scanner_that_was_open_before_gives_none_of_it_and_goes_on_when_it_is_whole_again() {
    let stored = Stored::new();
    let mut scanner = stored.region.scanner(&Scan::default(), None).unwrap();
    let mut out = ScanOutput::default();
    next(&mut scanner, &mut out, &ScanLimits { results: 1, ..ScanLimits::NONE }).unwrap();
    assert_eq!(out.counts.len(), 1);
    stored.damage(0, BYTE);
    for _ in ["at first", "and again"] {
        stored.assert_named(&next(&mut scanner, &mut out, &ScanLimits::NONE).unwrap_err());
        stored.assert_before(&out, false);
    }
    stored.machine.faults.repair();
    next(&mut scanner, &mut out, &ScanLimits::NONE).unwrap();
    let found: Vec<Plain> = results_of(&out).into_iter().flat_map(|result| result.cells).collect();
    assert_eq!(found, stored.written);
}

#[test]
fn an_increment_that_needs_it_changes_nothing() {
    let stored = Stored::new();
    let row = row(DAMAGED);
    let counter = (&row[..], "a", "n");
    let count = || run(stored.region.mutate_atomically(Vec::new(), vec![increment(counter, 1)]));
    stored.damage(0, BYTE);
    stored.assert_named(&count().unwrap_err());
    stored.machine.faults.repair();
    stored.assert_whole();
    count().unwrap();
    assert_eq!(number(&stored.region, counter), DAMAGED as i64 + 1);
}

#[test]
fn with_another_copy_reads_find_all_that_was_written() {
    let stored = Stored::new();
    let faults = &stored.machine.faults;
    faults.set_second_copy(true);
    for copy in [0, 1] {
        stored.damage(copy, BYTE);
        stored.assert_whole();
        faults.repair();
    }
    stored.damage(0, BYTE);
    stored.damage(1, BYTE + 1);
    stored.assert_named(&stored.get(DAMAGED).unwrap_err());
    stored.assert_named(&stored.scan(false).unwrap_err());
}

#[test]
fn a_compaction_fails_without_another_copy_and_with_one_its_file_is_whole() {
    let stored = Stored::new();
    let faults = &stored.machine.faults;
    stored.damage(0, BYTE);
    stored.assert_named(&stored.region.compact(b"a", true).unwrap_err());
    assert_eq!(stored.get(DAMAGED + 1).unwrap(), stored.written_to(DAMAGED + 1));
    faults.set_second_copy(true);
    stored.region.compact(b"a", true).unwrap().unwrap();
    faults.set_second_copy(false);
    stored.assert_whole();
}

/// HBase opens it as well, and does not look at a block before a read needs it.
#[test]
fn a_file_whose_first_block_is_damaged_is_opened_for_the_others() {
    let mut stored = Stored::new();
    stored.region.close().unwrap();
    stored.damage_at(0, stored.blocks[0].offset + BYTE);
    stored.region = stored.machine.world.start().unwrap();
    for at in 1..ROWS {
        assert_eq!(stored.get(at).unwrap(), stored.written_to(at));
    }
    let error = stored.get(0).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{}: corrupt data block at 0: expected ", stored.path.display())),
        "{error}"
    );
    stored.machine.faults.repair();
    stored.assert_whole();
}

/// As in HBase: what a filter cannot rule out is looked for.
#[test]
fn reads_go_on_without_a_bloom_filter_that_is_damaged() {
    let stored = Stored::new();
    let chunk = {
        let world = &stored.machine.world;
        let file = world.fs.open(&stored.path).unwrap();
        let mut bytes = vec![0; file.len().unwrap() as usize];
        file.read_exact_at(0, &mut bytes).unwrap();
        bytes.windows(8).position(|window| window == b"BLMFBLK2").unwrap() as u64
    };
    stored.damage_at(0, chunk + BYTE);
    for _ in ["read", "and again"] {
        stored.assert_whole();
        assert_eq!(scan(&stored.region, &Get::new("r33".into()).scan, None).unwrap(), []);
    }
    let row = row(DAMAGED);
    run(stored.region.mutate_atomically(Vec::new(), vec![increment((&row, "a", "n"), 1)])).unwrap();
    assert_eq!(number(&stored.region, (&row, "a", "n")), DAMAGED as i64 + 1);
}
