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
    let path = dir(&root).join("f2");
    let put_second = |bytes: &[u8]| {
        small_file::remove_if_exists(&**root.fs(), &path).unwrap();
        small_file::write_new(&**root.fs(), &path, bytes).unwrap();
    };
    for torn in [&b""[..], &whole[..3], &whole[..5], &whole[..whole.len() - 1]] {
        put_second(torn);
        assert_eq!(read(&root), names(&[("a", 1)]));
    }
    // What is wrong otherwise may be the younger list, damaged.
    let mut flipped = whole.clone();
    flipped[6] ^= 1;
    for lie in [&flipped[..], &[0x7f, 0xff, 0xff, 0xff, 1, 2], &[0; 12]] {
        put_second(lie);
        let error = root.read_store_file_list(&table(), REGION, b"f").unwrap_err();
        assert!(error.is_corrupt() && error.to_string().contains("f2"), "{error}");
        assert!(write(&root, &[("b", 2)]).is_err());
    }
    small_file::remove_if_exists(&**root.fs(), &path).unwrap();
    write(&root, &[("b", 2)]).unwrap();
    assert_eq!(read(&root), names(&[("b", 2)]));
    root.fs().remove_dir_all(&dir(&root)).unwrap();
    let later = pb::StoreFileList { timestamp: 1, version: Some(2), ..Default::default() };
    root.fs().create_dir_all(&dir(&root)).unwrap();
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

/// Puts a list where HBase would.
fn put(root: &RootDir, name: &str, timestamp: u64, files: &[&str]) {
    let entry = |name: &&str| pb::StoreFileEntry { name: (*name).to_owned(), size: 1 };
    let list = pb::StoreFileList {
        timestamp,
        store_file: files.iter().map(entry).collect(),
        version: Some(VERSION),
    };
    root.fs().create_dir_all(&dir(root)).unwrap();
    small_file::write_new(&**root.fs(), &dir(root).join(name), &encode(&list)).unwrap();
}

fn lists(root: &RootDir) -> Vec<String> {
    let mut names: Vec<_> = root.fs().list(&dir(root)).unwrap().into_iter().map(|entry| entry.name).collect();
    names.sort();
    names
}

/// HBASE-26791: the latest opening of the region counts, whenever lists were written.
#[test]
fn lists_of_hbase_2_6_are_read_and_keep_their_names() {
    let root = root(MemFileSystem::new());
    put(&root, "f1", 900, &["bare"]);
    put(&root, "f1.1600000000000", 800, &["older"]);
    put(&root, "f2.1700000000000", 500, &["a"]);
    assert_eq!(read(&root), names(&[("a", 1)]));
    put(&root, "f1.1700000000000", 600, &["b"]);
    assert_eq!(read(&root), names(&[("b", 1)]));
    write(&root, &[("c", 1)]).unwrap();
    assert_eq!(lists(&root), ["f2.1700000000000"]);
    write(&root, &[("d", 1)]).unwrap();
    assert_eq!((lists(&root), read(&root)), (vec!["f1.1700000000000".to_owned()], names(&[("d", 1)])));
    assert_eq!(root.store_file_list_generation(&table(), REGION, b"f").unwrap(), Some(1_700_000_000_000));
}

#[test]
fn of_two_lists_that_are_as_old_the_first_counts() {
    let root = root(MemFileSystem::new());
    put(&root, "f2", 7, &["b"]);
    put(&root, "f1", 7, &["a"]);
    assert_eq!(read(&root), names(&[("a", 1)]));
    write(&root, &[("c", 1)]).unwrap();
    assert_eq!((lists(&root), read(&root)), (vec!["f2".to_owned()], names(&[("c", 1)])));
}

#[test]
fn a_list_that_came_to_no_end_leaves_that_of_the_opening_before() {
    let root = root(MemFileSystem::new());
    put(&root, "f2.7", 1, &["a"]);
    small_file::write_new(&**root.fs(), &dir(&root).join("f1.8"), &[0, 0, 1]).unwrap();
    assert_eq!(read(&root), names(&[("a", 1)]));
    write(&root, &[("b", 1)]).unwrap();
    assert_eq!((lists(&root), read(&root)), (vec!["f1.7".to_owned()], names(&[("b", 1)])));
}

