//! Seeks, reseeks and steps back, at every key and between keys, against a sorted vector; with a cache that keeps
//! nothing, so that every operation that leaves a block is interrupted and repeated.

mod files;
mod golden;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use files::{ForgetfulCache, Stored, here, put};
use finback_cell::CellOrder;
use finback_cell::key::Key;
use finback_hfile::{HFileReader, HFileScanner, ScanInterrupt, WriterOptions};

/// Blocks of a few cells under an index of several levels.
fn tiny_blocks(order: CellOrder) -> WriterOptions {
    WriterOptions {
        order,
        block_size_bytes: 200,
        index_block_size_bytes: 200,
        min_index_entries: 2,
        ..WriterOptions::default()
    }
}

fn rows() -> Vec<Stored> {
    let mut cells = Vec::new();
    for number in (0..400).step_by(2) {
        let row = format!("row{number:04}");
        for version in 0..=number % 3 {
            for (qualifier, timestamp) in [("", 9), ("a", 5), ("b", 5)] {
                let mut stored = put(row.as_bytes(), qualifier.as_bytes(), timestamp, number % 40);
                stored.sequence_id = version as u64;
                cells.push(stored);
            }
        }
    }
    files::sort(&mut cells, CellOrder::User);
    cells
}

/// Every file of these tests, with its cells.
fn all() -> Vec<(Arc<HFileReader>, Vec<Stored>)> {
    let cells = rows();
    let reader = files::open(&files::write(&cells, tiny_blocks(CellOrder::User))).unwrap();
    assert!(reader.trailer().fields.num_data_index_levels() > 3, "{:?}", reader.trailer());
    let mut files = vec![(reader, cells)];
    for name in ["mixed-mvcc-tags-none", "meta-comparator", "index-3level", "mixed-none"] {
        files.push((golden::open(name).unwrap(), golden::cells(&golden::meta(name))));
    }
    files
}

/// Keys before, at, between and after the cells. Not all of a large file: every seventh, and its ends.
fn targets(cells: &[Stored]) -> Vec<Vec<u8>> {
    let mut keys = vec![Key::first_on_row(&[]).to_vec(), Key::last_on_row(&[0xff; 9]).to_vec()];
    let step = if cells.len() > 1000 { 7 } else { 1 };
    for stored in cells.iter().step_by(step) {
        let key = stored.key();
        let next_row = [key.row, &[0]].concat();
        let later = Key { timestamp: key.timestamp.wrapping_sub(1), ..key };
        for key in [
            key,
            later,
            Key::first_on_row(key.row),
            Key::last_on_row(key.row),
            Key::last_on_column(key.row, key.family, key.qualifier),
            Key::first_on_row(&next_row),
        ] {
            keys.push(key.to_vec());
        }
    }
    keys
}

/// Number of the first cell that is not before `key`.
fn position(cells: &[Stored], key: &Key<'_>, order: CellOrder) -> usize {
    cells.partition_point(|stored| order.compare_keys(&stored.key(), key).is_lt())
}

/// Runs an operation to its end, and checks that every interruption leaves what can be seen as it was.
fn run<T>(
    scanner: &mut HFileScanner,
    mut operation: impl FnMut(&mut HFileScanner) -> Result<T, ScanInterrupt>,
) -> T {
    let before = here(scanner);
    for _ in 0..40 {
        match operation(scanner) {
            Ok(done) => return done,
            Err(ScanInterrupt::NeedBlock(request)) => {
                assert_eq!(here(scanner), before, "an interrupted operation moved the position");
                scanner.provide(request.read().unwrap());
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    panic!("no progress after 40 blocks");
}

fn forgetful(reader: &Arc<HFileReader>) -> (HFileScanner, Arc<ForgetfulCache>) {
    let cache = Arc::new(ForgetfulCache::default());
    (HFileScanner::new(Arc::clone(reader), Some(Arc::clone(&cache) as _), true), cache)
}

#[test]
fn a_seek_finds_the_first_cell_that_is_not_before_the_key() {
    for (reader, cells) in all() {
        let (mut scanner, _) = forgetful(&reader);
        for flat in targets(&cells) {
            let key = Key::from_checked(&flat);
            run(&mut scanner, |scanner| scanner.seek(&key));
            let expected = position(&cells, &key, reader.order());
            assert_eq!(here(&scanner).as_ref(), cells.get(expected), "{} {key:?}", reader.path().display());
            // And goes on from there.
            run(&mut scanner, HFileScanner::advance);
            assert_eq!(here(&scanner).as_ref(), cells.get(expected + 1));
        }
    }
}

#[test]
fn it_is_known_where_a_row_ends_before_anything_is_moved() {
    for (reader, cells) in all() {
        let (mut scanner, cache) = forgetful(&reader);
        let has_one_level = reader.trailer().fields.num_data_index_levels() == 1;
        run(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&[])));
        let mut known = 0;
        for (number, stored) in cells.iter().enumerate() {
            let is_last = cells.get(number + 1).is_none_or(|next| next.key().row != stored.key().row);
            let asked = cache.asked.load(Relaxed);
            let says = scanner.is_last_of_row();
            assert_eq!(cache.asked.load(Relaxed), asked, "it asks for no block");
            // At the end of a block of the index nobody knows what the next one begins with.
            assert!(says == is_last || (is_last && !has_one_level), "{} {number}", reader.path().display());
            known += usize::from(says);
            run(&mut scanner, HFileScanner::advance);
        }
        assert!(known > 0 && !scanner.is_last_of_row(), "{}", reader.path().display());
    }
}

#[test]
fn a_reseek_goes_forward_from_anywhere_and_never_back() {
    for (reader, cells) in all() {
        let order = reader.order();
        let mut keys = targets(&cells);
        keys.sort_by(|a, b| order.compare_flat_keys(a, b));
        for stride in [1, 2, 5, 31, 333] {
            let (mut scanner, _) = forgetful(&reader);
            run(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&[])));
            let mut at = 0;
            for flat in keys.iter().step_by(stride) {
                let key = Key::from_checked(flat);
                run(&mut scanner, |scanner| scanner.reseek(&key));
                at = position(&cells, &key, order).max(at);
                assert_eq!(here(&scanner).as_ref(), cells.get(at), "{} {key:?}", reader.path().display());
                if at < cells.len() {
                    run(&mut scanner, |scanner| scanner.reseek(&Key::first_on_row(&[])));
                    assert_eq!(here(&scanner).as_ref(), cells.get(at), "went back");
                }
            }
        }
    }
}

