//! The rules of replay at region open.

mod entries;
mod golden;

use std::path::Path;

use bytes::Bytes;
use entries::{block, file_bytes, key, write_file};
use finback_cell::Cell;
use finback_fs::{FileSystem, MemFileSystem};
use finback_wal::{
    KeyFields, META_FAMILY, ReplayRules, ReplaySink, ReplaySummary, WalEntry, WalError, WalFileWriter,
    delete_recovered_edits, recovered_edits, replay,
};

const REGION: &str = "/data/ns/table/r";

#[derive(Default, Debug, PartialEq)]
struct Found {
    cells: Vec<(String, u64)>,
    nonces: Vec<(u64, u64)>,
    compactions: Vec<Vec<u8>>,
    bulk_loads: Vec<Vec<u8>>,
    done: Vec<u64>,
    refuse_at: Option<u64>,
}

impl ReplaySink for Found {
    type Error = String;

    fn nonce(&mut self, group: u64, nonce: u64, _: &WalEntry<'_>) -> Result<(), String> {
        self.nonces.push((group, nonce));
        Ok(())
    }

    fn compaction(&mut self, descriptor: &[u8]) -> Result<(), String> {
        self.compactions.push(descriptor.to_vec());
        Ok(())
    }

    fn bulk_load(&mut self, descriptor: &[u8]) -> Result<(), String> {
        self.bulk_loads.push(descriptor.to_vec());
        Ok(())
    }

    fn cell(&mut self, cell: Cell<'_>, sequence_id: u64) -> Result<(), String> {
        if self.refuse_at == Some(sequence_id) {
            return Err("the memstore is full".to_owned());
        }
        self.cells.push((String::from_utf8(cell.value().to_vec()).unwrap(), sequence_id));
        Ok(())
    }

    fn entry_done(&mut self, sequence_id: u64) -> Result<(), String> {
        self.done.push(sequence_id);
        Ok(())
    }
}

fn stored(family: &[u8]) -> Option<u64> {
    match family {
        b"f" => Some(10),
        b"g" => Some(20),
        _ => None,
    }
}

fn rules() -> ReplayRules<'static> {
    ReplayRules {
        region: b"r",
        store_sequence_id: &stored,
        min_store_sequence_id: 10,
        contains_row: &|row| row < &b"m"[..],
    }
}

