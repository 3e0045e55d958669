//! A scan that goes from block to block has the device fetch what comes next; gets and short scans do not.

use finback_cell::key::Key;
use finback_fs::RandomAccessFile;
use finback_hfile::testing::{file_of_rows, reader_of};
use finback_hfile::{FileId, HFileReader, HFileScanner, WriterOptions, read_through};
use std::io;
use std::sync::{Arc, Mutex};

const ROWS: u32 = 4000;

/// A file that notes what it is told will be needed.
#[derive(Debug)]
struct Hinted {
    inner: Arc<dyn RandomAccessFile>,
    hints: Mutex<Vec<(u64, u64)>>,
}

impl RandomAccessFile for Hinted {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.inner.read_at(offset, buf)
    }
    fn read_at_nowait(&self, offset: u64, buf: &mut [u8]) -> io::Result<Option<()>> {
        self.inner.read_at_nowait(offset, buf)
    }
    fn will_need(&self, offset: u64, length: u64) {
        self.hints.lock().unwrap().push((offset, length));
    }
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }
}

/// A file of 4 MB in blocks of 16 KiB.
fn file() -> (Arc<Hinted>, Arc<HFileReader>) {
    let options = WriterOptions { block_size_bytes: 16 << 10, ..WriterOptions::default() };
    let file = file_of_rows(options, 0..ROWS, &[7; 1000]);
    let hinted = Arc::new(Hinted { inner: file, hints: Mutex::default() });
    let reader = reader_of(Arc::clone(&hinted) as _, FileId(1));
    (hinted, reader)
}

fn scan(reader: &Arc<HFileReader>, from: u32, rows: usize) {
    let mut scanner = HFileScanner::new(Arc::clone(reader), None, false);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&from.to_be_bytes()))).unwrap();
    for _ in 0..rows {
        scanner.peek().unwrap();
        read_through(&mut scanner, HFileScanner::advance).unwrap();
    }
}

#[test]
fn the_whole_file_is_fetched_once_in_pieces_of_bounded_size() {
    let (file, reader) = file();
    scan(&reader, 0, ROWS as usize);
    let hints = file.hints.lock().unwrap();
    assert!((4..20).contains(&hints.len()), "{hints:?}");
    assert!(hints.iter().all(|(_, length)| *length <= 1 << 20), "{hints:?}");
    assert!(hints[0].0 < 80 << 10, "soon after the start: {hints:?}");
    for (one, next) in hints.iter().zip(&hints[1..]) {
        assert_eq!(one.0 + one.1, next.0, "no gap, and nothing twice: {hints:?}");
    }
    assert_eq!(hints.last().map(|(offset, length)| offset + length), Some(reader.size_bytes()));
}

#[test]
fn gets_and_short_scans_fetch_what_they_read_and_no_more() {
    let (file, reader) = file();
    for row in (0..ROWS - 20).step_by(97) {
        scan(&reader, row, 15);
    }
    assert_eq!(*file.hints.lock().unwrap(), []);
}