#[test]
fn what_is_called_otherwise_is_no_list() {
    let root = root(MemFileSystem::new());
    for name in ["f3", "f1.", "f1.x", "f1.-1", "f1.99999999999999999999", "f.tmp", "f", "f1.1.2", "\u{e9}1"] {
        put(&root, name, 1, &["a"]);
    }
    assert_eq!(read(&root), None);
    for name in ["f1", "f1.0", "f2.00"] {
        put(&root, name, 1, &["a"]);
    }
    assert!(root.read_store_file_list(&table(), REGION, b"f").unwrap_err().to_string().contains("3 lists"));
}

#[test]
fn a_list_is_begun_once() {
    let root = root(MemFileSystem::new());
    let begin = || root.begin_store_file_list(&table(), REGION, b"f").unwrap();
    begin();
    assert_eq!((read(&root), lists(&root)), (names(&[]), vec!["f1".to_owned()]));
    write(&root, &[("a", 1)]).unwrap();
    begin();
    assert_eq!(read(&root), names(&[("a", 1)]));
}

#[test]
fn a_store_has_the_files_of_its_list() {
    let root = root(MemFileSystem::new());
    let family = root.family_dir(&table(), REGION, b"f");
    root.fs().create_dir_all(&family).unwrap();
    write_file_durably(&**root.fs(), &family.join(FILE), b"cells").unwrap();
    let listed = || root.listed_store_files(&table(), REGION, b"f");
    let lost = listed().unwrap_err();
    assert!(lost.is_corrupt() && lost.to_string().contains(FILE), "{lost}");
    write(&root, &[(FILE, 5)]).unwrap();
    assert_eq!(listed().unwrap().len(), 1);
    write(&root, &[(FILE, 5), (REGION, 1)]).unwrap();
    assert!(matches!(listed(), Err(LayoutError::NotFound { .. })));
}

#[test]
fn what_leads_to_another_file_is_listed_with_no_size_and_has_to_be_there() {
    let root = root(MemFileSystem::new());
    let family = root.family_dir(&table(), REGION, b"f");
    let other = "99999999999999999999999999999999";
    let served = root.family_dir(&table(), other, b"f");
    for dir in [&family, &served] {
        root.fs().create_dir_all(dir).unwrap();
    }
    write_file_durably(&**root.fs(), &served.join(FILE), b"cells").unwrap();
    let listed = |root: &RootDir| root.listed_store_files(&table(), REGION, b"f");
    let is_lost = |root: &RootDir| matches!(listed(root), Err(LayoutError::NotFound { .. }));
    // Empty files of its own a store may lack.
    let bulk = format!("{FILE}_SeqId_7_");
    write(&root, &[(FILE, 0), (bulk.as_str(), 0)]).unwrap();
    assert!(listed(&root).unwrap().is_empty());
    let (reference, link) = (format!("{FILE}.{other}"), format!("t={other}-{FILE}"));
    write(&root, &[(reference.as_str(), 0)]).unwrap();
    assert!(is_lost(&root));
    write_file_durably(&**root.fs(), &family.join(&reference), b"").unwrap();
    assert!(is_lost(&root));
    root.fs().remove_file(&family.join(&reference)).unwrap();
    let whole = crate::Reference { split_row: b"b".to_vec(), half: crate::Half::Top };
    write_file_durably(&**root.fs(), &family.join(&reference), &whole.encode()).unwrap();
    assert_eq!(listed(&root).unwrap().len(), 1);
    write(&root, &[(reference.as_str(), 0), (link.as_str(), 0)]).unwrap();
    assert!(is_lost(&root));
    write_file_durably(&**root.fs(), &family.join(&link), b"").unwrap();
    assert_eq!(listed(&root).unwrap().len(), 2);
}

/// HBase leaves files where they are that are not listed any more.
#[test]
fn what_is_not_listed_may_lead_nowhere() {
    let root = root(MemFileSystem::new());
    let family = root.family_dir(&table(), REGION, b"f");
    root.fs().create_dir_all(&family).unwrap();
    write_file_durably(&**root.fs(), &family.join(FILE), b"cells").unwrap();
    let gone = "99999999999999999999999999999999";
    let (reference, link) = (format!("{FILE}.{gone}"), format!("t={gone}-{FILE}"));
    write_file_durably(&**root.fs(), &family.join(&reference), b"torn").unwrap();
    write_file_durably(&**root.fs(), &family.join(&link), b"").unwrap();
    write(&root, &[(FILE, 5)]).unwrap();
    let listed = root.listed_store_files(&table(), REGION, b"f").unwrap();
    assert_eq!(listed.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), [FILE]);
    let names = root.store_file_names(&table(), REGION, b"f").unwrap();
    assert_eq!(names, [FILE, reference.as_str(), link.as_str()]);
}
