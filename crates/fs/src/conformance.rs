//! What every [`FileSystem`] must do, as a test that any crate can run against its own.

use std::{
    io::{ErrorKind, IoSlice},
    path::Path,
};

use crate::{FileSystem, FsError, NextRead, write_file_durably};

/// Runs every check in directories below `root`, which must exist and be empty.
///
/// # Panics
/// At the first thing that is not as it must be.
pub fn check(fs: &dyn FileSystem, root: &Path) {
    directories(fs, &root.join("directories"));
    appends_and_reads(fs, &root.join("files"));
    truncation(fs, &root.join("truncation"));
    zeros_ahead(fs, &root.join("zeros"));
    large_files(fs, &root.join("large"), NextRead::Later);
    large_files(fs, &root.join("read soon"), NextRead::Soon);
    streamed_files(fs, &root.join("streamed"));
    logs(fs, &root.join("logs"));
    flushed_logs(fs, &root.join("flushed logs"));
    renames(fs, &root.join("renames"));
    second_names(fs, &root.join("links"));
    removals(fs, &root.join("removals"));
    durable_writes(fs, &root.join("durable"));
    locks(fs, &root.join("locks"));
}

fn kind<T: std::fmt::Debug>(result: std::io::Result<T>) -> ErrorKind {
    result.expect_err("this must fail").kind()
}

fn put(fs: &dyn FileSystem, path: &Path, bytes: &[u8]) {
    let mut file = fs.create_new(path).expect("create");
    file.append(bytes).expect("append");
    file.sync_data().expect("sync");
}

fn get(fs: &dyn FileSystem, path: &Path) -> Vec<u8> {
    let file = fs.open(path).expect("open");
    let mut bytes = vec![0; file.len().expect("len") as usize];
    file.read_exact_at(0, &mut bytes).expect("read");
    bytes
}

fn directories(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(&root.join("a/b/c")).expect("new directories");
    fs.create_dir_all(&root.join("a/b/c")).expect("existing directories are fine");
    put(fs, &root.join("a/file"), b"12345");
    let names: Vec<_> =
        fs.list(&root.join("a")).expect("list").into_iter().map(|e| (e.name, e.is_dir, e.len)).collect();
    assert_eq!(names, [("b".to_owned(), true, 0), ("file".to_owned(), false, 5)]);
    assert_eq!(kind(fs.list(&root.join("missing"))), ErrorKind::NotFound);
    assert!(fs.exists(&root.join("a/b")).expect("exists"));
    assert!(!fs.exists(&root.join("a/x")).expect("exists"));
    assert!(!fs.exists(&root.join("a/file/below")).expect("exists"));
    assert!(fs.metadata(&root.join("a")).expect("metadata").is_dir);
    assert!(fs.create_dir_all(&root.join("a/file")).is_err(), "a file is in the way");
    fs.sync_dir(&root.join("a")).expect("sync_dir");
    assert!(fs.available_space(root).expect("space") > 0);
    assert_eq!(kind(fs.open(&root.join("a"))), ErrorKind::IsADirectory);
}

