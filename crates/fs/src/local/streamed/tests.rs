use std::{fs, path::Path};

use super::{super::page_cache::has_all_of, *};
use crate::{FileSystem, LocalFileSystem, NextRead};

const LENGTH: usize = (1 << 20) + 100;

fn bytes() -> Vec<u8> {
    (0..LENGTH).map(|number| (number / 7) as u8).collect()
}

/// A file that is in no memory but the device's.
fn written_past_memory(path: &Path) -> LocalReadable {
    let mut file = LocalFileSystem.create_large(path, NextRead::Later).unwrap();
    file.append(&bytes()).unwrap();
    file.sync_data().unwrap();
    LocalReadable::open(path).unwrap()
}

/// `None` if the directory for temporary files is on a file system that has no such way.
fn streamed(plain: &LocalReadable, piece_bytes: usize) -> Option<LocalStreamed> {
    plain.can_be_streamed().then(|| LocalStreamed::of(plain, piece_bytes).unwrap())
}

#[test]
fn what_is_read_leaves_nothing_in_the_page_cache() {
    let directory = tempfile::tempdir().unwrap();
    let plain = written_past_memory(&directory.path().join("file"));
    let Some(streamed) = streamed(&plain, 64 << 10) else { return };
    let mut read = vec![0; LENGTH];
    streamed.read_exact_at(0, &mut read).unwrap();
    assert!(read == bytes());
    let mut appended = Vec::new();
    streamed.append_exact_at(0, LENGTH, &mut appended).unwrap();
    assert!(appended == read);
    assert!(!has_all_of(&plain));
    // Which would be seen.
    plain.read_exact_at(0, &mut read).unwrap();
    assert!(has_all_of(&plain));
}

#[test]
fn a_piece_is_no_larger_than_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, b"small").unwrap();
    let Some(streamed) = streamed(&LocalReadable::open(&path).unwrap(), 1 << 20) else { return };
    assert!(streamed.piece.lock().buffer.capacity() <= 3 * BLOCK);
    let empty = directory.path().join("empty");
    fs::write(&empty, b"").unwrap();
    let streamed = LocalStreamed::of(&LocalReadable::open(&empty).unwrap(), 1 << 20).unwrap();
    assert_eq!(streamed.read_at(0, &mut [0; 10]).unwrap(), 0);
}

#[test]
fn a_file_that_cannot_be_read_past_the_page_cache_is_read_through_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = written_past_memory(&directory.path().join("file"));
    let Some(mut streamed) = streamed(&file, 64 << 10) else { return };
    // It begins where no device reads from.
    streamed.piece.get_mut().buffer = AlignedBuffer::misaligned(64 << 10);
    let mut read = vec![0; 200_000];
    streamed.read_exact_at(100, &mut read).unwrap();
    assert!(read == bytes()[100..200_100]);
    assert!(streamed.piece.lock().is_refused);
    let mut again = Vec::new();
    streamed.append_exact_at(7, LENGTH - 7, &mut again).unwrap();
    assert!(again == bytes()[7..]);
}

#[test]
fn something_large_is_read_in_many_pieces() {
    let directory = tempfile::tempdir().unwrap();
    let file = written_past_memory(&directory.path().join("file"));
    let Some(streamed) = streamed(&file, BLOCK) else { return };
    let mut read = b"before".to_vec();
    streamed.append_exact_at(100, LENGTH - 100, &mut read).unwrap();
    assert!(read == [b"before", &bytes()[100..]].concat());
}
