//! What a row of hbase:meta says.

use super::visible_cells::Columns;
use finback_cell::{RegionInfo, RegionState, StringBinary, TableName};
use finback_proto::{Message, pb, pbuf};

/// A row that says something.
pub(super) enum MetaRow {
    Region(MetaRegion),
    /// A table, and the name of its state.
    Table(TableName, String),
}

/// The row of a region.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MetaRegion {
    pub(crate) info: RegionInfo,
    pub(crate) state: RegionState,
    /// Encoded names of the regions it was merged from, which have no rows any more.
    pub(crate) merged_from: Vec<String>,
}

impl MetaRegion {
    /// Whether its rows are served by it: not by those that it was, or is to be, divided into.
    pub(crate) fn serves(&self) -> bool {
        use RegionState::{Merged, MergingNew, Split, SplittingNew};
        let has_gone = self.info.offline || self.info.split;
        !has_gone && !matches!(self.state, Split | Merged | SplittingNew | MergingNew)
    }
}

/// Reads a row by its columns (`family:qualifier`); none for one of no interest. `Err`: what is wrong with it.
pub(super) fn decode(row: &[u8], columns: &Columns<'_>) -> Result<Option<MetaRow>, String> {
    if let Some(value) = columns.get(&b"info:regioninfo"[..]) {
        return decode_region(row, value, columns).map(|region| Some(MetaRow::Region(region)));
    }
    if let Some(value) = columns.get(&b"table:state"[..]) {
        let table = TableName::parse(row).map_err(|error| error.to_string())?;
        let state = pb::TableState::decode(*value).map_err(|error| format!("table:state: {error}"))?;
        let state =
            pb::table_state::State::try_from(state.state).map_err(|error| format!("table:state: {error}"))?;
        return Ok(Some(MetaRow::Table(table, state.as_str_name().to_owned())));
    }
    // A region without its description; rows of barriers have nothing else.
    match columns.keys().any(|column| column.starts_with(b"info:")) {
        true => Err("no info:regioninfo".to_owned()),
        false => Ok(None),
    }
}

fn decode_region(row: &[u8], value: &[u8], columns: &Columns<'_>) -> Result<MetaRegion, String> {
    let info = region_info(value).map_err(|error| format!("info:regioninfo: {error}"))?;
    if info.name() != row {
        return Err(format!("info:regioninfo is that of {}", StringBinary(&info.name())));
    }
    let state = columns.get(&b"info:state"[..]).copied().and_then(RegionState::parse);
    let merged_from = columns.iter().filter(|(column, _)| column.starts_with(b"info:merge"));
    let merged_from = merged_from.map(|(column, value)| {
        let parent = region_info(value).map_err(|error| format!("{}: {error}", StringBinary(column)))?;
        Ok(parent.encoded_name())
    });
    Ok(MetaRegion {
        info,
        state: state.unwrap_or(RegionState::Offline),
        merged_from: merged_from.collect::<Result<_, String>>()?,
    })
}

fn region_info(value: &[u8]) -> Result<RegionInfo, String> {
    let message: pb::RegionInfo = pbuf::decode(value, "RegionInfo").map_err(|error| error.to_string())?;
    RegionInfo::try_from(&message).map_err(|error| error.to_string())
}
