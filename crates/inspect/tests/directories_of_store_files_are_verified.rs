//! Whole directories of store files: all are looked at, whatever is wrong with some of them.

use finback_fs::{FileSystem, LocalFileSystem};
use finback_inspect::{InspectError, TreeVerification, TreeWatcher, Verification, verify_tree};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11")
}

#[derive(Default)]
struct Told {
    problems: Vec<String>,
    done: u64,
    total: u64,
    /// How many calls of `progress` there may be yet.
    patience: Option<u64>,
}

impl TreeWatcher for Told {
    fn progress(&mut self, done: u64, total: u64) -> bool {
        assert!(done >= self.done && done <= total);
        (self.done, self.total) = (done, total);
        let patience = self.patience.get_or_insert(u64::MAX);
        *patience -= 1;
        *patience > 0
    }

    fn file(&mut self, path: &Path, found: &Verification) -> Result<(), InspectError> {
        for problem in &found.problems {
            assert!(problem.to_string().starts_with(path.to_str().unwrap()));
            self.problems.push(problem.to_string());
        }
        Ok(())
    }

    fn unreadable(&mut self, error: &InspectError) -> Result<(), InspectError> {
        self.problems.push(error.to_string());
        Ok(())
    }
}

fn verified(path: &Path, told: &mut Told) -> TreeVerification {
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem);
    verify_tree(&fs, &[path.to_owned()], told).unwrap()
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_all(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn hbases_files_are_sound_and_counted() {
    let mut told = Told::default();
    let sums = verified(&fixtures().join("hfiles"), &mut told);
    assert!(sums.is_sound(), "{:?}", told.problems);
    assert_eq!((sums.files, sums.damaged), (57, 0));
    assert_eq!((told.done, told.total), (sums.bytes, sums.bytes));
}

#[test]
fn store_files_are_found_by_their_names_and_by_what_is_in_them() {
    let mut told = Told::default();
    // Regions that were split and merged: references are no HFiles, descriptors neither.
    let sums = verified(&fixtures().join("split-and-merged"), &mut told);
    assert!(sums.is_sound(), "{:?}", told.problems);
    let directory = tempfile::tempdir().unwrap();
    let golden = fixtures().join("hfiles/plain-none.hfile");
    std::fs::copy(&golden, directory.path().join("any name")).unwrap();
    // Named like a store file, and none.
    std::fs::write(directory.path().join("0123456789abcdef0123456789abcdef"), b"torn").unwrap();
    std::fs::write(directory.path().join("readme"), b"no store file").unwrap();
    let mut told = Told::default();
    let sums = verified(directory.path(), &mut told);
    assert_eq!((sums.files, sums.damaged), (2, 1), "{:?}", told.problems);
    assert!(told.problems[0].contains("at least the 4096 bytes of a trailer"), "{:?}", told.problems);
}

#[test]
fn rows_of_other_regions_are_told() {
    let directory = tempfile::tempdir().unwrap();
    copy_all(&fixtures().join("rootdir"), directory.path());
    let table = directory.path().join("data/ns1/t1");
    let regions: Vec<PathBuf> = std::fs::read_dir(&table)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join(".regioninfo").is_file())
        .collect();
    assert!(regions.len() > 1);
    for region in &regions {
        std::fs::create_dir_all(region.join("cf")).unwrap();
        let golden = fixtures().join("hfiles/plain-none.hfile");
        std::fs::copy(golden, region.join("cf/0123456789abcdef0123456789abcdef")).unwrap();
    }
    let mut told = Told::default();
    let sums = verified(directory.path(), &mut told);
    // Its rows are within one of them.
    assert_eq!(sums.files, sums.damaged + 1, "{:?}", told.problems);
    assert!(sums.damaged > 0 && told.problems[0].contains("expected rows from"), "{:?}", told.problems);
}

#[test]
fn a_damaged_file_does_not_hide_those_behind_it_and_a_watcher_ends_it() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["mixed-none", "comp-gz", "bloom-row-murmur"] {
        let mut bytes = std::fs::read(fixtures().join(format!("hfiles/{name}.hfile"))).unwrap();
        bytes[if name == "comp-gz" { 7000 } else { 200 }] ^= 1;
        std::fs::write(directory.path().join(name), bytes).unwrap();
    }
    let mut told = Told::default();
    let sums = verified(directory.path(), &mut told);
    assert_eq!((sums.files, sums.damaged, told.problems.len()), (3, 3, 3), "{:?}", told.problems);
    assert!(told.problems[1].contains("comp-gz: corrupt data block at "), "{:?}", told.problems);
    let mut told = Told { patience: Some(3), ..Told::default() };
    let sums = verified(directory.path(), &mut told);
    assert!(sums.was_interrupted && !sums.is_sound() && sums.files == 1, "{sums:?}");
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem);
    let error = verify_tree(&fs, &["/no/such/file".into()], &mut Told::default()).unwrap_err();
    assert!(error.to_string().starts_with("cannot read /no/such/file"));
}
