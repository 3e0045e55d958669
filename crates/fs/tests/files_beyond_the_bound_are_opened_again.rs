//! Many files, few descriptors: every handle reads on, whatever becomes of the file's name.

use finback_fs::{
    BoundedFileSystem, Faults, FaultyFileSystem, FileSystem, LocalFileSystem, MemFileSystem, RandomAccessFile,
};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

struct Directory {
    dir: tempfile::TempDir,
    fs: BoundedFileSystem,
}

impl Directory {
    fn new(limit: usize) -> Self {
        let fs = BoundedFileSystem::new(Arc::new(LocalFileSystem::new()), limit);
        Self { dir: tempfile::tempdir().unwrap(), fs }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// One whose operations can be held up.
    fn faulty(limit: usize) -> (Self, Faults) {
        let faulty = FaultyFileSystem::new(Arc::new(LocalFileSystem::new()));
        let faults = faulty.faults();
        let fs = BoundedFileSystem::new(Arc::new(faulty), limit);
        (Self { dir: tempfile::tempdir().unwrap(), fs }, faults)
    }

    /// Makes files that contain their names.
    fn create(&self, names: std::ops::Range<usize>) {
        for number in names {
            let name = format!("{number:04}");
            self.fs.create_new(&self.path(&name)).unwrap().append(name.as_bytes()).unwrap();
        }
    }

    /// Makes files that contain their names, and opens them.
    fn open(&self, names: std::ops::Range<usize>) -> Vec<Arc<dyn RandomAccessFile>> {
        self.create(names.clone());
        self.open_created(names)
    }

    fn open_created(&self, names: std::ops::Range<usize>) -> Vec<Arc<dyn RandomAccessFile>> {
        names.map(|number| self.fs.open(&self.path(&format!("{number:04}"))).unwrap()).collect()
    }

    /// Opens files while an operation is under way. Gives back how it ended, and how many descriptors there were before.
    fn open_during(
        &self,
        faults: &Faults,
        names: std::ops::Range<usize>,
        operation: impl FnOnce(&BoundedFileSystem) -> io::Result<()> + Send,
    ) -> (Vec<Arc<dyn RandomAccessFile>>, io::Result<()>, usize) {
        faults.pause();
        std::thread::scope(|scope| {
            let fs = &self.fs;
            let held_up = scope.spawn(move || operation(fs));
            while faults.waiting() == 0 {
                std::thread::yield_now();
            }
            let files = self.open_created(names);
            let descriptors = self.descriptors();
            faults.resume();
            (files, held_up.join().unwrap(), descriptors)
        })
    }

    /// Descriptors of this process that lead to this directory.
    fn descriptors(&self) -> usize {
        let links = std::fs::read_dir("/proc/self/fd").unwrap();
        let targets = links.filter_map(|link| std::fs::read_link(link.unwrap().path()).ok());
        targets.filter(|target| target.starts_with(self.dir.path())).count()
    }
}

fn content(file: &dyn RandomAccessFile) -> String {
    let mut bytes = [0; 4];
    file.read_exact_at(0, &mut bytes).unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn assert_read(files: &[Arc<dyn RandomAccessFile>], from: usize) {
    for (file, number) in files.iter().zip(from..) {
        assert_eq!(content(&**file), format!("{number:04}"));
    }
}

#[test]
fn ten_times_more_files_than_descriptors_are_read_within_the_bound() {
    for limit in [1, 20, 100] {
        let directory = Directory::new(limit);
        let files = directory.open(0..10 * limit);
        for _ in 0..3 {
            assert_read(&files, 0);
            let descriptors = directory.descriptors();
            assert!(descriptors <= limit && descriptors > limit / 2, "{descriptors} of {limit}");
        }
        assert_eq!(files[3].len().unwrap(), 4);
        drop(files);
        assert_eq!(directory.descriptors(), 0);
    }
}

#[test]
fn files_that_are_read_again_and_again_stay_open() {
    let directory = Directory::new(10);
    let files = directory.open(0..40);
    for round in 0..30 {
        assert_read(&files[..5], 0);
        assert_read(&files[5 + round..6 + round], 5 + round);
    }
    let opened = directory.fs.statistics().opened;
    assert_read(&files[..5], 0);
    assert_eq!(directory.fs.statistics().opened, opened);
}

#[test]
fn a_read_that_must_not_wait_does_not_open_a_file() {
    let directory = Directory::new(1);
    let files = directory.open(0..2);
    let opened = directory.fs.statistics().opened;
    assert!(files[0].read_at_nowait(0, &mut [0; 4]).unwrap().is_none());
    assert_eq!(directory.fs.statistics().opened, opened);
    assert_eq!(content(&*files[0]), "0000");
}

#[test]
fn another_copy_is_read_where_there_is_one() {
    let (directory, faults) = Directory::faulty(1);
    let files = directory.open(0..2);
    let mut bytes = [0; 4];
    assert_eq!(files[0].read_other_copy_at(0, &mut bytes).unwrap(), None);
    faults.set_second_copy(true);
    faults.damage("0000", 0, 2, 1);
    assert_ne!(content(&*files[0]), "0000");
    assert_eq!(files[0].read_other_copy_at(0, &mut bytes).unwrap(), Some(()));
    assert_eq!(&bytes, b"0000");
}

#[test]
fn closed_files_are_found_under_new_names_and_after_their_removal() {
    let directory = Directory::new(2);
    let fs = &directory.fs;
    fs.create_dir_all(&directory.path("store")).unwrap();
    let files = directory.open(0..20);
    for number in 0..20 {
        fs.rename(&directory.path(&format!("{number:04}")), &directory.path(&format!("store/{number:04}")))
            .unwrap();
    }
    assert_read(&files, 0);
    fs.rename(&directory.path("store"), &directory.path("archive")).unwrap();
    assert_read(&files, 0);
    fs.remove_file(&directory.path("archive/0007")).unwrap();
    assert_read(&files, 0);
    // Another file gets the name of one that is open.
    std::fs::write(directory.path("new"), "new!").unwrap();
    fs.rename(&directory.path("new"), &directory.path("archive/0008")).unwrap();
    assert_read(&files, 0);
    assert_eq!(content(&*fs.open(&directory.path("archive/0008")).unwrap()), "new!");
    fs.remove_dir_all(&directory.path("archive")).unwrap();
    assert_read(&files, 0);
    assert_eq!(directory.descriptors(), 20, "what has no name keeps its descriptor");
    drop(files);
    assert_eq!(directory.descriptors(), 0);
}

#[test]
fn a_rename_that_fails_and_a_removal_that_fails_change_nothing() {
    let directory = Directory::new(2);
    let files = directory.open(0..10);
    assert!(directory.fs.rename(&directory.path("0003"), &directory.path("no/such/place")).is_err());
    assert!(directory.fs.remove_dir_all(&directory.path("0004/below")).is_err());
    assert!(directory.fs.remove_file(directory.dir.path()).is_err());
    assert_read(&files, 0);
    assert!(directory.descriptors() <= 2, "{}", directory.descriptors());
}

#[test]
fn a_file_replaced_by_somebody_else_is_not_taken_for_the_one_that_was_opened() {
    let directory = Directory::new(1);
    let files = directory.open(0..2);
    std::fs::write(directory.path("x"), "fake").unwrap();
    std::fs::rename(directory.path("x"), directory.path("0000")).unwrap();
    let error = files[0].read_exact_at(0, &mut [0; 4]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}");
    assert_eq!(content(&*files[1]), "0001");
}

#[test]
fn a_reader_may_end_while_its_file_moves() {
    let faulty = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
    let faults = faulty.faults();
    let fs = Arc::new(BoundedFileSystem::new(Arc::new(faulty), 3));
    let (from, to) = (Path::new("/from"), Path::new("/to"));
    fs.create_new(from).unwrap().append(b"file").unwrap();
    let reader = fs.open(from).unwrap();
    faults.pause();
    let (moved, wait) = std::sync::mpsc::channel();
    std::thread::spawn({
        let fs = Arc::clone(&fs);
        move || moved.send(fs.rename(from, to))
    });
    while faults.waiting() == 0 {
        std::thread::yield_now();
    }
    drop(reader);
    faults.resume();
    wait.recv_timeout(Duration::from_secs(30)).expect("it waits for itself").unwrap();
    assert_eq!(content(&*fs.open(to).unwrap()), "file");
}

#[test]
fn readers_go_on_while_files_move_to_and_fro() {
    let directory = Directory::new(3);
    let files = directory.open(0..30);
    let stop = AtomicBool::new(false);
    let (there, back) = (directory.path("there"), directory.dir.path());
    directory.fs.create_dir_all(&there).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    assert_read(&files, 0);
                }
            });
        }
        let rename = |from: &Path, to: &Path, number: usize| {
            let name = format!("{number:04}");
            directory.fs.rename(&from.join(&name), &to.join(&name)).unwrap();
        };
        for number in (0..30).cycle().take(40) {
            rename(back, &there, number);
            rename(&there, back, number);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_read(&files, 0);
    assert!(directory.descriptors() <= 3);
}

