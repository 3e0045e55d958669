//! A write-ahead log of anyone's bytes: entries come in order and are whole, or the log is refused.

#![no_main]

use std::path::Path;

use finback_cell::Cell;
use finback_fs::{FileSystem, MemFileSystem};
use finback_wal::WalReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let fs = MemFileSystem::new();
    let path = Path::new("/log");
    fs.create_new(path).and_then(|mut file| file.append(data)).expect("memory takes it");
    let Ok(mut reader) = WalReader::open(&fs, path) else { return };
    let mut end_of_last = 0;
    // Ends: each entry takes at least a byte of the file.
    while let Ok(Some(entry)) = reader.next_entry() {
        assert!(entry.offset >= end_of_last && entry.offset < data.len() as u64);
        end_of_last = entry.offset + 1;
        assert_eq!(entry.cells().count() as u64, u64::from(entry.key.cell_count()));
        for cell in entry.cells() {
            assert!(Cell::parse(cell.bytes()).is_ok());
        }
        entry.is_meta_edit();
    }
    assert!(reader.position() <= data.len() as u64);
    if let Some(torn) = reader.torn_tail() {
        assert!(torn.offset + torn.dropped_bytes <= data.len() as u64);
    }
});
