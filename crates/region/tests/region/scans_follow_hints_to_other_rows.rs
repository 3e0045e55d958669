//! A filter that knows which row comes next is asked about no cell of the rows in between: in reversed scans, too, and where the
//! columns that are wanted end with the cell that it was asked about.

use crate::world::{Plain, World, family, put, run, scan};
use finback_cell::{Bytes, Cell, FamilySelection, Scan};
use finback_filter::filters::{FuzzyRowFilter, MultiRowRangeFilter, RowRange};
use finback_filter::{Filter, FilterCode, FilterError, OwnedKey};
use finback_fs::MemFileSystem;
use finback_region::Region;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ROWS: usize = 500;

/// Counts the cells that a filter sees; without hints if it is not to give any.
struct Counted {
    filter: MultiRowRangeFilter,
    hints: bool,
    cells: Arc<AtomicUsize>,
}

impl Filter for Counted {
    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool, FilterError> {
        self.filter.filter_row_key(row)
    }
    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        self.cells.fetch_add(1, Ordering::SeqCst);
        self.filter.filter_cell(cell)
    }
    fn next_cell_hint(&mut self, cell: &Cell<'_>) -> Option<OwnedKey> {
        self.filter.next_cell_hint(cell).filter(|_| self.hints)
    }
    fn filter_all_remaining(&self) -> bool {
        self.filter.filter_all_remaining()
    }
    fn set_reversed(&mut self, reversed: bool) {
        self.filter.set_reversed(reversed);
    }
    fn is_hinting(&self) -> bool {
        self.hints
    }
}

fn row(number: usize) -> String {
    format!("r{number:04}")
}

/// Each row has two cells of each family, some in files and some in memory.
fn start() -> (World, Arc<Region>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1), family("b", 1)]);
    let region = world.start().unwrap();
    for part in 0..3 {
        for number in (part..ROWS).step_by(3) {
            let row = row(number);
            let puts = ["a", "b"].iter().flat_map(|family| {
                ["q1", "q2"].map(|qualifier| put((&row, family, qualifier), row.as_bytes()))
            });
            run(region.batch(puts.collect::<Vec<_>>())).into_iter().for_each(|written| written.unwrap());
        }
        if part < 2 {
            region.flush(None).unwrap();
        }
    }
    (world, region)
}

/// What a scan finds of some ranges of rows, and how many cells the filter has seen.
fn read(region: &Region, described: &Scan, ranges: &[(usize, usize)], hints: bool) -> (Vec<Plain>, usize) {
    let range = |&(from, to): &(usize, usize)| RowRange {
        start_row: Bytes::from(row(from)),
        start_inclusive: true,
        stop_row: Bytes::from(row(to)),
        stop_inclusive: false,
    };
    let filter = MultiRowRangeFilter::new(ranges.iter().map(range).collect()).unwrap();
    let cells = Arc::default();
    let counted = Counted { filter, hints, cells: Arc::clone(&cells) };
    let found = scan(region, described, Some(Box::new(counted))).unwrap();
    (found, cells.load(Ordering::SeqCst))
}

/// All columns, or one of each family.
fn described(reversed: bool, qualifier: Option<&'static str>) -> Scan {
    let families = ["a", "b"].map(|family| FamilySelection {
        family: Bytes::from_static(family.as_bytes()),
        qualifiers: qualifier.map(|qualifier| vec![Bytes::from_static(qualifier.as_bytes())]),
    });
    Scan { reversed, families: families.into(), ..Scan::default() }
}

#[test]
fn scans_follow_hints_to_other_rows() {
    let (_world, region) = start();
    let kinds = [false, true].into_iter().flat_map(|reversed| {
        [(None, 4), (Some("q1"), 2), (Some("q2"), 2)].map(|(qualifier, cells)| (reversed, qualifier, cells))
    });
    for (reversed, qualifier, cells) in kinds {
        let described = described(reversed, qualifier);
        for ranges in
            [&[(100, 105), (300, 301), (450, 460)][..], &[(0, 1)], &[(499, 500)], &[(600, 700), (20, 30)]]
        {
            let (found, seen) = read(&region, &described, ranges, true);
            let wanted: usize =
                ranges.iter().map(|&(from, to)| to.min(ROWS).saturating_sub(from.min(ROWS))).sum();
            assert_eq!(found.len(), cells * wanted);
            assert_eq!(found, read(&region, &described, ranges, false).0);
            // Of each family a cell where a range has ended, and where its bound is found.
            let most = cells * wanted + 4 * 2 * (ranges.len() + 1);
            assert!(seen <= most, "{seen} cells seen for {wanted} rows, {reversed} {qualifier:?}");
        }
    }
}

/// A row shorter than the pattern matches as far as it goes, but for where a hint leads beyond it, as in HBase.
#[test]
fn a_fuzzy_pattern_leaves_out_the_same_rows_whatever_columns_are_wanted() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1), family("b", 1)]);
    let region = world.start().unwrap();
    for row in ["aaz", "ab", "abcd"] {
        run(region.batch(vec![put((row, "a", "q"), b"v")])).into_iter().for_each(|written| written.unwrap());
    }
    for qualifier in [None, Some("q")] {
        let pattern = FuzzyRowFilter::new(&[(b"\0\0cd"[..].into(), [1, 1, 0, 0][..].into())], false).unwrap();
        let found = scan(&region, &described(false, qualifier), Some(Box::new(pattern))).unwrap();
        let rows: Vec<_> = found.iter().map(|cell| cell.row.escape_ascii().to_string()).collect();
        assert_eq!(rows, ["abcd"], "{qualifier:?}");
    }
}
