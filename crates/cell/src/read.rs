//! Descriptions of reads.

use crate::time_range::TimeRange;
use bytes::{Bytes, BytesMut};

/// A family and the columns wanted of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilySelection {
    /// Family name.
    pub family: Bytes,
    /// Qualifiers wanted, sorted and distinct; `None` is all of them.
    pub qualifiers: Option<Vec<Bytes>>,
}

/// A scan of one region. Filters travel beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// First row (the upper end when reversed); empty is unbounded.
    pub start_row: Bytes,
    /// Whether `start_row` itself belongs to the scan.
    pub include_start_row: bool,
    /// Last row (the lower end when reversed); empty is unbounded.
    pub stop_row: Bytes,
    /// Whether `stop_row` itself belongs to the scan.
    pub include_stop_row: bool,
    /// Whether rows come in descending order.
    pub reversed: bool,
    /// Families wanted, sorted by name; empty is all.
    pub families: Vec<FamilySelection>,
    /// Timestamps wanted.
    pub time_range: TimeRange,
    /// Timestamps wanted of single families, instead of `time_range`; each family once.
    pub family_time_ranges: Vec<(Bytes, TimeRange)>,
    /// Versions wanted of each column.
    pub max_versions: u32,
    /// At most this many cells of each row and family; `None` is no limit.
    pub store_limit: Option<u32>,
    /// Cells to skip of each row and family.
    pub store_offset: u32,
    /// Whether delete markers and hidden cells are returned.
    pub raw: bool,
    /// Whether writes not yet complete may be seen.
    pub read_uncommitted: bool,
    /// Whether blocks read are kept in the cache.
    pub cache_blocks: bool,
    /// Whether families that the filter does not need are read only for rows that pass; `None` is as the region does.
    pub load_column_families_on_demand: Option<bool>,
    /// Sequence id as of which to read; `None` is now.
    pub read_point: Option<u64>,
    /// What becomes of references to values in MOB files.
    pub mob: MobRead,
}

/// How a scan or get reads values that are in MOB files: HBase's attributes of the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MobRead {
    /// `hbase.mob.scan.raw`: what is found is the references, and not the values.
    pub raw: bool,
    /// `hbase.mob.scan.ref.only`: nothing but references is found.
    pub references_only: bool,
    /// `hbase.mob.cache.blocks`: blocks of MOB files that are read are kept in the cache.
    pub cache_blocks: bool,
    /// `empty.value.on.mobcell.miss`: a value whose file is not there is empty; else it is an error.
    pub empty_if_missing: bool,
}

impl Default for Scan {
    fn default() -> Self {
        Self {
            start_row: Bytes::new(),
            include_start_row: true,
            stop_row: Bytes::new(),
            include_stop_row: false,
            reversed: false,
            families: Vec::new(),
            time_range: TimeRange::ALL,
            family_time_ranges: Vec::new(),
            max_versions: 1,
            store_limit: None,
            store_offset: 0,
            raw: false,
            read_uncommitted: false,
            cache_blocks: true,
            load_column_families_on_demand: None,
            read_point: None,
            mob: MobRead::default(),
        }
    }
}

impl Scan {
    /// The time range that counts for `family`.
    pub fn time_range_of(&self, family: &[u8]) -> TimeRange {
        self.family_time_ranges
            .iter()
            .find(|(name, _)| &name[..] == family)
            .map_or(self.time_range, |(_, range)| *range)
    }
}

impl Scan {
    /// Puts its rows and names into memory of their own; how many bytes they are. For who keeps it for long: what they were
    /// decoded from may be much more.
    pub fn detach(&mut self) -> usize {
        self.families.shrink_to_fit();
        self.families
            .iter_mut()
            .filter_map(|selection| selection.qualifiers.as_mut())
            .for_each(Vec::shrink_to_fit);
        self.family_time_ranges.shrink_to_fit();
        let mut bytes = 0;
        self.for_each_part(|part| bytes += part.len());
        let mut own = BytesMut::with_capacity(bytes);
        self.for_each_part(|part| {
            own.extend_from_slice(part);
            *part = own.split().freeze();
        });
        bytes
    }

    /// Those that are not empty.
    fn for_each_part(&mut self, mut see: impl FnMut(&mut Bytes)) {
        let families = self.families.iter_mut().flat_map(|selection| {
            std::iter::once(&mut selection.family).chain(selection.qualifiers.iter_mut().flatten())
        });
        let times = self.family_time_ranges.iter_mut().map(|(family, _)| family);
        let rows = [&mut self.start_row, &mut self.stop_row].into_iter();
        rows.chain(families).chain(times).filter(|part| !part.is_empty()).for_each(&mut see);
    }
}

/// A read of one row: a scan that starts and stops there.
#[derive(Clone, Debug, PartialEq)]
pub struct Get {
    /// The scan with `start_row` = `stop_row` = the row, both inclusive.
    pub scan: Scan,
    /// Whether only existence is asked for.
    pub existence_only: bool,
}

impl Get {
    /// A read of all columns of `row`.
    pub fn new(row: Bytes) -> Self {
        let scan = Scan { start_row: row.clone(), stop_row: row, include_stop_row: true, ..Scan::default() };
        Self { scan, existence_only: false }
    }

    /// The row.
    pub fn row(&self) -> &Bytes {
        &self.scan.start_row
    }
}

#[cfg(test)]
mod tests;
