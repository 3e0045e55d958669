//! A scanner that is parked has no block, and goes on where it stood, whatever its cache still has.

use finback_cell::key::Key;
use finback_hfile::testing::{file_of_rows, reader_of};
use finback_hfile::{FileId, HFileReader, HFileScanner, ScanInterrupt, WriterOptions, read_through};
use std::sync::Arc;

const ROWS: u32 = 3000;

/// A file with an index of several levels.
fn reader() -> Arc<HFileReader> {
    let options =
        WriterOptions { block_size_bytes: 512, index_block_size_bytes: 512, ..WriterOptions::default() };
    reader_of(file_of_rows(options, (0..ROWS).map(|row| 2 * row), &[7; 50]), FileId(1))
}

fn row_of(scanner: &HFileScanner) -> Option<u32> {
    scanner.peek().map(|(cell, _)| u32::from_be_bytes(cell.row().try_into().unwrap()))
}

#[test]
fn at_every_cell() {
    let mut scanner = HFileScanner::new(reader(), None, false);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b""))).unwrap();
    for row in 0..ROWS {
        assert!(scanner.held_bytes() > 0);
        scanner.park();
        assert_eq!((scanner.held_bytes(), row_of(&scanner)), (0, None));
        read_through(&mut scanner, HFileScanner::unpark).unwrap();
        let (_, sequence_id) = scanner.peek().unwrap();
        assert_eq!((row_of(&scanner), sequence_id), (Some(2 * row), u64::from((2 * row).to_be_bytes()[3])));
        read_through(&mut scanner, HFileScanner::advance).unwrap();
    }
    assert_eq!(row_of(&scanner), None);
    scanner.park();
    read_through(&mut scanner, HFileScanner::unpark).unwrap();
    assert_eq!(row_of(&scanner), None, "at the end it stays there");
}

#[test]
fn and_seeks_from_there_or_from_anywhere() {
    let mut scanner = HFileScanner::new(reader(), None, false);
    scanner.park();
    read_through(&mut scanner, HFileScanner::unpark).unwrap();
    assert_eq!(row_of(&scanner), None, "one that never stood anywhere");
    let seek = |scanner: &mut HFileScanner, row: u32| {
        read_through(scanner, |scanner| scanner.seek(&Key::first_on_row(&row.to_be_bytes()))).unwrap();
    };
    seek(&mut scanner, 1001);
    scanner.park();
    // The seek takes the place of what was parked.
    seek(&mut scanner, 2001);
    read_through(&mut scanner, HFileScanner::unpark).unwrap();
    assert_eq!(row_of(&scanner), Some(2002));
    scanner.park();
    read_through(&mut scanner, HFileScanner::unpark).unwrap();
    read_through(&mut scanner, |scanner| scanner.reseek(&Key::first_on_row(&4001u32.to_be_bytes()))).unwrap();
    assert_eq!(row_of(&scanner), Some(4002));
}

#[test]
fn an_interruption_does_not_lose_its_place() {
    let reader = reader();
    let mut scanner = HFileScanner::new(Arc::clone(&reader), None, false);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&3000u32.to_be_bytes()))).unwrap();
    scanner.park();
    let mut asked = 0;
    loop {
        match scanner.unpark() {
            Ok(()) => break,
            Err(ScanInterrupt::NeedBlock(request)) => {
                asked += 1;
                assert!(asked < 10);
                // Parked again in the middle of it.
                if asked == 1 {
                    scanner.park();
                } else {
                    scanner.provide(request.read().unwrap());
                }
            }
            Err(ScanInterrupt::Failed(error)) => panic!("{error}"),
        }
    }
    assert!(asked > 2, "the file has an index of several levels");
    assert_eq!(row_of(&scanner), Some(3000));
}
