//! Whatever the bytes, reading ends with entries, the end, or an error.

mod entries;
mod golden;

use std::path::Path;

use entries::{cells, file_bytes, key, write_file};
use finback_cell::Cell;
use finback_fs::MemFileSystem;
use finback_wal::{WalCompression, WalFileWriter, WalReader};
use golden::fixture;
use proptest::{collection::vec, prelude::*};

const FILES: [&str; 5] =
    ["plain.wal", "dict.wal", "dict-notags.wal", "dict-value-gz.wal", "dict-value-snappy.wal"];

fn read_to_the_end(bytes: &[u8]) {
    let fs = MemFileSystem::new();
    let path = Path::new("/log");
    write_file(&fs, path, bytes);
    let Ok(mut reader) = WalReader::open(&fs, path) else { return };
    let mut position = 0;
    while let Ok(Some(entry)) = reader.next_entry() {
        let whole = entry.cells().all(|cell| Cell::parse(cell.bytes()).is_ok());
        assert!(
            whole && entry.cells().count() == entry.key.cell_count() as usize,
            "every cell handed out is whole"
        );
        assert!(reader.position() > position, "every entry is a step forward");
        position = reader.position();
    }
}

fn ours(compression: Option<WalCompression>) -> Vec<u8> {
    let fs = MemFileSystem::new();
    let mut writer = WalFileWriter::create(&fs, Path::new("/log"), compression).unwrap();
    for id in 0..20 {
        writer.gather(&key(b"region", id), &cells(&[id as u8; 50])).unwrap();
        writer.write().unwrap();
        writer.sync().unwrap();
    }
    writer.close().unwrap();
    file_bytes(&fs, Path::new("/log"))
}

proptest! {
    #[test]
    fn damaged_logs(file in 0usize..FILES.len() + 2, damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), cut in any::<prop::sample::Index>()) {
        let mut bytes = match FILES.get(file) {
            Some(theirs) => std::fs::read(fixture("wals").join(theirs)).unwrap()[..8000].to_vec(),
            None => ours((file == FILES.len()).then(WalCompression::default)),
        };
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        read_to_the_end(&bytes);
        let cut = cut.index(bytes.len());
        read_to_the_end(&bytes[..cut]);
    }

    #[test]
    fn garbage_behind_a_good_header(compressed in any::<bool>(), garbage in vec(any::<u8>(), 0..2000)) {
        let mut bytes = ours(compressed.then(WalCompression::default))[..85].to_vec();
        bytes.extend(garbage);
        read_to_the_end(&bytes);
    }
}
