//! Writers, scanners and flushes of one region, in many orders of their steps.

use super::Mvcc;
use finback_sync::{
    atomic::{AtomicU64, Ordering},
    shuttle::future::block_on,
    thread, try_schedules,
};
use std::sync::Arc;

/// Schedules tried of each program.
const SCHEDULES: usize = 500;

/// The numbers of a region, and what its memstore has.
struct Program {
    mvcc: Arc<Mvcc>,
    /// A bit for each number whose edit was inserted.
    inserted: AtomicU64,
}

impl Program {
    fn new() -> Arc<Self> {
        Arc::new(Self { mvcc: Arc::new(Mvcc::new(0)), inserted: AtomicU64::new(0) })
    }

    fn insert(&self) -> u64 {
        let number = self.mvcc.begin();
        self.inserted.fetch_or(1 << number, Ordering::SeqCst);
        number
    }

    /// A write that is answered.
    fn write(&self) {
        let number = self.insert();
        if let Some(readable) = self.mvcc.complete(number) {
            block_on(readable).unwrap();
        }
        assert!(self.mvcc.read_point() >= number, "{number} was answered before it can be read");
    }

    /// A write whose writer goes away before the answer. Gives back its number.
    fn leave(&self) -> u64 {
        let number = self.insert();
        if let Some(readable) = self.mvcc.complete(number) {
            drop(readable);
            self.mvcc.note_dropped(number);
        }
        number
    }

    /// What may be read is there. Gives back the read point.
    fn check_read(&self) -> u64 {
        let point = self.mvcc.read_point();
        let inserted = self.inserted.load(Ordering::SeqCst);
        let missing = (1..=point).find(|number| inserted & 1 << number == 0);
        assert_eq!(missing, None, "at read point {point}");
        point
    }
}

#[test]
fn nothing_is_read_before_it_is_there_and_an_answer_means_that_it_can_be_read() {
    try_schedules(SCHEDULES, || {
        let program = Program::new();
        let writers: Vec<_> = (0..3)
            .map(|_| {
                let program = Arc::clone(&program);
                thread::spawn(move || (0..2).for_each(|_| program.write()))
            })
            .collect();
        let points = [(); 3].map(|()| program.check_read());
        assert!(points.is_sorted(), "{points:?}");
        for writer in writers {
            writer.join().unwrap();
        }
        assert_eq!(program.check_read(), 6);
    });
}

#[test]
fn who_reads_after_a_writer_went_away_sees_its_write() {
    try_schedules(SCHEDULES, || {
        let program = Program::new();
        let writer = {
            let program = Arc::clone(&program);
            thread::spawn(move || program.write())
        };
        // The next one that holds the row's lock: it is had only when the first is gone.
        let left = program.leave();
        if program.mvcc.awaits_dropped() {
            program.write();
        }
        assert!(program.check_read() >= left);
        writer.join().unwrap();
        program.write();
        assert_eq!(program.check_read(), u64::from(program.inserted.load(Ordering::SeqCst).ilog2()));
    });
}

#[test]
fn a_flush_keeps_what_a_scanner_sees() {
    try_schedules(SCHEDULES, || {
        let program = Program::new();
        // One above the read point of the scanner that is open; 0 without one.
        let open = Arc::new(AtomicU64::new(0));
        // Below this a flush has dropped versions.
        let dropped = Arc::new(AtomicU64::new(0));
        let writer = {
            let program = Arc::clone(&program);
            thread::spawn(move || (0..3).for_each(|_| program.write()))
        };
        let scanner = {
            let (program, open, dropped) = (Arc::clone(&program), Arc::clone(&open), Arc::clone(&dropped));
            thread::spawn(move || {
                for _ in 0..2 {
                    let at_least = dropped.load(Ordering::SeqCst);
                    let held = program.mvcc.register_scanner(None);
                    assert!(held.get() >= at_least, "it reads at {}, below {at_least}", held.get());
                    open.store(held.get() + 1, Ordering::SeqCst);
                    (0..4).for_each(|_| _ = program.check_read());
                    let floor = dropped.load(Ordering::SeqCst);
                    assert!(held.get() >= floor, "it reads at {}, a flush took {floor}", held.get());
                    open.store(0, Ordering::SeqCst);
                }
            })
        };
        for _ in 0..2 {
            let before = open.load(Ordering::SeqCst);
            let smallest = program.mvcc.smallest_read_point();
            if before > 0 && before == open.load(Ordering::SeqCst) {
                assert!(smallest < before, "a scanner at {} is open", before - 1);
            }
            dropped.fetch_max(smallest, Ordering::SeqCst);
        }
        writer.join().unwrap();
        scanner.join().unwrap();
        assert_eq!(program.mvcc.smallest_read_point(), 3);
    });
}

#[test]
fn who_resumes_is_not_below_what_a_flush_has_taken() {
    try_schedules(SCHEDULES, || {
        let mvcc = Arc::new(Mvcc::new(1));
        let flush = {
            let mvcc = Arc::clone(&mvcc);
            thread::spawn(move || {
                mvcc.abandon(mvcc.begin());
                mvcc.smallest_read_point()
            })
        };
        let resumed = mvcc.register_resumed(1);
        let taken = flush.join().unwrap();
        assert!(taken <= resumed.get(), "it reads at {}, a flush took {taken}", resumed.get());
    });
}
