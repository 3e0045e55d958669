//! Writers, flushes and who asks from where on the log is needed, in many orders of their steps.

use super::LogFloor;
use crate::mvcc::Mvcc;
use finback_sync::{Mutex, RwLock, thread, try_schedules};
use std::sync::Arc;

/// Schedules tried of each program.
const SCHEDULES: usize = 1000;
/// Each has one writer.
const ROWS: usize = 2;

/// A row and a sequence id.
type Version = (usize, u64);

/// A store in which each version takes the place of the one before in memory, whether it is in the log or not.
struct Program {
    /// Who writes has it together with others, who begins a flush alone.
    updates: RwLock<()>,
    mvcc: Mvcc,
    floor: LogFloor,
    memory: Mutex<Memory>,
    disk: Mutex<Disk>,
    /// For each row the last version that is in the log and was answered: it, or a newer one, is there after a crash.
    answered: Mutex<[u64; ROWS]>,
}

#[derive(Default)]
struct Memory {
    active: Vec<Version>,
    snapshot: Vec<Version>,
}

#[derive(Default)]
struct Disk {
    log: Vec<Version>,
    files: Vec<Version>,
}

#[derive(Clone, Copy, PartialEq)]
enum Flush {
    Succeeds,
    Fails,
    /// Of other families than this one.
    Elsewhere,
}

impl Program {
    fn new() -> Self {
        Self {
            updates: RwLock::new(()),
            mvcc: Mvcc::new(0),
            floor: LogFloor::default(),
            memory: Mutex::default(),
            disk: Mutex::default(),
            answered: Mutex::default(),
        }
    }

    fn write(&self, row: usize, is_logged: bool) {
        let _updates = self.updates.read();
        let id = self.mvcc.begin();
        if is_logged {
            self.disk.lock().log.push((row, id));
        } else {
            let under_way = self.mvcc.read_point() + 1;
            self.floor.before_unlogged(|| self.lowest().map_or(under_way, |lowest| lowest.min(under_way)));
        }
        {
            let mut memory = self.memory.lock();
            memory.active.retain(|&(other, _)| other != row);
            memory.active.push((row, id));
        }
        self.mvcc.abandon(id);
        if is_logged {
            self.answered.lock()[row] = id;
        }
    }

    fn flush(&self, flush: Flush) {
        let id = {
            let _no_writers = self.updates.write();
            let id = self.mvcc.begin();
            self.mvcc.abandon(id);
            if flush != Flush::Elsewhere {
                self.floor.begin_flush();
                let memory = &mut *self.memory.lock();
                memory.snapshot.append(&mut memory.active);
            }
            id
        };
        if flush == Flush::Fails {
            return;
        }
        if flush == Flush::Succeeds {
            let written = self.memory.lock().snapshot.clone();
            self.disk.lock().files.extend(written);
            self.memory.lock().snapshot.clear();
            self.floor.flushed(id);
        }
        let needed = self.needs_log_from().map_or(id + 1, |needed| needed.min(id + 1));
        self.disk.lock().log.retain(|&(_, logged)| logged >= needed);
        let answered = *self.answered.lock();
        self.check_crash(answered, 0);
    }

    /// Lowest sequence id in memory.
    fn lowest(&self) -> Option<u64> {
        let memory = self.memory.lock();
        memory.active.iter().chain(&memory.snapshot).map(|&(_, id)| id).min()
    }

    /// As a store does it.
    fn needs_log_from(&self) -> Option<u64> {
        Some(self.floor.limits(self.lowest()?))
    }

    /// Whoever asks may let the log go up to there.
    fn check_asked(&self) {
        let answered = *self.answered.lock();
        let needed = self.needs_log_from().unwrap_or(u64::MAX);
        self.check_crash(answered, needed);
    }

    /// What files have, and the log from `needed` on, is enough.
    fn check_crash(&self, answered: [u64; ROWS], needed: u64) {
        let disk = self.disk.lock();
        for (row, answered) in answered.into_iter().enumerate() {
            let in_log = disk.log.iter().filter(|(_, id)| *id >= needed);
            let of_row = in_log.chain(&disk.files).filter(|(of, _)| *of == row);
            let newest = of_row.map(|(_, id)| *id).max().unwrap_or(0);
            assert!(
                newest >= answered,
                "row {row}: of {answered} {newest} is left, the log from {needed} on"
            );
        }
    }
}

#[test]
fn what_a_version_that_is_in_no_log_hides_stays_in_the_log_until_that_is_flushed() {
    try_schedules(SCHEDULES, || {
        let program = Arc::new(Program::new());
        let are_logged: [&[bool]; ROWS] = [&[true, false, true, false], &[false, true, false]];
        let mut running = Vec::new();
        for (row, are_logged) in are_logged.into_iter().enumerate() {
            let program = Arc::clone(&program);
            running.push(thread::spawn(move || {
                are_logged.iter().for_each(|&is_logged| program.write(row, is_logged));
            }));
        }
        let asking = Arc::clone(&program);
        running.push(thread::spawn(move || (0..6).for_each(|_| asking.check_asked())));
        for flush in [Flush::Elsewhere, Flush::Succeeds, Flush::Elsewhere, Flush::Fails, Flush::Succeeds] {
            program.flush(flush);
        }
        for thread in running {
            thread.join().unwrap();
        }
        program.flush(Flush::Elsewhere);
        program.flush(Flush::Succeeds);
        assert_eq!(program.floor.limits(u64::MAX), u64::MAX, "all is in files");
    });
}

#[test]
fn who_asks_while_a_flush_begins_or_ends_is_not_told_too_much() {
    try_schedules(SCHEDULES, || {
        let program = Arc::new(Program::new());
        program.write(0, true);
        program.write(0, false);
        let asking = {
            let program = Arc::clone(&program);
            thread::spawn(move || (0..3).for_each(|_| program.check_asked()))
        };
        program.flush(Flush::Fails);
        program.flush(Flush::Succeeds);
        asking.join().unwrap();
    });
}
