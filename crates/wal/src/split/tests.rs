use finback_fs::{FaultyFileSystem, MemFileSystem};

use super::*;
use crate::{KeyFields, WalFileWriter};

const REGIONS: u64 = MAX_COMPRESSED_OUTPUTS as u64 / 2;

/// How often a log of [`REGIONS`] is opened by a split, which reads it once for each group of outputs.
fn passes(compression: Option<WalCompression>, at_once: usize) -> u64 {
    let (memory, root, wal) = (MemFileSystem::new(), Path::new("/root"), Path::new("/wal"));
    let mut writer = WalFileWriter::create(&memory, wal, compression).unwrap();
    for number in 0..REGIONS {
        let region = format!("region{number}");
        memory.create_dir_all(&root.join("data/default/t").join(&region)).unwrap();
        let (region, table) = (region.as_bytes(), &b"t"[..]);
        let key = KeyFields {
            region,
            table,
            sequence_id: 1,
            write_time_ms: 1,
            cell_count: 0,
            nonce_group: 0,
            nonce: 0,
        };
        writer.gather(&key, &Bytes::new()).unwrap();
    }
    writer.close().unwrap();
    let read_once = {
        let fs = FaultyFileSystem::new(std::sync::Arc::new(memory.clone()));
        let mut reader = WalReader::open(&fs, wal).unwrap();
        while reader.next_entry().unwrap().is_some() {}
        fs.faults().reads()
    };
    let fs = FaultyFileSystem::new(std::sync::Arc::new(memory));
    let unknown = |_: &[u8]| FlushedSequenceIds::default();
    let report = split_unsynced(&fs, root, wal, &unknown, &Mutex::new(()), at_once).unwrap();
    assert_eq!(report.outputs.len() as u64, REGIONS);
    // Each region's directory is looked for once, and so is its output's name.
    (fs.faults().reads() - 2 * REGIONS) / read_once
}

#[test]
fn compressed_logs_that_are_split_at_a_time_share_the_outputs() {
    let compressed = Some(WalCompression::default());
    assert_eq!([1, 2, 4, 8].map(|at_once| passes(compressed, at_once)), [1, 1, 2, 4]);
    assert_eq!(passes(None, 4), 1, "no dictionaries");
}
