use std::{fs, path::Path};

use super::{
    super::{
        LocalFileSystem,
        aligned_buffer::BLOCK,
        held::{LEAST_HELD, MOST_HELD, MOST_KEPT},
        page_cache::has_all_of,
    },
    *,
};
use crate::FileSystem;

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

#[test]
fn what_is_written_past_the_page_cache_takes_no_room_in_it_and_no_more_memory_than_it_says() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let mut file = large(&path);
    if file.held.is_none() {
        return; // not on this file system: the pages that a writer fills are there
    }
    let held = |bytes: usize| bytes..bytes + 2 * BLOCK;
    assert!(held(LEAST_HELD).contains(&file.held_bytes()));
    let piece = bytes(100_000, 0);
    for _ in 0..60 {
        file.append(&piece).unwrap();
    }
    assert!(held(MOST_HELD).contains(&file.held_bytes()));
    file.sync_data().unwrap();
    assert_eq!(file.held_bytes(), 0);
    let reader = LocalFileSystem.open(&path).unwrap();
    assert!(!has_all_of(&*reader));
    let mut found = vec![0; 60 * piece.len()];
    reader.read_exact_at(0, &mut found).unwrap();
    assert!(found.chunks(piece.len()).all(|found| found == piece));
    assert!(has_all_of(&*reader));
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
    assert!(has_all_of(&*LocalFileSystem.open(&path).unwrap()));
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

#[test]
fn what_is_made_at_the_end_of_a_file_is_appended_however_much_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let (mut file, mut expected) = (large(&path), Vec::new());
    if file.lend_end(0).map(|end| file.append_lent(end).unwrap()).is_none() {
        return; // an ordinary file here
    }
    // Of each some is more than was asked for, and grows out of the memory that was lent.
    for (seed, len) in [1, BLOCK, 70_000, MOST_HELD, 3, 5 * MOST_HELD, 10, 65_000].into_iter().enumerate() {
        let piece = bytes(len, seed);
        let mut end = file.lend_end(len / 2).unwrap();
        assert_eq!(file.len(), expected.len() as u64);
        end.extend_from_slice(&piece);
        file.append_lent(end).unwrap();
        file.append(b"between").unwrap();
        expected.extend_from_slice(&piece);
        expected.extend_from_slice(b"between");
        assert_eq!(file.len(), expected.len() as u64);
    }
    assert!(file.held_bytes() <= MOST_KEPT);
    file.sync_data().unwrap();
    assert!(fs::read(&path).unwrap() == expected, "something else is in the file");
    assert!(file.lend_end(1).is_none(), "an ordinary file by now");
}

#[test]
fn while_the_end_of_a_file_is_lent_nothing_else_is_done_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let mut file = large(&path);
    file.append(b"what was there").unwrap();
    let Some(end) = file.lend_end(10) else { return };
    assert!(file.lend_end(10).is_none());
    assert!(file.append(b"more").is_err());
    assert!(file.sync_data().is_err());
    assert!(file.truncate(0).is_err());
    assert!(file.append_lent(Vec::new()).is_err(), "what was there is missing");
    assert_eq!(file.len(), 14);
    file.append_lent(end).unwrap();
    assert!(file.append_lent(vec![0; 100]).is_err(), "nothing was lent");
    file.sync_data().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"what was there");
}
