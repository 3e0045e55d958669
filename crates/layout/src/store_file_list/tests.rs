use super::*;
use finback_fs::{CrashMode, FaultyFileSystem, FileSystem, MemFileSystem, write_file_durably};
use std::sync::Arc;

const REGION: &str = "576d886d16ff4d8e996c75d842dfbf8b";
const FILE: &str = "0123456789abcdef0123456789abcdef";

fn table() -> TableName {
    TableName::parse(b"t").unwrap()
}

fn root(fs: impl FileSystem + 'static) -> RootDir {
    RootDir::new(Arc::new(fs), "/hbase")
}

fn write(root: &RootDir, files: &[(&str, u64)]) -> Result<()> {
    root.write_store_file_list(&table(), REGION, b"f", files.iter().copied())
}

fn read(root: &RootDir) -> Option<Vec<(String, u64)>> {
    root.read_store_file_list(&table(), REGION, b"f").unwrap()
}

fn names(files: &[(&str, u64)]) -> Option<Vec<(String, u64)>> {
    Some(files.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect())
}

fn dir(root: &RootDir) -> PathBuf {
    root.family_dir(&table(), REGION, b"f").join(DIRECTORY)
}

#[test]
fn the_last_list_counts_and_is_the_only_one() {
    let root = root(MemFileSystem::new());
    assert_eq!(read(&root), None);
    for files in [&[("a", 1)][..], &[("a", 1), ("b", 2)], &[], &[("c", 3)]] {
        write(&root, files).unwrap();
        assert_eq!(read(&root), names(files));
        assert_eq!(root.fs().list(&dir(&root)).unwrap().len(), 1);
    }
}

#[test]
fn a_list_has_hbases_bytes() {
    let list = pb::StoreFileList {
        timestamp: 5,
        store_file: vec![pb::StoreFileEntry { name: "a".into(), size: 7 }],
        version: Some(1),
    };
    let message = [0x08, 5, 0x12, 5, 0x0a, 1, b'a', 0x10, 7, 0x18, 1];
    let bytes = encode(&list);
    assert_eq!(bytes[..4], [0, 0, 0, 11]);
    assert_eq!(bytes[4..15], message);
    // java.util.zip.CRC32, which is zlib's.
    assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    assert_eq!(bytes[15..], crc(&message).to_be_bytes());
}

#[test]
fn a_torn_list_leaves_the_other_one_and_a_lie_is_told() {
    let root = root(MemFileSystem::new());
    write(&root, &[("a", 1)]).unwrap();
    let whole = small_file::read(&**root.fs(), &dir(&root).join("f1")).unwrap();
    for torn in [&b""[..], &whole[..3], &whole[..whole.len() - 1], &[0x7f, 0xff, 0xff, 0xff, 1, 2]] {
        let path = dir(&root).join("f2");
        small_file::remove_if_exists(&**root.fs(), &path).unwrap();
        small_file::write_new(&**root.fs(), &path, torn).unwrap();
        assert_eq!(read(&root), names(&[("a", 1)]));
    }
    write(&root, &[("b", 2)]).unwrap();
    assert_eq!(read(&root), names(&[("b", 2)]));
    for path in [dir(&root).join("f1"), dir(&root).join("f2")] {
        small_file::remove_if_exists(&**root.fs(), &path).unwrap();
    }
    let later = pb::StoreFileList { timestamp: 1, version: Some(2), ..Default::default() };
    small_file::write_new(&**root.fs(), &dir(&root).join("f1"), &encode(&later)).unwrap();
    assert!(root.read_store_file_list(&table(), REGION, b"f").is_err());
}

#[test]
fn a_crash_at_any_step_leaves_the_old_list_or_the_new_one() {
    let (old, new) = ([("a", 1)], [("a", 1), ("b", 2)]);
    for step in 0.. {
        let memory = MemFileSystem::new();
        write(&root(memory.clone()), &old).unwrap();
        let faulty = FaultyFileSystem::new(Arc::new(memory.clone()));
        faulty.faults().fail_from(step);
        let written = write(&root(faulty), &new);
        let found = read(&root(memory.crash(CrashMode::Strict)));
        assert!(found == names(&new) || written.is_err() && found == names(&old), "{step}: {found:?}");
        if written.is_ok() {
            assert!(step > 3, "nothing failed");
            return;
        }
    }
}

#[test]
fn a_store_has_the_files_of_its_list() {
    let root = root(MemFileSystem::new());
    let family = root.family_dir(&table(), REGION, b"f");
    root.fs().create_dir_all(&family).unwrap();
    write_file_durably(&**root.fs(), &family.join(FILE), b"cells").unwrap();
    let listed = || root.listed_store_files(&table(), REGION, b"f");
    assert!(listed().unwrap().is_empty(), "without a list there is nothing");
    write(&root, &[(FILE, 5)]).unwrap();
    assert_eq!(listed().unwrap().len(), 1);
    write(&root, &[(FILE, 5), (REGION, 1)]).unwrap();
    assert!(matches!(listed(), Err(LayoutError::NotFound { .. })));
}
