//! What is said beforehand of the memory that a scan of a file takes, or a block of it, is neither far too little nor far too much.

use finback_cell::key::Key;
use finback_compression::Compression;
use finback_hfile::testing::{file_of_rows, reader_of};
use finback_hfile::{
    DataBlockEncoding, FileId, HFileReader, HFileScanner, ScanInterrupt, WriterOptions, read_through,
};
use std::sync::Arc;

const BLOCK_BYTES: u32 = 16 << 10;

fn options() -> WriterOptions {
    WriterOptions { block_size_bytes: BLOCK_BYTES, ..WriterOptions::default() }
}

/// The most that a scan of the whole file has in blocks.
fn most_held(reader: &Arc<HFileReader>) -> u64 {
    let mut scanner = HFileScanner::new(Arc::clone(reader), None, false);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b""))).unwrap();
    let mut most = scanner.held_bytes();
    while scanner.key().is_some() {
        match scanner.advance() {
            Ok(()) => {}
            Err(ScanInterrupt::NeedBlock(request)) => {
                scanner.provide(request.read().unwrap());
                most = most.max(scanner.held_bytes());
            }
            Err(ScanInterrupt::Failed(error)) => panic!("{error}"),
        }
    }
    most as u64
}

/// Of a file of so many rows with this value.
fn assert_estimated(options: WriterOptions, rows: u32, value: &[u8]) {
    let what = format!("{rows} rows of {} bytes, {options:?}", value.len());
    let reader = reader_of(file_of_rows(options, 0..rows, value), FileId::next());
    let (held, estimated) = (most_held(&reader), reader.scan_bytes(u64::from(BLOCK_BYTES), u64::MAX));
    // A scanner has the block that it leaves until it has the next.
    assert!(held <= 2 * estimated + estimated / 2, "{held} bytes, estimated were {estimated}: {what}");
    assert!(estimated <= held + (256 << 10), "{held} bytes, estimated were {estimated}: {what}");
}

#[test]
fn of_small_and_large_cells_compressed_and_encoded() {
    let compressions = [Compression::None, Compression::Gz];
    let encodings = [DataBlockEncoding::None, DataBlockEncoding::FastDiff];
    for (compression, encoding) in compressions.into_iter().flat_map(|c| encodings.map(|e| (c, e))) {
        let options = || WriterOptions { compression, encoding, ..options() };
        assert_estimated(options(), 3000, &[7; 100]);
        assert_estimated(options(), 12, &[7; 1 << 20]);
        assert_estimated(options(), 0, b"");
    }
}

#[test]
fn of_files_whose_root_index_leads_to_other_index_blocks() {
    let deep = || WriterOptions { index_block_size_bytes: 256, min_index_entries: 2, ..options() };
    assert_estimated(deep(), 20_000, &[7; 100]);
    assert_estimated(deep(), 100, &[7; 256 << 10]);
}

#[test]
fn of_a_block_that_is_asked_for() {
    for compression in [Compression::None, Compression::Gz] {
        let file = file_of_rows(WriterOptions { compression, ..options() }, 0..30, &[7; 256 << 10]);
        let mut scanner = HFileScanner::new(reader_of(file, FileId::next()), None, false);
        let Err(ScanInterrupt::NeedBlock(request)) = scanner.seek(&Key::first_on_row(b"")) else {
            panic!("no block is asked for");
        };
        let (estimated, taken) = (request.memory_bytes(), request.read().unwrap().memory_bytes() as u64);
        assert!(taken <= 4 * estimated, "{taken} bytes, estimated were {estimated}: {compression:?}");
        assert!(estimated <= 2 * taken, "{taken} bytes, estimated were {estimated}: {compression:?}");
    }
}
