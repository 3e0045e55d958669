//! A row of which all cells are in one block that is in memory: taken from there at once, without a scanner.

use crate::block::BlockRef;
use crate::block_cache::{BlockCache, BlockPriority};
use crate::block_type::BlockType;
use crate::index::NodeIndex;
use crate::reader::HFileReader;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};
use std::cmp::Ordering;

impl HFileReader {
    /// Gives all cells of a row to `take`, each with the one before it, if any, and its sequence id. `Some`: whether there were any.
    /// `None`: what is in `cache` cannot tell, or `take` did not take a cell; a [scanner](crate::HFileScanner) can. `priority`: of data
    /// blocks.
    pub fn take_row_in_memory(
        &self,
        cache: &dyn BlockCache,
        priority: BlockPriority,
        row: &[u8],
        mut take: impl FnMut(Option<&Cell<'_>>, &Cell<'_>, u64) -> bool,
    ) -> Option<bool> {
        let (key, order) = (Key::first_on_row(row), self.order());
        let place = self.place_in_memory(cache, order, &key)?;
        let block = cache.get_if_there(self.id(), place.offset, priority)?;
        // What else it may be, whoever reads it finds out, and tells.
        let cells = block.cells.as_ref().filter(|_| block.place() == place)?;
        let payload = block.payload();
        let mut number = cells.first_at_or_after(payload, order, &key);
        let mut before = None;
        loop {
            // The last row of a block may go on in the next one, or begin there.
            let (cell, sequence_id) = cells.get(payload, number)?;
            match order.compare_rows(cell.row(), row) {
                Ordering::Equal if take(before.as_ref(), &cell, sequence_id) => {}
                Ordering::Greater => return Some(before.is_some()),
                Ordering::Equal | Ordering::Less => return None,
            }
            before = Some(cell);
            number += 1;
        }
    }

    /// The data block in which `key` would be, if the blocks that lead to it are in memory.
    fn place_in_memory(&self, cache: &dyn BlockCache, order: CellOrder, key: &Key<'_>) -> Option<BlockRef> {
        let mut place = self.root().place(self.root().find(order, key)?)?;
        for _ in 1..self.index_levels() {
            let mut child = None;
            cache.look_at(self.id(), place.offset, BlockPriority::Index, &mut |block| {
                let is_node = block.place() == place
                    && matches!(block.block_type(), BlockType::LeafIndex | BlockType::IntermediateIndex);
                if is_node {
                    let node = NodeIndex::over_checked(block.payload());
                    child = node.find(&block.entry_rows, order, key).and_then(|entry| node.place(entry));
                }
                is_node
            })?;
            place = child?;
        }
        Some(place)
    }
}