fn appends_and_reads(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(root).expect("directory");
    let path = root.join("file");
    assert_eq!(kind(fs.create_new(&root.join("no/such/directory"))), ErrorKind::NotFound);
    let mut file = fs.create_new(&path).expect("create");
    assert_eq!(kind(fs.create_new(&path)), ErrorKind::AlreadyExists);
    assert!(file.is_empty());
    assert_eq!(fs.metadata(&path).expect("metadata").len, 0);
    file.append(b"ab").expect("append");
    let mut slices = [&b""[..], b"cd", b"", b"efg"].map(IoSlice::new);
    file.append_vectored(&mut slices).expect("append_vectored");
    file.append(b"").expect("nothing");
    assert_eq!(file.len(), 7);
    let reader = fs.open(&path).expect("open");
    assert_eq!(reader.len().expect("len"), 7, "written bytes are seen before a sync");
    let mut buf = [0; 4];
    reader.read_exact_at(2, &mut buf).expect("read");
    assert_eq!(&buf, b"cdef");
    assert_eq!(kind(reader.read_exact_at(4, &mut buf)), ErrorKind::UnexpectedEof);
    assert_eq!(reader.read_at(7, &mut buf).expect("at the end"), 0);
    assert_eq!(reader.read_at(u64::from(u32::MAX), &mut buf).expect("far beyond"), 0);
    reader.read_exact_at(7, &mut []).expect("nothing to read");
    let mut bytes = Vec::with_capacity(64);
    bytes.push(b'-');
    reader.append_exact_at(1, 3, &mut bytes).expect("append what is read");
    reader.append_exact_at(7, 0, &mut bytes).expect("nothing to read");
    assert_eq!(bytes, b"-bcd", "as much as was asked for, though there is room and there are bytes for more");
    assert_eq!(kind(reader.append_exact_at(4, 4, &mut bytes)), ErrorKind::UnexpectedEof);
    if reader.read_at_nowait(1, &mut buf).expect("nowait").is_some() {
        assert_eq!(&buf, b"bcde");
    }
    assert!(!matches!(reader.read_at_nowait(5, &mut buf), Ok(Some(()))), "the file ends before");
    file.append(b"h").expect("append");
    file.sync_data().expect("sync");
    assert_eq!(reader.len().expect("len"), 8, "a reader sees the file grow");
}

fn truncation(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(root).expect("directory");
    let path = root.join("file");
    let mut file = fs.create_new(&path).expect("create");
    file.append(b"0123456789").expect("append");
    file.truncate(4).expect("truncate");
    assert_eq!(file.len(), 4);
    assert!(file.truncate(5).is_err(), "truncation never lengthens");
    file.append(b"AB").expect("append");
    file.sync_data().expect("sync");
    assert_eq!(get(fs, &path), b"0123AB");
}

fn zeros_ahead(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(root).expect("directory");
    let path = root.join("file");
    let mut file = fs.create_new(&path).expect("create");
    file.append(b"01").expect("append");
    file.zero_ahead(9, b"<>").expect("zeros");
    let some = file.zeros_ahead() > 0; // none where they would be of no use
    let left = |n: usize| if some { n } else { 0 };
    let ahead = |text: &[u8], behind: &[u8]| [text, &behind[..left(behind.len())]].concat();
    file.zero_ahead(4, b"<>").expect("fewer than there are");
    assert_eq!((file.len(), file.zeros_ahead() as usize), (2, left(9)));
    assert_eq!(get(fs, &path), ahead(b"01", b"<>\0\0\0\0\0\0\0"));
    file.append(b"2345").expect("append over zeros");
    file.sync_data().expect("sync");
    assert_eq!((file.len(), file.zeros_ahead() as usize), (6, left(5)));
    assert_eq!(get(fs, &path), ahead(b"012345", b"<>\0\0\0"));
    file.append(b"6789").expect("append that leaves less than a mark");
    assert_eq!(get(fs, &path), ahead(b"0123456789", b"<>\0"), "the mark is whole, and not the last");
    file.append(b"abc").expect("append over the mark");
    assert_eq!((file.len(), file.zeros_ahead()), (13, 0));
    assert_eq!(get(fs, &path), b"0123456789abc");
    file.zero_ahead(6, b"<>").expect("zeros");
    file.append_vectored(&mut [IoSlice::new(b"d"), IoSlice::new(b"e")]).expect("append of slices over zeros");
    assert_eq!(get(fs, &path), ahead(b"0123456789abcde", b"<>\0\0"));
    file.append(b"fghijk").expect("append over zeros and further");
    assert_eq!((file.len(), file.zeros_ahead()), (21, 0));
    file.zero_ahead(100, b"<>").expect("zeros");
    assert!(file.truncate(22).is_err(), "zeros ahead are not of the file");
    file.truncate(21).expect("truncate");
    assert_eq!(file.zeros_ahead(), 0);
    file.append(b"l").expect("append");
    file.sync_data().expect("sync");
    assert_eq!(get(fs, &path), b"0123456789abcdefghijkl");
}