fn write(fs: &MemFileSystem, name: &str, entries: &[(KeyFields<'_>, Vec<Vec<u8>>)]) {
    let dir = Path::new(REGION).join("recovered.edits");
    fs.create_dir_all(&dir).unwrap();
    let mut writer = WalFileWriter::create(fs, &dir.join(name), None).unwrap();
    for (key, cells) in entries {
        let key = KeyFields { cell_count: cells.len() as u32, ..*key };
        writer.gather(&key, &Bytes::from(cells.concat())).unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn the_rules_hold() {
    let fs = MemFileSystem::new();
    let cell = |row: &[u8], family: &[u8], value: &str| block(row, family, b"q", value.as_bytes());
    let flushed = KeyFields { nonce_group: 3, nonce: 4, ..key(b"r", 9) };
    write(
        &fs,
        "0000000000000000010",
        &[
            (flushed, vec![cell(b"a", b"f", "file is flushed")]),
            (key(b"r", 10), vec![block(b"\0", META_FAMILY, b"HBASE::BULK_LOAD", b"flushed")]),
        ],
    );
    write(
        &fs,
        "0000000000000000015",
        &[
            (KeyFields { nonce_group: 1, nonce: 2, ..key(b"r", 10) }, vec![cell(b"a", b"f", "flushed")]),
            (
                key(b"r", 11),
                vec![cell(b"a", b"f", "new"), cell(b"a", b"g", "flushed"), cell(b"a", b"x", "no family")],
            ),
            (key(b"r", 12), vec![cell(b"z", b"f", "own edits are not checked for their row")]),
            (key(b"parent", 13), vec![cell(b"a", b"f", "of the parent"), cell(b"z", b"f", "of the sister")]),
            (key(b"r", 14), vec![block(b"\0", META_FAMILY, b"HBASE::COMPACTION", b"descriptor")]),
            (key(b"parent", 15), vec![block(b"\0", META_FAMILY, b"HBASE::COMPACTION", b"not ours")]),
            (key(b"r", 16), vec![block(b"\0", META_FAMILY, b"HBASE::BULK_LOAD", b"load")]),
            (key(b"parent", 17), vec![block(b"\0", META_FAMILY, b"HBASE::BULK_LOAD", b"not ours")]),
        ],
    );
    write(&fs, "0000000000000000021", &[(key(b"r", 21), vec![cell(b"a", b"g", "last")])]);
    for ignored in ["0000000000000000030.temp", "29.seqid", "0000000000000000033.1700000000000", "abc", "-"] {
        write_file(&fs, &Path::new(REGION).join("recovered.edits").join(ignored), b"not a log");
    }
    let mut found = Found::default();
    let summary = replay(&fs, Path::new(REGION), &rules(), &mut found).unwrap();
    let cells: Vec<_> = found.cells.iter().map(|(value, id)| (value.as_str(), *id)).collect();
    assert_eq!(
        cells,
        [("new", 11), ("own edits are not checked for their row", 12), ("of the parent", 13), ("last", 21)]
    );
    assert_eq!(found.nonces, [(3, 4), (1, 2)]);
    assert_eq!(found.compactions, [b"descriptor".to_vec()]);
    assert_eq!(found.bulk_loads, [b"load".to_vec()]);
    assert_eq!(found.done, [10, 11, 12, 13, 14, 15, 16, 17, 21]);
    let expected =
        ReplaySummary { files: 2, skipped_files: 1, cells: 4, skipped_cells: 4, max_sequence_id: 21 };
    assert_eq!(summary, expected);

    delete_recovered_edits(&fs, Path::new(REGION)).unwrap();
    assert!(recovered_edits(&fs, Path::new(REGION)).unwrap().is_empty());
    assert_eq!(fs.list(&Path::new(REGION).join("recovered.edits")).unwrap().len(), 5, "other files stay");
}

#[test]
fn a_refusal_names_file_and_offset() {
    let fs = MemFileSystem::new();
    write(&fs, "0000000000000000012", &[(key(b"r", 12), vec![block(b"a", b"f", b"q", b"v")])]);
    let mut sink = Found { refuse_at: Some(12), ..Found::default() };
    match replay(&fs, Path::new(REGION), &rules(), &mut sink) {
        Err(WalError::Refused { path, offset: 94, reason }) => {
            assert!(path.ends_with("0000000000000000012"));
            assert_eq!(reason, "the memstore is full");
        }
        other => panic!("{other:?}"),
    }
}

/// Split outputs get their name with their trailer: what is shorter has lost edits, wherever it was cut.
#[test]
fn recovered_edits_that_were_cut_are_refused() {
    let whole = MemFileSystem::new();
    let entries = [12, 13, 14].map(|id| (key(b"r", id), vec![block(b"a", b"f", b"q", b"v")]));
    write(&whole, "0000000000000000014", &entries);
    let file = Path::new(REGION).join("recovered.edits/0000000000000000014");
    let bytes = file_bytes(&whole, &file);
    let replay_of = |bytes: &[u8]| {
        let fs = MemFileSystem::new();
        fs.create_dir_all(file.parent().unwrap()).unwrap();
        write_file(&fs, &file, bytes);
        replay(&fs, Path::new(REGION), &rules(), &mut Found::default())
    };
    assert_eq!(replay_of(&bytes).unwrap().cells, 3);
    for cut in 1..bytes.len() {
        for mut rest in [bytes[..cut].to_vec(), [&bytes[..cut], &[0; 100]].concat()] {
            rest.truncate(bytes.len() - 1);
            match replay_of(&rest) {
                Err(WalError::Corrupt { path, offset, .. }) => {
                    assert_eq!(path, file);
                    assert!(offset <= rest.len() as u64, "cut at {cut}: {offset}");
                }
                other => panic!("cut at {cut}: {other:?}"),
            }
        }
    }
    assert_eq!(replay_of(b"").unwrap().cells, 0, "HBase passes over it");
}

/// Entries of HBase carry no checksums: the first that cannot be read is the end.
#[test]
fn recovered_edits_of_hbase_may_end_anywhere_behind_an_entry() {
    let theirs = std::fs::read(golden::fixture("wals/recovered.edits/0000000000000001299")).unwrap();
    let file = Path::new(REGION).join("recovered.edits/0000000000000000099");
    let fs = MemFileSystem::new();
    fs.create_dir_all(file.parent().unwrap()).unwrap();
    let mut highest = 0;
    for cut in (5_000..theirs.len()).step_by(997) {
        write_file(&fs, &file, &theirs[..cut]);
        let summary = replay(&fs, Path::new(REGION), &rules(), &mut Found::default()).unwrap();
        assert!(summary.max_sequence_id >= highest.max(1), "cut at {cut}");
        highest = summary.max_sequence_id;
    }
}

#[test]
fn damage_to_a_file_that_is_flushed_keeps_no_region_closed() {
    let fs = MemFileSystem::new();
    let damaged = Path::new(REGION).join("recovered.edits").join("0000000000000000010");
    fs.create_dir_all(damaged.parent().unwrap()).unwrap();
    write_file(&fs, &damaged, b"this is no log, whatever its name may say");
    write(&fs, "0000000000000000012", &[(key(b"r", 12), vec![block(b"a", b"f", b"q", b"v")])]);
    let mut found = Found::default();
    let summary = replay(&fs, Path::new(REGION), &rules(), &mut found).unwrap();
    assert_eq!((summary.skipped_files, summary.cells), (1, 1));
}

#[test]
fn a_region_without_recovered_edits_has_nothing_to_replay() {
    let fs = MemFileSystem::new();
    let summary = replay(&fs, Path::new(REGION), &rules(), &mut Found::default()).unwrap();
    assert_eq!(summary, ReplaySummary::default());
    delete_recovered_edits(&fs, Path::new(REGION)).unwrap();
}
