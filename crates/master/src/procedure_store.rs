//! The file of the master's procedures: how each stands, so that the next start goes on where this one ended.
//!
//! ```text
//! finback.procedures:  "FBPROC\0\1" | frame | frame | ...
//!
//!  frame
//! ┌────────────┬───────────────────────┬───────────────────────┬───────────────────────────┐
//! │ u32 length │ u32 crc32c of length  │ u32 crc32c of payload │ payload: StoredProcedures │
//! └────────────┴───────────────────────┴───────────────────────┴───────────────────────────┘
//! ```
//!
//! Big endian. Each frame is one append and one sync: what it changes is there all together or not at all, and nobody acts
//! on it before it is synced. A later frame's word on a procedure counts. A start, and a file that has grown, is written
//! anew as one frame in `finback.procedures.tmp` and renamed. Nothing is ever appended behind a torn end.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use finback_fs::{FileSystem, WritableFile};
use finback_proto::{Message, pb};

mod frame;
#[cfg(test)]
mod tests;

use frame::{End, MAGIC};

const FILE_NAME: &str = "finback.procedures";
const TEMPORARY_NAME: &str = "finback.procedures.tmp";
const DAMAGED_NAME: &str = "finback.procedures.damaged";
/// A file smaller than this is not written anew, however little of it still counts.
const MIN_REWRITE_BYTES: u64 = 1 << 20;

/// Whether there is one, or was one that is damaged: not before the first procedure.
pub(crate) fn is_there(fs: &dyn FileSystem, root: &Path) -> io::Result<bool> {
    Ok(fs.exists(&root.join(FILE_NAME))? || fs.exists(&root.join(DAMAGED_NAME))?)
}

/// The file, and what of it counts.
#[derive(Debug)]
pub(crate) struct ProcedureStore {
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    /// None before the first change, and after a failure: of a file that could not be synced nothing is known.
    file: Option<Box<dyn WritableFile>>,
    /// By procedure id, serialized.
    live: BTreeMap<u64, Bytes>,
    live_bytes: u64,
}

impl ProcedureStore {
    /// Reads what is there, and gives back the procedures in order of their ids.
    ///
    /// # Errors
    /// The storage's. Damage is none: the file is put aside under another name, and what could be read of it counts.
    pub(crate) fn open(fs: Arc<dyn FileSystem>, root: &Path) -> io::Result<(Self, Vec<pb::StoredProcedure>)> {
        let path = root.join(FILE_NAME);
        let mut store = Self { fs, path, file: None, live: BTreeMap::new(), live_bytes: 0 };
        let end = match frame::read(&*store.fs, &store.path, |change| store.live.apply(change)) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok((store, Vec::new())),
            end => end?,
        };
        store.live_bytes = store.live.values().map(|record| record.len() as u64).sum();
        match end {
            End::Clean => {}
            End::Torn { offset } => {
                tracing::info!(path = %store.path.display(), offset, "torn end: nobody had acted on it");
            }
            End::Damaged { offset, reason } => {
                let aside = store.path.with_file_name(DAMAGED_NAME);
                let (path, aside_shown) = (store.path.display().to_string(), aside.display().to_string());
                tracing::error!(path, offset, reason, aside = aside_shown, "procedures are lost");
                store.fs.rename(&store.path, &aside)?;
            }
        }
        let decode = |record: &Bytes| pb::StoredProcedure::decode(record.clone()).ok();
        let procedures = store.live.values().filter_map(decode).collect();
        Ok((store, procedures))
    }

    /// Makes a change durable. After a failure it may be there or not; the same change, or one that says more, can be
    /// made again.
    ///
    /// # Errors
    /// The storage's.
    pub(crate) fn write(&mut self, change: pb::StoredProcedures) -> io::Result<()> {
        let framed = frame::encode(&change)?;
        self.live.apply(change);
        self.live_bytes = self.live.values().map(|record| record.len() as u64).sum();
        // Not put back if anything fails.
        let written = match self.file.take() {
            Some(mut file) if file.len() + framed.len() as u64 <= self.rewrite_at() => {
                file.append(&framed).and_then(|()| file.sync_data()).map(|()| file)
            }
            _ => self.rewrite(),
        };
        self.file = Some(written?);
        Ok(())
    }

    /// How long the file may become: so that what is written anew stays in proportion to what is written.
    fn rewrite_at(&self) -> u64 {
        MIN_REWRITE_BYTES.max(self.live_bytes.saturating_mul(4))
    }

    fn rewrite(&self) -> io::Result<Box<dyn WritableFile>> {
        let decode = |record: &Bytes| pb::StoredProcedure::decode(record.clone()).map_err(io::Error::other);
        let procedure = self.live.values().map(decode).collect::<io::Result<_>>()?;
        let framed = frame::encode(&pb::StoredProcedures { procedure, forgotten: Vec::new() })?;
        let temporary = self.path.with_file_name(TEMPORARY_NAME);
        match self.fs.remove_file(&temporary) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let mut file = self.fs.create_new(&temporary)?;
        file.append(MAGIC)?;
        file.append(&framed)?;
        file.sync_data()?;
        self.fs.rename(&temporary, &self.path)?;
        Ok(file)
    }
}

trait Apply {
    fn apply(&mut self, change: pb::StoredProcedures);
}

impl Apply for BTreeMap<u64, Bytes> {
    fn apply(&mut self, change: pb::StoredProcedures) {
        for procedure in change.procedure {
            self.insert(procedure.proc_id, procedure.encode_to_vec().into());
        }
        for id in change.forgotten {
            self.remove(&id);
        }
    }
}
