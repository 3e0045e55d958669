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

#[test]
fn what_was_appended_is_there_for_others_at_once_whatever_its_size() {
    let dir = tempfile::tempdir().unwrap();
    for is_ordinary in [false, true] {
        let path = dir.path().join(format!("log{is_ordinary}"));
        let (mut log, mut expected) = (log(&path), Vec::new());
        if is_ordinary {
            log.piece = None;
        }
        let sizes = [1, LEAST_DIRECT, 5000, BLOCK, LEAST_DIRECT + 1, 3 * PIECE + 17, LEAST_DIRECT - 1, PIECE];
        for (seed, len) in sizes.into_iter().chain([0, 3 * LEAST_DIRECT]).enumerate() {
            let piece = bytes(len, seed);
            let (first, second) = piece.split_at(len / 3);
            log.append_vectored(&mut [IoSlice::new(first), IoSlice::new(b""), IoSlice::new(second)]).unwrap();
            expected.extend_from_slice(&piece);
            assert_eq!(log.len(), expected.len() as u64);
            assert!(fs::read(&path).unwrap() == expected, "something else is in the file");
        }
        log.truncate(PIECE as u64 + 3).unwrap();
        expected.truncate(PIECE + 3);
        log.append(&bytes(PIECE, 50)).unwrap();
        log.sync_data().unwrap();
        expected.extend_from_slice(&bytes(PIECE, 50));
        assert!(fs::read(&path).unwrap() == expected, "something else was there after it had been cut");
    }
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
            // However slow the device is.
            (log.piece, log.behind) = (Some(AlignedBuffer::with_room(0)), Duration::ZERO);
        }
        assert_eq!(has_all_of(&*LocalFileSystem.open(&path).unwrap()), stays, "{piece}");
    }
}

#[test]
fn a_device_that_is_slow_for_long_is_left_to_the_page_cache() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = log(&dir.path().join("log"));
    log.piece = Some(AlignedBuffer::with_room(0));
    let bytes_in_time = (LEAST_SPEED / 10) as usize;
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
