//! What is left of a damaged log: every entry before the damage, and behind it those that carry a checksum of their own.

use std::path::Path;

use finback_fs::FileSystem;

use crate::{WalCompression, WalEntry, WalError, WalFileWriter, WalReader};

/// Bytes gathered before they are written.
const WRITE_BYTES: u64 = 256 << 10;
/// So many losses of a log are told; others are counted.
const MOST_LOSSES: usize = 20;

/// A stretch of a log without entries that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLoss {
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// What is wrong there.
    pub reason: String,
}

/// What is left of a log, and what is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SalvagedLog {
    /// Entries that can be read.
    pub entries: u64,
    /// Cells in them.
    pub cells: u64,
    /// What cannot be read, in order.
    pub losses: Vec<LogLoss>,
    /// How many more such stretches there are.
    pub untold_losses: u64,
    /// Bytes of all of them.
    pub lost_bytes: u64,
}

impl SalvagedLog {
    fn note(&mut self, offset: u64, end: u64, reason: String) {
        let bytes = end.saturating_sub(offset);
        self.lost_bytes += bytes;
        if self.losses.len() < MOST_LOSSES {
            self.losses.push(LogLoss { offset, bytes, reason });
        } else {
            self.untold_losses += 1;
        }
    }
}

/// Finds out what is left of a log.
///
/// # Errors
/// The storage's; [`WalError::Unsupported`].
pub fn find_sound_entries(fs: &dyn FileSystem, path: &Path) -> Result<SalvagedLog, WalError> {
    sound_entries(fs, path, &mut |_, _| Ok(()))
}

/// Writes what is left of a log into a new one, which is closed and durable when this returns (its name is not).
///
/// # Errors
/// As [`find_sound_entries`].
pub fn copy_sound_entries(fs: &dyn FileSystem, from: &Path, to: &Path) -> Result<SalvagedLog, WalError> {
    let mut writer: Option<WalFileWriter> = None;
    let begin = |compression| WalFileWriter::create(fs, to, compression);
    let found = sound_entries(fs, from, &mut |entry, compression| {
        let writer = match &mut writer {
            Some(writer) => writer,
            none => none.insert(begin(compression)?),
        };
        writer.gather_copy(entry, entry.key.cell_count(), entry.cell_block)?;
        match writer.gathered_bytes() >= WRITE_BYTES {
            true => writer.write(),
            false => Ok(()),
        }
    })?;
    let writer = writer.map_or_else(|| begin(None), Ok)?;
    writer.close()?;
    Ok(found)
}

type Sink<'a> = &'a mut dyn FnMut(&WalEntry<'_>, Option<WalCompression>) -> Result<(), WalError>;

fn sound_entries(fs: &dyn FileSystem, path: &Path, sink: Sink<'_>) -> Result<SalvagedLog, WalError> {
    let len = fs.metadata(path).map_err(|e| WalError::io(path, "look at", e))?.len;
    let mut found = SalvagedLog::default();
    let mut damage: Option<(u64, String)> = None;
    let mut reader = match WalReader::open(fs, path) {
        Err(WalError::Corrupt { reason, .. }) => {
            damage = Some((0, reason));
            WalReader::open_headless(fs, path)?
        }
        reader => reader?,
    };
    reader.expect_checksums_if_any()?;
    loop {
        if let Some((offset, reason)) = damage.take() {
            let next = reader.skip_damage()?;
            found.note(offset, next.unwrap_or(len), reason);
            if next.is_none() {
                return Ok(found);
            }
        }
        let (position, compression) = (reader.position(), reader.compression());
        match reader.next_entry() {
            Ok(Some(entry)) => {
                found.entries += 1;
                found.cells += u64::from(entry.key.cell_count());
                sink(&entry, compression)?;
            }
            Ok(None) => match reader.torn_tail() {
                // Nothing tells that it was on disk, nor that it was not: with `hbase.wal.hsync=false` of no entry.
                Some(torn) => damage = Some((torn.offset, torn.reason.clone())),
                None => return Ok(found),
            },
            Err(WalError::Corrupt { reason, .. }) => damage = Some((position, reason)),
            Err(error) => return Err(error),
        }
    }
}
