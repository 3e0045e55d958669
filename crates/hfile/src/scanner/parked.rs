//! A scanner that waits for its user keeps where it stands, and no block.

use super::{HFileScanner, Path, PathStep, ScanInterrupt};
use crate::position::Position;
use smallvec::SmallVec;

/// Where a scanner stood.
#[derive(Debug)]
pub(super) struct Parked {
    /// From the root down: which entry of each index block led to the data block.
    entries: SmallVec<[usize; 2]>,
    /// Number of the cell in the data block.
    number: usize,
}

impl HFileScanner {
    /// Lets go of all blocks. Until [`HFileScanner::unpark`] has been successful the scanner stands nowhere.
    pub fn park(&mut self) {
        self.given.clear();
        self.stored = None;
        if self.parked.is_some() {
            // It has no path any more.
            return;
        }
        let path = std::mem::take(&mut self.path);
        let position = self.position.take();
        let number = position.as_ref().and_then(Position::among).map(|(number, _)| number);
        let Some(number) = number.or(self.resting.as_ref().map(|resting| resting.number)) else { return };
        self.parked = Some(Parked { entries: path.iter().map(|step| step.entry).collect(), number });
    }

    /// Goes back to where it stood before [`HFileScanner::park`], if it was parked.
    ///
    /// # Errors
    /// [`ScanInterrupt`].
    pub fn unpark(&mut self) -> Result<(), ScanInterrupt> {
        let Some(parked) = &self.parked else { return Ok(()) };
        let mut path = Path::new();
        for &entry in &parked.entries {
            let node = if path.is_empty() { None } else { Some(self.child(&path)?) };
            path.push(PathStep { node, entry });
        }
        if self.resting.is_some() {
            (self.path, self.parked) = (path, None);
            self.given.clear();
            return Ok(());
        }
        let block = self.child(&path)?;
        let place = block.place();
        let position = Position::new(block, parked.number);
        let position = position.ok_or_else(|| self.reader.misplaced(place, place))?;
        self.settle(Some((path, position)));
        Ok(())
    }
}