fn logs(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(root).expect("directory");
    let path = root.join("file");
    let mut file = fs.create_log(&path, b"<>").expect("create");
    assert_eq!(
        fs.create_log(&path, b"<>").map_err(|e| e.kind()).expect_err("there is one"),
        ErrorKind::AlreadyExists
    );
    let mut expected = Vec::new();
    for piece in [&b"one"[..], b"", &[b'2'; 5000], b"three"] {
        file.append(piece).expect("append");
        file.sync_data().expect("sync");
        expected.extend_from_slice(piece);
        let found = get(fs, &path);
        let behind = found.strip_prefix(&expected[..]).expect("what was synced is there");
        let zeros = behind.strip_prefix(b"<>").unwrap_or(behind);
        assert!(zeros.iter().all(|&byte| byte == 0) && (behind.is_empty() || zeros.len() < behind.len()));
        assert_eq!(file.len(), expected.len() as u64, "what is behind does not count");
    }
    file.append(b"not synced").expect("append");
    file.truncate(expected.len() as u64).expect("truncate");
    assert_eq!(get(fs, &path), expected);
    file.append(b"four").expect("append");
    file.sync_data().expect("sync");
    assert_eq!(get(fs, &path), [&expected[..], b"four"].concat(), "nothing is behind it any more");
}

fn flushed_logs(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(root).expect("directory");
    let path = root.join("file");
    let mut file = fs.create_flushed_log(&path).expect("create");
    assert_eq!(kind(fs.create_flushed_log(&path)), ErrorKind::AlreadyExists);
    let mut expected = Vec::new();
    for piece in [&b"one"[..], b"", &[b'2'; 700_000], b"three", &[b'4'; 4096], &[b'5'; 3 << 20]] {
        let (first, second) = piece.split_at(piece.len() / 3);
        file.append_vectored(&mut [IoSlice::new(first), IoSlice::new(second)]).expect("append");
        expected.extend_from_slice(piece);
        assert_eq!(file.len(), expected.len() as u64);
        assert!(get(fs, &path) == expected, "what was appended is there before it is synced");
    }
    file.truncate(500_000).expect("truncate");
    file.append(b"the end").expect("append");
    file.sync_data().expect("sync");
    assert!(get(fs, &path) == [&expected[..500_000], b"the end"].concat(), "it goes on where it was cut");
}

fn large_files(fs: &dyn FileSystem, root: &Path, read: NextRead) {
    fs.create_dir_all(root).expect("directory");
    let path = root.join("file");
    let mut file = fs.create_large(&path, read).expect("create");
    let taken = fs.create_large(&path, read).map_err(|e| e.kind());
    assert_eq!(taken.expect_err("there is one"), ErrorKind::AlreadyExists);
    let mut expected = Vec::new();
    for piece in [&b"one"[..], b"", &[b'2'; 5000], &[b'3'; 3 << 20], b"four"] {
        let (first, second) = piece.split_at(piece.len() / 3);
        file.append_vectored(&mut [IoSlice::new(first), IoSlice::new(second)]).expect("append");
        expected.extend_from_slice(piece);
        assert_eq!(file.len(), expected.len() as u64);
    }
    for piece in [&b"made"[..], b"", &[b'5'; 100_000], &[b'6'; 2 << 20], b"there"] {
        let Some(mut end) = file.lend_end(5000) else { break };
        end.extend_from_slice(piece);
        file.append_lent(end).expect("append what was lent");
        file.append(b"between").expect("append");
        expected.extend_from_slice(&[piece, b"between"].concat());
        assert_eq!(file.len(), expected.len() as u64);
    }
    file.sync_data().expect("sync");
    assert_eq!(get(fs, &path), expected);
    file.append(b"behind a sync").expect("append");
    file.truncate(expected.len() as u64 + 6).expect("truncate");
    file.sync_data().expect("sync");
    assert_eq!(get(fs, &path), [&expected[..], b"behind"].concat());
    let mut cut = fs.create_large(&root.join("cut"), read).expect("create");
    cut.append(&expected).expect("append");
    assert!(cut.truncate(expected.len() as u64 + 1).is_err(), "truncation never lengthens");
    cut.truncate(2 << 20).expect("truncate");
    cut.sync_data().expect("sync");
    assert_eq!(get(fs, &root.join("cut")), expected[..2 << 20]);
}

