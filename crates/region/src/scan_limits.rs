//! How far one call of a scanner goes, and why it ended.

use crate::scan_output::ScanOutput;

/// How much one call of [`crate::RegionScanner::next`] may do.
#[derive(Clone, Copy, Debug)]
pub struct ScanLimits {
    /// Results at most.
    pub results: usize,
    /// Rows that end at most.
    pub rows: usize,
    /// Cells of one result at most; a row with more is cut into several results.
    pub batch: usize,
    /// [`ScanOutput::size`] at which to stop.
    pub bytes: usize,
    /// Whether a row may be cut at the byte limit.
    pub partial_rows: bool,
    /// Cells looked at before the caller is given a chance to do something else.
    pub budget: usize,
    /// Bytes of cells to be found before the caller is given a chance to say whether there is memory for more. A cell that would go
    /// beyond is left to the next call, which takes it whatever its size: until then [`crate::RegionScanner::next_cell_bytes`]
    /// tells what it needs.
    pub turn_bytes: usize,
}

impl ScanLimits {
    /// No limits, for reads known to be small.
    pub const NONE: Self = Self {
        results: usize::MAX,
        rows: usize::MAX,
        batch: usize::MAX,
        bytes: usize::MAX,
        partial_rows: false,
        budget: usize::MAX,
        turn_bytes: usize::MAX,
    };

    /// The limit that is reached between rows, if any.
    pub(crate) fn reached(&self, out: &ScanOutput) -> Option<ScanStop> {
        if out.counts.len() >= self.results {
            Some(ScanStop::Results)
        } else if out.rows_completed >= self.rows {
            Some(ScanStop::Rows)
        } else if out.size() >= self.bytes && !out.counts.is_empty() {
            Some(ScanStop::Bytes)
        } else {
            None
        }
    }
}

/// Why a call of [`crate::RegionScanner::next`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanStop {
    /// Nothing is left of the region's part of the scan, or its filter says that nothing more can pass.
    Exhausted,
    /// As many results as wanted.
    Results,
    /// As many rows as wanted.
    Rows,
    /// The byte limit is reached.
    Bytes,
    /// The budget of cells, or of bytes of this call, is used up; nothing is wrong, call again.
    Budget,
}
