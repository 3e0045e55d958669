//! A data block of 64 KiB as it is read from a file: checked, and made into cells.

use crate::Result;
use crate::cells::{put, row, value};
use crate::hot_path::HotPath;
use finback_cell::Cell;
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::{Block, DataBlockEncoding, FileId, HFileReader, HFileWriter, StoredBlock, WriterOptions};
use std::path::Path;
use std::sync::Arc;

/// More than a block's.
const ROWS: usize = 1_000;
const PATH: &str = "/file";

struct Decode {
    reader: Arc<HFileReader>,
    stored: Option<StoredBlock>,
    decoded: Option<Arc<Block>>,
}

/// The first block of a file.
pub(crate) fn decode(encoding: DataBlockEncoding) -> Result<Box<dyn HotPath>> {
    let fs = MemFileSystem::new();
    let path = Path::new(PATH);
    let mut writer =
        HFileWriter::new(fs.create_new(path)?, path, WriterOptions { encoding, ..WriterOptions::default() })?;
    for number in 0..ROWS {
        let cell = put(&row(number), &value(number)).to_vec();
        writer.append(&Cell::parse(&cell)?, 1)?;
    }
    writer.finish(1)?;
    let reader = HFileReader::open(fs.open(path)?, path, FileId::next())?;
    Ok(Box::new(Decode { reader, stored: None, decoded: None }))
}

impl HotPath for Decode {
    fn prepare(&mut self, _number: usize) -> Result<()> {
        self.decoded = None;
        self.stored = Some(self.reader.stored_block(0)?);
        Ok(())
    }

    fn call(&mut self) -> Result<()> {
        let stored = self.stored.take().ok_or("no block")?;
        self.decoded = Some(self.reader.check_stored(stored)?);
        Ok(())
    }

    fn check(&mut self) -> Result<()> {
        let decoded = self.decoded.as_ref().ok_or("no block")?;
        assert!(decoded.payload().len() > 60 << 10, "{} bytes", decoded.payload().len());
        Ok(())
    }
}