/// Whether what is written lately is in memory, or none of it.
fn streamed_files(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(root).expect("directory");
    for read in [NextRead::Later, NextRead::Soon] {
        let path = root.join(format!("{read:?}"));
        let expected: Vec<u8> = (0..900_001_u32).flat_map(u32::to_be_bytes).collect();
        let mut file = fs.create_large(&path, read).expect("create");
        file.append(&expected).expect("append");
        file.sync_data().expect("sync");
        let reader = fs.open(&path).expect("open");
        let streamed = reader.streamed(256 << 10);
        assert_eq!(streamed.is_some(), reader.can_be_streamed());
        let Some(streamed) = streamed else { continue };
        assert_eq!(streamed.len().expect("len"), expected.len() as u64);
        assert_eq!(streamed.identity().expect("identity"), reader.identity().expect("identity"));
        // From piece to piece, back and forth, more than a piece, all, and the end.
        let places = [
            (0, 70_000),
            (70_000, 200_000),
            (5, 3),
            (300_001, 1_000_000),
            (0, expected.len()),
            (3_600_000, 4),
        ];
        for (offset, length) in places {
            let mut bytes = b"before".to_vec();
            streamed.append_exact_at(offset as u64, length, &mut bytes).expect("read");
            assert!(bytes == [b"before", &expected[offset..offset + length]].concat(), "{offset} {length}");
            let mut exact = vec![0; length];
            streamed.read_exact_at(offset as u64, &mut exact).expect("read");
            assert!(exact == expected[offset..offset + length], "{offset} {length}");
        }
        let end = expected.len() as u64;
        assert_eq!(streamed.read_at(end, &mut [0; 10]).expect("nothing"), 0);
        assert_eq!(streamed.read_at(end + 10_000, &mut [0; 10]).expect("nothing"), 0);
        let mut bytes = Vec::new();
        assert_eq!(kind(streamed.append_exact_at(end - 3, 4, &mut bytes)), ErrorKind::UnexpectedEof);
        // As it stays readable when its name is gone.
        fs.remove_file(&path).expect("remove");
        streamed.read_exact_at(1000, &mut [0; 5000]).expect("read");
    }
}

fn renames(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(&root.join("from")).expect("directory");
    fs.create_dir_all(&root.join("to")).expect("directory");
    let (a, b) = (root.join("from/a"), root.join("to/b"));
    put(fs, &a, b"new");
    put(fs, &b, b"old");
    let old = fs.open(&b).expect("open");
    fs.rename(&a, &b).expect("a rename replaces a file");
    assert_eq!(get(fs, &b), b"new");
    assert!(!fs.exists(&a).expect("exists"));
    let mut buf = [0; 3];
    old.read_exact_at(0, &mut buf).expect("an open file outlives its name");
    assert_eq!(&buf, b"old");
    assert_eq!(kind(fs.rename(&a, &b)), ErrorKind::NotFound);
    fs.rename(&root.join("to"), &root.join("moved")).expect("a directory moves with what is in it");
    assert_eq!(get(fs, &root.join("moved/b")), b"new");
    assert!(
        fs.rename(&root.join("from"), &root.join("moved")).is_err(),
        "a directory that is not empty stays"
    );
    assert_eq!(get(fs, &root.join("moved/b")), b"new");
    let mut open = fs.create_new(&root.join("moved/open")).expect("create");
    fs.rename(&root.join("moved"), &root.join("again")).expect("rename");
    open.append(b"x").expect("a file being written follows its directory");
    assert_eq!(get(fs, &root.join("again/open")), b"x");
}

