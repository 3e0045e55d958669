//! The cell that lists of filters remember.

use finback_cell::Cell;
use finback_cell::cell::LENGTHS_SIZE;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

thread_local! {
    /// The last copy that was made here. Lists within lists are asked about a cell one after the other, by one thread.
    static LATEST: RefCell<Weak<Vec<u8>>> = const { RefCell::new(Weak::new()) };
}

/// A cell without its value. All lists of a tree share one copy: a key may have some MiB, and a tree a hundred thousand
/// lists.
pub(super) struct LastCell {
    bytes: Arc<Vec<u8>>,
}

impl LastCell {
    pub(super) fn of(cell: &Cell<'_>) -> Self {
        let bytes = LATEST.with_borrow_mut(|latest| match latest.upgrade() {
            Some(bytes) if Cell::from_checked(&bytes).key() == cell.key() => bytes,
            _ => {
                let bytes = Arc::new(without_value(cell));
                *latest = Arc::downgrade(&bytes);
                bytes
            }
        });
        Self { bytes }
    }

    /// Its part of what all that share the copy take.
    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes.capacity() / Arc::strong_count(&self.bytes)
    }

    pub(super) fn as_cell(&self) -> Cell<'_> {
        Cell::from_checked(&self.bytes)
    }
}

fn without_value(cell: &Cell<'_>) -> Vec<u8> {
    let key = cell.key();
    let mut bytes = Vec::with_capacity(LENGTHS_SIZE + key.len());
    bytes.extend_from_slice(&(key.len() as u32).to_be_bytes());
    bytes.extend_from_slice(&0u32.to_be_bytes());
    bytes.extend_from_slice(key);
    bytes
}
