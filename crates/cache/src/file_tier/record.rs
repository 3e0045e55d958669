//! What the file of the tier consists of.
//!
//! ```text
//! file:    ┌───────────┬───────────┬─ … ┐   segments of one size, overwritten one after the other, round and round
//!          │ segment 0 │ segment 1 │    │
//!          └───────────┴───────────┴─ … ┘
//! segment: ┌───────────┬────────────────┬───────────┬─────────────────┬─ … ─┬───────────────────────┐
//!          │ magic     │ generation u64 │ count u32 │ CRC32C of both  │     │ records, from byte    │
//!          │ 8 bytes   │                │           │ and entries u32 │     │ TABLE_BYTES on        │
//!          └───────────┴────────────────┴───────────┴─────────────────┴─ … ─┴───────────────────────┘
//!                                                     entries: file id u64, check u64, offset u64, at u32, length u32
//! record:  ┌────────────┬──────────────────────────────────────────────────────────────┬───────┐
//!          │ CRC32C u32 │ generation u64 │ file id u64 │ check u64 │ offset u64 │ length u32 │ bytes │
//!          └────────────┴──────────────────────────────────────────────────────────────┴───────┘
//! ```
//! All numbers are big-endian; a record's checksum covers everything after it. A segment is written at once and not
//! synced. Whatever a crash leaves of it, a record is served only if it names the block that is asked for, in the
//! generation that the table had, and its checksum agrees.

use finback_hfile::{BlockRef, ChecksumType, FileId, FileIdentity};

const MAGIC: &[u8; 8] = b"FBTIER01";
/// Bytes at the front of a segment for its table.
pub(super) const TABLE_BYTES: usize = 64 << 10;
/// Of these, before the entries.
pub(super) const TABLE_HEAD: usize = 24;
const ENTRY: usize = 32;
/// Records that the table has room for.
pub(super) const MAX_RECORDS: usize = (TABLE_BYTES - TABLE_HEAD) / ENTRY;
/// Bytes of a record before the block.
pub(super) const RECORD_HEAD: usize = 40;

/// Where a block is within a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) file: FileIdentity,
    pub(super) offset: u64,
    /// Of its record.
    pub(super) at: u32,
    /// Of the block, as it stands in its file.
    pub(super) length: u32,
}

impl Entry {
    pub(super) fn record_bytes(&self) -> usize {
        RECORD_HEAD + self.length as usize
    }
}

fn crc(bytes: &[u8]) -> u32 {
    ChecksumType::Crc32c.of(bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_be_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// A segment being filled in memory.
#[derive(Debug)]
pub(super) struct SegmentBuilder {
    generation: u64,
    segment_bytes: usize,
    bytes: Vec<u8>,
    pub(super) entries: Vec<Entry>,
}

impl SegmentBuilder {
    pub(super) fn new(generation: u64, segment_bytes: usize) -> Self {
        let mut bytes = Vec::with_capacity(segment_bytes);
        bytes.resize(TABLE_BYTES, 0);
        Self { generation, segment_bytes, bytes, entries: Vec::new() }
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Bytes of records so far.
    pub(super) fn record_bytes(&self) -> usize {
        self.bytes.len() - TABLE_BYTES
    }

    /// Whether there is room for blocks of so many bytes, for all of them.
    pub(super) fn has_room_for(&self, blocks: &[usize]) -> bool {
        let records: usize = blocks.iter().map(|block_bytes| RECORD_HEAD + block_bytes).sum();
        self.entries.len() + blocks.len() <= MAX_RECORDS && self.bytes.len() + records <= self.segment_bytes
    }

    /// Appends a block, for which there must be room.
    pub(super) fn push(&mut self, file: FileIdentity, offset: u64, block: &[u8]) {
        let at = self.bytes.len();
        let entry = Entry { file, offset, at: at as u32, length: block.len() as u32 };
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.extend_from_slice(&self.generation.to_be_bytes());
        for number in [file.id.0, file.check, offset] {
            self.bytes.extend_from_slice(&number.to_be_bytes());
        }
        self.bytes.extend_from_slice(&entry.length.to_be_bytes());
        self.bytes.extend_from_slice(block);
        let checksum = crc(&self.bytes[at + 4..]);
        self.bytes[at..at + 4].copy_from_slice(&checksum.to_be_bytes());
        self.entries.push(entry);
    }

    /// Fills in the table; what is to be written.
    pub(super) fn finish(&mut self) -> &[u8] {
        let mut table = self.generation.to_be_bytes().to_vec();
        table.extend_from_slice(&(self.entries.len() as u32).to_be_bytes());
        let mut entries = Vec::with_capacity(self.entries.len() * ENTRY);
        for entry in &self.entries {
            for number in [entry.file.id.0, entry.file.check, entry.offset] {
                entries.extend_from_slice(&number.to_be_bytes());
            }
            entries.extend_from_slice(&entry.at.to_be_bytes());
            entries.extend_from_slice(&entry.length.to_be_bytes());
        }
        let checksum = crc(&[&table[..], &entries].concat());
        let table = [&MAGIC[..], &table, &checksum.to_be_bytes(), &entries].concat();
        self.bytes[..table.len()].copy_from_slice(&table);
        &self.bytes
    }
}

/// The generation that the head of a table names, which is to be believed when the whole table is sound.
pub(super) fn claimed_generation(head: &[u8]) -> Option<u64> {
    if head.get(..8)? != MAGIC {
        return None;
    }
    long(head, 8).filter(|generation| *generation > 0)
}

/// The generation and the entries of a segment's table; `None` if there is none, or a damaged one.
pub(super) fn parse_table(table: &[u8], segment_bytes: usize) -> Option<(u64, Vec<Entry>)> {
    if table.get(..8)? != MAGIC {
        return None;
    }
    let (generation, count) = (long(table, 8)?, word(table, 16)? as usize);
    if count > MAX_RECORDS {
        return None;
    }
    let entries = table.get(TABLE_HEAD..TABLE_HEAD + count * ENTRY)?;
    if crc(&[&table[8..20], entries].concat()) != word(table, 20)? {
        return None;
    }
    let parsed = entries.chunks_exact(ENTRY).map(|bytes| {
        let file = FileIdentity { id: FileId(long(bytes, 0)?), check: long(bytes, 8)? };
        let entry = Entry { file, offset: long(bytes, 16)?, at: word(bytes, 24)?, length: word(bytes, 28)? };
        let is_inside = entry.at as usize >= TABLE_BYTES
            && (entry.at as usize).checked_add(entry.record_bytes())? <= segment_bytes;
        is_inside.then_some(entry)
    });
    Some((generation, parsed.collect::<Option<_>>()?))
}

/// The block in a record, if it is the one that is looked for.
pub(super) fn check_record(
    record: &[u8],
    generation: u64,
    file: FileIdentity,
    place: BlockRef,
) -> Option<&[u8]> {
    let block = record.get(RECORD_HEAD..)?;
    let is_it = long(record, 4)? == generation
        && long(record, 12)? == file.id.0
        && long(record, 20)? == file.check
        && long(record, 28)? == place.offset
        && word(record, 36)? == place.size
        && block.len() == place.size as usize;
    (is_it && crc(&record[4..]) == word(record, 0)?).then_some(block)
}