fn second_names(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(&root.join("dir")).expect("directory");
    let (first, second) = (root.join("first"), root.join("dir/second"));
    put(fs, &first, b"bytes");
    let identity = |path: &Path| fs.metadata(path).expect("metadata").identity;
    let of_first = identity(&first);
    put(fs, &root.join("same"), b"bytes");
    assert!(
        of_first.is_none() || of_first != identity(&root.join("same")),
        "another file with the same in it"
    );
    match fs.hard_link(&first, &second) {
        Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported),
        Ok(()) => {
            assert_eq!((identity(&first), identity(&second)), (of_first, of_first), "a file with two names");
            assert_eq!(kind(fs.hard_link(&first, &second)), ErrorKind::AlreadyExists);
            let has_others = |path: &Path| fs.has_other_names(path).expect("names");
            assert!(has_others(&first) && has_others(&second) && !has_others(&root.join("same")));
            fs.remove_file(&first).expect("remove");
            assert!(!has_others(&second), "its only name");
            assert_eq!(get(fs, &second), b"bytes", "a file outlives one of its names");
            assert_eq!(kind(fs.hard_link(&first, &root.join("third"))), ErrorKind::NotFound);
        }
    }
    put(fs, &root.join("other"), b"other");
    fs.sync_file(&root.join("other")).expect("sync by name");
    assert_eq!(kind(fs.sync_file(&root.join("missing"))), ErrorKind::NotFound);
    assert!(fs.sync_file(&root.join("dir")).is_err(), "a directory is not a file");
}

fn removals(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(&root.join("tree/deep")).expect("directory");
    let path = root.join("tree/deep/file");
    put(fs, &path, b"x");
    assert!(fs.remove_file(&root.join("tree/deep")).is_err(), "a directory is not a file");
    let open = fs.open(&path).expect("open");
    fs.remove_file(&path).expect("remove");
    assert_eq!(kind(fs.remove_file(&path)), ErrorKind::NotFound);
    open.read_exact_at(0, &mut [0]).expect("an open file outlives its removal");
    put(fs, &path, b"y");
    fs.remove_dir_all(&root.join("tree")).expect("remove");
    assert!(!fs.exists(&path).expect("exists"));
    assert_eq!(kind(fs.remove_dir_all(&root.join("tree"))), ErrorKind::NotFound);
    empty_directories(fs, &root.join("empty"));
}

fn empty_directories(fs: &dyn FileSystem, root: &Path) {
    let path = root.join("dir/file");
    fs.create_dir_all(&root.join("dir")).expect("directory");
    put(fs, &path, b"x");
    let written = fs.metadata(&path).expect("metadata").modified;
    fs.touch(&path).expect("touch");
    let touched = fs.metadata(&path).expect("metadata");
    assert!(touched.modified >= written && touched.len == 1);
    assert_eq!(kind(fs.touch(&root.join("missing"))), ErrorKind::NotFound);
    assert!(fs.remove_empty_dir(&root.join("dir")).is_err(), "there is something in it");
    assert!(fs.remove_empty_dir(&path).is_err(), "a file is no directory");
    fs.remove_file(&path).expect("remove");
    fs.remove_empty_dir(&root.join("dir")).expect("remove");
    assert_eq!(kind(fs.remove_empty_dir(&root.join("dir"))), ErrorKind::NotFound);
}

fn durable_writes(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(root).expect("directory");
    let path = root.join("file");
    put(fs, &root.join("file.tmp"), b"left by a crash");
    write_file_durably(fs, &path, b"one").expect("new");
    write_file_durably(fs, &path, b"two").expect("replace");
    assert_eq!(get(fs, &path), b"two");
    assert_eq!(fs.list(root).expect("list").len(), 1);
}

fn locks(fs: &dyn FileSystem, root: &Path) {
    fs.create_dir_all(root).expect("directory");
    let path = root.join("lock");
    let guard = fs.lock_exclusive(&path).expect("first");
    match fs.lock_exclusive(&path) {
        Err(FsError::Locked { pid, .. }) => assert_eq!(pid, Some(std::process::id())),
        other => panic!("locked twice: {other:?}"),
    }
    drop(guard);
    drop(fs.lock_exclusive(&path).expect("free again"));
}