#[test]
fn files_opened_while_another_one_moves_are_within_the_bound() {
    let (directory, faults) = Directory::faulty(2);
    directory.create(0..20);
    std::fs::write(directory.path("other"), "file").unwrap();
    let (from, to) = (directory.path("other"), directory.path("another"));
    let (files, moved, descriptors) = directory.open_during(&faults, 0..20, |fs| fs.rename(&from, &to));
    moved.unwrap();
    assert!(descriptors <= 2, "{descriptors}");
    assert_read(&files, 0);
    drop(files);
    let (files, removed, descriptors) = directory.open_during(&faults, 0..20, |fs| fs.remove_file(&to));
    removed.unwrap();
    assert!(descriptors <= 2, "{descriptors}");
    assert_read(&files, 0);
}

#[test]
fn files_opened_while_they_might_move_are_within_the_bound_afterwards() {
    let (directory, faults) = Directory::faulty(2);
    directory.create(0..20);
    let (from, to) = (directory.dir.path().to_owned(), directory.path("no/such/place"));
    let (files, moved, descriptors) = directory.open_during(&faults, 0..20, |fs| fs.rename(&from, &to));
    moved.unwrap_err();
    assert_eq!(descriptors, 20, "nobody knows where they will be");
    assert!(directory.descriptors() <= 2, "{}", directory.descriptors());
    assert_read(&files, 0);
}

type Operation<'a> = &'a (dyn Fn(&BoundedFileSystem) -> io::Result<()> + Sync);

#[test]
fn a_file_opened_while_it_is_moved_replaced_or_removed_is_read_on() {
    let (directory, faults) = Directory::faulty(2);
    directory.create(0..10);
    let new = directory.path("new");
    std::fs::write(&new, "new!").unwrap();
    let path = |number: usize| directory.path(&format!("{number:04}"));
    let (moved, elsewhere, replaced, removed) = (path(1), directory.path("elsewhere"), path(2), path(3));
    let rename = |fs: &BoundedFileSystem| fs.rename(&moved, &elsewhere);
    let replace = |fs: &BoundedFileSystem| fs.rename(&new, &replaced);
    let remove = |fs: &BoundedFileSystem| fs.remove_file(&removed);
    let operations: [Operation<'_>; 3] = [&rename, &replace, &remove];
    for (operation, number) in operations.into_iter().zip(1..) {
        let (files, done, _) = directory.open_during(&faults, number..10, operation);
        done.unwrap();
        for _ in 0..2 {
            assert_read(&files, number);
        }
        assert!(directory.descriptors() <= 3, "{}", directory.descriptors());
    }
}
