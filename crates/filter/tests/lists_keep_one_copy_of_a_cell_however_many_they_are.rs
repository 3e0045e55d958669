//! A key may have some MiB, and a tree of filters a hundred thousand filters and lists that remember what they were asked
//! about last.

#![allow(unsafe_code)]

use finback_cell::cell::CellParts;
use finback_cell::{Cell, CellType};
use finback_filter::filters::FilterListWithOr;
use finback_filter::{Filter, FilterCode, FilterError};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the bytes of allocations.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does the work; a counter is all that is added.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: what the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: what the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Has enough of every column.
struct NextColumn;

impl Filter for NextColumn {
    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(FilterCode::NextColumn)
    }
}

fn list(filters: impl Iterator<Item = Box<dyn Filter>>) -> Box<dyn Filter> {
    Box::new(FilterListWithOr::new(filters.collect()))
}

#[test]
fn lists_keep_one_copy_of_a_cell_however_many_they_are() {
    const KEY_BYTES: usize = 1 << 20;
    let pairs = (0..100).map(|_| list((0..2).map(|_| Box::new(NextColumn) as Box<dyn Filter>)));
    let mut filter = list(pairs);
    for timestamp in [3, 2, 1] {
        let qualifier = vec![b'q'; KEY_BYTES];
        let cell = CellParts {
            row: b"r",
            family: b"f",
            qualifier: &qualifier,
            timestamp,
            type_code: CellType::Put.code(),
            value: b"",
            tags: &[],
        };
        let bytes = cell.to_vec();
        let before = ALLOCATED.load(Ordering::Relaxed);
        assert_eq!(filter.filter_cell(&Cell::from_checked(&bytes)), Ok(FilterCode::NextColumn));
        let allocated = ALLOCATED.load(Ordering::Relaxed) - before;
        assert!(allocated < 2 * KEY_BYTES, "{allocated} bytes of copies");
    }
}
