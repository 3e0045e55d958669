//! Logs with damage anywhere: a new log has every entry that can be read, in order, and no other.

mod entries;
mod golden;

use std::path::Path;
use std::sync::Arc;

use entries::{cells, file_bytes, key, read, write_file};
use finback_compression::Compression;
use finback_fs::{FaultyFileSystem, LocalFileSystem, MemFileSystem};
use finback_wal::{
    SalvagedLog, WalCompression, WalError, WalFileWriter, copy_sound_entries, find_sound_entries,
};

const LOG: &str = "/log";
const NEW: &str = "/new";
const ENTRIES: u64 = 12;

/// A log that was closed: its bytes, and where its entries begin; last, where they end.
fn sample(compression: Option<WalCompression>) -> (Vec<u8>, Vec<u64>) {
    let fs = MemFileSystem::new();
    let mut writer = WalFileWriter::create(&fs, Path::new(LOG), compression).unwrap();
    for id in 0..ENTRIES {
        writer.gather(&key(b"region", id), &cells(format!("value {id}").as_bytes())).unwrap();
        writer.write().unwrap();
        writer.sync().unwrap();
    }
    let end = writer.len();
    writer.close().unwrap();
    let mut offsets = read(&fs, Path::new(LOG)).unwrap().offsets;
    offsets.push(end);
    (file_bytes(&fs, Path::new(LOG)), offsets)
}

/// The sequence ids of what is left, which the new log has, and the report.
fn left(bytes: &[u8]) -> Result<(Vec<u64>, SalvagedLog), WalError> {
    let fs = MemFileSystem::new();
    write_file(&fs, Path::new(LOG), bytes);
    let found = copy_sound_entries(&fs, Path::new(LOG), Path::new(NEW))?;
    assert_eq!(find_sound_entries(&fs, Path::new(LOG)).unwrap(), found);
    let new = read(&fs, Path::new(NEW)).unwrap();
    assert!(new.closed && new.torn_at.is_none());
    assert!(new.edits.len() as u64 == found.entries && found.cells >= found.entries);
    assert_eq!(found.losses.iter().map(|loss| loss.bytes).sum::<u64>(), found.lost_bytes);
    Ok((new.edits.into_iter().map(|(_, id)| id).collect(), found))
}

#[test]
fn all_entries_but_the_one_that_is_hit() {
    let (bytes, offsets) = sample(None);
    for at in 0..*offsets.last().unwrap() as usize {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        let (ids, found) = match left(&damaged) {
            Ok(left) => left,
            // Within the header: it may say what is not known here.
            Err(WalError::Unsupported { .. }) if (at as u64) < offsets[0] => continue,
            Err(error) => panic!("byte {at}: {error}"),
        };
        let hit = offsets.partition_point(|&offset| offset <= at as u64).checked_sub(1).map(|hit| hit as u64);
        let expected: Vec<u64> = (0..ENTRIES).filter(|&id| Some(id) != hit).collect();
        if let Some(hit) = hit {
            assert_eq!(ids, expected, "byte {at}");
            let loss = &found.losses[0];
            assert_eq!((found.losses.len(), loss.offset), (1, offsets[hit as usize]), "byte {at}");
        } else if !ids.is_empty() {
            // A header that is damaged, and which a log can do without.
            assert_eq!(ids, expected, "byte {at}");
        }
    }
}

/// As `hbase.wal.hsync=false` leaves it: no entry tells that another was on disk.
#[test]
fn all_entries_but_those_that_are_hit_of_a_log_that_was_never_synced() {
    let fs = MemFileSystem::new();
    let mut writer = WalFileWriter::create(&fs, Path::new(LOG), None).unwrap();
    let mut offsets = Vec::new();
    for id in 0..ENTRIES {
        offsets.push(writer.len());
        writer.gather(&key(b"region", id), &cells(format!("value {id}").as_bytes())).unwrap();
        writer.write().unwrap();
    }
    let mut damaged = file_bytes(&fs, Path::new(LOG));
    for hit in [3, 7, 11] {
        damaged[offsets[hit] as usize + 20] ^= 1;
    }
    let (ids, found) = left(&damaged).unwrap();
    assert_eq!(ids, [0, 1, 2, 4, 5, 6, 8, 9, 10]);
    let lost: Vec<u64> = found.losses.iter().map(|loss| loss.offset).collect();
    assert_eq!(lost, [3, 7, 11].map(|hit| offsets[hit]));
}

#[test]
fn several_damages_and_a_header_that_is_gone() {
    let (bytes, offsets) = sample(None);
    let mut damaged = bytes.clone();
    for id in [0, 3, 4, 11] {
        damaged[offsets[id] as usize + 5] ^= 0x20;
    }
    let (ids, found) = left(&damaged).unwrap();
    assert_eq!(ids, [1, 2, 5, 6, 7, 8, 9, 10]);
    assert_eq!(found.losses.len(), 3, "{found:?}");
    assert_eq!(found.losses[1].bytes, offsets[5] - offsets[3]);
    damaged[..4].fill(0xff);
    assert_eq!(left(&damaged).unwrap().0, [1, 2, 5, 6, 7, 8, 9, 10]);
}

