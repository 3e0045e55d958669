//! No more than a few MiB of a file wait to be sent to the device, and a few more to be there.

use finback_cell::cell::CellParts;
use finback_cell::{Cell, CellType};
use finback_fs::{FileSystem, MemFileSystem, WritableFile};
use finback_hfile::{HFileWriter, OWN_BLOCK_BYTES, WriterOptions};
use std::io::{self, IoSlice};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const MOST_UNSENT_BYTES: u64 = 4 << 20;
const MOST_UNSYNCED_BYTES: u64 = 16 << 20;
const CELLS: u32 = 40;

/// How much of a file has waited at most.
#[derive(Debug, Default)]
struct Waited {
    unsent: AtomicU64,
    unsynced: AtomicU64,
}

/// A file that notes this.
#[derive(Debug)]
struct Watched {
    inner: Box<dyn WritableFile>,
    sent: u64,
    synced: u64,
    waited: Arc<Waited>,
}

impl WritableFile for Watched {
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.inner.append_vectored(slices)?;
        let len = self.inner.len();
        self.waited.unsent.fetch_max(len - self.sent, Ordering::Relaxed);
        self.waited.unsynced.fetch_max(len - self.synced, Ordering::Relaxed);
        Ok(())
    }

    fn write_out(&mut self, offset: u64) {
        assert_eq!(offset, self.sent);
        self.sent = self.inner.len();
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.inner.sync_data()?;
        (self.sent, self.synced) = (self.inner.len(), self.inner.len());
        Ok(())
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.inner.truncate(len)
    }

    fn allocate(&mut self, len: u64) -> io::Result<()> {
        self.inner.allocate(len)
    }
}

type Append = fn(&mut HFileWriter, &Cell<'_>, u64) -> Result<(), finback_hfile::HFileError>;

/// Length of a file of large cells, and how much of it has waited.
fn written(append: Append) -> (u64, Arc<Waited>) {
    let (path, waited) = (Path::new("/f"), Arc::new(Waited::default()));
    let inner = MemFileSystem::default().create_new(path).unwrap();
    let file = Watched { inner, sent: 0, synced: 0, waited: Arc::clone(&waited) };
    let mut writer = HFileWriter::new(Box::new(file), path, WriterOptions::default()).unwrap();
    let value = vec![7; OWN_BLOCK_BYTES];
    for number in 0..CELLS {
        let parts = CellParts {
            row: &number.to_be_bytes(),
            family: b"f",
            qualifier: b"q",
            timestamp: 1,
            type_code: CellType::Put.code(),
            value: &value,
            tags: b"",
        };
        append(&mut writer, &Cell::parse(&parts.to_vec()).unwrap(), 0).unwrap();
    }
    let size = writer.finish(1).unwrap().size_bytes;
    (size, waited)
}

#[test]
fn whether_cells_are_in_blocks_with_others_or_in_their_own() {
    let block = OWN_BLOCK_BYTES as u64 * 5 / 4;
    for append in [HFileWriter::append, HFileWriter::append_alone] as [Append; 2] {
        let (size, waited) = written(append);
        assert!(size > u64::from(CELLS) * OWN_BLOCK_BYTES as u64);
        let (unsent, unsynced) =
            (waited.unsent.load(Ordering::Relaxed), waited.unsynced.load(Ordering::Relaxed));
        assert!(unsent < MOST_UNSENT_BYTES + block, "{unsent} of {size} bytes have waited to be sent");
        assert!(unsynced < MOST_UNSYNCED_BYTES + block, "{unsynced} of {size} bytes were on their way");
    }
}
