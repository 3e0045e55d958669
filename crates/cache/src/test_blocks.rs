use std::sync::Arc;

use finback_cell::key::Key;
use finback_hfile::testing::{file_of_rows, reader_of};
use finback_hfile::{Block, FileId, HFileReader, HFileScanner, ScanInterrupt, WriterOptions};

/// A file of 200 small blocks.
pub(crate) fn reader(id: u64) -> Arc<HFileReader> {
    let options = WriterOptions { block_size_bytes: 1 << 10, ..WriterOptions::default() };
    reader_of(file_of_rows(options, 0..200, &[7; 1 << 10]), FileId(id))
}

/// The data blocks of a file, read without a cache.
pub(crate) fn blocks(reader: &Arc<HFileReader>) -> Vec<Arc<Block>> {
    let mut scanner = HFileScanner::new(Arc::clone(reader), None, false);
    let mut blocks = Vec::new();
    let key = Key::first_on_row(b"");
    let mut seeking = true;
    loop {
        match if seeking { scanner.seek(&key) } else { scanner.advance() } {
            Err(ScanInterrupt::NeedBlock(request)) => {
                let block = request.read().unwrap();
                blocks.push(Arc::clone(&block));
                scanner.provide(block);
            }
            Err(error) => panic!("{error:?}"),
            Ok(()) if scanner.peek().is_none() => return blocks,
            Ok(()) => seeking = false,
        }
    }
}