#[test]
fn a_log_with_many_damages_is_not_read_once_for_each() {
    const MANY: u64 = 2000;
    let fs = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
    let mut writer = WalFileWriter::create(&fs, Path::new(LOG), None).unwrap();
    let mut offsets = Vec::new();
    for id in 0..MANY {
        offsets.push(writer.len());
        writer.gather(&key(b"region", id), &cells(&[b'v'; 1000])).unwrap();
        writer.write().unwrap();
    }
    drop(writer);
    let mut damaged = file_bytes(&fs, Path::new(LOG));
    let hits: Vec<usize> = (1..offsets.len()).step_by(4).collect();
    hits.iter().for_each(|&hit| damaged[offsets[hit] as usize + 20] ^= 1);
    write_file(&fs, Path::new(LOG), &damaged);
    let before = fs.faults().reads();
    let found = find_sound_entries(&fs, Path::new(LOG)).unwrap();
    let reads = fs.faults().reads() - before;
    assert!(reads < 100, "{reads} reads of {} bytes", damaged.len());
    assert_eq!((hits.len(), found.entries), (500, MANY - 500));
    assert_eq!((found.losses.len(), found.untold_losses), (20, 480));
    for (loss, hit) in found.losses.iter().zip(hits) {
        assert_eq!((loss.offset, loss.bytes), (offsets[hit], offsets[hit + 1] - offsets[hit]));
        let next = format!("the entry at offset {} is sound", offsets[hit + 1]);
        assert!(loss.reason.contains(&next), "{loss:?}");
    }
}

#[test]
fn each_damage_is_told_with_the_entry_that_shows_that_it_was_on_disk() {
    let fs = MemFileSystem::new();
    let mut writer = WalFileWriter::create(&fs, Path::new(LOG), None).unwrap();
    let mut offsets = Vec::new();
    for id in 0..24 {
        offsets.push(writer.len());
        writer.gather(&key(b"region", id), &cells(b"value")).unwrap();
        writer.write().unwrap();
        if id % 5 == 4 {
            writer.sync().unwrap();
        }
    }
    drop(writer);
    let mut damaged = file_bytes(&fs, Path::new(LOG));
    for hit in [1, 2, 6, 7, 9, 13, 15, 21] {
        damaged[offsets[hit] as usize + 20] ^= 1;
    }
    let (_, found) = left(&damaged).unwrap();
    let told = [(1, Some(5)), (6, Some(10)), (9, Some(10)), (13, Some(16)), (15, Some(20)), (21, None)];
    assert_eq!(found.losses.len(), told.len(), "{found:?}");
    for (loss, (hit, proof)) in found.losses.iter().zip(told) {
        let why = match proof {
            Some(proof) => {
                format!("but the entry at offset {} shows that it was durable", offsets[proof])
            }
            None => format!(
                "the entry at offset {} is sound, and does not tell that this was on disk",
                offsets[hit + 1]
            ),
        };
        assert_eq!(loss.offset, offsets[hit]);
        assert!(loss.reason.ends_with(&why), "{loss:?}: {why}");
    }
}

#[test]
fn of_a_compressed_log_what_is_before_the_damage() {
    for values in [None, Some(Compression::Gz)] {
        let (bytes, offsets) = sample(Some(WalCompression { tags: true, values }));
        let mut damaged = bytes.clone();
        damaged[offsets[7] as usize + 9] ^= 1;
        let (ids, found) = left(&damaged).unwrap();
        assert_eq!(ids, (0..7).collect::<Vec<_>>());
        assert_eq!((found.losses.len(), found.losses[0].offset), (1, offsets[7]));
    }
}

#[test]
fn of_hbases_logs_what_is_before_the_damage() {
    for name in ["wals/plain.wal", "wals/dict.wal"] {
        let path = golden::fixture(name);
        let whole = read(&LocalFileSystem, &path).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let number = whole.offsets.len() / 2;
        // A key of a length that cannot be.
        bytes[whole.offsets[number] as usize] = 0x7f;
        bytes[whole.offsets[number] as usize + 1] ^= 0x55;
        let (ids, found) = left(&bytes).unwrap();
        let expected: Vec<u64> = whole.edits[..number].iter().map(|(_, id)| *id).collect();
        assert_eq!((ids, found.losses.len()), (expected, 1), "{name}: {found:?}");
    }
}

#[test]
fn a_log_within_a_value_is_not_taken_for_a_part_of_the_log() {
    let (inner, _) = sample(None);
    let fs = MemFileSystem::new();
    let mut writer = WalFileWriter::create(&fs, Path::new(LOG), None).unwrap();
    let values: [&[u8]; 3] = [b"before", &inner, b"behind"];
    for (id, value) in (100..).zip(values) {
        writer.gather(&key(b"region", id), &cells(value)).unwrap();
        writer.write().unwrap();
        writer.sync().unwrap();
    }
    writer.close().unwrap();
    let offsets = read(&fs, Path::new(LOG)).unwrap().offsets;
    let mut damaged = file_bytes(&fs, Path::new(LOG));
    damaged[offsets[1] as usize + 3] ^= 1;
    assert_eq!(left(&damaged).unwrap().0, [100, 102]);
}
