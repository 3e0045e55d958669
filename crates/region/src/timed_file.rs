//! Blocks that go to and from store files, with how long that took.

use finback_fs::WritableFile;
use finback_hfile::{Block, BlockRequest, BlockToJoin, BlocksToJoin, HFileError, StoredForm};
use finback_metrics::{Timer, file_io};
use std::io::{self, IoSlice};
use std::sync::Arc;

/// A file whose writes are timed.
#[derive(Debug)]
pub(crate) struct TimedFile(pub(crate) Box<dyn WritableFile>);

impl WritableFile for TimedFile {
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        let timer = Timer::start();
        self.0.append_vectored(slices)?;
        file_io().wrote(timer);
        Ok(())
    }

    fn lend_end(&mut self, room: usize) -> Option<Vec<u8>> {
        self.0.lend_end(room)
    }

    fn append_lent(&mut self, end: Vec<u8>) -> io::Result<()> {
        let timer = Timer::start();
        self.0.append_lent(end)?;
        file_io().wrote(timer);
        Ok(())
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn len(&self) -> u64 {
        self.0.len()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.0.truncate(len)
    }

    fn held_bytes(&self) -> usize {
        self.0.held_bytes()
    }
}

/// Reads a block that a compaction needs, and its stored form if it may be copied.
pub(crate) fn read_to_compact(
    request: &BlockRequest,
) -> Result<(Arc<Block>, Option<StoredForm>), HFileError> {
    let timer = Timer::start();
    let read = request.read_to_copy();
    match &read {
        Err(HFileError::Corrupt { .. }) => file_io().damaged(),
        _ => file_io().read_to_compact(timer),
    }
    read
}

/// Reads the next block of a file whose blocks become those of another one.
pub(crate) fn read_to_join<'a>(
    blocks: &'a mut BlocksToJoin<'_>,
) -> Result<Option<BlockToJoin<'a>>, HFileError> {
    let timer = Timer::start();
    let read = blocks.read_next();
    match &read {
        Err(HFileError::Corrupt { .. }) => file_io().damaged(),
        Ok(None) => {}
        _ => file_io().read_to_compact(timer),
    }
    read
}
