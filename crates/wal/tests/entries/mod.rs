//! Entries to write, and what is read back.
#![allow(dead_code)] // each test file uses a part

use std::{path::Path, sync::Arc};

use bytes::Bytes;
use finback_cell::Durability;
use finback_fs::FileSystem;
use finback_wal::{KeyFields, Wal, WalAppend, WalError, WalReader};

pub(crate) const SERVER: &str = "localhost,16020,1700000000000";
pub(crate) const TABLE: &[u8] = b"ns:table";

/// A cell block with one cell `row/f:q/value`.
pub(crate) fn block(row: &[u8], family: &[u8], qualifier: &[u8], value: &[u8]) -> Vec<u8> {
    let key_len = 12 + row.len() + family.len() + qualifier.len();
    let mut kv = Vec::new();
    kv.extend((key_len as u32).to_be_bytes());
    kv.extend((value.len() as u32).to_be_bytes());
    kv.extend((row.len() as u16).to_be_bytes());
    kv.extend(row);
    kv.push(family.len() as u8);
    kv.extend(family);
    kv.extend(qualifier);
    kv.extend(1_700_000_000_000u64.to_be_bytes());
    kv.push(4);
    kv.extend(value);
    let mut block = (kv.len() as u32).to_be_bytes().to_vec();
    block.extend(kv);
    block
}

pub(crate) fn cells(value: &[u8]) -> Bytes {
    block(b"row", b"f", b"q", value).into()
}

pub(crate) fn key(region: &[u8], sequence_id: u64) -> KeyFields<'_> {
    KeyFields {
        region,
        table: TABLE,
        sequence_id,
        write_time_ms: 1_700_000_000_000,
        cell_count: 1,
        nonce_group: 0,
        nonce: 0,
    }
}

pub(crate) fn entry(region: &str, sequence_id: u64, value: &[u8], sync: bool) -> WalAppend {
    WalAppend {
        region: Arc::from(region.as_bytes()),
        table: Arc::from(TABLE),
        sequence_id,
        write_time_ms: 1_700_000_000_000,
        nonce_group: 0,
        nonce: 0,
        cells: cells(value),
        cell_count: 1,
        durability: if sync { Durability::SyncWal } else { Durability::AsyncWal },
        after: None,
    }
}

/// Appends and waits until it is durable, as SYNC_WAL does.
pub(crate) async fn put(wal: &Wal, region: &str, sequence_id: u64, value: &[u8]) -> Result<(), WalError> {
    commit(wal, entry(region, sequence_id, value, true)).await
}

pub(crate) async fn commit(wal: &Wal, entry: WalAppend) -> Result<(), WalError> {
    let permit = wal.reserve(entry.cells.len()).await?;
    let position = wal.append(permit, entry)?;
    wal.sync(position).await
}

/// What a log holds.
#[derive(Debug)]
pub(crate) struct Contents {
    /// Region and sequence id.
    pub(crate) edits: Vec<(String, u64)>,
    pub(crate) offsets: Vec<u64>,
    pub(crate) torn_at: Option<u64>,
    pub(crate) closed: bool,
}

pub(crate) fn read(fs: &dyn FileSystem, path: &Path) -> Result<Contents, WalError> {
    let mut reader = WalReader::open(fs, path)?;
    let (mut edits, mut offsets) = (Vec::new(), Vec::new());
    while let Some(entry) = reader.next_entry()? {
        edits.push((String::from_utf8(entry.key.region().to_vec()).unwrap(), entry.key.sequence_id()));
        offsets.push(entry.offset);
    }
    let torn_at = reader.torn_tail().map(|tail| tail.offset);
    Ok(Contents { edits, offsets, torn_at, closed: reader.has_trailer() })
}

/// All edits of all logs in a directory.
pub(crate) fn read_all(fs: &dyn FileSystem, dir: &Path) -> Result<Vec<(String, u64)>, WalError> {
    let mut edits = Vec::new();
    for file in fs.list(dir).unwrap_or_default() {
        edits.extend(read(fs, &dir.join(file.name))?.edits);
    }
    Ok(edits)
}

pub(crate) fn write_file(fs: &dyn FileSystem, path: &Path, bytes: &[u8]) {
    let _ = fs.remove_file(path);
    fs.create_new(path).unwrap().append(bytes).unwrap();
}

pub(crate) fn file_bytes(fs: &dyn FileSystem, path: &Path) -> Vec<u8> {
    let file = fs.open(path).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut bytes).unwrap();
    bytes
}
