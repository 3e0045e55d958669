use std::{fs, path::Path, sync::Arc};

use super::{
    super::{
        LocalFileSystem,
        aligned_buffer::BLOCK,
        held::{LEAST_HELD, MOST_HELD},
    },
    *,
};
use crate::{FileSystem, RandomAccessFile};

fn large(path: &Path) -> LocalLarge {
    LocalLarge::new(LocalWritable::create_new(path).unwrap(), NextRead::Later)
}

/// As on a file system that cannot write past the page cache, too.
fn ordinary(path: &Path) -> LocalLarge {
    LocalLarge::new(LocalWritable::create_new(path).unwrap(), NextRead::Soon)
}

fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| ((i + seed) * 7 % 251) as u8).collect()
}

#[test]
fn pieces_of_all_sizes_become_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let sizes = [1, BLOCK - 1, BLOCK, 1, LEAST_HELD, MOST_HELD - 1, MOST_HELD + BLOCK + 1, 3 * MOST_HELD, 5];
    for ends_at_a_block in [false, true] {
        for (name, make) in [("large", large as fn(&Path) -> LocalLarge), ("ordinary", ordinary)] {
            let path = dir.path().join(format!("{name}{ends_at_a_block}"));
            let (mut file, mut expected) = (make(&path), Vec::new());
            let whole = sizes.iter().sum::<usize>().next_multiple_of(BLOCK) - sizes.iter().sum::<usize>();
            let last = if ends_at_a_block { whole } else { whole + 1 };
            for (seed, len) in sizes.into_iter().chain([last]).enumerate() {
                let piece = bytes(len, seed);
                let (first, second) = piece.split_at(len / 3);
                file.append_vectored(&mut [IoSlice::new(first), IoSlice::new(b""), IoSlice::new(second)])
                    .unwrap();
                expected.extend_from_slice(&piece);
                assert_eq!(file.len(), expected.len() as u64);
            }
            file.sync_data().unwrap();
            assert!(fs::read(&path).unwrap() == expected, "{name}: something else is in the file");
            file.append(b"more").unwrap();
            file.sync_data().unwrap();
            assert!(fs::read(&path).unwrap() == [&expected[..], b"more"].concat(), "{name}: more");
        }
    }
}

/// The first blocks, as far as they can be read without waiting for a device.
fn is_in_page_cache(file: &Arc<dyn RandomAccessFile>) -> bool {
    let mut buffer = [0; BLOCK];
    file.read_at_nowait(0, &mut buffer).unwrap().is_some()
}

#[test]
fn what_is_written_past_the_page_cache_takes_no_room_in_it_and_no_more_memory_than_it_says() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let mut file = large(&path);
    if file.held.is_none() {
        return; // not on this file system: the pages that a writer fills are there
    }
    assert_eq!(file.held_bytes(), LEAST_HELD);
    let piece = bytes(100_000, 0);
    for _ in 0..60 {
        file.append(&piece).unwrap();
    }
    assert_eq!(file.held_bytes(), MOST_HELD);
    file.sync_data().unwrap();
    assert_eq!(file.held_bytes(), 0);
    let reader = LocalFileSystem.open(&path).unwrap();
    assert!(!is_in_page_cache(&reader));
    let mut found = vec![0; piece.len()];
    reader.read_exact_at(0, &mut found).unwrap();
    assert_eq!(found, piece);
    assert!(is_in_page_cache(&reader));
}

#[test]
fn what_is_read_soon_is_in_the_page_cache_and_goes_to_the_device_while_it_grows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let mut file = ordinary(&path);
    let piece = bytes(300_000, 0);
    let mut most = 0;
    while file.len() < 3 * MOST_UNSYNCED {
        file.append(&piece).unwrap();
        most = most.max(file.len() - file.synced);
    }
    assert!(most < MOST_UNSYNCED, "{most} bytes were on their way");
    assert!(is_in_page_cache(&LocalFileSystem.open(&path).unwrap()));
}

#[test]
fn where_the_page_cache_cannot_be_passed_the_file_goes_on_through_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let mut file = large(&path);
    let piece = bytes(MOST_HELD + 5_000, 3);
    file.append(&piece).unwrap();
    file.become_ordinary().unwrap();
    assert!(fs::read(&path).unwrap() == piece);
    file.append(b"more").unwrap();
    assert!(fs::read(&path).unwrap() == [&piece[..], b"more"].concat());
}
