//! How long a process reads and writes blocks of store files, and what it asks their Bloom filters.

use crate::counter::Counter;
use crate::histogram::{Histogram, HistogramSnapshot};
use crate::operation::Timer;
use std::sync::LazyLock;

/// What is done to store files.
#[derive(Debug)]
pub struct FileIo {
    reads: Histogram,
    compaction_reads: Histogram,
    writes: Histogram,
    damaged_blocks: Counter,
    bloom_requests: Counter,
    bloom_negatives: Counter,
}

/// That of the process: whoever reads and writes store files in it counts here.
pub fn file_io() -> &'static FileIo {
    static OF_PROCESS: LazyLock<FileIo> = LazyLock::new(FileIo::default);
    &OF_PROCESS
}

impl Default for FileIo {
    fn default() -> Self {
        Self {
            reads: Histogram::for_many_threads(),
            compaction_reads: Histogram::for_many_threads(),
            writes: Histogram::for_many_threads(),
            damaged_blocks: Counter::default(),
            bloom_requests: Counter::default(),
            bloom_negatives: Counter::default(),
        }
    }
}

impl FileIo {
    /// A block that a client's call needs was read, and checked.
    pub fn read(&self, timer: Timer) {
        stop(&self.reads, timer);
    }

    /// Likewise one that a compaction needs.
    pub fn read_to_compact(&self, timer: Timer) {
        stop(&self.compaction_reads, timer);
    }

    /// A block of a flush or a compaction was written.
    pub fn wrote(&self, timer: Timer) {
        stop(&self.writes, timer);
    }

    /// A block that was read is not what was written.
    pub fn damaged(&self) {
        self.damaged_blocks.add(1);
    }

    /// A file's Bloom filter was asked for a row or a column.
    #[inline]
    pub fn asked_bloom(&self, may_contain: bool) {
        self.bloom_requests.add(1);
        if !may_contain {
            self.bloom_negatives.add(1);
        }
    }

    /// What was counted so far.
    pub fn figures(&self) -> FileIoFigures {
        FileIoFigures {
            reads: self.reads.snapshot(),
            compaction_reads: self.compaction_reads.snapshot(),
            writes: self.writes.snapshot(),
            damaged_blocks: self.damaged_blocks.count(),
            bloom_requests: self.bloom_requests.count(),
            bloom_negatives: self.bloom_negatives.count(),
        }
    }
}

fn stop(times: &Histogram, timer: Timer) {
    if let Some(took) = timer.elapsed() {
        times.record(took);
    }
}

/// What was done to store files.
#[derive(Clone, Debug, Default)]
pub struct FileIoFigures {
    /// Reads of blocks that clients' calls needed.
    pub reads: HistogramSnapshot,
    /// Reads of blocks that compactions needed.
    pub compaction_reads: HistogramSnapshot,
    /// Writes of blocks.
    pub writes: HistogramSnapshot,
    /// Blocks that were not as they were written.
    pub damaged_blocks: u64,
    /// Questions to Bloom filters.
    pub bloom_requests: u64,
    /// Those of them to which the answer was no.
    pub bloom_negatives: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_to_files_is_counted_by_kind() {
        let io = FileIo::default();
        (0..3).for_each(|_| io.read(Timer::start()));
        (0..2).for_each(|_| io.read_to_compact(Timer::start()));
        io.wrote(Timer::start());
        io.damaged();
        [true, false, true].into_iter().for_each(|may| io.asked_bloom(may));
        let figures = io.figures();
        let times = [&figures.reads, &figures.compaction_reads, &figures.writes];
        assert_eq!(times.map(HistogramSnapshot::count), [3, 2, 1]);
        assert_eq!((figures.damaged_blocks, figures.bloom_requests, figures.bloom_negatives), (1, 3, 1));
    }
}
