//! The faulty file system fails what it was told to fail, and nothing else.

use std::{io::ErrorKind, path::Path, sync::Arc, time::Duration};

use finback_fs::{FaultyFileSystem, FileSystem, MemFileSystem, write_file_durably};

fn faulty() -> FaultyFileSystem {
    FaultyFileSystem::new(Arc::new(MemFileSystem::new()))
}

#[test]
fn the_nth_operation_fails_once() {
    for n in 0..5 {
        let fs = faulty();
        fs.faults().fail_operation(n);
        let failed = write_file_durably(&fs, Path::new("/f"), b"bytes").is_err();
        // remove of the leftover, create, append, sync, rename
        assert!(failed, "operation {n}");
        write_file_durably(&fs, Path::new("/f"), b"bytes").unwrap();
    }
}

#[test]
fn a_full_disk_takes_a_part_and_recovers() {
    let fs = faulty();
    fs.faults().set_byte_budget(Some(10));
    let mut file = fs.create_new(Path::new("/f")).unwrap();
    file.append(b"12345678").unwrap();
    assert_eq!(file.append(b"12345678").unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(file.len(), 10);
    fs.faults().set_byte_budget(None);
    file.append(b"more").unwrap();
    assert_eq!(file.len(), 14);
}

#[test]
fn syncs_fail_while_told_so() {
    let fs = faulty();
    let mut file = fs.create_new(Path::new("/f")).unwrap();
    fs.faults().fail_syncs(true);
    file.sync_data().unwrap_err();
    file.append(b"still writable").unwrap();
    fs.faults().fail_syncs(false);
    file.sync_data().unwrap();
    assert_eq!((fs.faults().syncs(), fs.faults().appends(), fs.faults().operations()), (2, 1, 4));
}

#[test]
fn operations_wait_while_paused() {
    let fs = faulty();
    fs.faults().pause();
    let other = fs.clone();
    let thread = std::thread::spawn(move || other.create_dir_all(Path::new("/d")));
    while fs.faults().waiting() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(!fs.exists(Path::new("/d")).unwrap());
    fs.faults().resume();
    thread.join().unwrap().unwrap();
    assert!(fs.exists(Path::new("/d")).unwrap());
}

#[test]
fn a_read_fails_and_a_copy_is_damaged() {
    let fs = faulty();
    write_file_durably(&fs, Path::new("/f"), b"bytes").unwrap();
    let file = fs.open(Path::new("/f")).unwrap();
    let mut bytes = [0; 5];
    fs.faults().fail_read(fs.faults().reads());
    file.read_exact_at(0, &mut bytes).unwrap_err();
    fs.faults().damage("f", 0, 2, 1);
    file.read_exact_at(0, &mut bytes).unwrap();
    assert_eq!(&bytes, b"byues");
    file.read_exact_at(3, &mut bytes[..2]).unwrap();
    assert_eq!(&bytes[..2], b"es", "only that byte");
    assert_eq!(file.read_other_copy_at(0, &mut bytes).unwrap(), None);
    fs.faults().set_second_copy(true);
    assert_eq!(file.read_other_copy_at(0, &mut bytes).unwrap(), Some(()));
    assert_eq!(&bytes, b"bytes");
    fs.faults().repair();
    file.read_exact_at(0, &mut bytes).unwrap();
    assert_eq!(&bytes, b"bytes");
    fs.faults().fail_reads_from(0);
    assert!(fs.open(Path::new("/f")).is_err() && fs.list(Path::new("/")).is_err());
    fs.faults().heal();
    fs.metadata(Path::new("/f")).unwrap();
}
