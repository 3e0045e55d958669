//! Writers, flushes and the background of one store, in many orders of their steps.

use super::MemStoreKeeper;
use crate::config::RegionConfig;
use crate::host::{BoxFuture, Host};
use crate::memory_gauge::MemoryGauge;
use crate::mvcc::Mvcc;
use finback_cell::cell::CellParts;
use finback_cell::{Cell, CellOrder, ColumnFamilyDescriptor, TableDescriptor, TableName};
use finback_hfile::{Block, BlockRequest, HFileError};
use finback_memstore::{InMemoryCompaction, MemStore};
use finback_sync::atomic::{AtomicU64, Ordering};
use finback_sync::{Mutex, thread, try_schedules};
use std::sync::Arc;
use std::time::Duration;

/// Schedules tried of each program.
const SCHEDULES: usize = 300;
/// Rows that each writer writes.
const ROWS: u8 = 2;

/// Each piece of work has a thread.
#[derive(Default)]
struct Background(Mutex<Vec<thread::JoinHandle<()>>>);

impl Host for Background {
    fn now_ms(&self) -> i64 {
        0
    }
    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
    fn pause(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
    fn fetch(&self, request: BlockRequest) -> BoxFuture<'static, Result<Arc<Block>, HFileError>> {
        Box::pin(std::future::ready(request.read()))
    }
    fn flush_wanted(&self, _: &str) {}
    fn memstore_changed(&self, _: isize) {}
    fn run_in_background(&self, work: Box<dyn FnOnce() + Send + 'static>) {
        let begun = thread::spawn(work);
        self.0.lock().push(begun);
    }
}

impl Background {
    /// Until all work is done, that which came meanwhile, too.
    fn come_to_rest(&self) {
        loop {
            let next = self.0.lock().pop();
            match next {
                Some(thread) => thread.join().unwrap(),
                None => break,
            }
        }
    }
}

struct Program {
    memstore: Arc<MemStore>,
    keeper: Arc<MemStoreKeeper>,
    gauge: Arc<MemoryGauge>,
    host: Arc<Background>,
    flushed_cells: AtomicU64,
}

impl Program {
    /// A store whose active segment is full with its first cell.
    fn new(policy: InMemoryCompaction) -> Arc<Self> {
        let host = Arc::<Background>::default();
        let gauge = Arc::new(MemoryGauge::new(host.clone()));
        let memstore = Arc::new(MemStore::new(CellOrder::User));
        let family = ColumnFamilyDescriptor::with_defaults(b"f");
        let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
        table.families.push(family.clone());
        let config = RegionConfig {
            in_memory_compaction: policy,
            in_memory_flush_factor: 1e-8,
            pipeline_segments_limit: 1,
            ..RegionConfig::default()
        };
        let mvcc = Arc::new(Mvcc::new(0));
        let keeper = MemStoreKeeper::new(
            memstore.clone(),
            &table,
            &family,
            &config,
            mvcc,
            gauge.clone(),
            host.clone(),
        );
        Arc::new(Self { memstore, keeper, gauge, host, flushed_cells: AtomicU64::new(0) })
    }

    fn write(&self, writer: u8) {
        for row in 0..ROWS {
            let parts = CellParts {
                row: &[writer, row],
                family: b"f",
                qualifier: b"q",
                timestamp: 1,
                type_code: 4,
                value: b"v",
                tags: b"",
            };
            let growth = self.memstore.insert(&Cell::from_checked(&parts.to_vec()), u64::from(row) + 1);
            self.keeper.after_insertion(growth);
            self.gauge.grow(growth.heap_bytes);
        }
    }

    fn flush(&self) {
        let snapshot = self.memstore.snapshot();
        let taken: usize = snapshot.segments().iter().map(|segment| segment.size().cells).sum();
        self.flushed_cells.fetch_add(taken as u64, Ordering::Relaxed);
        assert!(self.memstore.drop_snapshot(snapshot.id()));
    }

    /// Nothing is left to be done that nobody is going to do, and everything is there once.
    fn check_at_rest(&self, written: u64) {
        assert!(self.memstore.is_pipeline_flat(), "a segment waits for a job that nobody handed over");
        assert!(!self.keeper.under_way.load(Ordering::Relaxed), "a job has not ended");
        let flushed = self.flushed_cells.load(Ordering::Relaxed);
        assert_eq!(self.memstore.size().cells as u64 + flushed, written);
    }
}

/// Runs two writers, and a flush if asked for; gives back the program at rest.
fn run(policy: InMemoryCompaction, is_flushed: bool) -> Arc<Program> {
    let program = Program::new(policy);
    let mut running: Vec<_> = (0..2)
        .map(|writer| {
            let program = Arc::clone(&program);
            thread::spawn(move || program.write(writer))
        })
        .collect();
    if is_flushed {
        let program = Arc::clone(&program);
        running.push(thread::spawn(move || program.flush()));
    }
    for thread in running {
        thread.join().unwrap();
    }
    program.host.come_to_rest();
    program.check_at_rest(2 * u64::from(ROWS));
    program
}

#[test]
fn each_segment_that_comes_becomes_flat() {
    for policy in [InMemoryCompaction::Basic, InMemoryCompaction::Eager] {
        try_schedules(SCHEDULES, move || {
            let program = run(policy, false);
            let done = program.keeper.metrics();
            assert!(done.flushes > 0, "no segment came at all");
            assert_eq!(done.lost_races, 0, "two jobs were in each other's way");
            let counted = program.gauge.bytes();
            assert_eq!(
                counted,
                program.memstore.snapshot().grown_bytes() as u64,
                "a flush takes off what was counted"
            );
        });
    }
}

#[test]
fn a_flush_may_take_what_a_job_works_on() {
    for policy in [InMemoryCompaction::Basic, InMemoryCompaction::Eager] {
        try_schedules(SCHEDULES, move || {
            run(policy, true);
        });
    }
}
