//! No more than a few MiB of a file wait for its end to be written to the device.

use finback_cell::cell::CellParts;
use finback_cell::{Cell, CellType};
use finback_fs::{FileSystem, MemFileSystem, WritableFile};
use finback_hfile::{HFileWriter, OWN_BLOCK_BYTES, WriterOptions};
use std::io::{self, IoSlice};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const MOST_WAITING_BYTES: u64 = 4 << 20;
const CELLS: u32 = 20;

/// A file that notes how much of it has waited for a sync at most.
#[derive(Debug)]
struct Watched {
    inner: Box<dyn WritableFile>,
    synced: u64,
    most_waiting: Arc<AtomicU64>,
}

impl WritableFile for Watched {
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.inner.append_vectored(slices)?;
        self.most_waiting.fetch_max(self.inner.len() - self.synced, Ordering::Relaxed);
        Ok(())
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.inner.sync_data()?;
        self.synced = self.inner.len();
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

/// Length of a file of large cells, and how much of it has waited at most.
fn written(append: Append) -> (u64, u64) {
    let (path, most_waiting) = (Path::new("/f"), Arc::new(AtomicU64::new(0)));
    let inner = MemFileSystem::default().create_new(path).unwrap();
    let file = Watched { inner, synced: 0, most_waiting: Arc::clone(&most_waiting) };
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
    (size, most_waiting.load(Ordering::Relaxed))
}

#[test]
fn whether_cells_are_in_blocks_with_others_or_in_their_own() {
    let block = OWN_BLOCK_BYTES as u64 * 5 / 4;
    for append in [HFileWriter::append, HFileWriter::append_alone] as [Append; 2] {
        let (size, most_waiting) = written(append);
        assert!(size > u64::from(CELLS) * OWN_BLOCK_BYTES as u64);
        assert!(most_waiting < MOST_WAITING_BYTES + block, "{most_waiting} of {size} bytes have waited");
    }
}
