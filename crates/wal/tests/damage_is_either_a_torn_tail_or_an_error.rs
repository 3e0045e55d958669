//! A log cut or damaged at any byte gives back what was durable, or an error with file and offset.

mod entries;

use std::path::Path;

use bytes::Bytes;
use entries::{cells, file_bytes, key, read, write_file};
use finback_compression::Compression;
use finback_fs::{CrashMode, FileSystem, MemFileSystem};
use finback_wal::{WalCompression, WalError, WalFileWriter, WalReader};

const FILE: &str = "/log";
/// Before zeros: a length of 2^31-1, as a varint.
const END_MARK: [u8; 5] = [0xff, 0xff, 0xff, 0xff, 0x07];
const GROUPS: u64 = 4;
const ENTRIES_PER_GROUP: u64 = 3;

const COMPRESSIONS: [Option<WalCompression>; 3] = [
    None,
    Some(WalCompression { tags: true, values: None }),
    Some(WalCompression { tags: false, values: Some(Compression::Gz) }),
];

fn sample(close: bool, with_value: impl Fn(u64) -> Bytes) -> (Vec<u8>, u64, Vec<u64>) {
    compressed_sample(None, close, with_value)
}

/// A log of four groups of three entries, each group synced. Returns its bytes, where the last group begins, and
/// where every entry does.
fn compressed_sample(
    compression: Option<WalCompression>,
    close: bool,
    with_value: impl Fn(u64) -> Bytes,
) -> (Vec<u8>, u64, Vec<u64>) {
    let fs = MemFileSystem::new();
    let mut writer = WalFileWriter::create(&fs, Path::new(FILE), compression).unwrap();
    let mut last_group = 0;
    for group in 0..GROUPS {
        last_group = writer.len();
        for i in 0..ENTRIES_PER_GROUP {
            let id = group * ENTRIES_PER_GROUP + i;
            writer.gather(&key(b"region", id), &with_value(id)).unwrap();
        }
        writer.write().unwrap();
        writer.sync().unwrap();
    }
    if close {
        writer.close().unwrap();
    }
    let contents = read(&fs, Path::new(FILE)).unwrap();
    assert_eq!(contents.edits.len() as u64, GROUPS * ENTRIES_PER_GROUP);
    assert_eq!((contents.closed, contents.torn_at), (close, None));
    (file_bytes(&fs, Path::new(FILE)), last_group, contents.offsets)
}

fn plain(id: u64) -> Bytes {
    cells(format!("value {id}").as_bytes())
}

fn whole_before(offsets: &[u64], end: u64, cut: usize) -> usize {
    let ends = offsets.iter().skip(1).copied().chain([end]);
    ends.take_while(|&e| e <= cut as u64).count()
}

#[test]
fn cut_at_every_byte_of_the_last_group() {
    for compression in COMPRESSIONS {
        let fs = MemFileSystem::new();
        let (bytes, last_group, offsets) = compressed_sample(compression, false, plain);
        for cut in last_group as usize..bytes.len() {
            for zeros in [0, 1, 5000] {
                let mut damaged = bytes[..cut].to_vec();
                damaged.resize(cut + zeros, 0);
                write_file(&fs, Path::new(FILE), &damaged);
                let contents = read(&fs, Path::new(FILE)).unwrap();
                let whole = whole_before(&offsets, bytes.len() as u64, cut);
                assert!(contents.edits.len() >= whole, "cut at {cut}, {zeros} zeros");
                // A cut before zeros that the entry had anyway loses nothing.
                if zeros == 0 {
                    assert_eq!(contents.edits.len(), whole, "cut at {cut}");
                }
            }
        }
    }
}

