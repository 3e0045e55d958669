//! Rows of hbase:meta: reading them, and which there can be.

use bytes::Bytes;
use finback_cell::{Cell, CellBlock, MAX_ROW_LENGTH, RegionInfo, RegionState, ServerName, TableName};
use finback_proto::{Message, pb, pbuf};
use finback_rpc::{RpcException, exceptions};
use pb::table_state::State as TableState;

use crate::system_tables::{INFO, TABLE};

/// What the name of a region has beside its table and its start key: commas and dots, an id however large, the encoded name.
const REST_OF_NAME: usize = 4 + 20 + 32;

/// Refuses a start key with which a region's name would be too long for a row. HBase's master finds that out when it is to
/// write it.
pub(crate) fn check_start_key(table: &TableName, key: &Bytes) -> Result<(), RpcException> {
    let length = table.to_bytes().len() + key.len() + REST_OF_NAME;
    if length <= MAX_ROW_LENGTH {
        return Ok(());
    }
    let bytes = key.len();
    Err(exceptions::do_not_retry(format!(
        "A region of {table} cannot begin with a key of {bytes} bytes: its name would have {length}, more than {MAX_ROW_LENGTH}"
    )))
}

/// What a row of hbase:meta says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MetaRow {
    Region(RegionRow),
    Table { table: TableName, state: TableState },
}

/// What the row of a region says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RegionRow {
    pub(crate) info: RegionInfo,
    pub(crate) state: RegionState,
    pub(crate) server: Option<ServerName>,
    pub(crate) open_seq_num: i64,
    /// Encoded names of the regions it was merged from: it may refer to their files, though they have no rows any more.
    pub(crate) merged_from: Vec<String>,
    /// Encoded names of the regions it was split into.
    pub(crate) split_into: Vec<String>,
}

/// What hbase:meta says.
#[derive(Debug, Clone, Default)]
pub(crate) struct MetaContents {
    pub(crate) rows: Vec<MetaRow>,
    /// Of all its cells.
    pub(crate) newest_timestamp: u64,
    /// Tables and encoded names of regions whose rows do not say which rows they have: HBase leaves some of regions that are gone,
    /// and of one that is not its directory is all there is.
    pub(crate) nameless: Vec<(TableName, String)>,
    /// The first row that could not be read.
    pub(crate) damage: Option<String>,
}

impl MetaContents {
    /// Adds a row.
    pub(crate) fn add(&mut self, row: &CellBlock) {
        self.newest_timestamp = self.newest_timestamp.max(newest_timestamp(row));
        match decode(row) {
            Ok(Some(decoded)) => self.rows.push(decoded),
            Ok(None) => self.nameless.extend(nameless(row)),
            Err(e) => {
                self.damage.get_or_insert(e);
            }
        }
    }
}

/// Table and encoded name of a region whose row has columns of regions, but not what makes a region.
fn nameless(row: &CellBlock) -> Option<(TableName, String)> {
    let cell = row.iter().find(|cell| cell.family() == INFO)?;
    let name = std::str::from_utf8(cell.row().rsplit(|&byte| byte == b',').next()?).ok()?;
    let (_, encoded) = name.strip_suffix('.')?.split_once('.')?;
    let is_encoded = encoded.len() == 32 && encoded.bytes().all(|byte| byte.is_ascii_hexdigit());
    let table = cell.row().split(|&byte| byte == b',').next()?;
    Some((TableName::parse(table).ok()?, encoded.to_owned())).filter(|_| is_encoded)
}

/// Of the cells of a row.
pub(crate) fn newest_timestamp(row: &CellBlock) -> u64 {
    row.iter().filter_map(|cell| u64::try_from(cell.timestamp()).ok()).max().unwrap_or(0)
}

/// Reads a row; the errors are texts for the log. `Ok(None)` for rows of no interest.
fn decode(row: &CellBlock) -> Result<Option<MetaRow>, String> {
    let column = |family: &[u8], qualifier: &[u8]| -> Option<Cell<'_>> {
        row.iter().find(|cell| cell.family() == family && cell.qualifier() == qualifier)
    };
    if let Some(cell) = column(INFO, b"regioninfo") {
        let mut region = decode_region(&cell, |qualifier| column(INFO, qualifier).map(|cell| cell.value()))?;
        region.merged_from = named_in(row, b"merge")?;
        region.split_into = named_in(row, b"split")?;
        return Ok(Some(MetaRow::Region(region)));
    }
    let Some(cell) = column(TABLE, b"state") else { return Ok(None) };
    let table = TableName::parse(cell.row()).map_err(|e| e.to_string())?;
    let state = pb::TableState::decode(cell.value()).map_err(|e| format!("table:state of {table}: {e}"))?;
    let state = TableState::try_from(state.state).map_err(|e| format!("table:state of {table}: {e}"))?;
    Ok(Some(MetaRow::Table { table, state }))
}

fn decode_region<'a>(
    cell: &Cell<'_>,
    value: impl Fn(&[u8]) -> Option<&'a [u8]>,
) -> Result<RegionRow, String> {
    let row = || cell.row().escape_ascii().to_string();
    let message: pb::RegionInfo =
        pbuf::decode(cell.value(), "RegionInfo").map_err(|e| format!("{}: {e}", row()))?;
    let info = RegionInfo::try_from(&message).map_err(|e| format!("{}: {e}", row()))?;
    if info.name() != cell.row() {
        return Err(format!("{}: info:regioninfo is that of {}", row(), info.name().escape_ascii()));
    }
    let number =
        |qualifier: &[u8]| value(qualifier).and_then(|bytes| bytes.try_into().ok()).map(i64::from_be_bytes);
    let text = |qualifier: &[u8]| value(qualifier).and_then(|bytes| std::str::from_utf8(bytes).ok());
    // No state: written by HBase 1, where a region with a server was open.
    let state = value(b"state").and_then(RegionState::parse).unwrap_or(RegionState::Offline);
    let server = text(b"server").zip(number(b"serverstartcode")).and_then(|(address, start_code)| {
        let (host, port) = address.rsplit_once(':')?;
        ServerName::parse(&format!("{host},{port},{start_code}"))
    });
    let open_seq_num = number(b"seqnumDuringOpen").unwrap_or(-1);
    Ok(RegionRow { info, state, server, open_seq_num, merged_from: Vec::new(), split_into: Vec::new() })
}

/// The regions in `merge0000`, `merge0001` and so on (`mergeA` and `mergeB` of old), or in `splitA` and `splitB`.
fn named_in(row: &CellBlock, prefix: &[u8]) -> Result<Vec<String>, String> {
    let named = row.iter().filter(|cell| cell.family() == INFO && cell.qualifier().starts_with(prefix));
    let encoded = |cell: Cell<'_>| {
        let wrong = |e: finback_proto::ProtoError| {
            format!("{}: {}: {e}", cell.row().escape_ascii(), cell.qualifier().escape_ascii())
        };
        let message: pb::RegionInfo = pbuf::decode(cell.value(), "RegionInfo").map_err(wrong)?;
        RegionInfo::try_from(&message).map(|info| info.encoded_name()).map_err(wrong)
    };
    named.map(encoded).collect()
}

#[cfg(test)]
mod tests;
