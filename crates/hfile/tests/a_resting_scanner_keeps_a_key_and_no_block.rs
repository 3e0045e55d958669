//! A scanner that rests has the key of its cell and no block; it goes on from there as if it had not. Large blocks are not
//! in memory beside the next one of their file.

use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::{Cell, CellType};
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::testing::{file_of_rows, reader_of};
use finback_hfile::{
    FileId, HFileReader, HFileScanner, HFileWriter, ScanInterrupt, WriterOptions, read_through,
};
use std::path::Path;
use std::sync::Arc;

const ROWS: u32 = 1000;

/// A file with an index of several levels: every second row, several of them in a block.
fn reader() -> Arc<HFileReader> {
    let options =
        WriterOptions { block_size_bytes: 512, index_block_size_bytes: 512, ..WriterOptions::default() };
    reader_of(file_of_rows(options, (0..ROWS).map(|row| 2 * row), &[7; 50]), FileId(1))
}

fn scanner_at(reader: &Arc<HFileReader>, row: u32) -> HFileScanner {
    let mut scanner = HFileScanner::new(Arc::clone(reader), None, false);
    seek(&mut scanner, row);
    scanner
}

fn seek(scanner: &mut HFileScanner, row: u32) {
    read_through(scanner, |scanner| scanner.seek(&Key::first_on_row(&row.to_be_bytes()))).unwrap();
}

fn reseek(scanner: &mut HFileScanner, row: u32) {
    read_through(scanner, |scanner| scanner.reseek(&Key::first_on_row(&row.to_be_bytes()))).unwrap();
}

fn key_of(scanner: &HFileScanner) -> Option<u32> {
    scanner.key().map(|(key, _)| u32::from_be_bytes(key.row.try_into().unwrap()))
}

fn row_of(scanner: &HFileScanner) -> Option<u32> {
    scanner.peek().map(|(cell, _)| u32::from_be_bytes(cell.row().try_into().unwrap()))
}

#[test]
fn at_every_cell() {
    let mut scanner = scanner_at(&reader(), 0);
    for row in 0..ROWS {
        let (cell, sequence_id) = scanner.peek().unwrap();
        let (value, key) = (cell.value().to_vec(), cell.key().to_vec());
        scanner.rest();
        assert!(scanner.is_resting());
        assert_eq!(
            (row_of(&scanner), key_of(&scanner), scanner.data_block_bytes()),
            (None, Some(2 * row), 0)
        );
        assert_eq!(scanner.key().unwrap().1, sequence_id);
        if row % 3 == 0 {
            scanner.park();
            assert_eq!((scanner.held_bytes(), key_of(&scanner)), (0, Some(2 * row)));
            read_through(&mut scanner, HFileScanner::unpark).unwrap();
            assert!(scanner.is_resting());
        }
        // It moves on from its rest, too.
        if row % 2 == 0 {
            read_through(&mut scanner, HFileScanner::wake).unwrap();
            let (cell, woken_sequence_id) = scanner.peek().unwrap();
            assert_eq!((cell.value(), cell.key(), woken_sequence_id), (&value[..], &key[..], sequence_id));
        }
        read_through(&mut scanner, HFileScanner::advance).unwrap();
        assert!(!scanner.is_resting());
    }
    assert_eq!((row_of(&scanner), key_of(&scanner)), (None, None));
    scanner.rest();
    assert!(!scanner.is_resting(), "there is nothing to rest at");
    read_through(&mut scanner, HFileScanner::wake).unwrap();
}

#[test]
fn and_may_be_parked_twice() {
    for rests in [true, false] {
        let mut scanner = scanner_at(&reader(), 1000);
        if rests {
            scanner.rest();
        }
        scanner.park();
        scanner.park();
        read_through(&mut scanner, HFileScanner::unpark).unwrap();
        assert_eq!((key_of(&scanner), scanner.is_resting()), (Some(1000), rests));
        read_through(&mut scanner, HFileScanner::advance).unwrap();
        assert_eq!(row_of(&scanner), Some(1002));
    }
}

#[test]
fn and_seeks_from_there_to_anywhere() {
    let reader = reader();
    for from in (0..2 * ROWS).step_by(38) {
        for to in (0..2 * ROWS).step_by(46).chain([from, from + 1, from + 2, from + 3]) {
            let found = Some(to.next_multiple_of(2)).filter(|&row| row < 2 * ROWS);
            let mut scanner = scanner_at(&reader, from);
            scanner.rest();
            seek(&mut scanner, to);
            assert_eq!(row_of(&scanner), found, "from {from} to {to}");
            let mut scanner = scanner_at(&reader, from);
            scanner.rest();
            reseek(&mut scanner, to);
            // Backwards it stays where it is.
            let found = if to <= from { Some(from) } else { found };
            assert_eq!(key_of(&scanner), found, "from {from} on to {to}");
            assert_eq!(scanner.is_resting(), to <= from);
        }
    }
}

#[test]
fn large_blocks_are_let_go_of_before_the_next_one_is_read() {
    const CELL: usize = 2 << 20;
    let reader = reader_of(file_of_rows(WriterOptions::default(), 0..5, &vec![7; CELL]), FileId(2));
    for seeks in [false, true] {
        let mut scanner = HFileScanner::new(Arc::clone(&reader), None, false);
        let (mut row, mut most_held) = (0, 0);
        seek(&mut scanner, row);
        while scanner.key().is_some() {
            let next = (row + 1).to_be_bytes();
            let moved = if seeks { scanner.reseek(&Key::first_on_row(&next)) } else { scanner.advance() };
            match moved {
                Ok(()) => {
                    row += 1;
                    assert_eq!(row_of(&scanner), Some(row).filter(|&row| row < 5));
                }
                Err(ScanInterrupt::NeedBlock(request)) => {
                    scanner.provide(request.read().unwrap());
                    most_held = most_held.max(scanner.held_bytes());
                }
                Err(ScanInterrupt::Failed(error)) => panic!("{error}"),
            }
        }
        assert_eq!(row, 5);
        assert!(most_held < CELL + CELL / 2, "{most_held} bytes were held");
    }
}

#[test]
fn a_key_that_is_most_of_its_block_is_not_kept_instead_of_it() {
    let fs = MemFileSystem::default();
    let path = Path::new("/f");
    let mut writer = HFileWriter::new(fs.create_new(path).unwrap(), path, WriterOptions::default()).unwrap();
    let parts = CellParts {
        row: b"row",
        family: b"f",
        qualifier: &vec![7; 100 << 10],
        timestamp: 1,
        type_code: CellType::Put.code(),
        value: b"value",
        tags: b"",
    };
    writer.append(&Cell::parse(&parts.to_vec()).unwrap(), 0).unwrap();
    writer.finish(1).unwrap();
    let mut scanner = HFileScanner::new(reader_of(fs.open(path).unwrap(), FileId(3)), None, false);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b"row"))).unwrap();
    scanner.rest();
    assert!(!scanner.is_resting());
    assert_eq!(scanner.peek().unwrap().0.value(), b"value");
}