#[test]
fn the_row_before_is_found_from_every_row_and_between() {
    for (reader, cells) in all() {
        let order = reader.order();
        let (mut scanner, _) = forgetful(&reader);
        let last = cells.last().map(|stored| stored.key().row.to_vec());
        assert_eq!(run(&mut scanner, |scanner| scanner.previous_row(None)), last);
        for flat in targets(&cells) {
            let row = Key::from_checked(&flat).row;
            let before = cells.partition_point(|stored| order.compare_rows(stored.key().row, row).is_lt());
            let expected = before.checked_sub(1).map(|number| cells[number].key().row.to_vec());
            let found = run(&mut scanner, |scanner| scanner.previous_row(Some(row)));
            assert_eq!(found, expected, "{} {:?}", reader.path().display(), row.escape_ascii().to_string());
        }
    }
}

#[test]
fn a_scan_touches_every_block_once_even_if_the_cache_keeps_nothing() {
    for (reader, cells) in all() {
        let (mut scanner, cache) = forgetful(&reader);
        let mut places = Vec::new();
        let mut count = 0;
        let mut operation: fn(&mut HFileScanner) -> Result<(), ScanInterrupt> =
            |scanner| scanner.seek(&Key::first_on_row(&[]));
        loop {
            match operation(&mut scanner) {
                Ok(()) if scanner.peek().is_none() => break,
                Ok(()) => {
                    count += 1;
                    operation = HFileScanner::advance;
                }
                Err(ScanInterrupt::NeedBlock(request)) => {
                    places.push(request.block);
                    scanner.provide(request.read().unwrap());
                }
                Err(other) => panic!("{other:?}"),
            }
        }
        assert_eq!(count, cells.len());
        let mut unique = places.clone();
        unique.sort_by_key(|place| place.offset);
        unique.dedup();
        assert_eq!(unique.len(), places.len(), "a block was read twice");
        assert_eq!(cache.offered.load(Relaxed), places.len() as u64);
    }
}

#[test]
fn a_seek_under_the_same_index_blocks_needs_only_a_data_block() {
    let cells = rows();
    let options = WriterOptions { index_block_size_bytes: 4 << 10, ..tiny_blocks(CellOrder::User) };
    let reader = files::open(&files::write(&cells, options)).unwrap();
    assert!(reader.trailer().fields.num_data_index_levels() > 1);
    let (mut scanner, cache) = forgetful(&reader);
    run(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b"row0000")));
    let before = cache.offered.load(Relaxed);
    // The key of a cell: it is in the block that the index names, not in the one after.
    let target = cells.iter().find(|stored| stored.key().row == b"row0020").unwrap();
    run(&mut scanner, |scanner| scanner.seek(&target.key()));
    assert_eq!(here(&scanner).as_ref(), Some(target));
    assert_eq!(cache.offered.load(Relaxed) - before, 1, "only the data block");
}

#[test]
fn a_file_without_cells_has_no_position() {
    let reader = files::open(&files::write(&[], WriterOptions::default())).unwrap();
    let mut scanner = files::scanner(&reader);
    for key in [Key::first_on_row(b""), Key::last_on_row(b"z")] {
        scanner.seek(&key).unwrap();
        scanner.reseek(&key).unwrap();
        scanner.advance().unwrap();
        assert!(scanner.peek().is_none());
        assert_eq!(scanner.previous_row(Some(key.row)).unwrap(), None);
    }
    assert_eq!(scanner.previous_row(None).unwrap(), None);
    assert_eq!((reader.first_key(), reader.last_key(), reader.mid_key().unwrap()), (None, None, None));
}
