use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Receiver;

use finback_hfile::{BlockRef, FileIdentity};

use super::record::{
    Entry, RECORD_HEAD, SegmentBuilder, TABLE_BYTES, TABLE_HEAD, check_record, claimed_generation,
    parse_table,
};
use super::{Shared, TierDevice};

/// A block on its way to the file.
pub(super) struct Offered {
    pub(super) file: FileIdentity,
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
}

/// Fills segments and writes them, on a thread of its own.
pub(super) struct Writer {
    shared: Arc<Shared>,
    /// What the segments hold: generation (0: nothing that counts) and entries.
    segments: Vec<(u64, Vec<Entry>)>,
    /// The segment that is overwritten next.
    next: usize,
    generation: u64,
}

impl Writer {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let segments = vec![(0, Vec::new()); shared.segments];
        Self { shared, segments, next: 0, generation: 1 }
    }

    /// Learns what an earlier server left, the newest first, as far as there is memory to know of it. Segments that are
    /// damaged, or being overwritten when it died, count as empty; single records are checked when they are read.
    pub(super) fn load(&mut self) {
        let mut table = vec![0; TABLE_BYTES];
        for number in self.newest_first() {
            let read = self.shared.device.read_at(&mut table, self.shared.segment_offset(number));
            let parsed = read.ok().and_then(|()| parse_table(&table, self.shared.segment_bytes));
            let Some((generation, mut entries)) = parsed.filter(|(generation, _)| *generation > 0) else {
                continue;
            };
            if generation >= self.generation {
                self.generation = generation.saturating_add(1);
                self.next = (number + 1) % self.segments.len();
            }
            if !self.shared.may_know(entries.len()) {
                // This one and the older ones are as good as empty.
                self.shared.is_full.store(true, Relaxed);
                break;
            }
            for entry in &entries {
                self.shared.index.learn(number as u32, generation, *entry);
            }
            entries.shrink_to_fit();
            self.shared.entries.fetch_add(entries.len(), Relaxed);
            self.segments[number] = (generation, entries);
        }
    }

    /// The segments that have a table, by the generations that these name.
    fn newest_first(&self) -> Vec<usize> {
        let mut head = [0; TABLE_HEAD];
        let claimed = |number| {
            self.shared.device.read_at(&mut head, self.shared.segment_offset(number)).ok()?;
            Some((claimed_generation(&head)?, number))
        };
        let mut segments: Vec<(u64, usize)> = (0..self.segments.len()).filter_map(claimed).collect();
        segments.sort_unstable_by_key(|segment| Reverse(*segment));
        segments.into_iter().map(|(_, number)| number).collect()
    }

    /// Works until the tier is dropped, and then writes what is left.
    pub(super) fn run(mut self, offered: &Receiver<Offered>) {
        let mut segment = self.begin_segment(0);
        while let Ok(block) = offered.recv() {
            self.shared.queued_bytes.fetch_sub(block.bytes.len(), Relaxed);
            if self.shared.index.contains(block.file, block.offset) {
                continue;
            }
            if !segment.has_room_for(&[block.bytes.len()]) {
                self.write(segment);
                segment = self.begin_segment(block.bytes.len());
            }
            segment.push(block.file, block.offset, &block.bytes);
        }
        if !segment.entries.is_empty() {
            self.write(segment);
        }
    }

    /// Forgets the oldest blocks, if more are known than there is memory for.
    fn forget_oldest(&mut self) {
        while self.shared.knows_too_much() {
            let known = self.segments.iter().enumerate().filter(|(_, (_, entries))| !entries.is_empty());
            let Some((oldest, _)) = known.min_by_key(|(_, (generation, _))| *generation) else { return };
            let (generation, entries) = self.take_out(oldest);
            for entry in entries {
                self.shared.index.remove(generation, &entry);
            }
        }
    }

    /// What a segment held, which from now on is nothing. The index still has it.
    fn take_out(&mut self, number: usize) -> (u64, Vec<Entry>) {
        let (generation, entries) = std::mem::take(&mut self.segments[number]);
        self.shared.entries.fetch_sub(entries.len(), Relaxed);
        if generation > 0 {
            self.shared.is_full.store(true, Relaxed);
        }
        (generation, entries)
    }

    /// Takes the oldest segment out of use. Blocks in it that were read are the first of the new one, up to half of it, and as long as
    /// there is room for one of `next_bytes` behind them.
    fn begin_segment(&mut self, next_bytes: usize) -> SegmentBuilder {
        self.forget_oldest();
        let mut segment = SegmentBuilder::new(self.generation, self.shared.segment_bytes);
        self.generation += 1;
        let (generation, entries) = self.take_out(self.next);
        for entry in entries {
            let was_used = self.shared.index.remove(generation, &entry).unwrap_or(false);
            if was_used
                && segment.record_bytes() < self.shared.segment_bytes / 2
                && segment.has_room_for(&[entry.length as usize, next_bytes])
                && let Some(block) = self.shared.read_entry(self.next, generation, &entry)
            {
                segment.push(entry.file, entry.offset, &block);
            }
        }
        self.shared.index.shrink();
        segment
    }

    /// Writes a segment. What is lost when that fails is in the files that it was read from.
    fn write(&mut self, mut segment: SegmentBuilder) {
        let number = self.next;
        if !self.shared.writing.may_be_asked() {
            return;
        }
        let offset = self.shared.segment_offset(number);
        match self.shared.device.write_at(segment.finish(), offset) {
            Ok(()) => self.shared.writing.succeeded(),
            Err(error) => {
                // The next one has the same place, so that what is in the others stays; but not for ever.
                if self.shared.writing.failed("write", &error) {
                    self.next = (number + 1) % self.segments.len();
                }
                return;
            }
        }
        self.next = (number + 1) % self.segments.len();
        let generation = segment.generation();
        for entry in &segment.entries {
            self.shared.index.insert(number as u32, generation, *entry);
        }
        self.shared.written.fetch_add(segment.entries.len() as u64, Relaxed);
        segment.entries.shrink_to_fit();
        self.shared.entries.fetch_add(segment.entries.len(), Relaxed);
        self.segments[number] = (generation, segment.entries);
    }
}

impl Shared {
    /// The block of an entry, if it is there whole.
    pub(super) fn read_entry(&self, segment: usize, generation: u64, entry: &Entry) -> Option<Vec<u8>> {
        let mut record = vec![0; entry.record_bytes()];
        let offset = self.segment_offset(segment) + u64::from(entry.at);
        if let Err(error) = self.device.read_at(&mut record, offset) {
            self.reading.failed("read", &error);
            return None;
        }
        let place = BlockRef { offset: entry.offset, size: entry.length };
        check_record(&record, generation, entry.file, place)?;
        self.reading.succeeded();
        record.drain(..RECORD_HEAD);
        Some(record)
    }
}

impl TierDevice for std::fs::File {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, bytes, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> std::io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, offset)
    }
}
