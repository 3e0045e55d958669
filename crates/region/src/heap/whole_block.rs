//! Blocks of one source that are the next part of the merge.

use super::Heap;
use crate::source::Source;
use crate::whole_block::WholeBlock;
use finback_cell::key::Key;
use finback_hfile::StoredForm;

impl Heap {
    /// Hands over the stored form of the block that was just provided.
    pub(crate) fn provide_stored(&mut self, stored: StoredForm) {
        if let Some(Source::File(file)) = self.sources.get_mut(self.asking) {
            file.provide_stored(stored);
            self.has_stored = true;
        }
    }

    /// The block of the smallest cell, if it begins with it, comes before all other sources' cells, and its stored form was
    /// provided. Once for each block.
    #[inline]
    pub(crate) fn take_whole_block(&mut self) -> Option<WholeBlock> {
        if self.has_stored { self.take_stored_block() } else { None }
    }

    fn take_stored_block(&mut self) -> Option<WholeBlock> {
        let (top, others) = self.heap.split_first()?;
        let Source::File(file) = &mut self.sources[top.source] else { return None };
        if !file.has_stored() {
            return None;
        }
        let block = file.take_whole_block();
        let has_stored = |source: &Source| matches!(source, Source::File(file) if file.has_stored());
        self.has_stored = self.sources.iter().any(has_stored);
        let block = block?;
        let last = Key::of(&block.last());
        // Of the others the smallest is one of the first two.
        let mut others = others.iter().take(2).map(|other| self.sources[other.source].key());
        let is_first =
            others.all(|key| key.is_some_and(|(key, _)| self.order.compare_keys(&key, &last).is_gt()));
        is_first.then_some(block)
    }

    /// Moves on within the block of the smallest cell, which is a whole one.
    pub(crate) fn go_to_last_of_block(&mut self) {
        if let Some(top) = self.top()
            && let Source::File(file) = &mut self.sources[top]
        {
            file.go_to_last_of_block();
        }
    }
}
