use std::{fs, path::Path};

use super::{
    super::{LocalFileSystem, page_cache::has_all_of},
    *,
};
use crate::FileSystem;

fn log(path: &Path) -> LocalFlushed {
    LocalFlushed::new(LocalWritable::create_new(path).unwrap())
}

fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| ((i + seed) * 7 % 251) as u8).collect()
}

/// Sees to it that the next append goes past the page cache, if it can, however slow the device was.
fn make_direct(log: &mut LocalFlushed) {
    (log.piece, log.behind) = (Some(AlignedBuffer::with_room(0)), Duration::ZERO);
}

#[test]
fn what_was_appended_is_there_for_others_at_once_whatever_its_size() {
    let dir = tempfile::tempdir().unwrap();
    let is_direct = log(&dir.path().join("first")).piece.is_some();
    // Direct, through the page cache, and where the device turns out to take nothing directly.
    for (name, piece) in [
        ("direct", Some(AlignedBuffer::with_room(0))),
        ("ordinary", None),
        ("refused", Some(AlignedBuffer::misaligned(2 * PIECE))),
    ] {
        let path = dir.path().join(name);
        let (mut log, mut expected) = (log(&path), Vec::new());
        log.piece = piece.filter(|_| is_direct);
        let sizes = [1, LEAST_DIRECT, 5000, BLOCK, LEAST_DIRECT + 1, 3 * PIECE + 17, LEAST_DIRECT - 1, PIECE];
        for (seed, len) in sizes.into_iter().chain([0, 3 * LEAST_DIRECT]).enumerate() {
            let piece = bytes(len, seed);
            let (first, second) = piece.split_at(len / 3);
            let (second, third) = second.split_at(second.len().min(1 + seed));
            let mut slices = [first, b"", second, third].map(IoSlice::new);
            log.append_vectored(&mut slices).unwrap();
            expected.extend_from_slice(&piece);
            assert_eq!(log.len(), expected.len() as u64);
            assert!(fs::read(&path).unwrap() == expected, "{name}: something else is in the file");
            match name {
                "direct" if is_direct => make_direct(&mut log),
                "refused" if len >= LEAST_DIRECT => assert!(log.piece.is_none()),
                _ => {}
            }
        }
        log.truncate(PIECE as u64 + 3).unwrap();
        expected.truncate(PIECE + 3);
        log.append(&bytes(PIECE, 50)).unwrap();
        log.sync_data().unwrap();
        expected.extend_from_slice(&bytes(PIECE, 50));
        assert!(
            fs::read(&path).unwrap() == expected,
            "{name}: something else was there after it had been cut"
        );
    }
}

#[test]
fn many_small_slices_go_past_the_page_cache_together() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let (mut log, mut expected) = (log(&path), Vec::new());
    if log.piece.is_none() {
        return; // an ordinary file here
    }
    let slices: Vec<_> = (0..300).map(|seed| bytes(20_000 + seed, seed)).collect();
    for _ in 0..3 {
        make_direct(&mut log);
        log.append_vectored(&mut slices.iter().map(|slice| IoSlice::new(slice)).collect::<Vec<_>>()).unwrap();
        expected.extend(slices.concat());
    }
    assert!(!has_all_of(&*LocalFileSystem.open(&path).unwrap()));
    assert!(fs::read(&path).unwrap() == expected);
}

#[test]
fn what_comes_together_is_not_in_the_page_cache_and_what_comes_by_itself_is() {
    let dir = tempfile::tempdir().unwrap();
    for (piece, stays) in [(PIECE, false), (LEAST_DIRECT / 2, true)] {
        let path = dir.path().join(piece.to_string());
        let mut log = log(&path);
        if log.piece.is_none() {
            return; // an ordinary file here
        }
        for seed in 0..8 {
            log.append(&bytes(piece, seed)).unwrap();
            make_direct(&mut log);
        }
        assert_eq!(has_all_of(&*LocalFileSystem.open(&path).unwrap()), stays, "{piece}");
    }
}

#[test]
fn a_device_that_is_slow_for_long_is_left_to_the_page_cache() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = log(&dir.path().join("log"));
    log.piece = Some(AlignedBuffer::with_room(0));
    let bytes_in_time = LEAST_SPEED / 10;
    for _ in 0..100 {
        log.took(Duration::from_millis(100), bytes_in_time);
        log.took(Duration::from_millis(80), 0);
        log.took(Duration::ZERO, bytes_in_time);
    }
    assert!(log.piece.is_some(), "it was as fast as asked for");
    for _ in 0..3 {
        log.took(Duration::from_millis(140), bytes_in_time);
    }
    assert!(log.piece.is_none());
    log.append(&bytes(PIECE, 1)).unwrap();
    assert!(has_all_of(&*LocalFileSystem.open(&dir.path().join("log")).unwrap()));
}
