//! A major compaction of four store files.

use crate::Result;
use crate::cells::FAMILY;
use crate::four_files::{FILES, FourFiles, ROWS};
use crate::hot_path::HotPath;
use finback_region::CompactionOutcome;
use tokio::runtime::Runtime;

struct Merge {
    runtime: Runtime,
    files: Option<FourFiles>,
    outcome: Option<CompactionOutcome>,
}

/// Every file has every fourth row.
pub(crate) fn merge() -> Result<Box<dyn HotPath>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    Ok(Box::new(Merge { runtime, files: None, outcome: None }))
}

impl HotPath for Merge {
    fn prepare(&mut self, _number: usize) -> Result<()> {
        self.files = Some(FourFiles::write(&self.runtime, |row, file| row % FILES == file)?);
        Ok(())
    }

    fn call(&mut self) -> Result<()> {
        let files = self.files.as_ref().ok_or("no files")?;
        self.outcome = files.region.compact(FAMILY, true)?;
        Ok(())
    }

    fn check(&mut self) -> Result<()> {
        let outcome = self.outcome.take().ok_or("nothing was compacted")?;
        assert_eq!((outcome.inputs, outcome.cells_written), (FILES, ROWS as u64), "{outcome:?}");
        self.files.take().ok_or("no files")?.region.close()?;
        Ok(())
    }
}
