//! The strict in-memory file system forgets what a power cut may take.

use std::path::Path;

use finback_fs::{CrashMode, FileSystem, MemFileSystem, write_file_durably};

fn read(fs: &MemFileSystem, path: &str) -> Option<Vec<u8>> {
    let file = fs.open(Path::new(path)).ok()?;
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut bytes).unwrap();
    Some(bytes)
}

#[test]
fn data_without_a_sync_is_lost() {
    let fs = MemFileSystem::new();
    let mut file = fs.create_new(Path::new("/f")).unwrap();
    file.append(b"kept").unwrap();
    file.sync_data().unwrap();
    fs.sync_dir(Path::new("/")).unwrap();
    file.append(b" lost").unwrap();
    assert_eq!(read(&fs.crash(CrashMode::Strict), "/f").unwrap(), b"kept");
    assert_eq!(read(&fs, "/f").unwrap(), b"kept lost", "the original goes on");
}

#[test]
fn a_name_without_a_sync_is_lost() {
    let fs = MemFileSystem::new();
    let mut file = fs.create_new(Path::new("/f")).unwrap();
    file.append(b"data").unwrap();
    file.sync_data().unwrap();
    assert_eq!(read(&fs.crash(CrashMode::Strict), "/f"), None);
    fs.sync_dir(Path::new("/")).unwrap();
    fs.remove_file(Path::new("/f")).unwrap();
    assert_eq!(read(&fs.crash(CrashMode::Strict), "/f").unwrap(), b"data", "so is a removal");
}

#[test]
fn a_truncation_without_a_sync_is_lost() {
    let fs = MemFileSystem::new();
    let mut file = fs.create_new(Path::new("/f")).unwrap();
    fs.sync_dir(Path::new("/")).unwrap();
    file.append(b"0123456789").unwrap();
    file.sync_data().unwrap();
    file.truncate(3).unwrap();
    file.append(b"x").unwrap();
    assert_eq!(read(&fs.crash(CrashMode::Strict), "/f").unwrap(), b"0123456789");
    file.sync_data().unwrap();
    assert_eq!(read(&fs.crash(CrashMode::Strict), "/f").unwrap(), b"012x");
}

#[test]
fn a_durable_write_is_all_or_nothing() {
    let fs = MemFileSystem::new();
    write_file_durably(&fs, Path::new("/f"), b"whole").unwrap();
    assert_eq!(read(&fs.crash(CrashMode::Strict), "/f").unwrap(), b"whole");
}

#[test]
fn a_torn_tail_begins_after_the_synced_part() {
    let fs = MemFileSystem::new();
    let mut file = fs.create_new(Path::new("/f")).unwrap();
    fs.sync_dir(Path::new("/")).unwrap();
    file.append(b"kept").unwrap();
    file.sync_data().unwrap();
    file.append(b"0123456789").unwrap();
    let mut lengths = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let survived = read(&fs.crash(CrashMode::Torn { seed }), "/f").unwrap();
        assert!(survived.starts_with(b"kept"));
        assert_eq!(survived, read(&fs.crash(CrashMode::Torn { seed }), "/f").unwrap());
        lengths.insert(survived.len());
    }
    assert_eq!(lengths.len(), 11, "every length occurs: {lengths:?}");
}

#[test]
fn what_was_written_later_may_be_there_without_what_was_written_before() {
    let fs = MemFileSystem::new();
    let mut file = fs.create_new(Path::new("/f")).unwrap();
    fs.sync_dir(Path::new("/")).unwrap();
    file.append(b"kept").unwrap();
    file.sync_data().unwrap();
    file.append(b"0123").unwrap();
    let mut found = std::collections::BTreeSet::new();
    for seed in 0..2000 {
        let survived = read(&fs.crash(CrashMode::Reordered { seed }), "/f").unwrap();
        assert!(survived.starts_with(b"kept"));
        let tail = survived[4..].to_vec();
        assert!(tail.iter().zip(b"0123").all(|(found, written)| found == written || *found == 0));
        found.insert(tail);
    }
    assert!(found.contains(&b"\x00123"[..]) && found.contains(&b"01\x003"[..]), "{found:?}");
}
