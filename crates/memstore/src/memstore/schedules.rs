//! Writers, readers, in-memory compactions and flushes of one memstore, in many orders of their steps.

use super::MemStore;
use crate::in_memory_compaction::{InMemoryCompaction, PipelineOptions};
use crate::segment::Segment;
use finback_cell::cell::CellParts;
use finback_cell::{Cell, CellOrder};
use finback_sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
    thread, try_schedules,
};
use std::sync::Arc;

/// Schedules tried of each program.
const SCHEDULES: usize = 300;
/// Each writer's rows; a later one is a newer version of a cell that all of them write.
const ROUNDS: u8 = 2;

/// A memstore, and what a flush put into files. What was written is `(writer, round)`.
struct Program {
    memstore: MemStore,
    flushed: Mutex<Vec<(u8, u64)>>,
    /// How many rounds each writer has done, a byte each.
    written: AtomicU64,
}

impl Program {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            memstore: MemStore::new(CellOrder::User),
            flushed: Mutex::new(Vec::new()),
            written: AtomicU64::new(0),
        })
    }

    fn write(&self, writer: u8) {
        for round in 1..=ROUNDS {
            let parts = CellParts {
                row: &[writer],
                family: b"f",
                qualifier: b"q",
                timestamp: 1,
                type_code: 4,
                value: b"v",
                tags: b"",
            };
            self.memstore.insert(&Cell::from_checked(&parts.to_vec()), u64::from(round));
            self.written.fetch_add(1 << (8 * writer), Ordering::SeqCst);
        }
    }

    fn rounds_of(written: u64, writer: u8) -> u64 {
        written >> (8 * writer) & 0xff
    }

    /// Moves the active segment into the pipeline and compacts that: only the newest cell of a row may be left.
    fn compact(&self, policy: InMemoryCompaction) {
        self.memstore.push_active(0);
        let options = PipelineOptions { policy, segments_limit: 1, adaptive_threshold: 0.0 };
        self.memstore.compact_in_memory(&options, || {
            let mut last = None;
            move |cell: &Cell<'_>, _| last.replace(cell.row()[0]) != Some(cell.row()[0])
        });
    }

    /// The file is served before the snapshot goes.
    fn flush(&self) {
        let snapshot = self.memstore.snapshot();
        let cells: Vec<_> = snapshot.segments().iter().flat_map(cells).collect();
        self.flushed.lock().extend(cells);
        assert!(self.memstore.drop_snapshot(snapshot.id()));
    }

    /// Memory first, then files: what was written before is in one of them.
    fn check_read(&self) {
        let written = self.written.load(Ordering::SeqCst);
        let segments = self.memstore.segments();
        let in_memory: Vec<_> = segments.iter().flat_map(cells).collect();
        let mut once = in_memory.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), in_memory.len(), "a cell is there twice: {in_memory:?}");
        let flushed = self.flushed.lock();
        for writer in 0..8 {
            let newest = in_memory.iter().chain(&*flushed).filter(|(row, _)| *row == writer);
            let newest = newest.map(|(_, round)| *round).max().unwrap_or(0);
            let wanted = Self::rounds_of(written, writer);
            assert!(
                newest >= wanted,
                "writer {writer}: {newest} of {wanted} in {in_memory:?} and {flushed:?}"
            );
        }
    }
}

fn cells(segment: &Arc<Segment>) -> Vec<(u8, u64)> {
    let mut scanner = segment.scanner();
    let mut found = Vec::new();
    while let Some((cell, sequence_id)) = scanner.peek() {
        found.push((cell.row()[0], sequence_id));
        scanner.next();
    }
    found
}

/// Runs two writers, a reader and these threads; then a last look finds everything.
fn try_with(threads: &'static [fn(&Program)]) {
    try_schedules(SCHEDULES, move || {
        let program = Program::new();
        let mut running = Vec::new();
        for writer in 0..2 {
            let program = Arc::clone(&program);
            running.push(thread::spawn(move || program.write(writer)));
        }
        for work in threads {
            let program = Arc::clone(&program);
            running.push(thread::spawn(move || work(&program)));
        }
        program.check_read();
        program.check_read();
        for thread in running {
            thread.join().unwrap();
        }
        program.check_read();
    });
}

#[test]
fn a_compaction_of_the_pipeline_hides_nothing_that_was_written() {
    try_with(&[|program| {
        program.compact(InMemoryCompaction::Eager);
        program.compact(InMemoryCompaction::Basic);
    }]);
}

#[test]
fn a_flush_may_come_between_any_two_steps_of_a_compaction() {
    try_with(&[|program| program.compact(InMemoryCompaction::Eager), Program::flush]);
    try_with(&[|program| program.compact(InMemoryCompaction::Basic), Program::flush]);
}

#[test]
fn segments_that_come_while_others_are_compacted_stay() {
    try_with(&[
        |program| program.compact(InMemoryCompaction::Adaptive),
        |program| {
            program.memstore.push_active(0);
        },
        |program| program.flush(),
    ]);
}
