use std::{fs, path::Path};

use super::{
    super::held::{LEAST_HELD, MOST_HELD},
    *,
};

const MARK: &[u8] = b"<mark>";

fn log(path: &Path) -> LocalLog {
    LocalLog::new(LocalWritable::create_new(path).unwrap(), MARK)
}

/// What a reader finds: the log, and behind it nothing, or the mark and zeros.
fn check(path: &Path, expected: &[u8]) {
    let found = fs::read(path).unwrap();
    assert!(found.starts_with(expected), "{} bytes, expected {}", found.len(), expected.len());
    let behind = &found[expected.len()..];
    if !behind.is_empty() {
        assert!(behind.starts_with(MARK), "{behind:?}");
        assert!(behind[MARK.len()..].iter().all(|&byte| byte == 0), "{behind:?}");
        assert!(behind.len() > MARK.len(), "the file ends with the mark");
    }
}

fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| 1 + ((i + seed) * 7 % 251) as u8).collect()
}

#[test]
fn what_was_synced_is_followed_by_the_mark_and_zeros_and_gone_on_with() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let mut log = log(&path);
    let mut expected = Vec::new();
    let about_a_block = [1, 4095 - MARK.len(), MARK.len() - 1, 1, 1, 4096, 4095, 1, 8192, 3 * 4096 - 1, 2];
    let about_the_buffer =
        [LEAST_HELD - 1, LEAST_HELD, LEAST_HELD + 1, MOST_HELD - 1, MOST_HELD + 4097, 3 * MOST_HELD];
    for (i, len) in about_a_block.into_iter().chain(about_the_buffer).enumerate() {
        let piece = bytes(len, i);
        let (first, second) = piece.split_at(len / 3);
        log.append_vectored(&mut [IoSlice::new(first), IoSlice::new(b""), IoSlice::new(second)]).unwrap();
        expected.extend_from_slice(&piece);
        assert_eq!(log.len(), expected.len() as u64);
        if i % 3 == 1 {
            log.zero_ahead(10_000, MARK).unwrap();
        }
        log.sync_data().unwrap();
        check(&path, &expected);
        assert_eq!(log.len() + log.zeros_ahead(), fs::metadata(&path).unwrap().len().max(log.len()));
    }
    log.truncate(expected.len() as u64).unwrap();
    assert_eq!(fs::read(&path).unwrap(), expected);
    log.append(b"the end").unwrap();
    log.sync_data().unwrap();
    assert_eq!(fs::read(&path).unwrap(), [&expected[..], b"the end"].concat());
}

#[test]
fn a_mark_that_ends_a_block_has_a_zero_behind_it() {
    let dir = tempfile::tempdir().unwrap();
    for blocks in [1, 2, 20] {
        let path = dir.path().join(blocks.to_string());
        let mut log = log(&path);
        let expected = bytes(blocks * BLOCK - MARK.len(), blocks);
        log.append(&expected).unwrap();
        log.sync_data().unwrap();
        check(&path, &expected);
    }
}

#[test]
fn zeros_ahead_are_overwritten_and_cost_no_length() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let mut log = log(&path);
    log.append(b"first").unwrap();
    log.zero_ahead(100_000, MARK).unwrap();
    log.sync_data().unwrap();
    if log.held.is_none() {
        return; // an ordinary file here: tested as such
    }
    let len = fs::metadata(&path).unwrap().len();
    assert!(len >= 100_005);
    let mut expected = b"first".to_vec();
    for i in 0..20 {
        let piece = bytes(1 + i * 400, i);
        log.append(&piece).unwrap();
        log.sync_data().unwrap();
        expected.extend_from_slice(&piece);
        check(&path, &expected);
        assert_eq!(fs::metadata(&path).unwrap().len(), len, "no new length");
    }
}

#[test]
fn a_log_may_be_cut_anywhere_and_is_an_ordinary_file_from_then_on() {
    let dir = tempfile::tempdir().unwrap();
    let written = bytes(9_000, 1);
    for cut in [0, 1, 4095, 4096, 4097, 8_192, 8_999, 9_000, 9_001, 9_004, 9_005] {
        let path = dir.path().join(format!("log-{cut}"));
        let mut log = log(&path);
        log.append(&written).unwrap();
        log.sync_data().unwrap();
        log.append(b"held").unwrap();
        if cut > 9_004 {
            assert!(log.truncate(cut).is_err(), "there is no more of it");
            continue;
        }
        log.truncate(cut).unwrap();
        let mut expected = [&written[..], b"held"].concat();
        expected.truncate(cut as usize);
        assert_eq!((fs::read(&path).unwrap(), log.len()), (expected.clone(), cut));
        log.append(b"behind").unwrap();
        expected.extend_from_slice(b"behind");
        assert_eq!(fs::read(&path).unwrap(), expected);
        log.zero_ahead(100, MARK).unwrap();
        log.append(b"!").unwrap();
        log.sync_data().unwrap();
        expected.push(b'!');
        check(&path, &expected);
    }
}

#[test]
fn where_the_page_cache_cannot_be_passed_the_log_goes_on_through_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let mut log = log(&path);
    log.append(&bytes(5_000, 3)).unwrap();
    log.zero_ahead(20_000, MARK).unwrap();
    log.sync_data().unwrap();
    log.append(b"held").unwrap();
    log.become_ordinary().unwrap();
    let mut expected = [&bytes(5_000, 3)[..], b"held"].concat();
    check(&path, &expected);
    log.append(b"more").unwrap();
    expected.extend_from_slice(b"more");
    check(&path, &expected);
    assert_eq!(log.len(), expected.len() as u64);
}

#[test]
fn zeros_that_were_asked_for_and_not_written_are_forgotten_when_the_log_is_cut() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = log(&dir.path().join("log"));
    log.append(b"something").unwrap();
    log.zero_ahead(20_000, MARK).unwrap();
    log.truncate(4).unwrap();
    assert_eq!((log.len(), log.zeros_ahead()), (4, 0));
}
