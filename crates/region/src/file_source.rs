//! A store file as a source of a read: behind its Bloom filter, where that can tell.

use finback_cell::Cell;
use finback_cell::key::Key;
use finback_hfile::{Block, BloomProbe, HFileScanner, ScanInterrupt};
use std::sync::Arc;

/// A scanner of a file that may turn out to have nothing of the row that is read.
pub(crate) struct FileSource {
    scanner: HFileScanner,
    /// The sequence id of all cells, if the file was bulk loaded: those in it are of another region or none.
    bulk_sequence_id: Option<u64>,
    /// The question that is still open; asked at the first seek, so that only a read that comes to this file pays.
    probe: Option<BloomProbe>,
    /// The Bloom filter said no.
    absent: bool,
}

impl FileSource {
    pub(crate) fn new(
        scanner: HFileScanner,
        bulk_sequence_id: Option<u64>,
        probe: Option<BloomProbe>,
    ) -> Self {
        Self { scanner, bulk_sequence_id, probe, absent: false }
    }

    /// The newest timestamp of any of its cells, if the file says.
    pub(crate) fn newest_timestamp(&self) -> Option<i64> {
        self.scanner.reader().time_range().map(|(_, newest)| newest)
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<(Cell<'_>, u64)> {
        // A scanner that was never moved stands nowhere: nothing to do for one that is absent.
        let (cell, sequence_id) = self.scanner.peek()?;
        Some((cell, self.bulk_sequence_id.unwrap_or(sequence_id)))
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Result<(), ScanInterrupt> {
        self.scanner.advance()
    }

    pub(crate) fn seek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        if let Some(probe) = &mut self.probe {
            self.absent = !probe.may_contain()?;
            self.probe = None;
        }
        if self.absent { Ok(()) } else { self.scanner.seek(key) }
    }

    pub(crate) fn reseek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        self.scanner.reseek(key)
    }

    pub(crate) fn previous_row(&mut self, row: Option<&[u8]>) -> Result<Option<Vec<u8>>, ScanInterrupt> {
        self.scanner.previous_row(row)
    }

    /// Lets go of all blocks, until [`FileSource::unpark`].
    pub(crate) fn park(&mut self) {
        self.scanner.park();
    }

    pub(crate) fn unpark(&mut self) -> Result<(), ScanInterrupt> {
        self.scanner.unpark()
    }

    /// Bytes of the blocks that the scanner keeps in memory.
    pub(crate) fn held_bytes(&self) -> usize {
        self.scanner.held_bytes()
    }

    pub(crate) fn provide(&mut self, block: Arc<Block>) {
        match &mut self.probe {
            Some(probe) => probe.provide(block),
            None => self.scanner.provide(block),
        }
    }
}

impl std::fmt::Debug for FileSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.scanner)
    }
}
