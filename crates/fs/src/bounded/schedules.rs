//! Files that are read while names are given, taken and exchanged, in many orders of these steps.

use finback_sync::{thread, try_schedules};

use super::*;
use crate::{FaultyFileSystem, MemFileSystem};

/// Schedules tried of each program.
const SCHEDULES: usize = 500;

/// Files that contain their first names; one of all may be open.
struct Program {
    fs: BoundedFileSystem,
    /// That of `/a`, from before all else.
    a: Arc<dyn RandomAccessFile>,
}

impl Program {
    fn new() -> Arc<Self> {
        // The one in between gives the scheduler a step before each operation.
        let fs = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
        let fs = BoundedFileSystem::new(Arc::new(fs), 1);
        for name in ["/a", "/b", "/other"] {
            fs.create_new(Path::new(name)).unwrap().append(name.as_bytes()).unwrap();
        }
        let a = fs.open(Path::new("/a")).unwrap();
        Arc::new(Self { fs, a })
    }

    /// The handle reads its own file whatever has its name now.
    fn read(file: &dyn RandomAccessFile, wanted: &str) {
        let mut found = vec![0; wanted.len()];
        file.read_exact_at(0, &mut found).unwrap_or_else(|error| panic!("{wanted}: {error}"));
        assert_eq!(String::from_utf8_lossy(&found), wanted);
    }

    fn read_a(&self) {
        Self::read(&*self.a, "/a");
    }

    /// Takes the one descriptor.
    fn read_another(&self) {
        Self::read(&*self.fs.open(Path::new("/other")).unwrap(), "/other");
    }

    fn rename(&self, from: &str, to: &str) {
        self.fs.rename(Path::new(from), Path::new(to)).unwrap();
    }

    /// Opens a file that may be there, and reads it after another thread has had its way.
    fn read_if_there(&self, name: &str, wanted: &str) {
        match self.fs.open(Path::new(name)) {
            Ok(file) => {
                thread::yield_now();
                Self::read(&*file, wanted);
                self.read_another();
                Self::read(&*file, wanted);
            }
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::NotFound, "{name}"),
        }
    }

    /// How many of these files stay open though others are read; more than the one that may be are closed one after the other.
    fn open_at_rest(&self, names: &[&str]) -> usize {
        for _ in 0..4 {
            self.read_another();
        }
        let handles = &self.fs.shared.handles;
        let files = names.iter().flat_map(|name| handles.at(Path::new(name)));
        files.filter(|file| file.slot.get().is_some()).count()
    }
}

/// Runs these threads; then a last look at the handle that was there before.
fn try_with(threads: &'static [fn(&Program)], at_rest: fn(&Program)) {
    try_schedules(SCHEDULES, move || {
        let program = Program::new();
        let running: Vec<_> = threads
            .iter()
            .map(|work| {
                let program = Arc::clone(&program);
                thread::spawn(move || work(&program))
            })
            .collect();
        program.read_a();
        for thread in running {
            thread.join().unwrap();
        }
        program.read_another();
        program.read_a();
        at_rest(&program);
    });
}

#[test]
fn a_file_that_is_renamed_is_read_under_every_name_and_needs_no_descriptor_of_its_own() {
    try_with(
        &[
            |program| program.rename("/a", "/c"),
            Program::read_another,
            |program| program.read_if_there("/a", "/a"),
            |program| program.read_if_there("/c", "/a"),
        ],
        |program| assert_eq!(program.open_at_rest(&["/a", "/c"]), 0),
    );
}

#[test]
fn a_file_that_is_closed_is_found_though_it_moves_before_it_is_opened_again() {
    try_schedules(SCHEDULES, || {
        let program = Program::new();
        program.read_another();
        program.read_another();
        let other = Arc::clone(&program);
        let moving = thread::spawn(move || other.rename("/a", "/c"));
        program.read_a();
        moving.join().unwrap();
        program.read_a();
    });
}

#[test]
fn a_file_that_is_renamed_twice_is_found_where_it_is() {
    try_with(
        &[
            |program| {
                program.rename("/a", "/c");
                program.rename("/c", "/d");
            },
            |program| {
                program.read_another();
                program.read_a();
            },
        ],
        |program| assert_eq!(program.open_at_rest(&["/a", "/c", "/d"]), 0),
    );
}

#[test]
fn a_file_that_was_removed_or_replaced_is_read_on() {
    try_with(&[|program| program.fs.remove_file(Path::new("/a")).unwrap(), Program::read_another], |_| {});
    try_with(
        &[
            |program| program.rename("/b", "/a"),
            Program::read_another,
            |program| program.read_if_there("/b", "/b"),
        ],
        |_| {},
    );
}
