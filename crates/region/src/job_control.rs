//! What a flush or a compaction asks at every block: whether to go on, and how fast.

use crate::error::RegionError;
use crate::region::Region;

/// Who may slow down or end a flush or a compaction that is under way.
pub trait JobControl: Send + Sync {
    /// Whether the job is to end without a result. Asked at every block that is written, and every few thousand cells
    /// where none is. A flush of which a close depends does not ask.
    fn is_cancelled(&self) -> bool;

    /// Whether somebody asked for it. A compaction that nobody asked for leaves values that are in MOB files where they are.
    fn is_asked_for(&self) -> bool {
        false
    }

    /// Told of each block that was written, or read once more for the cache, in bytes of the file. May block the calling thread, to
    /// keep to a budget.
    fn wrote(&self, bytes: u64);
}

/// Lets every job go on to its end, as fast as it can.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unhindered;

impl JobControl for Unhindered {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn wrote(&self, _: u64) {}
}

/// Cells between two questions, where no block is written: a compaction may drop all that it reads.
const CELLS_PER_QUESTION: u32 = 1000;

/// Where a job stands between two questions.
pub(crate) struct Pace<'a> {
    region: &'a Region,
    control: &'a dyn JobControl,
    told_bytes: u64,
    cells: u32,
}

impl<'a> Pace<'a> {
    pub(crate) fn new(region: &'a Region, control: &'a dyn JobControl) -> Self {
        Self { region, control, told_bytes: 0, cells: 0 }
    }

    /// To be called for each cell read; `written`: bytes so far. True at the end of a block, and now and then: the caller
    /// then looks at what would end it.
    #[inline]
    pub(crate) fn is_at_block(&mut self, written: u64) -> bool {
        self.cells += 1;
        if written == self.told_bytes && self.cells < CELLS_PER_QUESTION {
            return false;
        }
        self.cells = 0;
        if written > self.told_bytes {
            self.control.wrote(written - self.told_bytes);
            self.told_bytes = written;
        }
        true
    }

    /// Fails when a compaction is to end: its region closes, or somebody cancelled it.
    pub(crate) fn check_compaction(&self) -> Result<(), RegionError> {
        self.region.check_open()?;
        if self.control.is_cancelled() {
            return Err(RegionError::Cancelled(self.region.encoded_name.to_string()));
        }
        Ok(())
    }
}