/// HBase could have written it.
#[test]
fn a_key_above_the_limit_is_torn_only_where_the_file_ends_before() {
    let fs = MemFileSystem::new();
    let (bytes, _, offsets) = sample(false, plain);
    let of_hbase = &include_bytes!("../../../fixtures/hbase-2.5.11/wals/plain.wal")[..0x55];
    let length = [0x80, 0x80, 0x80, 0x01];
    let log = |header: &[u8], left: usize| [header, &length[..], &vec![7; left]].concat();
    write_file(&fs, Path::new(FILE), &log(of_hbase, (2 << 20) - 1));
    assert_eq!(read(&fs, Path::new(FILE)).unwrap().torn_at, Some(0x55));
    write_file(&fs, Path::new(FILE), &log(of_hbase, 2 << 20));
    match read(&fs, Path::new(FILE)) {
        Err(WalError::Corrupt { offset: 0x55, reason, .. }) => {
            assert!(reason.contains("limit of 1048576"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    // Finback has written none such: there it is what a crash left.
    write_file(&fs, Path::new(FILE), &log(&bytes[..offsets[0] as usize], 2 << 20));
    assert_eq!(read(&fs, Path::new(FILE)).unwrap().torn_at, Some(offsets[0]));
    let behind = [&bytes[..], &length, &vec![7; 2 << 20]].concat();
    write_file(&fs, Path::new(FILE), &behind);
    assert_eq!(read(&fs, Path::new(FILE)).unwrap().torn_at, Some(bytes.len() as u64));
}

#[test]
fn a_flipped_bit_in_the_last_group_is_a_torn_tail() {
    for compression in COMPRESSIONS {
        let fs = MemFileSystem::new();
        let (bytes, last_group, offsets) = compressed_sample(compression, false, plain);
        for at in last_group as usize..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                write_file(&fs, Path::new(FILE), &damaged);
                let contents = read(&fs, Path::new(FILE)).unwrap();
                let hit = offsets.iter().filter(|&&o| o <= at as u64).count() - 1;
                assert_eq!(contents.edits.len(), hit, "byte {at}, bit {bit}");
                assert_eq!(contents.torn_at, Some(offsets[hit]));
            }
        }
    }
}

#[test]
fn a_flipped_bit_before_the_last_group_is_corruption_at_its_entry() {
    for compression in COMPRESSIONS {
        let fs = MemFileSystem::new();
        let (bytes, last_group, offsets) = compressed_sample(compression, false, plain);
        for at in offsets[0] as usize..last_group as usize {
            for bit in [0, 3, 7] {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                write_file(&fs, Path::new(FILE), &damaged);
                let hit = *offsets.iter().rfind(|&&o| o <= at as u64).unwrap();
                let next = *offsets.iter().find(|&&o| o > at as u64).unwrap();
                match read(&fs, Path::new(FILE)) {
                    // The first entry may lose its attribute and look like one of HBase; the second gives it away.
                    Err(WalError::Corrupt { path, offset, .. }) => {
                        assert_eq!(path, Path::new(FILE));
                        assert!(
                            offset == hit || (hit == offsets[0] && offset == next),
                            "byte {at}: {offset}"
                        );
                    }
                    other => panic!("byte {at}, bit {bit}: {other:?}"),
                }
            }
        }
    }
}

/// As under `hbase.wal.hsync=false`: all of it may have been lost with the machine, in any order.
#[test]
fn damage_before_sound_entries_none_of_which_was_synced_is_told_by_them() {
    for compression in COMPRESSIONS {
        let fs = MemFileSystem::new();
        let mut writer = WalFileWriter::create(&fs, Path::new(FILE), compression).unwrap();
        let mut offsets = Vec::new();
        for id in 0..12 {
            offsets.push(writer.len());
            writer.gather(&key(b"region", id), &plain(id)).unwrap();
            writer.write().unwrap();
        }
        let bytes = file_bytes(&fs, Path::new(FILE));
        for hit in [5, 11] {
            let mut damaged = bytes.clone();
            damaged[offsets[hit] as usize + 20] ^= 1;
            write_file(&fs, Path::new(FILE), &damaged);
            let mut reader = WalReader::open(&fs, Path::new(FILE)).unwrap();
            while reader.next_entry().unwrap().is_some() {}
            let torn = reader.torn_tail().unwrap();
            let told = offsets.get(hit + 1).map(|next| format!("the entry at offset {next} is sound"));
            assert_eq!(torn.offset, offsets[hit]);
            assert_eq!(told.is_some_and(|told| torn.reason.contains(&told)), hit == 5, "{}", torn.reason);
        }
    }
}

/// The marks of entries may be what was lost of them: nothing but the header tells then that they had some.
#[test]
fn whatever_a_crash_leaves_of_the_first_group_is_a_torn_tail() {
    for compression in COMPRESSIONS {
        let fs = MemFileSystem::new();
        let mut writer = WalFileWriter::create(&fs, Path::new(FILE), compression).unwrap();
        fs.sync_dir(Path::new("/")).unwrap();
        for id in 0..10 {
            writer.gather(&key(b"region", id), &plain(id)).unwrap();
        }
        writer.write().unwrap();
        for seed in 0..2000 {
            let left = fs.crash(CrashMode::Reordered { seed });
            let contents = read(&left, Path::new(FILE)).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            let expected: Vec<_> = (0..contents.edits.len() as u64).map(|id| ("region".into(), id)).collect();
            assert_eq!(contents.edits, expected, "seed {seed}");
        }
    }
}

#[test]
fn a_flipped_bit_in_a_closed_log_is_never_skipped() {
    for compression in COMPRESSIONS {
        let fs = MemFileSystem::new();
        let (bytes, _, offsets) = compressed_sample(compression, true, plain);
        let trailer = bytes.len() - 22;
        for at in offsets[0] as usize..trailer {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            write_file(&fs, Path::new(FILE), &damaged);
            assert!(matches!(read(&fs, Path::new(FILE)), Err(WalError::Corrupt { .. })), "byte {at}");
        }
        for at in trailer..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            write_file(&fs, Path::new(FILE), &damaged);
            assert_eq!(
                read(&fs, Path::new(FILE)).unwrap().edits.len(),
                12,
                "a damaged trailer costs no entry: {at}"
            );
        }
    }
}

#[test]
fn a_flipped_bit_in_the_header_hides_no_entry() {
    for (compression, close, entries) in COMPRESSIONS
        .into_iter()
        .flat_map(|it| [(it, false, 1), (it, true, 1), (it, false, 12), (it, true, 12)])
    {
        let fs = MemFileSystem::new();
        let mut writer = WalFileWriter::create(&fs, Path::new(FILE), compression).unwrap();
        let header = writer.len() as usize;
        for id in 0..entries {
            writer.gather(&key(b"region", id), &plain(id)).unwrap();
            writer.write().unwrap();
            writer.sync().unwrap();
        }
        if close {
            writer.close().unwrap();
        }
        let bytes = file_bytes(&fs, Path::new(FILE));
        for at in 0..header {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                write_file(&fs, Path::new(FILE), &damaged);
                match read(&fs, Path::new(FILE)) {
                    Ok(contents) => assert_eq!(
                        (contents.edits.len() as u64, contents.torn_at),
                        (entries, None),
                        "byte {at}, bit {bit}, {compression:?}, closed: {close}"
                    ),
                    Err(WalError::Corrupt { .. } | WalError::Unsupported { .. }) => {}
                    Err(other) => panic!("byte {at}, bit {bit}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn every_prefix_of_a_log_can_be_opened() {
    for compression in COMPRESSIONS {
        let fs = MemFileSystem::new();
        let (bytes, _, offsets) = compressed_sample(compression, true, plain);
        for cut in 0..bytes.len() {
            write_file(&fs, Path::new(FILE), &bytes[..cut]);
            let end_of_entries = bytes.len() as u64 - 22;
            let whole = whole_before(&offsets, end_of_entries, cut);
            assert_eq!(read(&fs, Path::new(FILE)).unwrap().edits.len(), whole, "cut at {cut}");
        }
    }
}

#[test]
fn a_value_that_looks_like_a_trailer_is_not_one() {
    let fs = MemFileSystem::new();
    let looks = |_| cells(&b"\0\0\0\0LAWP".repeat(4));
    let (bytes, last_group, offsets) = sample(false, looks);
    for cut in last_group as usize..bytes.len() {
        write_file(&fs, Path::new(FILE), &bytes[..cut]);
        let whole = whole_before(&offsets, bytes.len() as u64, cut);
        assert_eq!(read(&fs, Path::new(FILE)).unwrap().edits.len(), whole, "cut at {cut}");
    }
}

#[test]
fn a_log_stored_in_a_value_proves_nothing() {
    // Entries of another log that are valid there and claim that some five thousand bytes are durable.
    let fs = MemFileSystem::new();
    let mut writer = WalFileWriter::create(&fs, Path::new(FILE), None).unwrap();
    writer.gather(&key(b"region", 1), &cells(&[0; 5000])).unwrap();
    writer.write().unwrap();
    writer.sync().unwrap();
    let from = writer.len() as usize;
    writer.gather(&key(b"region", 2), &plain(2)).unwrap();
    writer.gather(&key(b"region", 3), &plain(3)).unwrap();
    writer.write().unwrap();
    let inner = file_bytes(&fs, Path::new(FILE))[from..].to_vec();

    let value = |id| if id == 9 { cells(&[&[7; 10_000][..], &inner].concat()) } else { plain(id) };
    let (mut bytes, last_group, _) = sample(false, value);
    assert!((last_group as usize) < from, "the inner entries would prove the last group durable");
    bytes[last_group as usize + 5] ^= 1;
    write_file(&fs, Path::new(FILE), &bytes);
    let contents = read(&fs, Path::new(FILE)).unwrap();
    assert_eq!(contents.torn_at, Some(last_group));
}

/// A key's length, and a mark instead of a key.
fn lying_mark(durable_offset: u64, cell_bytes: u32) -> Vec<u8> {
    let prefix = b"\x19\x7a\x17finback\0\0\0\0";
    [&prefix[..], &durable_offset.to_be_bytes(), &cell_bytes.to_be_bytes()].concat()
}

#[test]
fn a_value_of_lying_marks_neither_proves_nor_hides_anything() {
    let fs = MemFileSystem::new();
    let (_, last_group, _) = sample(false, plain);
    for lie in [lying_mark(u64::MAX, u32::MAX), lying_mark(last_group + 1, 1000)] {
        let value = |id| if id == 11 { cells(&lie.repeat(1000)) } else { plain(id) };
        let (mut bytes, from, _) = sample(false, value);
        assert_eq!(from, last_group);
        bytes[last_group as usize] ^= 1;
        write_file(&fs, Path::new(FILE), &bytes);
        let contents = read(&fs, Path::new(FILE)).unwrap();
        assert_eq!(contents.torn_at, Some(last_group));
    }
}

#[test]
fn garbage_after_the_header_comes_to_an_end() {
    let fs = MemFileSystem::new();
    let (bytes, ..) = sample(false, plain);
    let lie = lying_mark(u64::MAX, u32::MAX);
    for filler in [&b"\xff"[..], b"\0", b"\x80", &lie[1..], &lie, &lying_mark(100, 1 << 20)] {
        let mut file = bytes[..85].to_vec();
        while file.len() < 300_000 {
            file.extend(filler);
        }
        write_file(&fs, Path::new(FILE), &file);
        match read(&fs, Path::new(FILE)) {
            Ok(contents) => assert!(contents.edits.is_empty()),
            Err(WalError::Corrupt { .. }) => {}
            Err(e) => panic!("{e}"),
        }
    }
}

#[test]
fn zeros_behind_the_last_entry_are_the_end() {
    for compression in COMPRESSIONS {
        let fs = MemFileSystem::new();
        let (bytes, _, offsets) = compressed_sample(compression, false, plain);
        for (mark, zeros) in
            [(false, 1), (false, 7), (false, 8), (false, 200_000), (true, 0), (true, 1), (true, 200_000)]
        {
            let mut ahead = bytes.clone();
            if mark {
                ahead.extend(END_MARK);
            }
            ahead.resize(ahead.len() + zeros, 0);
            write_file(&fs, Path::new(FILE), &ahead);
            let contents = read(&fs, Path::new(FILE)).unwrap();
            assert_eq!((contents.offsets.len(), contents.torn_at), (offsets.len(), None), "{zeros} zeros");
            // One byte that is not zero was once to be an entry.
            *ahead.last_mut().unwrap() = 1;
            write_file(&fs, Path::new(FILE), &ahead);
            let contents = read(&fs, Path::new(FILE)).unwrap();
            assert_eq!(
                (contents.offsets.len(), contents.torn_at),
                (offsets.len(), Some(bytes.len() as u64)),
                "{zeros} zeros"
            );
        }
    }
}

#[test]
fn a_large_value_passes_the_window() {
    let fs = MemFileSystem::new();
    let mut writer = WalFileWriter::create(&fs, Path::new(FILE), None).unwrap();
    let sizes = [10, 300_000, 20_000, 3_000_000, 1, 16_384];
    for (i, size) in sizes.into_iter().enumerate() {
        writer.gather(&key(b"region", i as u64), &cells(&vec![i as u8; size])).unwrap();
    }
    writer.write().unwrap();
    writer.close().unwrap();
    let mut reader = WalReader::open(&fs, Path::new(FILE)).unwrap();
    for (i, size) in sizes.into_iter().enumerate() {
        let entry = reader.next_entry().unwrap().unwrap();
        let cell = entry.cells().next().unwrap();
        assert_eq!(cell.value(), vec![i as u8; size]);
    }
    assert!(reader.next_entry().unwrap().is_none());
    assert!(reader.has_trailer());
    assert!(fs.exists(Path::new(FILE)).unwrap());
}

/// More is zero than a header may be long: that there are entries tells that the log was not empty.
#[test]
fn a_log_that_begins_with_zeros_is_refused_if_there_are_entries() {
    for compression in COMPRESSIONS {
        let fs = MemFileSystem::new();
        let mut writer = WalFileWriter::create(&fs, Path::new(FILE), compression).unwrap();
        for id in 0..1_000 {
            // Of which no two bytes are alike: compressed, too, it is long.
            let value: Vec<u8> = (0..250).map(|n| (id * 31 + n * n * (id + 7)) as u8).collect();
            writer.gather(&key(b"region", id), &cells(&value)).unwrap();
            writer.write().unwrap();
            writer.sync().unwrap();
        }
        let mut bytes = file_bytes(&fs, Path::new(FILE));
        assert!(bytes.len() > 100_000, "{}", bytes.len());
        for damaged in [65_536, 70_000, 100_000] {
            bytes[..damaged].fill(0);
            write_file(&fs, Path::new(FILE), &bytes);
            let read = read(&fs, Path::new(FILE));
            assert!(matches!(read, Err(WalError::Corrupt { offset: 0, .. })), "{damaged}: {read:?}");
        }
        for last in [0, 1] {
            bytes.fill(0);
            *bytes.last_mut().unwrap() = last;
            write_file(&fs, Path::new(FILE), &bytes);
            assert!(read(&fs, Path::new(FILE)).unwrap().edits.is_empty());
        }
    }
}

#[test]
fn what_is_not_a_log_is_refused_and_an_empty_file_is_an_empty_log() {
    let fs = MemFileSystem::new();
    write_file(&fs, Path::new(FILE), b"#!/bin/sh");
    assert!(matches!(read(&fs, Path::new(FILE)), Err(WalError::Corrupt { offset: 0, .. })));
    for empty in [&b""[..], b"PW", b"PWAL", &[0; 4096]] {
        write_file(&fs, Path::new(FILE), empty);
        assert!(read(&fs, Path::new(FILE)).unwrap().edits.is_empty());
    }
}
