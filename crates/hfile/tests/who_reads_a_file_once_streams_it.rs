//! A scanner that goes through a file once has its data blocks by the storage's own way for that, and all else as everybody.

use finback_cell::key::Key;
use finback_fs::RandomAccessFile;
use finback_hfile::testing::{file_of_rows, reader_of};
use finback_hfile::{FileId, HFileScanner, WriterOptions, read_through};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};

const ROWS: u32 = 4000;
const PIECE_BYTES: usize = 128 << 10;

/// Which bytes were read by each way.
#[derive(Debug, Default)]
struct Notes {
    plain: Vec<Range<u64>>,
    streamed: Vec<Range<u64>>,
    pieces: Vec<usize>,
    plain_hints: usize,
}

/// A file that notes how it is read.
#[derive(Debug)]
struct Noted {
    inner: Arc<dyn RandomAccessFile>,
    notes: Arc<Mutex<Notes>>,
    is_stream: bool,
    can_be_streamed: bool,
}

impl RandomAccessFile for Noted {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read_at(offset, buf)?;
        let mut notes = self.notes.lock().unwrap();
        let way = if self.is_stream { &mut notes.streamed } else { &mut notes.plain };
        way.push(offset..offset + read as u64);
        Ok(read)
    }
    fn read_at_nowait(&self, offset: u64, buf: &mut [u8]) -> io::Result<Option<()>> {
        self.inner.read_at_nowait(offset, buf)
    }
    fn will_need(&self, _: u64, _: u64) {
        let mut notes = self.notes.lock().unwrap();
        notes.plain_hints += usize::from(!self.is_stream);
    }
    fn can_be_streamed(&self) -> bool {
        self.can_be_streamed
    }
    fn streamed(&self, piece_bytes: usize) -> Option<Arc<dyn RandomAccessFile>> {
        self.notes.lock().unwrap().pieces.push(piece_bytes);
        let (inner, notes) = (Arc::clone(&self.inner), Arc::clone(&self.notes));
        self.can_be_streamed
            .then(|| Arc::new(Self { inner, notes, is_stream: true, can_be_streamed: true }) as _)
    }
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }
}

/// Reads all of a file of 4 MB, whose index has two levels, and lets go of the block at one of the cells; gives back how many cells
/// it has, and what was noted.
fn read_all(can_be_streamed: bool, rests_at: u32) -> (u32, Notes) {
    let options = WriterOptions {
        block_size_bytes: 16 << 10,
        index_block_size_bytes: 1 << 10,
        ..WriterOptions::default()
    };
    let inner = file_of_rows(options, 0..ROWS, &[7; 1000]);
    let notes = Arc::new(Mutex::new(Notes::default()));
    let file = Noted { inner, notes: Arc::clone(&notes), is_stream: false, can_be_streamed };
    let reader = reader_of(Arc::new(file), FileId(1));
    assert_eq!(reader.can_be_streamed(), can_be_streamed);
    notes.lock().unwrap().plain.clear();
    let mut scanner = HFileScanner::new(reader, None, false).streaming(PIECE_BYTES);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&[]))).unwrap();
    let mut cells = 0;
    while let Some((cell, _)) = scanner.peek() {
        assert_eq!(cell.row(), u32::to_be_bytes(cells));
        cells += 1;
        if cells == rests_at {
            assert_eq!(scanner.held_bytes() > PIECE_BYTES, can_be_streamed);
            scanner.rest();
            read_through(&mut scanner, HFileScanner::wake).unwrap();
            assert!(scanner.held_bytes() < PIECE_BYTES);
        }
        read_through(&mut scanner, HFileScanner::advance).unwrap();
    }
    let notes = std::mem::take(&mut *notes.lock().unwrap());
    (cells, notes)
}

fn bytes(reads: &[Range<u64>]) -> u64 {
    reads.iter().map(|read| read.end - read.start).sum()
}

#[test]
fn data_blocks_are_streamed_in_their_order_and_index_blocks_are_not() {
    let (cells, notes) = read_all(true, 0);
    assert_eq!((cells, &notes.pieces[..]), (ROWS, &[PIECE_BYTES][..]));
    assert!(notes.streamed.is_sorted_by(|one, next| one.end <= next.start));
    assert!(bytes(&notes.streamed) > 4_000_000);
    assert_eq!(notes.plain_hints, 0, "nothing comes into the system's memory");
    // Leaves of the index.
    assert!(notes.plain.len() > 3 && bytes(&notes.plain) < 100_000, "{:?}", notes.plain);
}

/// As a merge does with large blocks: what is read again would come from the device each time.
#[test]
fn a_file_whose_blocks_are_read_again_is_streamed_no_longer() {
    let (cells, notes) = read_all(true, ROWS / 2);
    assert_eq!(cells, ROWS);
    assert!(notes.streamed.is_sorted_by(|one, next| one.end <= next.start));
    assert!((1_900_000..2_100_000).contains(&bytes(&notes.streamed)));
    assert!(bytes(&notes.plain) > 1_900_000 && notes.plain_hints > 0);
}

#[test]
fn where_the_storage_has_no_such_way_all_is_read_as_ever() {
    let (cells, notes) = read_all(false, ROWS / 2);
    assert_eq!((cells, notes.streamed.len()), (ROWS, 0));
    assert!(bytes(&notes.plain) > 4_000_000);
}
