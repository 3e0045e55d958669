use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use finback_fs::FileSystem;

use crate::{WalCompression, WalEntry, WalError, WalFileWriter, WalReader, replay::recovered_edits_dir};

/// Bytes gathered before they are written.
const WRITE_BYTES: u64 = 256 << 10;

/// Dictionaries that hold so much end a file, and the next begins with empty ones: as many as there are outputs at once
/// must fit into memory.
const MAX_DICTIONARY_BYTES: usize = 2 << 20;

/// The recovered edits of one region from one log, being written.
pub(crate) struct SplitOutput {
    writer: WalFileWriter,
    directory: PathBuf,
    first: u64,
    highest: u64,
}

impl SplitOutput {
    /// Begins `recovered.edits/<first sequence id>-<log>.temp`, replacing what a killed split left there.
    pub(crate) fn create(
        fs: &dyn FileSystem,
        region_directory: &Path,
        wal: &Path,
        compression: Option<WalCompression>,
        first: u64,
    ) -> Result<Self, WalError> {
        let directory = recovered_edits_dir(region_directory);
        fs.create_dir_all(&directory).map_err(|e| WalError::io(&directory, "create", e))?;
        let name = wal.file_name().unwrap_or_default().to_string_lossy();
        let path = directory.join(format!("{first:019}-{name}.temp"));
        match fs.remove_file(&path) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(WalError::io(&path, "remove", e)),
            _ => {}
        }
        let writer = WalFileWriter::create_unsynced(fs, &path, compression)?;
        Ok(Self { writer, directory, first, highest: first })
    }

    pub(crate) fn put(&mut self, entry: &WalEntry<'_>, count: u32, cells: &[u8]) -> Result<(), WalError> {
        self.highest = self.highest.max(entry.key.sequence_id());
        self.writer.gather_copy(entry, count, cells)?;
        if self.writer.gathered_bytes() >= WRITE_BYTES {
            self.writer.write()?;
        }
        Ok(())
    }

    /// Whether the next entry should go to another file.
    pub(crate) fn is_full(&self) -> bool {
        self.writer.dictionary_bytes() > MAX_DICTIONARY_BYTES
    }

    /// Closes the file and gives it its final name, `<highest sequence id>`; its content is yet to be synced. If there is one
    /// that begins with a lower sequence id, that has more in it and stays. One that begins alike comes of an earlier split of
    /// this log, and so does one that cannot be read: that may not have been synced.
    pub(crate) fn finish(self, fs: &dyn FileSystem) -> Result<PathBuf, WalError> {
        let temporary = self.writer.path().to_owned();
        let target = self.directory.join(format!("{:019}", self.highest));
        self.writer.close_unsynced()?;
        let exists = fs.exists(&target).map_err(|e| WalError::io(&target, "look for", e))?;
        if exists && first_sequence_id(fs, &target)?.is_some_and(|existing| existing < self.first) {
            fs.remove_file(&temporary).map_err(|e| WalError::io(&temporary, "remove", e))?;
        } else {
            fs.rename(&temporary, &target).map_err(|e| WalError::io(&temporary, "rename", e))?;
        }
        Ok(target)
    }
}

/// None of a file that has no entry at its beginning, or a header that nobody wrote: half of one may say anything.
fn first_sequence_id(fs: &dyn FileSystem, path: &Path) -> Result<Option<u64>, WalError> {
    let first = WalReader::open(fs, path).and_then(|mut reader| {
        let entry = reader.next_entry()?;
        Ok(entry.map(|entry| entry.key.sequence_id()))
    });
    match first {
        Err(WalError::Corrupt { .. } | WalError::Unsupported { .. }) => Ok(None),
        first => first,
    }
}
