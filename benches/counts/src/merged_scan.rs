//! A scan over four store files whose blocks are in the cache.

use crate::Result;
use crate::cells::row;
use crate::four_files::{FILES, FourFiles, ROWS};
use crate::hot_path::HotPath;
use finback_cell::Scan;
use finback_region::{Interrupt, ScanLimits, ScanOutput};

const ROWS_OF_SCAN: usize = 1_000;
/// One row in so many is in two files.
const TWICE: usize = 5;

struct MergedScan {
    files: FourFiles,
    scan: Scan,
    output: ScanOutput,
}

/// Rows lie in the files as if they had been written in any order.
pub(crate) fn merged_scan() -> Result<Box<dyn HotPath>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let files = FourFiles::write(&runtime, |row, file| {
        let scattered = row * 7 + row / 3;
        scattered % FILES == file || (row % TWICE == 0 && (scattered + 1) % FILES == file)
    })?;
    let mut path = MergedScan { files, scan: Scan::default(), output: ScanOutput::default() };
    // Once, so that all blocks are in the cache.
    path.read(ROWS)?;
    Ok(Box::new(path))
}

impl MergedScan {
    fn read(&mut self, rows: usize) -> Result<()> {
        let mut scanner = self.files.region.scanner(&self.scan, None)?;
        let limits = ScanLimits { rows, ..ScanLimits::NONE };
        loop {
            match scanner.next(&mut self.output, &limits) {
                Ok(_) => return Ok(()),
                Err(Interrupt::NeedBlock(request)) => scanner.provide(request.read()?),
                Err(Interrupt::NeedFile(request)) => request.open(),
                Err(Interrupt::Failed(error)) => return Err(error.into()),
            }
        }
    }
}

impl HotPath for MergedScan {
    fn prepare(&mut self, number: usize) -> Result<()> {
        self.scan = Scan { start_row: row(number * 37 % (ROWS - ROWS_OF_SCAN)), ..Scan::default() };
        self.output.clear();
        Ok(())
    }

    fn call(&mut self) -> Result<()> {
        self.read(ROWS_OF_SCAN)
    }

    fn check(&mut self) -> Result<()> {
        assert_eq!(self.output.cells().count(), ROWS_OF_SCAN);
        Ok(())
    }
}
