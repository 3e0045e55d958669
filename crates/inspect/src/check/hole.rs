//! Rows of a table that no region has: the regions whose directories have them come back into hbase:meta, and where there
//! are none there are new, empty ones.

use crate::error::InspectError;
use crate::offline_meta::{MetaRegion, tracker};
use finback_cell::cell::CellParts;
use finback_cell::region_info::META_ENCODED_NAME;
use finback_cell::{Bytes, Cell, CellOrder, CellType, RegionInfo, RegionState, TableDescriptor, TableName};
use finback_hfile::{HFileWriter, WriterOptions};
use finback_layout::{RootDir, new_store_file_name};
use finback_proto::{pb, pbuf};
use std::path::Path;
use std::time::{Duration, SystemTime};

const META_FAMILY: &[u8] = b"info";

/// What fills a hole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoleFilling {
    /// Regions of which there are directories.
    pub known: Vec<RegionInfo>,
    /// Regions without rows, for what those do not have.
    pub empty: Vec<RegionInfo>,
}

/// What fills the hole `from` to before `to` among `regions` of a table, of which hbase:meta does not know `orphans`; none
/// if somebody has to decide which of them it is.
pub(super) fn filling(
    table: &TableName,
    (from, to): (&[u8], &[u8]),
    regions: &[MetaRegion],
    orphans: &[RegionInfo],
) -> Option<HoleFilling> {
    let in_hole = |info: &RegionInfo| overlap((&info.start_key, &info.end_key), (from, to));
    // The parents of regions that are not there have their rows.
    if regions.iter().any(|region| in_hole(&region.info)) {
        return None;
    }
    let mut known: Vec<RegionInfo> = orphans.iter().filter(|info| in_hole(info)).cloned().collect();
    known.sort_by(|a, b| a.start_key.cmp(&b.start_key));
    // The id tells regions of the same rows from each other: a new one has one that there was not.
    let ids =
        regions.iter().map(|region| region.info.region_id).chain(orphans.iter().map(|info| info.region_id));
    let id = ids.max().unwrap_or_default() + 1;
    let mut empty = Vec::new();
    let mut make = |start: &[u8], end: &[u8]| {
        let (start, end) = (Bytes::copy_from_slice(start), Bytes::copy_from_slice(end));
        empty.push(RegionInfo::new(table.clone(), start, end, id));
    };
    let mut reached = Bytes::copy_from_slice(from);
    let mut is_first = true;
    for info in &known {
        // What reaches out of the hole, or over another, would be an overlap.
        if (!is_first && reached.is_empty()) || info.start_key < reached {
            return None;
        }
        if info.start_key > reached {
            make(&reached, &info.start_key);
        }
        reached = info.end_key.clone();
        is_first = false;
    }
    match to.is_empty() {
        _ if !is_first && reached.is_empty() => {
            if !to.is_empty() {
                return None;
            }
        }
        false if reached[..] > *to => return None,
        false if reached[..] == *to => {}
        _ => make(&reached, to),
    }
    Some(HoleFilling { known, empty })
}

/// Whether two ranges of rows have rows in common.
pub(super) fn overlap(a: (&[u8], &[u8]), b: (&[u8], &[u8])) -> bool {
    let is_before = |end: &[u8], start: &[u8]| !end.is_empty() && end <= start;
    !is_before(a.1, b.0) && !is_before(b.1, a.0)
}

/// Whether regions can be written into hbase:meta while no server has it open.
pub(super) fn can_be_told(root: &RootDir) -> bool {
    let table = TableName::meta();
    let descriptor = root.read_table_descriptor(&table).unwrap_or_else(|_| TableDescriptor::new(table));
    !tracker(&descriptor, META_FAMILY).reads_list()
}

impl HoleFilling {
    pub(super) fn describe(&self) -> String {
        let names = |regions: &[RegionInfo]| {
            regions.iter().map(RegionInfo::encoded_name).collect::<Vec<_>>().join(", ")
        };
        let known = (!self.known.is_empty()).then(|| format!("regions {} come back", names(&self.known)));
        let empty =
            (!self.empty.is_empty()).then(|| format!("new, empty regions {} are made", names(&self.empty)));
        let both: Vec<String> = known.into_iter().chain(empty).collect();
        format!("write into hbase:meta: {}", both.join("; "))
    }

    /// Makes the directories, then tells hbase:meta of all regions at once.
    pub(super) fn apply(&self, root: &RootDir) -> Result<(), InspectError> {
        for region in &self.empty {
            root.create_region_dir(region)?;
        }
        tell_meta(root, self.known.iter().chain(&self.empty))
    }
}

/// Puts a store file beside those of hbase:meta. The next server to start finds the regions there, and opens them.
fn tell_meta<'a>(root: &RootDir, regions: impl Iterator<Item = &'a RegionInfo>) -> Result<(), InspectError> {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let timestamp = i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX - 1);
    let mut cells: Vec<Vec<u8>> = regions.flat_map(|region| row(region, timestamp)).collect();
    cells.sort_by(|a, b| match (Cell::parse(a), Cell::parse(b)) {
        (Ok(a), Ok(b)) => CellOrder::Meta.compare(&a, &b),
        _ => std::cmp::Ordering::Equal,
    });
    let (name, temporary) = (new_store_file_name()?, root.temp_dir());
    root.fs().create_dir_all(&temporary).map_err(InspectError::io(&temporary))?;
    let written = temporary.join(&name);
    write(root, &written, &cells, timestamp)?;
    let directory = root.family_dir(&TableName::meta(), META_ENCODED_NAME, META_FAMILY);
    root.fs().create_dir_all(&directory).map_err(InspectError::io(&directory))?;
    root.fs().rename(&written, &directory.join(name)).map_err(InspectError::io(&written))?;
    root.fs().sync_dir(&directory).map_err(InspectError::io(&directory))
}

fn write(root: &RootDir, path: &Path, cells: &[Vec<u8>], create_time_ms: i64) -> Result<(), InspectError> {
    let options = WriterOptions { order: CellOrder::Meta, create_time_ms, ..WriterOptions::default() };
    let file = root.fs().create_new(path).map_err(InspectError::io(path))?;
    let mut writer = HFileWriter::new(file, path, options)?;
    for bytes in cells {
        if let Ok(cell) = Cell::parse(bytes) {
            writer.append(&cell, 0)?;
        }
    }
    // The file has no place in the order of edits: those of logs, which come after other files, still count.
    writer.finish(0)?;
    Ok(())
}

/// What hbase:meta says of a region that is to be opened.
fn row(region: &RegionInfo, timestamp: i64) -> [Vec<u8>; 2] {
    let name = region.name();
    let cell = |qualifier: &[u8], value: &[u8]| {
        let type_code = CellType::Put.code();
        CellParts { row: &name, family: META_FAMILY, qualifier, timestamp, type_code, value, tags: &[] }
            .to_vec()
    };
    [
        cell(b"regioninfo", &pbuf::encode(&pb::RegionInfo::from(region))),
        cell(b"state", RegionState::Offline.name().as_bytes()),
    ]
}

#[cfg(test)]
mod tests;
