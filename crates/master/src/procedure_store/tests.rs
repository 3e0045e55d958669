use super::*;
use finback_fs::{CrashMode, FaultyFileSystem, MemFileSystem};

const ROOT: &str = "/hbase";

fn procedure(id: u64, name: &str) -> pb::StoredProcedure {
    let operation = pb::StoredOperation {
        kind: pb::StoredOperationKind::StoredDeleteNamespace.into(),
        region: vec![name.to_owned()],
        ..Default::default()
    };
    pb::StoredProcedure { proc_id: id, operation, ..Default::default() }
}

fn change(procedures: &[(u64, &str)], forgotten: &[u64]) -> pb::StoredProcedures {
    pb::StoredProcedures {
        procedure: procedures.iter().map(|(id, name)| procedure(*id, name)).collect(),
        forgotten: forgotten.to_vec(),
    }
}

fn memory() -> MemFileSystem {
    let memory = MemFileSystem::new();
    memory.create_dir_all(Path::new(ROOT)).unwrap();
    memory
}

fn open(memory: &MemFileSystem) -> (ProcedureStore, Vec<(u64, String)>) {
    let (store, procedures) = ProcedureStore::open(Arc::new(memory.clone()), Path::new(ROOT)).unwrap();
    (store, procedures.into_iter().map(|p| (p.proc_id, p.operation.region.concat())).collect())
}

fn content(memory: &MemFileSystem) -> Vec<u8> {
    let file = memory.open(&Path::new(ROOT).join(FILE_NAME)).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut bytes).unwrap();
    bytes
}

fn with_content(bytes: &[u8]) -> MemFileSystem {
    let memory = memory();
    finback_fs::write_file_durably(&memory, &Path::new(ROOT).join(FILE_NAME), bytes).unwrap();
    memory
}

fn owned(procedures: &[(u64, &str)]) -> Vec<(u64, String)> {
    procedures.iter().map(|(id, name)| (*id, (*name).to_owned())).collect()
}

#[test]
fn the_last_word_on_each_procedure_counts() {
    let memory = memory();
    let (mut store, nothing) = open(&memory);
    assert!(nothing.is_empty());
    store.write(change(&[(1, "a"), (2, "b")], &[])).unwrap();
    store.write(change(&[(2, "c"), (3, "d")], &[1])).unwrap();
    for _ in 0..2 {
        let (mut store, read) = open(&memory.crash(CrashMode::Strict));
        assert_eq!(read, owned(&[(2, "c"), (3, "d")]));
        store.write(change(&[], &[])).unwrap();
    }
}

#[test]
fn a_file_does_not_grow_without_end() {
    let memory = memory();
    let (mut store, _) = open(&memory);
    let long = "x".repeat(50_000);
    for n in 0..100 {
        store.write(change(&[(n, &long)], &[n.saturating_sub(3)])).unwrap();
        assert!(content(&memory).len() as u64 <= MIN_REWRITE_BYTES + 60_000);
    }
    assert_eq!(open(&memory).1.len(), 3);
}

#[test]
fn a_file_cut_anywhere_keeps_what_was_whole() {
    let memory = memory();
    let (mut store, _) = open(&memory);
    store.write(change(&[(1, "a")], &[])).unwrap();
    let first = content(&memory).len();
    store.write(change(&[(2, "b")], &[])).unwrap();
    let bytes = content(&memory);
    for cut in first..bytes.len() {
        for zeros in [0, 3, 40] {
            let torn = [&bytes[..cut], &vec![0; zeros]].concat();
            // What is filled up with zeros may be whole again.
            let whole = torn.starts_with(&bytes) && torn.len() == bytes.len();
            if whole || cut > first && zeros > 3 {
                continue;
            }
            let (mut store, read) = open(&with_content(&torn));
            assert_eq!(read, owned(&[(1, "a")]), "cut at {cut}, {zeros} zeros");
            store.write(change(&[(3, "c")], &[])).unwrap();
        }
    }
}

#[test]
fn damage_is_put_aside() {
    let memory = memory();
    let (mut store, _) = open(&memory);
    store.write(change(&[(1, "a")], &[])).unwrap();
    let first = content(&memory).len();
    store.write(change(&[(2, "b")], &[])).unwrap();
    store.write(change(&[(3, "c")], &[])).unwrap();
    let bytes = content(&memory);
    for at in 0..bytes.len() {
        for bit in [1, 128] {
            let mut damaged = bytes.clone();
            damaged[at] ^= bit;
            let memory = with_content(&damaged);
            let (mut store, read) = open(&memory);
            let all = owned(&[(1, "a"), (2, "b"), (3, "c")]);
            assert!(read.len() < 3 && all.starts_with(&read), "byte {at}: {read:?}");
            assert!(at < first || !read.is_empty());
            let aside = memory.exists(&Path::new(ROOT).join(DAMAGED_NAME)).unwrap();
            assert!(aside || read.len() == 2, "the last frame alone can have been torn: byte {at}");
            store.write(change(&[(4, "d")], &[])).unwrap();
            assert_eq!(open(&memory).1.len(), read.len() + 1);
        }
    }
}

#[test]
fn a_length_that_lies_takes_no_memory() {
    let length = u32::MAX.to_be_bytes();
    let crc = checksum(&length).to_be_bytes();
    let bytes = [&MAGIC[..], &length, &crc, &[0; 40]].concat();
    assert!(open(&with_content(&bytes)).1.is_empty());
}

fn checksum(bytes: &[u8]) -> u32 {
    crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, bytes) as u32
}

#[test]
fn what_was_written_survives_a_power_cut_at_any_operation() {
    for n in 0.. {
        for mode in [CrashMode::Strict, CrashMode::Torn { seed: 1 }, CrashMode::Torn { seed: 2 }] {
            let memory = memory();
            let faulty = FaultyFileSystem::new(Arc::new(memory.clone()));
            let faults = faulty.faults();
            faults.fail_from(n);
            let (mut store, _) = ProcedureStore::open(Arc::new(faulty), Path::new(ROOT)).unwrap();
            let mut written = 0;
            while written < 8 && store.write(change(&[(written + 1, &"x".repeat(300_000))], &[])).is_ok() {
                written += 1;
            }
            let (mut store, read) = open(&memory.crash(mode));
            assert!(read.len() as u64 == written || read.len() as u64 == written + 1);
            store.write(change(&[], &[1])).unwrap();
            if written == 8 {
                return;
            }
        }
    }
}

#[test]
fn a_failure_that_passes_loses_nothing() {
    for n in 0..12 {
        let memory = memory();
        let faulty = FaultyFileSystem::new(Arc::new(memory.clone()));
        faulty.faults().fail_operation(n);
        let (mut store, _) = ProcedureStore::open(Arc::new(faulty.clone()), Path::new(ROOT)).unwrap();
        for id in 1..4 {
            if store.write(change(&[(id, "a")], &[])).is_err() {
                store.write(change(&[(id, "a")], &[])).unwrap();
            }
        }
        assert_eq!(open(&memory.crash(CrashMode::Strict)).1.len(), 3);
    }
}
