//! Cells, files in memory, and caches for the tests of this crate.
#![allow(dead_code)] // each test uses a part

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::{
    Block, BlockCache, BlockPriority, BloomProbe, BloomType, DataBlockEncoding, FileId, HFileError,
    HFileReader, HFileScanner, HFileWriter, ScanInterrupt, WriterOptions, read_through,
};

pub(crate) const ENCODINGS: [DataBlockEncoding; 5] = [
    DataBlockEncoding::None,
    DataBlockEncoding::Prefix,
    DataBlockEncoding::Diff,
    DataBlockEncoding::FastDiff,
    DataBlockEncoding::RowIndexV1,
];

pub(crate) fn any_encoding() -> impl proptest::strategy::Strategy<Value = DataBlockEncoding> {
    proptest::sample::select(ENCODINGS.to_vec())
}

/// A KeyValue and its sequence id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) bytes: Vec<u8>,
    pub(crate) sequence_id: u64,
}

impl Stored {
    pub(crate) fn new(parts: &CellParts<'_>, sequence_id: u64) -> Self {
        Self { bytes: parts.to_vec(), sequence_id }
    }

    pub(crate) fn cell(&self) -> Cell<'_> {
        Cell::parse(&self.bytes).unwrap()
    }

    pub(crate) fn key(&self) -> Key<'_> {
        Key::of(&self.cell())
    }
}

/// A Put of `value_length` bytes.
pub(crate) fn put(row: &[u8], qualifier: &[u8], timestamp: i64, value_length: usize) -> Stored {
    let value = vec![b'v'; value_length];
    let parts =
        CellParts { row, family: b"cf", qualifier, timestamp, type_code: 4, value: &value, tags: &[] };
    Stored::new(&parts, 0)
}

pub(crate) fn sort(cells: &mut [Stored], order: CellOrder) {
    cells.sort_by(|a, b| order.compare_with_sequence(&a.cell(), a.sequence_id, &b.cell(), b.sequence_id));
}

pub(crate) fn write(cells: &[Stored], options: WriterOptions) -> Vec<u8> {
    write_with(cells, options, 7, |_| {})
}

pub(crate) fn write_with(
    cells: &[Stored],
    options: WriterOptions,
    max_sequence_id: u64,
    prepare: impl FnOnce(&mut HFileWriter),
) -> Vec<u8> {
    let (fs, path) = (MemFileSystem::default(), Path::new("/file"));
    let mut writer = HFileWriter::new(fs.create_new(path).unwrap(), path, options).unwrap();
    prepare(&mut writer);
    for stored in cells {
        writer.append(&stored.cell(), stored.sequence_id).unwrap();
    }
    let finished = writer.finish(max_sequence_id).unwrap();
    let file = fs.open(path).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut bytes).unwrap();
    assert_eq!((finished.size_bytes, finished.entries), (bytes.len() as u64, cells.len() as u64));
    bytes
}

pub(crate) fn open(bytes: &[u8]) -> Result<Arc<HFileReader>, HFileError> {
    let (fs, path) = (MemFileSystem::default(), Path::new("/file"));
    fs.create_new(path).unwrap().append(bytes).unwrap();
    HFileReader::open(fs.open(path).unwrap(), path, FileId::next())
}

pub(crate) fn scanner(reader: &Arc<HFileReader>) -> HFileScanner {
    HFileScanner::new(Arc::clone(reader), None, false)
}

/// The answer of a probe.
pub(crate) fn try_ask(mut probe: BloomProbe) -> Result<bool, HFileError> {
    for _ in 0..3 {
        match probe.may_contain() {
            Ok(answer) => return Ok(answer),
            Err(ScanInterrupt::NeedBlock(request)) => probe.provide(request.read()?),
            Err(ScanInterrupt::Failed(error)) => return Err(error),
        }
    }
    panic!("a probe asked for three blocks");
}

pub(crate) fn ask(probe: BloomProbe) -> bool {
    try_ask(probe).unwrap()
}

/// No filter, every kind of filter.
pub(crate) fn any_filter() -> impl proptest::strategy::Strategy<Value = Option<BloomType>> {
    let filters = [None, Some(BloomType::Row), Some(BloomType::RowColumn), Some(BloomType::RowPrefix(2))];
    proptest::sample::select(filters.to_vec())
}

/// No filter may deny a cell that is there.
pub(crate) fn assert_may_be_there(reader: &Arc<HFileReader>, cell: &Cell<'_>) {
    let (row, qualifier) = (cell.row(), cell.qualifier());
    assert!(ask(BloomProbe::row(reader.clone(), None, row)), "{cell:?}");
    assert!(ask(BloomProbe::column(reader.clone(), None, row, qualifier)), "{cell:?}");
    for length in 0..=row.len() {
        assert!(ask(BloomProbe::row_prefix(reader.clone(), None, &row[..length])), "{cell:?}");
    }
    if [10, 14].contains(&cell.type_code()) {
        assert!(ask(BloomProbe::family_delete(reader.clone(), None, row)), "{cell:?}");
    }
}

/// All cells from the first on.
pub(crate) fn scan(reader: &Arc<HFileReader>) -> Result<Vec<Stored>, HFileError> {
    let mut scanner = scanner(reader);
    let mut found = Vec::new();
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&[])))?;
    while let Some(stored) = here(&scanner) {
        found.push(stored);
        read_through(&mut scanner, HFileScanner::advance)?;
    }
    Ok(found)
}

pub(crate) fn here(scanner: &HFileScanner) -> Option<Stored> {
    scanner.peek().map(|(cell, sequence_id)| Stored { bytes: cell.bytes().to_vec(), sequence_id })
}

/// Keeps nothing, and counts what it is asked and offered.
#[derive(Default)]
pub(crate) struct ForgetfulCache {
    pub(crate) asked: AtomicU64,
    pub(crate) offered: AtomicU64,
}

impl BlockCache for ForgetfulCache {
    fn get(&self, _file: FileId, _offset: u64, _priority: BlockPriority) -> Option<Arc<Block>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        None
    }

    fn insert(&self, _file: FileId, _block: &Arc<Block>, _priority: BlockPriority) {
        self.offered.fetch_add(1, Ordering::Relaxed);
    }

    fn evict_file(&self, _file: FileId) -> usize {
        0
    }
}
